//! `retry_after = "2s"` of a service, and `guidance = "minimum"` of a client that hears it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::{Length, no_word};
use crate::policy::retry::{self, Hint};
use crate::scenario::schema::piece::stands_for;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// What a service says about trying again: a length, or the word for not at all.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct RetryAfter(Length);

stands_for!(RetryAfter: Length or "never");

/// How a client takes it, as it is written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Guidance {
    /// The client waits as its own policy says.
    #[default]
    Ignored,
    /// The longer of its own wait and the service's (RFC 9110, `Retry-After`).
    Minimum,
    /// The same, of the service's at most this much (urllib3).
    MinimumUpTo(Length),
    /// The service's, not shorter than its own and at most this much longer (AWS SDKs).
    AtMostLonger(Length),
    /// The service's, longer or shorter (gRPC pushback).
    Replaces,
    /// As `minimum`; a longer one fails the request at once.
    FailsBeyond(Length),
}

const NEVER: &str = "never";

impl RetryAfter {
    pub(super) fn hint(&self, spot: Spot<'_>) -> Result<Hint, Diagnostic> {
        if self.0.0 == NEVER {
            return Ok(Hint::Never);
        }
        no_word(&self.0.0, &[NEVER], spot)?;
        let instead = "a service that says nothing has no retry_after; \"never\" forbids a retry";
        self.0.above_zero(spot, instead).map(Hint::After)
    }
}

impl Guidance {
    pub(super) fn guidance(&self, spot: Spot<'_>) -> Result<retry::Guidance, Diagnostic> {
        let most = |length: &Length, key| length.above_zero(spot.at(key), "write \"ignored\"");
        Ok(match self {
            Self::Ignored => retry::Guidance::Ignored,
            Self::Minimum => retry::Guidance::Minimum,
            Self::Replaces => retry::Guidance::Replaces,
            Self::MinimumUpTo(length) => {
                retry::Guidance::MinimumUpTo(most(length, "minimum_up_to")?)
            }
            Self::AtMostLonger(length) => {
                retry::Guidance::AtMostLonger(most(length, "at_most_longer")?)
            }
            Self::FailsBeyond(length) => {
                retry::Guidance::FailsBeyond(most(length, "fails_beyond")?)
            }
        })
    }
}

/// What a service says about trying again, under `retry_after` of what stands at `spot`.
pub(super) fn hint(written: Option<&RetryAfter>, spot: Spot<'_>) -> Result<Hint, Diagnostic> {
    written.map_or(Ok(Hint::Absent), |written| written.hint(spot.at("retry_after")))
}
