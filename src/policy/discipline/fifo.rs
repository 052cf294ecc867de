//! Which of those that wait is next, if the first to come is?
//!
//! Whose memory it is: the service's. A ring of 16 bytes an attempt. One that leaves early leaves a
//! hole, skipped once when it comes to the front: the ring is never longer than what has arrived
//! while its front has waited.

use std::collections::VecDeque;

use super::{Ticket, Waiting};
use crate::time::Time;

/// First come, first served.
#[derive(Clone, Debug, Default)]
pub struct FifoRoom {
    ring: VecDeque<Waiting>,
    holes: usize,
    /// The ticket of the front of the ring.
    front: u64,
}

/// A place that was left early. No attempt waits since the end of time.
const HOLE: Waiting = Waiting { since: Time::NEVER, call: u32::MAX, attempt: u32::MAX };

impl FifoRoom {
    #[inline]
    pub(super) fn push(&mut self, waiting: Waiting) -> Ticket {
        debug_assert_ne!(waiting.since, HOLE.since, "nobody joins at the end of time");
        self.ring.push_back(waiting);
        Ticket(self.front + self.ring.len() as u64 - 1)
    }

    #[inline]
    pub(super) fn pick(&mut self) -> Option<Waiting> {
        let first = self.ring.pop_front()?;
        self.front += 1;
        if self.holes > 0 {
            self.skip_holes();
        }
        Some(first)
    }

    pub(super) fn remove(&mut self, ticket: Ticket) -> Option<Waiting> {
        let place = ticket.0.checked_sub(self.front)?;
        let left = self.ring.get_mut(place as usize)?;
        if left.since == HOLE.since {
            return None;
        }
        let waiting = std::mem::replace(left, HOLE);
        self.holes += 1;
        self.skip_holes();
        Some(waiting)
    }

    /// So that the front of the ring is no hole.
    #[cold]
    fn skip_holes(&mut self) {
        while self.ring.front().is_some_and(|front| front.since == HOLE.since) {
            self.ring.pop_front();
            self.front += 1;
            self.holes -= 1;
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ring.len() - self.holes
    }

    pub(super) fn oldest(&self) -> Option<&Waiting> {
        self.ring.front()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.ring.iter().filter(|waiting| waiting.since != HOLE.since)
    }

    pub(super) fn clear(&mut self) {
        self.front += self.ring.len() as u64;
        self.holes = 0;
        self.ring.clear();
    }
}
