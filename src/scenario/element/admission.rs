//! `queue = { max_waiting = 800 }`: who may wait.

use std::num::NonZeroU32;

use serde::Deserialize;

use super::length::Length;
use super::number::{thousands, whole};
use crate::policy::admission::Admission;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// The bound of a queue as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Queue {
    MaxWaiting(i64),
    MaxWork(Length),
    Unbounded {},
}

/// The longest queue that can be asked for; a longer one is as good as none.
const LONGEST_QUEUE: u32 = 1_000_000_000;

impl Queue {
    /// The bound in attempts waiting. A bound in seconds of work is what that many workers do in
    /// that time, rounded down.
    pub(super) fn admission(
        &self,
        workers: NonZeroU32,
        mean: Span,
        spot: Spot<'_>,
    ) -> Result<Admission, Diagnostic> {
        match self {
            Self::Unbounded {} => Ok(Admission::Unbounded),
            Self::MaxWaiting(max) => {
                whole(*max, 0, LONGEST_QUEUE, "the queue", spot.at("max_waiting"))
                    .map(|max_waiting| Admission::Bounded { max_waiting })
            }
            Self::MaxWork(max) => {
                let spot = spot.at("max_work");
                let work = u128::from(max.span(spot)?.as_nanos()) * u128::from(workers.get());
                u32::try_from(work / u128::from(mean.as_nanos()))
                    .ok()
                    .filter(|max| *max <= LONGEST_QUEUE)
                    .map(|max_waiting| Admission::Bounded { max_waiting })
                    .ok_or_else(|| {
                        let longest = thousands(LONGEST_QUEUE.into());
                        Diagnostic::error(
                            spot.value(),
                            format!("this is more work than {longest} attempts bring"),
                        )
                        .help("leave the queue without a bound: { unbounded = {} }".to_owned())
                    })
            }
        }
    }
}
