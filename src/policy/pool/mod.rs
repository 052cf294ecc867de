//! Is there a connection for this attempt, or how long does it wait for one?
//!
//! Whose memory it is: one for all requests of a client (or for each of its instances). A bulkhead is
//! a pool in which nobody may wait.
//!
//! Asked and told at these moments:
//!
//! * [`Leases::acquire`] when an attempt is ready to leave; one that waits is handed on by number;
//! * [`Leases::release`] when an attempt that has a connection ends: the answer is who leaves next;
//! * [`Leases::leave`] when the acquire timeout fires, or the request ends, of one that waits;
//! * [`Leases::wait_again`] when an attempt finds the connection dead that it was handed.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use crate::time::{Span, Time};
use crate::unit::Fraction;

/// A connection pool's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Attempts that may be out at once.
    pub size: NonZeroU32,
    /// How many may wait for a connection; none for any number.
    pub max_waiting: Option<u32>,
    /// How long an attempt waits for one; none for as long as it takes.
    pub acquire_timeout: Option<Span>,
    /// What the acquire timeout bounds.
    pub clock: AcquireClock,
    /// What becomes of an attempt that finds no open connection, though one may be opened.
    pub cold_start: ColdStart,
    /// Connections that turn out to be dead; none if all live.
    pub dead: Option<Dead>,
}

/// Connections that the other end has closed, which shows when they are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dead {
    /// The share of the connections handed out that are dead.
    pub share: Fraction,
    /// How long making one anew takes; above zero. Nobody has it for so long.
    pub reconnect: Span,
}

/// What becomes of an attempt for which a connection is opened. That takes no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColdStart {
    /// It has the connection.
    #[default]
    IsFree,
    /// It waits for it, if only for an instant, and fails if nobody may wait: a pool of which nothing
    /// is open stays so (Envoy with `max_pending_requests: 0`, envoyproxy/envoy #20817).
    CountsAsWaiting,
}

/// What an acquire timeout bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AcquireClock {
    /// The whole wait, however often it begins anew.
    #[default]
    WholeWait,
    /// Each wait by itself: an attempt that is handed one dead connection after the other may wait
    /// for ever (node-mysql2 PR #4498).
    EachWait,
}

/// What an attempt is told that wants a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// It has one.
    Granted,
    /// It waits, in this place.
    Waits(Place),
    /// Too many wait already: it fails at once.
    Full,
}

/// Where an attempt waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Ascending in the order of the line.
    number: u64,
    /// Who waits, as the caller names it.
    pub who: u32,
    /// When it waits no longer; [`Time::NEVER`] without a timeout.
    pub until: Time,
}

impl Place {
    /// A number that no other place in the same line ever has.
    pub const fn number(&self) -> u64 {
        self.number
    }
}

/// Who has a connection, and who waits for one in which order.
#[derive(Clone, Debug)]
pub struct Leases {
    pool: Pool,
    taken: u32,
    /// Connections that were opened, and stay so.
    opened: u32,
    line: VecDeque<Place>,
    next_number: u64,
}

impl Pool {
    /// All connections free, nobody waiting.
    pub const fn open(&self) -> Leases {
        Leases { pool: *self, taken: 0, opened: 0, line: VecDeque::new(), next_number: 0 }
    }
}

impl Leases {
    /// A connection for `who`, or a place in the line.
    pub fn acquire(&mut self, now: Time, who: u32) -> Lease {
        if self.taken < self.opened {
            self.taken += 1;
            return Lease::Granted;
        }
        let is_full = self.pool.max_waiting.is_some_and(|most| self.line.len() >= most as usize);
        let may_open = self.opened < self.pool.size.get();
        if is_full && !(may_open && self.pool.cold_start == ColdStart::IsFree) {
            return Lease::Full;
        }
        if may_open {
            self.opened += 1;
            self.taken += 1;
            return Lease::Granted;
        }
        Lease::Waits(self.join(who, self.until(now)))
    }

    /// A connection comes free: whoever has waited longest has it now, if anybody waits.
    pub fn release(&mut self) -> Option<Place> {
        debug_assert!(self.taken > 0, "what is released was acquired");
        self.taken -= 1;
        if self.taken >= self.pool.size.get() {
            return None;
        }
        let next = self.line.pop_front();
        self.taken += u32::from(next.is_some());
        next
    }

    /// Whoever waits in `place` waits no longer. In time that grows with the length of the line.
    pub fn leave(&mut self, place: Place) {
        if let Ok(index) = self.line.binary_search_by_key(&place.number, |place| place.number) {
            self.line.remove(index);
        }
    }

    /// Whoever waited in `place` was handed a dead connection and goes back to the end of the line,
    /// not counted against its bound. The connection is being mended, and is taken until it is
    /// released. None if the wait is over: then it fails.
    pub fn wait_again(&mut self, now: Time, place: Place) -> Option<Place> {
        let until = match self.pool.clock {
            AcquireClock::WholeWait => place.until,
            AcquireClock::EachWait => self.until(now),
        };
        (now < until).then(|| self.join(place.who, until))
    }

    /// Where `who` would stand that has been handed a connection without waiting, and has it from the
    /// number of this place whether it lives.
    pub fn served_at_once(&mut self, now: Time, who: u32) -> Place {
        self.next_number += 1;
        Place { number: self.next_number - 1, who, until: self.until(now) }
    }

    /// An attempt that is out already counts, though nobody gave it a connection: the pool is new. More
    /// may so be taken than there are, until enough have ended.
    pub fn count_in(&mut self) {
        self.taken += 1;
        self.opened = self.opened.max(self.taken).min(self.pool.size.get());
    }

