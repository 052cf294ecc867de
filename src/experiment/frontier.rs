//! The tipping line of two parameters, found by walking along it.
//!
//! One column in the middle is searched from end to end. Its neighbours expect the line where it was, or where
//! the last two columns point to, and so need a fraction of the runs; and so on to both ends. Where the line bends,
//! columns are put between. All columns use the same seeds, so that the line is smooth where its worlds are.

use std::sync::atomic::AtomicBool;

use super::tip::{Asked, Halt, Range, TipSearch, TippingPoint};
use crate::analysis::{Answers, Estimate, Interval, Side, Threshold};
use crate::model::Model;

/// How a tipping line is searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontierSearch {
    /// The parameter whose values are columns.
    pub x: Range,
    /// The parameter that is searched in each column.
    pub y: Range,
    /// The first seed.
    pub seed: u64,
    /// The most runs, without control runs.
    pub most_runs: u64,
}

/// A tipping line.
#[derive(Clone, Debug, PartialEq)]
pub struct Frontier {
    /// The parameter whose values are columns.
    pub x: Range,
    /// The other one.
    pub y: Range,
    /// On which side of the line runs recover; none if it was nowhere found.
    pub side: Option<Side>,
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// How many runs it took, without control runs.
    pub runs: u64,
    /// How many control runs it took besides.
    pub controls: u64,
    /// Whether it was given up before every column and every bend was looked at, since the runs were used up.
    pub cut_short: bool,
    /// Whether it was stopped: this is what was known by then.
    pub interrupted: bool,
}

/// What was found at one value of the first parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// The value.
    pub at: f64,
    /// What the second parameter does there.
    pub along: Along,
}

/// What a parameter does along its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Along {
    /// It tips.
    Tips {
        /// Where one half of all seeds recover.
        at: Estimate,
        /// From where to where between 90 % and 10 % do.
        mixed: [f64; 2],
    },
    /// Most runs recover wherever it stands.
    Recovers,
    /// Most runs do not recover wherever it stands.
    Collapses,
}

/// Columns of the first walk.
const COLUMNS: usize = 9;
/// A column is put between two others at most so often.
const HALVINGS: usize = 2;
/// The line is found to this part of the range in each column.
const RESOLUTION: f64 = 1.0 / 50.0;
/// A column as far from the straight line between its neighbours is at a bend.
const BEND: f64 = 1.0 / 60.0;
/// Runs between two decisions on where to run next.
const BATCH: usize = 8;
const FEWEST_BATCHES: usize = 2;
const MOST_BATCHES: usize = 6;
/// Runs that a column takes at the least.
const LEAST_PER_COLUMN: u64 = (FEWEST_BATCHES * BATCH) as u64;
/// The line may lie so far outside the range before it is said to lie outside.
const BEYOND: f64 = 0.1;
/// How near to the expected place the line is expected at the least.
const NEAREST: f64 = 0.02;

impl FrontierSearch {
    /// The fewest runs with which there can be an answer.
    pub fn least_runs(&self) -> u64 {
        let first = TipSearch { range: self.y, seed: self.seed, most_runs: self.most_runs };
        let columns = self.x.spread(COLUMNS, COLUMNS).len() as u64;
        first.least_runs() + (columns - 1) * LEAST_PER_COLUMN
    }

    /// Runs that a grid would take that has a column wherever the finest are, a row for every step to which the
    /// line is found, and five seeds in each cell.
    pub fn grid_runs(&self, frontier: &Frontier) -> u64 {
        const SEEDS: u64 = 5;
        let at: Vec<f64> =
            frontier.columns.iter().map(|column| self.x.share_of(column.at)).collect();
        let gaps = at.windows(2).map(|pair| pair[1] - pair[0]);
        let finest = gaps.fold(1.0, f64::min);
        let columns = (1.0 / finest).round() as u64 + 1;
        columns * (1.0 / RESOLUTION) as u64 * SEEDS
    }

    /// Searches, in parallel on rayon's current pool. `world` is the model at values of both parameters;
    /// `progress` is told of every finished run, from any thread.
    ///
    /// Where `stop` is set meanwhile, the answer is what is known by then.
    ///
    /// # Errors
    /// What `world` says of values, or that `stop` was set before there was a column to tell of.
    pub fn search<E>(
        &self,
        world: impl Fn(f64, f64) -> Result<Model, E>,
        stop: &AtomicBool,
        progress: impl Fn() + Sync,
    ) -> Result<Frontier, Halt<E>> {
        let mut walk = Walk {
            search: self,
            world,
            stop,
            progress,
            side: None,
            columns: Vec::new(),
            runs: 0,
            controls: 0,
        };
        let (cut_short, interrupted) = match walk.all() {
            Ok(cut_short) => (cut_short, false),
            Err(Halt::Stopped) if !walk.columns.is_empty() => (false, true),
            Err(halt) => return Err(halt),
        };
        let Walk { side, columns, runs, controls, .. } = walk;
        Ok(Frontier { x: self.x, y: self.y, side, columns, runs, controls, cut_short, interrupted })
    }
}

