//! Everything that can happen.

use crate::id::{ClientId, ServiceId, TriggerId};
use crate::time::Span;

/// Which request, while any part of it is alive. A number is used again once nothing of the request
/// is left: no attempt in a queue or a worker's hands, no timer.
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
    /// A client sends an attempt.
    Sent {
        /// Who sends.
        client: ClientId,
        /// For which request.
        call: CallId,
        /// 0 for the first, above for a retry.
        attempt: u32,
    },
    /// A client's budget does not let a retry go.
    BudgetDenied {
        /// Whose budget.
        client: ClientId,
        /// The request that would have been retried.
        call: CallId,
    },
    /// A client waits no longer for an attempt.
    TimedOut {
        /// Who gives up.
        client: ClientId,
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
    /// A queued attempt is dropped when a worker picks it up.
    Shed {
        /// By which service.
        service: ServiceId,
        /// The request.
        call: CallId,
        /// The attempt.
        attempt: u32,
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
