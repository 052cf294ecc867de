//! `effect = "counted"` or `{ keys = { retention = "24h" } }`: what it means to serve an attempt twice.

use serde::Deserialize;

use super::length::{Length, no_word};
use crate::model;
use crate::policy::effect::{self, Idempotency};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// The effect of an operation as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Effect {
    #[default]
    None,
    Counted,
    Keys(Keys),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Keys {
    #[serde(default)]
    meanwhile: Meanwhile,
    retention: Option<Length>,
    answer_takes: Option<Length>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Meanwhile {
    #[default]
    Conflicts,
    Executes,
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
