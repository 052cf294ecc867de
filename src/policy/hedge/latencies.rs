//! How long do most attempts take, judged by the last so many?
//!
//! Whose memory it is: one for all requests of a client. The last latencies are kept twice, in the
//! order of arrival and in the order of length: the percentile is exact and asked for at no cost,
//! and recording moves at most as many numbers as are kept. An estimator in constant space (P², a
//! decaying histogram) would be quicker to record into and off by an amount that depends on the
//! shape of the latencies, which is what a simulation of hedging is about.

use std::collections::VecDeque;
use std::num::NonZeroU16;

use crate::time::Span;
use crate::unit::Fraction;

/// A delay that follows a percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percentile {
    /// The share of attempts that were answered by then: 0.95 hedges one attempt in twenty.
    pub share: Fraction,
    /// How many of the last latencies it is taken from.
    pub samples: NonZeroU16,
    /// With fewer latencies than this, the delay is `until_then`.
    pub minimum: u16,
    /// The delay while little is known.
    pub until_then: Span,
}

/// The last latencies.
#[derive(Clone, Debug)]
pub struct Latencies {
    percentile: Percentile,
    by_arrival: VecDeque<Span>,
    by_length: Vec<Span>,
}

impl Latencies {
    /// Nothing is known.
    pub const fn new(percentile: Percentile) -> Self {
        Self { percentile, by_arrival: VecDeque::new(), by_length: Vec::new() }
    }

    /// Takes a latency in, and forgets the oldest if there are too many.
    pub fn record(&mut self, latency: Span) {
        if self.by_arrival.len() == usize::from(self.percentile.samples.get())
            && let Some(oldest) = self.by_arrival.pop_front()
        {
            let place = self.by_length.partition_point(|&kept| kept < oldest);
            self.by_length.remove(place);
        }
        self.by_arrival.push_back(latency);
        let place = self.by_length.partition_point(|&kept| kept < latency);
        self.by_length.insert(place, latency);
    }

    /// The least latency that at least the share of those kept do not exceed (nearest rank).
    pub fn delay(&self) -> Span {
        let known = self.by_length.len();
        if known < usize::from(self.percentile.minimum.max(1)) {
            return self.percentile.until_then;
        }
        // The complement rounded down is the share rounded up.
        let longer = self.percentile.share.complement().floor_of(known as u64) as usize;
        self.by_length[(known - 1).saturating_sub(longer)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn latencies(share: f64, samples: u16, minimum: u16) -> Latencies {
        Latencies::new(Percentile {
            share: Fraction::new(share).unwrap(),
            samples: NonZeroU16::new(samples).unwrap(),
            minimum,
            until_then: Span::from_secs(9),
        })
    }

    #[test]
    fn the_nearest_rank_of_a_hundred() {
        let check = |share, expected_ms| {
            let mut latencies = latencies(share, 100, 100);
            (1..=99).for_each(|n| latencies.record(Span::from_millis(n)));
            assert_eq!(latencies.delay(), Span::from_secs(9), "one is missing");
            latencies.record(Span::from_millis(100));
            assert_eq!(latencies.delay(), Span::from_millis(expected_ms), "{share}");
        };
        check(0.95, 95);
        check(0.5, 50);
        check(0.999, 100);
        check(1.0, 100);
        check(0.0, 1);
    }

    proptest! {
        #[test]
        fn it_is_the_percentile_of_the_last_so_many(
            share in 0.0..=1.0_f64, samples in 1_u16..40,
            found in prop::collection::vec(0_u64..50, 1..200),
        ) {
            let mut latencies = latencies(share, samples, 0);
            for end in 1..=found.len() {
                latencies.record(Span::from_nanos(found[end - 1]));
                let mut last = found[end.saturating_sub(samples.into())..end].to_vec();
                last.sort_unstable();
                let delay = latencies.delay().as_nanos();
                let up_to = last.iter().filter(|&&n| n <= delay).count() as f64;
                let below = last.iter().filter(|&&n| n < delay).count() as f64;
                let wanted = Fraction::new(share).unwrap().as_f64() * last.len() as f64;
                prop_assert!(up_to >= wanted - 1e-6);
                prop_assert!(below < wanted || below == 0.0);
            }
        }
    }
}
