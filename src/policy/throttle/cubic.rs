//! May this attempt leave, if the client follows a send rate that the service's throttling sets?
//!
//! Whose memory it is: one rate for all requests of a client.
//!
//! The adaptive mode of the AWS SDKs (botocore `retries/adaptive.py`, `throttling.py`, `bucket.py` at
//! 40454ea). Until the first throttling answer it measures and lets everything pass. From then on
//! every attempt, the first of a request included, takes a token of a bucket that fills at the send
//! rate: 0.7 of the measured rate after a throttling answer, `0.4 (t - K)^3 + w` at `t` seconds after
//! it (the curve of CUBIC, RFC 9438), at most twice the measured rate, and never less than a token
//! in two seconds.
//!
//! As botocore's, attempts sleep and take a token when they wake, so a line that has formed at a low
//! rate leaves at the higher one that follows. They leave in the order in which they asked, where
//! botocore leaves the order to its threads, and so need not all wake for every token: each sleeps for
//! as long as its place takes at the rate of the moment, and looks anew after half a second at the
//! latest, which is how often the rate is measured, or later in a line of more than ten thousand.

use super::Turn;
use crate::policy::outcome::{Failures, Outcome};
use crate::time::{Span, Time};

/// Parameters of the throttle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cubic {
    /// The failures by which a service says that it throttles.
    pub throttled: Failures,
    /// What becomes of an attempt for which there is no token.
    pub at_empty: super::AtEmpty,
}

/// What remains of the rate after a throttling answer.
const BETA: f64 = 0.7;
/// How fast the rate grows back, in attempts per second cubed.
const SCALE: f64 = 0.4;
/// How much of the measured rate is new in each of its buckets of half a second.
const SMOOTHING: f64 = 0.8;
/// The least rate, in attempts per second.
const LEAST: f64 = 0.5;

/// How many attempts in line look in a second, at the most, how long their wait will be.
pub const LOOKS_PER_SECOND: u64 = 20_000;
const HALF_SECOND: Span = Span::from_millis(500);

/// A place in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

/// The measured rate, the curve and the bucket.
#[derive(Clone, Debug)]
pub struct SendRate {
    throttle: Cubic,
    /// Answers per second, and what it is measured from.
    measured: f64,
    answers: u64,
    bucket_began: u64,
    /// The rate at the last throttling answer, and when that was; none before the first.
    curve: Option<Curve>,
    /// Tokens per second, tokens there are, and as of when.
    rate: f64,
    tokens: f64,
    as_of: Time,
    /// How many have stood in line, and how many of them have left it.
    joined: u64,
    left: u64,
}

#[derive(Clone, Copy, Debug)]
struct Curve {
    highest: f64,
    began: Time,
}

impl Curve {
    fn rate(self, now: Time) -> f64 {
        let elapsed = now.since(self.began).as_secs_f64();
        let from_plateau = elapsed - libm::cbrt(self.highest * (1.0 - BETA) / SCALE);
        SCALE * from_plateau * from_plateau * from_plateau + self.highest
    }
}

impl SendRate {
    /// Nothing was sent.
    pub const fn new(throttle: Cubic) -> Self {
        Self {
            throttle,
            measured: 0.0,
            answers: 0,
            bucket_began: 0,
            curve: None,
            rate: LEAST,
            tokens: 0.0,
            as_of: Time::ZERO,
            joined: 0,
            left: 0,
        }
    }

    /// Whether an attempt may leave.
    pub fn ask(&mut self, now: Time, longest: Span) -> Turn {
        if self.curve.is_none() {
            return Turn::Now;
        }
        self.refill(now);
        let is_free = self.joined == self.left && self.tokens >= 1.0;
        if !is_free && self.throttle.at_empty == super::AtEmpty::Drops {
            return Turn::Dropped;
        }
        self.joined += 1;
        self.look(now, Ticket(self.joined - 1), longest)
    }

    /// Whether an attempt may leave that has stood in line with this ticket.
    pub fn look(&mut self, now: Time, ticket: Ticket, longest: Span) -> Turn {
        self.refill(now);
        let ahead = ticket.0.saturating_sub(self.left) as f64;
        if self.tokens >= ahead + 1.0 {
            self.tokens -= 1.0;
            self.left += 1;
            return Turn::Now;
        }
        let wait = Span::from_secs_f64((ahead + 1.0 - self.tokens) / self.rate);
        if wait > longest {
            self.left += 1;
            return Turn::TooLate;
        }
        Turn::InLine(ticket, wait.clamp(Span::NANOSECOND, self.longest_sleep()))
    }

    /// How long an attempt in line sleeps at the longest, so that no more than [`LOOKS_PER_SECOND`] wake
    /// in a second.
    fn longest_sleep(&self) -> Span {
        const ENOUGH: u64 = LOOKS_PER_SECOND / 2;
        HALF_SECOND.saturating_mul(1 + (self.joined - self.left) / ENOUGH)
    }

    /// An attempt leaves the line without a token.
    pub const fn leave(&mut self) {
        self.left += 1;
    }

    /// An attempt has ended.
    pub fn answered(&mut self, now: Time, outcome: Outcome) {
        self.measure(now);
        let throttled = match outcome {
            Outcome::Succeeded => false,
            Outcome::Failed(failure) => self.throttle.throttled.contains(failure),
        };
        let rate = if throttled {
            let current = match self.curve {
                Some(_) => self.measured.min(self.rate),
                None => self.measured,
            };
            if self.curve.is_none() {
                self.as_of = now;
            }
            self.curve = Some(Curve { highest: current, began: now });
            current * BETA
        } else {
            match self.curve {
                Some(curve) => curve.rate(now),
                None => return,
            }
        };
        self.refill(now);
        let rate = rate.min(2.0 * self.measured);
        self.rate = rate.max(LEAST);
        self.tokens = self.tokens.min(rate.max(1.0));
    }

