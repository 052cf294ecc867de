//! `call.pool = { size = 10, acquire_timeout = "30s" }`: how many attempts may be out at once.

use std::num::NonZeroU32;

use serde::Deserialize;

use super::length::Length;
use super::number::whole;
use super::tries::{Count, UNLIMITED};
use super::world::Complaints;
use crate::policy::pool::{self, AcquireClock};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A connection pool as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pool {
    size: i64,
    max_waiting: Option<Count>,
    acquire_timeout: Option<Length>,
    #[serde(default)]
    clock: Clock,
    #[serde(default)]
    cold_start: ColdStart,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Clock {
    #[default]
    WholeWait,
    EachWait,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ColdStart {
    #[default]
    IsFree,
    CountsAsWaiting,
}

/// More connections, and more who wait for one, than a run can have attempts in flight.
const MOST: u32 = 1_000_000_000;

impl Pool {
    /// The pool; none if anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<pool::Pool> {
        let size = self.size(spot.at("size"));
        let size = out.keep(size);
        let waiting = spot.at("max_waiting");
        let max_waiting = match self.max_waiting {
            None | Some(Count::Unlimited) => Some(None),
            Some(Count::Number(most)) => {
                let most = whole(most, 0, MOST, "the number that may wait", waiting);
                let help = format!("write \"{UNLIMITED}\" for no bound");
                out.keep(most.map_err(|wrong| wrong.help(help))).map(Some)
            }
        };
        let timeout = spot.at("acquire_timeout");
        let acquire_timeout = match &self.acquire_timeout {
            None => Some(None),
            Some(length) if length.0 == "none" => Some(None),
            Some(length) => {
                let instead = "the word \"none\" means no timeout; where nobody may wait, write \
                               max_waiting = 0";
                out.keep(length.above_zero(timeout, instead)).map(Some)
            }
        };
        let acquire_timeout = match (max_waiting, acquire_timeout) {
            // Of layers the later one counts: nobody waits any more for what is timed below.
            (Some(Some(0)), Some(Some(_))) if waiting.layer > timeout.layer => Some(None),
            (Some(Some(0)), Some(Some(limit))) => {
                out.add(never_waits(limit, timeout, waiting));
                return None;
            }
            (_, acquire_timeout) => acquire_timeout,
        };
        Some(pool::Pool {
            size: size?,
            max_waiting: max_waiting?,
            acquire_timeout: acquire_timeout?,
            clock: match self.clock {
                Clock::WholeWait => AcquireClock::WholeWait,
                Clock::EachWait => AcquireClock::EachWait,
            },
            cold_start: match self.cold_start {
                ColdStart::IsFree => pool::ColdStart::IsFree,
                ColdStart::CountsAsWaiting => pool::ColdStart::CountsAsWaiting,
            },
        })
    }

    fn size(&self, spot: Spot<'_>) -> Result<NonZeroU32, Diagnostic> {
        let size = whole(self.size, 1, MOST, "the size of a pool", spot)
            .map_err(|wrong| wrong.help("no pool is call.pool = \"none\"".to_owned()))?;
        Ok(NonZeroU32::new(size).unwrap_or(NonZeroU32::MIN))
    }
}

fn never_waits(limit: Span, timeout: Spot<'_>, waiting: Spot<'_>) -> Diagnostic {
    let message =
        format!("nobody may wait for a connection of this pool, so nobody waits for {limit}");
    Diagnostic::error(timeout.value(), message)
        .other(waiting.value(), "nobody may wait")
        .help(format!("write acquire_timeout = \"none\", or max_waiting = \"{UNLIMITED}\""))
}
