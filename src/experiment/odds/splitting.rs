//! Splitting: the climb to a collapse in stages, with clones that start from where others have got to.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::batch::{as_far_as_it_goes, in_parallel};
use super::super::meter::patience;
use super::gauge::Gauge;
use super::{Collapse, Odds};
use crate::analysis::{Interval, mean_interval};
use crate::engine::Course;
use crate::engine::agenda::Lanes;
use crate::model::Model;
use crate::random::{Bits, Sprout};
use crate::time::{Span, Time};

/// What splitting has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Splitting {
    /// The heights, in seconds of work that wait or come again.
    pub heights: Vec<f64>,
    /// How often the first of them is crossed from the calm state, per second.
    pub flux: f64,
    /// The share of clones that get from each height to the next, or from the last one to a collapse, on
    /// average over the repetitions.
    pub shares: Vec<f64>,
    /// The rate that each repetition came to, per second.
    pub rates: Vec<f64>,
    /// How many clones were followed in all.
    pub clones: u64,
    /// How often it collapses.
    pub odds: Odds,
    /// Whether a pilot has found it too rare to go on: the last height is crossed less than once in 10^12 years.
    pub too_rare: bool,
    /// Whether it was stopped: this is what was known by then.
    pub interrupted: bool,
}

impl Splitting {
    /// Below which rate per second it is in all likelihood, where no clone has collapsed: three divided by the
    /// number of clones that could have (95 %).
    pub fn bound(&self) -> f64 {
        let (_, before) = self.shares.split_last().unwrap_or((&0.0, &[]));
        if self.too_rare {
            // Whoever collapses crosses the last height before.
            return self.flux * before.iter().product::<f64>();
        }
        let last = 3.0 / (CLONES * self.rates.len()) as f64;
        self.flux * before.iter().product::<f64>() * last
    }
}

/// Clones from each height in a repetition.
const CLONES: usize = 300;
/// Repetitions at a time: they go on until the interval is narrow.
const BATCH: u64 = 20;
/// Fewer repetitions tell no interval.
pub const FEWEST_REPETITIONS: u64 = BATCH;
/// As many repetitions as are made where nobody says.
pub(super) const MOST_REPETITIONS: u64 = 100;
const NARROW: f64 = 0.2;
/// The share of a pilot's clones that shall get from one height to the next, and from the last one down.
const SHARE: f64 = 0.2;
/// A pilot climbs at most so many heights, and none that is crossed less often per second: once in 10^12 years.
const MOST_HEIGHTS: usize = 60;
const TOO_RARE: f64 = 3e-20;
/// Looks at the calm state, one a window or a timeout apart, from which its height is known.
const LOOKS: usize = 400;
/// How long a world is left alone before it is looked at, in looks.
const WARM_UP: usize = 40;
/// A pilot's seeds are none of those of the repetitions.
const PILOT: u64 = u64::MAX;

/// For how many looks a repetition waits at the most for runs that leave the calm state.
const MOST_LOOKS: u64 = 5_000;

/// From one look at the calm state to the next.
fn look(model: &Model) -> Span {
    patience(model).min(model.window)
}

/// A run somewhere on the climb.
#[derive(Clone, Debug)]
struct Climber<'m> {
    course: Course<'m, Lanes>,
    gauge: Gauge,
}

impl<'m> Climber<'m> {
    fn new(model: &'m Model, collapse: Collapse, seed: u64) -> Self {
        Self { course: Course::new(model, seed), gauge: Gauge::of(model, collapse) }
    }

    fn go_on(&mut self, goes_on: impl FnMut(&Gauge) -> bool) {
        self.course.go_on(&mut self.gauge, goes_on);
    }

    /// Itself once more, under chances of its own.
    fn branch(&self, seed: u64) -> Self {
        let mut branch = self.clone();
        branch.course.branch(seed);
        branch
    }

    /// Climbs until it gets to `height`, collapses, or is calm again: whether it got to either.
    fn climbs_to(&mut self, height: f64, calm: f64) -> bool {
        self.go_on(|gauge| gauge.height < height && gauge.height > calm && !gauge.has_collapsed());
        self.gauge.height >= height || self.gauge.has_collapsed()
    }
}

/// A number that tells clones apart: a function of the seed, the repetition, the stage and the clone.
fn chance(seed: u64, repetition: u64, stage: usize, clone: usize) -> u64 {
    let mut key = Sprout::new(seed, repetition);
    Sprout::new(key.bits(), (stage as u64) << 32 | clone as u64).bits()
}

/// The climb as it is split up.
struct Ladder<'m> {
    model: &'m Model,
    collapse: Collapse,
    seed: u64,
    /// At or below this height it is calm.
    calm: f64,
    heights: Vec<f64>,
    /// Whether the pilot has seen the calm state left at all.
    is_left: bool,
    /// What the pilot has found, if it gave up since the last height is crossed too rarely.
    too_rare: Option<Climb>,
}

