//! Everything that can happen.

use std::fmt;

use crate::id::{ClientId, EdgeId, LeverId, ServiceId, TriggerId};
use crate::time::Span;

/// Which request, while any part of it is alive. A number is used again once nothing of the request
/// is left: no attempt in a queue, a worker's hands or on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u32);

/// Something that happens in a run. Attempts are numbered from 0, the first try, within a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A fresh request arrives at a client.
    Arrived {
        /// Where.
        client: ClientId,
        /// The request.
        call: CallId,
    },
    /// A service calls another: a request like a client's.
    Called {
        /// Over which edge.
        edge: EdgeId,
        /// The request.
        call: CallId,
    },
    /// A request that a service made has ended for good.
    Returned {
        /// Over which edge.
        edge: EdgeId,
        /// The request.
        call: CallId,
        /// Whether it was answered in time.
        answered: bool,
    },
    /// What an attempt would have fetched is in the cache: its request is answered without it.
    Hit {
        /// Over which edge it would have gone.
        edge: EdgeId,
        /// The request.
        call: CallId,
    },
    /// What an attempt would have fetched is being fetched: it waits for that.
    Coalesced {
        /// Over which edge it would have gone.
        edge: EdgeId,
        /// The request.
        call: CallId,
    },
    /// A client, or a service that calls another, sends an attempt.
    Sent {
        /// Over which edge.
        edge: EdgeId,
        /// For which request.
        call: CallId,
        /// Counts all attempts of the request, of whatever kind.
        attempt: u32,
        /// Why it is sent.
        kind: Sending,
    },
    /// A client's budget does not let a retry go.
    BudgetDenied {
        /// Whose budget.
        edge: EdgeId,
        /// The request that would have been retried.
        call: CallId,
    },
    /// A client waits no longer for an attempt.
    TimedOut {
        /// Who gives up.
        edge: EdgeId,
        /// The request.
        call: CallId,
        /// The attempt given up.
        attempt: u32,
    },
    /// A request is answered in time.
    Succeeded {
        /// Whose request.
        client: ClientId,
        /// The request.
        call: CallId,
        /// From its arrival to the answer.
        latency: Span,
    },
    /// A request has failed for good.
    Failed {
        /// Whose request.
        client: ClientId,
        /// The request.
        call: CallId,
    },
    /// A service refuses an attempt on arrival.
    Refused {
        /// Which service.
        service: ServiceId,
        /// Over which edge it came.
        edge: EdgeId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
    },
    /// An attempt joins the queue.
    Queued {
        /// Of which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
    },
    /// An attempt is dropped that was let in.
    Shed {
        /// By which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// When.
        dropped: Dropped,
    },
    /// A worker begins to tell an attempt that it is refused. It was refused when it arrived.
    RefusalBegun {
        /// Of which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
    },
    /// A worker has told an attempt that it is refused.
    RefusalSaid {
        /// Of which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// The time the worker spent on it, stalls not counted.
        work: Span,
    },
    /// A refusal is lost in an outage before it was said.
    RefusalLost {
        /// At which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// Whether a worker had begun to say it.
        place: Place,
    },
    /// A worker begins to serve an attempt.
    Started {
        /// Of which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// How long it waited; zero if it never queued.
        waited: Span,
        /// Whether it comes from the queue.
        from_queue: bool,
    },
    /// A worker has served an attempt in full.
    Completed {
        /// Of which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// The time the worker spent working, stalls not counted.
        work: Span,
        /// Whether anyone was still waiting for it; otherwise the work was wasted.
        useful: bool,
    },
    /// An operator's block fails a fresh request before anything is sent.
    Blocked {
        /// Whose request.
        client: ClientId,
        /// The request.
        call: CallId,
    },
    /// An attempt or its answer is lost between client and service, and nobody is told.
    LostOnTheWay {
        /// Whose attempt.
        edge: EdgeId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
    },
    /// An answer that was waited for when its work was done does not arrive in time, or at all: the
    /// work was wasted after all.
    CameToNothing {
        /// Whose attempt.
        edge: EdgeId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// The time the worker spent working on it.
        work: Span,
    },
    /// A service loses an attempt.
    Lost {
        /// Which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// Where it was.
        place: Place,
    },
    /// A service drops an attempt because its client has given it up.
    Withdrawn {
        /// Which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// Where it was.
        place: Place,
    },
    /// An attempt fails on its client's side, without having been sent.
    HeldBack {
        /// Whose attempt.
        edge: EdgeId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// What held it back.
        guard: Guard,
    },
    /// A client's circuit breaker opens.
    BreakerOpened {
        /// Over which edge it stands.
        edge: EdgeId,
    },
    /// An operator pulls a lever.
    LeverPulled {
        /// Which one.
        lever: LeverId,
    },
    /// What a lever did for a while is over.
    LeverReleased {
        /// Which one.
        lever: LeverId,
    },
    /// A trigger sets in.
    TriggerBegan {
        /// Which one.
        trigger: TriggerId,
    },
    /// A trigger is over.
    TriggerEnded {
        /// Which one.
        trigger: TriggerId,
    },
}

