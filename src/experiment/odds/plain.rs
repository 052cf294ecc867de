//! Plain replication: runs are watched until they collapse, or for long enough.

use std::sync::atomic::AtomicBool;

use super::super::batch::in_parallel;
use super::gauge::Gauge;
use super::{Collapse, Odds};
use crate::analysis::poisson_interval;
use crate::engine::Course;
use crate::engine::agenda::Lanes;
use crate::model::Model;
use crate::time::{Span, Time};

/// What plain replication has seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain {
    /// How many runs.
    pub runs: u64,
    /// For how long each was watched at the most.
    pub length: Span,
    /// How many of them collapsed.
    pub collapses: u64,
    /// For how many seconds they were watched in all, up to their collapse.
    pub watched_s: f64,
    /// How often it collapses.
    pub odds: Odds,
}

impl Plain {
    /// The share of runs that collapsed.
    pub fn share(&self) -> f64 {
        self.collapses as f64 / self.runs as f64
    }
}

/// Watches runs of `model` under seeds from `seed` on for `length` each. A collapse counts from when it began: what
/// begins within `length` is waited for. None if `stop` was set meanwhile.
pub fn plain(
    model: &Model,
    collapse: Collapse,
    seed: u64,
    runs: u64,
    length: Span,
    stop: &AtomicBool,
    progress: impl Fn() + Sync,
) -> Option<Plain> {
    let seeds: Vec<u64> = (seed..seed + runs).collect();
    let until = Time::ZERO + length;
    let ended = in_parallel(&seeds, stop, |_, &seed| {
        let mut gauge = Gauge::of(model, collapse);
        let mut course = Course::<Lanes>::new(model, seed);
        course.go_on(&mut gauge, |gauge| !gauge.has_collapsed() && gauge.onset() < until);
        progress();
        let collapsed = gauge.has_collapsed() && gauge.onset() < until;
        (collapsed, gauge.onset().min(until).since(Time::ZERO).as_secs_f64())
    })?;
    let collapses = ended.iter().filter(|(collapsed, _)| *collapsed).count() as u64;
    let watched_s: f64 = ended.iter().map(|(_, seconds)| seconds).sum();
    let interval = poisson_interval(collapses).over(watched_s);
    let odds = Odds { per_second: collapses as f64 / watched_s, interval };
    Some(Plain { runs, length, collapses, watched_s, odds })
}
