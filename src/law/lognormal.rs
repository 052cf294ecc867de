//! How long does work take whose logarithm is normal: the usual shape of measured latencies?

use super::{Flaw, normal, positive};
use crate::random::Bits;
use crate::time::Span;

/// The longest mean a law may have, in nanoseconds: about a hundred years.
const LONGEST_MEAN: f64 = 3.2e18;

/// A lognormal length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lognormal {
    /// In nanoseconds, not rounded.
    median: f64,
    sigma: f64,
    mean: Span,
}

impl Lognormal {
    /// The law with this median, and this standard deviation of the logarithm.
    ///
    /// # Errors
    /// [`Flaw::ZeroLength`] if the median is zero, [`Flaw::NotPositive`] if sigma is not a number
    /// above zero, [`Flaw::MeanOutOfRange`] if the mean passes a hundred years.
    pub fn from_median(median: Span, sigma: f64) -> Result<Self, Flaw> {
        if !(sigma.is_finite() && sigma > 0.0) {
            return Err(Flaw::NotPositive(sigma));
        }
        let median = positive(median)?.as_nanos() as f64;
        let mean = median * libm::exp(0.5 * sigma * sigma);
        if mean > LONGEST_MEAN {
            return Err(Flaw::MeanOutOfRange);
        }
        Ok(Self { median, sigma, mean: Span::from_nanos_f64(mean) })
    }

    /// The law with this mean, and this ratio of standard deviation to mean.
    ///
    /// # Errors
    /// [`Flaw::ZeroLength`] if the mean is zero, [`Flaw::NotPositive`] if the variation is not a
    /// number above zero, [`Flaw::MeanOutOfRange`] if either is so large that floats cannot hold the
    /// fit.
    pub fn from_mean(mean: Span, variation: f64) -> Result<Self, Flaw> {
        if !(variation.is_finite() && variation > 0.0) {
            return Err(Flaw::NotPositive(variation));
        }
        let nanos = positive(mean)?.as_nanos() as f64;
        let spread = 1.0 + variation * variation;
        if !spread.is_finite() || nanos > LONGEST_MEAN {
            return Err(Flaw::MeanOutOfRange);
        }
        let sigma = libm::log1p(variation * variation).sqrt();
        Ok(Self { median: nanos / spread.sqrt(), sigma, mean })
    }

    /// The mean length.
    pub const fn mean(&self) -> Span {
        self.mean
    }

    /// Standard deviation of the logarithm.
    pub const fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The length that lies `z` standard deviations of the logarithm above the median.
    pub(super) fn at(&self, z: f64) -> Span {
        Span::from_nanos_f64(self.median * libm::exp(self.sigma * z))
    }

    pub(super) fn sample(&self, bits: &mut impl Bits) -> Span {
        self.at(normal::standard(bits))
    }
}
