//! Why numbers make no law.

use std::fmt;

/// What is wrong with the parameters of a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flaw {
    /// A mean, median, minimum or quantile is zero.
    ZeroLength,
    /// A length that must be larger than another is not: a maximum or a higher quantile.
    NotLarger,
    /// A sum of no stages, or of more than 4 billion.
    Stages,
    /// A coefficient of variation, a sigma or an exponent is not a finite number above zero.
    NotPositive(f64),
    /// Hyperexponential work varies more than exponential work: its squared coefficient of variation
    /// is above 1 (and below 10^12).
    VariationTooSmall(f64),
    /// The law's mean is not a length that can be told apart from zero or from for ever.
    MeanOutOfRange,
    /// No branch, or no value.
    Empty,
    /// A weight is not a finite number above zero.
    Weight {
        /// Which one, from 0.
        position: usize,
    },
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroLength => f.write_str("must be longer than zero"),
            Self::NotLarger => f.write_str("must be longer than the one below it"),
            Self::Stages => f.write_str("needs at least one stage"),
            Self::NotPositive(found) => write!(f, "must be a number above zero, not {found}"),
            Self::VariationTooSmall(found) => write!(
                f,
                "needs a squared coefficient of variation above 1, not {found}: \
                 exponential has 1, Erlang less"
            ),
            Self::MeanOutOfRange => f.write_str("has a mean outside of 1 ns to 100 years"),
            Self::Empty => f.write_str("needs at least one"),
            Self::Weight { position } => {
                write!(f, "needs weights above zero; number {} is not", position + 1)
            }
        }
    }
}

impl std::error::Error for Flaw {}
