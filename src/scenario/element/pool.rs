//! `call.pool = { size = 10, acquire_timeout = "30s" }`: how many attempts may be out at once.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::{fraction, whole};
use super::people::call_of;
use super::tries::{Count, UNLIMITED};
use super::world::{Complaints, check_name};
use crate::model::{Action, Model};
use crate::policy::pool::{self, AcquireClock};
use crate::scenario::schema::piece::LengthOrNone;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A connection pool as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pool {
    /// How many connections there are: attempts that may be out at once. Unit: connections.
    size: i64,
    /// How many may wait for a connection, or `"unlimited"`. Unit: attempts. Default:
    /// `"unlimited"`.
    max_waiting: Option<Count>,
    /// How long one waits for a connection and then fails, or `"none"`. Default: `"none"`.
    #[schemars(with = "Option<LengthOrNone>")]
    acquire_timeout: Option<Length>,
    /// What the timeout bounds where a wait begins anew. Default: `"whole_wait"`.
    #[serde(default)]
    clock: Clock,
    /// Whether a connection that is opened counts as waited for. Default: `"is_free"`.
    #[serde(default)]
    cold_start: ColdStart,
    /// Which connections are found dead. Default: none.
    dead: Option<Dead>,
    /// Calls whose pools have one name draw from one pool. Default: none.
    name: Option<String>,
}

/// Connections that turn out to be dead.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Dead {
    /// The share of the connections handed out that are dead. Unit: share.
    share: f64,
    /// How long it takes to make one anew.
    reconnect: Length,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Clock {
    /// All of the wait, however often it begins anew.
    #[default]
    WholeWait,
    /// Each wait by itself.
    EachWait,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ColdStart {
    /// An attempt has the connection that is opened for it.
    #[default]
    IsFree,
    /// It waits for it first, which must be allowed.
    CountsAsWaiting,
}

/// More connections, and more who wait for one, than a run can have attempts in flight.
const MOST: u32 = 1_000_000_000;

impl Pool {
    /// The name under which other calls share it.
    pub(super) fn name(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<String> {
        let name = self.name.as_ref()?;
        if let Some(wrong) = check_name(name) {
            out.add(Diagnostic::error(spot.at("name").value(), wrong));
        }
        Some(name.clone())
    }

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
        let dead = match &self.dead {
            None => Some(None),
            Some(dead) => dead.build(spot.at("dead"), out).map(Some),
        };
        Some(pool::Pool {
            size: size?,
            dead: dead?,
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
            .map_err(|wrong| wrong.help("write pool = \"none\" where there is none".to_owned()))?;
        Ok(NonZeroU32::new(size).unwrap_or(NonZeroU32::MIN))
    }
}

impl Dead {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<pool::Dead> {
        let share = fraction(self.share, "the share of dead connections", spot.at("share"));
        let reconnect = self.reconnect.above_zero(spot.at("reconnect"), "");
        let (share, reconnect) = (out.keep(share), out.keep(reconnect));
        Some(pool::Dead { share: share?, reconnect: reconnect? })
    }
}

/// That calls which share a pool agree on what it is, and that no lever changes it.
pub(super) fn check_pools(model: &Model, spot: Spot<'_>) -> Result<(), Diagnostic> {
    let pools = model.edges().filter_map(|(_, caller, edge)| {
        let (name, pool) = (edge.shared_pool.as_deref()?, edge.pool?);
        Some((name, pool, call_of(caller, model, spot)?.at("pool")))
    });
    let mut known: Vec<(&str, pool::Pool, Spot<'_>)> = Vec::new();
    for (name, pool, here) in pools {
        match known.iter().find(|(other, ..)| *other == name) {
            None => known.push((name, pool, here)),
            Some((_, other, _)) if *other == pool => {}
            Some((_, _, there)) => {
                let message = format!("the calls that share the pool `{name}` do not agree on it");
                return Err(Diagnostic::error(here.value(), message)
                    .other(there.value(), "here it is another")
                    .help(
                        "write the same keys at each of them, or give them other names".to_owned(),
                    ));
            }
        }
    }
    for lever in &model.levers {
        let Action::Change(changed) = &lever.action else { continue };
        let mut pairs = model.edges().zip(changed.edges());
        let differs = pairs.any(|((.., before), (.., after))| {
            let shared = before.shared_pool.is_some() || after.shared_pool.is_some();
            shared && (&before.shared_pool, before.pool) != (&after.shared_pool, after.pool)
        });
        if differs {
            let set = spot.at("levers").at(&lever.name).at("set");
            let message =
                "a lever cannot change a pool that calls share: it holds for the whole run";
            return Err(Diagnostic::error(set.value(), message)
                .help("make it a variant instead, or leave `name` out".to_owned()));
        }
    }
    Ok(())
}

fn never_waits(limit: Span, timeout: Spot<'_>, waiting: Spot<'_>) -> Diagnostic {
    let message =
        format!("nobody may wait for a connection of this pool, so nobody waits for {limit}");
    Diagnostic::error(timeout.value(), message)
        .other(waiting.value(), "nobody may wait")
        .help(format!("write acquire_timeout = \"none\", or max_waiting = \"{UNLIMITED}\""))
}
