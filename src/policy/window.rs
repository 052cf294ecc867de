//! How much of something happened lately? The memory shared by every policy that looks back.
//!
//! A window slides in slots: the oldest slot leaves at once. Exact instants would cost memory that
//! grows with the rate; slots cost the same at any rate and are off by at most one slot length.
//! Slots are counted from the start of the run, so that two policies with one window agree.

use crate::time::{Span, Time};

/// Counts that can be added up and taken away again.
pub(super) trait Counts: Copy + Default {
    /// `self + other`.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// `self - other`, where `other` was added before.
    #[must_use]
    fn minus(self, other: Self) -> Self;
}

/// Counts of the last window, in `SLOTS` slots.
#[derive(Clone, Debug)]
pub(super) struct Sliding<C, const SLOTS: usize> {
    slot_length: u64,
    /// The slot that time has reached.
    slot: u64,
    /// By slot, at the slot number modulo `SLOTS`.
    slots: Box<[C; SLOTS]>,
    total: C,
}

impl<C: Counts, const SLOTS: usize> Sliding<C, SLOTS> {
    /// An empty window of this length, at least `SLOTS` nanoseconds.
    pub(super) fn new(length: Span) -> Self {
        Self {
            slot_length: (length.as_nanos() / SLOTS as u64).max(1),
            slot: 0,
            slots: Box::new([C::default(); SLOTS]),
            total: C::default(),
        }
    }

    /// Adds `counts` to the current slot.
    #[inline]
    pub(super) fn add(&mut self, now: Time, counts: C) {
        self.slide_to(now);
        let current = (self.slot % SLOTS as u64) as usize;
        self.slots[current] = self.slots[current].plus(counts);
        self.total = self.total.plus(counts);
    }

    /// What is in the window at `now`.
    #[inline]
    pub(super) fn total(&mut self, now: Time) -> C {
        self.slide_to(now);
        self.total
    }

    /// The next instant at which something may leave the window by itself.
    pub(super) const fn next_edge(&self, now: Time) -> Time {
        Time::from_nanos((now.as_nanos() / self.slot_length + 1).saturating_mul(self.slot_length))
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.slots.fill(C::default());
        self.total = C::default();
    }

    #[inline]
    fn slide_to(&mut self, now: Time) {
        let slot = now.as_nanos() / self.slot_length;
        if slot != self.slot {
            self.expire(slot);
        }
    }

    #[cold]
    fn expire(&mut self, slot: u64) {
        // A ledger that is cleared and used from the start again meets a clock that runs backwards.
        if slot < self.slot || slot - self.slot >= SLOTS as u64 {
            self.clear();
        } else {
            for gone in self.slot + 1..=slot {
                let counts = &mut self.slots[(gone % SLOTS as u64) as usize];
                self.total = self.total.minus(*counts);
                *counts = C::default();
            }
        }
        self.slot = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Counts for u64 {
        fn plus(self, other: Self) -> Self {
            self + other
        }
        fn minus(self, other: Self) -> Self {
            self - other
        }
    }

    proptest! {
        /// The window is what a list of everything says about the slots still in it.
        #[test]
        fn the_total_is_what_happened_in_the_slots(
            steps in prop::collection::vec((0_u64..30, 0_u64..5), 1..200),
        ) {
            let mut window = Sliding::<u64, 10>::new(Span::from_nanos(100));
            let (mut now, mut log) = (0, Vec::new());
            for (nanos, count) in steps {
                now += nanos;
                window.add(Time::from_nanos(now), count);
                log.push((now / 10, count));
                let expected: u64 =
                    log.iter().filter(|(slot, _)| slot + 10 > now / 10).map(|(_, count)| count).sum();
                prop_assert_eq!(window.total(Time::from_nanos(now)), expected);
            }
        }
    }
}
