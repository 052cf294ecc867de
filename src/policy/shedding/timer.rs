//! When is an attempt taken out of the queue without waiting for its turn?
//!
//! Whose memory it is: nobody's; the instant is known when the attempt joins the queue.

use crate::time::{Span, Time};

/// A timer on every attempt that waits. Unlike a check at pick-up it shortens the queue while no
/// worker is idle, so a bound on the number waiting refuses fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueTimer {
    /// It leaves when its client gives up.
    AtDeadline,
    /// It leaves after waiting this long, whatever its client does.
    After(Span),
}

impl QueueTimer {
    /// When an attempt leaves that waits since `since` and whose client gives up at `deadline`;
    /// [`Time::NEVER`] if it may wait for ever. What a worker takes at that very instant it takes
    /// too late.
    #[inline]
    pub fn expires(&self, since: Time, deadline: Time) -> Time {
        match self {
            Self::AtDeadline => deadline,
            Self::After(length) => since + *length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiry_is_known_in_advance() {
        let at = |secs| Time::ZERO + Span::from_secs(secs);
        assert_eq!(QueueTimer::AtDeadline.expires(at(1), at(9)), at(9));
        assert_eq!(QueueTimer::AtDeadline.expires(at(1), Time::NEVER), Time::NEVER);
        assert_eq!(QueueTimer::After(Span::from_secs(15)).expires(at(1), at(9)), at(16));
        assert_eq!(QueueTimer::After(Span::MAX).expires(at(1), at(9)), Time::NEVER);
    }
}
