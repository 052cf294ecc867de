//! Which of those that wait is next?
//!
//! Whose memory it is: the service's. The policy owns the waiting room, because what makes a choice
//! cheap differs: first come, first served is a plain ring, everything else keeps its attempts on a
//! shelf (`shelf.rs`) that knows the order of arrival and lets any of them go.
//!
//! When the engine calls what:
//! * [`Discipline::open`] when a run is reset, or [`WaitingRoom::clear`] for another run of the same
//!   model, which keeps the memory;
//! * [`WaitingRoom::push`] when an admitted attempt has to wait. The [`Ticket`] is to be kept with the
//!   request if it may have to leave early: its client gives up and the service listens, a
//!   [queue timer](super::shedding::QueueTimer) goes off;
//! * [`WaitingRoom::pick`] when a worker is idle. Only [`Discipline::Random`] draws a bit;
//! * [`WaitingRoom::remove`] when an attempt leaves early. A ticket whose attempt has left already, by
//!   whichever way, is recognised, so nothing has to be cancelled;
//! * [`WaitingRoom::oldest`] whenever the age of the queue is asked for.
//!
//! Cost, with n waiting: push, pick and remove are O(1), for [`Discipline::EarliestDeadline`]
//! O(log n), for the priorities O(classes); `oldest` is O(1) throughout. The ring leaves holes where
//! attempts were removed and skips each once, when it comes to the front. Nothing is allocated but
//! when more wait than ever before.

mod deadline;
mod fifo;
mod lifo;
mod priority;
mod random;
mod shelf;
#[cfg(test)]
mod tests;
mod weighted;

pub use deadline::EarliestDeadlineRoom;
pub use fifo::FifoRoom;
pub use lifo::{Crowded, LifoRoom};
pub use priority::PriorityRoom;
pub use random::RandomRoom;
pub use weighted::{WeightedRoom, Weights};

use super::Class;
use crate::random::Bits;
use crate::time::Time;

/// In which order those that wait are served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Discipline {
    /// First come, first served.
    #[default]
    Fifo,
    /// Last come, first served: under overload some are served in time, where first come, first
    /// served serves everyone too late.
    Lifo,
    /// First come, first served, until it gets crowded; then last come, first served.
    AdaptiveLifo(Crowded),
    /// Whose client gives up first.
    EarliestDeadline,
    /// The most important class, and in it first come, first served.
    Priority,
    /// Each class its share of the workers' attention, and in it first come, first served.
    Weighted(Weights),
    /// Any of them.
    Random,
}

/// An attempt that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// When it joined the queue.
    pub since: Time,
    /// Which request, as the engine numbers them.
    pub call: u32,
    /// Which attempt of it.
    pub attempt: u32,
}

/// What a discipline may look at besides the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Urgency {
    /// When its client gives up; [`Time::NEVER`] if it does not.
    pub deadline: Time,
    /// How important it is.
    pub class: Class,
}

/// A claim on one attempt in a waiting room. Tickets of different rooms are not to be mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

/// Attempts that wait for a worker.
#[derive(Clone, Debug)]
pub enum WaitingRoom {
    /// Of [`Discipline::Fifo`].
    Fifo(FifoRoom),
    /// Of [`Discipline::Lifo`] and [`Discipline::AdaptiveLifo`].
    Lifo(LifoRoom),
    /// Of [`Discipline::EarliestDeadline`].
    EarliestDeadline(EarliestDeadlineRoom),
    /// Of [`Discipline::Priority`].
    Priority(PriorityRoom),
    /// Of a [`Discipline::Weighted`].
    Weighted(Box<WeightedRoom>),
    /// Of [`Discipline::Random`].
    Random(RandomRoom),
}

impl Default for WaitingRoom {
    /// First come, first served.
    fn default() -> Self {
        Self::Fifo(FifoRoom::default())
    }
}

impl Discipline {
    /// An empty waiting room.
    pub fn open(&self) -> WaitingRoom {
        match self {
            Self::Fifo => WaitingRoom::Fifo(FifoRoom::default()),
            Self::Lifo => WaitingRoom::Lifo(LifoRoom::new(Crowded::ALWAYS)),
            Self::AdaptiveLifo(crowded) => WaitingRoom::Lifo(LifoRoom::new(*crowded)),
            Self::EarliestDeadline => {
                WaitingRoom::EarliestDeadline(EarliestDeadlineRoom::default())
            }
            Self::Priority => WaitingRoom::Priority(PriorityRoom::default()),
            Self::Weighted(weights) => WaitingRoom::Weighted(Box::new(WeightedRoom::new(*weights))),
            Self::Random => WaitingRoom::Random(RandomRoom::default()),
        }
    }
}

