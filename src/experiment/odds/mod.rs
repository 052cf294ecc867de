//! How likely is a collapse by chance alone?
//!
//! Where collapses are frequent enough to be waited for, runs are watched until they collapse. Where they are
//! not, the climb is split: from the calm state runs are followed up to a first height, those that get there are
//! cloned and followed to the next, and so on, each clone under chances of its own. The rate of collapses is that
//! of crossings of the first height, times the shares of clones that get from each height to the next before
//! they are calm again (R. J. Allen, D. Frenkel, P. R. ten Wolde, "Forward flux sampling-type schemes for
//! simulating rare events", J. Chem. Phys. 124, 2006; the splitting is that of M. Villén-Altamirano and J.
//! Villén-Altamirano, "RESTART", ITC 13, 1991, with a fixed effort at each height). Nothing is assumed of what a
//! state remembers, since it is the world itself that is cloned.

mod gauge;
mod plain;
mod splitting;

use std::fmt;
use std::sync::atomic::AtomicBool;

use super::Workbench;
use super::hysteresis::follows_the_clock;
use super::meter::patience;
use crate::analysis::{Interval, Verdict, exceeds_capacity};
use crate::model::{Model, Solver};
use crate::time::Span;

pub use gauge::Collapse;
pub use plain::{Plain, plain};
use splitting::MOST_REPETITIONS;
pub use splitting::{FEWEST_REPETITIONS, Splitting, splitting};

/// How often it collapses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// Collapses per second of a system that is well.
    pub per_second: f64,
    /// The 95 % interval of that.
    pub interval: Interval,
}

impl Odds {
    /// The chance of at least one collapse in so many seconds, with its interval.
    pub fn within(&self, seconds: f64) -> (f64, Interval) {
        let chance = |rate: f64| -libm::expm1(-rate * seconds);
        let Interval { low, high } = self.interval;
        (chance(self.per_second), Interval { low: chance(low), high: chance(high) })
    }

    /// How far the interval reaches from the middle, as a share of it.
    pub fn relative_error(&self) -> f64 {
        (self.interval.high - self.interval.low) / 2.0 / self.per_second
    }
}

/// How the odds are found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Plainly where collapses are frequent enough to be waited for, and by splitting elsewhere.
    Either,
    /// By plain replication.
    Plain,
    /// By splitting.
    Splitting,
}

/// The odds, and how they were found out.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// By plain replication.
    Plain(Plain),
    /// By splitting.
    Splitting(Splitting),
}

impl Answer {
    /// The odds.
    pub const fn odds(&self) -> Odds {
        match self {
            Self::Plain(plain) => plain.odds,
            Self::Splitting(splitting) => splitting.odds,
        }
    }
}

/// Plain runs from whose collapses it is known whether more of them are worth it, and how many collapses are.
const SCOUTS: u64 = 40;
const ENOUGH: u64 = 8;

/// How many runs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// So many plain runs.
    pub runs: u64,
    /// Each is watched for so long.
    pub length: Span,
    /// So many repetitions of splitting at the most.
    pub repetitions: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { runs: 400, length: Span::from_secs(60), repetitions: MOST_REPETITIONS }
    }
}

/// How often `model`, which is a [`calm_model`], collapses by chance, by runs under seeds from `seed` on. Where
/// `stop` is set meanwhile, the answer is what is known by then; none if that is nothing.
pub fn odds(
    model: &Model,
    collapse: Collapse,
    how: How,
    seed: u64,
    effort: Effort,
    stop: &AtomicBool,
    progress: impl Fn() + Sync,
) -> Option<Answer> {
    let Effort { runs, length, repetitions } = effort;
    let plainly =
        |seed: u64, runs: u64| plain(model, collapse, seed, runs, length, stop, &progress);
    let by_splitting =
        || splitting(model, collapse, seed, repetitions, stop, &progress).map(Answer::Splitting);
    match how {
        How::Plain => plainly(seed, runs).map(Answer::Plain),
        How::Splitting => by_splitting(),
        How::Either => {
            let scouts = plainly(seed, SCOUTS.min(runs))?;
            let more = runs.saturating_sub(SCOUTS);
            if scouts.interrupted || (scouts.collapses >= ENOUGH && more == 0) {
                Some(Answer::Plain(scouts))
            } else if scouts.collapses >= ENOUGH {
                let all = plainly(seed + SCOUTS, more).map(|others| scouts.and(others));
                Some(Answer::Plain(all.unwrap_or(Plain { interrupted: true, ..scouts })))
            } else {
                by_splitting()
            }
        }
    }
}

/// How many powers of ten a rate is above one in its unit: its place on a scale of decades.
pub fn decade(rate: f64) -> f64 {
    libm::log10(rate)
}

/// Why there are no odds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoOdds {
    /// Demand of this client follows the clock, so that there is no rate.
    ByTheClock(String),
    /// It fails undisturbed, and soon.
    NeverWell,
    /// A run in steps has no chance in it.
    Stepped,
}

impl fmt::Display for NoOdds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByTheClock(client) => write!(
                f,
                "the demand of `{client}` follows the clock, so that the odds are not the same at all times; \
                 give it arrivals at one rate"
            ),
            Self::NeverWell => f.write_str("it fails undisturbed from the start: it is overloaded"),
            Self::Stepped => f.write_str(
                "there is no chance in the stepped solver; leave `solver` out of the scenario",
            ),
        }
    }
}

impl std::error::Error for NoOdds {}

/// For how many windows, and how many of the longest timeouts, it must stay down.
const WINDOWS: u64 = 10;
const TIMEOUTS: u64 = 10;
/// Longer than any run is watched.
const CENTURY: Span = Span::from_secs(100 * 365 * 86_400);

/// The model whose odds are asked for: undisturbed, and without an end.
///
/// # Errors
/// Why it has none.
pub fn calm_model(model: &Model, seed: u64) -> Result<Model, NoOdds> {
    match model.solver {
        Solver::Events => {}
        Solver::Stepped { .. } => return Err(NoOdds::Stepped),
    }
    if let Some(client) = model.clients.iter().find(|client| follows_the_clock(&client.arrivals)) {
        return Err(NoOdds::ByTheClock(client.name.clone()));
    }
    let calm = model.undisturbed();
    let assessment = Workbench::default().run("", &calm, seed).assessment;
    if assessment.verdict == Verdict::Overloaded && exceeds_capacity(&calm) {
        return Err(NoOdds::NeverWell);
    }
    Ok(Model { horizon: CENTURY, ..calm })
}

/// What counts as a collapse of `model` where nobody says: that it stays down for ten windows, or ten timeouts.
pub fn usual_collapse(model: &Model) -> Collapse {
    let windows = model.window.saturating_mul(WINDOWS);
    Collapse::Stays(windows.max(patience(model).saturating_mul(TIMEOUTS)))
}
