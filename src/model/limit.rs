//! How large a run may be, judged before it starts.

use super::flow::{Flow, Flows, Inflow, at_worst};
use super::{Caller, Edge, Meanwhile, Model, Scope, Service, Solver};
use crate::id::ServiceId;
use crate::policy::admission::{Admission, Rejection};
use crate::policy::balancer::Rule;
use crate::policy::cache::Contents;
use crate::policy::effect::Idempotency;
use crate::policy::shedding::QueueTimer;
use crate::policy::slowdown::Slowdown;
use crate::policy::throttle::{LOOKS_PER_SECOND, Throttle};
use crate::time::Span;

/// The largest number of events a run may be expected to need: minutes of work. Each may take one and
/// a half entries of the agenda, and the agenda can number 2^33 of them.
pub const MAX_EVENTS: f64 = 5e9;
/// The largest number of events where they are counted in cohorts: counts that a float still tells apart.
pub const MAX_COUNTED_EVENTS: f64 = 1e15;
/// The largest number of attempts that may be in flight at once at worst: about 3 GiB, and within
/// the event key's room for slots.
pub const MAX_IN_FLIGHT: f64 = (1_u64 << 25) as f64;
/// The largest number of things that may be kept in mind one by one, keys and places of instances: about
/// 2 GiB.
pub const MAX_REMEMBERED: f64 = 1e8;
/// The largest number of windows in a timeline.
pub const MAX_WINDOWS: u64 = 1_000_000;

/// Why a model is too large to be run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TooLarge {
    /// It would need more events than [`Model::max_events`] allows.
    Events(f64),
    /// More than [`MAX_IN_FLIGHT`] attempts could be in flight at once.
    InFlight(f64),
    /// More than [`MAX_REMEMBERED`] keys and instances would be kept in mind.
    Remembered(f64),
    /// Its timeline would have more than [`MAX_WINDOWS`] windows.
    Windows(u64),
}

/// What a run can come to if every attempt fails and chance is unkind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstCase {
    /// Arrivals, timeouts and completions, the timers of queues, and whatever is looked at by the clock.
    pub events: f64,
    /// Open requests, attempts that wait, and workers, at one instant.
    pub in_flight: f64,
    /// Keys of caches, and places of instances, in the minds of all callers, and idempotency keys in those
    /// of services.
    pub remembered: f64,
    /// Windows of the timeline.
    pub windows: u64,
}

impl Model {
    /// Whether a run stays within the limits, by its worst case.
    ///
    /// # Errors
    /// The limit that would be passed, with the number that passes it.
    pub fn fits(&self) -> Result<(), TooLarge> {
        let WorstCase { events, in_flight, remembered, windows } = self.worst_case();
        if windows > MAX_WINDOWS {
            return Err(TooLarge::Windows(windows));
        }
        if events > self.max_events() || events.is_nan() {
            return Err(TooLarge::Events(events));
        }
        match self.solver {
            Solver::Events => {}
            // A cohort takes the same room whether one waits in it or a million.
            Solver::Stepped { .. } => return Ok(()),
        }
        if in_flight > MAX_IN_FLIGHT || in_flight.is_nan() {
            return Err(TooLarge::InFlight(in_flight));
        }
        if remembered > MAX_REMEMBERED {
            return Err(TooLarge::Remembered(remembered));
        }
        Ok(())
    }

    /// The largest number of events that a run may be expected to need, by what works it out.
    pub const fn max_events(&self) -> f64 {
        match self.solver {
            Solver::Events => MAX_EVENTS,
            Solver::Stepped { .. } => MAX_COUNTED_EVENTS,
        }
    }

    /// What a run can come to.
    ///
    /// # Panics
    /// If services call each other in a circle, which no valid model has.
    pub fn worst_case(&self) -> WorstCase {
        let horizon = self.horizon.as_secs_f64();
        let flows = Flows::of(self);
        let sent = self.sent_at_start().into_iter();
        // Each is a request, and an attempt that waits.
        let at_start: f64 =
            sent.map(|sent| 2.0 * (f64::from(sent.fresh) + f64::from(sent.again))).sum();
        let (mut events, mut in_flight) = (0.0, at_start);
        for Flow { edge, rate, requests, attempts } in &flows.edges {
            events += requests * (1.0 + 2.0 * attempts);
            if self.service(edge.to).queue_timeout.is_some() {
                events += requests * attempts;
            }
            in_flight += match self.patience(edge) {
                Some(patience) if patience < horizon => at_worst(rate * patience).min(*requests),
                Some(_) | None => *requests,
            };
        }
        for (id, inflow) in (0..).zip(&flows.services) {
            let id = ServiceId(id);
            in_flight += self.waiting_at_worst(id, *inflow);
            in_flight += self.away_at_worst(id, *inflow);
            let service = self.service(id);
            let instances = f64::from(service.instances.get());
            in_flight += instances * f64::from(service.most_workers().get());
            if let Some(scaling) = service.scaling {
                events += instances * horizon / scaling.every.as_secs_f64();
            }
        }
        let mut remembered: f64 = flows.edges.iter().map(|flow| self.stored_at_worst(*flow)).sum();
        for ((_, caller, edge), flow) in self.edges().zip(&flows.edges) {
            let service = self.service(edge.to);
            let callers = f64::from(self.memories_of(caller, edge));
            remembered += callers * remembered_of(edge, service);
            events += callers * reconnections(edge, horizon);
            if matches!(edge.throttle, Some(Throttle::Cubic(_))) {
                let looks = LOOKS_PER_SECOND as f64;
                events += horizon * (callers * looks).min(2.0 * flow.requests);
            }
            if let Some(ejection) = service.ejection.filter(|_| service.instances.get() > 1) {
                let sweeps = horizon / ejection.interval.as_secs_f64();
                events += callers * sweeps * f64::from(service.instances.get());
            }
        }
        let windows = self.horizon.as_nanos().div_ceil(self.window.as_nanos().max(1));
        WorstCase { events, in_flight, remembered, windows }
    }

