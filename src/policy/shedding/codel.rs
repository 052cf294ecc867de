//! Is an attempt still worth serving, if the queue has been standing for a while?
//!
//! Whose memory it is: the service's.
//!
//! CoDel as in RFC 8289, section 5: when the delay of what leaves the queue has been at the target or
//! above for a whole interval, one is dropped, and then the next after interval / sqrt(number of
//! drops) for as long as the delay stays up. A new spell soon after the last one begins at the rate
//! at which that one ended. The RFC counts the queue in bytes and drops nothing while at most one
//! packet is left in it; here an attempt is a packet.

use super::Fate;
use crate::time::{Span, Time};

/// Parameters of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codel {
    /// How long the delay must stay up before the first drop: a little more than a usual round trip.
    pub interval: Span,
    /// The delay that is good enough.
    pub target: Span,
}

/// Where the controller is between two drops.
#[derive(Clone, Debug)]
pub struct State {
    parameters: Codel,
    /// If the delay is up: when it will have been so for an interval.
    standing_from: Option<Time>,
    dropping: bool,
    drop_next: Time,
    /// The last one was dropped. When the next drop is due is known only once the one after it is
    /// seen to have waited too long as well: a spell that ends with a drop leaves `drop_next` alone.
    dropped_last: bool,
    /// Drops in this spell, and the number it began with.
    count: u32,
    count_at_start: u32,
}

/// A spell that begins within so many intervals of the last drop takes up its rate.
const SOON: u64 = 16;

impl Codel {
    /// The RFC's defaults: 100 ms and 5 ms.
    pub const DEFAULT: Self =
        Self { interval: Span::from_millis(100), target: Span::from_millis(5) };

    /// When the next drop follows one at `last`, the `count`-th of its spell.
    fn after(&self, last: Time, count: u32) -> Time {
        let gap = self.interval.as_nanos() as f64 / f64::from(count).sqrt();
        // At least a nanosecond: one instant would otherwise take in drops without end.
        last + Span::from_nanos_f64(gap).max(Span::NANOSECOND)
    }
}

impl State {
    /// A controller of an empty queue.
    pub const fn new(parameters: Codel) -> Self {
        Self {
            parameters,
            standing_from: None,
            dropping: false,
            drop_next: Time::ZERO,
            dropped_last: false,
            count: 0,
            count_at_start: 0,
        }
    }

    /// The fate of an attempt picked up at `now` after `delay` in the queue, with `behind` others
    /// left in it.
    #[inline(never)]
    pub fn judge(&mut self, now: Time, delay: Span, behind: usize) -> Fate {
        let standing = self.is_standing(now, delay, behind);
        let dropped_last = std::mem::take(&mut self.dropped_last);
        if !standing {
            self.dropping = false;
            return Fate::Served;
        }
        if !self.dropping {
            self.begin_dropping(now);
            return Fate::Shed;
        }
        if dropped_last {
            self.drop_next = self.parameters.after(self.drop_next, self.count);
        }
        if now < self.drop_next {
            return Fate::Served;
        }
        self.count = self.count.saturating_add(1);
        self.dropped_last = true;
        Fate::Shed
    }

    /// Whether the delay has been up for an interval.
    fn is_standing(&mut self, now: Time, delay: Span, behind: usize) -> bool {
        if delay < self.parameters.target || behind <= 1 {
            self.standing_from = None;
            return false;
        }
        let from = *self.standing_from.get_or_insert(now + self.parameters.interval);
        now >= from
    }

    fn begin_dropping(&mut self, now: Time) {
        let last_spell = self.count - self.count_at_start;
        let soon = now.since(self.drop_next) < self.parameters.interval.saturating_mul(SOON);
        self.count = if last_spell > 1 && soon { last_spell } else { 1 };
        self.count_at_start = self.count;
        self.dropping = true;
        self.drop_next = self.parameters.after(now, self.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(millis: u64) -> Span {
        Span::from_millis(millis)
    }

    /// One pick-up per millisecond after `delay(ms)`; the milliseconds at which one is shed.
    fn play(until_ms: u64, delay: impl Fn(u64) -> u64) -> Vec<u64> {
        let mut state = State::new(Codel::DEFAULT);
        let shed = (0..until_ms)
            .filter(|&tick| state.judge(Time::ZERO + ms(tick), ms(delay(tick)), 100) == Fate::Shed);
        shed.collect()
    }

    /// The first drop after a whole interval, then 100, 70.7, 57.7, 50, 44.7, 40.8 ms later.
    #[test]
    fn drops_come_ever_faster() {
        assert_eq!(play(500, |_| 5), [100, 200, 271, 329, 379, 424, 464]);
        assert_eq!(play(100_000, |_| 4), [0_u64; 0]);
    }

    #[test]
    fn one_short_delay_starts_the_interval_again() {
        assert_eq!(play(250, |tick| if tick == 60 { 4 } else { 50 }), [161]);
        assert_eq!(play(350, |tick| if tick == 150 { 4 } else { 50 }), [100, 251]);
    }

    /// A spell of 6 further drops ends; the next one, soon after, begins at the sixth's pace.
    #[test]
    fn a_new_spell_takes_up_the_pace() {
        let soon = play(800, |tick| if (480..500).contains(&tick) { 0 } else { 50 });
        let resumed: Vec<u64> = soon.into_iter().filter(|&tick| tick >= 480).collect();
        // From 600 on: 100 / sqrt(6) = 40.8, then / sqrt(7) = 37.8, sqrt(8) = 35.4, ..
        assert_eq!(resumed, [600, 641, 679, 714, 748, 779]);
        let late = play(4_000, |tick| if (480..3_000).contains(&tick) { 0 } else { 50 });
        let resumed: Vec<u64> = late.into_iter().filter(|&tick| tick >= 480).take(2).collect();
        assert_eq!(resumed, [3_100, 3_200]);
    }

    #[test]
    fn the_last_two_are_never_dropped() {
        let mut state = State::new(Codel::DEFAULT);
        for tick in 0..1_000 {
            assert_eq!(state.judge(Time::ZERO + ms(tick), ms(900), 1), Fate::Served);
        }
    }

    proptest! {
        /// Within one spell the n-th drop comes no earlier than the control law lets it: after
        /// interval x (1 + 1 + 1/sqrt 2 + .. ) from the first delay at the target.
        #[test]
        fn never_faster_than_its_law(gaps in prop::collection::vec(0..60_u64, 1..400)) {
            let mut state = State::new(Codel::DEFAULT);
            let mut now = Time::ZERO;
            let mut earliest = Time::ZERO + ms(100);
            let mut first = true;
            let mut drops = 0_u32;
            for gap in gaps {
                if !std::mem::take(&mut first) {
                    now += ms(gap);
                }
                if state.judge(now, ms(50), 9) == Fate::Shed {
                    prop_assert!(now >= earliest, "{now} {earliest}");
                    drops += 1;
                    let base = if drops == 1 { now } else { earliest };
                    earliest = Codel::DEFAULT.after(base, drops);
                }
            }
        }
    }
}
