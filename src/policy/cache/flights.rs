//! Who fetches what, and who waits for it?
//!
//! Whose memory it is: that of whoever has the cache. Fetches and waiters live in slots that are used
//! again; a number tells the tenants of one slot apart, so that what is told too late tells nothing.

use std::num::NonZeroU32;

use super::{Answer, Coalescing, Left};

/// No slot.
const NONE: u32 = u32::MAX;

/// A fetch that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    key: u32,
    slot: u32,
    number: u64,
}

/// Where somebody waits for a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    slot: u32,
    number: u64,
}

/// Those who have waited for a fetch that is over, and are to be told one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "who waits for a fetch waits until it is told"]
pub struct Waiters {
    next: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Flights {
    /// By key, the slot of its fetch. Empty if everybody fetches for himself.
    by_key: Vec<u32>,
    fetches: Vec<Flight>,
    free_fetches: Vec<u32>,
    waiters: Vec<Waiter>,
    free_waiters: Vec<u32>,
    next_number: u64,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    number: u64,
    first: u32,
    last: u32,
}

#[derive(Clone, Copy, Debug)]
struct Waiter {
    number: u64,
    who: u32,
    fetch: u32,
    before: u32,
    after: u32,
}

impl Fetch {
    /// A fetch for which nobody will wait.
    pub(super) const fn alone(key: u32) -> Self {
        Self { key, slot: NONE, number: 0 }
    }

    pub(super) const fn key(self) -> u32 {
        self.key
    }
}

impl Waiters {
    /// Nobody has waited.
    pub const NOBODY: Self = Self { next: NONE };
}

impl Flights {
    pub(super) fn new(keys: NonZeroU32, coalescing: Coalescing) -> Self {
        let by_key = match coalescing {
            Coalescing::Off => Vec::new(),
            Coalescing::Leader(_) | Coalescing::Detached => vec![NONE; keys.get() as usize],
        };
        Self {
            by_key,
            fetches: Vec::new(),
            free_fetches: Vec::new(),
            waiters: Vec::new(),
            free_waiters: Vec::new(),
            next_number: 0,
        }
    }

    /// Somebody wants a key that is not there.
    #[inline]
    pub(super) fn join(&mut self, key: u32, who: u32) -> Answer {
        match self.by_key.get(key as usize) {
            None => Answer::Miss(Fetch::alone(key)),
            Some(&NONE) => Answer::Miss(self.begin(key)),
            Some(&slot) => Answer::Waits(self.wait(slot, who)),
        }
    }

    /// Whether a fetch has not ended.
    pub(super) fn is_out(&self, fetch: Fetch) -> bool {
        self.fetches.get(fetch.slot as usize).is_some_and(|flight| flight.number == fetch.number)
    }

    /// A fetch is over, and who waited for it is to be told.
    pub(super) fn end(&mut self, fetch: Fetch) -> Waiters {
        if !self.is_out(fetch) {
            return Waiters::NOBODY;
        }
        self.by_key[fetch.key as usize] = NONE;
        self.free_fetches.push(fetch.slot);
        let flight = &mut self.fetches[fetch.slot as usize];
        flight.number = GONE;
        let waiters = Waiters { next: flight.first };
        // Nobody leaves any more who is about to be told.
        let mut next = flight.first;
        while let Some(waiter) = self.waiters.get_mut(next as usize) {
            (waiter.number, next) = (GONE, waiter.after);
        }
        waiters
    }

    /// The leader of a fetch has gone: whoever has waited longest leads one for the rest.
    pub(super) fn promote(&mut self, fetch: Fetch) -> Left {
        if !self.is_out(fetch) {
            return Left::RunsOn;
        }
        let first = self.fetches[fetch.slot as usize].first;
        let Some(&Waiter { who, .. }) = self.waiters.get(first as usize) else {
            return Left::Fails(self.end(fetch));
        };
        self.unlink(first);
        let number = self.take_number();
        self.fetches[fetch.slot as usize].number = number;
        Left::NextLeads { who, fetch: Fetch { number, ..fetch } }
    }

    pub(super) fn leave(&mut self, place: Place) {
        let is_there = |waiter: &Waiter| waiter.number == place.number;
        if self.waiters.get(place.slot as usize).is_some_and(is_there) {
            self.unlink(place.slot);
        }
    }

    pub(super) fn next_waiter(&mut self, waiters: &mut Waiters) -> Option<u32> {
        let waiter = *self.waiters.get(waiters.next as usize)?;
        self.free_waiters.push(waiters.next);
        waiters.next = waiter.after;
        Some(waiter.who)
    }

