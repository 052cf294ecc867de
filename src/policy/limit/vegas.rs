//! How many at once, if the queue that they make is to stay short?
//!
//! Whose memory it is: the service's. The queue behind the limit is estimated from how much longer a
//! round trip takes than the shortest one, as TCP Vegas does (Brakmo and Peterson, 1995), with the
//! steps of Netflix' concurrency-limits (`VegasLimit.java`, 141214d). That library takes a square
//! root where a logarithm is meant once the limit reaches 1,000, its default upper end; here it is a
//! logarithm throughout.

use std::num::NonZeroU32;

use super::{Outcome, Range, Sample};
use crate::random::Bits;
use crate::time::Span;
use crate::unit::Fraction;

/// Parameters of the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vegas {
    /// Where it begins and between which ends it stays.
    pub range: Range,
    /// How much of the way to a new limit is gone at once.
    pub smoothing: Fraction,
    /// After how many samples the shortest round trip is forgotten: this number, times the limit,
    /// times a random factor from 0.5 to 1.
    pub probe_every: NonZeroU32,
}

/// The limit and the shortest round trip.
#[derive(Clone, Debug)]
pub struct State {
    parameters: Vegas,
    limit: f64,
    shortest: Option<Span>,
    samples: u64,
    /// From 0.5 to 1.
    probe_jitter: f64,
}

impl Vegas {
    /// The library's defaults.
    pub const NETFLIX: Self = Self {
        range: Range { initial: 20, min: 1, max: 1_000 },
        smoothing: Fraction::ONE,
        probe_every: NonZeroU32::new(30).unwrap(),
    };
}

impl State {
    /// At its beginning.
    pub fn new(parameters: Vegas, bits: &mut impl Bits) -> Self {
        let limit = f64::from(parameters.range.initial);
        Self { parameters, limit, shortest: None, samples: 0, probe_jitter: jitter(bits) }
    }

    /// The current limit, in attempts in flight, rounded down.
    pub const fn limit(&self) -> u32 {
        self.limit as u32
    }

    /// An attempt has ended.
    pub fn learn(&mut self, sample: Sample, bits: &mut impl Bits) {
        self.samples += 1;
        let probe_every = f64::from(self.parameters.probe_every.get());
        if self.probe_jitter * probe_every * self.limit <= self.samples as f64 {
            self.probe_jitter = jitter(bits);
            self.samples = 0;
            self.shortest = Some(sample.round_trip);
            return;
        }
        match self.shortest {
            Some(shortest) if shortest <= sample.round_trip => self.adjust(shortest, sample),
            Some(_) | None => self.shortest = Some(sample.round_trip),
        }
    }

    fn adjust(&mut self, shortest: Span, sample: Sample) {
        let round_trip = sample.round_trip.max(Span::NANOSECOND).as_nanos() as f64;
        let queue = (self.limit * (1.0 - shortest.as_nanos() as f64 / round_trip)).ceil();
        let step = f64::from((self.limit as u32).max(1).ilog10().max(1));
        let (alpha, beta) = (3.0 * step, 6.0 * step);
        let wanted = match sample.outcome {
            Outcome::Dropped => self.limit - step,
            // What is not used says nothing about whether more would do.
            Outcome::Answered if f64::from(sample.in_flight) * 2.0 < self.limit => return,
            Outcome::Answered if queue <= step => self.limit + beta,
            Outcome::Answered if queue < alpha => self.limit + step,
            Outcome::Answered if queue > beta => self.limit - step,
            Outcome::Answered => return,
        };
        let smoothing = self.parameters.smoothing.as_f64();
        let wanted = self.parameters.range.clamp(wanted);
        self.limit = (1.0 - smoothing) * self.limit + smoothing * wanted;
    }
}

fn jitter(bits: &mut impl Bits) -> f64 {
    0.5 + 0.5 * bits.uniform()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    fn stream() -> Stream {
        Stream::new(1, Purpose::Service, "vegas")
    }

    fn sample(micros: u64, outcome: Outcome) -> Sample {
        let round_trip = Span::from_nanos(micros * 1_000);
        Sample { round_trip, in_flight: 10, outcome }
    }

    /// Case E11, as of Vegas: limit 20, 10 ms without load: alpha 3, beta 6, and queues of 0, 2, 4 and 10.
    #[test]
    fn one_step() {
        let check = |micros, outcome, expected| {
            let mut state = State::new(Vegas::NETFLIX, &mut stream());
            state.shortest = Some(Span::from_millis(10));
            state.learn(sample(micros, outcome), &mut stream());
            assert_eq!(state.limit(), expected, "{micros} us");
        };
        check(10_000, Outcome::Answered, 26);
        check(11_000, Outcome::Answered, 21);
        check(12_500, Outcome::Answered, 20);
        check(20_000, Outcome::Answered, 19);
        check(10_000, Outcome::Dropped, 19);
    }

    #[test]
    fn half_empty_says_nothing() {
        let mut state = State::new(Vegas::NETFLIX, &mut stream());
        state.shortest = Some(Span::from_millis(10));
        let idle = Sample { in_flight: 9, ..sample(10_000, Outcome::Answered) };
        state.learn(idle, &mut stream());
        assert_eq!(state.limit(), 20);
    }

    /// The first sample only sets the shortest round trip; it is forgotten after 300 to 600 samples.
    #[test]
    fn the_shortest_round_trip_is_measured_again() {
        let mut bits = stream();
        let mut state = State::new(Vegas::NETFLIX, &mut bits);
        state.learn(sample(10_000, Outcome::Answered), &mut bits);
        assert_eq!((state.limit(), state.shortest), (20, Some(Span::from_millis(10))));
        // In the sweet spot, so that the limit stays at 20: queue of 4.
        let slower = sample(12_500, Outcome::Answered);
        let learned = (1..).find(|_| {
            state.learn(slower, &mut bits);
            state.shortest != Some(Span::from_millis(10))
        });
        assert!((299..=600).contains(&learned.unwrap()), "{learned:?}");
        assert_eq!(state.shortest, Some(slower.round_trip));
    }
}
