//! Which law has the quantiles that a dashboard shows?
//!
//! A lognormal has two parameters, so the median and the 99th percentile fix it. A 90th percentile
//! that is also known says how far to trust the fit: it is compared, never averaged in.

use super::{Flaw, Lognormal, positive};
use crate::time::Span;

/// How many standard deviations above the mean the 90th and the 99th percentile of a normal lie.
const Z90: f64 = 1.281_551_565_544_600_4;
const Z99: f64 = 2.326_347_874_040_840_8;

/// A lognormal law through measured quantiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantiles {
    law: Lognormal,
    stretch: Option<Stretch>,
}

/// A quantile that the fit was not made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// As it was measured.
    pub measured: Span,
    /// As the fit has it.
    pub fitted: Span,
}

impl Quantiles {
    /// The lognormal law with this median and 99th percentile; `p90` is only compared.
    ///
    /// # Errors
    /// [`Flaw::ZeroLength`] if the median is zero, [`Flaw::NotLarger`] unless p50 < p90 < p99,
    /// [`Flaw::MeanOutOfRange`] if the tail is so long that the mean passes a hundred years.
    pub fn fit(p50: Span, p90: Option<Span>, p99: Span) -> Result<Self, Flaw> {
        positive(p50)?;
        if p99 <= p50 || p90.is_some_and(|p90| p90 <= p50 || p99 <= p90) {
            return Err(Flaw::NotLarger);
        }
        let sigma = libm::log(p99.as_nanos() as f64 / p50.as_nanos() as f64) / Z99;
        let law = Lognormal::from_median(p50, sigma)?;
        let stretch = p90.map(|measured| Stretch { measured, fitted: law.at(Z90) });
        Ok(Self { law, stretch })
    }

    /// The law.
    pub const fn law(&self) -> Lognormal {
        self.law
    }

    /// The 90th percentile, measured and fitted, if it was given.
    pub const fn p90(&self) -> Option<Stretch> {
        self.stretch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Span {
        Span::from_millis(millis)
    }

    #[test]
    fn the_fit_passes_through_both_quantiles() {
        let fit = Quantiles::fit(ms(8), Some(ms(24)), ms(60)).unwrap();
        assert_eq!(fit.law().at(0.0), ms(8));
        assert_eq!(fit.law().at(Z99), ms(60));
        // ln(7.5) / 2.3263 = 0.8661; 8 exp(0.8661^2 / 2) = 11.64; 8 exp(1.2816 x 0.8661) = 24.27.
        assert!((fit.law().sigma() - 0.866_13).abs() < 1e-5);
        assert!((fit.law().mean().as_secs_f64() - 0.011_641).abs() < 1e-6);
        let p90 = fit.p90().unwrap();
        assert_eq!(p90.measured, ms(24));
        assert!((p90.fitted.as_secs_f64() - 0.024_274).abs() < 1e-6);
    }

    #[test]
    fn the_normal_quantiles_are_right() {
        for (z, share) in [(Z90, 0.1), (Z99, 0.01)] {
            let above = 0.5 * libm::erfc(z / std::f64::consts::SQRT_2);
            assert!((above - share).abs() < 1e-15, "{above}");
        }
    }

    #[test]
    fn quantiles_must_grow() {
        let check = |p50, p90, p99, flaw| assert_eq!(Quantiles::fit(p50, p90, p99), Err(flaw));
        check(Span::ZERO, None, ms(1), Flaw::ZeroLength);
        check(ms(2), None, ms(2), Flaw::NotLarger);
        check(ms(2), Some(ms(2)), ms(3), Flaw::NotLarger);
        check(ms(2), Some(ms(3)), ms(3), Flaw::NotLarger);
        check(Span::NANOSECOND, None, Span::MAX, Flaw::MeanOutOfRange);
    }
}
