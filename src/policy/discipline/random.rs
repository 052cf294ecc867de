//! Which of those that wait is next, if any of them may be?
//!
//! Whose memory it is: the service's. What a pool without a queue amounts to: callers that poll, or
//! threads that wake up at a lock.

use super::shelf::Shelf;
use super::{Ticket, Waiting};
use crate::policy::Class;
use crate::random::Bits;

/// Each of those that wait is as likely.
#[derive(Clone, Debug, Default)]
pub struct RandomRoom {
    shelf: Shelf,
    /// The slots of all that wait, in no order. The shelf's mark of a slot is its place here.
    hat: Vec<u32>,
}

impl RandomRoom {
    pub(super) fn push(&mut self, waiting: Waiting) -> Ticket {
        let slot = self.shelf.push(waiting, Class::FIRST);
        self.shelf.set_mark(slot, self.hat.len() as u32);
        self.hat.push(slot);
        self.shelf.ticket(slot)
    }

    pub(super) fn pick(&mut self, bits: &mut impl Bits) -> Option<Waiting> {
        if self.hat.is_empty() {
            return None;
        }
        // The high half of a product: uniform to one part in 2^64 / n.
        let place = (u128::from(bits.bits()) * self.hat.len() as u128) >> 64;
        Some(self.take(self.hat[place as usize]))
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
        self.hat.clear();
    }

    fn take(&mut self, slot: u32) -> Waiting {
        let place = self.shelf.mark(slot) as usize;
        self.hat.swap_remove(place);
        if let Some(&moved) = self.hat.get(place) {
            self.shelf.set_mark(moved, place as u32);
        }
        self.shelf.take(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};
    use crate::time::Time;

    /// Of four that wait, each is picked first a quarter of the time: 40,000 tries put 4 standard
    /// errors at 350.
    #[test]
    fn anyone_is_as_likely() {
        let mut bits = Stream::new(3, Purpose::Service, "random");
        let mut room = RandomRoom::default();
        let mut picked = [0_i32; 4];
        for _ in 0..40_000 {
            room.clear();
            for call in 0..4 {
                room.push(Waiting { since: Time::ZERO, call, attempt: 0 });
            }
            picked[room.pick(&mut bits).unwrap().call as usize] += 1;
        }
        assert!(picked.iter().all(|count| (count - 10_000).abs() < 350), "{picked:?}");
    }
}