/// A walk along the line.
struct Walk<'a, W, P> {
    search: &'a FrontierSearch,
    world: W,
    stop: &'a AtomicBool,
    progress: P,
    side: Option<Side>,
    /// In the order of their values.
    columns: Vec<Column>,
    runs: u64,
    controls: u64,
}

impl<E, W, P> Walk<'_, W, P>
where
    W: Fn(f64, f64) -> Result<Model, E>,
    P: Fn() + Sync,
{
    /// All of it; whether the runs were used up before.
    fn all(&mut self) -> Result<bool, Halt<E>> {
        let places = self.search.x.spread(COLUMNS, COLUMNS);
        match self.set_out(&places)? {
            Some(start) => {
                self.walk(&places, start)?;
                self.bends()
            }
            None => Ok(self.columns.len() < places.len()),
        }
    }

    /// Looks for a column where the line is, the middle one first; its place among `places`. Where there is
    /// none, columns were looked at from end to end as long as there were runs for it.
    fn set_out(&mut self, places: &[f64]) -> Result<Option<usize>, Halt<E>> {
        let middle = places.len() / 2;
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|place| place.abs_diff(middle));
        for place in order {
            let x = places[place];
            let (range, seed) = (self.search.y, self.search.seed);
            // What every column takes at the least is kept for those that follow.
            let left = places.len() - self.columns.len() - 1;
            let most_runs = self.room().saturating_sub(LEAST_PER_COLUMN * left as u64);
            let first = TipSearch { range, seed, most_runs };
            if most_runs < first.least_runs() {
                return Ok(None);
            }
            let world = |y| (self.world)(x, y);
            let found = first.search(world, self.stop, &self.progress)?;
            self.runs += found.runs;
            self.controls += found.controls;
            if found.interrupted {
                return Err(Halt::Stopped);
            }
            let along = match found.points.first() {
                Some(TippingPoint { tips_at, mixed, side, .. }) => {
                    self.side = Some(*side);
                    Along::Tips { at: *tips_at, mixed: *mixed }
                }
                None if found.recovers_below() => Along::Recovers,
                None => Along::Collapses,
            };
            self.insert(Column { at: x, along });
            if self.side.is_some() {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// From the column at `start` to both ends. Columns that were looked at on the way to it are known.
    fn walk(&mut self, places: &[f64], start: usize) -> Result<(), Halt<E>> {
        let onwards = (start + 1..places.len()).chain((0..start).rev());
        let is_new = |place: &usize| self.columns.iter().all(|column| column.at != places[*place]);
        let onwards: Vec<usize> = onwards.filter(is_new).collect();
        for (nth, &place) in onwards.iter().enumerate() {
            let left = (onwards.len() - nth - 1) as u64;
            let most = self.room().saturating_sub(LEAST_PER_COLUMN * left);
            let expected = self.expected(places[place]);
            let column = self.column(places[place], expected, most)?;
            self.insert(column);
        }
        Ok(())
    }

    /// Puts columns between others where the line bends or ends. Whether the runs were used up before that was
    /// done.
    fn bends(&mut self) -> Result<bool, Halt<E>> {
        for _ in 0..HALVINGS {
            let halved: Vec<f64> = (1..self.columns.len())
                .filter(|&nth| self.needs_half(nth))
                .map(|nth| self.halfway(nth))
                .filter(|at| self.columns.iter().all(|column| column.at != *at))
                .collect();
            for at in halved {
                if self.room() < (MOST_BATCHES * BATCH) as u64 {
                    return Ok(true);
                }
                let expected = self.expected(at);
                let column = self.column(at, expected, self.room())?;
                self.insert(column);
            }
        }
        Ok(false)
    }

    /// Runs that may still be made.
    const fn room(&self) -> u64 {
        self.search.most_runs.saturating_sub(self.runs)
    }

    fn insert(&mut self, column: Column) {
        let place = self.columns.partition_point(|other| other.at < column.at);
        self.columns.insert(place, column);
    }

    fn halfway(&self, nth: usize) -> f64 {
        let x = self.search.x;
        let share = |nth: usize| x.share_of(self.columns[nth].at);
        x.round(x.at(f64::midpoint(share(nth - 1), share(nth))))
    }

    /// Where the line is in a column, along its range; none where it is not.
    fn line(&self, nth: usize) -> Option<[f64; 2]> {
        let column = self.columns.get(nth)?;
        match column.along {
            Along::Tips { at, .. } => {
                Some([self.search.x.share_of(column.at), self.search.y.share_of(at.value)])
            }
            Along::Recovers | Along::Collapses => None,
        }
    }

    /// Half the interval of the line in a column, along its range.
    fn doubt(&self, nth: usize) -> f64 {
        match self.columns[nth].along {
            Along::Tips { at: Estimate { interval, .. }, .. } => {
                let share = |value: f64| self.search.y.share_of(value);
                (share(interval.high) - share(interval.low)) / 2.0
            }
            Along::Recovers | Along::Collapses => 0.0,
        }
    }

    /// Whether the line bends beside the gap before column `nth`, or ends in it.
    fn needs_half(&self, nth: usize) -> bool {
        let (before, after) = (nth - 1, nth);
        if self.line(before).is_some() != self.line(after).is_some() {
            return true;
        }
        let bends_at = |middle: usize| {
            let around = [middle.checked_sub(1), Some(middle), Some(middle + 1)];
            let [Some([x0, y0]), Some([x1, y1]), Some([x2, y2])] =
                around.map(|nth| nth.and_then(|nth| self.line(nth)))
            else {
                return false;
            };
            let straight = y0 + (y2 - y0) * (x1 - x0) / (x2 - x0);
            // What chance makes of a straight line is no bend.
            (y1 - straight).abs() > BEND.max(self.doubt(middle))
        };
        bends_at(before) || bends_at(after)
    }

    /// Where the line is expected at `at`, and how near to that.
    fn expected(&self, at: f64) -> [f64; 2] {
        let x = self.search.x.share_of(at);
        let mut known: Vec<[f64; 2]> =
            (0..self.columns.len()).filter_map(|n| self.line(n)).collect();
        known.sort_by(|a, b| (a[0] - x).abs().total_cmp(&(b[0] - x).abs()));
        match known.as_slice() {
            [] => [0.5, 1.0],
            [only] => [only[1], 0.1],
            [near, next, ..] => {
                let slope = (near[1] - next[1]) / (near[0] - next[0]);
                let step = slope * (x - near[0]);
                [near[1] + step, NEAREST + step.abs() / 4.0]
            }
        }
    }

    /// The line in the column at `x`, by at most `most` runs, of which there are enough for the fewest batches.
    fn column(
        &mut self,
        x: f64,
        [expected, within]: [f64; 2],
        most: u64,
    ) -> Result<Column, Halt<E>> {
        let (range, side) = (self.search.y, self.side.unwrap_or(Side::Below));
        let mut threshold =
            Threshold::between(-BEYOND, 1.0 + BEYOND, side).expected(expected, within);
        let mut asked = Asked::new(|y| (self.world)(x, y), self.stop, &self.progress);
        let mut seed = self.search.seed;
        for batch in 0..MOST_BATCHES.min(most as usize / BATCH) {
            let found = threshold.at_share(0.5).interval;
            if batch >= FEWEST_BATCHES && found.high - found.low <= RESOLUTION {
                break;
            }
            let places = threshold.where_next(BATCH).into_iter();
            let places = places.map(|share| range.round(range.at(share.clamp(0.0, 1.0))));
            let jobs: Vec<(f64, u64)> = places.zip(seed..).collect();
            seed += BATCH as u64;
            let answers = asked.ask(&jobs);
            // What a column took counts, whatever comes of it.
            self.runs += std::mem::take(&mut asked.runs);
            self.controls += std::mem::take(&mut asked.controls);
            let on_axis = |a: &Answers| Answers { at: range.share_of(a.at), ..*a };
            threshold.learn(&answers?.iter().map(on_axis).collect::<Vec<_>>());
        }
        let middle = threshold.at_share(0.5);
        let along = if middle.value < 0.0 || middle.value > 1.0 {
            match (side, middle.value < 0.0) {
                (Side::Below, true) | (Side::Above, false) => Along::Collapses,
                (Side::Below, false) | (Side::Above, true) => Along::Recovers,
            }
        } else {
            let value = |share: f64| range.at(share.clamp(0.0, 1.0));
            let interval =
                Interval { low: value(middle.interval.low), high: value(middle.interval.high) };
            let ends = [threshold.at_share(0.9).value, threshold.at_share(0.1).value];
            let mixed = [value(ends[0].min(ends[1])), value(ends[0].max(ends[1]))];
            Along::Tips { at: Estimate { value: value(middle.value), interval }, mixed }
        };
        Ok(Column { at: x, along })
    }
}
