//! What of a model can the stepped solver not do?

use super::fresh::Fresh;
use super::work_of;
use crate::id::{LeverId, TriggerId};
use crate::model::{Client, Disturbance, Edge, InProgress, LateAnswers, Model, Service, Tie};
use crate::policy::admission::{Admission, Rejection};
use crate::policy::discipline::Discipline;
use crate::policy::retry::{Backoff, Retry};
use crate::policy::shedding::Shedding;
use crate::policy::slowdown::Slowdown;
use crate::time::Span;
use crate::unit::Fraction;

/// The largest number of steps of a run: minutes of work.
pub const MAX_STEPS: u64 = 50_000_000;

/// Something that counts of attempts do not tell, or that this solver has not learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A window is not a whole number of steps.
    Step,
    /// There are more than [`MAX_STEPS`] steps.
    Steps(u64),
    /// There is more than one service.
    Services,
    /// There is more than one client.
    Clients,
    /// The timer wins against a completion: within a step there is no such question.
    Tie,
    /// Arrivals of a process that has no mean that flows.
    Arrivals,
    /// A retry whose waits are drawn, or which ends in a wait.
    Retry,
    /// A retry budget.
    Budget,
    /// A throttle.
    Throttle,
    /// A circuit breaker.
    Breaker,
    /// Hedging.
    Hedge,
    /// A connection pool.
    Pool,
    /// Connections, and what is sent again beneath the policy.
    Transport,
    /// A deadline of the whole request.
    Deadline,
    /// A network that takes time.
    Latency,
    /// A network that loses.
    Loss,
    /// Answers that count although they are late.
    LateAnswers,
    /// Work that is not the same every time.
    ServiceTime,
    /// Several instances of the service.
    Instances,
    /// A queue with places kept for some.
    Queue,
    /// CoDel.
    Shedding,
    /// Another order than first come, first served.
    Discipline,
    /// Work that depends on the state of the service.
    LoadDependence,
    /// A limit of what is inside.
    Limit,
    /// A limit of what comes in.
    RateLimit,
    /// Errors.
    Errors,
    /// Refusals that cost something.
    Refusals,
    /// A timer in the queue.
    QueueTimeout,
    /// Calls to other services.
    Calls,
    /// Executions that are counted.
    Effect,
    /// A cache.
    Cache,
    /// Workers that come and go.
    Autoscaling,
    /// Something under way at the start.
    Start,
    /// A trigger of a kind that it does not know.
    Trigger(TriggerId),
    /// A lever.
    Lever(LeverId),
}

/// Everything that keeps `model` from being solved in steps of `step`; nothing if it can be.
pub fn obstacles(model: &Model, step: Span) -> Vec<Obstacle> {
    let mut found = Vec::new();
    let mut is_there = |obstacle: Obstacle, there: bool| {
        if there {
            found.push(obstacle);
        }
    };
    let divides =
        |length: Span| !step.is_zero() && length.as_nanos().is_multiple_of(step.as_nanos());
    is_there(Obstacle::Step, !divides(model.window) || !divides(model.horizon));
    let steps = model.horizon.as_nanos() / step.as_nanos().max(1);
    is_there(Obstacle::Steps(steps), steps > MAX_STEPS);
    is_there(Obstacle::Services, model.services.len() != 1);
    is_there(Obstacle::Clients, model.clients.len() != 1);
    is_there(Obstacle::Start, !model.start.is_empty());
    is_there(Obstacle::Tie, model.tie != Tie::CompletionWins);
    if let ([service], [client]) = (&model.services[..], &model.clients[..]) {
        of_client(client, &mut is_there);
        of_service(service, &mut is_there);
    }
    for (nth, trigger) in model.triggers.iter().enumerate() {
        is_there(Obstacle::Trigger(TriggerId(nth as u16)), !can(&trigger.disturbance));
    }
    for nth in 0..model.levers.len() {
        is_there(Obstacle::Lever(LeverId(nth as u16)), true);
    }
    found
}

