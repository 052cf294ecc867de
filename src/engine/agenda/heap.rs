//! The reference: one binary heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Agenda, Entry, Lane};

/// The standard library's binary heap, deaf to hints. Dead entries stay until they come first.
#[derive(Clone, Debug, Default)]
pub struct Heap(BinaryHeap<Reverse<Entry>>);

impl Agenda for Heap {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn push(&mut self, entry: Entry, _: Lane) {
        self.0.push(Reverse(entry));
    }

    fn first(&self) -> Entry {
        self.0.peek().map_or(Entry::NONE, |entry| entry.0)
    }

    fn pop(&mut self, _: impl FnMut(Entry) -> bool) -> Entry {
        self.0.pop().map_or(Entry::NONE, |entry| entry.0)
    }
}
