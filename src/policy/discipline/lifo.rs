//! Which of those that wait is next, if the last to come is, always or once it gets crowded?
//!
//! Whose memory it is: the service's.
//!
//! Adaptive LIFO (Maurer, "Fail at Scale", ACM Queue 13(8), 2015): in order while the queue is short,
//! from its end when it is not, so that some are served in time instead of all too late. Those at the
//! front then wait for the crowd to go, so it belongs together with something that lets them go.

use super::shelf::Shelf;
use super::{Ticket, Waiting};
use crate::policy::Class;
use crate::time::{Span, Time};

/// When it is crowded: too many wait, or the oldest has waited too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowded {
    longer_than: u32,
    older_than: Span,
}

/// From the start of a run to its end.
const FOR_EVER: Span = Span::MAX;

impl Crowded {
    /// Whenever anybody waits: plain last come, first served.
    pub(super) const ALWAYS: Self = Self { longer_than: 0, older_than: FOR_EVER };

    /// When more than `waiting` wait, the one to be picked counted.
    pub const fn longer_than(waiting: u32) -> Self {
        Self { longer_than: waiting, older_than: FOR_EVER }
    }

    /// When the oldest has waited longer than `age`.
    pub const fn older_than(age: Span) -> Self {
        Self { longer_than: u32::MAX, older_than: age }
    }

    /// When either is the case.
    pub const fn either(waiting: u32, age: Span) -> Self {
        Self { longer_than: waiting, older_than: age }
    }

    fn is_true(&self, waiting: usize, age: Span) -> bool {
        waiting > self.longer_than as usize || age > self.older_than
    }
}

/// Last come, first served, when it is crowded; otherwise first come, first served.
#[derive(Clone, Debug)]
pub struct LifoRoom {
    crowded: Crowded,
    shelf: Shelf,
}

impl LifoRoom {
    pub(super) fn new(crowded: Crowded) -> Self {
        Self { crowded, shelf: Shelf::default() }
    }

    pub(super) fn push(&mut self, waiting: Waiting) -> Ticket {
        let slot = self.shelf.push(waiting, Class::FIRST);
        self.shelf.ticket(slot)
    }

    pub(super) fn pick(&mut self, now: Time) -> Option<Waiting> {
        let age = now.since(self.shelf.oldest()?.since);
        let crowded = self.crowded.is_true(self.shelf.len(), age);
        let slot = if crowded { self.shelf.last() } else { self.shelf.first() }?;
        Some(self.shelf.take(slot))
    }

    pub(super) fn remove(&mut self, ticket: Ticket) -> Option<Waiting> {
        let slot = self.shelf.find(ticket)?;
        Some(self.shelf.take(slot))
    }

    pub(super) fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    pub(super) fn clear(&mut self) {
        self.shelf.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(crowded: Crowded, waiting: u32, now_ms: u64) -> u32 {
        let mut room = LifoRoom::new(crowded);
        for call in 0..waiting {
            let since = Time::ZERO + Span::from_millis(u64::from(call));
            room.push(Waiting { since, call, attempt: 0 });
        }
        room.pick(Time::ZERO + Span::from_millis(now_ms)).unwrap().call
    }

    #[test]
    fn the_end_is_served_when_it_is_crowded() {
        assert_eq!(picked(Crowded::ALWAYS, 3, 5), 2);
        assert_eq!(picked(Crowded::longer_than(3), 3, 5_000), 0);
        assert_eq!(picked(Crowded::longer_than(3), 4, 5_000), 3);
        let age = Span::from_millis(100);
        assert_eq!(picked(Crowded::older_than(age), 50, 100), 0);
        assert_eq!(picked(Crowded::older_than(age), 50, 101), 49);
        assert_eq!(picked(Crowded::either(9, age), 10, 100), 9);
        assert_eq!(picked(Crowded::either(9, age), 9, 101), 8);
        assert_eq!(picked(Crowded::either(9, age), 9, 100), 0);
    }
}
