//! How many at once, if good answers add one and bad ones take a share away?
//!
//! Whose memory it is: the service's. Additive increase, multiplicative decrease, the rule of TCP
//! (Chiu and Jain, 1989), here with the details of Netflix' concurrency-limits (`AIMDLimit.java`,
//! 00f751f): no growth while less than half of the limit is used.

use super::{Outcome, Range, Sample};
use crate::time::Span;
use crate::unit::Fraction;

/// Parameters of the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aimd {
    /// Where it begins and between which ends it stays.
    pub range: Range,
    /// What is left of the limit after a bad answer; at least one is taken away.
    pub backoff: Fraction,
    /// An answer that took longer than this is a bad one.
    pub slow: Option<Span>,
}

/// The limit, and nothing else.
#[derive(Clone, Debug)]
pub struct State {
    parameters: Aimd,
    limit: u32,
}

impl Aimd {
    /// The library's defaults; it has no upper end, and this one never binds in practice.
    pub const NETFLIX: Self = Self {
        range: Range { initial: 10, min: 1, max: 1_000_000 },
        backoff: Fraction::NINE_TENTHS,
        slow: Some(Span::from_secs(5)),
    };
}

impl State {
    /// At its beginning.
    pub const fn new(parameters: Aimd) -> Self {
        Self { limit: parameters.range.initial, parameters }
    }

    /// The current limit, in attempts in flight.
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// An attempt has ended.
    pub fn learn(&mut self, sample: Sample) {
        let Aimd { range, backoff, slow } = self.parameters;
        let bad = match sample.outcome {
            Outcome::Dropped => true,
            Outcome::Answered => slow.is_some_and(|slow| sample.round_trip > slow),
        };
        let limit = if bad {
            let kept = (f64::from(self.limit) * backoff.as_f64()) as u32;
            kept.min(self.limit.saturating_sub(1))
        } else if u64::from(sample.in_flight) * 2 >= u64::from(self.limit) {
            self.limit.saturating_add(1)
        } else {
            self.limit
        };
        self.limit = limit.clamp(range.min, range.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_or_a_tenth_less() {
        let check = |limit: u32, millis, in_flight, outcome, expected| {
            let mut state = State { limit, ..State::new(Aimd::NETFLIX) };
            let round_trip = Span::from_millis(millis);
            state.learn(Sample { round_trip, in_flight, outcome });
            assert_eq!(state.limit(), expected);
        };
        check(100, 10, 50, Outcome::Answered, 101);
        check(100, 10, 49, Outcome::Answered, 100);
        check(100, 10, 10, Outcome::Dropped, 90);
        check(100, 5_000, 100, Outcome::Answered, 101);
        check(100, 5_001, 100, Outcome::Answered, 90);
        check(5, 10, 5, Outcome::Dropped, 4);
        check(1, 10, 1, Outcome::Dropped, 1);
    }
}
