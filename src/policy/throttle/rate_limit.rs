//! May this attempt leave, if the client keeps to a rate of its own?
//!
//! Whose memory it is: one bucket for all requests of a client, as the one instant at which it would
//! be full again. In whole nanoseconds, so that a limit of 5/s lets five through in a second and not
//! now and then six (the virtual scheduling algorithm of ITU-T I.371).

use super::{Kind, Turn};
use crate::time::{Span, Time};
use crate::unit::Rate;

/// Parameters of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// From one token to the next.
    interval: Span,
    /// How many may leave at once after a rest, less the one that leaves.
    slack: Span,
    at_empty: AtEmpty,
    again: Again,
}

/// What becomes of an attempt for which there is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtEmpty {
    /// It waits for the next one, behind those that wait already.
    #[default]
    Waits,
    /// It is dropped.
    Drops,
}

/// Whether retries and hedges take tokens as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Again {
    /// They do.
    #[default]
    Metered,
    /// They pass: a limit of 5/s with ten retries is then 55/s (kubernetes #34938).
    Passes,
}

impl RateLimit {
    /// At most `rate`, and `burst` at once after a rest.
    ///
    /// None for a burst of nothing, which would let nothing through, and for more than a thousand
    /// million a second.
    pub fn new(rate: Rate, burst: u32, at_empty: AtEmpty, again: Again) -> Option<Self> {
        // Rounded up: a token that comes a nanosecond early would be one too many now and then.
        let interval = Span::from_nanos(rate.mean_gap_nanos().ceil() as u64);
        (burst > 0 && rate.per_second() <= 1e9).then_some(Self {
            interval,
            slack: interval.saturating_mul(u64::from(burst.saturating_sub(1))),
            at_empty,
            again,
        })
    }
}

/// When the bucket is full again.
#[derive(Clone, Debug)]
pub struct Limiter {
    limit: RateLimit,
    full_at: Time,
}

impl Limiter {
    /// A full bucket.
    pub const fn new(limit: RateLimit) -> Self {
        Self { limit, full_at: Time::ZERO }
    }

    /// Whether an attempt may leave that waits no longer than `longest`.
    pub fn ask(&mut self, now: Time, kind: Kind, longest: Span) -> Turn {
        match (kind, self.limit.again) {
            (Kind::Again, Again::Passes) => return Turn::Now,
            (Kind::First, _) | (Kind::Again, Again::Metered) => {}
        }
        let full_at = self.full_at.max(now);
        let wait = full_at.since(now + self.limit.slack);
        if !wait.is_zero() && self.limit.at_empty == AtEmpty::Drops {
            return Turn::Dropped;
        }
        if wait > longest {
            return Turn::TooLate;
        }
        self.full_at = full_at + self.limit.interval;
        if wait.is_zero() { Turn::Now } else { Turn::After(wait) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limiter(per_second: f64, burst: u32, at_empty: AtEmpty, again: Again) -> Limiter {
        let rate = Rate::new(per_second).unwrap();
        Limiter::new(RateLimit::new(rate, burst, at_empty, again).unwrap())
    }

    /// Case A17: 5/s with a burst of 1 and requests without end, each answered at once with "come
    /// back in a second", ten times. Sends in each second.
    fn sends(again: Again) -> Vec<u32> {
        let mut limiter = limiter(5.0, 1, AtEmpty::Waits, again);
        let second = Span::from_secs(1);
        let mut sends = vec![0; 30];
        // A first attempt asks as soon as the one before has left; its retries ask when they are due.
        let mut due: std::collections::BTreeMap<(Time, u32), u32> = [((Time::ZERO, 0), 0)].into();
        let mut next = 1;
        while let Some(((now, id), retry)) = due.pop_first() {
            let kind = if retry == 0 { Kind::First } else { Kind::Again };
            let leaves = match limiter.ask(now, kind, Span::MAX) {
                Turn::Now => now,
                Turn::After(wait) => now + wait,
                Turn::Dropped | Turn::TooLate | Turn::InLine(..) => panic!("this one waits"),
            };
            let Some(sent) = sends.get_mut(second.times_in(leaves.since(Time::ZERO)) as usize)
            else {
                break;
            };
            *sent += 1;
            if retry < 10 {
                due.insert((leaves + second, id), retry + 1);
            }
            if retry == 0 {
                due.insert((leaves, next), 0);
                next += 1;
            }
        }
        sends
    }

    #[test]
    fn retries_that_pass_multiply_the_rate() {
        let metered = sends(Again::Metered);
        assert!(metered.iter().all(|&sends| sends <= 5), "{metered:?}");
        let passing = sends(Again::Passes);
        assert!(passing[11..29].iter().all(|&sends| sends == 55), "{passing:?}");
    }

    #[test]
    fn a_rest_is_worth_a_burst_and_no_more() {
        let mut limiter = limiter(10.0, 3, AtEmpty::Drops, Again::Metered);
        let later = Time::ZERO + Span::from_secs(100);
        let mut passed =
            |now| (0..9).filter(|_| limiter.ask(now, Kind::First, Span::MAX) == Turn::Now).count();
        assert_eq!(passed(later), 3);
        assert_eq!(passed(later), 0);
        assert_eq!(passed(later + Span::from_millis(100)), 1);
    }

    #[test]
    fn a_burst_of_nothing_is_no_limit() {
        let rate = Rate::new(1.0).unwrap();
        assert_eq!(RateLimit::new(rate, 0, AtEmpty::Waits, Again::Metered), None);
    }

    proptest! {
        /// In any stretch of time at most rate x stretch + burst leave, whether they wait or not.
        #[test]
        fn never_more_than_its_rule(
            per_second in 0.1..1e6_f64, burst in 1_u32..20, waits in any::<bool>(),
            gaps in prop::collection::vec(0_u64..2_000_000_000, 1..200),
        ) {
            let at_empty = if waits { AtEmpty::Waits } else { AtEmpty::Drops };
            let mut limiter = limiter(per_second, burst, at_empty, Again::Metered);
            let (mut now, mut left) = (Time::ZERO, Vec::new());
            for gap in gaps {
                now += Span::from_nanos(gap);
                match limiter.ask(now, Kind::First, Span::MAX) {
                    Turn::Now => left.push(now),
                    Turn::After(wait) => left.push(now + wait),
                    Turn::Dropped | Turn::TooLate | Turn::InLine(..) => prop_assert!(!waits),
                }
            }
            prop_assert!(left.is_sorted());
            for (index, first) in left.iter().enumerate() {
                for (count, last) in left[index..].iter().enumerate() {
                    let most = last.since(*first).as_secs_f64() * per_second + f64::from(burst);
                    prop_assert!((count + 1) as f64 <= most + 1e-6);
                }
            }
        }
    }
}
