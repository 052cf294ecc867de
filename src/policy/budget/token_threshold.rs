//! May this retry be sent, if failures take tokens and successes give a little back?
//!
//! Whose memory it is: one bucket for all requests of a client.
//!
//! gRPC's retry throttling (gRFC A6): each failure takes one token, each success gives `ratio`, and
//! a retry may go while more than half of the tokens are left, the failure that asks for it already
//! counted. It bounds no rate: it switches retries off while most things fail. Counted in whole
//! thousandths, which is the precision that the specification allows: no sum of floats drifts.
//!
//! Transparent repeats, of what provably never reached the server, are outside: they neither ask nor
//! count.

use super::Permission;
use crate::policy::outcome::{Failures, Outcome};

/// Parameters of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenThreshold {
    /// What the bucket holds when full.
    pub max_tokens: u32,
    /// What a success gives, in thousandths of a token.
    pub ratio_thousandths: u32,
    /// The failures that take a token.
    pub counted: Failures,
}

/// The bucket; full at first.
#[derive(Clone, Debug)]
pub struct Bucket {
    budget: TokenThreshold,
    thousandths: u64,
}

impl TokenThreshold {
    const fn full(&self) -> u64 {
        self.max_tokens as u64 * 1_000
    }
}

impl Bucket {
    /// A full bucket.
    pub const fn new(budget: TokenThreshold) -> Self {
        Self { budget, thousandths: budget.full() }
    }

    /// Counts the end of an attempt. Clamped at both ends: after a million successes an outage gets
    /// no more retries than after ten, and after a long outage a few successes are enough.
    pub fn ended(&mut self, outcome: Outcome) {
        self.thousandths = match outcome {
            Outcome::Succeeded => (self.thousandths + u64::from(self.budget.ratio_thousandths))
                .min(self.budget.full()),
            Outcome::Failed(failure) if self.budget.counted.contains(failure) => {
                self.thousandths.saturating_sub(1_000)
            }
            Outcome::Failed(_) => self.thousandths,
        };
    }

    /// Whether a retry may go. Asking takes nothing.
    pub const fn ask(&self) -> Permission {
        if self.thousandths * 2 > self.budget.full() {
            Permission::Granted
        } else {
            Permission::Denied
        }
    }

    /// Full again.
    pub const fn clear(&mut self) {
        self.thousandths = self.budget.full();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::outcome::Failure;
    use proptest::prelude::*;

    const EXAMPLE: TokenThreshold = TokenThreshold {
        max_tokens: 10,
        ratio_thousandths: 100,
        counted: Failures::of(&[Failure::Unavailable]),
    };
    const FAILED: Outcome = Outcome::Failed(Failure::Unavailable);

    fn retries_in_outage(bucket: &mut Bucket, requests: u32) -> u32 {
        let mut retries = 0;
        for _ in 0..requests {
            // Five attempts at most.
            for retry in 0..=4 {
                bucket.ended(FAILED);
                if retry == 4 || bucket.ask() == Permission::Denied {
                    break;
                }
                retries += 1;
            }
        }
        retries
    }

    /// Case A05.
    #[test]
    fn the_bucket_is_clamped_at_both_ends() {
        let mut bucket = Bucket::new(EXAMPLE);
        (0..100_000).for_each(|_| bucket.ended(Outcome::Succeeded));
        assert_eq!(retries_in_outage(&mut bucket, 1), 4);
        assert_eq!(retries_in_outage(&mut bucket, 360_000), 0);
        assert_eq!(bucket.thousandths, 0);
        // 5.1 tokens after 51 successes are above the half, and 61 pay for the failure as well.
        (0..60).for_each(|_| bucket.ended(Outcome::Succeeded));
        let mut one_short = bucket.clone();
        one_short.ended(FAILED);
        assert_eq!(one_short.ask(), Permission::Denied);
        bucket.ended(Outcome::Succeeded);
        bucket.ended(FAILED);
        assert_eq!(bucket.ask(), Permission::Granted);
    }

    #[test]
    fn what_is_not_counted_takes_nothing() {
        let mut bucket = Bucket::new(EXAMPLE);
        (0..100).for_each(|_| bucket.ended(Outcome::Failed(Failure::Error)));
        assert_eq!(bucket.thousandths, 10_000);
    }

    proptest! {
        /// From wherever it stands, an outage gets at most half the bucket of retries.
        #[test]
        fn never_more_than_its_rule(max in 1_u32..1_000, ratio in 0_u32..5_000, before in prop::collection::vec(any::<bool>(), 0..300)) {
            let mut bucket = Bucket::new(TokenThreshold { max_tokens: max, ratio_thousandths: ratio, ..EXAMPLE });
            for good in before {
                bucket.ended(if good { Outcome::Succeeded } else { FAILED });
                prop_assert!(bucket.thousandths <= u64::from(max) * 1_000);
            }
            prop_assert!(retries_in_outage(&mut bucket, 2_000) <= max.div_ceil(2));
        }
    }
}
