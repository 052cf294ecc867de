//! Which keys are there, until when, and which of them goes first?
//!
//! Whose memory it is: that of whoever has the cache. An array by key instead of a map: the keys are
//! the numbers from zero, and an array needs no hash and no memory while a run goes on.

use std::num::NonZeroU32;

use crate::random::Bits;
use crate::time::{Span, Time};

/// No key.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Entries {
    /// By key, until when it is good; [`Time::ZERO`] if it is not there.
    ends: Vec<Time>,
    order: Option<Order>,
}

/// The keys that are there in the order of their last use.
#[derive(Clone, Debug)]
struct Order {
    capacity: u32,
    held: u32,
    /// By key, its neighbours.
    links: Vec<Link>,
    newest: u32,
    oldest: u32,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    newer: u32,
    older: u32,
}

impl Entries {
    pub(super) fn new(count: NonZeroU32, capacity: Option<NonZeroU32>) -> Self {
        let count = count.get() as usize;
        // A capacity for all keys bounds nothing.
        let order = capacity.filter(|capacity| (capacity.get() as usize) < count).map(|capacity| {
            let links = vec![Link { newer: NONE, older: NONE }; count];
            Order { capacity: capacity.get(), held: 0, links, newest: NONE, oldest: NONE }
        });
        Self { ends: vec![Time::ZERO; count], order }
    }

    /// Fills it with the first keys, at instants spread evenly over the length before the start.
    pub(super) fn warm_up(&mut self, time_to_live: Option<Span>, bits: &mut impl Bits) {
        let most = self.order.as_ref().map_or(self.ends.len() as u32, |order| order.capacity);
        for key in (0..most).rev() {
            let ends = time_to_live.map_or(Time::NEVER, |length| {
                Time::ZERO + Span::from_nanos_f64(length.as_nanos() as f64 * bits.uniform())
            });
            self.fill(key, ends);
        }
    }

    /// Whether a key is there; if so, it has been used.
    #[inline]
    pub(super) fn look(&mut self, now: Time, key: u32) -> bool {
        let ends = &mut self.ends[key as usize];
        if now < *ends {
            if let Some(order) = &mut self.order {
                order.unlink(key);
                order.link(key);
            }
            return true;
        }
        if *ends > Time::ZERO {
            *ends = Time::ZERO;
            if let Some(order) = &mut self.order {
                order.unlink(key);
            }
        }
        false
    }

    /// A key is there from now on, and another one may have to go for it.
    pub(super) fn fill(&mut self, key: u32, ends: Time) {
        let is_new = self.ends[key as usize] == Time::ZERO;
        // The start of the run means that it is not there.
        self.ends[key as usize] = ends.max(Time::from_nanos(1));
        if let Some(order) = &mut self.order {
            if !is_new {
                order.unlink(key);
            } else if order.held == order.capacity {
                let gone = order.oldest;
                order.unlink(gone);
                self.ends[gone as usize] = Time::ZERO;
            }
            order.link(key);
        }
    }

    pub(super) fn clear(&mut self) {
        self.ends.fill(Time::ZERO);
        if let Some(order) = &mut self.order {
            (order.held, order.newest, order.oldest) = (0, NONE, NONE);
        }
    }
}

impl Order {
    /// Makes a key the newest that is not in the list.
    fn link(&mut self, key: u32) {
        self.links[key as usize] = Link { newer: NONE, older: self.newest };
        match self.newest {
            NONE => self.oldest = key,
            newest => self.links[newest as usize].newer = key,
        }
        self.newest = key;
        self.held += 1;
    }

    /// Takes a key out that is in the list.
    fn unlink(&mut self, key: u32) {
        let Link { newer, older } = self.links[key as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.links[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.links[older as usize].newer = newer,
        }
        self.held -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The same as a plain list, newest first, that is searched from end to end.
        #[test]
        fn it_is_a_list_of_the_last_used(
            capacity in 1_u32..10,
            steps in prop::collection::vec((0_u32..8, 0_u8..40, 0_u64..4), 1..300),
        ) {
            let some = |number| NonZeroU32::new(number);
            let mut entries = Entries::new(some(8).unwrap(), some(capacity));
            let (mut list, mut now) = (Vec::<(u32, u64)>::new(), 1);
            for (key, step, later) in steps {
                now += later;
                let place = list.iter().position(|&(held, _)| held == key);
                match step {
                    0 => {
                        entries.clear();
                        list.clear();
                    }
                    1..20 => {
                        let ends = now + 10;
                        entries.fill(key, Time::from_nanos(ends));
                        place.map(|place| list.remove(place));
                        list.truncate(capacity as usize - 1);
                        list.insert(0, (key, ends));
                    }
                    _ => {
                        let found = entries.look(Time::from_nanos(now), key);
                        let held = place.map(|place| list.remove(place));
                        let good = held.filter(|&(_, ends)| now < ends);
                        prop_assert_eq!(found, good.is_some());
                        good.into_iter().for_each(|good| list.insert(0, good));
                    }
                }
            }
        }
    }
}
