//! Laws of random lengths: how long work takes. One file gives one law; a new one is one variant
//! here, and the compiler lists what it must answer.
//!
//! A law costs no more draws than it needs, and every logarithm and power comes from `libm`, so that
//! one seed gives the same nanoseconds on any machine. What depends on the state of the service is no
//! law: [`policy::slowdown`](crate::policy::slowdown) multiplies what a law has drawn.

mod empirical;
mod erlang;
mod flaw;
mod hyperexponential;
mod lognormal;
mod mixture;
mod normal;
mod pareto;
mod quantiles;
#[cfg(test)]
mod tests;
mod uniform;

pub use empirical::Empirical;
pub use erlang::Erlang;
pub use flaw::Flaw;
pub use hyperexponential::Hyperexponential;
pub use lognormal::Lognormal;
pub use mixture::Mixture;
pub use pareto::BoundedPareto;
pub use quantiles::{Quantiles, Stretch};
pub use uniform::Uniform;

use crate::random::Bits;
use crate::time::Span;

/// How the length of a piece of work is distributed. Tables are shared, so that a clone is cheap.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// Always the same length.
    Fixed(Span),
    /// Exponential: without memory, coefficient of variation 1.
    Exponential {
        /// The mean length.
        mean: Span,
    },
    /// A sum of equal exponential stages: steadier than one exponential.
    Erlang(Erlang),
    /// One exponential of several, chosen anew each time: more variable than one exponential.
    Hyperexponential(Hyperexponential),
    /// The exponential of a normal: the usual shape of measured latencies.
    Lognormal(Lognormal),
    /// A power law between two ends: a heavy tail that ends somewhere.
    BoundedPareto(BoundedPareto),
    /// Any length between two ends alike.
    Uniform(Uniform),
    /// One law of several, chosen anew each time.
    Mixture(Mixture),
    /// One of the lengths that were measured.
    Empirical(Empirical),
}

impl Law {
    /// The mean length, to the nearest nanosecond. It is the closed form's, not an estimate.
    pub fn mean(&self) -> Span {
        match self {
            Self::Fixed(length) | Self::Exponential { mean: length } => *length,
            Self::Erlang(law) => law.mean(),
            Self::Hyperexponential(law) => law.mean(),
            Self::Lognormal(law) => law.mean(),
            Self::BoundedPareto(law) => law.mean(),
            Self::Uniform(law) => law.mean(),
            Self::Mixture(law) => law.mean(),
            Self::Empirical(law) => law.mean(),
        }
    }

    /// The length if it is always the same, and so needs no draw.
    #[inline]
    pub const fn constant(&self) -> Option<Span> {
        match self {
            Self::Fixed(length) => Some(*length),
            Self::Exponential { .. }
            | Self::Erlang(_)
            | Self::Hyperexponential(_)
            | Self::Lognormal(_)
            | Self::BoundedPareto(_)
            | Self::Uniform(_)
            | Self::Mixture(_)
            | Self::Empirical(_) => None,
        }
    }

    /// One length, at least a nanosecond: work of no length would let an attempt begin and end
    /// without time passing, and the order of equal instants would decide results.
    #[inline]
    pub fn sample(&self, bits: &mut impl Bits) -> Span {
        let length = match self {
            Self::Fixed(length) => *length,
            Self::Exponential { mean } => exponential(*mean, bits),
            Self::Erlang(_)
            | Self::Hyperexponential(_)
            | Self::Lognormal(_)
            | Self::BoundedPareto(_)
            | Self::Uniform(_)
            | Self::Mixture(_)
            | Self::Empirical(_) => self.composed(bits),
        };
        length.max(Span::NANOSECOND)
    }

    /// The laws made of more than one step, out of line: inlined, their registers would be saved and
    /// restored around every fixed length as well.
    #[inline(never)]
    fn composed(&self, bits: &mut impl Bits) -> Span {
        match self {
            Self::Fixed(length) => *length,
            Self::Exponential { mean } => exponential(*mean, bits),
            Self::Erlang(law) => law.sample(bits),
            Self::Hyperexponential(law) => law.sample(bits),
            Self::Lognormal(law) => law.sample(bits),
            Self::BoundedPareto(law) => law.sample(bits),
            Self::Uniform(law) => law.sample(bits),
            Self::Mixture(law) => law.sample(bits),
            Self::Empirical(law) => law.sample(bits),
        }
    }
}

#[inline]
fn exponential(mean: Span, bits: &mut impl Bits) -> Span {
    Span::from_nanos_f64(bits.exponential() * mean.as_nanos() as f64)
}

/// A mean or a scale that time can be measured by.
fn positive(length: Span) -> Result<Span, Flaw> {
    if length.is_zero() { Err(Flaw::ZeroLength) } else { Ok(length) }
}

/// Which of several, given their cumulated shares and a uniform number: the last one takes what
/// rounding left below 1.
#[inline]
fn choose<T>(branches: &[(f64, T)], uniform: f64) -> &T {
    let last = branches.len() - 1;
    let index = branches[..last].partition_point(|(share, _)| *share <= uniform);
    &branches[index].1
}

/// `weights` as cumulated shares of their sum.
fn cumulate<T>(weighted: Vec<(f64, T)>) -> Result<Vec<(f64, T)>, Flaw> {
    if weighted.is_empty() {
        return Err(Flaw::Empty);
    }
    for (position, (weight, _)) in weighted.iter().enumerate() {
        if !(weight.is_finite() && *weight > 0.0) {
            return Err(Flaw::Weight { position });
        }
    }
    let sum: f64 = weighted.iter().map(|(weight, _)| weight).sum();
    if !sum.is_finite() {
        return Err(Flaw::Weight { position: weighted.len() - 1 });
    }
    let mut so_far = 0.0;
    let cumulated = weighted.into_iter().map(|(weight, value)| {
        so_far += weight / sum;
        (so_far, value)
    });
    Ok(cumulated.collect())
}

/// The mean of values by cumulated shares.
fn mean_of<T>(branches: &[(f64, T)], mean: impl Fn(&T) -> f64) -> f64 {
    let mut before = 0.0;
    let mut sum = 0.0;
    for (share, value) in branches {
        sum += (share - before) * mean(value);
        before = *share;
    }
    sum
}
