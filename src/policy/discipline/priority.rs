//! Which of those that wait is next, if the important ones always are?
//!
//! Whose memory it is: the service's. Strict: while anyone of a more important class waits, no one of
//! a less important class is served, however long that lasts.

use super::shelf::Shelf;
use super::{Ticket, Waiting};
use crate::policy::Class;

/// The most important class first; within a class, first come, first served.
#[derive(Clone, Debug, Default)]
pub struct PriorityRoom {
    shelf: Shelf,
}

impl PriorityRoom {
    pub(super) fn push(&mut self, waiting: Waiting, class: Class) -> Ticket {
        let slot = self.shelf.push(waiting, class);
        self.shelf.ticket(slot)
    }

    pub(super) fn pick(&mut self) -> Option<Waiting> {
        let class = self.shelf.classes().next()?;
        let slot = self.shelf.first_of(class)?;
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
