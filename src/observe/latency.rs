//! How long successful requests took.

use hdrhistogram::Histogram;

use super::{Fact, Observer};
use crate::time::{Span, Time};

/// The latencies of successful requests, from arrival to answer, to three significant digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency(Histogram<u64>);

/// The longest latency that is told apart from longer ones: 146 years.
const LONGEST: u64 = i64::MAX as u64 / 2;

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
            // The middle of the bucket, without digits that mean nothing: work of 10 ms is shown as
            // 10 ms, and not as 10.000384 ms.
            Span::from_nanos(three_digits(self.0.median_equivalent(value)))
        })
    }

    #[inline]
    pub(super) fn record(&mut self, latency: Span) {
        self.record_many(latency, 1);
    }

    #[inline(always)]
    fn record_many(&mut self, latency: Span, times: u64) {
        // Unlike `saturating_record`, which clamps to the range reached so far, this grows it.
        let nanos = latency.as_nanos().min(LONGEST);
        self.0.record_n(nanos, times).expect("the histogram grows up to its longest latency");
    }

    /// The longest latency; none without successes.
    pub fn max(&self) -> Option<Span> {
        self.quantile(1.0)
    }
}

/// `value` to the nearest number with three digits that are not zero.
fn three_digits(value: u64) -> u64 {
    let unit = 10_u64.pow(value.checked_ilog10().unwrap_or(0).saturating_sub(2));
    value.saturating_add(unit / 2) / unit * unit
}

impl Observer for Latency {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        self.observe_many(now, fact, 1);
    }

    #[inline(always)]
    fn observe_many(&mut self, _: Time, fact: Fact, times: u64) {
        if let Fact::Succeeded { latency, .. } = fact {
            self.record_many(latency, times);
        }
    }

    fn finish(&mut self, _: Time) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ClientId;
    use crate::observe::CallId;

    #[test]
    fn ten_milliseconds_are_ten_milliseconds() {
        let mut seen = Latency::new();
        let fact = Fact::Succeeded {
            client: ClientId(0),
            call: CallId(0),
            latency: Span::from_millis(10),
        };
        seen.observe(Time::ZERO, fact);
        assert_eq!(seen.quantile(0.5), Some(Span::from_millis(10)));
        assert_eq!([0, 7, 999, 10_050, u64::MAX].map(three_digits)[..4], [0, 7, 999, 10_100]);
    }

    #[test]
    fn quantiles_to_three_digits_over_the_whole_range() {
        let mut seen = Latency::new();
        assert_eq!(seen.quantile(0.5), None);
        let millis = [10, 10, 10, 998, 60_000];
        for latency in millis.map(Span::from_millis).into_iter().chain([Span::MAX]) {
            let fact = Fact::Succeeded { client: ClientId(0), call: CallId(0), latency };
            seen.observe(Time::ZERO, fact);
        }
        let check = |q, expected: f64| {
            let found = seen.quantile(q).unwrap().as_secs_f64();
            assert!((found / expected - 1.0).abs() < 5e-4, "{q}: {found}");
        };
        check(0.0, 0.010);
        check(0.5, 0.010);
        check(0.6, 0.998);
        check(0.8, 60.0);
        check(1.0, LONGEST as f64 / 1e9);
    }
}
