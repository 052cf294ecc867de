//! What of a model keeps an attempt's fate from being known when it arrives?

use crate::model::{
    Arrivals, Client, Disturbance, Edge, InProgress, LateAnswers, Model, OnAbandon, Service,
    Solver, Trigger,
};
use crate::policy::admission::{Admission, Rejection};
use crate::policy::discipline::Discipline;
use crate::policy::retry::{Backoff, Retry};
use crate::policy::shedding::Shedding;
use crate::policy::slowdown::Slowdown;
use crate::unit::Fraction;

/// Something for which events have to be played one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The model asks for steps, and not for events.
    Solver,
    /// There is more than one service or client, or more than one instance of the service.
    Several,
    /// When users send depends on their answers.
    ClosedLoop,
    /// What is remembered between attempts.
    Memory,
    /// A network.
    Network,
    /// Late answers that count.
    LateAnswers,
    /// Waits that are drawn both after timeouts and after refusals: they share one stream, in order.
    TwoKindsOfWaits,
    /// Another order than first come, first served.
    Discipline,
    /// Attempts that leave the queue or their worker before their turn.
    Leaving,
    /// Work that depends on the state of the service.
    LoadDependence,
    /// A bound that asks who it is.
    Headroom,
    /// CoDel, which remembers.
    Codel,
    /// A limit on concurrency or on a rate.
    Limit,
    /// Errors.
    Errors,
    /// Refusals that take time.
    Refusals,
    /// Workers that come and go.
    Autoscaling,
    /// Calls to other services, or executions that are counted.
    Operation,
    /// A bound that measures work which a slowdown changes while it waits.
    WorkSlowed,
    /// A trigger that is neither a stall, nor a surge, nor a slowdown of what begins while it lasts.
    Trigger,
    /// A lever.
    Lever,
}

impl Obstacle {
    /// In words, after "has".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Solver => "steps instead of events",
            Self::Several => "more than one service, client or instance",
            Self::ClosedLoop => "a closed loop of users",
            Self::Memory => "a client policy that remembers",
            Self::Network => "a network",
            Self::LateAnswers => "late answers that count",
            Self::TwoKindsOfWaits => "jitter both after timeouts and after refusals",
            Self::Discipline => "a discipline other than FIFO",
            Self::Leaving => "attempts that leave before their turn",
            Self::LoadDependence => "work that depends on load",
            Self::Headroom => "places kept for some classes",
            Self::Codel => "CoDel",
            Self::Limit => "a limit on concurrency or rate",
            Self::Errors => "errors",
            Self::Refusals => "refusals that take time",
            Self::Autoscaling => "autoscaling",
            Self::Operation => "calls to other services, or counted executions",
            Self::WorkSlowed => "a bound on work that a slowdown changes",
            Self::Trigger => "a trigger other than a stall, a surge or a slowdown of new work",
            Self::Lever => "a lever",
        }
    }
}

/// Everything for which `model` has to be played event by event; nothing if there is a shortcut.
///
/// What a model consists of is taken apart by name: a new key asks whether it is known here.
pub fn obstacles(model: &Model) -> Vec<Obstacle> {
    let Model {
        services,
        clients,
        start: _,
        triggers,
        levers,
        tie: _,
        horizon: _,
        window: _,
        criterion: _,
        solver,
    } = model;
    let mut found = Vec::new();
    let mut is_there = |obstacle: Obstacle, there: bool| {
        if there {
            found.push(obstacle);
        }
    };
    is_there(Obstacle::Solver, *solver != Solver::Events);
    is_there(
        Obstacle::Trigger,
        !triggers.iter().all(|trigger| is_known_ahead(trigger.disturbance)),
    );
    is_there(Obstacle::Lever, !levers.is_empty());
    let ([service], [client]) = (&services[..], &clients[..]) else {
        is_there(Obstacle::Several, true);
        return found;
    };
    of_client(client, &mut is_there);
    of_service(service, &mut is_there);
    let slows = |trigger: &Trigger| matches!(trigger.disturbance, Disturbance::Slowdown { .. });
    let is_slowed = service.admission.asks_for_work() && triggers.iter().any(slows);
    is_there(Obstacle::WorkSlowed, is_slowed);
    is_there(
        Obstacle::TwoKindsOfWaits,
        service.admission != Admission::Unbounded && draws_twice(&client.edge.retry),
    );
    found
}

