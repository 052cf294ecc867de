//! How many attempts may a service have at once, waiting or in its workers' hands?
//!
//! Whose memory it is: the service's. A limit that adapts infers from the round trip whether a queue
//! is building up somewhere behind it.
//!
//! When the engine calls what:
//! * [`Limit::open`] when a run is reset;
//! * [`Limiter::ask`] when an attempt arrives, after the rate limit and before the bound of the
//!   queue, with the number in flight: admitted (waiting or in service) and not yet finished. The
//!   engine counts; what is refused or leaves the queue is no longer in flight and teaches nothing;
//! * [`Limiter::learn`] when an attempt is finished ([`Outcome::Answered`]: its worker is done) or
//!   shed ([`Outcome::Dropped`]), with the round trip since its admission and the number in flight at
//!   its admission, itself counted. The last is what the libraries record, so it has to be kept with
//!   the attempt;
//! * nothing at other times: windows and probes that came due in between are caught up at the next
//!   call, in their order and at their instants.

mod aimd;
mod envoy;
mod gradient2;
mod vegas;

pub use aimd::{Aimd, State as AimdState};
pub use envoy::{EnvoyGradient, State as EnvoyState};
pub use gradient2::{Gradient2, State as Gradient2State};
pub use vegas::{State as VegasState, Vegas};

use std::num::NonZeroU32;

use super::admission::Welcome;
use crate::random::Bits;
use crate::time::{Span, Time};

/// A kind of concurrency limit with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// Always the same.
    Fixed(NonZeroU32),
    /// One more per good answer, a share less per bad one.
    Aimd(Aimd),
    /// Against the shortest round trip lately seen, as TCP Vegas.
    Vegas(Vegas),
    /// Against the long-run mean of round trips.
    Gradient2(Gradient2),
    /// Against the shortest round trip, measured anew by making room now and then.
    EnvoyGradient(EnvoyGradient),
}

/// What a limit remembers during a run.
#[derive(Clone, Debug)]
pub enum Limiter {
    /// Of a [`Limit::Fixed`].
    Fixed(NonZeroU32),
    /// Of a [`Limit::Aimd`].
    Aimd(AimdState),
    /// Of a [`Limit::Vegas`].
    Vegas(VegasState),
    /// Of a [`Limit::Gradient2`].
    Gradient2(Gradient2State),
    /// Of a [`Limit::EnvoyGradient`].
    EnvoyGradient(EnvoyState),
}

/// What one attempt teaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// From its admission to its end.
    pub round_trip: Span,
    /// How many were in flight when it was admitted, itself counted.
    pub in_flight: u32,
    /// How it ended.
    pub outcome: Outcome,
}

/// How an attempt ended, as the service sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was served.
    Answered,
    /// It was not: shed, lost, or failed for want of time.
    Dropped,
}

/// Where a limit begins and between which ends it stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    initial: u32,
    min: u32,
    max: u32,
}

/// The ends of a range are out of order, or the lower one is zero: a limit of zero would refuse
/// everything, learn nothing, and stay at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRange;

impl Range {
    /// From `min` to `max`, beginning at `initial`.
    ///
    /// # Errors
    /// [`NoRange`] unless 1 <= `min` <= `initial` <= `max`.
    pub const fn new(initial: u32, min: u32, max: u32) -> Result<Self, NoRange> {
        if 1 <= min && min <= initial && initial <= max {
            Ok(Self { initial, min, max })
        } else {
            Err(NoRange)
        }
    }

    /// Where it begins, in attempts in flight.
    pub const fn initial(self) -> u32 {
        self.initial
    }

    /// The lower end, in attempts in flight.
    pub const fn min(self) -> u32 {
        self.min
    }

    /// The upper end.
    pub const fn max(self) -> u32 {
        self.max
    }

    fn clamp(self, limit: f64) -> f64 {
        limit.clamp(f64::from(self.min), f64::from(self.max))
    }
}

impl Limit {
    /// A limit that has seen nothing yet; `bits` are for the times of later probes.
    pub fn open(&self, bits: &mut impl Bits) -> Limiter {
        match self {
            Self::Fixed(limit) => Limiter::Fixed(*limit),
            Self::Aimd(limit) => Limiter::Aimd(AimdState::new(*limit)),
            Self::Vegas(limit) => Limiter::Vegas(VegasState::new(*limit, bits)),
            Self::Gradient2(limit) => Limiter::Gradient2(Gradient2State::new(*limit)),
            Self::EnvoyGradient(limit) => Limiter::EnvoyGradient(EnvoyState::new(*limit)),
        }
    }
}

