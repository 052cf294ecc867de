//! Quantities that cannot be built wrong.

use std::fmt;

/// Events per second: finite and above zero.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate(f64);

impl Rate {
    /// `per_second`, if it is finite and above zero.
    pub fn new(per_second: f64) -> Option<Self> {
        (per_second.is_finite() && per_second > 0.0).then_some(Self(per_second))
    }

    /// Events per second.
    pub const fn per_second(self) -> f64 {
        self.0
    }

    /// Mean nanoseconds from one event to the next.
    pub fn mean_gap_nanos(self) -> f64 {
        1e9 / self.0
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", self.0)
    }
}

/// A share of a whole, from 0 to 1.
///
/// Kept as parts per billion, so that `0.1` is exactly one tenth and comparisons with counts are
/// done in whole numbers: a budget of one tenth grants the tenth send and not the eleventh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fraction(u32);

const BILLION: u32 = 1_000_000_000;

impl Fraction {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// All of it.
    pub const ONE: Self = Self(BILLION);
    /// One half.
    pub const HALF: Self = Self(BILLION / 2);
    /// 0.9.
    pub const NINE_TENTHS: Self = Self(900_000_000);

    /// `share`, if it lies from 0 to 1; rounded to the nearest billionth.
    pub fn new(share: f64) -> Option<Self> {
        (0.0..=1.0).contains(&share).then(|| Self((share * f64::from(BILLION)).round() as u32))
    }

    /// `part` of `whole`, if it is at most the whole and the whole is not zero; rounded down to a
    /// billionth. For constants.
    pub const fn ratio(part: u32, whole: u32) -> Option<Self> {
        if whole == 0 || part > whole {
            return None;
        }
        Some(Self((part as u64 * BILLION as u64 / whole as u64) as u32))
    }

    /// The share as a number from 0 to 1.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(BILLION)
    }

    /// What is left of the whole.
    #[must_use]
    pub const fn complement(self) -> Self {
        Self(BILLION - self.0)
    }

    /// This share of `whole`, rounded down.
    pub const fn floor_of(self, whole: u64) -> u64 {
        (whole as u128 * self.0 as u128 / BILLION as u128) as u64
    }

    /// Whether `part` is at most this share of `whole`.
    pub const fn covers(self, part: u64, whole: u64) -> bool {
        part as u128 * BILLION as u128 <= whole as u128 * self.0 as u128
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.as_f64() * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shares_are_fractions() {
        for wrong in [-0.1, 1.000_1, 30.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Fraction::new(wrong), None, "{wrong}");
        }
        assert_eq!(Fraction::new(1.0), Some(Fraction::ONE));
        assert_eq!(Fraction::ratio(9, 10), Some(Fraction::NINE_TENTHS));
        assert_eq!((Fraction::ratio(2, 1), Fraction::ratio(0, 0)), (None, None));
    }

    #[test]
    fn a_tenth_covers_exactly_one_in_ten() {
        let tenth = Fraction::new(0.1).unwrap();
        assert!(tenth.covers(1, 10));
        assert!(!tenth.covers(1, 9));
        assert!(!tenth.covers(2, 19));
        assert!(tenth.covers(2, 20));
        assert!(tenth.covers(u64::MAX / 10, u64::MAX));
    }

    #[test]
    fn a_share_of_a_count_is_rounded_down() {
        let fifth = Fraction::new(0.2).unwrap();
        assert_eq!([0, 4, 5, 25, 29].map(|whole| fifth.floor_of(whole)), [0, 0, 1, 5, 5]);
        assert_eq!(Fraction::ONE.floor_of(u64::MAX), u64::MAX);
    }

    #[test]
    fn only_positive_finite_rates_exist() {
        for wrong in [0.0, -3.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Rate::new(wrong), None, "{wrong}");
        }
    }
}
