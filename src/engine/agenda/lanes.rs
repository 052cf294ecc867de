//! A few monotone lanes beside a timing wheel.
//!
//! Events scheduled with one constant delay come due in the order in which they were scheduled, so a
//! ring buffer keeps them sorted for free. The least entry of all is the least of a handful of heads.
//! A push that is out of order for its lane goes to the wheel, so a lane is only a hint: correctness
//! never rests on it. Whatever has died by the time it reaches the head of its lane is dropped there,
//! so that a lane is as long as what is in flight and not as `rate x delay`.

use std::collections::VecDeque;

use super::wheel::Wheel;
use super::{Agenda, Entry};

/// Which lane an entry is likely to be in order for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane(u8);

/// How many lanes can be in use beside the wheel. More heads cost more comparisons at every pop than
/// they save.
const PLACES: usize = 7;
/// The place of the wheel among the heads; lanes come after it.
const WHEEL: usize = 0;
/// All bits of a place, so that no check of bounds is needed.
const PLACE_BITS: usize = PLACES;
const _: () = assert!((PLACES + 1).is_power_of_two());
/// How many lanes can be told apart.
const LANES: usize = 256;

impl Default for Lane {
    fn default() -> Self {
        Self::NONE
    }
}

impl Lane {
    /// No lane: in order for nothing.
    pub const NONE: Self = Self(0);

    /// How many can be in use at once.
    pub const IN_USE: usize = PLACES;

    /// Lane number `index`, or none if there are not so many.
    pub fn number(index: usize) -> Self {
        if index < LANES - 1 { Self(index as u8 + 1) } else { Self::NONE }
    }
}

/// Ring buffers for what is scheduled a constant time ahead, and a wheel for the rest.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// The least entry of the wheel and of each place.
    heads: [Entry; PLACES + 1],
    /// The greatest entry of each place; [`Entry::NONE`] of one that is empty, and of the wheel.
    tails: [Entry; PLACES + 1],
    /// What follows the head of each place, in ascending order; the wheel has its own.
    rings: [VecDeque<Entry>; PLACES + 1],
    /// The place of each lane: the wheel's until it is first used, so that a lane that never is costs
    /// no pop anything, and for good if all places are taken by then.
    places: [u8; LANES],
    /// Places from here on have never been used.
    used: usize,
    /// What follows the head of the wheel.
    wheel: Wheel,
    /// The place of the least head.
    least: usize,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            heads: [Entry::NONE; PLACES + 1],
            tails: [Entry::NONE; PLACES + 1],
            rings: std::array::from_fn(|_| VecDeque::new()),
            places: [WHEEL as u8; LANES],
            used: WHEEL + 1,
            wheel: Wheel::default(),
            least: WHEEL,
        }
    }
}

impl Lanes {
    /// A first entry of its lane, or one that is out of order for it, or one without a lane.
    #[inline(never)]
    fn push_elsewhere(&mut self, entry: Entry, mut place: usize, lane: Lane) {
        if place == WHEEL {
            place = self.give_place(lane);
        }
        if place != WHEEL && self.heads[place] == Entry::NONE {
            self.tails[place] = entry;
            self.new_head(place, entry);
        } else {
            self.push_to_wheel(entry);
        }
    }

    /// The place that a lane without one has from now on.
    fn give_place(&mut self, lane: Lane) -> usize {
        if lane == Lane::NONE || self.used > PLACES {
            return WHEEL;
        }
        let place = self.used;
        self.places[usize::from(lane.0)] = place as u8;
        self.used += 1;
        place
    }

    #[inline]
    fn new_head(&mut self, place: usize, entry: Entry) {
        self.heads[place] = entry;
        if entry < self.heads[self.least] {
            self.least = place;
        }
    }

    fn push_to_wheel(&mut self, entry: Entry) {
        let head = self.heads[WHEEL];
        if entry < head {
            if head != Entry::NONE {
                self.wheel.push(head);
            }
            self.new_head(WHEEL, entry);
        } else {
            self.wheel.push(entry);
        }
    }

