//! What went over one edge.

use super::Window;

/// What went over one edge in a while, counted by whoever called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Requests: fresh ones of a client, or calls that a service made.
    pub requests: u64,
    /// Requests answered in time.
    pub answered: u64,
    /// Requests that ended otherwise.
    pub failed: u64,
    /// Attempts sent, first ones included.
    pub attempts: u64,
    /// Attempts sent because the one before had failed.
    pub retries: u64,
    /// Attempts sent while the one before was still out.
    pub hedges: u64,
    /// Attempts sent again beneath the policy; they are not among those sent.
    pub repeats: u64,
    /// Attempts given up.
    pub timed_out: u64,
    /// Attempts turned away on arrival.
    pub refused: u64,
    /// Those of them that were told that they had failed, and not that there is no room.
    pub failed_at_once: u64,
    /// Retries that a budget held back.
    pub denied: u64,
    /// Attempts held back by a throttle, breaker or pool; they are not among those sent.
    pub held_back: u64,
    /// How often an instance was ejected by whoever calls.
    pub ejections: u64,
}

impl Link {
    /// Both whiles together.
    #[must_use]
    pub const fn and(self, later: Self) -> Self {
        Self {
            requests: self.requests + later.requests,
            answered: self.answered + later.answered,
            failed: self.failed + later.failed,
            attempts: self.attempts + later.attempts,
            retries: self.retries + later.retries,
            hedges: self.hedges + later.hedges,
            repeats: self.repeats + later.repeats,
            timed_out: self.timed_out + later.timed_out,
            refused: self.refused + later.refused,
            failed_at_once: self.failed_at_once + later.failed_at_once,
            denied: self.denied + later.denied,
            held_back: self.held_back + later.held_back,
            ejections: self.ejections + later.ejections,
        }
    }

    /// Attempts per request; none without requests.
    pub fn amplification(&self) -> Option<f64> {
        (self.requests > 0).then(|| self.attempts as f64 / self.requests as f64)
    }
}

/// What a window of the timeline says of the edge, where it is the only one.
impl From<&Window> for Link {
    fn from(window: &Window) -> Self {
        Self {
            requests: window.arrivals,
            answered: window.goodput,
            failed: window.failed,
            attempts: window.attempts,
            retries: window.retries,
            hedges: window.hedges,
            repeats: window.repeats,
            timed_out: window.timed_out,
            refused: window.rejected,
            failed_at_once: window.failed_at_once,
            ..Self::default()
        }
    }
}
