//! Attempts in the order in which they came, any of which may leave.
//!
//! A slab whose slots are linked twice: by arrival among all, and by arrival within a line (a class;
//! disciplines without classes use one line). Each link is O(1), so is every operation. Vacant slots
//! are kept for the next ones; a stamp tells the tickets of one tenant of a slot from those of the
//! next.

use super::{Ticket, Waiting};
use crate::policy::Class;

/// No slot.
const NONE: u32 = u32::MAX;

/// One line for each class.
const LINES: usize = Class::COUNT;

#[derive(Clone, Debug)]
pub(super) struct Shelf {
    slots: Vec<Slot>,
    vacant: Vec<u32>,
    all: Line,
    /// Boxed, so that a plain ring beside it in an enum stays small.
    lines: Box<[Line; LINES]>,
    /// Bit k: line k is not empty.
    occupied: u16,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    waiting: Waiting,
    /// Counts tenants; even while vacant.
    stamp: u32,
    line: u8,
    in_all: Links,
    in_line: Links,
    /// For the discipline: where the attempt stands in its own order.
    mark: u32,
}

#[derive(Clone, Copy, Debug)]
struct Links {
    before: u32,
    after: u32,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    first: u32,
    last: u32,
}

const EMPTY: Line = Line { first: NONE, last: NONE };
const UNLINKED: Links = Links { before: NONE, after: NONE };

impl Default for Shelf {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            vacant: Vec::new(),
            all: EMPTY,
            lines: Box::new([EMPTY; LINES]),
            occupied: 0,
        }
    }
}

impl Shelf {
    /// Puts an attempt at the end of a line; its slot.
    pub(super) fn push(&mut self, waiting: Waiting, class: Class) -> u32 {
        let slot = match self.vacant.pop() {
            Some(slot) => slot,
            None => {
                let index = self.slots.len() as u32;
                let (in_all, in_line) = (UNLINKED, UNLINKED);
                self.slots.push(Slot { waiting, stamp: 0, line: 0, in_all, in_line, mark: 0 });
                index
            }
        };
        let line = class.rank();
        let in_all = Links { before: self.all.last, after: NONE };
        let in_line = Links { before: self.lines[line].last, after: NONE };
        let tenant = &mut self.slots[slot as usize];
        tenant.waiting = waiting;
        tenant.stamp = tenant.stamp.wrapping_add(1);
        tenant.line = line as u8;
        (tenant.in_all, tenant.in_line) = (in_all, in_line);
        match in_all.before {
            NONE => self.all.first = slot,
            before => self.slots[before as usize].in_all.after = slot,
        }
        match in_line.before {
            NONE => self.lines[line].first = slot,
            before => self.slots[before as usize].in_line.after = slot,
        }
        self.all.last = slot;
        self.lines[line].last = slot;
        self.occupied |= 1 << line;
        slot
    }

    /// The attempt in `slot` leaves.
    pub(super) fn take(&mut self, slot: u32) -> Waiting {
        let tenant = &mut self.slots[slot as usize];
        debug_assert_eq!(tenant.stamp % 2, 1, "somebody is in the slot");
        tenant.stamp = tenant.stamp.wrapping_add(1);
        let Slot { waiting, in_all, in_line, line, .. } = *tenant;
        let line = usize::from(line);
        match in_all.before {
            NONE => self.all.first = in_all.after,
            before => self.slots[before as usize].in_all.after = in_all.after,
        }
        match in_all.after {
            NONE => self.all.last = in_all.before,
            after => self.slots[after as usize].in_all.before = in_all.before,
        }
        match in_line.before {
            NONE => self.lines[line].first = in_line.after,
            before => self.slots[before as usize].in_line.after = in_line.after,
        }
        match in_line.after {
            NONE => self.lines[line].last = in_line.before,
            after => self.slots[after as usize].in_line.before = in_line.before,
        }
        if self.lines[line].first == NONE {
            self.occupied &= !(1 << line);
        }
        self.vacant.push(slot);
        waiting
    }

    /// A ticket for the attempt in `slot`.
    pub(super) fn ticket(&self, slot: u32) -> Ticket {
        Ticket(u64::from(self.slots[slot as usize].stamp) << 32 | u64::from(slot))
    }

    /// The slot of a ticket whose attempt still waits.
    pub(super) fn find(&self, ticket: Ticket) -> Option<u32> {
        let slot = ticket.0 as u32;
        let tenant = self.slots.get(slot as usize)?;
        (u64::from(tenant.stamp) == ticket.0 >> 32).then_some(slot)
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.vacant.len()
    }

    /// The slot of who came first.
    pub(super) fn first(&self) -> Option<u32> {
        some(self.all.first)
    }

    /// The slot of who came last.
    pub(super) fn last(&self) -> Option<u32> {
        some(self.all.last)
    }

    /// The slot of who came first of a class.
    pub(super) fn first_of(&self, class: usize) -> Option<u32> {
        some(self.lines[class].first)
    }

    /// The ranks of the classes somebody waits in, the most important first.
    pub(super) fn classes(&self) -> impl Iterator<Item = usize> + use<> {
        let occupied = self.occupied;
        (0..LINES).filter(move |line| occupied & (1 << line) != 0)
    }

    pub(super) fn oldest(&self) -> Option<&Waiting> {
        self.first().map(|slot| &self.slots[slot as usize].waiting)
    }

    pub(super) fn mark(&self, slot: u32) -> u32 {
        self.slots[slot as usize].mark
    }

    pub(super) fn set_mark(&mut self, slot: u32, mark: u32) {
        self.slots[slot as usize].mark = mark;
    }

    /// All of them, the oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        let next = |slot: &u32| some(self.slots[*slot as usize].in_all.after);
        std::iter::successors(self.first(), next).map(|slot| &self.slots[slot as usize].waiting)
    }

    /// All leave; every ticket is void.
    pub(super) fn clear(&mut self) {
        while let Some(slot) = self.last() {
            self.take(slot);
        }
        // Which slot comes next must not depend on the run before.
        self.vacant.sort_unstable_by(|a, b| b.cmp(a));
    }
}

fn some(slot: u32) -> Option<u32> {
    (slot != NONE).then_some(slot)
}
