//! How is a wait spread, so that clients that failed together do not return together?
//!
//! Whose memory it is: nobody's; each wait is drawn anew.

use super::growth::Growth;
use crate::random::Bits;
use crate::time::Span;
use crate::unit::Fraction;

/// How a wait is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter {
    /// By what.
    pub spread: Spread,
    /// Before or after the wait is cut at the cap.
    pub order: Order,
}

/// What is drawn in place of a wait `w`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// U(0, w).
    Full,
    /// w/2 + U(0, w/2).
    Equal,
    /// w x U(1 - x, 1 + x): 0.2 is the ±20 % of gRPC and Kafka.
    Proportional(Fraction),
    /// w x U(1, 1 + x): Kubernetes' `wait.Jitter`.
    Stretch(Fraction),
    /// w + U(0, x): urllib3's `backoff_jitter`.
    Added(Span),
    /// Exponential with mean w, without memory: the retrial times of queueing theory. A draw has 53 bits,
    /// so none is longer than 37 w.
    Exponential,
}

/// The largest share that is ever drawn.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

/// What the cap bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The wait is capped and then spread: waits at the cap stay spread out, and may pass it.
    #[default]
    AfterCap,
    /// The wait is spread and then capped: nothing passes the cap, and at the cap many wait equally
    /// long.
    BeforeCap,
}

impl Jitter {
    /// `spread`, after the cap.
    pub const fn after_cap(spread: Spread) -> Self {
        Self { spread, order: Order::AfterCap }
    }

    /// `spread`, before the cap.
    pub const fn before_cap(spread: Spread) -> Self {
        Self { spread, order: Order::BeforeCap }
    }

    /// The spread wait before retry `retry`.
    pub(super) fn draw(&self, growth: &Growth, retry: u32, bits: &mut impl Bits) -> Span {
        let share = bits.uniform();
        match self.order {
            Order::AfterCap => self.spread.at(growth.wait(retry).as_nanos() as f64, share),
            Order::BeforeCap => self.spread.at(growth.uncapped(retry), share).min(growth.cap()),
        }
    }

    /// The wait before the first retry that lies in the middle of those that can be drawn.
    pub(super) fn middle(&self, growth: &Growth) -> Span {
        self.spread.at(growth.wait(0).as_nanos() as f64, 0.5).min(growth.cap())
    }

    /// The longest wait that can be drawn.
    pub(super) fn longest(&self, growth: &Growth) -> Span {
        let longest = self.spread.at(growth.longest().as_nanos() as f64, 1.0);
        match self.order {
            Order::AfterCap => longest,
            Order::BeforeCap => longest.min(growth.cap()),
        }
    }
}

