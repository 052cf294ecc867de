//! What is kept under this key?
//!
//! Whose memory it is: that of whoever owns the table. Open addressing: no memory is asked for while
//! as many come as go, which neither a tree nor the hash map of `std` promises; and the order of the
//! slots is seen by nobody, so that a hash decides nothing.

use crate::random::{Bits, Sprout};

#[derive(Clone, Debug)]
pub(super) struct Table<T> {
    /// A power of two of them, at most half of them taken.
    slots: Vec<Option<(u64, T)>>,
    len: usize,
}

impl<T> Table<T> {
    pub(super) const fn new() -> Self {
        Self { slots: Vec::new(), len: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, key: u64) -> Option<&T> {
        let slot = self.find(key)?;
        self.slots[slot].as_ref().map(|(_, kept)| kept)
    }

    pub(super) fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        let slot = self.find(key)?;
        self.slots[slot].as_mut().map(|(_, kept)| kept)
    }

    /// Keeps something under a key under which nothing is kept.
    pub(super) fn insert(&mut self, key: u64, kept: T) {
        if self.len * 2 >= self.slots.len() {
            self.grow();
        }
        self.len += 1;
        self.place(key, kept);
    }

    pub(super) fn remove(&mut self, key: u64) -> Option<T> {
        let mut hole = self.find(key)?;
        let removed = self.slots[hole].take();
        self.len -= 1;
        // Whoever stands behind the hole because its own slot was taken moves up.
        let mut next = self.after(hole);
        while let Some((key, _)) = &self.slots[next] {
            let home = self.home(*key);
            if self.distance(home, next) >= self.distance(hole, next) {
                self.slots.swap(hole, next);
                hole = next;
            }
            next = self.after(next);
        }
        removed.map(|(_, kept)| kept)
    }

    fn find(&self, key: u64) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mut slot = self.home(key);
        loop {
            match &self.slots[slot] {
                None => return None,
                Some((found, _)) if *found == key => return Some(slot),
                Some(_) => slot = self.after(slot),
            }
        }
    }

    fn place(&mut self, key: u64, kept: T) {
        let mut slot = self.home(key);
        while self.slots[slot].is_some() {
            slot = self.after(slot);
        }
        self.slots[slot] = Some((key, kept));
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        let old = std::mem::take(&mut self.slots);
        self.slots.resize_with(size, || None);
        for (key, kept) in old.into_iter().flatten() {
            self.place(key, kept);
        }
    }

    fn home(&self, key: u64) -> usize {
        Sprout::new(key, 0).bits() as usize & (self.slots.len() - 1)
    }

    const fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    /// Steps from one slot forward to another.
    const fn distance(&self, from: usize, to: usize) -> usize {
        to.wrapping_sub(from) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// The same as a map of `std`, with keys enough to share slots.
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0_u64..60, any::<bool>()), 1..600)) {
            let (mut table, mut map) = (Table::new(), BTreeMap::new());
            for (step, (key, insert)) in (0..).zip(steps) {
                prop_assert_eq!(table.get(key), map.get(&key));
                if insert && !map.contains_key(&key) {
                    table.insert(key, step);
                    map.insert(key, step);
                } else {
                    prop_assert_eq!(table.remove(key), map.remove(&key));
                }
                prop_assert_eq!(table.len(), map.len());
            }
            for key in 0..60 {
                prop_assert_eq!(table.get_mut(key), map.get_mut(&key));
            }
        }
    }
}
