//! Is a failed attempt tried again, and after which wait?
//!
//! Whose memory it is: the request's, and all of it is the number of retries made so far and, for
//! waits that follow from the wait before, a [`Memory`].
//!
//! Asked once, at the instant at which the attempt waited for has failed ([`Retry::decide`]). The
//! answer is about the policy alone: whether the wait fits into the request's deadline is the next
//! question ([`deadline`](super::deadline)), whether the retry may leave when it is due the one after
//! ([`budget`](super::budget), [`throttle`](super::throttle), [`breaker`](super::breaker)).

mod backoff;
mod decorrelated;
mod growth;
mod guidance;
mod jitter;

pub use super::outcome::{Failure, Failures};
pub use backoff::Backoff;
pub use decorrelated::{Decorrelated, DoublingRange, Memory, SmoothDoubling};
pub use growth::{AtCap, Exponential, Growth, Linear};
pub use guidance::{Guidance, Hint};
pub use jitter::{Jitter, Order, Spread};

use crate::random::Bits;
use crate::time::Span;

/// A client's retry policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    /// Retries after the first attempt, which is not counted: 3 retries are 4 attempts.
    /// [`Retry::UNLIMITED`] for as many as time allows.
    pub max_retries: u32,
    /// The kinds of failure after which the request is tried again; any other ends it.
    pub on: Failures,
    /// The wait before each retry.
    pub backoff: Backoff,
    /// Whether the first retry waits at all.
    pub first: First,
    /// The wait after a refusal, where it differs from the wait after other failures.
    pub after_refusal: Option<Backoff>,
    /// What the client makes of a service that says how long to stay away.
    pub guidance: Guidance,
}

/// Whether the first retry waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum First {
    /// As the back-off says.
    #[default]
    Waits,
    /// It leaves at once, and the second retry waits as long as it would have anyway: the growth
    /// counts the wait that was left out (urllib3). A wait of its own after a refusal stands.
    AtOnce,
}

/// What becomes of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The request fails.
    GiveUp,
    /// The next attempt leaves after this wait.
    After(Span),
    /// The request fails after this wait; nothing more is sent, but its user keeps waiting.
    GiveUpAfter(Span),
}

impl Retry {
    /// No bound on the number of retries: four thousand million of one request are more than any run
    /// has events for.
    pub const UNLIMITED: u32 = u32::MAX;

    /// Never tries again.
    pub const NEVER: Self = Self {
        max_retries: 0,
        on: Failures::ALL,
        backoff: Backoff::Immediate,
        first: First::Waits,
        after_refusal: None,
        guidance: Guidance::Ignored,
    };

    /// The longest wait before any retry, if a service says nothing or gives one of these hints.
    pub fn longest_wait(&self, hints: &[Hint]) -> Span {
        let refused = self.after_refusal.map_or(Span::ZERO, |backoff| backoff.longest());
        let own = self.backoff.longest().max(refused);
        let heeded = hints.iter().map(|hint| self.guidance.weigh(own, *hint));
        heeded.fold(own, |longest, decision| match decision {
            Decision::After(wait) | Decision::GiveUpAfter(wait) => longest.max(wait),
            Decision::GiveUp => longest,
        })
    }

    /// How many attempts a request can be expected to make at most within `horizon`, if each of them
    /// fails, after `attempt`, in this way and with this hint.
    pub fn attempts_within(
        &self,
        horizon: Span,
        attempt: Span,
        failure: Failure,
        hint: Hint,
    ) -> f64 {
        let (backoff, first) = self.after(failure);
        if !self.on.contains(failure) {
            return 1.0;
        }
        let sent_at_once = match first {
            First::AtOnce => 1.0,
            First::Waits => 0.0,
        };
        let wait = match self.guidance.weigh(backoff.brisk(), hint) {
            Decision::After(wait) | Decision::GiveUpAfter(wait) => wait,
            Decision::GiveUp => return 1.0,
        };
        let apart = (attempt + wait).as_secs_f64();
        // No time between attempts allows any number, and the quotient says so.
        let possible = 1.0 + sent_at_once + horizon.as_secs_f64() / apart;
        possible.min(1.0 + f64::from(self.max_retries))
    }

    /// Whether each request needs a [`Memory`] that is kept between its failures.
    pub fn remembers(&self) -> bool {
        self.backoff.remembers() || self.after_refusal.is_some_and(|backoff| backoff.remembers())
    }

    /// Whether [`Decision::GiveUpAfter`] can be an answer.
    pub fn may_stop(&self) -> bool {
        self.backoff.may_stop() || self.after_refusal.is_some_and(|backoff| backoff.may_stop())
    }

    /// The wait if, after a failure of this kind, it is always the same; a service's hints and a
    /// first retry that does not wait left out of account.
    pub const fn constant_wait(&self, failure: Failure) -> Option<Span> {
        self.after(failure).0.constant()
    }

    /// How many retries there may be and the wait before each, if after a failure of this kind, without
    /// a hint from the service, that is all there is to [`decide`](Self::decide).
    pub fn plain(&self, failure: Failure) -> Option<(u32, Span)> {
        let wait = self.constant_wait(failure)?;
        let waits = self.after(failure).1 == First::Waits || wait.is_zero();
        let asks_no_more = waits && self.on.contains(failure) && !self.may_stop();
        asks_no_more.then_some((self.max_retries, wait))
    }

    /// What becomes of a request that has made `retries` retries, the last of which (or the first
    /// attempt, if none) ended in `failure`, with `hint` in the answer if there was one.
    #[inline]
    pub fn decide(
        &self,
        retries: u32,
        failure: Failure,
        hint: Hint,
        memory: &mut Memory,
        bits: &mut impl Bits,
    ) -> Decision {
        if retries >= self.max_retries || !self.on.contains(failure) {
            return Decision::GiveUp;
        }
        let (backoff, first) = self.after(failure);
        let own = match first {
            First::AtOnce if retries == 0 => Span::ZERO,
            First::AtOnce | First::Waits => backoff.wait(retries, memory, bits),
        };
        match self.guidance.weigh(own, hint) {
            Decision::After(wait) if backoff.stops_after(retries) => Decision::GiveUpAfter(wait),
            decision @ (Decision::GiveUp | Decision::After(_) | Decision::GiveUpAfter(_)) => {
                decision
            }
        }
    }

    #[inline]
    const fn after(&self, failure: Failure) -> (&Backoff, First) {
        match (failure, &self.after_refusal) {
            (Failure::Refused, Some(backoff)) => (backoff, First::Waits),
            (
                Failure::Refused
                | Failure::TimedOut
                | Failure::Error
                | Failure::Reset
                | Failure::Unavailable,
                _,
            ) => (&self.backoff, self.first),
        }
    }
}

#[cfg(test)]
mod tests;