/// Why an attempt is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sending {
    /// It is the first of its request.
    First,
    /// The one before has failed.
    Retry,
    /// The one before is still out.
    Hedge,
}

/// What holds attempts back on their client's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// A throttle.
    Throttle,
    /// An open circuit breaker.
    Breaker,
    /// A connection pool in which too many wait, or in which it has waited too long.
    Pool,
    /// A balancer that knows of no instance that may be asked.
    Balancer,
    /// Somebody else's fetch, for which it has waited too long.
    Cache,
}

/// When a service drops an attempt that it has let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// At once, though a worker is idle.
    OnArrival,
    /// When a worker picks it up from the queue.
    AtPickUp,
    /// In the queue, by the clock.
    ByTimer,
}

impl Dropped {
    /// Whether the attempt has been in the queue.
    pub const fn is_from_queue(self) -> bool {
        match self {
            Self::OnArrival => false,
            Self::AtPickUp | Self::ByTimer => true,
        }
    }
}

/// Where at a service an attempt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In its queue.
    Queue,
    /// In a worker's hands.
    Worker,
}

impl Fact {
    /// The request that the fact is about, if it is about one.
    pub(super) const fn call_mut(&mut self) -> Option<&mut CallId> {
        match self {
            Self::Arrived { call, .. }
            | Self::Called { call, .. }
            | Self::Hit { call, .. }
            | Self::Coalesced { call, .. }
            | Self::Returned { call, .. }
            | Self::Sent { call, .. }
            | Self::BudgetDenied { call, .. }
            | Self::TimedOut { call, .. }
            | Self::Succeeded { call, .. }
            | Self::Failed { call, .. }
            | Self::Refused { call, .. }
            | Self::Queued { call, .. }
            | Self::Shed { call, .. }
            | Self::RefusalBegun { call, .. }
            | Self::RefusalSaid { call, .. }
            | Self::RefusalLost { call, .. }
            | Self::Started { call, .. }
            | Self::Blocked { call, .. }
            | Self::LostOnTheWay { call, .. }
            | Self::CameToNothing { call, .. }
            | Self::Lost { call, .. }
            | Self::Withdrawn { call, .. }
            | Self::HeldBack { call, .. }
            | Self::Completed { call, .. } => Some(call),
            Self::BreakerOpened { .. }
            | Self::TriggerBegan { .. }
            | Self::TriggerEnded { .. }
            | Self::LeverPulled { .. }
            | Self::LeverReleased { .. } => None,
        }
    }
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
            Self::BudgetDenied { call, .. } => {
                write!(f, "request {} may not be retried: budget", call.0)
            }
            Self::TimedOut { call, attempt, .. } => write!(f, "{} times out", on(call, attempt)),
            Self::Succeeded { call, latency, .. } => {
                write!(f, "request {} succeeds after {latency}", call.0)
            }
            Self::Failed { call, .. } => write!(f, "request {} fails", call.0),
            Self::Refused { service, call, attempt, .. } => {
                write!(f, "{} is refused by service {}", on(call, attempt), service.0)
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
            Self::BreakerOpened { edge } => write!(f, "a breaker of client {} opens", edge.index()),
            Self::LeverPulled { lever } => write!(f, "lever {} is pulled", lever.0),
            Self::LeverReleased { lever } => write!(f, "lever {} is released", lever.0),
            Self::TriggerBegan { trigger } => write!(f, "trigger {} begins", trigger.0),
            Self::TriggerEnded { trigger } => write!(f, "trigger {} ends", trigger.0),
        }
    }
}