impl Limiter {
    /// The answer to an attempt that arrives while `in_flight` others are.
    #[inline]
    pub fn ask(&mut self, now: Time, in_flight: u32) -> Welcome {
        if let Self::EnvoyGradient(state) = self {
            state.catch_up(now);
        }
        if in_flight < self.limit() { Welcome::Admitted } else { Welcome::Refused }
    }

    /// An attempt has ended at `now`.
    #[inline]
    pub fn learn(&mut self, now: Time, sample: Sample, bits: &mut impl Bits) {
        match self {
            Self::Fixed(_) => {}
            Self::Aimd(state) => state.learn(sample),
            Self::Vegas(state) => state.learn(sample, bits),
            Self::Gradient2(state) => state.learn(sample),
            Self::EnvoyGradient(state) => state.learn(now, sample, bits),
        }
    }

    /// How many may be in flight, as far as is known.
    #[inline]
    pub fn limit(&self) -> u32 {
        match self {
            Self::Fixed(limit) => limit.get(),
            Self::Aimd(state) => state.limit(),
            Self::Vegas(state) => state.limit(),
            Self::Gradient2(state) => state.limit(),
            Self::EnvoyGradient(state) => state.limit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};
    use crate::unit::Fraction;
    use proptest::prelude::*;

    fn every_kind(range: Range) -> Vec<Limit> {
        vec![
            Limit::Fixed(range.initial.try_into().unwrap()),
            Limit::Aimd(Aimd { range, ..Aimd::NETFLIX }),
            Limit::Vegas(Vegas { range, ..Vegas::NETFLIX }),
            Limit::Gradient2(Gradient2 { range, ..Gradient2::NETFLIX }),
            Limit::EnvoyGradient(EnvoyGradient {
                min: range.min.try_into().unwrap(),
                max: range.max.try_into().unwrap(),
                probe_requests: 5.try_into().unwrap(),
                jitter: Fraction::new(0.5).unwrap(),
                ..EnvoyGradient::ENVOY
            }),
        ]
    }

    proptest! {
        /// Whatever it learns, a limit stays within its ends, and lets in exactly as many as it says.
        #[test]
        fn limits_stay_within_their_ends(
            seed in any::<u64>(),
            ends in (1..50_u32, 0..50_u32, 0..2_000_u32),
            steps in prop::collection::vec((0..400_u64, 1..300_u64, 0..3_000_u32, 0..10_u8), 1..200),
        ) {
            let (min, more, above) = ends;
            let range = Range::new(min + more, min, min + more + above).unwrap();
            let mut bits = Stream::new(seed, Purpose::Service, "limit");
            for limit in every_kind(range) {
                let mut limiter = limit.open(&mut bits);
                let mut now = Time::ZERO;
                for &(pause, round_trip, in_flight, outcome) in &steps {
                    now += Span::from_millis(pause);
                    let outcome = if outcome == 0 { Outcome::Dropped } else { Outcome::Answered };
                    let round_trip = Span::from_millis(round_trip);
                    limiter.learn(now, Sample { round_trip, in_flight, outcome }, &mut bits);
                    let found = limiter.limit();
                    prop_assert!((range.min..=range.max).contains(&found), "{limit:?}: {found}");
                    prop_assert_eq!(limiter.ask(now, found - 1), Welcome::Admitted);
                    prop_assert_eq!(limiter.ask(now, found), Welcome::Refused);
                }
            }
        }
    }

    /// A proxy that lets three requests through serves three of six that come together, and the rest
    /// hears so at once.
    #[test]
    fn three_of_six_are_served() {
        let limit = Limit::Fixed(3.try_into().unwrap());
        let mut limiter = limit.open(&mut Stream::new(1, Purpose::Service, "limit"));
        use Welcome::{Admitted, Refused};
        let mut in_flight = 0;
        let answers: Vec<Welcome> = (0..6)
            .map(|_| {
                let welcome = limiter.ask(Time::ZERO, in_flight);
                in_flight += u32::from(welcome == Admitted);
                welcome
            })
            .collect();
        assert_eq!(answers, [Admitted, Admitted, Admitted, Refused, Refused, Refused]);
    }

    #[test]
    fn a_range_is_in_order() {
        assert!(Range::new(1, 1, 1).is_ok());
        for (initial, min, max) in [(0, 0, 1), (1, 2, 3), (3, 1, 2), (1, 0, 2)] {
            assert_eq!(Range::new(initial, min, max), Err(NoRange));
        }
    }
}
