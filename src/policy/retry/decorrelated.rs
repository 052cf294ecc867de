//! Waits that chance alone makes grow: each law draws from what the one before drew, or from a range
//! that doubles. None of them has a wait to which jitter could be added.
//!
//! Whose memory it is: the request's ([`Memory`]). Kept per client instead, the waits of one request
//! would make the next one start slow.

use crate::random::Bits;
use crate::time::Span;

/// What a request remembers of its earlier waits. New for each request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory(f64);

impl Memory {
    /// No wait yet.
    pub const NOTHING: Self = Self(0.0);
}

/// `min(cap, U(base, 3 x previous))`, where the first previous wait is `base`: the decorrelated
/// jitter of Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decorrelated {
    /// The shortest wait.
    pub base: Span,
    /// The longest wait.
    pub cap: Span,
}

/// `min(cap, U{0, …, (2^n - 1) x base - 1 ms})` in whole milliseconds for retry `n` = 1, 2, …: Envoy
/// (`backoff_strategy.cc` at 18a4509). The cap cuts what is drawn and not the range, so a third of
/// all waits of the default (25 ms, 250 ms) are exactly the cap from the fourth retry on. The range
/// stops doubling once it has passed the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoublingRange {
    base_ms: u64,
    cap_ms: u64,
}

/// `base / 1.4 x (f(n + U(0, 1)) - previous)` with `f(t) = 2^t x tanh(sqrt(4 t))` for retry `n` = 0,
/// 1, …, where `previous` is the value of `f` at the retry before: Polly's decorrelated jitter V2
/// (`RetryHelper.cs` at 07124ac). The median total of the first n + 1 waits is about `base x 2^n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmoothDoubling {
    /// About the median of the first wait.
    pub base: Span,
    /// The longest wait.
    pub cap: Span,
}

impl Decorrelated {
    pub(super) fn draw(self, memory: &mut Memory, bits: &mut impl Bits) -> Span {
        let base = self.base.as_nanos() as f64;
        // A wait of the request's that was shorter can only have been cut by the cap.
        let longest = 3.0 * memory.0.max(base);
        let wait = Span::from_nanos_f64(base + (longest - base) * bits.uniform()).min(self.cap);
        memory.0 = wait.as_nanos() as f64;
        wait
    }
}

impl DoublingRange {
    /// Waits from ranges of `base`, 3 `base`, 7 `base`, … up to `cap`.
    ///
    /// None unless both are whole milliseconds, `base` is not zero and `cap` is not shorter.
    pub fn new(base: Span, cap: Span) -> Option<Self> {
        let milli = Span::from_millis(1);
        let (base_ms, cap_ms) = (milli.times_in(base), milli.times_in(cap));
        let whole =
            Span::from_millis(base_ms) == base && Span::from_millis(cap_ms) == cap && base_ms > 0;
        (whole && base <= cap).then_some(Self { base_ms, cap_ms })
    }

    pub(super) fn draw(self, retry: u32, bits: &mut impl Bits) -> Span {
        let range = self.range_ms(retry);
        Span::from_millis((bits.bits() % range).min(self.cap_ms))
    }

    fn range_ms(self, retry: u32) -> u64 {
        let mut range = self.base_ms;
        for _ in 0..retry {
            if range > self.cap_ms {
                break;
            }
            range = 2 * range + self.base_ms;
        }
        range
    }

    pub(super) const fn base(self) -> Span {
        Span::from_millis(self.base_ms)
    }

    pub(super) const fn cap(self) -> Span {
        Span::from_millis(self.cap_ms)
    }
}

impl SmoothDoubling {
    /// From here on the formula leaves the range of floats, and every wait has long been the cap.
    const LAST: u32 = 1_000;

