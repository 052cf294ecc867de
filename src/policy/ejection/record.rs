//! What is known of one instance.

use super::Evidence;
use crate::time::{Span, Time};

/// What is known of one instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) is_present: bool,
    /// Failures since the last good end.
    pub(super) in_a_row: u32,
    /// How many ejections its next one is longer by; those that were forgiven do not count.
    pub(super) times: u32,
    /// When it may return; [`Time::ZERO`] if it is not ejected.
    pub(super) until: Time,
    /// When it last returned; [`Time::NEVER`] if it never did.
    returned: Time,
    /// Since the last sweep.
    pub(super) current: Ends,
    /// In the interval before that.
    pub(super) last: Ends,
}

/// How attempts ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    failed: u32,
    all: u32,
}

impl Ends {
    pub(super) fn add(&mut self, failed: bool) {
        self.all = self.all.saturating_add(1);
        self.failed += u32::from(failed);
    }

    pub(super) fn all(self) -> u64 {
        u64::from(self.all)
    }

    pub(super) fn good(self) -> u64 {
        u64::from(self.all - self.failed)
    }

    /// From 0 to 1.
    pub(super) fn success_rate(self) -> f64 {
        self.good() as f64 / self.all() as f64
    }
}

impl Record {
    pub(super) const NEW: Self = Self {
        is_present: true,
        in_a_row: 0,
        times: 0,
        until: Time::ZERO,
        returned: Time::NEVER,
        current: Ends { failed: 0, all: 0 },
        last: Ends { failed: 0, all: 0 },
    };

    pub(super) fn is_ejected(&self) -> bool {
        self.until > Time::ZERO
    }

    /// Whether enough is known of it to judge it by shares.
    pub(super) fn is_judged(&self, evidence: Evidence) -> bool {
        self.is_present && !self.is_ejected() && self.last.all >= evidence.requests.max(1)
    }

    /// It returns with a clean row, so that it is not ejected again for the failures of before.
    pub(super) fn come_back(&mut self, now: Time) {
        self.until = Time::ZERO;
        self.returned = now;
        self.in_a_row = 0;
    }

    /// An interval is over.
    pub(super) fn turn_over(&mut self) {
        self.last = std::mem::take(&mut self.current);
    }

    /// Each sweep at which it has been back for an interval makes its next ejection shorter.
    pub(super) fn forgive(&mut self, now: Time, interval: Span) {
        let is_back = !self.is_ejected() && self.returned <= now;
        if is_back && now.since(self.returned) >= interval {
            self.times = self.times.saturating_sub(1);
        }
    }
}
