//! Retries that will be sent.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use super::Attempt;
use crate::time::Time;

/// When something was planned, among all that was: what is due at one instant is sent in this order, as
/// the event loop would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    at: Time,
    /// Timers come before triggers, and those before sendings.
    nth: u64,
}

const SENDING: u64 = 1 << 63;
/// Triggers come after timers and before sendings.
const TRIGGER: u64 = 1 << 62;

impl Rank {
    /// Before the run began.
    pub(super) const FIRST: Self = Self { at: Time::ZERO, nth: 0 };

    /// As the fresh request left whose first attempt was sent as number `nth`.
    #[inline]
    pub(super) const fn at_sending(at: Time, nth: u64) -> Self {
        Self { at, nth: SENDING | nth << 2 }
    }

    /// As the attempt was refused that was sent as number `nth`.
    #[inline]
    pub(super) const fn by_refusal(at: Time, nth: u64) -> Self {
        Self { at, nth: SENDING | nth << 2 | 1 }
    }

    /// After all that came of the sending of attempt number `nth`.
    #[inline]
    pub(super) const fn after_sending(at: Time, nth: u64) -> Self {
        Self { at, nth: SENDING | nth << 2 | 2 }
    }

    /// As the trigger at `index` began.
    pub(super) const fn by_trigger(at: Time, index: usize) -> Self {
        Self { at, nth: TRIGGER | index as u64 }
    }

    /// As a client gave up the attempt that was sent as number `nth`.
    #[inline]
    pub(super) const fn by_timer(at: Time, nth: u64) -> Self {
        Self { at, nth }
    }
}

/// A retry that will be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub(super) at: Time,
    pub(super) planned: Rank,
    pub(super) attempt: Attempt,
}

impl Sending {
    #[inline]
    const fn order(&self) -> (Time, Rank) {
        (self.at, self.planned)
    }

    #[inline(always)]
    fn is_before(&self, at: Time, planned: Rank) -> bool {
        self.at < at || self.at == at && self.planned < planned
    }
}

impl PartialEq for Sending {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Sending {}

impl PartialOrd for Sending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The soonest is the greatest, which is what a heap yields.
impl Ord for Sending {
    fn cmp(&self, other: &Self) -> Ordering {
        other.order().cmp(&self.order())
    }
}

/// All of them: what comes in order, as after waits that are all alike, stays in order for nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    ordered: VecDeque<Sending>,
    /// What came out of order.
    others: BinaryHeap<Sending>,
}

impl Pending {
    pub(super) fn clear(&mut self) {
        self.ordered.clear();
        self.others.clear();
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.ordered.is_empty() && self.others.is_empty()
    }

    #[inline(always)]
    pub(super) fn push(&mut self, sending: Sending) {
        if self.ordered.back().is_none_or(|last| last.is_before(sending.at, sending.planned)) {
            self.ordered.push_back(sending);
        } else {
            self.others.push(sending);
        }
    }

    /// The next one, if it comes before what was `planned` for `at`.
    #[inline(always)]
    pub(super) fn pop_before(&mut self, at: Time, planned: Rank) -> Option<Sending> {
        if !self.others.is_empty() {
            return self.pop_of_both(at, planned);
        }
        if self.ordered.front()?.is_before(at, planned) { self.ordered.pop_front() } else { None }
    }

    #[inline(never)]
    fn pop_of_both(&mut self, at: Time, planned: Rank) -> Option<Sending> {
        let other = self.others.peek()?;
        match self.ordered.front() {
            Some(first) if first.is_before(other.at, other.planned) => {
                if first.is_before(at, planned) { self.ordered.pop_front() } else { None }
            }
            Some(_) | None if other.is_before(at, planned) => self.others.pop(),
            Some(_) | None => None,
        }
    }
}
