//! Everything that can happen.

mod words;

use crate::id::{ClientId, EdgeId, LeverId, ServiceId, TriggerId};
use crate::policy::outcome::Failure;
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
    /// Beneath a client's policies its transport sends again what has failed: to them it is the same
    /// attempt, to the service another one.
    Repeated {
        /// Over which edge.
        edge: EdgeId,
        /// For which request.
        call: CallId,
        /// Counted with all attempts of the request.
        attempt: u32,
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
    /// A service turns an attempt away on arrival.
    Refused {
        /// Which service.
        service: ServiceId,
        /// Over which edge it came.
        edge: EdgeId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// What it is told: that there is no room for it, or that it has failed.
        failure: Failure,
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
    /// The operation that a request is for has been executed, whoever hears of it.
    Executed {
        /// By which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// For which attempt.
        attempt: u32,
        /// How often it had been executed before for the same request.
        before: u32,
    },
    /// A worker has answered an attempt with what an earlier one had come to.
    Replayed {
        /// Of which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
    },
    /// A worker has told an attempt that another one of the same request is being served.
    Conflicted {
        /// Of which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
    },
    /// A service finds that it has forgotten that an operation was executed.
    KeyExpired {
        /// Which service.
        service: ServiceId,
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
    /// One of several instances is picked for an attempt, which is sent to it at this very instant.
    Routed {
        /// Over which edge.
        edge: EdgeId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
        /// Which instance of the service, counted from 0.
        instance: u16,
    },
    /// Whoever sent an attempt to one of several instances is done with it.
    Settled {
        /// Over which edge.
        edge: EdgeId,
        /// The request.
        call: CallId,
        /// The attempt, under the number of its last repeat if its transport has sent it again.
        attempt: u32,
        /// Which instance of the service, counted from 0.
        instance: u16,
        /// How.
        end: Ending,
    },
    /// A caller asks an instance no longer, for how it has answered. A caller looks at its instances
    /// when it sends to one of them or hears from one, and what was due since then is told at that time.
    Ejected {
        /// Over which edge.
        edge: EdgeId,
        /// Which instance of the service, counted from 0.
        instance: u16,
    },
    /// A caller asks an instance again that was ejected; told like the ejection.
    Reinstated {
        /// Over which edge.
        edge: EdgeId,
        /// Which instance of the service, counted from 0.
        instance: u16,
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

/// How an attempt to one of several instances ends for whoever sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With what was asked for.
    Answered,
    /// It was given up, refused, or went wrong.
    Failed,
    /// Nobody needs it any more: another attempt has been answered, or the request is over.
    Unneeded,
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
            | Self::Repeated { call, .. }
            | Self::Executed { call, .. }
            | Self::Replayed { call, .. }
            | Self::Conflicted { call, .. }
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
            | Self::Routed { call, .. }
            | Self::Settled { call, .. }
            | Self::Completed { call, .. } => Some(call),
            Self::BreakerOpened { .. }
            | Self::Ejected { .. }
            | Self::Reinstated { .. }
            | Self::KeyExpired { .. }
            | Self::TriggerBegan { .. }
            | Self::TriggerEnded { .. }
            | Self::LeverPulled { .. }
            | Self::LeverReleased { .. } => None,
        }
    }
}
