//! How long does work take if any length between two ends is alike?

use super::{Flaw, positive};
use crate::random::Bits;
use crate::time::Span;

/// A uniform length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uniform {
    min: Span,
    max: Span,
}

impl Uniform {
    /// Any length from `min` to `max`.
    ///
    /// # Errors
    /// [`Flaw::NotLarger`] if `max` is not above `min`; [`Flaw::ZeroLength`] never, for zero is a
    /// lower end like any other.
    pub fn new(min: Span, max: Span) -> Result<Self, Flaw> {
        if max <= min {
            return Err(Flaw::NotLarger);
        }
        positive(max)?;
        Ok(Self { min, max })
    }

    /// The mean length: the middle, rounded up.
    pub fn mean(&self) -> Span {
        self.min + Span::from_nanos((self.max - self.min).as_nanos().div_ceil(2))
    }

    pub(super) fn sample(&self, bits: &mut impl Bits) -> Span {
        let width = (self.max - self.min).as_nanos() as f64;
        self.min + Span::from_nanos_f64(bits.uniform() * width)
    }
}
