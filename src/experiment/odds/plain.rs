//! Plain replication: runs are watched until they collapse, or for long enough.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::batch::as_far_as_it_goes;
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
    /// Whether it was stopped: this is what was seen by then.
    pub interrupted: bool,
}

impl Plain {
    /// What both have seen, of which the other came later.
    pub(super) fn and(self, later: Self) -> Self {
        let collapses = self.collapses + later.collapses;
        let watched_s = self.watched_s + later.watched_s;
        let odds = odds(collapses, watched_s);
        Self { runs: self.runs + later.runs, collapses, watched_s, odds, ..later }
    }

    /// The share of runs that collapsed.
    pub fn share(&self) -> f64 {
        self.collapses as f64 / self.runs as f64
    }
}

/// Watches runs of `model` under seeds from `seed` on for `length` each. A collapse counts from when it began: what
/// begins within `length` is waited for. Where `stop` is set meanwhile, runs that are under way were watched until
/// then; none if that was before there was anything to see.
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
    let ended = as_far_as_it_goes(&seeds, stop, |_, &seed| {
        let mut gauge = Gauge::of(model, collapse);
        let mut course = Course::<Lanes>::new(model, seed);
        course.go_on(&mut gauge, |gauge| {
            !gauge.has_collapsed() && gauge.onset() < until && !stop.load(Ordering::Relaxed)
        });
        progress();
        let collapsed = gauge.has_collapsed() && gauge.onset() < until;
        (collapsed, gauge.onset().min(until).since(Time::ZERO).as_secs_f64())
    });
    let interrupted = stop.load(Ordering::Relaxed);
    let ended: Vec<(bool, f64)> = ended.into_iter().flatten().collect();
    let runs = ended.len() as u64;
    let collapses = ended.iter().filter(|(collapsed, _)| *collapsed).count() as u64;
    let watched_s: f64 = ended.iter().map(|(_, seconds)| seconds).sum();
    if interrupted && watched_s <= 0.0 {
        return None;
    }
    Some(Plain {
        runs,
        length,
        collapses,
        watched_s,
        odds: odds(collapses, watched_s),
        interrupted,
    })
}

fn odds(collapses: u64, watched_s: f64) -> Odds {
    let interval = poisson_interval(collapses).over(watched_s);
    Odds { per_second: collapses as f64 / watched_s, interval }
}
