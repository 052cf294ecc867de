//! Laws of random lengths: how long work takes. A new law is one variant here and the compiler
//! lists what it must answer.

use crate::random::Bits;
use crate::time::Span;

/// How the length of a piece of work is distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Always the same length.
    Fixed(Span),
    /// Exponential: without memory, coefficient of variation 1.
    Exponential {
        /// The mean length.
        mean: Span,
    },
}

impl Law {
    /// The mean length.
    pub const fn mean(self) -> Span {
        match self {
            Self::Fixed(length) | Self::Exponential { mean: length } => length,
        }
    }

    /// The length if it is always the same, and so needs no draw.
    pub const fn constant(self) -> Option<Span> {
        match self {
            Self::Fixed(length) => Some(length),
            Self::Exponential { .. } => None,
        }
    }

    /// One length, at least a nanosecond: work of no length would let an attempt begin and end
    /// without time passing, and the order of equal instants would decide results.
    pub fn sample(self, bits: &mut impl Bits) -> Span {
        let length = match self {
            Self::Fixed(length) => length,
            Self::Exponential { mean } => {
                Span::from_nanos_f64(bits.exponential() * mean.as_nanos() as f64)
            }
        };
        length.max(Span::NANOSECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn the_sample_mean_is_the_mean() {
        let mut stream = Stream::new(3, Purpose::Requests, "law");
        let law = Law::Exponential { mean: Span::from_millis(10) };
        let total: u64 = (0..1_000_000).map(|_| law.sample(&mut stream).as_nanos()).sum();
        let mean_ms = total as f64 / 1e6 / 1e6;
        assert!((mean_ms - 10.0).abs() < 0.04, "{mean_ms}");
    }
}
