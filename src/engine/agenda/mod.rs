//! The future event list: what is going to happen, in the order in which it will.
//!
//! Every implementation yields the same entries in the same order, because [`Entry`] is totally
//! ordered. What differs is the cost. [`Heap`] is the reference, with the standard library's binary
//! heap: O(log n) for a push and a pop. [`Lanes`] is what runs: O(1), with the least of constants for
//! everything whose delay is one, which in most scenarios is nearly everything.

mod entry;
mod heap;
mod lanes;
mod wheel;

pub use entry::{Entry, Event, Mortal};
pub use heap::Heap;
pub use lanes::{Lane, Lanes};

/// A future event list.
pub trait Agenda: Default {
    /// Forgets all entries, keeps the memory.
    fn clear(&mut self);

    /// Adds an entry. Entries pushed with the same `lane` are likely, not certain, to come in
    /// ascending order; the hint changes the cost and never the order.
    fn push(&mut self, entry: Entry, lane: Lane);

    /// The least entry; [`Entry::NONE`] if there is none. It may have died meanwhile.
    fn first(&self) -> Entry;

    /// Removes and returns the least entry; [`Entry::NONE`] if there is none. It may have died
    /// meanwhile. An implementation may drop any other entry for which `is_dead` answers yes.
    fn pop(&mut self, is_dead: impl FnMut(Entry) -> bool) -> Entry;
}
