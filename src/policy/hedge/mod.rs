//! Is another copy sent of an attempt that is still out, and when?
//!
//! Whose memory it is: the request's ([`Copies`]), and for a delay by percentile one [`Pace`] for all
//! requests of a client. Whether hedges ask the retry budget is the budget's own parameter
//! ([`Budget::hedges`](super::budget::Budget)).
//!
//! All copies of one try stand or fall together: the try succeeds with the first good answer and
//! fails with [`Step::TryFails`], which is then a failure to retry like any other. Asked and told at
//! these moments:
//!
//! * [`Pace::next`] when a copy has left, the first one included: when the next one is due;
//! * [`Hedge::after_failure`] when a copy has failed, after the budget was told;
//! * [`Hedge::after_denial`] when the budget has denied a copy that was due. No further copy of the
//!   try is asked for then, and a try that has nothing out has failed: it must not wait for a timer
//!   that stands for nothing (grpc-java #7222);
//! * [`Pace::learned`] when a try was answered well, with the time since its first copy was ready. A
//!   try takes longer than the delay just when its first copy does, as no other can answer sooner; so
//!   this percentile is that of the first copies. The time of whichever copy answered would lack the
//!   slow ones, which lose, and the delay would creep down.

mod latencies;

pub use latencies::{Latencies, Percentile};

use std::num::NonZeroU32;

use super::outcome::{Failure, Failures};
use crate::time::Span;

/// A client's hedging policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hedge {
    /// When another copy leaves.
    pub delay: Delay,
    /// Copies of one try beyond the first: gRPC's `maxAttempts` less one.
    pub extra: NonZeroU32,
    /// What a failed copy means for the next one.
    pub on_failure: OnFailure,
    /// The failures that end the try whatever else is out.
    pub fatal: Failures,
    /// What becomes of the copies still out when the try has ended.
    pub losers: Losers,
}

/// How long after a copy the next one leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// Always so long; nothing sends all copies at once.
    Fixed(Span),
    /// As long as most attempts took lately.
    Percentile(Percentile),
    /// Only when a copy has failed.
    AfterFailureOnly,
}

/// What a failed copy means for the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// It leaves at once (gRPC).
    #[default]
    SendsNext,
    /// It leaves when it is due.
    Waits,
}

/// What becomes of the copies still out when the try has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Losers {
    /// They are withdrawn; what that means to the service is the service's affair.
    #[default]
    Cancelled,
    /// They run on, and their answers are for nobody.
    RunOn,
}

/// What there is of one try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Copies sent, the first included.
    pub sent: u32,
    /// Copies still out.
    pub out: u32,
    /// Whether the budget has denied one.
    pub denied: bool,
}

/// When the next copy is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// So long after the last one left.
    After(Span),
    /// Not before one fails.
    AfterFailure,
    /// There is none.
    NoMore,
}

/// What becomes of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next copy asks to leave now, and a timer for it means nothing any more.
    SendsNow,
    /// It waits for what is out or due.
    Waits,
    /// It has failed.
    TryFails,
}

impl Hedge {
    fn has_more(&self, copies: Copies) -> bool {
        !copies.denied && copies.sent <= self.extra.get()
    }

    /// What becomes of a try of which a copy has failed; `copies` are those after the failure.
    pub fn after_failure(&self, failure: Failure, copies: Copies) -> Step {
        if self.fatal.contains(failure) {
            return Step::TryFails;
        }
        let more = self.has_more(copies);
        match (more, self.on_failure, self.delay) {
            (true, OnFailure::SendsNext, _) | (true, OnFailure::Waits, Delay::AfterFailureOnly) => {
                Step::SendsNow
            }
            (true, OnFailure::Waits, Delay::Fixed(_) | Delay::Percentile(_)) => Step::Waits,
            (false, ..) if copies.out > 0 => Step::Waits,
            (false, ..) => Step::TryFails,
        }
    }

    /// What becomes of a try of which a copy was due that the budget has denied.
    pub const fn after_denial(&self, copies: Copies) -> Step {
        if copies.out > 0 { Step::Waits } else { Step::TryFails }
    }

    /// What the client remembers for it.
    pub fn open(&self) -> Pace {
        match self.delay {
            Delay::Fixed(delay) => Pace::Fixed(delay),
            Delay::Percentile(percentile) => Pace::Percentile(Latencies::new(percentile)),
            Delay::AfterFailureOnly => Pace::AfterFailureOnly,
        }
    }
}

