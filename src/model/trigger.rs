//! What disturbs the system for a while.

use std::num::NonZeroU32;

use crate::id::{ClientId, EdgeId, ServiceId};
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// A disturbance over `[begins, begins + lasts)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Its name in the scenario.
    pub name: String,
    /// Which instance of the service it is about, counted from 0; none for all of them, and where it
    /// is about no service.
    pub instance: Option<u16>,
    /// When it sets in: after the completions and client timers of that instant, before hand-overs
    /// and arrivals.
    pub begins: Time,
    /// How long it lasts.
    pub lasts: Span,
    /// What it does meanwhile.
    pub disturbance: Disturbance,
}

/// What a trigger does while it lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Disturbance {
    /// The service stops: attempts in service are frozen and resume afterwards, nothing starts,
    /// arrivals go on.
    Stall {
        /// Which one.
        service: ServiceId,
    },
    /// Work takes longer (or, below 1, shorter) by a factor.
    Slowdown {
        /// Whose work.
        service: ServiceId,
        /// By which factor; above zero.
        factor: f64,
        /// Whether the rest of the work in progress is stretched too.
        in_progress: InProgress,
    },
    /// Fresh requests come more (or, below 1, less) often by a factor, from the instant it begins.
    Surge {
        /// Whose requests.
        client: ClientId,
        /// By which factor; not negative.
        factor: f64,
    },
    /// The service is gone.
    Outage(Outage),
    /// The network takes longer, each way.
    Latency {
        /// Over which edge.
        edge: EdgeId,
        /// How much longer.
        adds: Span,
    },
    /// A share of attempts fails, beside those that fail anyway.
    ErrorShare {
        /// At which service.
        service: ServiceId,
        /// Which share.
        share: Fraction,
    },
    /// A share of what travels over an edge is lost, each way.
    Loss {
        /// Over which edge.
        edge: EdgeId,
        /// Which share; all of it is a partition.
        share: Fraction,
    },
    /// Everything in the caches of an edge is lost, the moment it begins.
    Flush {
        /// Over which edge what is lost would be fetched.
        edge: EdgeId,
    },
    /// The service has another number of workers. Those too many finish what they have in hand.
    Capacity {
        /// Which one.
        service: ServiceId,
        /// How many workers it has meanwhile.
        workers: NonZeroU32,
    },
}

/// Whether a change of speed touches work that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InProgress {
    /// It does not: the work of an attempt is fixed when it starts.
    Untouched,
    /// The rest of it is stretched, and shrinks again afterwards.
    Stretched,
}

/// A service that is gone for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Which one.
    pub service: ServiceId,
    /// What becomes of those who wait.
    pub queue: QueueFate,
    /// What becomes of the work in progress.
    pub in_service: ServiceFate,
    /// What arriving attempts, and those that are lost, are told.
    pub clients: Notice,
}

/// What becomes of a queue in an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueFate {
    /// It is there again afterwards.
    Kept,
    /// It is lost.
    Lost,
}

/// What becomes of work in progress in an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceFate {
    /// It is lost.
    Lost,
    /// It is finished.
    Finished,
    /// It goes on where it stopped afterwards.
    Frozen,
}

/// What clients learn of attempts that an outage takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// At once: connections are reset, new ones refused.
    AtOnce,
    /// Nothing: they wait for their timeouts.
    Never,
}

impl Trigger {
    /// The first instant at which it no longer acts.
    pub fn ends(&self) -> Time {
        self.begins + self.lasts
    }

    /// Which share of its attempts it makes a service answer with an error, if that is what it does.
    pub const fn error_share(&self) -> Option<(ServiceId, Fraction)> {
        match self.disturbance {
            Disturbance::ErrorShare { service, share } => Some((service, share)),
            Disturbance::Stall { .. }
            | Disturbance::Slowdown { .. }
            | Disturbance::Surge { .. }
            | Disturbance::Outage(_)
            | Disturbance::Latency { .. }
            | Disturbance::Loss { .. }
            | Disturbance::Flush { .. }
            | Disturbance::Capacity { .. } => None,
        }
    }

    /// Of a surge above 1: how many times the usual demand it brings on top of it; otherwise 0.
    pub fn surplus(&self) -> f64 {
        match self.disturbance {
            Disturbance::Surge { factor, .. } => (factor - 1.0).max(0.0),
            Disturbance::Stall { .. }
            | Disturbance::Slowdown { .. }
            | Disturbance::Outage(_)
            | Disturbance::Latency { .. }
            | Disturbance::ErrorShare { .. }
            | Disturbance::Loss { .. }
            | Disturbance::Flush { .. }
            | Disturbance::Capacity { .. } => 0.0,
        }
    }
}

/// What a disturbance acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A service.
    Service(ServiceId),
    /// A client.
    Client(ClientId),
    /// An edge.
    Edge(EdgeId),
}

impl Disturbance {
    /// What it acts on.
    pub const fn subject(&self) -> Subject {
        match self {
            Self::Stall { service }
            | Self::Slowdown { service, .. }
            | Self::Capacity { service, .. }
            | Self::ErrorShare { service, .. }
            | Self::Outage(Outage { service, .. }) => Subject::Service(*service),
            Self::Surge { client, .. } => Subject::Client(*client),
            Self::Latency { edge, .. } | Self::Loss { edge, .. } | Self::Flush { edge } => {
                Subject::Edge(*edge)
            }
        }
    }

    /// Whether the service does less while it lasts, so that a queue may build up.
    pub fn slows(&self, id: ServiceId) -> bool {
        match self {
            Self::Stall { service }
            | Self::Slowdown { service, .. }
            | Self::Capacity { service, .. }
            | Self::Outage(Outage { service, .. }) => *service == id,
            Self::Surge { .. }
            | Self::Latency { .. }
            | Self::ErrorShare { .. }
            | Self::Loss { .. }
            | Self::Flush { .. } => false,
        }
    }
}
