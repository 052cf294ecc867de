//! How near a run is to collapse, and whether it has.

use crate::model::Model;
use crate::observe::{Fact, Observer, Standing};
use crate::time::{Span, Time};

/// What counts as a collapse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Collapse {
    /// For so long there has been no instant at which less waits and is tried again than a quarter of a timeout
    /// is worth.
    Stays(Span),
    /// So many seconds of work wait for some service.
    Reaches(f64),
}

/// Watches a run.
#[derive(Clone, Debug)]
pub(super) struct Gauge {
    standing: Standing,
    collapse: Collapse,
    /// What each request that is tried again counts for, in seconds of work.
    per_retry_s: f64,
    /// Below this it is well, however long it lasts.
    easy: f64,
    /// When the latest thing happened.
    pub(super) now: Time,
    /// When it was last well.
    last_easy: Time,
    /// Seconds of work that wait or come again: the height that a run must climb.
    pub(super) height: f64,
    /// The greatest height since it was last begun anew.
    pub(super) highest: f64,
    /// How much waits, in seconds of work.
    backlog_s: f64,
}

impl Gauge {
    pub(super) fn of(model: &Model, collapse: Collapse) -> Self {
        let timeouts = model.clients.iter().filter_map(|client| client.edge.timeout);
        let shortest = timeouts.min().unwrap_or(model.window).as_secs_f64();
        let slowest = model.services.iter().map(|service| service.capacity().per_second());
        Self {
            standing: Standing::of(model),
            collapse,
            per_retry_s: 1.0 / slowest.fold(f64::INFINITY, f64::min),
            easy: shortest / 4.0,
            now: Time::ZERO,
            last_easy: Time::ZERO,
            height: 0.0,
            highest: 0.0,
            backlog_s: 0.0,
        }
    }

    /// When what may become a collapse has begun: it was well until then.
    pub(super) const fn onset(&self) -> Time {
        match self.collapse {
            Collapse::Stays(_) => self.last_easy,
            Collapse::Reaches(_) => self.now,
        }
    }

    /// The height of a single request.
    pub(super) const fn step(&self) -> f64 {
        self.per_retry_s
    }

    /// Whether it has collapsed.
    pub(super) fn has_collapsed(&self) -> bool {
        match self.collapse {
            Collapse::Stays(length) => self.now.since(self.last_easy) >= length,
            Collapse::Reaches(backlog_s) => self.backlog_s >= backlog_s,
        }
    }
}

impl Observer for Gauge {
    fn observe(&mut self, now: Time, fact: Fact) {
        self.now = now;
        self.standing.follow(fact);
        let point = self.standing.point();
        self.backlog_s = point.backlog_s;
        self.height = point.backlog_s + point.retrying as f64 * self.per_retry_s;
        self.highest = self.highest.max(self.height);
        if self.height <= self.easy {
            self.last_easy = now;
        }
    }

    fn finish(&mut self, _: Time) {}
}
