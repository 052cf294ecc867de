//! How long do several equal steps take, one after the other, each of exponential length?

use std::num::NonZeroU32;

use super::{Flaw, normal, positive};
use crate::random::Bits;
use crate::time::Span;

/// The sum of `stages` exponential lengths with a given mean of the sum. Its squared coefficient of
/// variation is 1 / `stages`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Erlang {
    stages: NonZeroU32,
    mean: Span,
}

impl Erlang {
    /// The sum of `stages` lengths, `mean` in all.
    ///
    /// # Errors
    /// [`Flaw::Stages`] if there is none, [`Flaw::ZeroLength`] if the mean is zero.
    pub fn new(stages: u32, mean: Span) -> Result<Self, Flaw> {
        let stages = NonZeroU32::new(stages).ok_or(Flaw::Stages)?;
        Ok(Self { stages, mean: positive(mean)? })
    }

    /// The mean of the sum.
    pub const fn mean(&self) -> Span {
        self.mean
    }

    /// By Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", ACM TOMS 26(3),
    /// 2000: two or three draws whatever the number of stages, where the sum itself takes one for
    /// each.
    pub(super) fn sample(&self, bits: &mut impl Bits) -> Span {
        let stages = f64::from(self.stages.get());
        let mean = self.mean.as_nanos() as f64;
        if self.stages.get() == 1 {
            return Span::from_nanos_f64(bits.exponential() * mean);
        }
        let d = stages - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = normal::standard(bits);
            let root = 1.0 + c * x;
            if root <= 0.0 {
                continue;
            }
            let v = root * root * root;
            // 1 - u instead of u: it is never zero.
            let u = 1.0 - bits.uniform();
            if libm::log(u) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                return Span::from_nanos_f64(d * v / stages * mean);
            }
        }
    }
}
