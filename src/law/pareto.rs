//! How long does work take that follows a power law between two ends?

use super::{Flaw, positive};
use crate::random::Bits;
use crate::time::Span;

/// A Pareto length cut off above (and normalised again): density ~ x^(-1 - alpha) on `[min, max]`.
/// Without an upper end its mean is infinite for alpha <= 1, and no service has a capacity then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundedPareto {
    /// In nanoseconds.
    min: f64,
    max: f64,
    /// 1 - (min / max)^alpha: how much of the whole Pareto law lies below the upper end.
    kept: f64,
    exponent: f64,
    mean: Span,
}

impl BoundedPareto {
    /// The law with this tail exponent and these ends.
    ///
    /// # Errors
    /// [`Flaw::NotPositive`] if alpha is not a number above zero, [`Flaw::ZeroLength`] if the lower
    /// end is zero, [`Flaw::NotLarger`] if the upper end is not above it.
    pub fn new(alpha: f64, min: Span, max: Span) -> Result<Self, Flaw> {
        if !(alpha.is_finite() && alpha > 0.0) {
            return Err(Flaw::NotPositive(alpha));
        }
        positive(min)?;
        if max <= min {
            return Err(Flaw::NotLarger);
        }
        let (min, max) = (min.as_nanos() as f64, max.as_nanos() as f64);
        let log_ratio = libm::log(min / max);
        let kept = -libm::expm1(alpha * log_ratio);
        // The integral of x^(-alpha) over the range, divided by min^(1 - alpha): through expm1 it
        // passes smoothly through alpha = 1, where it is a logarithm.
        let steepness = alpha - 1.0;
        let integral = if steepness == 0.0 {
            -log_ratio
        } else {
            -libm::expm1(steepness * log_ratio) / steepness
        };
        if kept <= 0.0 {
            // So flat an exponent that floats cannot tell the law from its ends.
            return Err(Flaw::NotPositive(alpha));
        }
        let mean = Span::from_nanos_f64(min * alpha * integral / kept);
        Ok(Self { min, max, kept, exponent: -1.0 / alpha, mean })
    }

    /// The mean length.
    pub const fn mean(&self) -> Span {
        self.mean
    }

    pub(super) fn sample(&self, bits: &mut impl Bits) -> Span {
        let above = 1.0 - bits.uniform() * self.kept;
        // Rounding must not carry the last draws past the upper end.
        Span::from_nanos_f64((self.min * libm::pow(above, self.exponent)).min(self.max))
    }
}
