//! Is this attempt sent at all, given how those before it ended?
//!
//! Whose memory it is: one [`Circuit`] for all requests of a client, or for each of its instances. Ten
//! small clients with a circuit each see a tenth of the calls each, and may never reach the minimum
//! at which one shared circuit opens.
//!
//! Told and asked at these moments:
//!
//! * [`Circuit::ask`] when an attempt is about to leave, after everything else has let it go (or, for
//!   a breaker outside the retry, when a request arrives). A rejected attempt has failed with
//!   [`Failure::Unavailable`](super::outcome::Failure) and is not reported back;
//! * [`Circuit::report`] when an attempt that was let through ends, before its retry is decided;
//! * [`Circuit::cancelled`] when it ends with no result: withdrawn by the caller, lost as a hedge.
//!
//! Nothing happens by itself: a circuit whose open time is over is half-open from the next question
//! on, and a look that was due between two questions is taken at the instant at which it was due.

mod circuit;
mod tally;

pub use circuit::{Circuit, Passage, State, Ticket};

use std::num::NonZeroU32;

use super::outcome::Failures;
use super::retry::Exponential;
use crate::time::Span;
use crate::unit::Fraction;

/// A circuit breaker's parameters.
///
/// A breaker that opens after `n` failures in a row is one with a window of `n` calls, all of which
/// must have failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breaker {
    /// Whether it is asked for attempts or for requests.
    pub position: Position,
    /// Which calls are looked at.
    pub window: Window,
    /// The failures that count as such. Any other end of an attempt counts as good.
    pub counted: Failures,
    /// The share of failed calls that opens it; none for a breaker that looks at slow calls alone.
    pub failed: Option<Limit>,
    /// The share of slow calls that opens it.
    pub slow: Option<Slow>,
    /// With fewer calls than this in the window it does not open. In a window of fewer calls, the
    /// window's number (resilience4j #2172).
    pub minimum_calls: u32,
    /// How long it stays open; the n-th time in a row as long as the n-th wait.
    pub open: Exponential,
    /// Whether the very instant at which the open time ends is part of it.
    pub ends: Ends,
    /// What is let through to find out whether the service is back.
    pub half_open: HalfOpen,
    /// Whether results are told apart by when their attempts left.
    pub results: Results,
    /// When the closed circuit decides.
    pub evaluated: Evaluated,
}

/// Whether a breaker is asked for attempts or for requests, which decides what a call is to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// Every attempt asks, and its own end is reported.
    #[default]
    InsideRetry,
    /// A request asks once, before its first attempt, and how it ends is reported. What is rejected is
    /// not retried.
    OutsideRetry,
}

/// Which calls are looked at. All of them are forgotten when the circuit closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The last so many.
    Count(NonZeroU32),
    /// Those of the last while, in ten slots.
    Time(Span),
}

/// A share of calls from which on something is too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The share.
    pub share: Fraction,
    /// Whether the share itself is too much.
    pub comparison: Comparison,
}

/// Whether a limit itself is too much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    /// It is.
    #[default]
    AtLeast,
    /// Only more than it is.
    MoreThan,
}

/// When slow calls open the circuit, whether they succeed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slow {
    /// Calls that take longer are slow.
    pub longer_than: Span,
    /// The share of slow calls that is too much.
    pub limit: Limit,
}

/// Whether the very instant at which the open time ends is part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    /// An attempt at that instant is a trial.
    #[default]
    AtTheInstant,
    /// An attempt at that instant is rejected, a later one is a trial (Hystrix).
    AfterTheInstant,
}

/// What is let through a half-open circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfOpen {
    /// Which attempts.
    pub trials: Trials,
    /// What becomes of the permit of a trial that ends without a result.
    pub cancelled: Cancelled,
    /// What happens if it has not been decided for a while; none waits for ever.
    pub longest: Option<Stay>,
}

/// Which attempts a half-open circuit lets through as trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trials {
    /// So many, and it decides when all of them have ended.
    Permits(NonZeroU32),
    /// Each with this probability, and it decides when so many have ended.
    Share {
        /// The probability.
        share: Fraction,
        /// After how many results it decides.
        decided_after: NonZeroU32,
    },
}

/// What becomes of the permit of a trial that ends without a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cancelled {
    /// Another attempt gets it.
    #[default]
    Returned,
    /// It is lost: with its last permit the circuit is stuck (resilience4j #903).
    Lost,
}

/// A bound on how long a circuit stays half-open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// How long.
    pub longest: Span,
    /// What happens then.
    pub then: StayEnd,
}

/// What happens to a circuit that has been half-open for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StayEnd {
    /// It opens again, as after failed trials (resilience4j).
    Opens,
    /// It stays half-open with all of its permits back and no results (Polly before version 8).
    Renews,
}

/// Whether results are told apart by when their attempts left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Results {
    /// Only results of attempts that left since the circuit last changed count.
    #[default]
    Tagged,
    /// Whatever result comes counts for the state that it meets: a late answer to an attempt from
    /// before the outage closes a half-open circuit.
    Untagged,
}

/// When the closed circuit decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluated {
    /// At each result.
    #[default]
    AtEachResult,
    /// At the multiples of this length, before whatever else happens at that instant (Hystrix, 500
    /// ms): until then everything passes. Not zero.
    Every(Span),
}

impl Breaker {
    /// A circuit, closed.
    pub fn open(&self) -> Circuit {
        Circuit::new(*self)
    }
}

impl HalfOpen {
    /// So many trials, permits returned, for as long as it takes.
    pub const fn permits(permits: NonZeroU32) -> Self {
        Self { trials: Trials::Permits(permits), cancelled: Cancelled::Returned, longest: None }
    }
}

impl Limit {
    /// `share` itself is too much.
    pub const fn at_least(share: Fraction) -> Self {
        Self { share, comparison: Comparison::AtLeast }
    }

    /// Whether `part` of `whole` is too much.
    const fn is_reached(self, part: u64, whole: u64) -> bool {
        match self.comparison {
            Comparison::AtLeast => self.share.complement().covers(whole - part, whole),
            Comparison::MoreThan => !self.share.covers(part, whole),
        }
    }
}

#[cfg(test)]
mod tests;
