//! Instants and lengths of simulated time, both whole nanoseconds.
//!
//! [`Time`] is an instant since the start of the run, [`Span`] a length. They are different types, so
//! adding two instants does not compile, and no float ever decides which of two events comes first.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// An instant: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than everything that happens.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }

    /// The length from `earlier` to `self`; zero if `earlier` is in fact later.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest length there is, 584 years.
    pub const MAX: Self = Self(u64::MAX);
    /// The shortest length that is not zero.
    pub const NANOSECOND: Self = Self(1);

    /// A length of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A length of `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// A length of `secs` whole seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * NANOS_PER_SECOND)
    }

    /// The nearest whole nanosecond to `secs` seconds; negative lengths become zero, and what does
    /// not fit becomes [`Span::MAX`].
    pub fn from_secs_f64(secs: f64) -> Self {
        Self::from_nanos_f64(secs * NANOS_PER_SECOND as f64)
    }

    /// The nearest whole nanosecond to `nanos`; negative lengths become zero, and what does not fit
    /// becomes [`Span::MAX`].
    #[inline]
    pub fn from_nanos_f64(nanos: f64) -> Self {
        // Up to here a double has all whole numbers, and beyond it no others: a sum with it is rounded to
        // a whole one, which stands in its last bits. Both conversions cost more than that.
        const WHOLE: f64 = (1_u64 << 52) as f64;
        if (0.0..WHOLE).contains(&nanos) {
            let sum = nanos + WHOLE;
            // What lies half-way is rounded to the even one of the two.
            let is_below = nanos - (sum - WHOLE) >= 0.5;
            return Self(sum.to_bits() - WHOLE.to_bits() + u64::from(is_below));
        }
        // What `round` gives, without a call into the platform.
        let whole = nanos as u64;
        Self(whole.saturating_add(u64::from(nanos - whole as f64 >= 0.5)))
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }

    /// Whether the length is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The product, or [`Span::MAX`] where it does not fit.
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// The length less another one, or zero where that is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// How many whole times `self` fits into `whole`.
    ///
    /// # Panics
    /// If `self` is zero.
    pub const fn times_in(self, whole: Self) -> u64 {
        whole.0 / self.0
    }
}

/// Saturates at [`Time::NEVER`]: an event past the end of time is an event that never happens.
impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

impl Sub for Span {
    type Output = Self;
    /// # Panics
    /// In tests, if `other` is the longer one: a negative length is a broken invariant.
    fn sub(self, other: Self) -> Self {
        debug_assert!(self.0 >= other.0, "a length cannot be negative");
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Span {
    /// The shortest spelling in one unit that loses nothing: `1.25s`, `100ms`, `30us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            0 => return f.write_str("0s"),
            n if n >= NANOS_PER_SECOND => (NANOS_PER_SECOND, "s"),
            n if n >= 1_000_000 => (1_000_000, "ms"),
            n if n >= 1_000 => (1_000, "us"),
            _ => (1, "ns"),
        };
        let (whole, rest) = (self.0 / unit, self.0 % unit);
        write!(f, "{whole}")?;
        if rest > 0 {
            let digits = format!("{:0width$}", rest, width = (unit.ilog10()) as usize);
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        f.write_str(name)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Span(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_spelled_without_loss() {
        let check = |nanos: u64, expected: &str| assert_eq!(Span(nanos).to_string(), expected);
        check(0, "0s");
        check(7, "7ns");
        check(1_500, "1.5us");
        check(100_000_000, "100ms");
        check(1_250_000_000, "1.25s");
        check(60_000_000_001, "60.000000001s");
    }

    #[test]
    fn sums_saturate_instead_of_wrapping() {
        assert_eq!(Time::NEVER + Span::MAX, Time::NEVER);
        assert_eq!(Span::MAX + Span::NANOSECOND, Span::MAX);
        assert_eq!(Span::from_secs(2).saturating_mul(u64::MAX), Span::MAX);
    }

    #[test]
    fn floats_round_to_the_nearest_nanosecond() {
        assert_eq!(Span::from_secs_f64(0.1), Span::from_millis(100));
        assert_eq!(Span::from_secs_f64(-1.0), Span::ZERO);
        assert_eq!(Span::from_secs_f64(1e300), Span::MAX);
    }
}
