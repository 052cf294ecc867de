//! Counts over a whole run.

use super::{Fact, Observer, Place, Sending};
use crate::policy::outcome::Failure;
use crate::time::{Span, Time};

/// What a run came to. Requests are counted by the clients, attempts by whoever the field's
/// description names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Fresh requests.
    pub requests: u64,
    /// Requests answered in time.
    pub succeeded: u64,
    /// When the last of them was answered; none if none was.
    pub last_success: Option<Time>,
    /// Requests that failed for good.
    pub failed: u64,
    /// Attempts sent by clients, first ones included.
    pub attempts: u64,
    /// Attempts sent by clients because the one before had failed.
    pub retries: u64,
    /// Attempts sent by clients while the one before was still out.
    pub hedges: u64,
    /// Attempts that clients' transports sent again beneath all policies; they are not among those sent.
    pub repeats: u64,
    /// Attempts that clients gave up.
    pub timed_out: u64,
    /// Retries that a budget held back.
    pub denied: u64,
    /// Requests answered from a cache, those that services make among them.
    pub hits: u64,
    /// Attempts that waited for what another one fetched.
    pub coalesced: u64,
    /// Attempts that a client's own throttle, breaker or pool held back; they are not among those sent.
    pub held_back: u64,
    /// How often circuit breakers opened.
    pub breaker_openings: u64,
    /// How often an instance was ejected, by whichever caller.
    pub ejections: u64,
    /// Fresh requests that an operator blocked.
    pub blocked: u64,
    /// Attempts and answers lost on the way, and attempts lost at a service.
    pub lost: u64,
    /// The latter alone.
    pub lost_there: u64,
    /// Attempts that a service turned away on arrival.
    pub rejected: u64,
    /// Those of them that were told that they had failed, and not that there is no room.
    pub failed_at_once: u64,
    /// Attempts that a service dropped although it had let them in.
    pub shed: u64,
    /// Attempts that a service dropped because their clients had given them up.
    pub withdrawn: u64,
    /// Attempts that left a queue unserved because they were lost or withdrawn.
    pub left_unserved: u64,
    /// Attempts that a worker began to serve.
    pub started: u64,
    /// Attempts that a service served in full.
    pub completed: u64,
    /// Attempts served in full that nobody waited for.
    pub wasted: u64,
    /// Operations executed, by services that count them.
    pub executions: u64,
    /// Those of requests for which the operation had been executed before.
    pub duplicates: u64,
    /// Requests for which an operation was executed more than once.
    pub executed_again: u64,
    /// Attempts answered with what an earlier one had come to.
    pub replayed: u64,
    /// Attempts turned away because another one of the same request was being served.
    pub conflicts: u64,
    /// Operations that a service had forgotten, as far as it was asked about any afterwards.
    pub keys_expired: u64,
    /// Work on attempts served in full.
    pub work: Span,
    /// Work on attempts served in full that nobody waited for.
    pub wasted_work: Span,
    /// Work of telling attempts that they are refused; neither served nor wasted.
    pub refusing_work: Span,
    /// Total waiting time of the attempts started.
    pub waited: Span,
    /// Arrivals, of what services call for among them, timeouts that fired, and completions: the unit of
    /// the engine's speed.
    pub events: u64,
}

impl Tally {
    /// Requests still open when the run was cut.
    pub const fn censored(&self) -> u64 {
        self.requests - self.succeeded - self.failed
    }

    /// Attempts being served when the run was cut.
    pub const fn serving(&self) -> u64 {
        let left_workers = self.lost_there + self.withdrawn - self.left_unserved;
        self.started - self.completed - left_workers
    }

    /// Attempts per request; 1 if there were no requests.
    pub fn amplification(&self) -> f64 {
        if self.requests == 0 { 1.0 } else { self.attempts as f64 / self.requests as f64 }
    }

    /// The share of the work done in full that was for nobody; 0 if there was none.
    pub fn wasted_work_fraction(&self) -> f64 {
        if self.work.is_zero() {
            0.0
        } else {
            self.wasted_work.as_nanos() as f64 / self.work.as_nanos() as f64
        }
    }
}

impl Observer for Tally {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        self.observe_many(now, fact, 1);
    }

    #[inline(always)]
    fn observe_many(&mut self, now: Time, fact: Fact, times: u64) {
        match fact {
            Fact::Arrived { .. } => {
                self.requests += times;
                self.events += times;
            }
            Fact::Sent { edge, kind, .. } if !edge.is_between_services() => {
                self.attempts += times;
                match kind {
                    Sending::First => {}
                    Sending::Retry => self.retries += times,
                    Sending::Hedge => self.hedges += times,
                }
            }
            Fact::Repeated { edge, .. } => {
                self.repeats += times * u64::from(!edge.is_between_services());
            }
            Fact::BudgetDenied { edge, .. } => {
                self.denied += times * u64::from(!edge.is_between_services());
            }
            Fact::TimedOut { edge, .. } => {
                self.timed_out += times * u64::from(!edge.is_between_services());
                self.events += times;
            }
            Fact::Succeeded { .. } => {
                self.succeeded += times;
                self.last_success = Some(now);
            }
            Fact::Failed { .. } => self.failed += times,
            Fact::Refused { failure, .. } => {
                self.rejected += times;
                self.failed_at_once += times * u64::from(failure != Failure::Refused);
            }
            Fact::Shed { .. } => self.shed += times,
            Fact::Started { waited, .. } => {
                self.started += times;
                self.waited += waited.saturating_mul(times);
            }
            Fact::Completed { work, useful, .. } => {
                self.completed += times;
                self.events += times;
                self.work += work.saturating_mul(times);
                if !useful {
                    self.wasted += times;
                    self.wasted_work += work.saturating_mul(times);
                }
            }
            Fact::CameToNothing { work, .. } => {
                self.wasted += times;
                self.wasted_work += work.saturating_mul(times);
            }
            Fact::Called { .. } => self.events += times,
            Fact::Blocked { .. } => self.blocked += times,
            Fact::LostOnTheWay { .. } => self.lost += times,
            Fact::Lost { place, .. } => {
                self.lost += times;
                self.lost_there += times;
                self.left_unserved += times * u64::from(place == Place::Queue);
            }
            Fact::Withdrawn { place, .. } => {
                self.withdrawn += times;
                self.left_unserved += times * u64::from(place == Place::Queue);
            }
            Fact::Executed { before, .. } => {
                self.executions += times;
                self.duplicates += times * u64::from(before > 0);
                self.executed_again += times * u64::from(before == 1);
            }
            Fact::Replayed { .. } => self.replayed += times,
            Fact::Conflicted { .. } => self.conflicts += times,
            Fact::KeyExpired { .. } => self.keys_expired += times,
            Fact::Hit { .. } => self.hits += times,
            Fact::Coalesced { .. } => self.coalesced += times,
            Fact::HeldBack { .. } => self.held_back += times,
            Fact::BreakerOpened { .. } => self.breaker_openings += times,
            Fact::Ejected { .. } => self.ejections += times,
            Fact::RefusalSaid { work, .. } => {
                self.refusing_work += work.saturating_mul(times);
                self.events += times;
            }
            Fact::Queued { .. }
            | Fact::RefusalBegun { .. }
            | Fact::RefusalLost { .. }
            | Fact::Returned { .. }
            | Fact::Sent { .. }
            | Fact::Routed { .. }
            | Fact::Settled { .. }
            | Fact::Reinstated { .. }
            | Fact::TriggerBegan { .. }
            | Fact::TriggerEnded { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. } => {}
        }
    }

    fn finish(&mut self, _: Time) {}
}
