//! When each worker will be free.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;

use crate::time::Time;

/// The instants from which on workers are free.
#[derive(Clone, Debug)]
pub(super) enum Workers {
    /// Where all work is alike, workers are free in the order in which they began: whoever began first
    /// is next.
    Ring {
        /// All of them, round in the order of their beginnings.
        free: Vec<Time>,
        /// Who is next.
        next: usize,
    },
    /// Whoever is free first is next.
    Heap(BinaryHeap<Reverse<Time>>),
}

impl Default for Workers {
    fn default() -> Self {
        Self::Ring { free: Vec::new(), next: 0 }
    }
}

impl Workers {
    /// So many workers, who are all free.
    pub(super) fn reset(&mut self, count: NonZeroU32, is_work_alike: bool) {
        let count = count.get() as usize;
        let in_order = is_work_alike || count == 1;
        match self {
            Self::Ring { free, next } if in_order => {
                free.clear();
                free.resize(count, Time::ZERO);
                *next = 0;
            }
            Self::Heap(free) if !in_order => {
                free.clear();
                free.extend((0..count).map(|_| Reverse(Time::ZERO)));
            }
            Self::Ring { .. } => {
                *self = Self::Heap((0..count).map(|_| Reverse(Time::ZERO)).collect());
            }
            Self::Heap(_) => *self = Self::Ring { free: vec![Time::ZERO; count], next: 0 },
        }
    }

    /// When the next one is free.
    #[inline(always)]
    pub(super) fn earliest(&self) -> Time {
        match self {
            Self::Ring { free, next } => free[*next],
            Self::Heap(free) => free.peek().map_or(Time::NEVER, |worker| worker.0),
        }
    }

    /// That one will be busy until `done`.
    #[inline(always)]
    pub(super) fn take(&mut self, done: Time) {
        match self {
            Self::Ring { free, next } => {
                free[*next] = done;
                *next += 1;
                if *next == free.len() {
                    *next = 0;
                }
            }
            Self::Heap(free) => {
                if let Some(mut worker) = free.peek_mut() {
                    *worker = Reverse(done);
                }
            }
        }
    }
}
