//! What one service saw.

use super::Window;
use crate::time::Span;

/// What one service saw in a while.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Station {
    /// Attempts that arrived, counted by the service: what is lost on the way never does.
    pub attempts: u64,
    /// Attempts that a worker began to serve.
    pub started: u64,
    /// Attempts served in full.
    pub completed: u64,
    /// Attempts served in full that nobody waited for.
    pub wasted: u64,
    /// Attempts turned away on arrival.
    pub rejected: u64,
    /// Those of them that were told that they had failed, and not that there is no room.
    pub failed_at_once: u64,
    /// Attempts dropped that had been let in.
    pub shed: u64,
    /// Attempts dropped because their clients had given them up.
    pub withdrawn: u64,
    /// Attempts lost in an outage or a restart.
    pub lost: u64,
    /// Operations executed, where they are counted.
    pub executions: u64,
    /// Those of requests for which it had been executed before.
    pub duplicates: u64,
    /// Work on attempts served in full: own work, without what was called for them.
    pub work: Span,
    /// The part of it that was for nobody.
    pub wasted_work: Span,
    /// Time that attempts spent between the start of their service and its end, waiting for what was
    /// called for them included, and workers spent refusing: a sum over all of them.
    pub in_service: Span,
    /// Total waiting time of the attempts started.
    pub waited: Span,
    /// Attempts waiting at the end.
    pub queue: u64,
    /// Attempts being served at the end.
    pub serving: u64,
}

impl Station {
    /// Both whiles together, this one before the other.
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        Self {
            attempts: self.attempts + later.attempts,
            started: self.started + later.started,
            completed: self.completed + later.completed,
            wasted: self.wasted + later.wasted,
            rejected: self.rejected + later.rejected,
            failed_at_once: self.failed_at_once + later.failed_at_once,
            shed: self.shed + later.shed,
            withdrawn: self.withdrawn + later.withdrawn,
            lost: self.lost + later.lost,
            executions: self.executions + later.executions,
            duplicates: self.duplicates + later.duplicates,
            work: self.work + later.work,
            wasted_work: self.wasted_work + later.wasted_work,
            in_service: self.in_service + later.in_service,
            waited: self.waited + later.waited,
            queue: later.queue,
            serving: later.serving,
        }
    }

    /// Attempts answered in time: served in full, with success, and waited for to the end.
    pub const fn answered(&self) -> u64 {
        self.completed.saturating_sub(self.wasted)
    }

    /// The share of the work done in full that was for nobody; 0 if there was none.
    pub fn wasted_work_fraction(&self) -> f64 {
        if self.work.is_zero() {
            0.0
        } else {
            self.wasted_work.as_nanos() as f64 / self.work.as_nanos() as f64
        }
    }

    /// Mean wait of the attempts started, seconds; none if none was.
    pub fn waiting_mean_s(&self) -> Option<f64> {
        (self.started > 0).then(|| self.waited.as_secs_f64() / self.started as f64)
    }
}

/// What a window of the timeline says of the service, where it is the only one, with one client.
impl From<&Window> for Station {
    fn from(window: &Window) -> Self {
        Self {
            attempts: window.attempts + window.repeats,
            started: window.started,
            completed: window.throughput,
            wasted: window.wasted,
            rejected: window.rejected,
            failed_at_once: window.failed_at_once,
            shed: window.shed,
            waited: window.waited,
            queue: window.queue,
            ..Self::default()
        }
    }
}
