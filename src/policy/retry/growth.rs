//! How does the wait grow from one retry to the next, before chance plays a part?
//!
//! Whose memory it is: the request's, through the number of retries made so far.

use crate::time::Span;

/// The wait before retry number `n`, counted from zero, without jitter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// The same wait every time.
    Fixed(Span),
    /// A wait that grows by a factor up to a cap.
    Exponential(Exponential),
    /// A wait that grows by the same length every time, up to a cap.
    Linear(Linear),
}

/// `min(cap, base x factor^n)` for retry `n` = 0, 1, 2, …
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    base: Span,
    factor: f64,
    cap: Span,
    at_cap: AtCap,
}

/// `min(cap, base + n x increment)` for retry `n` = 0, 1, 2, …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    /// The wait before the first retry.
    pub base: Span,
    /// What each wait is longer than the one before.
    pub increment: Span,
    /// The longest wait.
    pub cap: Span,
    /// What happens once the cap is reached.
    pub at_cap: AtCap,
}

/// What happens once a wait cannot grow any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtCap {
    /// The wait stays at the cap.
    #[default]
    Holds,
    /// The last wait that did not pass the cap ends the request, as in Kubernetes' `wait.Backoff`
    /// (kubernetes #131122): it is waited out, and nothing is sent after it.
    Stops,
}

impl Exponential {
    /// A back-off from `base`, growing by `factor` (at least 1), never longer than `cap`.
    ///
    /// None if `factor` is below 1 or not finite.
    pub fn new(base: Span, factor: f64, cap: Span) -> Option<Self> {
        (factor.is_finite() && factor >= 1.0).then_some(Self {
            base,
            factor,
            cap,
            at_cap: AtCap::Holds,
        })
    }

    /// The same, ending the request where the cap is reached.
    #[must_use]
    pub const fn stopping_at_cap(mut self) -> Self {
        self.at_cap = AtCap::Stops;
        self
    }

    /// The wait before retry `retry`.
    pub fn wait(&self, retry: u32) -> Span {
        Span::from_nanos_f64(self.uncapped(retry)).min(self.cap)
    }

    fn uncapped(&self, retry: u32) -> f64 {
        if self.base.is_zero() {
            // Nothing grows into nothing, and zero times infinity is no number.
            return 0.0;
        }
        (self.base.as_nanos() as f64 * power(self.factor, retry)).min(LONGEST)
    }
}

/// The longest length, in nanoseconds.
const LONGEST: f64 = u64::MAX as f64;

