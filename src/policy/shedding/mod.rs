//! Is an attempt still worth serving when a worker picks it up?
//!
//! Whose memory it is: nobody's; the attempt carries the instant at which its client gives up.

use crate::time::{Span, Time};

/// A service's shedding policy, asked at pick-up. What is shed is dropped without an answer: its
/// client has given up, or will before an answer could reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shedding {
    /// Everything is served, even what nobody waits for.
    Never,
    /// What its client has already given up is dropped. Under overload a FIFO queue then serves
    /// whatever is nearest to its deadline, and finishes it late.
    Expired,
    /// What cannot be finished before its client gives up is dropped; the service knows the work.
    Unfinishable,
}

/// What becomes of a picked-up attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is served.
    Served,
    /// It is dropped.
    Shed,
}

impl Shedding {
    /// The fate of an attempt that needs `work` and whose client gives up at `deadline`.
    ///
    /// A completion at the very instant of the deadline is in time, as everywhere.
    #[inline]
    pub fn judge(self, now: Time, work: Span, deadline: Time) -> Fate {
        let hopeless = match self {
            Self::Never => false,
            Self::Expired => now >= deadline,
            Self::Unfinishable => now + work > deadline,
        };
        if hopeless { Fate::Shed } else { Fate::Served }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_useful_instant_counts_as_in_time() {
        let work = Span::from_millis(10);
        let deadline = Time::ZERO + Span::from_millis(100);
        let check = |policy: Shedding, now_ms, expected| {
            let now = Time::ZERO + Span::from_millis(now_ms);
            assert_eq!(policy.judge(now, work, deadline), expected, "{policy:?} at {now_ms} ms");
        };
        check(Shedding::Never, 1_000, Fate::Served);
        check(Shedding::Expired, 99, Fate::Served);
        check(Shedding::Expired, 100, Fate::Shed);
        check(Shedding::Unfinishable, 90, Fate::Served);
        check(Shedding::Unfinishable, 91, Fate::Shed);
    }
}
