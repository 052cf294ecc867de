//! May this retry be sent, if only so many retries may be outstanding at once?
//!
//! Whose memory it is: one ledger for all requests of a client; the request remembers (in its
//! [`Receipt`]) whether it holds one of the places.
//!
//! Envoy's retry budget (`resource_manager_impl.h` at 01c2c1f): a retry is granted if the retries
//! outstanding are fewer than max(floor(ratio x attempts out), minimum). It is outstanding from the
//! moment it is granted until its attempt ends: with [`Charged::AtDecision`](super::Charged), as in
//! Envoy, its back-off counts among the outstanding and not among the attempts out. The minimum is a
//! number at once and not a number per second.

use super::{Permission, Receipt};
use crate::unit::Fraction;

/// Parameters of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Concurrency {
    /// The largest number of retries outstanding, as a share of the attempts out.
    pub ratio: Fraction,
    /// So many may be outstanding whatever is out.
    pub minimum: u32,
    /// Whether the attempt that has just failed is among those out.
    pub failed: FailedAttempt,
}

/// Whether the attempt that has just failed counts among those that are out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailedAttempt {
    /// It has left: a lone request is never retried under a ratio without a minimum (envoy #30205).
    #[default]
    Left,
    /// It still counts.
    Counts,
}

impl Concurrency {
    /// At most `most` retries outstanding: Envoy's `max_retries`, which is the budget with a ratio
    /// of nothing.
    pub const fn at_most(most: u32) -> Self {
        Self { ratio: Fraction::ZERO, minimum: most, failed: FailedAttempt::Left }
    }
}

/// What is out.
#[derive(Clone, Debug)]
pub struct Outstanding {
    budget: Concurrency,
    attempts: u64,
    retries: u64,
}

impl Outstanding {
    /// Nothing is out.
    pub const fn new(budget: Concurrency) -> Self {
        Self { budget, attempts: 0, retries: 0 }
    }

    /// An attempt leaves.
    pub const fn sent(&mut self) {
        self.attempts += 1;
    }

    /// An attempt has ended; if it was a granted retry, its place is free.
    pub fn ended(&mut self, receipt: &mut Receipt) {
        debug_assert!(self.attempts > 0, "what ends has been sent");
        self.attempts = self.attempts.saturating_sub(1);
        self.give_back(receipt);
    }

    /// A granted retry is not sent after all.
    pub fn give_back(&mut self, receipt: &mut Receipt) {
        if std::mem::take(&mut receipt.holds_place) {
            self.retries -= 1;
        }
    }

    /// Grants a retry one of the places, or denies it.
    pub fn withdraw(&mut self, receipt: &mut Receipt) -> Permission {
        let failed = match self.budget.failed {
            FailedAttempt::Left => 0,
            FailedAttempt::Counts => 1,
        };
        let share = self.budget.ratio.floor_of(self.attempts + failed);
        if self.retries >= share.max(u64::from(self.budget.minimum)) {
            return Permission::Denied;
        }
        debug_assert!(!receipt.holds_place, "the place of the retry before was given back");
        receipt.holds_place = true;
        self.retries += 1;
        Permission::Granted
    }

    /// Nothing is out.
    pub const fn clear(&mut self) {
        self.attempts = 0;
        self.retries = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn envoy(percent: f64, minimum: u32) -> Concurrency {
        let ratio = Fraction::new(percent / 100.0).unwrap();
        Concurrency { ratio, minimum, failed: FailedAttempt::Left }
    }

    /// Of `failing` requests that fail at one instant while `calm` others stay out: how many may be
    /// retried.
    fn admitted(budget: Concurrency, calm: u32, failing: u32) -> usize {
        let mut ledger = Outstanding::new(budget);
        (0..calm + failing).for_each(|_| ledger.sent());
        (0..failing).for_each(|_| ledger.ended(&mut Receipt::default()));
        (0..failing)
            .filter(|_| ledger.withdraw(&mut Receipt::default()) == Permission::Granted)
            .count()
    }

    /// Case A01.
    #[test]
    fn a_lone_request_is_not_retried_without_a_minimum() {
        assert_eq!(admitted(envoy(100.0, 0), 0, 1), 0);
        assert_eq!(admitted(envoy(100.0, 1), 0, 1), 1);
        let counts = Concurrency { failed: FailedAttempt::Counts, ..envoy(100.0, 0) };
        assert_eq!(admitted(counts, 0, 1), 1);
    }

    /// Case A03.
    #[test]
    fn the_minimum_is_a_number_at_once() {
        assert_eq!(admitted(envoy(20.0, 3), 25, 10), 5);
        assert_eq!(admitted(envoy(20.0, 3), 2, 10), 3);
        assert_eq!(admitted(envoy(20.0, 3), 0, 5), 3);
        for most in 0..6 {
            assert_eq!(Concurrency::at_most(most), envoy(0.0, most));
            assert_eq!(admitted(Concurrency::at_most(most), 25, 10), most as usize);
        }
    }

    #[test]
    fn a_place_is_free_again_when_its_retry_ends() {
        let mut ledger = Outstanding::new(envoy(0.0, 1));
        let (mut first, mut second) = (Receipt::default(), Receipt::default());
        assert_eq!(ledger.withdraw(&mut first), Permission::Granted);
        assert_eq!(ledger.withdraw(&mut second), Permission::Denied);
        ledger.sent();
        ledger.ended(&mut first);
        assert_eq!(ledger.withdraw(&mut second), Permission::Granted);
        ledger.give_back(&mut second);
        ledger.give_back(&mut second);
        assert_eq!(ledger.withdraw(&mut first), Permission::Granted);
    }

    proptest! {
        #[test]
        fn never_more_than_its_rule(
            percent in 0.0..=100.0_f64, minimum in 0_u32..4,
            steps in prop::collection::vec(0_u8..4, 1..500),
        ) {
            let budget = envoy(percent, minimum);
            let mut ledger = Outstanding::new(budget);
            let mut granted: Vec<Receipt> = Vec::new();
            let mut out: Vec<Receipt> = Vec::new();
            for step in steps {
                match step {
                    0 => { ledger.sent(); out.push(Receipt::default()); }
                    1 => if let Some(mut receipt) = out.pop() { ledger.ended(&mut receipt); },
                    2 => if let Some(receipt) = granted.pop() { ledger.sent(); out.push(receipt); },
                    _ => {
                        let mut receipt = Receipt::default();
                        if ledger.withdraw(&mut receipt) == Permission::Granted {
                            granted.push(receipt);
                            let held = granted.iter().chain(&out).filter(|held| held.holds_place);
                            let limit = budget.ratio.floor_of(out.len() as u64).max(minimum.into());
                            prop_assert!(held.count() as u64 <= limit);
                        }
                    }
                }
            }
        }
    }
}
