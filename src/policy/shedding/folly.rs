//! Is an attempt still worth serving, if even the luckiest has waited too long lately?
//!
//! Whose memory it is: the service's.
//!
//! The form of CoDel in Meta's folly (`folly/executors/Codel.cpp`, 1ad98e2), described by Maurer,
//! "Fail at Scale", ACM Queue 13(8), 2015. An interval whose shortest delay was above the target
//! makes the next one overloaded; meanwhile what has waited more than twice the target is dropped.
//! Two details matter: delays between one and two targets are overload without a drop, and the first
//! attempt of an interval is always served, for one sample alone makes no minimum.

use super::Fate;
use crate::time::{Span, Time};

/// Parameters of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollyCodel {
    /// Over how long the shortest delay is taken.
    pub interval: Span,
    /// The delay that a healthy queue comes back to within the interval.
    pub target: Span,
}

/// The interval and its shortest delay.
#[derive(Clone, Debug)]
pub struct State {
    parameters: FollyCodel,
    /// The interval is over after this instant.
    interval_ends: Time,
    shortest: Span,
    /// Whether the next attempt is the first of an interval.
    begins_interval: bool,
    overloaded: bool,
}

impl FollyCodel {
    /// The library's defaults: 100 ms and 5 ms.
    pub const DEFAULT: Self =
        Self { interval: Span::from_millis(100), target: Span::from_millis(5) };
}

impl State {
    /// A controller made at the start of the run.
    pub const fn new(parameters: FollyCodel) -> Self {
        Self {
            parameters,
            interval_ends: Time::ZERO,
            shortest: Span::ZERO,
            begins_interval: true,
            overloaded: false,
        }
    }

    /// Whether the last whole interval was above the target.
    pub const fn is_overloaded(&self) -> bool {
        self.overloaded
    }

    /// The fate of an attempt picked up at `now` after `delay` in the queue.
    #[inline(never)]
    pub fn judge(&mut self, now: Time, delay: Span) -> Fate {
        let FollyCodel { interval, target } = self.parameters;
        if now > self.interval_ends && !self.begins_interval {
            self.interval_ends = now + interval;
            self.overloaded = self.shortest > target;
            self.begins_interval = true;
        }
        if self.begins_interval {
            self.begins_interval = false;
            self.shortest = delay;
            return Fate::Served;
        }
        self.shortest = self.shortest.min(delay);
        if self.overloaded && delay > target + target { Fate::Shed } else { Fate::Served }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second of pick-ups, one per millisecond, each after the same delay: the served ones, and
    /// whether it ends overloaded.
    fn play(delay_ms: u64) -> (Vec<u64>, bool) {
        let mut state = State::new(FollyCodel::DEFAULT);
        let served = (0..1_000).filter(|&tick| {
            let now = Time::ZERO + Span::from_millis(tick);
            state.judge(now, Span::from_millis(delay_ms)) == Fate::Served
        });
        (served.collect(), state.is_overloaded())
    }

    /// Case E03: between one and two targets nothing is dropped though it is overload; beyond two, all but the
    /// first of each interval.
    #[test]
    fn the_gap_between_one_and_two_targets() {
        let all: Vec<u64> = (0..1_000).collect();
        assert_eq!(play(4), (all.clone(), false));
        assert_eq!(play(6), (all.clone(), true));
        assert_eq!(play(10), (all, true));
        let (served, overloaded) = play(11);
        let firsts = (0..10).map(|interval| 1 + 101 * interval);
        assert_eq!(served, [0].into_iter().chain(firsts).collect::<Vec<_>>());
        assert_eq!((1_000 - served.len(), overloaded), (989, true));
    }

    /// One short delay in an interval calms the next one.
    #[test]
    fn the_shortest_delay_decides() {
        let mut state = State::new(FollyCodel::DEFAULT);
        let mut shed_in = [0; 10];
        for tick in 0..1_000_u64 {
            let delay = Span::from_millis(if tick == 450 { 5 } else { 50 });
            let now = Time::ZERO + Span::from_millis(tick);
            shed_in[(tick / 101).min(9) as usize] +=
                u32::from(state.judge(now, delay) == Fate::Shed);
        }
        // Intervals begin at 1 + 101 k. The fifth, from 405 on, still drops all but its first and the
        // short one; the sixth, from 506, drops nothing; the seventh, from 607, all but its first.
        assert_eq!(shed_in[4..7], [99, 1, 99]);
    }
}
