//! On which connection does an attempt leave, and is that about to be closed under it?
//!
//! Whose memory it is: the client's. The connection that was used last is taken first, as most pools
//! do: the others grow old, and are closed when nobody needs them.

use std::num::NonZeroU32;

use super::Carrier;
use crate::time::{Span, Time};

/// How long idle connections are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// The server closes a connection that has been idle for so long; none for never.
    pub server_closes: Option<Span>,
    /// The client closes a connection that has been idle for so long; none for never. No attempt is
    /// lost where this is shorter than what the server allows by more than a round trip.
    pub client_closes: Option<Span>,
    /// How long a message is on its way.
    pub one_way: Span,
    /// Idle connections that the client keeps, closing those that come back to it later; none for any
    /// number. Go keeps two for each host.
    pub most: Option<NonZeroU32>,
}

/// On what an attempt leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// A fresh connection.
    Fresh,
    /// A connection that has carried an answer.
    Reused,
    /// A connection that has carried an answer and that the server closes before the attempt arrives.
    Dies {
        /// When the client hears of it: the attempt is reset then.
        after: Span,
    },
}

impl Departure {
    /// On what an attempt has left.
    pub const fn carrier(self) -> Carrier {
        match self {
            Self::Fresh => Carrier::Fresh,
            Self::Reused | Self::Dies { .. } => Carrier::Reused,
        }
    }
}

/// Idle connections.
#[derive(Clone, Debug)]
pub struct Connections {
    keep_alive: KeepAlive,
    /// Since when each has been idle, the last used one at the end. No more than were ever out at
    /// once.
    idle: Vec<Time>,
}

impl KeepAlive {
    /// No connection yet.
    pub const fn open(&self) -> Connections {
        Connections { keep_alive: *self, idle: Vec::new() }
    }

    /// What becomes of an attempt that leaves on a connection that has been idle for so long, as the
    /// client sees it: since the answer came.
    ///
    /// The server began to wait one way earlier, when it answered, and the client hears one way after
    /// it was closed, which is just when it has been idle for as long itself. What leaves in the round
    /// trip before that is lost.
    fn depart(&self, idle: Span) -> Departure {
        if self.client_closes.is_some_and(|longest| idle >= longest) {
            return Departure::Fresh;
        }
        match self.server_closes {
            Some(longest) if idle >= longest => Departure::Fresh,
            Some(longest) if idle + self.one_way + self.one_way >= longest => {
                Departure::Dies { after: longest - idle }
            }
            Some(_) | None => Departure::Reused,
        }
    }
}

impl Connections {
    /// On what an attempt leaves.
    #[inline]
    pub fn depart(&mut self, now: Time) -> Departure {
        let Some(since) = self.idle.pop() else { return Departure::Fresh };
        let departure = self.keep_alive.depart(now.since(since));
        if departure == Departure::Fresh {
            // All others have been idle for longer.
            self.idle.clear();
        }
        departure
    }

    /// An attempt was answered, and its connection is idle.
    #[inline]
    pub fn keep(&mut self, now: Time) {
        if self.keep_alive.most.is_none_or(|most| self.idle.len() < most.get() as usize) {
            self.idle.push(now);
        }
    }

    /// All connections are lost, as when the server restarts.
    pub fn clear(&mut self) {
        self.idle.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Bits, Purpose, Stream};

    fn ms(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    fn keep_alive(server_secs: u64, client_secs: u64) -> KeepAlive {
        KeepAlive {
            server_closes: Some(Span::from_secs(server_secs)),
            client_closes: Some(Span::from_secs(client_secs)),
            one_way: Span::from_millis(1),
            most: None,
        }
    }

    /// Case F05: calls on one connection at so many per second. How many of ten million are lost.
    fn lost(keep_alive: KeepAlive, per_second: f64) -> u32 {
        let mut bits = Stream::new(1, Purpose::Arrivals, "calls");
        let mut connections = keep_alive.open();
        let (mut now, mut lost) = (Time::ZERO, 0);
        for _ in 0..10_000_000 {
            now += Span::from_secs_f64(bits.exponential() / per_second);
            lost += u32::from(matches!(connections.depart(now), Departure::Dies { .. }));
            connections.keep(now);
        }
        lost
    }

    /// At r per second the gap ends in the two milliseconds before the fifth second with probability
    /// r exp(-5 r) 2 ms: the busier, the fewer. A client that gives up first loses nothing.
    #[test]
    fn the_race_is_lost_less_often_when_busy() {
        let found = [0.2, 2.0].map(|per_second| lost(keep_alive(5, 60), per_second));
        assert!(found[0].abs_diff(1_470) <= 294 && found[1] <= 10, "{found:?}");
        assert_eq!(lost(keep_alive(75, 60), 0.2), 0);
    }

    #[test]
    fn a_round_trip_before_the_end() {
        let depart = |nanos_before: u64| {
            keep_alive(5, 60).depart(Span::from_secs(5) - Span::from_nanos(nanos_before))
        };
        let dies = |nanos| Departure::Dies { after: Span::from_nanos(nanos) };
        let found = [2_000_001, 2_000_000, 1, 0].map(depart);
        assert_eq!(found, [Departure::Reused, dies(2_000_000), dies(1), Departure::Fresh]);
    }

    /// The last used goes first; with it, all that are older have been closed.
    #[test]
    fn the_last_used_goes_first() {
        let mut connections = keep_alive(5, 60).open();
        assert_eq!(connections.depart(ms(0)), Departure::Fresh);
        for millis in [0, 2_000, 4_000] {
            connections.keep(ms(millis));
        }
        assert_eq!(connections.depart(ms(6_999)), Departure::Reused);
        assert_eq!(connections.depart(ms(6_999)), Departure::Dies { after: Span::from_millis(1) });
        assert_eq!(connections.depart(ms(6_999)), Departure::Fresh);
        for _ in 0..2 {
            connections.keep(ms(7_000));
        }
        assert_eq!(connections.depart(ms(12_000)), Departure::Fresh);
        assert!(connections.idle.is_empty());
    }

    #[test]
    fn only_so_many_are_kept() {
        let reused = |most| {
            let keep_alive = KeepAlive { most: NonZeroU32::new(most), ..keep_alive(5, 60) };
            let mut connections = keep_alive.open();
            (0..4).for_each(|_| connections.keep(ms(0)));
            (0..4).filter(|_| connections.depart(ms(1)) == Departure::Reused).count()
        };
        assert_eq!([2, 0].map(reused), [2, 4], "with no bound, all of them");
    }
}
