//! Which of those that wait is next, if it is whose client gives up first?
//!
//! Whose memory it is: the service's. A binary heap that knows where each attempt stands in it, so
//! that one that leaves early leaves no trace: a heap with dead entries would fill up with those whose
//! turn never comes. Equal deadlines are served in order of arrival.

use super::shelf::Shelf;
use super::{Ticket, Waiting};
use crate::policy::Class;
use crate::time::Time;

/// Earliest deadline first.
#[derive(Clone, Debug, Default)]
pub struct EarliestDeadlineRoom {
    shelf: Shelf,
    /// A heap with the earliest at its root. The shelf's mark of a slot is its place here.
    heap: Vec<Entry>,
    arrivals: u64,
}

/// Deadline, number of arrival, slot: compared in this order, and the number decides.
type Entry = (Time, u64, u32);

impl EarliestDeadlineRoom {
    pub(super) fn push(&mut self, waiting: Waiting, deadline: Time) -> Ticket {
        let slot = self.shelf.push(waiting, Class::FIRST);
        self.arrivals += 1;
        self.heap.push((deadline, self.arrivals, slot));
        self.rise(self.heap.len() - 1);
        self.shelf.ticket(slot)
    }

    pub(super) fn pick(&mut self) -> Option<Waiting> {
        let &(_, _, slot) = self.heap.first()?;
        Some(self.take(slot))
    }

    pub(super) fn remove(&mut self, ticket: Ticket) -> Option<Waiting> {
        let slot = self.shelf.find(ticket)?;
        Some(self.take(slot))
    }

    pub(super) fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    pub(super) fn clear(&mut self) {
        self.shelf.clear();
        self.heap.clear();
        self.arrivals = 0;
    }

    fn take(&mut self, slot: u32) -> Waiting {
        let place = self.shelf.mark(slot) as usize;
        self.heap.swap_remove(place);
        if place < self.heap.len() {
            // The last one has taken the place, and may belong above or below.
            let place = self.rise(place);
            self.sink(place);
        }
        self.shelf.take(slot)
    }

    /// Moves an entry towards the root until the one above is earlier; its place.
    fn rise(&mut self, mut place: usize) -> usize {
        let entry = self.heap[place];
        while place > 0 {
            let above = (place - 1) / 2;
            if self.heap[above] < entry {
                break;
            }
            self.put(place, self.heap[above]);
            place = above;
        }
        self.put(place, entry);
        place
    }

    /// Moves an entry away from the root until both below are later.
    fn sink(&mut self, mut place: usize) {
        let entry = self.heap[place];
        loop {
            let left = 2 * place + 1;
            let Some(&candidate) = self.heap.get(left) else { break };
            let below = match self.heap.get(left + 1) {
                Some(right) if *right < candidate => left + 1,
                Some(_) | None => left,
            };
            if entry < self.heap[below] {
                break;
            }
            self.put(place, self.heap[below]);
            place = below;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: Entry) {
        self.heap[place] = entry;
        self.shelf.set_mark(entry.2, place as u32);
    }
}
