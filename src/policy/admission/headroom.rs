//! Is an attempt let in, if the last places in the queue are kept for what is more important?
//!
//! Whose memory it is: nobody's; the number waiting is an argument.

use crate::policy::Class;

/// A bound of the queue, and how many of its places each class must leave free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headroom {
    max_waiting: u32,
    /// By rank of the class. It never falls from one class to the next.
    free: [u32; Class::COUNT],
}

/// A less important class would leave fewer places free than a more important one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpsideDown;

impl Headroom {
    /// At most `max_waiting` wait, and the class of rank r is refused where it would leave fewer than
    /// `free[r]` places. Classes beyond the end of `free` are treated as the last one in it; without
    /// any, none leaves places free.
    ///
    /// # Errors
    /// [`UpsideDown`] if `free` falls from one class to the next.
    pub fn new(max_waiting: u32, free: &[u32]) -> Result<Self, UpsideDown> {
        if !free.is_sorted() {
            return Err(UpsideDown);
        }
        let last = free.last().copied().unwrap_or(0);
        let mut by_rank = [last; Class::COUNT];
        for (place, &free) in by_rank.iter_mut().zip(free) {
            *place = free;
        }
        Ok(Self { max_waiting, free: by_rank })
    }

    /// The largest number waiting, of all classes together.
    pub const fn max_waiting(&self) -> u32 {
        self.max_waiting
    }

    /// Whether one more of `class` may wait behind `waiting`.
    #[inline]
    pub(super) fn fits(&self, waiting: usize, class: Class) -> bool {
        let left = (self.max_waiting as usize).saturating_sub(waiting);
        left > self.free[class.rank()] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_places_are_for_the_important() {
        let headroom = Headroom::new(10, &[0, 3, 10]).unwrap();
        let admitted = |rank| {
            let class = Class::new(rank).unwrap();
            (0..20).take_while(|&waiting| headroom.fits(waiting, class)).count()
        };
        assert_eq!([0, 1, 2, 3].map(admitted), [10, 7, 0, 0]);
        assert_eq!(Headroom::new(10, &[3, 0]), Err(UpsideDown));
        let plain = Headroom::new(2, &[]).unwrap();
        assert!(plain.fits(1, Class::FIRST) && !plain.fits(2, Class::FIRST));
    }
}
