//! When the rest of a run is known before it is over.

use crate::model::{Arrivals, Disturbance, Model, Trigger};
use crate::observe::{Tally, Window};
use crate::policy::admission::Admission;
use crate::policy::shedding::Shedding;
use crate::time::{Span, Time};

/// What a run may be cut short by. The windows that it has not come to are filled in: no count but
/// those of the windows is worth anything then.
#[derive(Clone, Copy, Debug)]
pub struct Early<'a> {
    /// When all disturbance is over.
    pub over: Time,
    /// When whatever was set going by it is over too: the longest life of a request later.
    pub settled: Time,
    /// How many windows in a row must be without any hope.
    pub windows: usize,
    /// The windows of the control run under the same seed, if nobody ever gave up in it.
    pub control: Option<&'a [Window]>,
}

impl Early<'_> {
    /// Whether a run of `model` with these counts is one that others may end like: nobody gave up, so it
    /// had the least attempts that there can be.
    pub fn is_untroubled(model: &Model, tally: &Tally) -> bool {
        let [service] = &model.services[..] else { return false };
        service.admission == Admission::Unbounded
            && service.shedding == Shedding::Never
            && tally.timed_out == 0
    }

    /// Whether demand stays what it is, so that anything can be said about the rest of a run; and whether
    /// all of it comes, so that the control run has no more of it.
    pub(super) fn is_steady(model: &Model) -> bool {
        let takes = |trigger: &Trigger| matches!(trigger.disturbance, Disturbance::Surge { factor, .. } if factor < 1.0);
        !model.triggers.iter().any(takes)
            && model.clients.iter().all(|client| match client.arrivals {
                Arrivals::Poisson(_) | Arrivals::Even(_) => true,
                Arrivals::Bursts(_)
                | Arrivals::Profile(_)
                | Arrivals::Volley { .. }
                | Arrivals::Replay(_)
                | Arrivals::Users(_) => false,
            })
    }
}

/// Looks at a run at the end of each window.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    early: Early<'a>,
    /// When the next look is due.
    pub(super) due: Time,
    /// The first window that has not been looked at.
    next: usize,
    /// How many windows in a row have been hopeless.
    hopeless: usize,
    /// Attempts by which the queue has grown in them, and that were served.
    grown: u64,
    served: u64,
    /// Whether it has been as idle as its control run at the same instant.
    is_coupled: bool,
}

/// What the rest of a run is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest<'a> {
    /// As the windows of the control run from this one on.
    Control(usize, &'a [Window]),
    /// As the window before this one: it is stuck.
    Stuck(usize),
}

impl<'a> Watch<'a> {
    pub(super) const fn new(early: Early<'a>, first_look: Time) -> Self {
        Self {
            early,
            due: first_look,
            next: 0,
            hopeless: 0,
            grown: 0,
            served: 0,
            is_coupled: false,
        }
    }

    /// A run without a watch.
    pub(super) const fn nobody() -> Self {
        let early =
            Early { over: Time::NEVER, settled: Time::NEVER, windows: usize::MAX, control: None };
        Self::new(early, Time::NEVER)
    }

    /// Before the first attempt at `now`, all workers are idle and no retry is to come.
    ///
    /// Then its control run is idle too: it had every fresh request, nothing else, and no stall or
    /// slowdown, and whoever is added to a FIFO queue, or served for longer, lets nobody start earlier. From here on they are the same.
    #[inline]
    pub(super) fn is_idle(&mut self, now: Time) {
        self.is_coupled |= self.early.control.is_some() && now >= self.early.over;
    }

    /// What is known of the rest as `now` is reached, in a window of which all those before are
    /// complete but for the sums in `queue`.
    #[cold]
    pub(super) fn look(&mut self, windows: &[Window], width: Span, now: Time) -> Option<Rest<'a>> {
        let current = width.times_in(now.since(Time::ZERO)) as usize;
        self.due = Time::ZERO + width.saturating_mul(current as u64 + 1);
        for (nth, window) in windows.iter().enumerate().take(current).skip(self.next) {
            let grows = window.queue as i64 > 0;
            let is_over = Time::ZERO + width.saturating_mul(nth as u64) >= self.early.settled;
            if is_over && window.goodput == 0 && window.arrivals > 0 && grows {
                self.hopeless += 1;
                self.grown += window.queue;
                self.served += window.throughput;
            } else {
                (self.hopeless, self.grown, self.served) = (0, 0, 0);
            }
        }
        self.next = current;
        if self.is_coupled {
            return self.early.control.map(|control| Rest::Control(current, control));
        }
        // Everybody who waits is too late and sends all attempts, and these are too many: by a tenth, and
        // by eight times as much as they may vary.
        let Self { grown, served, .. } = *self;
        let is_certain = grown * 10 >= served && grown * grown >= 64 * (grown + served);
        let is_stuck = self.hopeless >= self.early.windows && is_certain;
        is_stuck.then_some(Rest::Stuck(current))
    }
}
