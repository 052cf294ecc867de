//! How important is a request?

/// A request class. 0 is the most important, and what is not said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(u8);

impl Class {
    /// How many classes there can be: what depends on the class is then a small array.
    pub const COUNT: usize = 16;
    /// The most important one.
    pub const FIRST: Self = Self(0);

    /// The class of this rank, counted from 0, if there can be so many.
    pub const fn new(rank: u8) -> Option<Self> {
        if (rank as usize) < Self::COUNT { Some(Self(rank)) } else { None }
    }

    /// Its rank: 0 for the most important.
    pub const fn rank(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_sixteen() {
        assert_eq!(Class::new(0), Some(Class::FIRST));
        assert_eq!(Class::new(15).map(Class::rank), Some(15));
        assert_eq!(Class::new(16), None);
        assert!(Class::FIRST < Class::new(1).unwrap());
    }
}
