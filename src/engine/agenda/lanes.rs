//! A few monotone lanes beside a heap.
//!
//! Events scheduled with one constant delay come due in the order in which they were scheduled, so a
//! ring buffer keeps them sorted for free. The least entry of all is the least of a handful of heads.
//! A push that is out of order for its lane goes to the heap, so a lane is only a hint: correctness
//! never rests on it. Whatever has died by the time it reaches the head of its lane is dropped there,
//! so that a lane is as long as what is in flight and not as `rate x delay`.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::{Agenda, Entry};

/// Which lane an entry is likely to be in order for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane(u8);

/// Lanes beside the heap. More heads cost more comparisons at every pop than they save.
const LANES: usize = 7;
/// The place of the heap among the heads; lanes come after it.
const HEAP: usize = 0;
/// All bits of a place, so that no check of bounds is needed.
const PLACES: usize = LANES;
const _: () = assert!((LANES + 1).is_power_of_two());

impl Default for Lane {
    fn default() -> Self {
        Self::NONE
    }
}

impl Lane {
    /// No lane: in order for nothing.
    pub const NONE: Self = Self(HEAP as u8);

    /// Lane number `index`, or none if there are not so many.
    pub fn number(index: usize) -> Self {
        if index < LANES { Self(index as u8 + 1) } else { Self::NONE }
    }
}

/// Ring buffers for what is scheduled a constant time ahead, and a heap for the rest.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// The least entry of the heap and of each lane.
    heads: [Entry; LANES + 1],
    /// The greatest entry of each lane; [`Entry::NONE`] of one that is empty, and of the heap.
    tails: [Entry; LANES + 1],
    /// What follows the head of each lane, in ascending order; the heap has its own.
    rings: [VecDeque<Entry>; LANES + 1],
    /// Places from here on have never been used.
    used: usize,
    /// What follows the head of the heap.
    heap: BinaryHeap<Reverse<Entry>>,
    /// The place of the least head.
    least: usize,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            heads: [Entry::NONE; LANES + 1],
            tails: [Entry::NONE; LANES + 1],
            used: 1,
            rings: std::array::from_fn(|_| VecDeque::new()),
            heap: BinaryHeap::new(),
            least: HEAP,
        }
    }
}

impl Lanes {
    /// A first entry of its lane, or one that is out of order for it, or one without a lane.
    #[inline(never)]
    fn push_elsewhere(&mut self, entry: Entry, place: usize) {
        if place != HEAP && self.heads[place] == Entry::NONE {
            self.used = self.used.max(place + 1);
            self.tails[place] = entry;
            self.new_head(place, entry);
        } else {
            self.push_to_heap(entry);
        }
    }

    #[inline]
    fn new_head(&mut self, place: usize, entry: Entry) {
        self.heads[place] = entry;
        if entry < self.heads[self.least] {
            self.least = place;
        }
    }

    #[inline(never)]
    fn pop_from_heap(&mut self) -> Entry {
        self.heap.pop().map_or(Entry::NONE, |entry| entry.0)
    }

    fn push_to_heap(&mut self, entry: Entry) {
        let head = self.heads[HEAP];
        if entry < head {
            if head != Entry::NONE {
                self.heap.push(Reverse(head));
            }
            self.new_head(HEAP, entry);
        } else {
            self.heap.push(Reverse(entry));
        }
    }

    /// By instant alone, as long as no two heads share one.
    #[inline(always)]
    fn find_least(&mut self) {
        let (mut least, mut first, mut tied) = (HEAP, self.heads[HEAP].time(), false);
        for place in 1..self.used.min(LANES + 1) {
            let head = self.heads[place].time();
            tied |= head == first;
            if head < first {
                (least, first) = (place, head);
            }
        }
        self.least = if tied { self.least_of_tied() } else { least };
    }

    #[inline(never)]
    fn least_of_tied(&self) -> usize {
        let head = |place: &usize| self.heads[*place];
        (0..self.used.min(LANES + 1)).min_by_key(head).unwrap_or(HEAP)
    }
}

impl Agenda for Lanes {
    fn clear(&mut self) {
        self.heads = [Entry::NONE; LANES + 1];
        self.tails = [Entry::NONE; LANES + 1];
        self.rings.iter_mut().for_each(VecDeque::clear);
        self.heap.clear();
        self.least = HEAP;
        self.used = 1;
    }

    #[inline(always)]
    fn push(&mut self, entry: Entry, lane: Lane) {
        let place = lane.0 as usize & PLACES;
        // The tail of what has no tail is greater than everything.
        if entry > self.tails[place] {
            self.tails[place] = entry;
            self.rings[place].push_back(entry);
        } else {
            self.push_elsewhere(entry, place);
        }
    }

    #[inline]
    fn first(&self) -> Entry {
        self.heads[self.least]
    }

    #[inline(always)]
    fn pop(&mut self, mut is_dead: impl FnMut(Entry) -> bool) -> Entry {
        let place = self.least & PLACES;
        let popped = self.heads[place];
        self.heads[place] = if place == HEAP {
            self.pop_from_heap()
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
