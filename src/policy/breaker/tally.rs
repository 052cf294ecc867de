//! The calls that a breaker looks at.

use super::{Breaker, Window};
use crate::policy::window::{Counts, Sliding};
use crate::time::Time;

/// How many calls ended, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) slow: u64,
}

impl Tally {
    pub(super) const fn of(failed: bool, slow: bool) -> Self {
        Self { calls: 1, failed: failed as u64, slow: slow as u64 }
    }

    /// Whether these are too many failed or slow calls.
    pub(super) fn is_too_bad(self, breaker: &Breaker) -> bool {
        breaker.failed.is_some_and(|limit| limit.is_reached(self.failed, self.calls))
            || breaker.slow.is_some_and(|slow| slow.limit.is_reached(self.slow, self.calls))
    }
}

impl Counts for Tally {
    fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            failed: self.failed + other.failed,
            slow: self.slow + other.slow,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            calls: self.calls - other.calls,
            failed: self.failed - other.failed,
            slow: self.slow - other.slow,
        }
    }
}

/// The calls in the window.
#[derive(Clone, Debug)]
pub(super) enum Recent {
    Count(Ring),
    Time(Sliding<Tally, 10>),
}

/// The last so many calls.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    size: usize,
    calls: Vec<Tally>,
    /// Where the oldest stands once the ring is full.
    oldest: usize,
    total: Tally,
}

impl Ring {
    fn record(&mut self, call: Tally) {
        if self.calls.len() < self.size {
            self.calls.push(call);
        } else {
            let gone = std::mem::replace(&mut self.calls[self.oldest], call);
            self.total = self.total.minus(gone);
            self.oldest = (self.oldest + 1) % self.size;
        }
        self.total = self.total.plus(call);
    }
}

impl Recent {
    pub(super) fn new(window: Window) -> Self {
        match window {
            Window::Count(size) => Self::Count(Ring {
                size: size.get() as usize,
                calls: Vec::new(),
                oldest: 0,
                total: Tally::default(),
            }),
            Window::Time(length) => Self::Time(Sliding::new(length)),
        }
    }

    pub(super) fn record(&mut self, now: Time, call: Tally) {
        match self {
            Self::Count(ring) => ring.record(call),
            Self::Time(window) => window.add(now, call),
        }
    }

    pub(super) fn total(&mut self, now: Time) -> Tally {
        match self {
            Self::Count(ring) => ring.total,
            Self::Time(window) => window.total(now),
        }
    }

    /// When the total may next change without a call; [`Time::NEVER`] if it stays.
    pub(super) fn next_change(&mut self, now: Time) -> Time {
        match self {
            Self::Count(_) => Time::NEVER,
            Self::Time(window) => {
                if window.total(now).calls == 0 {
                    Time::NEVER
                } else {
                    window.next_edge(now)
                }
            }
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Count(ring) => {
                ring.calls.clear();
                ring.oldest = 0;
                ring.total = Tally::default();
            }
            Self::Time(window) => window.clear(),
        }
    }
}
