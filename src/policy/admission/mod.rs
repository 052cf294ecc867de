//! Is an attempt let in when it arrives?
//!
//! Whose memory it is: the service's. Three questions, each a field of its own, because real services
//! combine them: does the rate allow it ([`RateLimit`])? is there room in flight
//! ([`limit`](super::limit))? and if it must wait, is there room in the queue ([`Admission`])? A
//! fourth file says what saying no costs ([`Rejection`]).
//!
//! When the engine calls what:
//! * [`Bucket::take`] for every attempt that arrives, before anything else, so that the rate is that
//!   of what came and not of what was let in;
//! * [`Admission::ask`] only if the attempt would have to wait: no worker is idle, or others wait.
//!   The work that waits is needed only if [`Admission::asks_for_work`]: the engine then keeps the
//!   sum, adding at the queue's back and taking away wherever an attempt leaves it.
//!
//! A bound given in seconds of work, for a service that cannot see how much work an attempt will
//! bring, becomes a number when the model is built: `bound x workers / mean work`.

mod headroom;
mod rate_limit;
mod rejection;

pub use headroom::{Headroom, UpsideDown};
pub use rate_limit::{Bucket, RateLimit};
pub use rejection::Rejection;

use super::Class;
use crate::time::Span;

/// Who may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Everything is let in.
    Unbounded,
    /// At most this many wait; the rest is refused at once.
    Bounded {
        /// The largest number waiting.
        max_waiting: u32,
    },
    /// At most this much work waits, by a service that knows the work of each attempt.
    BoundedWork {
        /// The largest sum of waiting work, in time of one worker: a bound in seconds of the whole
        /// service's work, times its workers.
        max_work: Span,
    },
    /// At most so many wait, and the last places are kept for what is more important.
    Headroom(Headroom),
}

/// What an arriving attempt is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Welcome {
    /// It may wait.
    Admitted,
    /// It may not, and is told so at once.
    Refused,
}

/// Work, in time of one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Of all that wait.
    pub waiting: Span,
    /// Of the attempt that asks.
    pub own: Span,
}

impl Load {
    /// What waits once the attempt does.
    pub fn total(&self) -> Span {
        self.waiting + self.own
    }
}

impl Admission {
    /// Whether [`Admission::ask`] looks at work at all.
    #[inline]
    pub const fn asks_for_work(&self) -> bool {
        match self {
            Self::BoundedWork { .. } => true,
            Self::Unbounded | Self::Bounded { .. } | Self::Headroom(_) => false,
        }
    }

    /// The answer to an attempt of `class` that would have to wait behind `waiting` others. The `load`
    /// is worked out only where it matters.
    #[inline]
    pub fn ask(&self, waiting: usize, class: Class, load: impl FnOnce() -> Load) -> Welcome {
        let fits = match self {
            Self::Unbounded => true,
            Self::Bounded { max_waiting } => waiting < *max_waiting as usize,
            Self::BoundedWork { .. } | Self::Headroom(_) => self.is_room(waiting, class, load),
        };
        if fits { Welcome::Admitted } else { Welcome::Refused }
    }

    /// Out of line, so that a plain bound costs what it cost alone.
    #[inline(never)]
    fn is_room(&self, waiting: usize, class: Class, load: impl FnOnce() -> Load) -> bool {
        match self {
            Self::Unbounded => true,
            Self::Bounded { max_waiting } => waiting < *max_waiting as usize,
            Self::BoundedWork { max_work } => load().total() <= *max_work,
            Self::Headroom(headroom) => headroom.fits(waiting, class),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(admission: Admission, waiting: usize) -> Welcome {
        admission.ask(waiting, Class::FIRST, || unreachable!("a number needs no work"))
    }

    #[test]
    fn a_bound_of_zero_lets_nobody_wait() {
        assert_eq!(ask(Admission::Bounded { max_waiting: 0 }, 0), Welcome::Refused);
        let two = Admission::Bounded { max_waiting: 2 };
        assert_eq!([0, 1, 2, 3].map(|waiting| ask(two, waiting)), {
            use Welcome::{Admitted, Refused};
            [Admitted, Admitted, Refused, Refused]
        });
        assert_eq!(ask(Admission::Unbounded, usize::MAX), Welcome::Admitted);
    }

    /// With all work alike, a bound by work is a bound by number.
    #[test]
    fn a_bound_by_work_counts_the_attempts_own() {
        let ms = Span::from_millis;
        let bound = Admission::BoundedWork { max_work: ms(35) };
        assert!(bound.asks_for_work());
        let check = |waiting, own, expected| {
            let load = Load { waiting: ms(waiting), own: ms(own) };
            assert_eq!(bound.ask(3, Class::FIRST, || load), expected, "{load:?}");
        };
        check(20, 10, Welcome::Admitted);
        check(30, 10, Welcome::Refused);
        check(30, 5, Welcome::Admitted);
        check(0, 36, Welcome::Refused);
    }

    /// One worker of 100 ms, no places in the queue, one call a second: nobody is refused, for an
    /// attempt that finds an idle worker does not wait, and is not asked about.
    #[test]
    fn no_places_in_the_queue_still_serve() {
        let bound = Admission::Bounded { max_waiting: 0 };
        let (mut busy_until, mut refused) = (0, 0);
        for call in 0..10_u64 {
            let now = call * 1_000;
            let idle = busy_until <= now;
            if idle {
                busy_until = now + 100;
            } else if ask(bound, 0) == Welcome::Refused {
                refused += 1;
            }
        }
        assert_eq!(refused, 0);
    }
}
