//! At which value of one parameter does recovery become less likely than not?
//!
//! First a few seeds are run at places spread over the whole range. That shows on which side recovery is,
//! and whether there is more than one border. Then every border is searched for by runs that each take a
//! seed of their own and stand where they tell most ([`Threshold`]), until the interval is narrow or the
//! runs are used up. The seeds are the same for every search that begins with the same one, so that two
//! candidates are compared on the same worlds.

mod bench;
mod point;
mod range;
mod scan;

use std::sync::atomic::AtomicBool;

pub(super) use self::bench::Asked;
pub use self::bench::Halt;
pub use self::point::{CurvePoint, TippingPoint};
pub use self::range::Range;
use crate::analysis::{Answers, Side, Threshold, Verdict};
use crate::model::Model;

/// How a tipping point is searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TipSearch {
    /// Where.
    pub range: Range,
    /// The first seed; later runs take those that follow.
    pub seed: u64,
    /// The most runs, without control runs.
    pub most_runs: u64,
}

/// What was found along a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Tipping {
    /// The range that was searched.
    pub range: Range,
    /// Every value that was tried, in order, with how many of its runs recovered.
    pub tried: Vec<Answers>,
    /// The borders between recovery and collapse, in order; none where the whole range does the same.
    pub points: Vec<TippingPoint>,
    /// What became of runs where recovery is the exception; empty where it is the rule throughout.
    pub collapsed: Vec<Verdict>,
    /// How many runs it took, without control runs.
    pub runs: u64,
    /// How many control runs it took besides.
    pub controls: u64,
    /// Whether it was stopped: this is what was known by then.
    pub interrupted: bool,
}

/// Seeds at each place of the first look.
const SEEDS_PER_PLACE: u64 = 3;
/// Places of the first look.
const PLACES: usize = 11;
/// As many whole numbers are all looked at.
const MOST_WHOLE: usize = 24;
/// Seeds at each place that contradicts a single border.
const SEEDS_IN_DOUBT: u64 = 12;
/// Runs between two decisions on where to run next. It is part of the result, and so must not depend on the
/// number of threads.
const BATCH: usize = 16;
/// An interval this much of the range is narrow enough.
const NARROW: f64 = 1.0 / 200.0;
/// The mixed zone is known well enough once the ends of its interval are this many times apart.
const KNOWN_WITHIN: f64 = 2.5;
/// At least so many batches: a border that happens to agree with one is no border yet.
const FEWEST_BATCHES: u64 = 2;

impl TipSearch {
    /// The fewest runs with which there can be an answer.
    pub fn least_runs(&self) -> u64 {
        let places = self.range.spread(PLACES, MOST_WHOLE).len() as u64;
        (places + 1) * SEEDS_PER_PLACE + FEWEST_BATCHES * BATCH as u64
    }

    /// Searches, in parallel on rayon's current pool. `world` is the model at a value of the parameter;
    /// `progress` is told of every finished run, from any thread.
    ///
    /// Where `stop` is set meanwhile, the answer is what is known by then.
    ///
    /// # Errors
    /// What `world` says of a value, or that `stop` was set before there was anything to tell.
    pub fn search<E>(
        &self,
        world: impl Fn(f64) -> Result<Model, E>,
        stop: &AtomicBool,
        progress: impl Fn() + Sync,
    ) -> Result<Tipping, Halt<E>> {
        let mut asked = Asked::new(world, stop, progress);
        let (mut points, mut collapsed) = (Vec::new(), Vec::new());
        let interrupted = match self.look(&mut asked, &mut points, &mut collapsed) {
            Ok(()) => false,
            Err(Halt::Stopped) if asked.runs > 0 => true,
            Err(halt) => return Err(halt),
        };
        let Asked { answers: tried, runs, controls, .. } = asked;
        Ok(Tipping { range: self.range, tried, points, collapsed, runs, controls, interrupted })
    }

