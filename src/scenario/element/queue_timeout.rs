//! `queue_timeout = "15s"`: which attempts leave the queue by the clock.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};

use super::length::{Length, no_word};
use super::trigger::Notice;
use crate::model;
use crate::policy::shedding::QueueTimer;
use crate::scenario::schema::piece::{LengthOrDeadline, stands_for};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// The timer of a queue as it is written: when it goes off, alone or in a table.
#[derive(Clone, Debug)]
pub(super) struct QueueTimeout(Table);

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "QueueTimeoutTable")]
struct Table {
    /// Who has waited so long leaves; or `"at_deadline"`: whose client gives up.
    #[schemars(with = "LengthOrDeadline")]
    after: Length,
    /// Whether clients hear that they are refused. Default: `"at_once"`.
    #[serde(default)]
    clients_learn: Notice,
}

const NONE: &str = "none";
const AT_DEADLINE: &str = "at_deadline";

impl QueueTimeout {
    pub(super) fn timeout(
        &self,
        spot: Spot<'_>,
    ) -> Result<Option<model::QueueTimeout>, Diagnostic> {
        let timer = match self.0.after.0.as_str() {
            NONE => return Ok(None),
            AT_DEADLINE => QueueTimer::AtDeadline,
            text => {
                no_word(text, &[NONE, AT_DEADLINE], spot.at("after"))?;
                let instead = "whoever may not wait is refused: queue = { max_waiting = 0 }";
                QueueTimer::After(self.0.after.above_zero(spot.at("after"), instead)?)
            }
        };
        Ok(Some(model::QueueTimeout { timer, clients: self.0.clients_learn.notice() }))
    }
}

stands_for!(QueueTimeout: LengthOrDeadline or Table);

impl<'de> Deserialize<'de> for QueueTimeout {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = QueueTimeout;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a length of time in quotes, \"{AT_DEADLINE}\", \"{NONE}\", or a table")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<QueueTimeout, E> {
                let after = Length(text.to_owned());
                Ok(QueueTimeout(Table { after, clients_learn: Notice::default() }))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<QueueTimeout, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(map)).map(QueueTimeout)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
