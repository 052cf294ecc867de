//! Which values change nothing: a factor of 1, a share of nothing, a time that no run lasts, a kind of
//! failure that cannot happen.

use super::idle::Reason;
use super::idle_call::{OUTLIVES_ATTEMPT, may_be_held_back, outlives_attempt};
use crate::id::ServiceId;
use crate::model::{
    Action, Caller, Client, Disturbance, Edge, Lever, Model, Notice, Outage, PassedOn, Scope,
    Service, Trigger, WorkDraw,
};
use crate::policy::outcome::{Failure, Failures};
use crate::policy::throttle::Throttle;
use crate::time::Span;
use crate::unit::Fraction;

/// Of the kinds of retry at most one is written.
const RETRIES: [&str; 7] = [
    "immediate",
    "fixed",
    "linear",
    "exponential",
    "decorrelated",
    "doubling_range",
    "smooth_doubling",
];

type Keys = Vec<&'static str>;

const ONCE: Reason =
    Reason { what: "a factor of 1 leaves everything as it is", help: "a factor above 1" };

const NOTHING: Reason = Reason {
    what: "a share of 0, in whole billionths, leaves everything as it is",
    help: "a share above 0",
};

const AS_BEFORE: Reason =
    Reason { what: "the service has so many workers anyway", help: "another number of workers" };

const FIXED_WORK: Reason = Reason {
    what: "the work is the same for every attempt, so it makes no difference when it is drawn",
    help: "give the service a random service_time, or leave `work` out",
};

pub(super) const OUTLASTS: Reason =
    Reason { what: "the run is over before that", help: "a shorter time, or a longer horizon" };

const NOT_SHARED: Reason = Reason {
    what: "no other call has a pool of this name, so nobody shares it",
    help: "leave it out, or give the pool of another call the same name",
};

const DEADLINE_FIRST: Reason = Reason {
    what: "the deadline of the request is over before any attempt is given up",
    help: "write a timeout below the deadline, or none",
};

const SETS_NOTHING: Reason = Reason {
    what: "what it sets is there already",
    help: "set another value, or leave the lever out",
};

const NONE_OF_THEM: Reason = Reason {
    what: "none of these failures can happen here",
    help: "name what can: a timeout needs a timeout, a refusal something that bounds the service",
};

const NEVER_THROTTLED: Reason = Reason {
    what: "nothing tells this throttle to slow down, so it holds nothing back",
    help: "give the service a bound, such as queue = { max_waiting = 800 }",
};

const ALIKE: Reason = Reason {
    what: "nothing of this client is kept per instance, so they are as good as one",
    help: "add call.scope = \"per_instance\", or leave `instances` out",
};

/// What is said of a client beside its call.
pub(super) fn instances_of(client: &Client) -> Option<Reason> {
    (client.edge.scope == Scope::Shared).then_some(ALIKE)
}

/// What is said of a service.
pub(super) fn service_values(service: &Service) -> [(Keys, Option<Reason>); 2] {
    let is_fixed = service.service_time.constant().is_some();
    let per_request = service.work == WorkDraw::PerRequest;
    let none_fail = service.errors.share == Fraction::ZERO;
    [
        (vec!["work"], (per_request && is_fixed).then_some(FIXED_WORK)),
        (vec!["errors", "share"], none_fail.then_some(NOTHING)),
    ]
}

/// The key of a trigger whose value may be one that changes nothing.
pub(super) fn trigger_values(trigger: &Trigger, model: &Model) -> Option<(Keys, Option<Reason>)> {
    let nothing = |share: Fraction| (share == Fraction::ZERO).then_some(NOTHING);
    match trigger.disturbance {
        Disturbance::Slowdown { factor, .. } => {
            Some((vec!["slowdown", "factor"], (factor == 1.0).then_some(ONCE)))
        }
        Disturbance::Surge { factor, .. } => {
            Some((vec!["surge", "factor"], (factor == 1.0).then_some(ONCE)))
        }
        Disturbance::ErrorShare { share, .. } => Some((vec!["errors", "share"], nothing(share))),
        Disturbance::Loss { share, .. } => Some((vec!["loss", "share"], nothing(share))),
        Disturbance::Capacity { service, workers } => {
            let service = model.service(service);
            let same = service.workers == workers && service.scaling.is_none();
            Some((vec!["capacity", "workers"], same.then_some(AS_BEFORE)))
        }
        Disturbance::Stall { .. }
        | Disturbance::Outage(_)
        | Disturbance::Latency { .. }
        | Disturbance::Flush { .. } => None,
    }
}

/// What is said of the change that a lever makes.
pub(super) fn lever_values(lever: &Lever, model: &Model) -> Option<Reason> {
    match &lever.action {
        Action::Change(changed) => {
            let same = changed.services == model.services && changed.clients == model.clients;
            same.then_some(SETS_NOTHING)
        }
        Action::Block { .. } | Action::DropQueue { .. } | Action::Restart { .. } => None,
    }
}

