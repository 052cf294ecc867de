//! From a given backlog and retries under way, which side does it fall to?
//!
//! The runs begin with a [`Start`] and have neither triggers nor levers. Which side one falls to is its
//! verdict: back, if it is well at the end or on its way there, and down otherwise. Each seed has a tipping
//! point of its own, found by bisection, and the answer is the median over the seeds.

mod drift;
mod tipping;

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::Workbench;
use super::meter::patience;
use crate::analysis::{Interval, Verdict, median, median_interval};
use crate::model::{Model, Solver, Start};
use crate::observe::Point;
use crate::time::Span;
use tipping::Judge;

pub use drift::Arrow;

/// The good state's basin of attraction, as far as two numbers tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Basin {
    /// The backlog, in seconds of work, that tips it while nobody tries again.
    pub tipping: Brink,
    /// The same with so many retries under way, in ascending order and from none on.
    pub boundary: Vec<(u32, Brink)>,
    /// How many retries tip it while nothing waits; none if it was stopped before that was looked for.
    pub tipping_retries: Option<Brink>,
    /// The largest backlog and the most retries that were looked at.
    pub reach: Reach,
    /// Where states lead to that were met, on average.
    pub drift: Vec<Arrow>,
    /// Where the scenario's own run was, once in a [`Basin::every`]; nothing if nothing disturbs it.
    pub trajectory: Vec<Point>,
    /// From one look to the next.
    pub every: Span,
    /// How many runs it took.
    pub runs: u64,
    /// Whether it was stopped: this is what was known by then.
    pub interrupted: bool,
}

/// What a picture of it shows: from zero to these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Seconds of work.
    pub backlog_s: f64,
    /// Requests.
    pub retries: f64,
}

/// Where it tips, under several seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Brink {
    /// The tipping point of each seed; infinite where nothing up to `most` tips it.
    pub thresholds: Vec<f64>,
    /// The largest value that was tried.
    pub most: f64,
}

impl Brink {
    /// The median over the seeds; none if most are not tipped.
    pub fn middle(&self) -> Option<f64> {
        median(self.thresholds.iter().copied()).filter(|middle| middle.is_finite())
    }

    /// The 95 % interval of the median; its upper end is infinite where that may not be tipped.
    pub fn interval(&self) -> Option<Interval> {
        self.middle().and(median_interval(self.thresholds.iter().copied()))
    }
}

/// Why there is no basin to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBasin {
    /// It fails undisturbed.
    NeverWell,
    /// No client has a rate by which a backlog could be shared.
    NoRate,
    /// The run is too short to tell what becomes of it.
    TooShort,
    /// A run in steps begins empty.
    Stepped,
    /// It takes more runs than these.
    TooMany(u64),
}

impl fmt::Display for NoBasin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooMany(most) => {
                return write!(
                    f,
                    "this takes more than --runs {most}; allow for more of them, or take fewer --seeds"
                );
            }
            Self::NeverWell => {
                "it fails undisturbed, so that there is no good state to fall back to"
            }
            Self::NoRate => "no client has a rate of its own, which says whose a backlog is",
            Self::TooShort => {
                "the horizon is too short to tell which side it falls to; make it longer"
            }
            Self::Stepped => {
                "the stepped solver cannot do this; leave `solver` out of the scenario"
            }
        })
    }
}

impl std::error::Error for NoBasin {}

/// Under so many of the seeds the boundary beside its end is looked for.
const BOUNDARY_SEEDS: u64 = 5;
/// At these shares of the retries that tip it by themselves.
const BOUNDARY: [f64; 3] = [0.25, 0.5, 0.75];
/// How far beyond the tipping points the picture reaches.
const BEYOND: f64 = 1.4;

/// Looks for the basin of `model` under `seeds`, by at most `most_runs`. `progress` is told of every run. Where `stop`
/// is set meanwhile, the answer is what is known by then, or `Ok` of nothing.
///
/// # Errors
/// Why there is none.
pub fn basin(
    model: &Model,
    seeds: Range<u64>,
    most_runs: u64,
    stop: &AtomicBool,
    progress: impl Fn() + Sync,
) -> Result<Option<Basin>, NoBasin> {
    let base = model.undisturbed();
    let judge =
        Judge { base: &base, progress: &progress, stop, most_runs, runs: AtomicU64::new(0) };
    refuse(&judge, seeds.start)?;
    let seeds: Vec<u64> = seeds.collect();
    let timeout_s = patience(&base).as_secs_f64();
    let mut found = Basin {
        tipping: Brink { thresholds: Vec::new(), most: horizon_s(&base) / 2.0 },
        boundary: Vec::new(),
        tipping_retries: None,
        reach: Reach { backlog_s: BEYOND * 2.0 * timeout_s, retries: 0.0 },
        drift: Vec::new(),
        trajectory: Vec::new(),
        every: Span::from_nanos((patience(&base).as_nanos() / 4).max(1)),
        runs: 0,
        interrupted: false,
    };
    let end = explore(model, &judge, &seeds, &mut found)?;
    found.interrupted = end == Explored::Interrupted;
    found.runs = judge.runs.into_inner();
    Ok((!found.tipping.thresholds.is_empty()).then_some(found))
}