    /// Connections taken.
    pub const fn taken(&self) -> u32 {
        self.taken
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.line.len()
    }

    fn until(&self, now: Time) -> Time {
        self.pool.acquire_timeout.map_or(Time::NEVER, |timeout| now + timeout)
    }

    fn join(&mut self, who: u32, until: Time) -> Place {
        let place = Place { number: self.next_number, who, until };
        self.next_number += 1;
        self.line.push_back(place);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    fn pool(size: u32, max_waiting: Option<u32>) -> Pool {
        Pool {
            size: NonZeroU32::new(size).unwrap(),
            max_waiting,
            acquire_timeout: Some(Span::from_millis(500)),
            clock: AcquireClock::WholeWait,
            cold_start: ColdStart::IsFree,
            dead: None,
        }
    }

    fn waits(lease: Lease) -> Place {
        match lease {
            Lease::Waits(place) => place,
            Lease::Granted | Lease::Full => panic!("{lease:?}"),
        }
    }

    /// Case C03: dead connections at 400, 800, 1200 and 1600 ms, a live one at 2000. When the wait
    /// of the one who waits since 0 ends, and whether with a connection.
    fn handed_dead_ones(clock: AcquireClock) -> (Time, bool) {
        let mut leases = Pool { clock, ..pool(1, None) }.open();
        assert_eq!(leases.acquire(at(0), 7), Lease::Granted);
        let mut place = waits(leases.acquire(at(0), 8));
        for handed in [400, 800, 1_200, 1_600, 2_000].map(at) {
            if place.until < handed {
                leases.leave(place);
                return (place.until, false);
            }
            assert_eq!(leases.release().map(|place| place.who), Some(8));
            if handed == at(2_000) {
                return (handed, true);
            }
            place = leases.wait_again(handed, place).unwrap();
        }
        unreachable!("the last one is alive")
    }

    #[test]
    fn one_deadline_for_the_whole_wait() {
        assert_eq!(handed_dead_ones(AcquireClock::WholeWait), (at(500), false));
        assert_eq!(handed_dead_ones(AcquireClock::EachWait), (at(2_000), true));
    }

    #[test]
    fn a_bulkhead_lets_nobody_wait() {
        let mut leases = pool(3, Some(0)).open();
        let told: Vec<_> = (0..5).map(|who| leases.acquire(at(0), who)).collect();
        let (granted, full) = (Lease::Granted, Lease::Full);
        assert_eq!(told, [granted, granted, granted, full, full]);
        assert_eq!(leases.release(), None);
        assert_eq!(leases.acquire(at(1), 9), Lease::Granted);
    }

    /// Case E01c: where nobody may wait, nobody is there for whom a connection would be opened.
    #[test]
    fn a_cold_pool_stays_cold_if_nobody_may_wait() {
        let cold = |max_waiting| {
            let cold_start = ColdStart::CountsAsWaiting;
            Pool { cold_start, ..pool(2, Some(max_waiting)) }.open()
        };
        let mut none = cold(0);
        assert_eq!([0, 1].map(|who| none.acquire(at(0), who)), [Lease::Full; 2]);
        // What was open before is used again, and nothing beside it.
        none.count_in();
        assert_eq!(none.acquire(at(0), 2), Lease::Full);
        assert_eq!(none.release(), None);
        assert_eq!([3, 4].map(|who| none.acquire(at(1), who)), [Lease::Granted, Lease::Full]);
        let mut one = cold(1);
        assert_eq!([0, 1].map(|who| one.acquire(at(0), who)), [Lease::Granted; 2]);
        waits(one.acquire(at(0), 2));
        assert_eq!(one.acquire(at(0), 3), Lease::Full);
    }

    #[test]
    fn first_come_first_served_and_who_left_is_passed_over() {
        let mut leases = pool(1, Some(3)).open();
        assert_eq!(leases.acquire(at(0), 0), Lease::Granted);
        let places = [1, 2, 3].map(|who| waits(leases.acquire(at(0), who)));
        assert_eq!(leases.acquire(at(0), 4), Lease::Full);
        leases.leave(places[1]);
        leases.leave(places[1]);
        assert_eq!(places[0].until, at(500));
        let next: Vec<_> = (0..3).map(|_| leases.release().map(|place| place.who)).collect();
        assert_eq!(next, [Some(1), Some(3), None]);
        assert_eq!((leases.taken(), leases.waiting()), (0, 0));
    }

    proptest! {
        /// Never more connections than there are, nobody waits while one is free, and everybody who
        /// asked is served, waits, was turned away or has left.
        #[test]
        fn the_books_balance(
            size in 1_u32..4, bound in prop::option::of(0_u32..4),
            steps in prop::collection::vec(0_u8..4, 1..200),
        ) {
            let mut leases = pool(size, bound).open();
            let (mut out, mut line) = (Vec::new(), VecDeque::new());
            for (who, step) in (0..).zip(steps) {
                match step {
                    0 | 1 => match leases.acquire(at(0), who) {
                        Lease::Granted => out.push(who),
                        Lease::Waits(place) => line.push_back(place),
                        Lease::Full => prop_assert_eq!(Some(line.len() as u32), bound),
                    },
                    2 => if !out.is_empty() {
                        out.swap_remove(0);
                        let next = leases.release();
                        prop_assert_eq!(next, line.pop_front());
                        out.extend(next.map(|place| place.who));
                    },
                    _ => if let Some(place) = line.pop_back() {
                        leases.leave(place);
                    },
                }
                prop_assert_eq!(leases.taken() as usize, out.len());
                prop_assert_eq!(leases.waiting(), line.len());
                prop_assert!(out.len() <= size as usize);
                prop_assert!(line.is_empty() || out.len() == size as usize);
            }
        }
    }
}