impl WaitingRoom {
    /// An attempt joins. Its urgency is worked out only where it matters. `since` never falls from
    /// one push to the next.
    #[inline(always)]
    pub fn push(&mut self, waiting: Waiting, urgency: impl FnOnce() -> Urgency) -> Ticket {
        // Nearly every queue is one: the others are not worth a place in the caller.
        if let Self::Fifo(room) = self {
            return room.push(waiting);
        }
        self.push_by_rank(waiting, urgency)
    }

    #[inline(never)]
    fn push_by_rank(&mut self, waiting: Waiting, urgency: impl FnOnce() -> Urgency) -> Ticket {
        match self {
            Self::Fifo(room) => room.push(waiting),
            Self::Lifo(room) => room.push(waiting),
            Self::EarliestDeadline(room) => room.push(waiting, urgency().deadline),
            Self::Priority(room) => room.push(waiting, urgency().class),
            Self::Weighted(room) => room.push(waiting, urgency().class),
            Self::Random(room) => room.push(waiting),
        }
    }

    /// The next one leaves, if any waits.
    #[inline(always)]
    pub fn pick(&mut self, now: Time, bits: &mut impl Bits) -> Option<Waiting> {
        if let Self::Fifo(room) = self {
            return room.pick();
        }
        self.pick_by_rank(now, bits)
    }

    #[inline(never)]
    fn pick_by_rank(&mut self, now: Time, bits: &mut impl Bits) -> Option<Waiting> {
        match self {
            Self::Fifo(room) => room.pick(),
            Self::Lifo(room) => room.pick(now),
            Self::EarliestDeadline(room) => room.pick(),
            Self::Priority(room) => room.pick(),
            Self::Weighted(room) => room.pick(),
            Self::Random(room) => room.pick(bits),
        }
    }

    /// The one with this ticket leaves early; none if it has left already.
    pub fn remove(&mut self, ticket: Ticket) -> Option<Waiting> {
        match self {
            Self::Fifo(room) => room.remove(ticket),
            Self::Lifo(room) => room.remove(ticket),
            Self::EarliestDeadline(room) => room.remove(ticket),
            Self::Priority(room) => room.remove(ticket),
            Self::Weighted(room) => room.remove(ticket),
            Self::Random(room) => room.remove(ticket),
        }
    }

    /// How many wait.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Fifo(room) => room.len(),
            Self::Lifo(room) => room.shelf().len(),
            Self::EarliestDeadline(room) => room.shelf().len(),
            Self::Priority(room) => room.shelf().len(),
            Self::Weighted(room) => room.shelf().len(),
            Self::Random(room) => room.shelf().len(),
        }
    }

    /// Whether nobody waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Who has waited longest, if any waits.
    pub fn oldest(&self) -> Option<&Waiting> {
        match self {
            Self::Fifo(room) => room.oldest(),
            Self::Lifo(room) => room.shelf().oldest(),
            Self::EarliestDeadline(room) => room.shelf().oldest(),
            Self::Priority(room) => room.shelf().oldest(),
            Self::Weighted(room) => room.shelf().oldest(),
            Self::Random(room) => room.shelf().oldest(),
        }
    }

    /// Tells `visit` of all that wait, the oldest first: what a crash or a lever that drops the queue
    /// needs before it [clears](Self::clear) it.
    pub fn for_each(&self, visit: impl FnMut(&Waiting)) {
        match self {
            Self::Fifo(room) => room.iter().for_each(visit),
            Self::Lifo(room) => room.shelf().iter().for_each(visit),
            Self::EarliestDeadline(room) => room.shelf().iter().for_each(visit),
            Self::Priority(room) => room.shelf().iter().for_each(visit),
            Self::Weighted(room) => room.shelf().iter().for_each(visit),
            Self::Random(room) => room.shelf().iter().for_each(visit),
        }
    }

    /// Everybody leaves. Tickets given before are void, and the memory is kept.
    pub fn clear(&mut self) {
        match self {
            Self::Fifo(room) => room.clear(),
            Self::Lifo(room) => room.clear(),
            Self::EarliestDeadline(room) => room.clear(),
            Self::Priority(room) => room.clear(),
            Self::Weighted(room) => room.clear(),
            Self::Random(room) => room.clear(),
        }
    }
}