/// What hedging remembers during a run.
#[derive(Clone, Debug)]
pub enum Pace {
    /// Nothing: the delay.
    Fixed(Span),
    /// How long attempts took.
    Percentile(Latencies),
    /// Nothing.
    AfterFailureOnly,
}

impl Pace {
    /// When the next copy is due of a try of which `copies` were sent.
    #[inline]
    pub fn next(&self, hedge: &Hedge, copies: Copies) -> Next {
        if !hedge.has_more(copies) {
            return Next::NoMore;
        }
        match self {
            Self::Fixed(delay) => Next::After(*delay),
            Self::Percentile(latencies) => Next::After(latencies.delay()),
            Self::AfterFailureOnly => Next::AfterFailure,
        }
    }

    /// A try was answered well, `took` after its first copy was ready.
    #[inline]
    pub fn learned(&mut self, took: Span) {
        match self {
            Self::Percentile(latencies) => latencies.record(took),
            Self::Fixed(_) | Self::AfterFailureOnly => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::budget::{Extra, Permission, Receipt, Rule, TokenThreshold};
    use crate::policy::outcome::Outcome;
    use crate::time::Time;

    fn grpc() -> Hedge {
        Hedge {
            delay: Delay::Fixed(Span::from_secs(1)),
            extra: NonZeroU32::new(2).unwrap(),
            on_failure: OnFailure::SendsNext,
            fatal: Failures::of(&[Failure::Error]),
            losers: Losers::Cancelled,
        }
    }

    fn copies(sent: u32, out: u32) -> Copies {
        Copies { sent, out, denied: false }
    }

    /// Case A15: a bucket of ten tokens at six. The first copy fails after 4 ms, the hedge is
    /// throttled, and the request fails there and then.
    #[test]
    fn a_throttled_hedge_does_not_hang() {
        let rule = Rule::TokenThreshold(TokenThreshold {
            max_tokens: 10,
            ratio_thousandths: 100,
            counted: Failures::ALL,
        });
        let budget = crate::policy::budget::Budget::from(rule);
        let (mut ledger, mut receipt) = (budget.open(), Receipt::default());
        let failed = Outcome::Failed(Failure::Unavailable);
        (0..4).for_each(|_| ledger.ended(Time::ZERO, failed, &mut receipt));
        let now = Time::ZERO + Span::from_millis(4);
        ledger.ended(now, failed, &mut receipt);
        let hedge = grpc();
        assert_eq!(hedge.after_failure(Failure::Unavailable, copies(1, 0)), Step::SendsNow);
        assert_eq!(ledger.withdraw(now, Extra::Hedge, &mut receipt), Permission::Denied);
        let denied = Copies { denied: true, ..copies(1, 0) };
        assert_eq!(hedge.after_denial(denied), Step::TryFails);
        // With another copy out, that one decides, and no further copy is asked for.
        let denied = Copies { denied: true, ..copies(2, 1) };
        assert_eq!(hedge.after_denial(denied), Step::Waits);
        assert_eq!(hedge.open().next(&hedge, denied), Next::NoMore);
    }

    #[test]
    fn copies_are_counted_with_the_first() {
        let hedge = grpc();
        let next = [1, 2, 3].map(|sent| hedge.open().next(&hedge, copies(sent, sent)));
        let after = Next::After(Span::from_secs(1));
        assert_eq!(next, [after, after, Next::NoMore]);
    }

    #[test]
    fn a_try_fails_with_its_last_copy_or_a_fatal_one() {
        let check = |hedge: Hedge, failure, copies, expected| {
            assert_eq!(hedge.after_failure(failure, copies), expected, "{hedge:?} {copies:?}");
        };
        let reset = Failure::Reset;
        check(grpc(), reset, copies(1, 0), Step::SendsNow);
        check(grpc(), reset, copies(3, 1), Step::Waits);
        check(grpc(), reset, copies(3, 0), Step::TryFails);
        check(grpc(), Failure::Error, copies(2, 1), Step::TryFails);
        let waits = Hedge { on_failure: OnFailure::Waits, ..grpc() };
        check(waits, reset, copies(1, 0), Step::Waits);
        check(waits, reset, copies(3, 0), Step::TryFails);
        let only = Hedge { delay: Delay::AfterFailureOnly, ..waits };
        check(only, reset, copies(1, 0), Step::SendsNow);
        assert_eq!(only.open().next(&only, copies(1, 1)), Next::AfterFailure);
    }
}
