//! May this attempt leave now, given how the service has answered lately or how fast the client
//! wants to be?
//!
//! Whose memory it is: one [`Valve`] for all requests of a client, or for each of its instances.
//! A budget ([`budget`](super::budget)) is about retries alone; a throttle stands before every
//! attempt, first ones included.
//!
//! Told and asked at these moments:
//!
//! * [`Valve::ask`] when an attempt is ready to leave, after the budget and before the breaker. An
//!   answer of [`Turn::After`] has reserved the attempt's place: it leaves then and does not ask
//!   again, and its wait is part of the request's latency. One of [`Turn::InLine`] has given it a place
//!   in a line, whose pace may change: it asks again by [`Valve::look`], or leaves by [`Valve::leave`];
//! * [`Valve::answered`] when the client learns how an attempt ended that was let through.

mod adaptive;
mod cubic;
mod rate_limit;

pub use adaptive::{Acceptance, Adaptive};
pub use cubic::{Cubic, LOOKS_PER_SECOND, SendRate, Ticket};
pub use rate_limit::{Again, AtEmpty, Limiter, RateLimit};

use super::outcome::Outcome;
use crate::random::Bits;
use crate::time::{Span, Time};

/// A client's throttle, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Throttle {
    /// Drops a share of attempts that grows with the share that the service does not accept.
    Adaptive(Adaptive),
    /// Follows a send rate that falls when the service throttles and grows back.
    Cubic(Cubic),
    /// Keeps to a rate of its own.
    RateLimit(RateLimit),
}

/// Which attempt asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first of a request.
    First,
    /// A retry or a hedge.
    Again,
}

/// Whether an attempt may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// At once.
    Now,
    /// After this wait.
    After(Span),
    /// Perhaps after this wait: then it asks anew, with this ticket.
    InLine(Ticket, Span),
    /// Never: it fails on the client's side, without having been sent.
    Dropped,
    /// Its turn would come later than it waits. Nothing has been reserved for it (Go's
    /// `rate.Limiter.Wait` under a deadline).
    TooLate,
}

/// What a throttle remembers during a run.
#[derive(Clone, Debug)]
pub enum Valve {
    /// Of a [`Throttle::Adaptive`].
    Adaptive(Acceptance),
    /// Of a [`Throttle::Cubic`].
    Cubic(SendRate),
    /// Of a [`Throttle::RateLimit`].
    RateLimit(Limiter),
}

impl Throttle {
    /// A valve through which nothing has passed.
    pub fn open(&self) -> Valve {
        match self {
            Self::Adaptive(throttle) => Valve::Adaptive(Acceptance::new(*throttle)),
            Self::Cubic(throttle) => Valve::Cubic(SendRate::new(*throttle)),
            Self::RateLimit(limit) => Valve::RateLimit(Limiter::new(*limit)),
        }
    }
}

impl Valve {
    /// Whether an attempt may leave that waits no longer than `longest`.
    #[inline]
    pub fn ask(&mut self, now: Time, kind: Kind, longest: Span, bits: &mut impl Bits) -> Turn {
        match self {
            Self::Adaptive(valve) => valve.ask(now, bits),
            Self::Cubic(valve) => valve.ask(now, longest),
            Self::RateLimit(valve) => valve.ask(now, kind, longest),
        }
    }

    /// Whether an attempt may leave that stands in line with a ticket.
    pub fn look(&mut self, now: Time, ticket: Ticket, longest: Span) -> Turn {
        match self {
            Self::Cubic(valve) => valve.look(now, ticket, longest),
            Self::Adaptive(_) | Self::RateLimit(_) => Turn::Now,
        }
    }

    /// An attempt that stands in line with a ticket is not needed any more.
    pub const fn leave(&mut self) {
        match self {
            Self::Cubic(valve) => valve.leave(),
            Self::Adaptive(_) | Self::RateLimit(_) => {}
        }
    }

    /// An attempt that was let through has ended so.
    #[inline]
    pub fn answered(&mut self, now: Time, outcome: Outcome) {
        match self {
            Self::Adaptive(valve) => valve.answered(now, outcome),
            Self::Cubic(valve) => valve.answered(now, outcome),
            Self::RateLimit(_) => {}
        }
    }
}