/// Whether what a trigger does to an attempt is known when it arrives.
const fn is_known_ahead(disturbance: Disturbance) -> bool {
    match disturbance {
        Disturbance::Stall { .. } | Disturbance::Surge { .. } => true,
        Disturbance::Slowdown { in_progress, .. } => matches!(in_progress, InProgress::Untouched),
        Disturbance::Outage(_)
        | Disturbance::Latency { .. }
        | Disturbance::ErrorShare { .. }
        | Disturbance::Loss { .. }
        | Disturbance::Flush { .. }
        | Disturbance::Capacity { .. } => false,
    }
}

fn of_client(client: &Client, is_there: &mut impl FnMut(Obstacle, bool)) {
    // Instances share what is remembered, which is nothing.
    let Client { name: _, arrivals, instances: _, class: _, edge } = client;
    let Edge {
        to: _,
        timeout: _,
        retry: _,
        budget: _,
        throttle: _,
        breaker: _,
        hedge: _,
        pool: _,
        shared_pool: _,
        cache: _,
        transport: _,
        scope: _,
        deadline: _,
        latency,
        loss,
        late_answers,
    } = edge;
    is_there(Obstacle::ClosedLoop, matches!(arrivals, Arrivals::Users(_)));
    is_there(Obstacle::Memory, edge.keeps_books());
    is_there(Obstacle::Network, latency.is_some() || loss.loses());
    is_there(Obstacle::LateAnswers, *late_answers == LateAnswers::Accepted);
}

fn of_service(service: &Service, is_there: &mut impl FnMut(Obstacle, bool)) {
    // Of one instance nothing is chosen or ejected.
    let Service {
        name: _,
        instances,
        balancer: _,
        ejection: _,
        workers: _,
        service_time: _,
        work: _,
        admission,
        shedding,
        errors,
        refusals,
        discipline,
        slowdown,
        limit,
        rate_limit,
        queue_timeout,
        on_abandon,
        scaling,
        calls,
        effect,
    } = service;
    is_there(Obstacle::Several, instances.get() > 1);
    is_there(Obstacle::Headroom, matches!(admission, Admission::Headroom(_)));
    let codel = matches!(shedding, Shedding::FollyCodel(_) | Shedding::Codel(_));
    is_there(Obstacle::Codel, codel);
    is_there(Obstacle::Errors, errors.share != Fraction::ZERO);
    is_there(Obstacle::Refusals, refusals.cost != Rejection::Free);
    is_there(Obstacle::Discipline, *discipline != Discipline::Fifo);
    is_there(Obstacle::LoadDependence, *slowdown != Slowdown::None);
    is_there(Obstacle::Limit, limit.is_some() || rate_limit.is_some());
    let leaves = queue_timeout.is_some() || *on_abandon != OnAbandon::Ignores;
    is_there(Obstacle::Leaving, leaves);
    is_there(Obstacle::Autoscaling, scaling.is_some());
    is_there(Obstacle::Operation, !calls.list.is_empty() || effect.is_some());
}

/// Whether waits are drawn after timeouts as well as after refusals.
fn draws_twice(retry: &Retry) -> bool {
    let draws = |backoff: &Backoff| match backoff {
        Backoff::Immediate | Backoff::Steady(_) => false,
        Backoff::Jittered(..)
        | Backoff::Decorrelated(_)
        | Backoff::DoublingRange(_)
        | Backoff::SmoothDoubling(_) => true,
    };
    draws(&retry.backoff) && draws(retry.after_refusal.as_ref().unwrap_or(&retry.backoff))
}
