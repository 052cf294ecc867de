//! How many fresh requests come within a length of time?

use crate::model::Arrivals;
use crate::time::{Span, Time};

/// One request, in the parts in which demand is added up: sums of whole numbers have no rounding.
const WHOLE: u128 = 1_000_000_000;

/// Demand as a flow: the mean of a process, of which whole requests come as they fill up.
#[derive(Clone, Debug)]
pub(super) struct Fresh {
    arrivals: Arrivals,
    /// What has come of the next request, in billionths of it.
    begun: u128,
}

impl Fresh {
    /// Even arrivals begin with one at the start of the run, so the first is as good as there.
    pub(super) fn of(arrivals: &Arrivals) -> Self {
        Self { arrivals: arrivals.clone(), begun: WHOLE - 1 }
    }

    /// Whether these arrivals have a mean that flows.
    pub(super) const fn can(arrivals: &Arrivals) -> bool {
        match arrivals {
            Arrivals::Poisson(_) | Arrivals::Even(_) | Arrivals::Profile(_) => true,
            Arrivals::Bursts(_)
            | Arrivals::Volley { .. }
            | Arrivals::Replay(_)
            | Arrivals::Users(_) => false,
        }
    }

    /// Requests that come in `[from, to)` while demand is `surge` times what it usually is.
    pub(super) fn within(&mut self, from: Time, to: Time, surge: f64) -> u64 {
        let length = to.since(from).as_nanos();
        let per_second = match &self.arrivals {
            Arrivals::Poisson(rate) | Arrivals::Even(rate) => rate.per_second(),
            Arrivals::Profile(profile) => {
                let middle = from + Span::from_nanos(length / 2);
                profile.base.per_second() * profile.factor(middle)
            }
            Arrivals::Bursts(_)
            | Arrivals::Volley { .. }
            | Arrivals::Replay(_)
            | Arrivals::Users(_) => 0.0,
        };
        // A billionth of a request for each nanosecond at one request a second.
        let flow = (per_second * surge * length as f64).round() as u128;
        self.begun = self.begun.saturating_add(flow);
        let come = u64::try_from(self.begun / WHOLE).unwrap_or(u64::MAX);
        self.begun %= WHOLE;
        come
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Rate;

    /// Eight in ten steps of a hundredth of a second, in whatever steps they are counted, the first at once.
    #[test]
    fn whole_requests_come_as_they_fill_up() {
        let come = |step_ms: u64, surge: f64| {
            let mut fresh = Fresh::of(&Arrivals::Even(Rate::new(80.0).unwrap()));
            let at = |nth: u64| Time::ZERO + Span::from_millis(nth * step_ms);
            (0..1_000 / step_ms)
                .map(|nth| fresh.within(at(nth), at(nth + 1), surge))
                .collect::<Vec<u64>>()
        };
        assert_eq!(come(1_000, 1.0), [80]);
        assert_eq!(come(1_000, 0.0), [0]);
        assert_eq!(come(100, 1.0), [8; 10]);
        assert_eq!(come(10, 1.0)[..6], [1, 1, 1, 1, 0, 1]);
        assert_eq!(come(10, 1.0).iter().sum::<u64>(), 80);
        assert_eq!(come(1, 1.5).iter().sum::<u64>(), 120);
    }
}