/// What one repetition has found.
struct Climb {
    flux: f64,
    shares: Vec<f64>,
    clones: u64,
}

/// How often `model` collapses by chance, by at most so many repetitions of splitting. Where `stop` is set
/// meanwhile, the answer is that of the repetitions that were done; none if they were too few to tell an interval.
pub fn splitting(
    model: &Model,
    collapse: Collapse,
    seed: u64,
    most: u64,
    stop: &AtomicBool,
    progress: impl Fn() + Sync,
) -> Option<Splitting> {
    let mut ladder = Ladder::build(model, collapse, seed, stop)?;
    let mut climbs: Vec<Climb> = Vec::new();
    let too_rare = ladder.too_rare.is_some();
    climbs.extend(ladder.too_rare.take());
    if !ladder.is_left {
        climbs.push(Climb { flux: 0.0, shares: vec![0.0], clones: 0 });
    }
    let mut interrupted = false;
    while ladder.is_left && !too_rare && (climbs.len() as u64) < most {
        let first = climbs.len() as u64;
        let repetitions: Vec<u64> = (first..most.min(first + BATCH)).collect();
        let done = as_far_as_it_goes(&repetitions, stop, |_, &repetition| {
            let climb = ladder.climb(repetition, stop)?;
            progress();
            Some(climb)
        });
        climbs.extend(done.into_iter().flatten().flatten());
        interrupted = (climbs.len() as u64) < first + repetitions.len() as u64;
        if interrupted && climbs.len() < 2 {
            return None;
        }
        if interrupted {
            break;
        }
        let odds = odds(&climbs);
        if odds.per_second == 0.0 || odds.relative_error() <= NARROW {
            break;
        }
    }
    let mean =
        |of: &dyn Fn(&Climb) -> f64| climbs.iter().map(of).sum::<f64>() / climbs.len() as f64;
    let shares = (0..ladder.heights.len()).map(|stage| mean(&|climb| climb.shares[stage]));
    let odds = odds(&climbs);
    let mut found = Splitting {
        flux: mean(&|climb| climb.flux),
        shares: shares.collect(),
        rates: climbs.iter().map(Climb::rate).collect(),
        clones: climbs.iter().map(|climb| climb.clones).sum(),
        odds,
        heights: ladder.heights,
        too_rare,
        interrupted,
    };
    if too_rare {
        found.odds.interval = Interval { low: 0.0, high: found.bound() };
    }
    Some(found)
}

fn odds(climbs: &[Climb]) -> Odds {
    let rates: Vec<f64> = climbs.iter().map(Climb::rate).collect();
    let per_second = rates.iter().sum::<f64>() / rates.len() as f64;
    let Interval { low, high } = mean_interval(&rates);
    Odds { per_second, interval: Interval { low: low.max(0.0), high } }
}

impl Climb {
    fn rate(&self) -> f64 {
        self.flux * self.shares.iter().product::<f64>()
    }
}

impl<'m> Ladder<'m> {
    /// Finds heights that about a fifth of a pilot's clones get to from the one before.
    fn build(model: &'m Model, collapse: Collapse, seed: u64, stop: &AtomicBool) -> Option<Self> {
        let mut run = Climber::new(model, collapse, chance(seed, PILOT, 0, 0));
        let look = look(model);
        let mut heights = Vec::new();
        let mut at = Time::ZERO;
        for nth in 0..WARM_UP + LOOKS {
            at += look;
            run.gauge.highest = 0.0;
            run.go_on(|gauge| gauge.now < at && !gauge.has_collapsed());
            if nth >= WARM_UP {
                heights.push((run.gauge.height, run.gauge.highest));
            }
        }
        heights.sort_by(|one, other| one.0.total_cmp(&other.0));
        let calm = heights[LOOKS / 2].0;
        // The first height is one that is met about once in a few looks.
        heights.sort_by(|one, other| one.1.total_cmp(&other.1));
        let usual = heights[LOOKS * 3 / 4].1;
        let step = run.gauge.step();
        let mut ladder = Self {
            model,
            collapse,
            seed,
            calm,
            heights: vec![usual.max(calm + step)],
            is_left: true,
            too_rare: None,
        };
        ladder.extend(stop)?;
        Some(ladder)
    }

