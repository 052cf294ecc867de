//! May this retry be sent, if retries are paid from a quota and a success gives its price back?
//!
//! Whose memory it is: one quota for all requests of a client; the request remembers what its last
//! retry cost (in its [`Receipt`]).
//!
//! The retry quota of the AWS SDKs (botocore `retries/standard.py`, `quota.py`): a retry whose price
//! is at most what is left is granted; a success after retries gives back the price of the last of
//! them only; a success without retries gives one token. A request that fails for good gives
//! nothing back.

use super::{Permission, Receipt};
use crate::policy::outcome::Failure;

/// Parameters of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefundableQuota {
    /// What the quota holds when full.
    pub capacity: u32,
    /// The price of a retry, by what it follows.
    pub prices: Prices,
    /// What a request gives that succeeds without a retry.
    pub clean_success: u32,
}

/// The price of a retry, by what it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// After no answer in time.
    pub timed_out: u32,
    /// After a refusal, which is how a throttling service answers.
    pub refused: u32,
    /// After anything else.
    pub other: u32,
}

impl RefundableQuota {
    /// The standard mode of 2020: 500 tokens, 5 a retry, 10 after a timeout.
    pub const AWS_STANDARD: Self = Self {
        capacity: 500,
        prices: Prices { timed_out: 10, refused: 5, other: 5 },
        clean_success: 1,
    };

    /// The rules of 2026: 14 after a transient error, 5 after throttling, no price of its own for a
    /// timeout.
    pub const AWS_2026: Self =
        Self { prices: Prices { timed_out: 14, refused: 5, other: 14 }, ..Self::AWS_STANDARD };
}

impl Prices {
    const fn after(&self, failure: Failure) -> u32 {
        match failure {
            Failure::TimedOut => self.timed_out,
            Failure::Refused => self.refused,
            Failure::Error | Failure::Reset | Failure::Unavailable => self.other,
        }
    }
}

/// The quota; full at first.
#[derive(Clone, Debug)]
pub struct Quota {
    budget: RefundableQuota,
    left: u32,
}

impl Quota {
    /// A full quota.
    pub const fn new(budget: RefundableQuota) -> Self {
        Self { budget, left: budget.capacity }
    }

    /// Grants and charges a retry after `failure`, or denies it.
    pub const fn withdraw(&mut self, failure: Failure, receipt: &mut Receipt) -> Permission {
        let price = self.budget.prices.after(failure);
        if price > self.left {
            return Permission::Denied;
        }
        self.left -= price;
        receipt.price = price;
        Permission::Granted
    }

    /// A request has succeeded.
    pub fn succeeded(&mut self, receipt: Receipt) {
        let given = if receipt.price > 0 { receipt.price } else { self.budget.clean_success };
        self.left = self.left.saturating_add(given).min(self.budget.capacity);
    }

    /// Full again.
    pub const fn clear(&mut self) {
        self.left = self.budget.capacity;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Attempts of `calls` requests that always fail so, with at most three attempts each.
    fn attempts(budget: RefundableQuota, failure: Failure, calls: u32) -> (u32, u32) {
        let mut quota = Quota::new(budget);
        let mut attempts = 0;
        for _ in 0..calls {
            let mut receipt = Receipt::default();
            attempts += 1;
            for _ in 0..2 {
                if quota.withdraw(failure, &mut receipt) == Permission::Denied {
                    break;
                }
                attempts += 1;
            }
        }
        (attempts, quota.left)
    }

    /// Case A09: a thousand requests into a hard outage.
    #[test]
    fn an_outage_is_amplified_by_the_quota_and_no_more() {
        let (standard, rules_2026) = (RefundableQuota::AWS_STANDARD, RefundableQuota::AWS_2026);
        assert_eq!(attempts(standard, Failure::Error, 1_000), (1_100, 0));
        assert_eq!(attempts(standard, Failure::TimedOut, 1_000), (1_050, 0));
        assert_eq!(attempts(rules_2026, Failure::Error, 1_000), (1_035, 10));
    }

    /// Case A11: fifty failing requests drain the quota; the fifth clean one pays for a retry again,
    /// and its success gives the price back.
    #[test]
    fn clean_successes_refill_the_quota() {
        for (clean, expected) in [(4, Permission::Denied), (5, Permission::Granted)] {
            let mut quota = Quota::new(RefundableQuota::AWS_STANDARD);
            for _ in 0..50 {
                let mut receipt = Receipt::default();
                for _ in 0..2 {
                    assert_eq!(quota.withdraw(Failure::Error, &mut receipt), Permission::Granted);
                }
            }
            (0..clean).for_each(|_| quota.succeeded(Receipt::default()));
            let mut receipt = Receipt::default();
            assert_eq!(quota.withdraw(Failure::Error, &mut receipt), expected);
            if expected == Permission::Granted {
                quota.succeeded(receipt);
                assert_eq!(quota.left, 5);
            }
        }
    }

    #[test]
    fn only_the_last_price_is_given_back() {
        let mut quota = Quota::new(RefundableQuota::AWS_STANDARD);
        let mut receipt = Receipt::default();
        let _ = quota.withdraw(Failure::TimedOut, &mut receipt);
        let _ = quota.withdraw(Failure::Error, &mut receipt);
        assert_eq!(quota.left, 485);
        quota.succeeded(receipt);
        assert_eq!(quota.left, 490);
    }

    proptest! {
        /// What was charged less what was given back never passes the capacity.
        #[test]
        fn never_more_than_its_rule(steps in prop::collection::vec((0_usize..5, any::<bool>()), 1..500)) {
            let mut quota = Quota::new(RefundableQuota::AWS_STANDARD);
            let (mut charged, mut given) = (0_u32, 0_u32);
            for (kind, succeeds) in steps {
                let mut receipt = Receipt::default();
                let failure = Failure::EACH[kind];
                if quota.withdraw(failure, &mut receipt) == Permission::Granted {
                    charged += receipt.price;
                }
                if succeeds {
                    given += receipt.price.max(1);
                    quota.succeeded(receipt);
                }
                prop_assert!(charged <= 500 + given && quota.left <= 500);
            }
        }
    }
}
