//! Is an admitted attempt still worth serving?
//!
//! Whose memory it is: the service's, and only for CoDel; the attempt carries the instant at which
//! its client gives up.
//!
//! When the engine calls what:
//! * [`Shedding::open`] when a run is reset;
//! * [`Shedder::judge`] when an idle worker has taken an attempt from the queue, once for each; what
//!   is shed leaves the worker idle, and the next one is taken at the same instant;
//! * [`Shedder::judge`] too when an attempt meets an idle worker, if the shedder
//!   [looks ahead](Shedder::looks_ahead): what it sheds then has never waited;
//! * [`Shedder::started_at_once`] when an attempt starts without having waited: a queue that nobody
//!   waits in is the best news a controller of queueing delay can get;
//! * [`QueueTimer::expires`] when an attempt joins the queue. At that instant the engine takes it out
//!   of the waiting room by its ticket, unless it has left by then, and tells it as shed. It comes
//!   after the client timers of that instant, and before any hand-over.

mod codel;
mod folly;
mod timer;

pub use codel::{Codel, State as CodelState};
pub use folly::{FollyCodel, State as FollyState};
pub use timer::QueueTimer;

use crate::time::{Span, Time};

/// A service's shedding policy, asked at pick-up. What is shed is dropped without an answer: its
/// client has given up, or will before an answer could reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shedding {
    /// Everything is served, even what nobody waits for.
    Never,
    /// What its client has already given up is dropped. Under overload a FIFO queue then serves
    /// whatever is nearest to its deadline, and finishes it late.
    Expired,
    /// What cannot be finished before its client gives up is dropped; the service knows the work.
    Unfinishable,
    /// As before, by a service that takes the mean for the work of each: some hopeless work is begun,
    /// some is dropped that would have been in time.
    UnfinishableOnAverage,
    /// What has waited more than twice the target is dropped while the queue is standing.
    FollyCodel(FollyCodel),
    /// One is dropped now and then while the queue is standing, ever more often.
    Codel(Codel),
}

/// What shedding remembers during a run.
#[derive(Clone, Debug, Default)]
pub enum Shedder {
    /// Of [`Shedding::Never`].
    #[default]
    Never,
    /// Of [`Shedding::Expired`].
    Expired,
    /// Of [`Shedding::Unfinishable`].
    Unfinishable,
    /// Of [`Shedding::UnfinishableOnAverage`].
    UnfinishableOnAverage {
        /// The mean work.
        mean: Span,
    },
    /// Of a [`Shedding::FollyCodel`].
    FollyCodel(FollyState),
    /// Of a [`Shedding::Codel`].
    Codel(CodelState),
}

/// An attempt that a worker has taken from the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickUp {
    /// When.
    pub now: Time,
    /// When it joined the queue.
    pub since: Time,
    /// How long it would take, slowdowns included.
    pub work: Span,
    /// When its client gives up; [`Time::NEVER`] if it does not.
    pub deadline: Time,
    /// How many wait behind it.
    pub behind: usize,
}

/// What becomes of a picked-up attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is served.
    Served,
    /// It is dropped.
    Shed,
}

impl Shedding {
    /// A shedder that has seen nothing yet, of a service whose work has this mean.
    pub fn open(&self, mean: Span) -> Shedder {
        match self {
            Self::Never => Shedder::Never,
            Self::Expired => Shedder::Expired,
            Self::Unfinishable => Shedder::Unfinishable,
            Self::UnfinishableOnAverage => Shedder::UnfinishableOnAverage { mean },
            Self::FollyCodel(codel) => Shedder::FollyCodel(FollyState::new(*codel)),
            Self::Codel(codel) => Shedder::Codel(CodelState::new(*codel)),
        }
    }
}

