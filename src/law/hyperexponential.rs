//! How long does work take that is mostly short and sometimes long?

use std::sync::Arc;

use super::{Flaw, choose, cumulate, exponential, mean_of, positive};
use crate::random::Bits;
use crate::time::Span;

/// One of several exponential lengths.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyperexponential {
    /// Cumulated probability and mean.
    branches: Arc<[(f64, Span)]>,
    mean: Span,
}

impl Hyperexponential {
    /// The law with these weights (any unit) and means.
    ///
    /// # Errors
    /// [`Flaw::Empty`] without branches, [`Flaw::Weight`] or [`Flaw::ZeroLength`] if one is not
    /// above zero.
    pub fn new(branches: &[(f64, Span)]) -> Result<Self, Flaw> {
        for (_, mean) in branches {
            positive(*mean)?;
        }
        let branches = cumulate(branches.to_vec())?;
        let mean = Span::from_nanos_f64(mean_of(&branches, |mean| mean.as_nanos() as f64));
        Ok(Self { branches: branches.into(), mean })
    }

    /// Two branches with a given mean and squared coefficient of variation, each bringing half of the
    /// work: "balanced means" (Morse, "Queues, Inventories and Maintenance", 1958), the usual way to
    /// fit two moments with three parameters.
    ///
    /// # Errors
    /// [`Flaw::VariationTooSmall`] unless the squared coefficient of variation lies above 1 (and
    /// below 10^12, where a branch would be shorter than rounding), [`Flaw::ZeroLength`] if the mean
    /// or a branch is.
    pub fn balanced(mean: Span, squared_variation: f64) -> Result<Self, Flaw> {
        if !(squared_variation > 1.0 && squared_variation < 1e12) {
            return Err(Flaw::VariationTooSmall(squared_variation));
        }
        let tilt = ((squared_variation - 1.0) / (squared_variation + 1.0)).sqrt();
        let often = 0.5 * (1.0 + tilt);
        // 1 - often, without cancellation: (1 - tilt^2) = 2 / (c^2 + 1).
        let seldom = 1.0 / ((squared_variation + 1.0) * (1.0 + tilt));
        let half = 0.5 * positive(mean)?.as_nanos() as f64;
        let branch = |share: f64| (share, Span::from_nanos_f64(half / share));
        let law = Self::new(&[branch(often), branch(seldom)])?;
        Ok(Self { mean, ..law })
    }

    /// The mean length.
    pub const fn mean(&self) -> Span {
        self.mean
    }

    pub(super) fn sample(&self, bits: &mut impl Bits) -> Span {
        let mean = *choose(&self.branches, bits.uniform());
        exponential(mean, bits)
    }
}
