//! `call.wait_after_refusal = "100ms"`, or a table of waits that grow.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};

use super::jitter::Jitter;
use super::length::{Length, no_word};
use super::retry::{ends, growth, two};
use super::world::Complaints;
use crate::policy::retry::{self, Backoff, Growth};
use crate::scenario::schema::piece::{LengthOrNone, stands_for};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// Waits as they are written: a length, or a table that names how they grow.
#[derive(Clone, Debug)]
pub(super) enum Wait {
    Length(Length),
    Law(Law),
}

/// One of these.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WaitTable")]
pub(super) struct Law {
    /// The same wait each time.
    fixed: Option<Fixed>,
    /// Waits that grow by a factor each time.
    exponential: Option<Exponential>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FixedWait")]
pub(super) struct Fixed {
    /// How long.
    wait: Length,
    /// What is drawn around the wait. Default: `"none"`.
    #[serde(default)]
    jitter: Jitter,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExponentialWait")]
pub(super) struct Exponential {
    /// The first wait.
    base: Length,
    /// By what each one is longer than the one before. Unit: factor. Default: `2`.
    #[serde(default = "two")]
    factor: f64,
    /// The longest wait.
    cap: Length,
    /// What is drawn around the wait. Default: `"none"`.
    #[serde(default)]
    jitter: Jitter,
    /// Whether the cap cuts what was drawn, instead of the wait. Default: `false`.
    #[serde(default)]
    jitter_before_cap: bool,
}

const NONE: &str = "none";

impl Wait {
    /// The waits, some of which may be no other than those after any failure; none if anything is
    /// wrong with them.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Option<Backoff>> {
        match self {
            Self::Length(text) if text.0 == NONE => Some(None),
            Self::Length(wait) => {
                out.keep(no_word(&wait.0, &[NONE], spot))?;
                Some(Some(Backoff::fixed(out.keep(wait.span(spot))?)))
            }
            Self::Law(Law { fixed: Some(law), exponential: None }) => {
                let spot = spot.at("fixed");
                let growth = Growth::Fixed(out.keep(law.wait.span(spot.at("wait")))?);
                out.keep(law.jitter.around(growth, false, spot.at("jitter"))).map(Some)
            }
            Self::Law(Law { fixed: None, exponential: Some(law) }) => {
                let spot = spot.at("exponential");
                let factor = out.keep(growth(law.factor, "the factor", spot.at("factor")));
                let (base, cap) = ends(&law.base, &law.cap, spot, out)?;
                let growth = retry::Exponential::new(base, factor?, cap).ok_or_else(|| {
                    let message = "a wait cannot grow by this factor";
                    Diagnostic::error(spot.at("factor").value(), message)
                });
                let growth = Growth::Exponential(out.keep(growth)?);
                let (before, spot) = (law.jitter_before_cap, spot.at("jitter"));
                out.keep(law.jitter.around(growth, before, spot)).map(Some)
            }
            Self::Law(
                Law { fixed: None, exponential: None }
                | Law { fixed: Some(_), exponential: Some(_) },
            ) => {
                let message = "one kind of wait must be named here: `fixed` or `exponential`";
                out.add(Diagnostic::error(spot.value(), message));
                None
            }
        }
    }
}

stands_for!(Wait: LengthOrNone or Law);

impl<'de> Deserialize<'de> for Wait {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Wait;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(
                    f,
                    "a length of time in quotes, \"{NONE}\", or a table, {{ exponential = {{ .. }} }}"
                )
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Wait, E> {
                Ok(Wait::Length(Length(text.to_owned())))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Wait, A::Error> {
                Law::deserialize(MapAccessDeserializer::new(map)).map(Wait::Law)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
