//! How long does work take that was measured?

use std::sync::Arc;

use super::{Flaw, positive};
use crate::random::Bits;
use crate::time::Span;

/// One of the measured lengths, each as likely as it is frequent among them: the inverse of their
/// distribution function. Nothing is interpolated, so the mean, every moment and the largest value
/// are those of the measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Empirical {
    sorted: Arc<[Span]>,
    mean: Span,
}

impl Empirical {
    /// The law of these lengths, in any order.
    ///
    /// # Errors
    /// [`Flaw::Empty`] without values, [`Flaw::ZeroLength`] if all of them are zero.
    pub fn new(mut measured: Vec<Span>) -> Result<Self, Flaw> {
        if measured.is_empty() {
            return Err(Flaw::Empty);
        }
        // Sorted, so that the order in which a file lists them changes nothing, and so that one
        // uniform number gives monotone lengths.
        measured.sort_unstable();
        let sum: u128 = measured.iter().map(|length| u128::from(length.as_nanos())).sum();
        let count = measured.len() as u128;
        let mean = Span::from_nanos(((sum + count / 2) / count) as u64);
        Ok(Self { mean: positive(mean)?, sorted: measured.into() })
    }

    /// The mean of the measured lengths.
    pub const fn mean(&self) -> Span {
        self.mean
    }

    /// How many were measured.
    pub fn count(&self) -> usize {
        self.sorted.len()
    }

    pub(super) fn sample(&self, bits: &mut impl Bits) -> Span {
        let count = self.sorted.len() as u128;
        // The high half of a product: a uniform index without a division and without a float.
        let index = (u128::from(bits.bits()) * count) >> 64;
        self.sorted[index as usize]
    }
}