    /// Adds heights until a fair share of clones from the last one collapses.
    fn extend(&mut self, stop: &AtomicBool) -> Option<()> {
        let (mut there, flux) = self.enter(PILOT);
        let (mut shares, mut clones_in_all) = (Vec::new(), 0);
        if there.is_empty() {
            self.is_left = false;
            return Some(());
        }
        for stage in 0..MOST_HEIGHTS {
            let clones: Vec<usize> = (0..CLONES).collect();
            // Each is followed until it is calm again or has collapsed: how high it gets.
            let ways = in_parallel(&clones, stop, |_, &clone| {
                let mut way = self.branch(&there, PILOT, stage, clone);
                way.gauge.highest = way.gauge.height;
                let collapsed = way.climbs_to(f64::INFINITY, self.calm);
                (collapsed, way.gauge.highest)
            })?;
            let collapsed = ways.iter().filter(|(collapsed, _)| *collapsed).count();
            if collapsed as f64 >= SHARE * CLONES as f64 {
                return Some(());
            }
            let mut highest: Vec<f64> = ways.iter().map(|(_, highest)| *highest).collect();
            highest.sort_by(f64::total_cmp);
            let usual = highest[((1.0 - SHARE) * CLONES as f64) as usize];
            let last = self.heights[self.heights.len() - 1];
            // Where hardly any gets higher, the next height is the lowest that any does get to.
            let Some(&lowest) = highest.iter().find(|height| **height > last) else {
                return Some(());
            };
            let next = usual.max(lowest);
            let further = highest.iter().filter(|height| **height >= next).count();
            shares.push(further as f64 / CLONES as f64);
            clones_in_all += 2 * CLONES as u64;
            self.heights.push(next);
            if flux * shares.iter().product::<f64>() < TOO_RARE {
                // Of the last height it is not known how many get further.
                shares.push(0.0);
                self.too_rare = Some(Climb { flux, shares, clones: clones_in_all });
                return Some(());
            }
            there = in_parallel(&clones, stop, |_, &clone| {
                let mut way = self.branch(&there, PILOT, stage, clone);
                way.climbs_to(next, self.calm).then_some(way)
            })?
            .into_iter()
            .flatten()
            .collect();
            if there.is_empty() {
                return Some(());
            }
        }
        Some(())
    }

    /// A clone of one of those who are there, by turns.
    fn branch(
        &self,
        there: &[Climber<'m>],
        repetition: u64,
        stage: usize,
        clone: usize,
    ) -> Climber<'m> {
        there[clone % there.len()].branch(chance(self.seed, repetition, stage + 1, clone))
    }

    /// Runs that have just crossed the first height from the calm state, and how often one does, per second.
    fn enter(&self, repetition: u64) -> (Vec<Climber<'m>>, f64) {
        let mut there = Vec::with_capacity(CLONES);
        let mut watched = Span::ZERO;
        let mut world = 0;
        let warm_up = look(self.model).saturating_mul(WARM_UP as u64);
        let most = look(self.model).saturating_mul(MOST_LOOKS);
        let first = self.heights[0];
        while there.len() < CLONES && watched < most {
            let seed = chance(self.seed, repetition, 0, world);
            let mut run = Climber::new(self.model, self.collapse, seed);
            world += 1;
            run.go_on(|gauge| gauge.now < Time::ZERO + warm_up && !gauge.has_collapsed());
            let mut since = run.gauge.now;
            let end = since + most;
            let is_on = |gauge: &Gauge| !gauge.has_collapsed() && gauge.now < end;
            while there.len() < CLONES && is_on(&run.gauge) {
                run.go_on(|gauge| gauge.height > self.calm && is_on(gauge));
                if run.gauge.has_collapsed() {
                    break;
                }
                run.go_on(|gauge| gauge.height < first && is_on(gauge));
                watched += run.gauge.now.since(since);
                since = run.gauge.now;
                if run.gauge.height >= first || run.gauge.has_collapsed() {
                    there.push(run.clone());
                }
            }
        }
        let flux = there.len() as f64 / watched.as_secs_f64().max(f64::MIN_POSITIVE);
        (there, flux)
    }

    /// One repetition, from the calm state to the collapse; none if `stop` was set meanwhile.
    fn climb(&self, repetition: u64, stop: &AtomicBool) -> Option<Climb> {
        let (mut there, flux) = self.enter(repetition);
        let mut shares = Vec::with_capacity(self.heights.len());
        let mut clones = 0;
        for stage in 0..self.heights.len() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let next = self.heights.get(stage + 1).copied().unwrap_or(f64::INFINITY);
            let followed = if there.is_empty() { 0 } else { CLONES };
            let ways = (0..followed).filter_map(|clone| {
                let mut way = self.branch(&there, repetition, stage, clone);
                way.climbs_to(next, self.calm).then_some(way)
            });
            there = ways.collect();
            clones += followed as u64;
            shares.push(there.len() as f64 / CLONES as f64);
        }
        Some(Climb { flux, shares, clones })
    }
}