    /// What a service keeps in mind of the requests that come over an edge, in pieces of some twenty
    /// bytes.
    fn stored_at_worst(&self, flow: Flow<'_>) -> f64 {
        /// A key with its place in a table of which half is empty.
        const OF_A_KEY: f64 = 10.0;
        let Flow { edge, rate, requests, .. } = flow;
        match self.service(edge.to).effect.map(|effect| effect.idempotency) {
            None | Some(Idempotency::None) => 0.0,
            Some(Idempotency::Keys { retention: None, .. }) => OF_A_KEY * requests,
            Some(Idempotency::Keys { retention: Some(length), .. }) => {
                OF_A_KEY * at_worst(rate * length.as_secs_f64()).min(requests)
            }
        }
    }

    /// How many memories there are of a call, each of which somebody has for himself.
    fn memories_of(&self, caller: Caller, edge: &Edge) -> u16 {
        match (edge.scope, caller) {
            (Scope::Shared, _) => 1,
            (Scope::PerInstance, Caller::Client(id)) => self.clients[id.index()].instance_count(),
            (Scope::PerInstance, Caller::Service(id, _)) => self.service(id).instances.get(),
        }
    }

    /// How many attempts can be between their own work before and after calls, in no worker's hands.
    fn away_at_worst(&self, id: ServiceId, inflow: Inflow) -> f64 {
        let calls = &self.service(id).calls;
        match calls.meanwhile {
            _ if calls.list.is_empty() => 0.0,
            Meanwhile::HoldsWorker => 0.0,
            Meanwhile::FreesWorker => {
                let lasts = self.calls_last_at_most(id);
                lasts.map_or(inflow.sent, |lasts| at_worst(inflow.rate * lasts).min(inflow.sent))
            }
        }
    }

    /// Attempts per second that the service can be relied on to complete while it is busy.
    fn sure_capacity(&self, id: ServiceId) -> f64 {
        let service = self.service(id);
        // Work that grows with the load has no capacity that could be relied on.
        let own = match service.slowdown {
            Slowdown::None => service.capacity_of(service.fewest_workers()).per_second(),
            Slowdown::Scalability(_) | Slowdown::Backlog(_) => return 0.0,
        };
        match service.calls.meanwhile {
            _ if service.calls.list.is_empty() => own,
            Meanwhile::FreesWorker => own,
            Meanwhile::HoldsWorker => self.calls_last_at_most(id).map_or(0.0, |lasts| {
                let work = service.service_time.mean().as_secs_f64();
                own * work / (work + lasts)
            }),
        }
    }

    /// How many attempts can wait for the service: what its limit allows, or what comes beyond its
    /// capacity in the whole run, and all that comes while it stalls.
    fn waiting_at_worst(&self, id: ServiceId, inflow: Inflow) -> f64 {
        let service = self.service(id);
        let horizon = self.horizon.as_secs_f64();
        let instances = f64::from(service.instances.get());
        let Inflow { rate: attempt_rate, sent, timeout } = inflow;
        let stalled: f64 = self
            .triggers
            .iter()
            .filter(|trigger| trigger.disturbance.slows(id))
            .map(|trigger| trigger.lasts.as_secs_f64())
            .sum();
        let excess = (attempt_rate - self.sure_capacity(id)).max(0.0) * horizon;
        let chance = sent - attempt_rate * horizon;
        let queued = excess + attempt_rate * stalled.min(horizon) + chance;
        let waiting = match service.admission {
            Admission::Unbounded => queued.min(sent),
            Admission::Bounded { max_waiting } => (instances * f64::from(max_waiting)).min(sent),
            Admission::Headroom(headroom) => {
                (instances * f64::from(headroom.max_waiting())).min(sent)
            }
            // Random work can be short many times in a row, so its mean bounds no number.
            Admission::BoundedWork { max_work } => match service.service_time.constant() {
                Some(work) => (instances * work.times_in(max_work) as f64).min(sent),
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
            Some(QueueTimer::AtDeadline) => within(timeout),
        };
        waiting + refused.min(sent) + timers.min(sent)
    }
}

/// What one memory of a call keeps in mind, in pieces of some twenty bytes.
fn remembered_of(edge: &Edge, service: &Service) -> f64 {
    /// An instance with what is known of its answers.
    const OF_AN_INSTANCE: f64 = 6.0;
    let keys = match edge.cache.map(|cache| cache.contents) {
        Some(Contents::Keys(keys)) => f64::from(keys.count.get()),
        Some(Contents::HitRatio(_)) | None => 0.0,
    };
    if service.instances.get() == 1 {
        return keys;
    }
    let places = match service.balancer.rule {
        Rule::ConsistentHash { places } => f64::from(places.get()),
        Rule::RoundRobin(_) | Rule::Random | Rule::TwoChoices(_) | Rule::LeastOutstanding(_) => 0.0,
    };
    keys + f64::from(service.instances.get()) * (OF_AN_INSTANCE + places)
}

/// How often the connections of one memory of a call can be made anew in `horizon` seconds.
fn reconnections(edge: &Edge, horizon: f64) -> f64 {
    let Some((pool, dead)) = edge.pool.and_then(|pool| Some((pool, pool.dead?))) else {
        return 0.0;
    };
    f64::from(pool.size.get()) * horizon / dead.reconnect.as_secs_f64() * dead.share.as_f64()
}
