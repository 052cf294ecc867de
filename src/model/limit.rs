//! How large a run may be, judged before it starts.

use super::Model;
use crate::id::ServiceId;
use crate::model::{Action, Client, Disturbance, ErrorCost, Notice, Trigger};
use crate::policy::admission::{Admission, Rejection};
use crate::policy::retry::{Failure, Hint};
use crate::policy::shedding::QueueTimer;
use crate::policy::slowdown::Slowdown;
use crate::time::Span;
use crate::unit::Fraction;

/// The largest number of events a run may be expected to need: minutes of work. Each may take one and
/// a half entries of the agenda, and the agenda can number 2^33 of them.
pub const MAX_EVENTS: f64 = 5e9;
/// The largest number of attempts that may be in flight at once at worst: about 3 GiB, and within
/// the event key's room for slots.
pub const MAX_IN_FLIGHT: f64 = (1_u64 << 25) as f64;
/// The largest number of windows in a timeline.
pub const MAX_WINDOWS: u64 = 1_000_000;

/// Why a model is too large to be run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TooLarge {
    /// It would need more than [`MAX_EVENTS`] events.
    Events(f64),
    /// More than [`MAX_IN_FLIGHT`] attempts could be in flight at once.
    InFlight(f64),
    /// Its timeline would have more than [`MAX_WINDOWS`] windows.
    Windows(u64),
}

/// What a run can come to if every attempt fails and chance is unkind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstCase {
    /// Arrivals, timeouts and completions, and the timers of queues.
    pub events: f64,
    /// Open requests, attempts that wait, and workers, at one instant.
    pub in_flight: f64,
    /// Windows of the timeline.
    pub windows: u64,
}

/// How many standard deviations chance is granted.
const UNKIND: f64 = 6.0;

impl Model {
    /// Whether a run stays within the limits, by its worst case.
    ///
    /// # Errors
    /// The limit that would be passed, with the number that passes it.
    pub fn fits(&self) -> Result<(), TooLarge> {
        let WorstCase { events, in_flight, windows } = self.worst_case();
        if windows > MAX_WINDOWS {
            return Err(TooLarge::Windows(windows));
        }
        if events > MAX_EVENTS || events.is_nan() {
            return Err(TooLarge::Events(events));
        }
        if in_flight > MAX_IN_FLIGHT || in_flight.is_nan() {
            return Err(TooLarge::InFlight(in_flight));
        }
        Ok(())
    }

    /// What a run can come to.
    pub fn worst_case(&self) -> WorstCase {
        let horizon = self.horizon.as_secs_f64();
        let (mut events, mut in_flight) = (0.0, 0.0);
        for client in &self.clients {
            let requests = at_worst(client.arrivals.mean_rate(self.horizon) * horizon);
            let attempts = self.attempts_at_worst(client);
            events += requests * (1.0 + 2.0 * attempts);
            if self.service(client.edge.to).queue_timeout.is_some() {
                events += requests * attempts;
            }
            in_flight += match self.patience(client) {
                Some(patience) if patience < horizon => {
                    at_worst(client.arrivals.mean_rate(self.horizon) * patience)
                }
                Some(_) | None => requests,
            };
        }
        for id in 0..self.services.len() {
            in_flight += self.waiting_at_worst(ServiceId(id as u16));
            in_flight += f64::from(self.services[id].workers.get());
        }
        let windows = self.horizon.as_nanos().div_ceil(self.window.as_nanos().max(1));
        WorstCase { events, in_flight, windows }
    }

    /// How many attempts a request of `client` can make: as many as its policy allows, and no more
    /// than the horizon has time for.
    fn attempts_at_worst(&self, client: &Client) -> f64 {
        let edge = &client.edge;
        let within = |attempt, failure, hint| {
            edge.retry.attempts_within(self.horizon, attempt, failure, hint)
        };
        let timed_out =
            edge.timeout.map_or(1.0, |timeout| within(timeout, Failure::TimedOut, Hint::Absent));
        let service = self.service(edge.to);
        let at_once = |failure| match self.may_fail_at_once(client, failure) {
            true if failure == service.errors.failure => {
                within(Span::ZERO, failure, service.errors.hint)
            }
            true => within(Span::ZERO, failure, Hint::Absent),
            false => 1.0,
        };
        let refused = match service.queue_timeout.map(|timeout| timeout.timer) {
            _ if service.may_refuse() => Some(service.refusals.cost.at_least()),
            Some(QueueTimer::After(length)) => Some(length),
            Some(QueueTimer::AtDeadline) | None => None,
        };
        let refused = refused.map_or(timed_out, |after| {
            timed_out.max(within(after, Failure::Refused, service.refusals.hint))
        });
        let tries = Failure::EACH.map(at_once).into_iter().fold(refused, f64::max);
        tries * edge.hedge.map_or(1.0, |hedge| 1.0 + f64::from(hedge.extra.get()))
    }

