//! How many at once, if the round trip is not to grow against its own long-run mean?
//!
//! Whose memory it is: the service's. After Netflix' concurrency-limits (`Gradient2Limit.java`,
//! 14ddfa2). The mean that it compares with follows the load, so under lasting overload it slowly
//! calls the new state normal; that drift is the library's, and is kept.

use std::num::NonZeroU32;

use super::{Range, Sample};
use crate::time::Span;
use crate::unit::Fraction;

/// Parameters of the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient2 {
    /// Where it begins and between which ends it stays.
    pub range: Range,
    /// How much of the way to a new limit is gone with each sample.
    pub smoothing: Fraction,
    /// How many may queue while round trips are as usual: what the limit grows by.
    pub queue: u32,
    /// Over how many samples the long-run mean decays.
    pub long_window: NonZeroU32,
}

/// The limit and the long-run mean.
#[derive(Clone, Debug)]
pub struct State {
    parameters: Gradient2,
    limit: f64,
    long: LongMean,
}

/// Of how many samples the long-run mean is a plain one, before it decays.
const WARM_UP: u32 = 10;

/// An exponentially decaying mean, in nanoseconds.
#[derive(Clone, Debug, Default)]
struct LongMean {
    nanos: f64,
    samples: u32,
}

impl Gradient2 {
    /// The library's defaults.
    pub const NETFLIX: Self = Self {
        range: Range { initial: 20, min: 20, max: 200 },
        smoothing: FIFTH,
        queue: 4,
        long_window: NonZeroU32::new(600).unwrap(),
    };

    /// The limit after `limit`, if the long-run mean is `ratio` of the last round trip and
    /// `in_flight` used the limit.
    fn step(&self, limit: f64, ratio: f64, in_flight: u32) -> f64 {
        if f64::from(in_flight) < limit / 2.0 {
            return limit;
        }
        let gradient = ratio.clamp(0.5, 1.0);
        let wanted = limit * gradient + f64::from(self.queue);
        let smoothing = self.smoothing.as_f64();
        self.range.clamp(limit * (1.0 - smoothing) + wanted * smoothing)
    }
}

const FIFTH: Fraction = match Fraction::ratio(1, 5) {
    Some(fifth) => fifth,
    None => Fraction::ONE,
};

impl State {
    /// At its beginning.
    pub fn new(parameters: Gradient2) -> Self {
        let limit = f64::from(parameters.range.initial);
        Self { parameters, limit, long: LongMean::default() }
    }

    /// The current limit, in attempts in flight, rounded down.
    pub const fn limit(&self) -> u32 {
        self.limit as u32
    }

    /// An attempt has ended; how does not matter, only how long it took.
    pub fn learn(&mut self, sample: Sample) {
        let short = sample.round_trip.max(Span::NANOSECOND).as_nanos() as f64;
        let ratio = self.long.add(short, self.parameters.long_window) / short;
        // Back from overload: the mean is far too long, and would take a whole window to forget it.
        if ratio > 2.0 {
            self.long.nanos *= 0.9;
        }
        self.limit = self.parameters.step(self.limit, ratio, sample.in_flight);
    }
}

impl LongMean {
    fn add(&mut self, nanos: f64, window: NonZeroU32) -> f64 {
        if self.samples < WARM_UP {
            self.samples += 1;
            self.nanos += (nanos - self.nanos) / f64::from(self.samples);
        } else {
            let weight = 2.0 / (f64::from(window.get()) + 1.0);
            self.nanos = self.nanos * (1.0 - weight) + nanos * weight;
        }
        self.nanos
    }
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::*;

    const WIDE: Gradient2 =
        Gradient2 { range: Range { initial: 100, min: 1, max: 1_000 }, ..Gradient2::NETFLIX };

    /// Case E11, as of Gradient2.
    #[test]
    fn one_step() {
        assert!((WIDE.step(100.0, 0.8, 50) - 96.8).abs() < 1e-9);
        assert_eq!(WIDE.step(100.0, 0.8, 49), 100.0);
        // A gradient below a half is an outlier, one above 1 means no queue.
        assert_eq!(WIDE.step(100.0, 0.1, 50), WIDE.step(100.0, 0.5, 50));
        assert!((WIDE.step(100.0, 7.0, 50) - 100.8).abs() < 1e-9);
    }

    /// With the gradient g held, L = g L + 4: 4 / (1 - g).
    #[test]
    fn fixed_points() {
        for (ratio, expected) in [(0.8, 20.0), (0.9, 40.0)] {
            for start in [1.0, 900.0] {
                let limit = (0..2_000).fold(start, |limit, _| WIDE.step(limit, ratio, 1_000));
                assert!((limit - expected).abs() < 1e-6, "{ratio}: {limit}");
            }
        }
    }

    #[test]
    fn the_mean_is_plain_at_first_and_then_decays() {
        let mut long = LongMean::default();
        let window = NonZeroU32::new(600).unwrap();
        for nanos in 1..=10 {
            long.add(f64::from(nanos), window);
        }
        assert!((long.nanos - 5.5).abs() < 1e-12);
        assert!((long.add(606.5, window) - (5.5 + 601.0 * 2.0 / 601.0)).abs() < 1e-9);
    }

    /// Steady round trips let the limit grow to its upper end; doubled ones bring it down at once.
    #[test]
    fn it_follows_the_round_trip() {
        let mut state = State::new(Gradient2::NETFLIX);
        let mut learn = |millis, times| {
            for _ in 0..times {
                let round_trip = Span::from_millis(millis);
                let outcome = Outcome::Answered;
                state.learn(Sample { round_trip, in_flight: 200, outcome });
            }
            state.limit()
        };
        assert_eq!(learn(10, 1_000), 200);
        assert!(learn(20, 20) < 50);
        assert_eq!(learn(10, 1_000), 200);
    }
}
