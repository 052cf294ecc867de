//! How long does a client wait before a retry?
//!
//! Whose memory it is: the request's, through the number of retries made so far and, for some laws,
//! a [`Memory`] of the wait before.

use super::decorrelated::{Decorrelated, DoublingRange, Memory, SmoothDoubling};
use super::growth::{Exponential, Growth, Linear};
use super::jitter::Jitter;
use crate::random::Bits;
use crate::time::Span;

/// The wait before retry number `n`, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Backoff {
    /// No wait.
    Immediate,
    /// The same for everybody: clients that failed together return together.
    Steady(Growth),
    /// Spread around what grows.
    Jittered(Growth, Jitter),
    /// Drawn from the wait before.
    Decorrelated(Decorrelated),
    /// Drawn from a range that doubles (Envoy).
    DoublingRange(DoublingRange),
    /// Drawn so that the totals double smoothly (Polly).
    SmoothDoubling(SmoothDoubling),
}

impl Backoff {
    /// The same wait every time.
    pub const fn fixed(wait: Span) -> Self {
        Self::Steady(Growth::Fixed(wait))
    }

    /// The wait before retry number `retry`, counted from zero, of the request whose `memory` this
    /// is.
    #[inline]
    pub fn wait(&self, retry: u32, memory: &mut Memory, bits: &mut impl Bits) -> Span {
        match self {
            Self::Immediate => Span::ZERO,
            Self::Steady(growth) => growth.wait(retry),
            Self::Jittered(..)
            | Self::Decorrelated(_)
            | Self::DoublingRange(_)
            | Self::SmoothDoubling(_) => self.draw(retry, memory, bits),
        }
    }

    /// Out of line, so that waits without chance cost what they cost without it.
    #[inline(never)]
    fn draw(&self, retry: u32, memory: &mut Memory, bits: &mut impl Bits) -> Span {
        match self {
            Self::Immediate => Span::ZERO,
            Self::Steady(growth) => growth.wait(retry),
            Self::Jittered(growth, jitter) => jitter.draw(growth, retry, bits),
            Self::Decorrelated(law) => law.draw(memory, bits),
            Self::DoublingRange(law) => law.draw(retry, bits),
            Self::SmoothDoubling(law) => law.draw(retry, memory, bits),
        }
    }

    /// The wait if it is always the same.
    pub const fn constant(&self) -> Option<Span> {
        match self {
            Self::Immediate => Some(Span::ZERO),
            Self::Steady(Growth::Fixed(wait)) => Some(*wait),
            Self::Steady(Growth::Exponential(_) | Growth::Linear(_))
            | Self::Jittered(..)
            | Self::Decorrelated(_)
            | Self::DoublingRange(_)
            | Self::SmoothDoubling(_) => None,
        }
    }

    /// The longest wait there can be.
    pub fn longest(&self) -> Span {
        match self {
            Self::Immediate => Span::ZERO,
            Self::Steady(growth) => growth.longest(),
            Self::Jittered(growth, jitter) => jitter.longest(growth),
            Self::Decorrelated(law) => law.cap,
            Self::DoublingRange(law) => law.cap(),
            Self::SmoothDoubling(law) => law.cap,
        }
    }

    /// A wait from which the waits of a request grow, on average: the first one, or half its mean
    /// where chance draws it. What bounds the number of retries that time has room for.
    pub(super) fn brisk(&self) -> Span {
        match self {
            Self::Immediate => Span::ZERO,
            Self::Steady(growth) => growth.wait(0),
            Self::Jittered(growth, jitter) => half(jitter.middle(growth)),
            Self::Decorrelated(law) => law.base.min(law.cap),
            Self::DoublingRange(law) => half(half(law.base())),
            // Half of its first waits are longer than 0.9 of its base.
            Self::SmoothDoubling(law) => half(half(law.base)).min(law.cap),
        }
    }

    /// Whether a wait depends on the wait before, and so needs a [`Memory`] that is kept.
    pub const fn remembers(&self) -> bool {
        match self {
            Self::Immediate | Self::Steady(_) | Self::Jittered(..) | Self::DoublingRange(_) => {
                false
            }
            Self::Decorrelated(_) | Self::SmoothDoubling(_) => true,
        }
    }

    /// Whether a request may end in a wait.
    pub(super) const fn may_stop(&self) -> bool {
        match self {
            Self::Steady(growth) | Self::Jittered(growth, _) => growth.may_stop(),
            Self::Immediate
            | Self::Decorrelated(_)
            | Self::DoublingRange(_)
            | Self::SmoothDoubling(_) => false,
        }
    }

    /// Whether the wait before retry `retry` is the last thing that the request does.
    pub(super) fn stops_after(&self, retry: u32) -> bool {
        match self {
            Self::Steady(growth) | Self::Jittered(growth, _) => growth.stops_after(retry),
            Self::Immediate
            | Self::Decorrelated(_)
            | Self::DoublingRange(_)
            | Self::SmoothDoubling(_) => false,
        }
    }
}

const fn half(span: Span) -> Span {
    Span::from_nanos(span.as_nanos() / 2)
}

impl From<Exponential> for Backoff {
    fn from(growth: Exponential) -> Self {
        Self::Steady(Growth::Exponential(growth))
    }
}

impl From<Linear> for Backoff {
    fn from(growth: Linear) -> Self {
        Self::Steady(Growth::Linear(growth))
    }
}