/// Taken apart by name, so that a new key of a client asks whether it is known here.
fn of_client(client: &Client, is_there: &mut impl FnMut(Obstacle, bool)) {
    // Classes and instances mean something only to what is refused.
    let Client { name: _, arrivals, instances: _, class: _, edge } = client;
    let Edge {
        to: _,
        timeout: _,
        retry,
        budget,
        throttle,
        breaker,
        hedge,
        pool,
        shared_pool: _,
        cache,
        transport,
        scope: _,
        deadline,
        latency,
        loss,
        late_answers,
    } = edge;
    is_there(Obstacle::Arrivals, !Fresh::can(arrivals));
    is_there(Obstacle::Retry, !is_steady(retry));
    is_there(Obstacle::Budget, budget.is_some());
    is_there(Obstacle::Throttle, throttle.is_some());
    is_there(Obstacle::Breaker, breaker.is_some());
    is_there(Obstacle::Hedge, hedge.is_some());
    is_there(Obstacle::Pool, pool.is_some());
    is_there(Obstacle::Cache, cache.is_some());
    is_there(Obstacle::Transport, transport.is_some());
    is_there(Obstacle::Deadline, deadline.is_some());
    is_there(Obstacle::Latency, latency.is_some());
    is_there(Obstacle::Loss, loss.loses());
    is_there(Obstacle::LateAnswers, *late_answers == LateAnswers::Accepted);
}

fn of_service(service: &Service, is_there: &mut impl FnMut(Obstacle, bool)) {
    // Of one instance nothing is chosen or ejected, and fixed work is drawn alike either way.
    let Service {
        name: _,
        instances,
        balancer: _,
        ejection: _,
        workers: _,
        service_time,
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
        on_abandon: _,
        scaling,
        calls,
        effect,
    } = service;
    is_there(Obstacle::ServiceTime, work_of(service_time).is_none());
    is_there(Obstacle::Instances, instances.get() > 1);
    is_there(Obstacle::Autoscaling, scaling.is_some());
    is_there(Obstacle::Queue, matches!(admission, Admission::Headroom(_)));
    let codel = matches!(shedding, Shedding::FollyCodel(_) | Shedding::Codel(_));
    is_there(Obstacle::Shedding, codel);
    is_there(Obstacle::Discipline, *discipline != Discipline::Fifo);
    is_there(Obstacle::LoadDependence, *slowdown != Slowdown::None);
    is_there(Obstacle::Limit, limit.is_some());
    is_there(Obstacle::RateLimit, rate_limit.is_some());
    is_there(Obstacle::Errors, errors.share != Fraction::ZERO);
    is_there(Obstacle::Refusals, refusals.cost != Rejection::Free);
    is_there(Obstacle::QueueTimeout, queue_timeout.is_some());
    is_there(Obstacle::Calls, !calls.list.is_empty());
    is_there(Obstacle::Effect, effect.is_some());
}

fn is_steady(retry: &Retry) -> bool {
    let steady = |backoff: &Backoff| match backoff {
        Backoff::Immediate | Backoff::Steady(_) => true,
        Backoff::Jittered(..)
        | Backoff::Decorrelated(_)
        | Backoff::DoublingRange(_)
        | Backoff::SmoothDoubling(_) => false,
    };
    steady(&retry.backoff) && retry.after_refusal.as_ref().is_none_or(steady) && !retry.may_stop()
}

const fn can(disturbance: &Disturbance) -> bool {
    match disturbance {
        Disturbance::Stall { .. }
        | Disturbance::Slowdown { in_progress: InProgress::Untouched, .. }
        | Disturbance::Surge { .. }
        | Disturbance::Capacity { .. } => true,
        Disturbance::Slowdown { in_progress: InProgress::Stretched, .. }
        | Disturbance::Outage(_)
        | Disturbance::Latency { .. }
        | Disturbance::ErrorShare { .. }
        | Disturbance::Loss { .. }
        | Disturbance::Flush { .. } => false,
    }
}