impl Spread {
    /// The wait at `share` (0 to 1) of the way from the shortest to the longest, for `wait`
    /// nanoseconds.
    fn at(self, wait: f64, share: f64) -> Span {
        Span::from_nanos_f64(match self {
            Self::Full => wait * share,
            Self::Equal => wait / 2.0 + wait / 2.0 * share,
            Self::Proportional(x) => wait * (1.0 - x.as_f64() + 2.0 * x.as_f64() * share),
            Self::Stretch(x) => wait * (1.0 + x.as_f64() * share),
            Self::Added(most) => wait + most.as_nanos() as f64 * share,
            Self::Exponential => wait * -libm::log1p(-share.min(BELOW_ONE)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::retry::Exponential;
    use crate::random::Sprout;
    use proptest::prelude::*;

    fn growth(base_ms: u64, factor: f64, cap_ms: u64) -> Growth {
        let cap = Span::from_millis(cap_ms);
        Growth::Exponential(Exponential::new(Span::from_millis(base_ms), factor, cap).unwrap())
    }

    fn tenths(tenths: u32) -> Fraction {
        Fraction::new(f64::from(tenths) / 10.0).unwrap()
    }

    fn mean_ms(jitter: Jitter, growth: &Growth, retry: u32) -> f64 {
        let mut bits = Sprout::new(1, 0);
        let draws = 1_000_000;
        let sum: f64 =
            (0..draws).map(|_| jitter.draw(growth, retry, &mut bits).as_nanos() as f64).sum();
        sum / f64::from(draws) / 1e6
    }

    /// Case B11: means to within 1 %, which is 17 standard errors of the widest.
    #[test]
    fn the_means_are_those_of_the_formulas() {
        let growth = growth(100, 2.0, 10_000);
        let check = |spread, retry, expected: f64| {
            let found = mean_ms(Jitter::after_cap(spread), &growth, retry);
            assert!((found / expected - 1.0).abs() < 0.01, "{spread:?} {retry}: {found}");
        };
        for (retry, wait) in [(0, 100.0), (1, 200.0), (2, 400.0), (50, 10_000.0)] {
            check(Spread::Full, retry, wait / 2.0);
            check(Spread::Equal, retry, wait * 0.75);
            check(Spread::Proportional(tenths(2)), retry, wait);
            check(Spread::Stretch(Fraction::ONE), retry, wait * 1.5);
            check(Spread::Added(Span::from_millis(50)), retry, wait + 25.0);
            check(Spread::Exponential, retry, wait);
        }
    }

    /// Case B05: gRPC before its change drew U(0, x), and draws x ±20 % since. Four waits of bases
    /// 0.5, 2, 5 and 5 s.
    #[test]
    fn grpc_before_and_after_its_change() {
        let growth = growth(500, 4.0, 5_000);
        let mut bits = Sprout::new(2, 0);
        let mut totals = |spread| {
            let jitter = Jitter::after_cap(spread);
            (0..100_000)
                .map(|_| {
                    (0..4).map(|n| jitter.draw(&growth, n, &mut bits).as_secs_f64()).sum::<f64>()
                })
                .collect::<Vec<_>>()
        };
        let mean = |totals: &[f64]| totals.iter().sum::<f64>() / totals.len() as f64;
        let new = totals(Spread::Proportional(tenths(2)));
        assert!(new.iter().all(|total| (10.0..=15.0).contains(total)));
        assert!((mean(&new) - 12.5).abs() < 0.05);
        let old = totals(Spread::Full);
        assert!(old.iter().all(|total| (0.0..=12.5).contains(total)));
        assert!((mean(&old) - 6.25).abs() < 0.05);
    }

    /// Three waits in a hundred are longer than 3.5 means, where every other spread has an end.
    #[test]
    fn an_exponential_wait_has_a_tail() {
        let growth = growth(100, 2.0, 10_000);
        let mut bits = Sprout::new(4, 0);
        let jitter = Jitter::after_cap(Spread::Exponential);
        let long = |_: &u32| jitter.draw(&growth, 0, &mut bits) > Span::from_millis(350);
        let share = (0..100_000).filter(long).count() as f64 / 1e5;
        assert!((share / libm::exp(-3.5) - 1.0).abs() < 0.05, "{share}");
        assert!(jitter.longest(&growth) < Span::from_secs(370));
    }

    #[test]
    fn before_the_cap_means_never_past_it() {
        let growth = growth(100, 2.0, 150);
        let spread = Spread::Stretch(Fraction::ONE);
        let mut bits = Sprout::new(3, 0);
        let mut draws = |jitter: Jitter| -> Vec<u64> {
            (0..1_000).map(|_| jitter.draw(&growth, 1, &mut bits).as_nanos() / 1_000_000).collect()
        };
        // 200 ms stretched is always past the cap of 150: all wait equally long.
        assert!(draws(Jitter::before_cap(spread)).iter().all(|&wait| wait == 150));
        let after = draws(Jitter::after_cap(spread));
        assert!(after.iter().all(|wait| (150..=300).contains(wait)));
        assert!(after.iter().max() > Some(&290) && after.iter().min() < Some(&160));
    }

    proptest! {
        #[test]
        fn waits_are_within_their_bounds_for_every_retry(
            base_ms in 0_u64..100_000, factor in 1.0..10.0_f64, cap_ms in 0_u64..10_000_000,
            retry in prop_oneof![0_u32..1_000, any::<u32>(), Just(u32::MAX)],
            x in 0.0..=1.0_f64, added in any::<u64>(), seed in any::<u64>(),
        ) {
            let growth = growth(base_ms, factor, cap_ms);
            let x = Fraction::new(x).unwrap();
            let mut bits = Sprout::new(seed, 0);
            for spread in [
                Spread::Full, Spread::Equal, Spread::Proportional(x), Spread::Stretch(x),
                Spread::Added(Span::from_nanos(added)), Spread::Exponential,
            ] {
                for order in [Order::AfterCap, Order::BeforeCap] {
                    let jitter = Jitter { spread, order };
                    let drawn = jitter.draw(&growth, retry, &mut bits);
                    prop_assert!(drawn <= jitter.longest(&growth), "{jitter:?}");
                    if order == Order::AfterCap {
                        let least = spread.at(growth.wait(retry).as_nanos() as f64, 0.0);
                        prop_assert!(drawn >= least, "{jitter:?}");
                    } else {
                        prop_assert!(drawn <= growth.cap(), "{jitter:?}");
                    }
                }
            }
        }
    }
}
