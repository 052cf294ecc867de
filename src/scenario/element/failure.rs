//! `on = ["timeout", "refused"]`: kinds of failure, by name.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::policy::outcome::{Failure, Failures};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A kind of failure as it is written.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum FailureWord {
    /// No answer in time.
    Timeout,
    /// The service said no on arrival.
    Refused,
    /// It tried and failed.
    Error,
    /// The connection broke.
    Reset,
    /// Nobody was reached, or the caller's own breaker, throttle or pool kept the attempt back.
    Unavailable,
}

impl FailureWord {
    const fn kind(self) -> Failure {
        match self {
            Self::Timeout => Failure::TimedOut,
            Self::Refused => Failure::Refused,
            Self::Error => Failure::Error,
            Self::Reset => Failure::Reset,
            Self::Unavailable => Failure::Unavailable,
        }
    }
}

/// The kinds that are named, `usual` where the key is left out; `instead` tells what to write where
/// somebody meant something by naming none.
pub(super) fn failures(
    words: Option<&Vec<FailureWord>>,
    usual: Failures,
    instead: &str,
    spot: Spot<'_>,
) -> Result<Failures, Diagnostic> {
    let Some(words) = words else { return Ok(usual) };
    if words.is_empty() {
        let message = "at least one kind of failure must be named here";
        return Err(Diagnostic::error(spot.value(), message).help(instead.to_owned()));
    }
    Ok(kinds(words))
}

/// The kinds that are named, which may be none.
pub(super) fn kinds(words: &[FailureWord]) -> Failures {
    let kinds: Vec<Failure> = words.iter().map(|word| word.kind()).collect();
    Failures::of(&kinds)
}
