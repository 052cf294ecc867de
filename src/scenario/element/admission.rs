//! `queue = { max_waiting = 800 }`: who may wait.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::{thousands, whole};
use crate::policy::Class;
use crate::policy::admission::{self, Admission};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// The bound of a queue as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Queue {
    /// At most so many attempts wait. Unit: attempts.
    MaxWaiting(i64),
    /// As many attempts wait as all workers serve in this time, if each takes the mean.
    MaxWork(Length),
    /// Attempts wait whose work, known exactly, all workers do in this time.
    KnownWork(Length),
    /// A class may wait only while its number of places stays free.
    Headroom(Headroom),
    /// Everybody may wait.
    Unbounded {},
}

/// A bound whose last places are kept for what is more important.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Headroom {
    /// How many attempts may wait at all. Unit: attempts.
    max_waiting: i64,
    /// How many places each class leaves free, class 0 first; the numbers never fall. Unit:
    /// attempts.
    free: Vec<i64>,
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
            Self::KnownWork(max) => {
                let max = max.span(spot.at("known_work"))?;
                let max_work = max.saturating_mul(workers.get().into());
                Ok(Admission::BoundedWork { max_work })
            }
            Self::Headroom(headroom) => {
                headroom.headroom(spot.at("headroom")).map(Admission::Headroom)
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

impl Headroom {
    fn headroom(&self, spot: Spot<'_>) -> Result<admission::Headroom, Diagnostic> {
        let max = whole(self.max_waiting, 1, LONGEST_QUEUE, "the queue", spot.at("max_waiting"))?;
        let spot = spot.at("free");
        let example = "write free = [0, 50]: class 1 leaves fifty places free for class 0";
        if self.free.is_empty() || self.free.len() > Class::COUNT {
            let message =
                format!("there are from 1 to {} numbers, one for each class", Class::COUNT);
            return Err(Diagnostic::error(spot.value(), message).help(example.to_owned()));
        }
        let places = self.free.iter().enumerate();
        let free: Vec<u32> = places
            .map(|(index, free)| whole(*free, 0, max, "the places left free", spot.nth(index)))
            .collect::<Result<_, _>>()?;
        admission::Headroom::new(max, &free).map_err(|_| {
            let falls = free.windows(2).position(|pair| pair[0] > pair[1]).map_or(0, |at| at + 1);
            Diagnostic::error(
                spot.item(falls),
                "a less important class cannot leave fewer places free than the one before it",
            )
            .help(example.to_owned())
        })
    }
}
