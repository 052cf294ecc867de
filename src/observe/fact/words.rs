//! What a fact says in a trace.

use std::fmt;

use super::{CallId, Dropped, Ending, Fact, Guard, Place, Sending};
use crate::policy::outcome::Failure;

/// Instances are counted from 1 wherever a person reads of them.
fn number(instance: u16) -> u32 {
    u32::from(instance) + 1
}

/// As a line of a trace: request, what happened, where.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = |call: &CallId, attempt: &u32| format!("request {} attempt {attempt}", call.0);
        match self {
            Self::Arrived { client, call } => {
                write!(f, "request {} arrives at client {}", call.0, client.0)
            }
            Self::Hit { call, .. } => write!(f, "request {} hits the cache", call.0),
            Self::Coalesced { call, .. } => {
                write!(f, "request {} waits for what is being fetched", call.0)
            }
            Self::Called { edge, call } => {
                write!(f, "request {} is made over edge {}", call.0, edge.index())
            }
            Self::Returned { edge, call, answered } => {
                let how = if *answered { "answered" } else { "not answered" };
                write!(f, "request {} over edge {} is {how}", call.0, edge.index())
            }
            Self::Sent { edge, call, attempt, kind } => {
                let why = match kind {
                    Sending::First | Sending::Retry => "",
                    Sending::Hedge => ", as a hedge",
                };
                let by = if edge.is_between_services() { "over edge" } else { "by client" };
                write!(f, "{} is sent {by} {}{why}", on(call, attempt), edge.index())
            }
            Self::Repeated { call, attempt, .. } => {
                write!(f, "{} is sent beneath the policy", on(call, attempt))
            }
            Self::Executed { service, call, attempt, before } => {
                let nth = before + 1;
                write!(f, "{} is executed by service {}: {nth}", on(call, attempt), service.0)
            }
            Self::Replayed { service, call, attempt } => {
                write!(f, "{} is told what service {} has stored", on(call, attempt), service.0)
            }
            Self::Conflicted { service, call, attempt } => {
                write!(f, "{} meets another one at service {}", on(call, attempt), service.0)
            }
            Self::KeyExpired { service } => write!(f, "a key expires at service {}", service.0),
            Self::BudgetDenied { call, .. } => {
                write!(f, "request {} may not be retried: budget", call.0)
            }
            Self::TimedOut { call, attempt, .. } => write!(f, "{} times out", on(call, attempt)),
            Self::Succeeded { call, latency, .. } => {
                write!(f, "request {} succeeds after {latency}", call.0)
            }
            Self::Failed { call, .. } => write!(f, "request {} fails", call.0),
            Self::Refused { service, call, attempt, failure, .. } => {
                let fate =
                    if *failure == Failure::Refused { "is refused" } else { "fails at once" };
                write!(f, "{} {fate} at service {}", on(call, attempt), service.0)
            }
            Self::Queued { service, call, attempt } => {
                write!(f, "{} queues at service {}", on(call, attempt), service.0)
            }
            Self::Shed { service, call, attempt, dropped } => {
                let when = match dropped {
                    Dropped::OnArrival => " on arrival",
                    Dropped::AtPickUp => "",
                    Dropped::ByTimer => ": it has waited too long",
                };
                write!(f, "{} is shed by service {}{when}", on(call, attempt), service.0)
            }
            Self::RefusalBegun { service, call, attempt } => {
                write!(f, "{} is being told so by service {}", on(call, attempt), service.0)
            }
            Self::RefusalSaid { service, call, attempt, .. } => {
                write!(f, "{} has been told so by service {}", on(call, attempt), service.0)
            }
            Self::RefusalLost { service, call, attempt, .. } => {
                write!(f, "{} is not told so by service {}", on(call, attempt), service.0)
            }
            Self::Started { service, call, attempt, waited, .. } => {
                write!(f, "{} starts at service {} after {waited}", on(call, attempt), service.0)
            }
            Self::Completed { service, call, attempt, useful, .. } => {
                let use_of_it = if *useful { "in time" } else { "for nobody" };
                write!(f, "{} is done at service {}, {use_of_it}", on(call, attempt), service.0)
            }
            Self::Blocked { client, call } => {
                write!(f, "request {} is blocked at client {}", call.0, client.0)
            }
            Self::LostOnTheWay { call, attempt, .. } => {
                write!(f, "{} is lost on the way", on(call, attempt))
            }
            Self::CameToNothing { call, attempt, .. } => {
                write!(f, "{} was served for nothing", on(call, attempt))
            }
            Self::Lost { service, call, attempt, place } => {
                let place = match place {
                    Place::Queue => "the queue",
                    Place::Worker => "the hands",
                };
                write!(f, "{} is lost from {place} of service {}", on(call, attempt), service.0)
            }
            Self::Withdrawn { service, call, attempt, .. } => {
                write!(f, "{} is dropped by service {}", on(call, attempt), service.0)
            }
            Self::HeldBack { call, attempt, guard, .. } => {
                let guard = match guard {
                    Guard::Throttle => "throttle",
                    Guard::Breaker => "breaker",
                    Guard::Pool => "pool",
                    Guard::Balancer => "balancer",
                    Guard::Cache => "cache",
                };
                write!(f, "{} is held back: {guard}", on(call, attempt))
            }
            Self::Routed { call, attempt, instance, .. } => {
                write!(f, "{} goes to instance {}", on(call, attempt), number(*instance))
            }
            Self::Settled { call, attempt, instance, end, .. } => {
                let end = match end {
                    Ending::Answered => "answered",
                    Ending::Failed => "in vain",
                    Ending::Unneeded => "needed no more",
                };
                write!(f, "{} to instance {} is {end}", on(call, attempt), number(*instance))
            }
            Self::Ejected { edge, instance } => {
                write!(f, "instance {} is ejected by edge {}", number(*instance), edge.index())
            }
            Self::Reinstated { edge, instance } => {
                write!(f, "instance {} is asked again by edge {}", number(*instance), edge.index())
            }
            Self::BreakerOpened { edge } => write!(f, "a breaker of client {} opens", edge.index()),
            Self::LeverPulled { lever } => write!(f, "lever {} is pulled", lever.0),
            Self::LeverReleased { lever } => write!(f, "lever {} is released", lever.0),
            Self::TriggerBegan { trigger } => write!(f, "trigger {} begins", trigger.0),
            Self::TriggerEnded { trigger } => write!(f, "trigger {} ends", trigger.0),
        }
    }
}
