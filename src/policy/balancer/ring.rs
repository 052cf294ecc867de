//! To which instance does a key belong, so that few keys move when an instance comes or goes?
//!
//! Whose memory it is: nobody's. The ring is laid out once, with the places of every instance that
//! there may ever be; whoever may not be picked is passed over, so its keys go to whoever stands next
//! and all others stay where they are (Karger et al., "Consistent Hashing and Random Trees", 1997).

use std::num::NonZeroU16;

use super::Pick;
use crate::random::{Bits, Sprout};

/// The places of all instances, in the order of the ring.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    places: Vec<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    point: u64,
    instance: u32,
}

/// Keeps the points of keys apart from those of instances.
const KEYS: u64 = 0x6b65_7973_6b65_7973;

impl Ring {
    /// A ring of so many instances with so many places each. Where they are depends on their numbers
    /// alone, and is the same in every run.
    pub(super) fn new(instances: u32, places: NonZeroU16) -> Self {
        let of = |instance: u32| {
            (0..places.get()).map(move |place| Place {
                point: Sprout::new(u64::from(instance), u64::from(place)).bits(),
                instance,
            })
        };
        let mut places: Vec<Place> = (0..instances).flat_map(of).collect();
        places.sort_unstable();
        Self { places }
    }

    /// The first instance from the key's point on that may be picked. In time that grows with the
    /// logarithm of the places, and with how many have to be passed over.
    pub(super) fn owner(&self, key: u64, may_be_picked: impl Fn(u32) -> bool) -> Pick {
        let point = Sprout::new(key, KEYS).bits();
        let start = self.places.partition_point(|place| place.point < point);
        let (before, after) = self.places.split_at(start);
        after
            .iter()
            .chain(before)
            .find(|place| may_be_picked(place.instance))
            .map_or(Pick::Nobody, |place| Pick::Instance(place.instance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(instances: u32, places: u16) -> Ring {
        Ring::new(instances, NonZeroU16::new(places).unwrap())
    }

    fn owners(ring: &Ring, gone: Option<u32>) -> Vec<u32> {
        (0..20_000)
            .map(|key| match ring.owner(key, |instance| Some(instance) != gone) {
                Pick::Instance(instance) => instance,
                Pick::Nobody => panic!("somebody is there"),
            })
            .collect()
    }

    /// Only the keys of whoever has gone move, and they spread over the others.
    #[test]
    fn few_keys_move() {
        let ring = ring(10, 100);
        let (before, after) = (owners(&ring, None), owners(&ring, Some(3)));
        let mut heirs = [0; 10];
        for (old, new) in before.iter().zip(&after) {
            if *old == 3 {
                heirs[*new as usize] += 1;
            } else {
                assert_eq!(old, new);
            }
        }
        assert!(heirs.iter().filter(|&&keys| keys > 0).count() == 9, "{heirs:?}");
    }

    /// The share of an instance is a sum of as many gaps as it has places, each exponential: its
    /// standard deviation is 1 / sqrt(places) of its mean. Four of them with 400 places: 20 %.
    #[test]
    fn more_places_are_more_even() {
        let widest = |places| {
            let mut shares = [0_i32; 10];
            owners(&ring(10, places), None).iter().for_each(|&owner| shares[owner as usize] += 1);
            shares.iter().map(|share| (share - 2_000).abs()).max().unwrap()
        };
        assert!(widest(400) < 400, "{}", widest(400));
        assert!(widest(1) > 800, "{}", widest(1));
    }

    #[test]
    fn nobody_may_be_picked() {
        assert_eq!(ring(3, 10).owner(7, |_| false), Pick::Nobody);
        assert_eq!(Ring::default().owner(7, |_| true), Pick::Nobody);
    }
}
