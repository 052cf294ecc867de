//! How long successful requests took.

use hdrhistogram::Histogram;

use super::{Fact, Observer};
use crate::time::{Span, Time};

/// The latencies of successful requests, from arrival to answer, to three significant digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency(Histogram<u64>);

impl Default for Latency {
    fn default() -> Self {
        Self::new()
    }
}

impl Latency {
    /// No latencies yet.
    ///
    /// # Panics
    /// Never: three significant digits are a valid precision.
    pub fn new() -> Self {
        Self(Histogram::new(3).expect("three significant digits are a valid precision"))
    }

    /// The latency that a share `q` of successful requests did not exceed (nearest rank); none
    /// without successes.
    pub fn quantile(&self, q: f64) -> Option<Span> {
        (!self.0.is_empty()).then(|| {
            let value = self.0.value_at_quantile(q);
            Span::from_nanos(self.0.lowest_equivalent(value))
        })
    }

    /// The longest latency; none without successes.
    pub fn max(&self) -> Option<Span> {
        self.quantile(1.0)
    }
}

impl Observer for Latency {
    #[inline(always)]
    fn observe(&mut self, _: Time, fact: Fact) {
        if let Fact::Succeeded { latency, .. } = fact {
            self.0.saturating_record(latency.as_nanos());
        }
    }

    fn finish(&mut self, _: Time) {}
}