    /// Attempts per second that may leave; none while everything may.
    pub const fn per_second(&self) -> Option<f64> {
        if self.curve.is_some() { Some(self.rate) } else { None }
    }

    fn refill(&mut self, now: Time) {
        let filled = now.since(self.as_of).as_secs_f64() * self.rate;
        self.tokens = (self.tokens + filled).min(self.rate.max(1.0));
        self.as_of = now;
    }

    /// Counts an answer. The rate is taken anew by the first answer of a later half second, over all
    /// half seconds since the one before.
    fn measure(&mut self, now: Time) {
        let bucket = HALF_SECOND.times_in(now.since(Time::ZERO));
        self.answers += 1;
        if bucket > self.bucket_began {
            let current = self.answers as f64 / ((bucket - self.bucket_began) as f64 / 2.0);
            self.measured = current * SMOOTHING + self.measured * (1.0 - SMOOTHING);
            self.answers = 0;
            self.bucket_began = bucket;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::AtEmpty;
    use super::*;
    use crate::policy::outcome::Failure;

    const THROTTLED: Outcome = Outcome::Failed(Failure::Refused);

    fn valve(at_empty: AtEmpty) -> SendRate {
        SendRate::new(Cubic { throttled: Failures::of(&[Failure::Refused]), at_empty })
    }

    fn secs(secs: f64) -> Time {
        Time::ZERO + Span::from_secs_f64(secs)
    }

    /// Case A13: a measured rate of 10/s when the service throttles.
    #[test]
    fn the_curve_by_hand() {
        let curve = Curve { highest: 10.0, began: secs(60.0) };
        for (after, expected) in [(0.0, 7.0), (1.957, 10.0), (3.915, 13.0)] {
            let rate = curve.rate(secs(60.0 + after));
            assert!((rate - expected).abs() < 0.005, "{after}: {rate}");
        }
        let mut valve = valve(AtEmpty::Waits);
        valve.measured = 10.0;
        valve.bucket_began = 120;
        valve.answered(secs(60.0), THROTTLED);
        assert!((valve.per_second().unwrap() - 7.0).abs() < 1e-9);
    }

    /// Twenty answers a second are measured as such: what the first buckets lack is smoothed away.
    #[test]
    fn the_measured_rate_is_the_rate_of_answers() {
        let mut valve = valve(AtEmpty::Waits);
        for n in 0..200 {
            valve.answered(secs(f64::from(n) / 20.0), Outcome::Succeeded);
        }
        assert!((valve.measured - 20.0).abs() < 0.01, "{}", valve.measured);
        assert_eq!(valve.ask(secs(10.0), Span::MAX), Turn::Now);
        assert_eq!(valve.per_second(), None);
    }

    fn throttled_at_rate_7(at_empty: AtEmpty) -> SendRate {
        let mut valve = valve(at_empty);
        valve.measured = 10.0;
        valve.answered(Time::ZERO, THROTTLED);
        valve
    }

    /// Ten that ask at once leave one after the other at the rate of 7, or at once when it is 70.
    #[test]
    fn a_line_leaves_at_the_rate_of_the_moment() {
        let mut valve = throttled_at_rate_7(AtEmpty::Waits);
        let tickets: Vec<Ticket> = (0..10)
            .map(|nth| match valve.ask(Time::ZERO, Span::MAX) {
                Turn::InLine(ticket, wait) => {
                    let expected = (f64::from(nth + 1) / 7.0).min(0.5);
                    assert!((wait.as_secs_f64() - expected).abs() < 1e-6, "{nth}: {wait}");
                    ticket
                }
                turn @ (Turn::Now | Turn::After(_) | Turn::Dropped | Turn::TooLate) => {
                    panic!("{turn:?}")
                }
            })
            .collect();
        assert!(matches!(valve.look(secs(0.142), tickets[0], Span::MAX), Turn::InLine(..)));
        assert_eq!(valve.look(secs(0.143), tickets[0], Span::MAX), Turn::Now);
        assert_eq!(valve.look(secs(0.143), tickets[9], Span::from_secs(1)), Turn::TooLate);
        valve.rate = 70.0;
        let later = tickets[1..9].iter().map(|&ticket| valve.look(secs(0.3), ticket, Span::MAX));
        assert_eq!(later.collect::<Vec<_>>(), [Turn::Now; 8]);
        assert_eq!(valve.joined, valve.left);
    }

    #[test]
    fn what_does_not_wait_is_dropped_and_counted() {
        let mut valve = throttled_at_rate_7(AtEmpty::Drops);
        let turns = (1..=200).map(|n| valve.ask(secs(f64::from(n) / 20.0), Span::MAX));
        let passed = turns.filter(|&turn| turn == Turn::Now).count();
        assert!((68..=70).contains(&passed), "{passed}");
    }

    /// However dead the service, a token comes every two seconds.
    #[test]
    fn the_rate_has_a_floor() {
        let mut valve = valve(AtEmpty::Drops);
        for n in 0..100 {
            valve.answered(secs(f64::from(n)), THROTTLED);
        }
        assert!(valve.per_second().unwrap() >= LEAST);
    }
}
