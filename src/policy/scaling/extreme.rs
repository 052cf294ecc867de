//! What was the least, or the most, of the last while?
//!
//! Whose memory it is: the autoscaler's. Kept is only what may still become the extreme, in order: a
//! number that is followed by one as extreme never will. So a window of any length costs a few steps
//! for each number, not one for each number in the window.

use std::collections::VecDeque;

use crate::time::{Span, Time};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Least,
    Most,
}

#[derive(Clone, Debug)]
pub(super) struct Extreme {
    side: Side,
    window: Span,
    /// In order of time; the first is the extreme.
    kept: VecDeque<(Time, u32)>,
}

impl Extreme {
    pub(super) const fn new(side: Side, window: Span) -> Self {
        Self { side, window, kept: VecDeque::new() }
    }

    /// Takes a number in, and tells the extreme of those that are less than the window old.
    pub(super) fn record(&mut self, now: Time, number: u32) -> u32 {
        let is_past = |kept: u32| match self.side {
            Side::Least => kept >= number,
            Side::Most => kept <= number,
        };
        while self.kept.back().is_some_and(|&(_, kept)| is_past(kept)) {
            self.kept.pop_back();
        }
        while self.kept.front().is_some_and(|&(when, _)| now.since(when) >= self.window) {
            self.kept.pop_front();
        }
        self.kept.push_back((now, number));
        self.kept.front().map_or(number, |&(_, kept)| kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_extreme_of_the_window(
            window in 0_u64..20, numbers in prop::collection::vec((0_u64..4, 0_u32..9), 1..100),
        ) {
            let span = Span::from_nanos(window);
            let mut least = Extreme::new(Side::Least, span);
            let mut most = Extreme::new(Side::Most, span);
            let (mut now, mut all) = (0, Vec::new());
            for (later, number) in numbers {
                now += later;
                all.push((now, number));
                let lately = || {
                    let old = all.iter().filter(|&&(when, _)| now - when < window);
                    old.map(|&(_, number)| number).chain([number])
                };
                let at = Time::from_nanos(now);
                prop_assert_eq!(Some(least.record(at, number)), lately().min());
                prop_assert_eq!(Some(most.record(at, number)), lately().max());
            }
        }
    }
}
