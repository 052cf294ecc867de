//! Is an attempt let in, if only so many per second are?
//!
//! Whose memory it is: the service's.
//!
//! A token bucket, kept as the instant at which it would be full again (the virtual scheduling form
//! of ITU-T I.371, annex A): no token is ever dripped, and no fraction of one is lost to rounding
//! between two arrivals. Instants are kept in 65,536ths of a nanosecond, so that a rate that does not
//! divide a second stays right to a billionth over any run.

use std::num::NonZeroU32;

use super::Welcome;
use crate::time::Time;
use crate::unit::Rate;

/// Fine instants per nanosecond.
const FINE: u128 = 1 << 16;

/// Parameters of the bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateLimit {
    /// Tokens per second; each attempt takes one.
    pub rate: Rate,
    /// How many tokens the bucket holds: how many attempts may come at one instant. Full at first.
    pub burst: NonZeroU32,
}

/// A bucket.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// From one token to the next, in fine instants.
    gap: u128,
    /// How far ahead of now the bucket may be owed and still have a token.
    slack: u128,
    /// When it is full again.
    full_at: u128,
}

impl RateLimit {
    /// A full bucket.
    pub fn open(&self) -> Bucket {
        let gap = ((self.rate.mean_gap_nanos() * FINE as f64).round() as u128).max(1);
        let slack = gap.saturating_mul(u128::from(self.burst.get() - 1));
        Bucket { gap, slack, full_at: 0 }
    }
}

impl Bucket {
    /// The answer to an attempt that arrives at `now`. A refused one takes no token.
    #[inline]
    pub fn take(&mut self, now: Time) -> Welcome {
        let now = u128::from(now.as_nanos()) * FINE;
        if self.full_at > now.saturating_add(self.slack) {
            return Welcome::Refused;
        }
        self.full_at = self.full_at.max(now).saturating_add(self.gap);
        Welcome::Admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;
    use proptest::prelude::*;

    fn bucket(per_second: f64, burst: u32) -> Bucket {
        let burst = burst.try_into().unwrap();
        RateLimit { rate: Rate::new(per_second).unwrap(), burst }.open()
    }

    fn admitted(bucket: &mut Bucket, now: Time, times: u32) -> u32 {
        (0..times).map(|_| u32::from(bucket.take(now) == Welcome::Admitted)).sum()
    }

    #[test]
    fn a_burst_and_then_the_rate() {
        let mut bucket = bucket(10.0, 5);
        let at = |millis| Time::ZERO + Span::from_millis(millis);
        assert_eq!(admitted(&mut bucket, at(0), 20), 5);
        assert_eq!(admitted(&mut bucket, at(99), 20), 0);
        assert_eq!(admitted(&mut bucket, at(100), 20), 1);
        assert_eq!(admitted(&mut bucket, at(450), 20), 3);
        assert_eq!(admitted(&mut bucket, at(60_000), 20), 5);
    }

    /// Three per second do not divide it, and are three per second all the same: 86,400 s, 5 at the
    /// start and 3 x 86,400 afterwards.
    #[test]
    fn no_token_is_lost_to_rounding() {
        let mut bucket = bucket(3.0, 5);
        let day = (0..=864_000).map(|tick| {
            let now = Time::ZERO + Span::from_millis(100).saturating_mul(tick);
            admitted(&mut bucket, now, 2)
        });
        assert_eq!(day.sum::<u32>(), 5 + 3 * 86_400);
    }

    proptest! {
        /// From any arrival to any later one, no more pass than the burst and what dripped meanwhile.
        #[test]
        fn never_more_than_its_rule(
            per_second in 0.1..1e6_f64,
            burst in 1..50_u32,
            gaps in prop::collection::vec(0..2_000_000_u64, 1..300),
        ) {
            let mut bucket = bucket(per_second, burst);
            let mut now = Time::ZERO;
            let mut passed: Vec<Time> = Vec::new();
            for micros in gaps {
                now += Span::from_nanos(micros * 100);
                if bucket.take(now) == Welcome::Admitted {
                    passed.push(now);
                }
            }
            for (first, &from) in passed.iter().enumerate() {
                for (last, &to) in passed.iter().enumerate().skip(first) {
                    let dripped = to.since(from).as_secs_f64() * per_second;
                    let allowed = f64::from(burst) + dripped;
                    prop_assert!((last - first + 1) as f64 <= allowed + 1e-6);
                }
            }
        }
    }
}