/// How far it got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Explored {
    All,
    Interrupted,
}

/// Puts into `found` what there is to find, one thing after another.
fn explore<P: Fn() + Sync>(
    model: &Model,
    judge: &Judge<'_, P>,
    seeds: &[u64],
    found: &mut Basin,
) -> Result<Explored, NoBasin> {
    let (base, load, work_s) = (judge.base, judge.base.highest_load(), found.tipping.most);
    let few = &seeds[..seeds.len().min(BOUNDARY_SEEDS as usize)];
    // As many as keep the busiest service busy for a timeout, or for a window.
    let timeout_s = patience(base).as_secs_f64();
    let per_second = base.fresh_demand() / load;
    let of_backlog =
        |retries: u32| move |seconds: f64| Start { backlog: Span::from_secs_f64(seconds), retries };
    let all = judge.tip(seeds, timeout_s, work_s, of_backlog(0))?;
    let is_whole = all.thresholds.len() == seeds.len();
    found.tipping = all.clone();
    found.boundary.push((0, all));
    if !is_whole {
        return Ok(Explored::Interrupted);
    }
    let can_retry = sends_again(base);
    let most_retries = if can_retry { (per_second * work_s).min(f64::from(u32::MAX)) } else { 0.0 };
    let of_retries = |count: f64| Start { backlog: Span::ZERO, retries: count.round() as u32 };
    let retries = judge.tip(few, per_second * timeout_s, most_retries, of_retries)?;
    if retries.thresholds.len() < few.len() {
        return Ok(Explored::Interrupted);
    }
    let top = retries.middle().unwrap_or(2.0 * per_second * timeout_s);
    found.tipping_retries = Some(retries);

    let tipping = found.tipping.middle();
    for share in BOUNDARY.into_iter().filter(|_| can_retry && tipping.is_some()) {
        let retries = (share * top).round() as u32;
        let guess = tipping.unwrap_or(timeout_s) * (1.0 - share);
        let here = judge.tip(few, guess.max(timeout_s / 100.0), work_s, of_backlog(retries))?;
        if here.thresholds.len() < few.len() {
            return Ok(Explored::Interrupted);
        }
        found.boundary.push((retries, here));
    }

    found.reach = Reach {
        backlog_s: BEYOND * tipping.unwrap_or(2.0 * timeout_s),
        retries: BEYOND * if can_retry { top } else { per_second * timeout_s },
    };
    let starts = drift::starts(found.reach, can_retry);
    let is_disturbed = model.disturbed_between().is_some();
    judge.spend(starts.len() as u64 + u64::from(is_disturbed))?;
    let (every, seed) = (found.every, seeds[0]);
    let drift = drift::drift(base, &starts, found.reach, every, seed, judge.stop, judge.progress);
    let Some(drift) = drift else { return Ok(Explored::Interrupted) };
    found.drift = drift;
    if is_disturbed {
        found.trajectory = drift::points(model, every, seed);
        (judge.progress)();
    }
    Ok(Explored::All)
}

/// About how many runs it takes with so many seeds, for people who wait.
pub const fn basin_runs(seeds: u64) -> u64 {
    10 * seeds + 4 * 10 * BOUNDARY_SEEDS + drift::MOST_STARTS
}

fn refuse<P: Fn() + Sync>(judge: &Judge<'_, P>, seed: u64) -> Result<(), NoBasin> {
    let base = judge.base;
    match base.solver {
        Solver::Events => {}
        Solver::Stepped { .. } => return Err(NoBasin::Stepped),
    }
    if base.highest_load() <= 0.0 {
        return Err(NoBasin::NoRate);
    }
    judge.spend(1)?;
    let run = Workbench::default().run("", base, seed);
    match run.assessment.verdict {
        Verdict::Unaffected | Verdict::Recovered | Verdict::Draining => Ok(()),
        Verdict::Metastable | Verdict::Overloaded | Verdict::Undecided => Err(NoBasin::NeverWell),
    }
}

fn horizon_s(model: &Model) -> f64 {
    model.horizon.as_secs_f64()
}

/// Whether retries can be under way at the start.
fn sends_again(base: &Model) -> bool {
    let with = Model { start: Start { backlog: Span::ZERO, retries: 1_000 }, ..base.clone() };
    with.sent_at_start().iter().any(|sent| sent.again > 0)
}
