//! Is a failed attempt tried again, and after which wait?
//!
//! Whose memory it is: the request's, and all of it is the number of retries made so far.

mod backoff;

pub use backoff::{Backoff, Exponential};

use crate::time::Span;

/// A client's retry policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    /// Retries after the first attempt, which is not counted: 3 retries are 4 attempts.
    pub max_retries: u32,
    /// The wait before each retry.
    pub backoff: Backoff,
    /// The wait after a refusal, where it differs from the wait after a timeout.
    pub after_refusal: Option<Span>,
}

/// How an attempt failed, as the client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No answer within the timeout.
    TimedOut,
    /// The service said no on arrival.
    Refused,
    /// The service answered with an error.
    Error,
    /// The connection broke while the attempt was waiting or in service.
    Reset,
    /// There was no service to talk to.
    Unavailable,
}

/// What becomes of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The request fails.
    GiveUp,
    /// The next attempt leaves after this wait.
    After(Span),
}

impl Retry {
    /// Never tries again.
    pub const NEVER: Self =
        Self { max_retries: 0, backoff: Backoff::Immediate, after_refusal: None };

    /// The longest wait before any retry.
    pub fn longest_wait(&self) -> Span {
        match self.after_refusal {
            Some(wait) => self.backoff.longest().max(wait),
            None => self.backoff.longest(),
        }
    }

    /// What becomes of a request that has made `retries` retries, the last of which (or the first
    /// attempt, if none) ended in `failure`.
    #[inline]
    pub fn decide(&self, retries: u32, failure: Failure) -> Decision {
        if retries >= self.max_retries {
            return Decision::GiveUp;
        }
        match (failure, self.after_refusal) {
            (Failure::Refused, Some(wait)) => Decision::After(wait),
            (Failure::Refused, None)
            | (Failure::TimedOut | Failure::Error | Failure::Reset | Failure::Unavailable, _) => {
                Decision::After(self.backoff.wait(retries))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_retries_are_four_attempts() {
        let retry = Retry { max_retries: 3, ..Retry::NEVER };
        let decisions: Vec<_> =
            (0..4).map(|retries| retry.decide(retries, Failure::TimedOut)).collect();
        let again = Decision::After(Span::ZERO);
        assert_eq!(decisions, [again, again, again, Decision::GiveUp]);
    }

    #[test]
    fn a_refusal_may_have_its_own_wait() {
        let wait = Span::from_millis(100);
        let retry = Retry { max_retries: 1, after_refusal: Some(wait), ..Retry::NEVER };
        assert_eq!(retry.decide(0, Failure::Refused), Decision::After(wait));
        assert_eq!(retry.decide(0, Failure::TimedOut), Decision::After(Span::ZERO));
        assert_eq!(retry.decide(1, Failure::Refused), Decision::GiveUp);
    }
}
