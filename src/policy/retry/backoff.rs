//! How long does a client wait before a retry?
//!
//! Whose memory it is: the request's, through the number of retries made so far.

use crate::time::Span;

/// The wait before retry number `n`, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Backoff {
    /// No wait.
    Immediate,
    /// The same wait every time.
    Fixed(Span),
    /// A wait that grows by a factor up to a cap.
    Exponential(Exponential),
}

/// `min(cap, base x factor^n)` for retry `n` = 0, 1, 2, …
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    base: Span,
    factor: f64,
    cap: Span,
    /// The first retry from which the cap holds; growth is not computed past it, so that no
    /// exponent overflows.
    capped_from: u32,
}

impl Exponential {
    /// A back-off from `base`, growing by `factor` (at least 1), never longer than `cap`.
    ///
    /// None if `factor` is below 1 or not finite.
    pub fn new(base: Span, factor: f64, cap: Span) -> Option<Self> {
        if !(factor.is_finite() && factor >= 1.0) {
            return None;
        }
        let mut wait = base.as_nanos() as f64;
        let mut capped_from = 0;
        if factor > 1.0 && !base.is_zero() {
            while wait < cap.as_nanos() as f64 {
                wait *= factor;
                capped_from += 1;
            }
        } else if base < cap {
            capped_from = u32::MAX;
        }
        Some(Self { base, factor, cap, capped_from })
    }

    fn wait(&self, retry: u32) -> Span {
        if retry >= self.capped_from {
            return self.cap;
        }
        if self.capped_from == u32::MAX {
            return self.base;
        }
        let growth = (0..retry).fold(1.0, |growth, _| growth * self.factor);
        Span::from_nanos_f64(self.base.as_nanos() as f64 * growth).min(self.cap)
    }
}

impl Backoff {
    /// The wait before retry number `retry`, counted from zero.
    #[inline]
    pub fn wait(&self, retry: u32) -> Span {
        match self {
            Self::Immediate => Span::ZERO,
            Self::Fixed(wait) => *wait,
            Self::Exponential(exponential) => exponential.wait(retry),
        }
    }

    /// The wait if it is always the same.
    pub const fn constant(&self) -> Option<Span> {
        match self {
            Self::Immediate => Some(Span::ZERO),
            Self::Fixed(wait) => Some(*wait),
            Self::Exponential(_) => None,
        }
    }

    /// The longest wait there can be.
    pub fn longest(&self) -> Span {
        match self {
            Self::Immediate => Span::ZERO,
            Self::Fixed(wait) => *wait,
            Self::Exponential(exponential) => exponential.wait(u32::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// aws-sdk-java #874, Polly.Contrib.WaitAndRetry #24, twitter/hbc #167: doubling without a guard
    /// goes negative or to zero at some exponent.
    #[test]
    fn growth_stops_at_the_cap_for_every_exponent() {
        let found = waits(100, 2.0, 20_000, 0..1_000);
        assert_eq!(found[..9], [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 20_000]);
        assert!(found[8..].iter().all(|&wait| wait == 20_000));
        let found = waits(5_000, 2.0, 1_200_000, 0..1_000);
        assert_eq!(found[7..9], [640_000, 1_200_000]);
        assert!(found.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!(waits(5_000, 2.0, 1_200_000, u32::MAX..=u32::MAX), [1_200_000]);
    }

    #[test]
    fn a_factor_of_one_never_grows_and_a_base_above_the_cap_is_cut() {
        assert_eq!(waits(50, 1.0, 400, 0..3), [50, 50, 50]);
        assert_eq!(waits(500, 2.0, 400, 0..3), [400, 400, 400]);
        assert_eq!(waits(0, 2.0, 400, 0..3), [0, 0, 0]);
    }

    #[test]
    fn shrinking_is_refused() {
        for factor in [0.5, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Exponential::new(Span::from_secs(1), factor, Span::from_secs(9)), None);
        }
    }
}
