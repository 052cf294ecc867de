//! May this retry be sent, if retries are to stay within a share of everything sent lately?
//!
//! Whose memory it is: one ledger for all requests of a client.
//!
//! A retry is granted if, itself included, retries are at most `ratio` of all sends (first attempts
//! and retries) in the window. The window slides in `SLOTS` steps, so the oldest tenth of a second
//! of a ten-second window leaves at once: exact times of every send would cost memory that grows
//! with the rate.

use super::Permission;
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// In how many steps a window slides.
pub(super) const SLOTS: usize = 100;

/// Parameters of the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlidingWindow {
    /// The largest share of sends that may be retries.
    pub ratio: Fraction,
    /// How long a send is remembered; at least `SLOTS` nanoseconds.
    pub window: Span,
}

/// Sends and retries of the last window.
#[derive(Clone, Debug)]
pub struct Ledger {
    ratio: Fraction,
    slot_length: u64,
    /// The slot that time has reached, counted from the start of the run.
    slot: u64,
    /// Sends and retries by slot, at the slot number modulo `SLOTS`.
    slots: Box<[Counts; SLOTS]>,
    total: Counts,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sends: u64,
    retries: u64,
}

impl Ledger {
    /// An empty ledger.
    pub fn new(budget: SlidingWindow) -> Self {
        Self {
            ratio: budget.ratio,
            slot_length: (budget.window.as_nanos() / SLOTS as u64).max(1),
            slot: 0,
            slots: Box::new([Counts::default(); SLOTS]),
            total: Counts::default(),
        }
    }

    /// Counts a first attempt.
    #[inline]
    pub fn deposit(&mut self, now: Time) {
        let current = self.slide_to(now);
        self.slots[current].sends += 1;
        self.total.sends += 1;
    }

    /// Grants and counts a retry, or denies it.
    #[inline]
    pub fn withdraw(&mut self, now: Time) -> Permission {
        let current = self.slide_to(now);
        if !self.ratio.covers(self.total.retries + 1, self.total.sends + 1) {
            return Permission::Denied;
        }
        for counts in [&mut self.slots[current], &mut self.total] {
            counts.sends += 1;
            counts.retries += 1;
        }
        Permission::Granted
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slot = 0;
        self.slots.fill(Counts::default());
        self.total = Counts::default();
    }

    /// Drops what has left the window; the place of the current slot.
    #[inline]
    fn slide_to(&mut self, now: Time) -> usize {
        let slot = now.as_nanos() / self.slot_length;
        if slot != self.slot {
            self.expire(slot);
        }
        (slot % SLOTS as u64) as usize
    }

    #[cold]
    fn expire(&mut self, slot: u64) {
        if slot - self.slot >= SLOTS as u64 {
            self.clear();
        } else {
            for gone in self.slot + 1..=slot {
                let counts = &mut self.slots[(gone % SLOTS as u64) as usize];
                self.total.sends -= counts.sends;
                self.total.retries -= counts.retries;
                *counts = Counts::default();
            }
        }
        self.slot = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ledger(ratio: f64, window: Span) -> Ledger {
        Ledger::new(SlidingWindow { ratio: Fraction::new(ratio).unwrap(), window })
    }

    #[test]
    fn one_send_in_ten_may_be_a_retry() {
        let mut ledger = ledger(0.1, Span::from_secs(10));
        for _ in 0..8 {
            ledger.deposit(Time::ZERO);
        }
        assert_eq!(ledger.withdraw(Time::ZERO), Permission::Denied);
        ledger.deposit(Time::ZERO);
        assert_eq!(ledger.withdraw(Time::ZERO), Permission::Granted);
        assert_eq!(ledger.withdraw(Time::ZERO), Permission::Denied);
    }

    #[test]
    fn what_left_the_window_no_longer_pays() {
        let mut ledger = ledger(0.5, Span::from_secs(10));
        ledger.deposit(Time::ZERO);
        let after = |secs| Time::ZERO + Span::from_secs_f64(secs);
        assert_eq!(ledger.clone().withdraw(after(9.9)), Permission::Granted);
        assert_eq!(ledger.clone().withdraw(after(10.0)), Permission::Denied);
        assert_eq!(ledger.withdraw(after(1e6)), Permission::Denied);
    }

    #[test]
    fn nothing_sent_nothing_granted() {
        assert_eq!(ledger(0.99, Span::from_secs(1)).withdraw(Time::ZERO), Permission::Denied);
        assert_eq!(ledger(1.0, Span::from_secs(1)).withdraw(Time::ZERO), Permission::Granted);
    }

    proptest! {
        /// Whatever the traffic, retries granted within any one window of the slots stay within the
        /// ratio of what was sent in it, at the instant each is granted.
        #[test]
        fn never_more_than_its_rule(
            ratio in 0.0..=1.0_f64,
            steps in prop::collection::vec((0_u64..500, any::<bool>()), 1..400),
        ) {
            let window = Span::from_secs(10);
            let mut ledger = ledger(ratio, window);
            let slot = window.as_nanos() / SLOTS as u64;
            let mut now = Time::ZERO;
            let mut sent: Vec<(u64, bool)> = Vec::new();
            for (millis, retry) in steps {
                now += Span::from_millis(millis);
                let slot_now = now.as_nanos() / slot;
                if retry {
                    if ledger.withdraw(now) == Permission::Granted {
                        sent.push((slot_now, true));
                        let in_window = sent.iter().filter(|(slot, _)| slot + SLOTS as u64 > slot_now);
                        let (all, retries) = in_window.fold((0, 0), |(all, retries), (_, retry)| {
                            (all + 1, retries + u64::from(*retry))
                        });
                        prop_assert!(Fraction::new(ratio).unwrap().covers(retries, all));
                    }
                } else {
                    ledger.deposit(now);
                    sent.push((slot_now, false));
                }
            }
        }
    }
}
