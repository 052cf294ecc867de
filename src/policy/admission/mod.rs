//! Is an attempt let in when it arrives and every worker is busy?
//!
//! Whose memory it is: the service's, and all of it is the number of attempts waiting. A bound given
//! in seconds of work becomes a number when the model is built: `bound x workers / mean work`, which
//! is what a service can know that cannot see how much work each attempt will bring.

/// A service's admission policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Everything is let in.
    Unbounded,
    /// At most this many wait; the rest is refused at once.
    Bounded {
        /// The largest number waiting.
        max_waiting: u32,
    },
}

/// What an arriving attempt is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Welcome {
    /// It may wait.
    Admitted,
    /// It may not, and is told so at once.
    Refused,
}

impl Admission {
    /// The answer to an attempt that would have to wait behind `waiting` others.
    #[inline]
    pub fn ask(self, waiting: usize) -> Welcome {
        match self {
            Self::Bounded { max_waiting } if waiting >= max_waiting as usize => Welcome::Refused,
            Self::Bounded { .. } | Self::Unbounded => Welcome::Admitted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_of_zero_lets_nobody_wait() {
        assert_eq!(Admission::Bounded { max_waiting: 0 }.ask(0), Welcome::Refused);
        let two = Admission::Bounded { max_waiting: 2 };
        assert_eq!([0, 1, 2, 3].map(|waiting| two.ask(waiting)), {
            use Welcome::{Admitted, Refused};
            [Admitted, Admitted, Refused, Refused]
        });
        assert_eq!(Admission::Unbounded.ask(usize::MAX), Welcome::Admitted);
    }
}