/// `factor^exponent` by squaring: exact wherever the result is (all powers of two, and small powers
/// of any short fraction), infinite rather than wrapped beyond the range, and as quick for retry
/// 4,000,000,000 as for a small one.
fn power(factor: f64, exponent: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, factor, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

impl Growth {
    /// The wait before retry `retry`.
    #[inline]
    pub fn wait(&self, retry: u32) -> Span {
        match self {
            Self::Fixed(wait) => *wait,
            Self::Exponential(growth) => growth.wait(retry),
            Self::Linear(growth) => {
                (growth.base + growth.increment.saturating_mul(u64::from(retry))).min(growth.cap)
            }
        }
    }

    /// The wait before retry `retry` if there were no cap, in nanoseconds; finite.
    pub(super) fn uncapped(&self, retry: u32) -> f64 {
        match self {
            Self::Fixed(wait) => wait.as_nanos() as f64,
            Self::Exponential(growth) => growth.uncapped(retry),
            Self::Linear(growth) => {
                growth.base.as_nanos() as f64
                    + growth.increment.as_nanos() as f64 * f64::from(retry)
            }
        }
    }

    /// The cap; a fixed wait has none.
    pub(super) const fn cap(&self) -> Span {
        match self {
            Self::Fixed(_) => Span::MAX,
            Self::Exponential(growth) => growth.cap,
            Self::Linear(growth) => growth.cap,
        }
    }

    /// Whether the wait before retry `retry` is the last thing that the request does.
    pub(super) fn stops_after(&self, retry: u32) -> bool {
        let at_cap = match self {
            Self::Fixed(_) => AtCap::Holds,
            Self::Exponential(growth) => growth.at_cap,
            Self::Linear(growth) => growth.at_cap,
        };
        match at_cap {
            AtCap::Holds => false,
            AtCap::Stops => self.uncapped(retry.saturating_add(1)) > self.cap().as_nanos() as f64,
        }
    }

    /// Whether a request may end in a wait.
    pub(super) const fn may_stop(&self) -> bool {
        match self {
            Self::Fixed(_) => false,
            Self::Exponential(growth) => matches!(growth.at_cap, AtCap::Stops),
            Self::Linear(growth) => matches!(growth.at_cap, AtCap::Stops),
        }
    }

    /// The longest wait there can be.
    pub(super) fn longest(&self) -> Span {
        self.wait(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn waits(
        base_ms: u64,
        factor: f64,
        cap_ms: u64,
        retries: impl Iterator<Item = u32>,
    ) -> Vec<u64> {
        let base = Span::from_millis(base_ms);
        let backoff = Exponential::new(base, factor, Span::from_millis(cap_ms)).unwrap();
        retries.map(|retry| backoff.wait(retry).as_nanos() / 1_000_000).collect()
    }

    /// Case B01 (aws-sdk-java #874, Polly.Contrib.WaitAndRetry #24, twitter/hbc #167): doubling without a
    /// guard goes negative or to zero at some exponent.
    #[test]
    fn growth_stops_at_the_cap_for_every_exponent() {
        let found = waits(100, 2.0, 20_000, 0..1_000);
        assert_eq!(found[..9], [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 20_000]);
        assert!(found[8..].iter().all(|&wait| wait == 20_000));
        let found = waits(5_000, 2.0, 1_200_000, 0..1_000);
        assert_eq!(found[7..9], [640_000, 1_200_000]);
        assert!(found.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!(waits(5_000, 2.0, 1_200_000, u32::MAX..=u32::MAX), [1_200_000]);
        assert_eq!(waits(50, 2.0, 400, 0..5), [50, 100, 200, 400, 400]);
    }

    #[test]
    fn a_factor_of_one_never_grows_and_a_base_above_the_cap_is_cut() {
        assert_eq!(waits(50, 1.0, 400, 0..3), [50, 50, 50]);
        assert_eq!(waits(500, 2.0, 400, 0..3), [400, 400, 400]);
        assert_eq!(waits(0, 2.0, 400, 0..3), [0, 0, 0]);
        // The smallest growth there is takes four thousand million steps to reach a cap: none of
        // them may be walked.
        assert_eq!(waits(1, 1.0 + f64::EPSILON, 9, u32::MAX..=u32::MAX), [1]);
    }

    #[test]
    fn shrinking_is_refused() {
        for factor in [0.5, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Exponential::new(Span::from_secs(1), factor, Span::from_secs(9)), None);
        }
    }

    /// The back-off of ioredis: 50 ms more each time, 2 s at most.
    #[test]
    fn linear_growth_adds() {
        let fifty = Span::from_millis(50);
        let growth = Growth::Linear(Linear {
            base: fifty,
            increment: fifty,
            cap: Span::from_secs(2),
            at_cap: AtCap::Holds,
        });
        assert_eq!(
            [0, 1, 38, 39, 40, u32::MAX].map(|n| growth.wait(n).as_nanos() / 1_000_000),
            [50, 100, 1_950, 2_000, 2_000, 2_000]
        );
    }

    proptest! {
        #[test]
        fn waits_never_shrink_and_never_pass_the_cap(
            base in 0_u64..=u64::MAX, factor in 1.0..1e6_f64, increment in any::<u64>(),
            cap in any::<u64>(), retry in prop_oneof![0_u32..1_000, any::<u32>()],
        ) {
            let (base, cap) = (Span::from_nanos(base), Span::from_nanos(cap));
            let linear = Linear { base, increment: Span::from_nanos(increment), cap, at_cap: AtCap::Holds };
            for growth in [
                Growth::Exponential(Exponential::new(base, factor, cap).unwrap()),
                Growth::Linear(linear),
            ] {
                let (this, next) = (growth.wait(retry), growth.wait(retry.saturating_add(1)));
                prop_assert!(this <= next && next <= cap);
                // Floats carry 53 bits: a base beyond that is met to within them.
                prop_assert!(this.as_nanos() as f64 >= base.min(cap).as_nanos() as f64 * 0.999_999);
                prop_assert!(growth.uncapped(retry).is_finite());
            }
        }
    }
}