    /// The search, with what it has found until it ends or is stopped.
    fn look<E, W, P>(
        &self,
        asked: &mut Asked<'_, W, P>,
        points: &mut Vec<TippingPoint>,
        collapsed: &mut Vec<Verdict>,
    ) -> Result<(), Halt<E>>
    where
        W: Fn(f64) -> Result<Model, E>,
        P: Fn() + Sync,
    {
        let places = self.range.spread(PLACES, MOST_WHOLE);
        asked.everywhere(&places, self.seed..self.seed + SEEDS_PER_PLACE)?;
        let doubtful = scan::doubtful(&asked.answers);
        let room = self.most_runs.saturating_sub(asked.runs + SEEDS_PER_PLACE);
        let more = SEEDS_PER_PLACE..SEEDS_IN_DOUBT;
        if (more.end - more.start) * doubtful.len() as u64 <= room / 2 {
            asked.everywhere(&doubtful, self.seed + more.start..self.seed + more.end)?;
        }
        let borders = scan::borders(&asked.answers, !doubtful.is_empty());
        let mut next_seed = self.seed + SEEDS_IN_DOUBT;
        for (nth, border) in borders.iter().enumerate() {
            let left = self.most_runs.saturating_sub(asked.runs + SEEDS_PER_PLACE);
            let share = left / (borders.len() - nth) as u64;
            let (point, end) = self.follow(border, share, &mut next_seed, asked);
            points.push(point);
            end?;
        }
        if let Some(place) = scan::collapsed(&asked.answers, &places, &borders) {
            *collapsed = asked.verdicts(place, self.seed..self.seed + SEEDS_PER_PLACE)?;
        }
        Ok(())
    }

    /// Searches for one border with at most `most` runs, and tells it as far as it is known, and why no further.
    fn follow<E, W, P>(
        &self,
        border: &scan::Border,
        most: u64,
        next_seed: &mut u64,
        asked: &mut Asked<'_, W, P>,
    ) -> (TippingPoint, Result<(), Halt<E>>)
    where
        W: Fn(f64) -> Result<Model, E>,
        P: Fn() + Sync,
    {
        let range = self.range;
        let on_axis = |answers: &Answers| Answers { at: range.share_of(answers.at), ..*answers };
        let [low, high] = border.within.map(|value| range.share_of(value));
        let mut threshold = Threshold::between(low, high, border.side);
        let within = border.within[0]..=border.within[1];
        let known = asked.answers.iter().filter(|answers| within.contains(&answers.at));
        threshold.learn(&known.map(on_axis).collect::<Vec<_>>());
        let mut end = Ok(());
        for batch in 0..most / BATCH as u64 {
            if batch >= FEWEST_BATCHES && self.is_narrow(&threshold) {
                break;
            }
            let places = threshold.where_next(BATCH).into_iter();
            let places = places.map(|share| range.round(range.at(share.clamp(low, high))));
            let jobs: Vec<(f64, u64)> = places.zip(*next_seed..).collect();
            *next_seed += BATCH as u64;
            match asked.ask(&jobs) {
                Ok(answers) => threshold.learn(&answers.iter().map(on_axis).collect::<Vec<_>>()),
                Err(halt) => {
                    end = Err(halt);
                    break;
                }
            }
        }
        (TippingPoint::of(&threshold, border.side, range), end)
    }

    /// Whether there is nothing left that more runs are worth. A curve that happens to look steep also looks
    /// well known, so its scale has to be known as well, or too small to matter.
    fn is_narrow(&self, threshold: &Threshold) -> bool {
        let found = threshold.at_share(0.5).interval;
        let zone = threshold.mixed_zone(|share| share).interval;
        let [low, high] = [found.low, found.high].map(|share| self.range.at(share));
        if self.range.whole {
            // Between two neighbours there is nothing left to find.
            return high - low <= 1.0 || libm::floor(low) == libm::floor(high);
        }
        let known = zone.high <= KNOWN_WITHIN * zone.low || zone.high <= NARROW;
        found.high - found.low <= NARROW && known || high - low <= self.range.resolution(low)
    }
}

impl Tipping {
    /// Whether recovery is the rule at the lower end of the range.
    pub fn recovers_below(&self) -> bool {
        match self.points.first() {
            Some(point) => point.side == Side::Below,
            None => self.collapsed.is_empty(),
        }
    }

    /// Whether recovery is the rule at the upper end of the range.
    pub fn recovers_above(&self) -> bool {
        match self.points.last() {
            Some(point) => point.side == Side::Above,
            None => self.collapsed.is_empty(),
        }
    }
}
