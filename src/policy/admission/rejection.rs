//! What does it cost to say no?
//!
//! Whose memory it is: nobody's.

use crate::time::Span;

/// The price of a refusal. A server that spends a millisecond of a worker on each "too busy" can be
/// kept down by its refusals alone, and a simulation in which they are free cannot show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rejection {
    /// The client hears at once, and no worker does anything.
    #[default]
    Free,
    /// The client hears after this length; no worker does anything. A proxy or a kernel says no, or
    /// the way there and back counts.
    Late(Span),
    /// A worker says no, and that takes it this long; the client hears then. The engine keeps what
    /// is to be refused in a line of its own that idle workers serve before the queue, and a stall
    /// freezes it like any work. It is neither served nor wasted work, and it is counted apart.
    ByWorker(Span),
}

impl Rejection {
    /// The shortest time from an attempt's arrival to its refusal.
    pub const fn at_least(&self) -> Span {
        match self {
            Self::Free => Span::ZERO,
            Self::Late(length) | Self::ByWorker(length) => *length,
        }
    }

    /// Time of a worker that a refusal takes.
    pub const fn work(&self) -> Span {
        match self {
            Self::Free | Self::Late(_) => Span::ZERO,
            Self::ByWorker(length) => *length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_worker_costs_work() {
        let length = Span::from_millis(1);
        let check = |rejection: Rejection, at_least, work| {
            assert_eq!((rejection.at_least(), rejection.work()), (at_least, work));
        };
        check(Rejection::Free, Span::ZERO, Span::ZERO);
        check(Rejection::Late(length), length, Span::ZERO);
        check(Rejection::ByWorker(length), length, length);
    }
}
