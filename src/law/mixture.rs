//! How long does work take that follows one law for some attempts and another for the rest?

use std::sync::Arc;

use super::{Flaw, Law, choose, cumulate, mean_of};
use crate::random::Bits;
use crate::time::Span;

/// One of several laws, chosen by weight for each attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Cumulated probability and law.
    branches: Arc<[(f64, Law)]>,
    mean: Span,
}

impl Mixture {
    /// The mixture with these weights (any unit): hits at 1 ms and misses at 20 ms, say.
    ///
    /// # Errors
    /// [`Flaw::Empty`] without laws, [`Flaw::Weight`] if a weight is not above zero.
    pub fn new(branches: Vec<(f64, Law)>) -> Result<Self, Flaw> {
        let branches = cumulate(branches)?;
        let mean = Span::from_nanos_f64(mean_of(&branches, |law| law.mean().as_nanos() as f64));
        Ok(Self { branches: branches.into(), mean })
    }

    /// The mean length.
    pub const fn mean(&self) -> Span {
        self.mean
    }

    pub(super) fn sample(&self, bits: &mut impl Bits) -> Span {
        choose(&self.branches, bits.uniform()).sample(bits)
    }
}