    fn begin(&mut self, key: u32) -> Fetch {
        let number = self.take_number();
        let flight = Flight { number, first: NONE, last: NONE };
        let slot = put(&mut self.fetches, &mut self.free_fetches, flight);
        self.by_key[key as usize] = slot;
        Fetch { key, slot, number }
    }

    fn wait(&mut self, fetch: u32, who: u32) -> Place {
        let number = self.take_number();
        let before = self.fetches[fetch as usize].last;
        let waiter = Waiter { number, who, fetch, before, after: NONE };
        let slot = put(&mut self.waiters, &mut self.free_waiters, waiter);
        let flight = &mut self.fetches[fetch as usize];
        flight.last = slot;
        match before {
            NONE => flight.first = slot,
            before => self.waiters[before as usize].after = slot,
        }
        Place { slot, number }
    }

    /// Takes a waiter out of the line of a fetch that is under way.
    fn unlink(&mut self, slot: u32) {
        let Waiter { fetch, before, after, .. } = self.waiters[slot as usize];
        let flight = &mut self.fetches[fetch as usize];
        match before {
            NONE => flight.first = after,
            before => self.waiters[before as usize].after = after,
        }
        match after {
            NONE => flight.last = before,
            after => self.waiters[after as usize].before = before,
        }
        self.waiters[slot as usize].number = GONE;
        self.free_waiters.push(slot);
    }

    fn take_number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }
}

/// The number of an empty slot.
const GONE: u64 = 0;

fn put<T>(slots: &mut Vec<T>, free: &mut Vec<u32>, tenant: T) -> u32 {
    match free.pop() {
        Some(slot) => {
            slots[slot as usize] = tenant;
            slot
        }
        None => {
            slots.push(tenant);
            slots.len() as u32 - 1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Orphans;
    use super::*;
    use proptest::prelude::*;

    /// A fetch, and who waits for it where.
    type Line = (Fetch, Vec<(u32, Place)>);

    fn told(flights: &mut Flights, mut waiters: Waiters) -> Vec<u32> {
        std::iter::from_fn(|| flights.next_waiter(&mut waiters)).collect()
    }

    proptest! {
        /// Beside plain lists: nobody waits where nobody fetches, each is told once and in order, and
        /// what comes too late changes nothing.
        #[test]
        fn everybody_is_told_once(steps in prop::collection::vec((0_u32..3, 0_u8..10), 1..300)) {
            let coalescing = Coalescing::Leader(Orphans::Fail);
            let mut flights = Flights::new(NonZeroU32::new(3).unwrap(), coalescing);
            let mut lines: [Option<Line>; 3] = [const { None }; 3];
            let mut stale = Vec::new();
            for (who, (key, step)) in (0..).zip(steps) {
                let line = &mut lines[key as usize];
                match (step, &mut *line) {
                    (0..6, line) => match flights.join(key, who) {
                        Answer::Miss(fetch) => {
                            prop_assert!(line.is_none() && fetch.key() == key);
                            *line = Some((fetch, Vec::new()));
                        }
                        Answer::Waits(place) => line.as_mut().unwrap().1.push((who, place)),
                        Answer::Hit => prop_assert!(false),
                    },
                    (6, Some((fetch, waiting))) => match flights.promote(*fetch) {
                        Left::NextLeads { who, fetch: next } => {
                            stale.push(*fetch);
                            prop_assert_eq!(waiting.remove(0).0, who);
                            *fetch = next;
                        }
                        Left::Fails(waiters) => {
                            prop_assert!(waiting.is_empty());
                            prop_assert_eq!(told(&mut flights, waiters), Vec::<u32>::new());
                            *line = None;
                        }
                        Left::RunsOn => prop_assert!(false),
                    },
                    (7, Some((_, waiting))) => {
                        if let Some((_, place)) = waiting.pop() {
                            flights.leave(place);
                            flights.leave(place);
                        }
                    }
                    (8 | 9, Some((fetch, waiting))) => {
                        let waiters = flights.end(*fetch);
                        waiting.iter().for_each(|&(_, place)| flights.leave(place));
                        let expected: Vec<u32> = waiting.iter().map(|&(who, _)| who).collect();
                        prop_assert_eq!(told(&mut flights, waiters), expected);
                        stale.push(*fetch);
                        *line = None;
                    }
                    (_, _) => {}
                }
                for fetch in &stale {
                    prop_assert_eq!(flights.end(*fetch), Waiters::NOBODY);
                }
            }
        }
    }
}
