//! Where states lead: runs from many starts, watched at short distances, and the mean step from each cell of
//! the plane.

use std::sync::atomic::AtomicBool;

use super::super::batch::in_parallel;
use super::Reach;
use crate::engine::{self, World};
use crate::model::{Model, Start};
use crate::observe::{Phase, Point};
use crate::time::Span;

/// The mean step of a run from somewhere near a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// The middle of those places: seconds of work, and retries under way.
    pub at: (f64, f64),
    /// The mean step in a second.
    pub per_second: (f64, f64),
    /// How often a run was there.
    pub seen: u32,
}

/// Starts along both axes.
const STARTS: [u32; 2] = [12, 7];
/// Cells along both axes.
const CELLS: [usize; 2] = [14, 9];
/// For how many looks a run is watched.
const LOOKS: u64 = 24;
/// Fewer sights than this are no mean.
const ENOUGH: u32 = 2;

pub(super) const MOST_STARTS: u64 = (STARTS[0] * STARTS[1]) as u64;

/// Starts all over the plane.
pub(super) fn starts(reach: Reach, with_retries: bool) -> Vec<Start> {
    let rows = if with_retries { STARTS[1] } else { 1 };
    let start = |column: u32, row: u32| {
        let along = |nth: u32, of: u32| f64::from(nth) / f64::from((of - 1).max(1));
        Start {
            backlog: Span::from_secs_f64(reach.backlog_s * along(column, STARTS[0])),
            retries: (reach.retries * along(row, rows)).round() as u32,
        }
    };
    (0..rows).flat_map(|row| (0..STARTS[0]).map(move |column| start(column, row))).collect()
}

/// The mean steps of runs of `base` from `starts`; none if `stop` was set meanwhile.
pub(super) fn drift(
    base: &Model,
    starts: &[Start],
    reach: Reach,
    every: Span,
    seed: u64,
    stop: &AtomicBool,
    progress: &(impl Fn() + Sync),
) -> Option<Vec<Arrow>> {
    let horizon = every.saturating_mul(LOOKS).min(base.horizon);
    let ways = in_parallel(starts, stop, |_, &start| {
        let points = points(&Model { start, horizon, ..base.clone() }, every, seed);
        progress();
        points
    })?;
    let mut cells = vec![(0_u32, (0.0, 0.0), (0.0, 0.0)); CELLS[0] * CELLS[1]];
    for pair in ways.iter().flat_map(|way| way.windows(2)) {
        let [from, to] = [place(pair[0]), place(pair[1])];
        let Some(cell) = cell_of(from, reach) else { continue };
        let (seen, at, step) = &mut cells[cell];
        *seen += 1;
        *at = (at.0 + from.0, at.1 + from.1);
        *step = (step.0 + to.0 - from.0, step.1 + to.1 - from.1);
    }
    let seconds = every.as_secs_f64();
    let arrows = cells.into_iter().filter(|(seen, ..)| *seen >= ENOUGH).map(|(seen, at, step)| {
        let n = f64::from(seen);
        let per_second = (step.0 / n / seconds, step.1 / n / seconds);
        Arrow { at: (at.0 / n, at.1 / n), per_second, seen }
    });
    Some(arrows.collect())
}

/// Where a run of `model` is once in `every`.
pub(super) fn points(model: &Model, every: Span, seed: u64) -> Vec<Point> {
    let mut phase = Phase::of(model, every);
    engine::run(&mut World::<engine::agenda::Lanes>::default(), model, seed, &mut phase);
    phase.points().to_vec()
}

fn place(point: Point) -> (f64, f64) {
    (point.backlog_s, point.retrying as f64)
}

fn cell_of(at: (f64, f64), reach: Reach) -> Option<usize> {
    let along = |value: f64, reach: f64, cells: usize| {
        let cell = (value / reach * cells as f64) as usize;
        (cell < cells).then_some(cell)
    };
    let column = along(at.0, reach.backlog_s, CELLS[0])?;
    let row = along(at.1, reach.retries, CELLS[1])?;
    Some(row * CELLS[0] + column)
}
