//! How often is each key asked for?
//!
//! Whose memory it is: nobody's. No table: a draw costs the same for ten keys and for ten million.

use std::num::NonZeroU32;

use crate::random::Bits;

/// How often each key is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Popularity {
    /// All as often.
    Uniform,
    /// The k-th in proportion to k to the power of minus the exponent (Zipf's law).
    Zipf(Exponent),
}

/// The exponent of Zipf's law: finite and above zero. Requests to web sites have 0.6 to 0.9 (Breslau
/// et al., "Web Caching and Zipf-like Distributions", INFOCOM 1999).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponent(f64);

impl Exponent {
    /// `exponent`, if it is finite and above zero.
    pub fn new(exponent: f64) -> Option<Self> {
        (exponent.is_finite() && exponent > 0.0).then_some(Self(exponent))
    }
}

/// Where keys are drawn from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Urn {
    Uniform { count: u32 },
    Zipf(Zipf),
}

impl Urn {
    pub(super) fn new(popularity: Popularity, count: NonZeroU32) -> Self {
        match popularity {
            Popularity::Uniform => Self::Uniform { count: count.get() },
            Popularity::Zipf(exponent) => Self::Zipf(Zipf::new(exponent, count.get())),
        }
    }

    /// A key, from zero.
    #[inline]
    pub(super) fn draw(&self, bits: &mut impl Bits) -> u32 {
        match self {
            Self::Uniform { count } => {
                ((u128::from(bits.bits()) * u128::from(*count)) >> 64) as u32
            }
            Self::Zipf(zipf) => zipf.draw(bits),
        }
    }
}

/// Rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from
/// monotone discrete distributions", ACM TOMACS 6(3), 1996): a point under the curve x^-s, whose
/// area from k - 1/2 to k + 1/2 is more than k^-s by little, so that few points are thrown away.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zipf {
    exponent: f64,
    count: u32,
    /// The area up to where the first key's own bar begins, and up to the end.
    from: f64,
    to: f64,
    /// Whoever lies as close below its key's number is taken without another look.
    squeeze: f64,
}

impl Zipf {
    fn new(exponent: Exponent, count: u32) -> Self {
        let mut zipf = Self { exponent: exponent.0, count, from: 0.0, to: 0.0, squeeze: 0.0 };
        zipf.from = zipf.area(1.5) - 1.0;
        zipf.to = zipf.area(f64::from(count) + 0.5);
        zipf.squeeze = 2.0 - zipf.area_to(zipf.area(2.5) - zipf.height(2.0));
        zipf
    }

    fn draw(&self, bits: &mut impl Bits) -> u32 {
        loop {
            let area = self.to + bits.uniform() * (self.from - self.to);
            let x = self.area_to(area);
            let key = x.round().clamp(1.0, f64::from(self.count));
            if key - x <= self.squeeze || area >= self.area(key + 0.5) - self.height(key) {
                return key as u32 - 1;
            }
        }
    }

    /// x^-s.
    fn height(&self, x: f64) -> f64 {
        libm::exp(-self.exponent * libm::log(x))
    }

    /// The area under the curve from 1 to x: (x^(1-s) - 1) / (1 - s), and ln x where s is 1.
    fn area(&self, x: f64) -> f64 {
        let log = libm::log(x);
        log * over_itself(libm::expm1, (1.0 - self.exponent) * log)
    }

    /// The x up to which the area is this.
    fn area_to(&self, area: f64) -> f64 {
        // Rounding may take it past the pole.
        let stretched = (area * (1.0 - self.exponent)).max(-1.0);
        libm::exp(area * over_itself(libm::log1p, stretched))
    }
}

/// `function(x) / x` for a function that is x near zero: 1 there, instead of 0 / 0.
fn over_itself(function: fn(f64) -> f64, x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { function(x) / x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    /// Each key's share of 400,000 draws within 4.5 standard errors of its own.
    #[test]
    fn shares_follow_the_law() {
        const DRAWS: u32 = 400_000;
        let check = |popularity, count: u32, weight: &dyn Fn(f64) -> f64| {
            let urn = Urn::new(popularity, NonZeroU32::new(count).unwrap());
            let mut bits = Stream::new(2, Purpose::Requests, "keys");
            let mut drawn = vec![0.0; count as usize];
            (0..DRAWS).for_each(|_| drawn[urn.draw(&mut bits) as usize] += 1.0);
            let total: f64 = (1..=count).map(|key| weight(f64::from(key))).sum();
            for (key, found) in (1..=count).zip(drawn) {
                let share = weight(f64::from(key)) / total;
                let expected = share * f64::from(DRAWS);
                let error = (expected * (1.0 - share)).sqrt().max(0.5);
                let off = (found - expected).abs();
                assert!(off <= 4.5 * error, "{popularity:?} {count} {key}: {found} {expected}");
            }
        };
        check(Popularity::Uniform, 7, &|_| 1.0);
        check(Popularity::Uniform, 1, &|_| 1.0);
        for exponent in [0.2, 0.8, 1.0, 1.000_000_1, 1.3, 3.0] {
            let zipf = Popularity::Zipf(Exponent::new(exponent).unwrap());
            for count in [1, 2, 50] {
                check(zipf, count, &|key| libm::pow(key, -exponent));
            }
        }
    }

    /// However large it is, and however steep, a draw ends and is a key.
    #[test]
    fn extremes_are_keys() {
        for exponent in [1e-9, 1.0, 30.0, 1e6] {
            for count in [1, 2, u32::MAX] {
                let popularity = Popularity::Zipf(Exponent::new(exponent).unwrap());
                let urn = Urn::new(popularity, NonZeroU32::new(count).unwrap());
                let mut bits = Stream::new(2, Purpose::Requests, "keys");
                let drawn = (0..1_000).map(|_| urn.draw(&mut bits)).max().unwrap();
                assert!(drawn < count, "{exponent} {count}: {drawn}");
            }
        }
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Exponent::new(wrong), None);
        }
    }
}
