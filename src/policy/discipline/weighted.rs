//! Which of those that wait is next, if each class is to get its share?
//!
//! Whose memory it is: the service's.
//!
//! Stride scheduling (Waldspurger and Weihl, "Stride Scheduling", MIT/LCS/TM-528, 1995): each class
//! has a pass that grows by 1 / weight with each attempt of it that is picked, and the smallest pass
//! is next; a tie goes to the more important class. No chance is involved, and over any time in which
//! the same classes have someone waiting, each gets its share to within one attempt. A class that
//! nobody waited in joins at the pass of the last pick: absence earns nothing.

use std::num::NonZeroU32;

use super::shelf::Shelf;
use super::{Ticket, Waiting};
use crate::policy::Class;

/// How much of the workers' attention each class gets, by its rank, against the others waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights([NonZeroU32; Class::COUNT]);

impl Weights {
    /// These weights from class 0 on; classes beyond their end have the last one, and all have the
    /// same if there is none.
    pub fn new(weights: &[NonZeroU32]) -> Self {
        let last = weights.last().copied().unwrap_or(NonZeroU32::MIN);
        let mut by_rank = [last; Class::COUNT];
        for (place, &weight) in by_rank.iter_mut().zip(weights) {
            *place = weight;
        }
        Self(by_rank)
    }
}

/// What weight 1 pays for a pick: so large that a weight that does not divide it is right to one part
/// in 2^40, and so small that there is room for 2^56 picks.
const STRIDE: u128 = 1 << 72;

/// Each class its share.
#[derive(Clone, Debug)]
pub struct WeightedRoom {
    weights: Weights,
    shelf: Shelf,
    passes: [u128; Class::COUNT],
    /// The pass of the last pick.
    now: u128,
}

impl WeightedRoom {
    pub(super) fn new(weights: Weights) -> Self {
        Self { weights, shelf: Shelf::default(), passes: [0; Class::COUNT], now: 0 }
    }

    pub(super) fn push(&mut self, waiting: Waiting, class: Class) -> Ticket {
        let rank = class.rank();
        if self.shelf.first_of(rank).is_none() {
            self.passes[rank] = self.passes[rank].max(self.now);
        }
        let slot = self.shelf.push(waiting, class);
        self.shelf.ticket(slot)
    }

    pub(super) fn pick(&mut self) -> Option<Waiting> {
        let class = self.shelf.classes().min_by_key(|&class| self.passes[class])?;
        let slot = self.shelf.first_of(class)?;
        self.now = self.passes[class];
        self.passes[class] += STRIDE / u128::from(self.weights.0[class].get());
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
        self.passes = [0; Class::COUNT];
        self.now = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;
    use proptest::prelude::*;

    fn weights(weights: &[u32]) -> Weights {
        let weights: Vec<_> = weights.iter().map(|&w| NonZeroU32::new(w).unwrap()).collect();
        Weights::new(&weights)
    }

    /// A room in which many of each class wait.
    fn crowd(weighted: &[u32], each: u32) -> WeightedRoom {
        let mut room = WeightedRoom::new(weights(weighted));
        for call in 0..each * weighted.len() as u32 {
            let rank = (call % weighted.len() as u32) as u8;
            let waiting = Waiting { since: Time::ZERO, call: u32::from(rank), attempt: call };
            room.push(waiting, Class::new(rank).unwrap());
        }
        room
    }

    #[test]
    fn three_to_one() {
        let mut room = crowd(&[3, 1], 20);
        let picks: Vec<u32> = (0..8).map(|_| room.pick().unwrap().call).collect();
        assert_eq!(picks, [0, 1, 0, 0, 0, 1, 0, 0]);
    }

    /// Who was away for a while does not make up for it afterwards.
    #[test]
    fn absence_earns_nothing() {
        let mut room = crowd(&[1, 1], 0);
        let push = |room: &mut WeightedRoom, rank: u8| {
            let waiting = Waiting { since: Time::ZERO, call: u32::from(rank), attempt: 0 };
            room.push(waiting, Class::new(rank).unwrap());
        };
        for _ in 0..100 {
            push(&mut room, 0);
            room.pick();
        }
        for _ in 0..3 {
            push(&mut room, 0);
            push(&mut room, 1);
        }
        let picks: Vec<u32> = (0..6).map(|_| room.pick().unwrap().call).collect();
        assert_eq!(picks, [1, 0, 1, 0, 1, 0]);
    }

    proptest! {
        /// While everyone waits, each class has had its share of any number of picks, to within one
        /// attempt per class.
        #[test]
        fn shares_are_kept(weighted in prop::collection::vec(1..20_u32, 1..8)) {
            let mut room = crowd(&weighted, 400);
            let mut had = vec![0_u32; weighted.len()];
            let sum: u32 = weighted.iter().sum();
            for picks in 1..=400_u32 {
                had[room.pick().unwrap().call as usize] += 1;
                for (weight, &had) in weighted.iter().zip(&had) {
                    let share = f64::from(picks * weight) / f64::from(sum);
                    prop_assert!((f64::from(had) - share).abs() <= weighted.len() as f64);
                }
            }
        }
    }
}