    pub(super) fn draw(self, retry: u32, memory: &mut Memory, bits: &mut impl Bits) -> Span {
        let t = f64::from(retry) + bits.uniform();
        if retry > Self::LAST {
            return self.cap;
        }
        let next = libm::exp2(t) * libm::tanh((4.0 * t).sqrt());
        let wait = (next - memory.0) / 1.4 * self.base.as_nanos() as f64;
        memory.0 = next;
        Span::from_nanos_f64(wait).min(self.cap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Sprout;
    use proptest::prelude::*;

    const SEQUENCES: u32 = 1_000_000;

    fn ms(wait: Span) -> f64 {
        wait.as_nanos() as f64 / 1e6
    }

    /// Case B11: E[next] = (base + 3 E[previous]) / 2.
    #[test]
    fn decorrelated_waits_follow_their_recurrence() {
        let law = Decorrelated { base: Span::from_millis(100), cap: Span::from_secs(10) };
        let mut bits = Sprout::new(1, 0);
        let mut sums = [0.0; 3];
        let mut fell = 0;
        for _ in 0..SEQUENCES {
            let mut memory = Memory::default();
            let waits = [(); 3].map(|()| ms(law.draw(&mut memory, &mut bits)));
            for (most, wait) in [300.0, 900.0, 2_700.0].into_iter().zip(waits) {
                assert!((100.0..=most).contains(&wait), "{wait} {most}");
            }
            fell += u32::from(waits[1] < waits[0]);
            sums.iter_mut().zip(waits).for_each(|(sum, wait)| *sum += wait);
        }
        for (sum, expected) in sums.into_iter().zip([200.0, 350.0, 575.0]) {
            let mean = sum / f64::from(SEQUENCES);
            assert!((mean / expected - 1.0).abs() < 0.01, "{mean} {expected}");
        }
        assert!(fell > SEQUENCES / 10, "a later wait may be shorter: {fell}");
    }

    /// Case B03.
    #[test]
    fn envoy_caps_the_draw_and_not_the_range() {
        let law = DoublingRange::new(Span::from_millis(25), Span::from_millis(250)).unwrap();
        assert_eq!(
            [0, 1, 2, 3, 4, u32::MAX].map(|n| law.range_ms(n)),
            [25, 75, 175, 375, 375, 375]
        );
        let mut bits = Sprout::new(1, 0);
        for (retry, most, mean) in
            [(0, 24, 12.0), (1, 74, 37.0), (2, 174, 87.0), (3, 250, 166.33), (9, 250, 166.33)]
        {
            let (mut sum, mut at_cap, mut longest) = (0.0, 0, 0);
            for _ in 0..SEQUENCES {
                let wait = law.draw(retry, &mut bits).as_nanos() / 1_000_000;
                sum += wait as f64;
                at_cap += u32::from(wait == 250);
                longest = longest.max(wait);
            }
            assert_eq!(longest, most);
            assert!((sum / f64::from(SEQUENCES) / mean - 1.0).abs() < 0.005, "{retry}");
            if retry >= 3 {
                let share = f64::from(at_cap) / f64::from(SEQUENCES);
                assert!((share - 1.0 / 3.0).abs() < 0.003, "{share}");
            }
        }
    }

    #[test]
    fn envoy_counts_whole_milliseconds() {
        let micros = |n: u64| Span::from_nanos(n * 1_000);
        for (base, cap) in
            [(micros(500), micros(5_000)), (micros(0), micros(0)), (micros(2_000), micros(1_000))]
        {
            assert_eq!(DoublingRange::new(base, cap), None);
        }
    }

    /// The fingerprint of .NET's standard handler: base 2 s, three retries.
    #[test]
    fn polly_spreads_without_gaps() {
        let law = SmoothDoubling { base: Span::from_secs(2), cap: Span::MAX };
        let mut bits = Sprout::new(1, 0);
        let mut firsts: Vec<f64> = Vec::new();
        for _ in 0..100_000 {
            let mut memory = Memory::default();
            let mut total = 0.0;
            let totals = [0, 1, 2].map(|n| {
                total += law.draw(n, &mut memory, &mut bits).as_secs_f64();
                total
            });
            assert!(totals[0] < 2.76);
            assert!((2.75..5.68).contains(&totals[1]));
            assert!((5.67..11.41).contains(&totals[2]));
            firsts.push(totals[0]);
        }
        // f(1/2) / 1.4 x 2 s, by hand: sqrt(2) x tanh(sqrt(2)) / 1.4 x 2.
        firsts.sort_by(f64::total_cmp);
        let median = firsts[firsts.len() / 2];
        assert!((median - 1.795).abs() < 0.02, "{median}");
    }

    proptest! {
        #[test]
        fn no_wait_passes_its_cap_at_any_retry(
            base_ms in 1_u64..1_000_000, over in 0_u64..1_000_000, seed in any::<u64>(),
            start in prop_oneof![Just(0_u32), 900_u32..1_100, Just(u32::MAX - 20)],
        ) {
            let (base, cap) = (Span::from_millis(base_ms), Span::from_millis(base_ms + over));
            let mut bits = Sprout::new(seed, 0);
            let (mut of_decorrelated, mut of_smooth) = (Memory::default(), Memory::default());
            for retry in start..start + 20 {
                let wait = Decorrelated { base, cap }.draw(&mut of_decorrelated, &mut bits);
                prop_assert!(base <= wait && wait <= cap);
                prop_assert!(DoublingRange::new(base, cap).unwrap().draw(retry, &mut bits) <= cap);
                let wait = SmoothDoubling { base, cap }.draw(retry, &mut of_smooth, &mut bits);
                prop_assert!(wait <= cap);
            }
        }
    }
}