    /// Whether an operator may restart the service, and its clients are told.
    fn may_restart(&self, id: ServiceId) -> bool {
        self.levers.iter().any(|lever| match lever.action {
            Action::Restart { service, clients, .. } => service == id && clients == Notice::AtOnce,
            Action::Block { .. } | Action::DropQueue { .. } | Action::Change(_) => false,
        })
    }

    /// Whether an attempt of `client` may fail in this way the moment it is ready, but for refusals.
    fn may_fail_at_once(&self, client: &Client, failure: Failure) -> bool {
        let (edge, service) = (&client.edge, self.service(client.edge.to));
        let by_trigger = |trigger: &Trigger| match trigger.disturbance {
            Disturbance::Outage(outage) => {
                outage.service == edge.to
                    && outage.clients == Notice::AtOnce
                    && failure == Failure::Unavailable
            }
            Disturbance::ErrorShare { service: of, .. } => {
                of == edge.to && failure == service.errors.failure
            }
            Disturbance::Stall { .. }
            | Disturbance::Slowdown { .. }
            | Disturbance::Surge { .. }
            | Disturbance::Latency { .. }
            | Disturbance::Loss { .. }
            | Disturbance::Flush { .. }
            | Disturbance::Capacity { .. } => false,
        };
        let by_errors = service.errors.cost == ErrorCost::Nothing
            && service.errors.share != Fraction::ZERO
            && failure == service.errors.failure;
        let held_back = edge.breaker.is_some() || edge.throttle.is_some() || edge.pool.is_some();
        failure == Failure::Unavailable && (held_back || self.may_restart(edge.to))
            || by_errors
            || self.triggers.iter().any(by_trigger)
    }

    /// How long a request of `client` can stay open, in seconds; none if for ever.
    fn patience(&self, client: &Client) -> Option<f64> {
        let attempt = client.edge.timeout?
            + client.edge.retry.longest_wait(&self.service(client.edge.to).hints());
        Some(self.attempts_at_worst(client) * attempt.as_secs_f64())
    }

    /// How many attempts can wait for the service: what its limit allows, or what comes beyond its
    /// capacity in the whole run, and all that comes while it stalls.
    fn waiting_at_worst(&self, id: ServiceId) -> f64 {
        let service = self.service(id);
        let horizon = self.horizon.as_secs_f64();
        let (mut attempt_rate, mut sent) = (0.0, 0.0);
        for client in self.clients.iter().filter(|client| client.edge.to == id) {
            let rate = client.arrivals.mean_rate(self.horizon);
            let attempts = self.attempts_at_worst(client);
            attempt_rate += rate * attempts;
            sent += at_worst(rate * horizon) * attempts;
        }
        let stalled: f64 = self
            .triggers
            .iter()
            .filter(|trigger| trigger.disturbance.slows(id))
            .map(|trigger| trigger.lasts.as_secs_f64())
            .sum();
        // Work that grows with the load has no capacity that could be relied on.
        let capacity = match service.slowdown {
            Slowdown::None => service.capacity().per_second(),
            Slowdown::Scalability(_) | Slowdown::Backlog(_) => 0.0,
        };
        let excess = (attempt_rate - capacity).max(0.0) * horizon;
        let chance = sent - attempt_rate * horizon;
        let queued = excess + attempt_rate * stalled.min(horizon) + chance;
        let waiting = match service.admission {
            Admission::Unbounded => queued.min(sent),
            Admission::Bounded { max_waiting } => f64::from(max_waiting).min(sent),
            Admission::Headroom(headroom) => f64::from(headroom.max_waiting()).min(sent),
            // Random work can be short many times in a row, so its mean bounds no number.
            Admission::BoundedWork { max_work } => match service.service_time.constant() {
                Some(work) => (work.times_in(max_work) as f64).min(sent),
                None => queued.min(sent),
            },
        };
        let within = |length: Span| attempt_rate * length.as_secs_f64() + chance;
        // Nothing bounds a line of those that a worker is to refuse.
        let refused = match service.refusals.cost {
            _ if !service.may_refuse() => 0.0,
            Rejection::Free => 0.0,
            Rejection::Late(length) => within(length),
            Rejection::ByWorker(_) => sent,
        };
        // A timer stays in the agenda when its attempt has left.
        let timers = match service.queue_timeout.map(|timeout| timeout.timer) {
            None => 0.0,
            Some(QueueTimer::After(length)) => within(length),
            Some(QueueTimer::AtDeadline) => {
                let callers = self.clients.iter().filter(|client| client.edge.to == id);
                within(callers.filter_map(|client| client.edge.timeout).max().unwrap_or_default())
            }
        };
        waiting + refused.min(sent) + timers.min(sent)
    }
}

/// As many as there can be where `expected` are expected.
fn at_worst(expected: f64) -> f64 {
    expected + UNKIND * expected.sqrt() + UNKIND
}
