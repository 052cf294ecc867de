//! `effect = "counted"` or `{ keys = { retention = "24h" } }`: what it means to serve an attempt twice.

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::{Length, no_word};
use crate::model;
use crate::policy::effect::{self, Idempotency};
use crate::scenario::schema::piece::LengthOrForever;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// The effect of an operation as it is written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Effect {
    /// Nobody counts: an operation may be executed any number of times.
    #[default]
    None,
    /// Executions are counted, and nothing keeps an operation from being executed again.
    Counted,
    /// All attempts of a request carry a key; what was executed is answered with what it came to.
    Keys(Keys),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Keys {
    /// What an attempt meets that comes while another one is being served. Default: `"conflicts"`.
    #[serde(default)]
    meanwhile: Meanwhile,
    /// How long after its end an operation is remembered, or `"forever"`. Default: `"forever"`.
    #[schemars(with = "Option<LengthOrForever>")]
    retention: Option<Length>,
    /// How long a worker takes to answer without executing. Default: `"0s"`.
    answer_takes: Option<Length>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Meanwhile {
    /// An error: the key is locked.
    #[default]
    Conflicts,
    /// It executes too, for the key is stored only with the answer.
    Executes,
    /// It holds its worker until the other one is done, and is answered with that.
    Waits,
}

/// A key that is never forgotten.
const FOREVER: &str = "forever";

impl Effect {
    /// What is counted, and what keeps it from being executed twice; none if nobody counts.
    pub(super) fn effect(&self, spot: Spot<'_>) -> Result<Option<model::Effect>, Diagnostic> {
        match self {
            Self::None => Ok(None),
            Self::Counted => {
                let idempotency = Idempotency::None;
                Ok(Some(model::Effect { idempotency, answer_takes: Span::ZERO }))
            }
            Self::Keys(keys) => keys.effect(spot.at("keys")).map(Some),
        }
    }
}

impl Keys {
    fn effect(&self, spot: Spot<'_>) -> Result<model::Effect, Diagnostic> {
        let here = spot.at("retention");
        let retention = match &self.retention {
            None => None,
            Some(length) if length.0 == FOREVER => None,
            Some(length) => {
                no_word(&length.0, &[FOREVER], here)?;
                let instead = "without keys executions are only counted: effect = \"counted\"";
                Some(length.above_zero(here, instead)?)
            }
        };
        let answer_takes = match &self.answer_takes {
            None => Span::ZERO,
            Some(length) => length.span(spot.at("answer_takes"))?,
        };
        let meanwhile = match self.meanwhile {
            Meanwhile::Conflicts => effect::Meanwhile::Conflicts,
            Meanwhile::Executes => effect::Meanwhile::Executes,
            Meanwhile::Waits => effect::Meanwhile::Waits,
        };
        let idempotency = Idempotency::Keys { meanwhile, retention };
        Ok(model::Effect { idempotency, answer_takes })
    }
}