impl Shedder {
    /// The fate of a picked-up attempt.
    ///
    /// A completion at the very instant of the deadline is in time, as everywhere.
    #[inline]
    pub fn judge(&mut self, pick_up: &PickUp) -> Fate {
        let PickUp { now, since, work, deadline, behind } = *pick_up;
        let hopeless = match self {
            Self::Never => false,
            Self::Expired => now >= deadline,
            Self::Unfinishable => now + work > deadline,
            Self::UnfinishableOnAverage { mean } => now + *mean > deadline,
            Self::FollyCodel(state) => return state.judge(now, now.since(since)),
            Self::Codel(state) => return state.judge(now, now.since(since), behind),
        };
        if hopeless { Fate::Shed } else { Fate::Served }
    }

    /// Whether an attempt that has not waited may be hopeless all the same: its work is too long for
    /// its client.
    pub const fn looks_ahead(&self) -> bool {
        match self {
            Self::Unfinishable | Self::UnfinishableOnAverage { .. } => true,
            Self::Never | Self::Expired | Self::FollyCodel(_) | Self::Codel(_) => false,
        }
    }

    /// An attempt has started at `now` without having waited.
    #[inline]
    pub fn started_at_once(&mut self, now: Time) {
        match self {
            Self::Never
            | Self::Expired
            | Self::Unfinishable
            | Self::UnfinishableOnAverage { .. } => {}
            Self::FollyCodel(state) => {
                state.judge(now, Span::ZERO);
            }
            Self::Codel(state) => {
                state.judge(now, Span::ZERO, 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_useful_instant_counts_as_in_time() {
        let mean = Span::from_millis(20);
        let check = |policy: Shedding, now_ms, expected| {
            let now = Time::ZERO + Span::from_millis(now_ms);
            let pick_up = PickUp {
                now,
                since: Time::ZERO,
                work: Span::from_millis(10),
                deadline: Time::ZERO + Span::from_millis(100),
                behind: 9,
            };
            let found = policy.open(mean).judge(&pick_up);
            assert_eq!(found, expected, "{policy:?} at {now_ms} ms");
        };
        check(Shedding::Never, 1_000, Fate::Served);
        check(Shedding::Expired, 99, Fate::Served);
        check(Shedding::Expired, 100, Fate::Shed);
        check(Shedding::Unfinishable, 90, Fate::Served);
        check(Shedding::Unfinishable, 91, Fate::Shed);
        check(Shedding::UnfinishableOnAverage, 80, Fate::Served);
        check(Shedding::UnfinishableOnAverage, 81, Fate::Shed);
    }

    #[test]
    fn who_waits_for_ever_is_never_hopeless() {
        let now = Time::ZERO + Span::from_secs(9);
        let (since, work, deadline) = (Time::ZERO, Span::from_secs(9), Time::NEVER);
        let pick_up = PickUp { now, since, work, deadline, behind: 0 };
        for policy in [Shedding::Expired, Shedding::Unfinishable, Shedding::UnfinishableOnAverage] {
            assert_eq!(policy.open(work).judge(&pick_up), Fate::Served, "{policy:?}");
        }
    }

    /// One start without waiting ends both controllers' alarm.
    #[test]
    fn a_start_at_once_ends_the_alarm() {
        for policy in [Shedding::FollyCodel(FollyCodel::DEFAULT), Shedding::Codel(Codel::DEFAULT)] {
            let shed = |calm_at: Option<u64>| {
                let mut shedder = policy.open(Span::ZERO);
                let fates = (0..1_000).map(|tick| {
                    let now = Time::ZERO + Span::from_millis(1_000 + tick);
                    if calm_at == Some(tick) {
                        shedder.started_at_once(now);
                    }
                    let since = Time::ZERO + Span::from_millis(900 + tick);
                    let (work, deadline) = (Span::NANOSECOND, Time::NEVER);
                    let fate = shedder.judge(&PickUp { now, since, work, deadline, behind: 9 });
                    u64::from(fate == Fate::Shed)
                });
                fates.collect::<Vec<_>>()
            };
            let (anxious, calmed) = (shed(None), shed(Some(500)));
            assert_eq!(anxious[..500], calmed[..500]);
            // In the window after the calm start nothing is shed, or what is shed ends with it.
            let after = |fates: &[u64]| fates[550..].iter().sum::<u64>();
            assert!(after(&calmed) < after(&anxious), "{policy:?}");
        }
    }
}
