//! `refusals = { retry_after = "2s", takes = "1ms", by = "a_worker" }`: how a service says no.

use schemars::JsonSchema;
use serde::Deserialize;

use super::hint::{RetryAfter, hint};
use super::length::Length;
use crate::model::{self, Sight};
use crate::policy::admission::Rejection;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// How a service says no, as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Refusals {
    /// How long to stay away, or `"never"`: not to try again. Default: nothing is said.
    retry_after: Option<RetryAfter>,
    /// How long it takes until the client hears. Default: no time.
    takes: Option<Length>,
    /// Whose time that is. Default: "nobody".
    by: Option<By>,
    /// Whether the library says no before the application has seen anything. Default: `false`.
    #[serde(default)]
    unseen: bool,
}

/// Whose time a refusal takes.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum By {
    /// A proxy or the kernel says no.
    Nobody,
    /// A worker does.
    AWorker,
}

impl Refusals {
    pub(super) fn refusals(&self, spot: Spot<'_>) -> Result<model::Refusals, Diagnostic> {
        let hint = hint(self.retry_after.as_ref(), spot)?;
        let takes = |length: &Length| {
            length.above_zero(spot.at("takes"), "a refusal at once is one without `takes`")
        };
        let cost = match (&self.takes, self.by) {
            (None, None) => Rejection::Free,
            (Some(length), None | Some(By::Nobody)) => Rejection::Late(takes(length)?),
            (Some(length), Some(By::AWorker)) => Rejection::ByWorker(takes(length)?),
            (None, Some(_)) => {
                let message = "`by` says whose time a refusal takes, and it takes none";
                return Err(Diagnostic::error(spot.at("by").key, message)
                    .help("add takes = \"1ms\"".to_owned()));
            }
        };
        let sight = match (self.unseen, cost) {
            (false, _) => Sight::Seen,
            (true, Rejection::Free | Rejection::Late(_)) => Sight::Unseen,
            (true, Rejection::ByWorker(_)) => {
                let message = "a worker has seen what it refuses";
                return Err(Diagnostic::error(spot.at("unseen").key, message)
                    .other(spot.at("by").key, "")
                    .help("write by = \"nobody\", or leave `unseen` out".to_owned()));
            }
        };
        Ok(model::Refusals { cost, hint, sight })
    }
}
