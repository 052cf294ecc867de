//! May this attempt leave, if the service has refused many lately?
//!
//! Whose memory it is: one window for all requests of a client.
//!
//! Adaptive throttling (Beyer and others, "Site Reliability Engineering", chapter 21): an attempt is
//! dropped with the probability max(0, (requests - K x accepts) / (requests + 1)) over the last
//! window. Requests are counted whether dropped or not; that is what keeps a client which drops nearly
//! everything trying now and then.

use super::Turn;
use crate::policy::outcome::{Failures, Outcome};
use crate::policy::window::{Counts, Sliding};
use crate::random::Bits;
use crate::time::{Span, Time};

/// Parameters of the throttle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adaptive {
    k: f64,
    window: Span,
    /// The failures by which a service says that it does not accept an attempt.
    not_accepted: Failures,
}

impl Adaptive {
    /// Lets through about `k` (at least 1) times what the service accepted in the last `window`;
    /// `not_accepted` are the failures that count as not accepted.
    ///
    /// None if `k` is below 1 or not finite.
    pub fn new(k: f64, window: Span, not_accepted: Failures) -> Option<Self> {
        (k.is_finite() && k >= 1.0).then_some(Self { k, window, not_accepted })
    }
}

/// What was asked and what was accepted lately.
#[derive(Clone, Debug)]
pub struct Acceptance {
    throttle: Adaptive,
    window: Sliding<Asked, 60>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    requests: u64,
    accepts: u64,
}

impl Counts for Asked {
    fn plus(self, other: Self) -> Self {
        Self { requests: self.requests + other.requests, accepts: self.accepts + other.accepts }
    }

    fn minus(self, other: Self) -> Self {
        Self { requests: self.requests - other.requests, accepts: self.accepts - other.accepts }
    }
}

impl Acceptance {
    /// Nothing was asked.
    pub fn new(throttle: Adaptive) -> Self {
        Self { throttle, window: Sliding::new(throttle.window) }
    }

    /// Whether an attempt may leave.
    pub fn ask(&mut self, now: Time, bits: &mut impl Bits) -> Turn {
        let dropped = self.drop_probability(now);
        self.window.add(now, Asked { requests: 1, accepts: 0 });
        // No draw while nothing is dropped: the stream then stays as it is.
        if dropped > 0.0 && bits.uniform() < dropped { Turn::Dropped } else { Turn::Now }
    }

    /// The probability with which an attempt is dropped now.
    pub fn drop_probability(&mut self, now: Time) -> f64 {
        let Asked { requests, accepts } = self.window.total(now);
        let (requests, accepts) = (requests as f64, accepts as f64);
        ((requests - self.throttle.k * accepts) / (requests + 1.0)).max(0.0)
    }

    /// An attempt has ended.
    pub fn answered(&mut self, now: Time, outcome: Outcome) {
        let accepted = match outcome {
            Outcome::Succeeded => true,
            Outcome::Failed(failure) => !self.throttle.not_accepted.contains(failure),
        };
        if accepted {
            self.window.add(now, Asked { requests: 0, accepts: 1 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::outcome::Failure;
    use crate::random::Sprout;

    const REFUSED: Outcome = Outcome::Failed(Failure::Refused);

    fn valve() -> Acceptance {
        let refusals = Failures::of(&[Failure::Refused]);
        Acceptance::new(Adaptive::new(2.0, Span::from_secs(120), refusals).unwrap())
    }

    #[test]
    fn nothing_is_dropped_while_half_is_accepted() {
        let (mut valve, mut bits) = (valve(), Sprout::new(1, 0));
        for n in 0..10_000 {
            assert_eq!(valve.ask(Time::ZERO, &mut bits), Turn::Now);
            valve.answered(Time::ZERO, if n % 2 == 0 { Outcome::Succeeded } else { REFUSED });
        }
        // An error is an answer of a service that took the attempt on.
        valve.answered(Time::ZERO, Outcome::Failed(Failure::Error));
        assert_eq!(valve.drop_probability(Time::ZERO), 0.0);
    }

    #[test]
    fn the_formula_by_hand() {
        let (mut valve, mut bits) = (valve(), Sprout::new(1, 0));
        for _ in 0..9 {
            let _ = valve.ask(Time::ZERO, &mut bits);
        }
        valve.answered(Time::ZERO, Outcome::Succeeded);
        assert!((valve.drop_probability(Time::ZERO) - 0.7).abs() < 1e-12);
        let gone = Time::ZERO + Span::from_secs(121);
        assert_eq!(valve.drop_probability(gone), 0.0);
    }

    /// A service that accepts 50 of 500 a second: in the steady state K x accepts = 2 x 50 pass.
    #[test]
    fn twice_what_is_accepted_passes_in_the_long_run() {
        let (mut valve, mut bits) = (valve(), Sprout::new(1, 0));
        let (mut passed, mut room, mut second) = (0_u32, 50, 0);
        for n in 0..500 * 600_u64 {
            let now = Time::from_nanos(n * 2_000_000);
            if n / 500 != second {
                (second, room) = (n / 500, 50);
            }
            if valve.ask(now, &mut bits) == Turn::Now {
                passed += u32::from(second >= 300);
                let outcome = if room > 0 { Outcome::Succeeded } else { REFUSED };
                room = (room - 1).max(0);
                valve.answered(now, outcome);
            }
        }
        let per_second = f64::from(passed) / 300.0;
        assert!((95.0..105.0).contains(&per_second), "{per_second}");
    }

    #[test]
    fn less_than_everything_accepted_is_no_throttle() {
        for k in [0.5, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Adaptive::new(k, Span::from_secs(1), Failures::ALL), None);
        }
    }
}
