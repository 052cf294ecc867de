//! A run in windows of equal width.

use super::roll::Roll;
use super::{Fact, Observer, Place, Sending};
use crate::policy::outcome::Failure;
use crate::time::{Span, Time};

/// What happened in one window, and what was left at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Fresh requests: the demand that goodput is held against.
    pub arrivals: u64,
    /// Requests answered in time.
    pub goodput: u64,
    /// Requests that failed for good.
    pub failed: u64,
    /// Attempts sent by clients, first ones included.
    pub attempts: u64,
    /// Attempts sent by clients, first ones not included.
    pub retries: u64,
    /// Attempts sent by clients while the one before was still out.
    pub hedges: u64,
    /// Attempts that clients' transports sent again, of which neither of the two above knows.
    pub repeats: u64,
    /// Attempts that clients gave up.
    pub timed_out: u64,
    /// Attempts turned away on arrival.
    pub rejected: u64,
    /// Those of them that were told that they had failed, and not that there is no room.
    pub failed_at_once: u64,
    /// Attempts dropped that had been let in.
    pub shed: u64,
    /// Attempts served in full.
    pub throughput: u64,
    /// Attempts served in full that nobody waited for.
    pub wasted: u64,
    /// Attempts that a worker began to serve.
    pub started: u64,
    /// Total waiting time of the attempts started.
    pub waited: Span,
    /// Attempts waiting in queues at the window's end.
    pub queue: u64,
}

/// A run as a row of windows from the start to the horizon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    roll: Roll,
    windows: Vec<Window>,
    current: Window,
}

impl Timeline {
    /// An empty timeline with windows of `width`.
    ///
    /// # Panics
    /// If `width` is zero.
    pub fn new(width: Span) -> Self {
        Self { roll: Roll::new(width), windows: Vec::new(), current: Window::default() }
    }

    /// The timeline of a run that lasted for `horizon`, of which all windows are known.
    pub(super) fn of_windows(width: Span, windows: Vec<Window>, horizon: Span) -> Self {
        let mut roll = Roll::new(width);
        let whole = std::iter::from_fn(|| roll.next_end(Time::ZERO + horizon)).count();
        let last = windows.last().copied().unwrap_or_default();
        let current = match windows.get(whole) {
            Some(part) => *part,
            None => Window { queue: last.queue, ..Window::default() },
        };
        Self { roll, windows, current }
    }

    /// The width of a window.
    pub const fn width(&self) -> Span {
        self.roll.width()
    }

    /// The finished windows in order; all of them once the run is finished.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// When window number `index` starts.
    pub fn start(&self, index: usize) -> Time {
        Time::ZERO + self.width().saturating_mul(index as u64)
    }

    #[cold]
    fn close_until(&mut self, now: Time) {
        while self.roll.next_end(now).is_some() {
            self.windows.push(self.current);
            self.current = Window { queue: self.current.queue, ..Window::default() };
        }
    }
}

impl Observer for Timeline {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        self.observe_many(now, fact, 1);
    }

    #[inline(always)]
    fn observe_many(&mut self, now: Time, fact: Fact, times: u64) {
        if self.roll.has_ended(now) {
            self.close_until(now);
        }
        let window = &mut self.current;
        match fact {
            Fact::Arrived { .. } => window.arrivals += times,
            Fact::Sent { edge, kind, .. } if !edge.is_between_services() => {
                window.attempts += times;
                window.retries += times * u64::from(kind == Sending::Retry);
                window.hedges += times * u64::from(kind == Sending::Hedge);
            }
            Fact::Repeated { edge, .. } => {
                window.repeats += times * u64::from(!edge.is_between_services());
            }
            Fact::TimedOut { edge, .. } => {
                window.timed_out += times * u64::from(!edge.is_between_services());
            }
            Fact::Succeeded { .. } => window.goodput += times,
            Fact::Failed { .. } => window.failed += times,
            Fact::Refused { failure, .. } => {
                window.rejected += times;
                window.failed_at_once += times * u64::from(failure != Failure::Refused);
            }
            Fact::Queued { .. } => window.queue += times,
            Fact::Shed { dropped, .. } => {
                window.shed += times;
                window.queue -= times * u64::from(dropped.is_from_queue());
            }
            Fact::Started { waited, from_queue, .. } => {
                window.started += times;
                window.waited += waited.saturating_mul(times);
                window.queue -= times * u64::from(from_queue);
            }
            Fact::Completed { useful, .. } => {
                window.throughput += times;
                window.wasted += times * u64::from(!useful);
            }
            Fact::CameToNothing { .. } => window.wasted += times,
            Fact::Lost { place, .. } | Fact::Withdrawn { place, .. } => {
                window.queue -= times * u64::from(place == Place::Queue);
            }
            Fact::BudgetDenied { .. }
            | Fact::Executed { .. }
            | Fact::Replayed { .. }
            | Fact::Conflicted { .. }
            | Fact::KeyExpired { .. }
            | Fact::RefusalBegun { .. }
            | Fact::RefusalSaid { .. }
            | Fact::RefusalLost { .. }
            | Fact::Blocked { .. }
            | Fact::LostOnTheWay { .. }
            | Fact::HeldBack { .. }
            | Fact::BreakerOpened { .. }
            | Fact::Routed { .. }
            | Fact::Settled { .. }
            | Fact::Ejected { .. }
            | Fact::Reinstated { .. }
            | Fact::Called { .. }
            | Fact::Hit { .. }
            | Fact::Coalesced { .. }
            | Fact::Returned { .. }
            | Fact::Sent { .. }
            | Fact::TriggerBegan { .. }
            | Fact::TriggerEnded { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. } => {}
        }
    }

    fn finish(&mut self, horizon: Time) {
        self.close_until(horizon);
        if self.start(self.windows.len()) < horizon {
            self.windows.push(self.current);
        }
    }
}