    /// By instant alone, as long as nothing shares the least one.
    #[inline(always)]
    fn find_least(&mut self) {
        let (mut least, mut first, mut tied) = (WHEEL, self.heads[WHEEL].time(), false);
        for place in 1..self.used.min(PLACES + 1) {
            let head = self.heads[place].time();
            tied |= head == first;
            if head < first {
                (least, first, tied) = (place, head, false);
            }
        }
        self.least = if tied { self.least_of_tied() } else { least };
    }

    #[inline(never)]
    fn least_of_tied(&self) -> usize {
        let head = |place: &usize| self.heads[*place];
        (0..self.used.min(PLACES + 1)).min_by_key(head).unwrap_or(WHEEL)
    }
}

impl Agenda for Lanes {
    fn clear(&mut self) {
        self.heads = [Entry::NONE; PLACES + 1];
        self.tails = [Entry::NONE; PLACES + 1];
        self.rings.iter_mut().for_each(VecDeque::clear);
        self.places = [WHEEL as u8; LANES];
        self.used = WHEEL + 1;
        self.wheel.clear();
        self.least = WHEEL;
    }

    #[inline(always)]
    fn push(&mut self, entry: Entry, lane: Lane) {
        let place = usize::from(self.places[usize::from(lane.0)]) & PLACE_BITS;
        // The tail of what has no tail is greater than everything.
        if entry > self.tails[place] {
            self.tails[place] = entry;
            self.rings[place].push_back(entry);
        } else {
            self.push_elsewhere(entry, place, lane);
        }
    }

    #[inline]
    fn first(&self) -> Entry {
        self.heads[self.least]
    }

    #[inline(always)]
    fn pop(&mut self, mut is_dead: impl FnMut(Entry) -> bool) -> Entry {
        let place = self.least & PLACE_BITS;
        let popped = self.heads[place];
        self.heads[place] = if place == WHEEL {
            self.wheel.pop()
        } else {
            let ring = &mut self.rings[place];
            loop {
                match ring.pop_front() {
                    None => {
                        self.tails[place] = Entry::NONE;
                        break Entry::NONE;
                    }
                    Some(entry) if !is_dead(entry) => break entry,
                    Some(_) => {}
                }
            }
        };
        self.find_least();
        popped
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Event, Heap};
    use super::*;
    use crate::model::Tie;
    use crate::time::Time;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Step {
        Push { time: u64, lane: usize },
        Pop,
        Clear,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (0_u64..40, 0_usize..9).prop_map(|(time, lane)| Step::Push { time, lane }),
            5 => Just(Step::Pop),
            1 => Just(Step::Clear),
        ]
    }

    proptest! {
        /// With arbitrary hints, ties and order of pushes: the same entries in the same order.
        #[test]
        fn lanes_and_heap_agree(steps in prop::collection::vec(step(), 1..300)) {
            let (mut lanes, mut heap) = (Lanes::default(), Heap::default());
            for (sequence, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Push { time, lane } => {
                        let event = Event::Arrival { client: lane as u32 };
                        let entry = Entry::new(Time::from_nanos(time), sequence as u64, event, Tie::CompletionWins);
                        lanes.push(entry, Lane::number(lane));
                        heap.push(entry, Lane::NONE);
                    }
                    Step::Pop => prop_assert_eq!(lanes.pop(|_| false), heap.pop(|_| false)),
                    Step::Clear => {
                        lanes.clear();
                        heap.clear();
                    }
                }
                prop_assert_eq!(lanes.first(), heap.first());
            }
        }

        /// The dead may be dropped early, but every living entry comes out, in order.
        #[test]
        fn the_living_come_out(times in prop::collection::vec((0_u64..40, 0_usize..9), 1..200)) {
            let mut lanes = Lanes::default();
            let mut living = Vec::new();
            let dies = |entry: Entry| entry.time().as_nanos().is_multiple_of(3);
            for (sequence, (time, lane)) in times.into_iter().enumerate() {
                let event = Event::Arrival { client: 0 };
                let entry = Entry::new(Time::from_nanos(time), sequence as u64, event, Tie::CompletionWins);
                lanes.push(entry, Lane::number(lane));
                if !dies(entry) {
                    living.push(entry);
                }
            }
            living.sort();
            let mut found = Vec::new();
            loop {
                match lanes.pop(dies) {
                    Entry::NONE => break,
                    entry if dies(entry) => {}
                    entry => found.push(entry),
                }
            }
            prop_assert_eq!(found, living);
        }
    }
}