/// What is said of a call.
pub(super) fn call_values(
    edge: &Edge,
    caller: Caller,
    model: &Model,
) -> Vec<(Keys, Option<Reason>)> {
    let possible = possible_failures(edge, caller, model);
    let none_of = |failures: Failures| {
        Failure::EACH.iter().all(|kind| !(failures.contains(*kind) && possible.contains(*kind)))
    };
    let mut keys = Vec::new();
    for kind in RETRIES {
        keys.push((vec!["retry", kind, "on"], none_of(edge.retry.on).then_some(NONE_OF_THEM)));
    }
    if let Some(breaker) = &edge.breaker {
        let none = none_of(breaker.counted).then_some(NONE_OF_THEM);
        keys.push((vec!["breaker", "counts"], none));
    }
    match &edge.throttle {
        Some(Throttle::Cubic(cubic)) => {
            let none = none_of(cubic.throttled).then_some(NEVER_THROTTLED);
            keys.push((vec!["throttle", "cubic"], none));
        }
        Some(Throttle::Adaptive(_) | Throttle::RateLimit(_)) | None => {}
    }
    if let Some(pool) = &edge.pool {
        let lives = pool.dead.is_some_and(|dead| dead.share == Fraction::ZERO);
        keys.push((vec!["pool", "dead", "share"], lives.then_some(NOTHING)));
        let with_it = model.edges().filter(|(_, _, other)| other.shared_pool == edge.shared_pool);
        keys.push((vec!["pool", "name"], (with_it.count() == 1).then_some(NOT_SHARED)));
    }
    if let (Some(timeout), Some(request)) = (edge.timeout, edge.deadline.and_then(|d| d.request)) {
        keys.push((vec!["timeout"], (timeout >= request).then_some(DEADLINE_FIRST)));
    }
    if let Some(deadline) = edge.deadline {
        let outlasts = deadline.request.is_some_and(|request| request >= model.horizon);
        let outlives = outlives_attempt(edge, model.service(edge.to)).then_some(OUTLIVES_ATTEMPT);
        keys.push((vec!["deadline", "request"], outlasts.then_some(OUTLASTS).or(outlives)));
    }
    if let Some(kept) = edge.transport.and_then(|transport| transport.keep_alive) {
        let outlasts = |timeout: Option<Span>| {
            timeout.is_some_and(|timeout| timeout >= model.horizon).then_some(OUTLASTS)
        };
        let timeout = |key| vec!["transport", "keep_alive", key];
        keys.push((timeout("server_idle_timeout"), outlasts(kept.server_closes)));
        keys.push((timeout("client_idle_timeout"), outlasts(kept.client_closes)));
    }
    keys
}

/// What is said of the failures that eject an instance.
pub(super) fn ejection_counts(model: &Model, id: ServiceId) -> Option<(Keys, Option<Reason>)> {
    let counted = model.service(id).ejection?.counted;
    let mut edges = model.edges().filter(|(_, _, edge)| edge.to == id);
    let some = edges.any(|(_, caller, edge)| {
        let possible = possible_failures(edge, caller, model);
        Failure::EACH.iter().any(|kind| counted.contains(*kind) && possible.contains(*kind))
    });
    Some((vec!["ejection", "counts"], (!some).then_some(NONE_OF_THEM)))
}

/// The kinds of failure that an attempt over the edge may meet; all where that takes a longer look.
fn possible_failures(edge: &Edge, caller: Caller, model: &Model) -> Failures {
    let service = model.service(edge.to);
    let changes = |action: &Action| matches!(action, Action::Change(_));
    let is_open = service.calls.list.is_empty()
        && edge.transport.is_none()
        && !edge.loss.loses()
        && service.effect.is_none()
        && !model.levers.iter().any(|lever| changes(&lever.action));
    if !is_open {
        return Failures::ALL;
    }
    let handed_on = model.inner_call(caller).map(|call| call.deadline);
    let hurried =
        edge.timeout.is_some() || edge.deadline.is_some() || handed_on == Some(PassedOn::PassedOn);
    let mut kinds = Vec::new();
    let mut may = |may: bool, failures: &[Failure]| {
        if may {
            kinds.extend_from_slice(failures);
        }
    };
    may(hurried, &[Failure::TimedOut]);
    may(may_be_held_back(edge), &[Failure::Unavailable, Failure::TimedOut]);
    // A balancer may know of nobody to ask.
    may(service.instances.get() > 1, &[Failure::Unavailable]);
    may(edge.may_break(), &[Failure::Reset]);
    may(service.may_conflict(), &[Failure::Error]);
    may(service.may_say_no(), &[Failure::Refused]);
    may(errs(service, edge.to, model), &[service.errors.failure]);
    may(is_gone(edge.to, model), &[Failure::Unavailable, Failure::Reset]);
    Failures::of(&kinds)
}

fn errs(service: &Service, id: ServiceId, model: &Model) -> bool {
    let by_trigger =
        |trigger: &Trigger| trigger.error_share().is_some_and(|(service, _)| service == id);
    service.errors.share != Fraction::ZERO || model.triggers.iter().any(by_trigger)
}

/// Whether an outage or a restart tells clients that nobody is there.
fn is_gone(id: ServiceId, model: &Model) -> bool {
    let by_trigger = |trigger: &Trigger| matches!(trigger.disturbance, Disturbance::Outage(Outage { service, .. }) if service == id);
    let by_lever = model.levers.iter().any(|lever| match lever.action {
        Action::Restart { service, clients, .. } => service == id && clients == Notice::AtOnce,
        Action::Block { .. } | Action::DropQueue { .. } | Action::Change(_) => false,
    });
    by_lever || model.triggers.iter().any(by_trigger)
}
