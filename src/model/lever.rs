//! What an operator does.

use std::sync::Arc;

use super::{Model, Notice};
use crate::id::{ClientId, ServiceId};
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// Something that an operator does once.
#[derive(Clone, Debug, PartialEq)]
pub struct Lever {
    /// Its name in the scenario.
    pub name: String,
    /// When it is pulled.
    pub pulled: Pull,
    /// What it does.
    pub action: Action,
}

/// When a lever is pulled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pull {
    /// At an instant.
    At(Time),
    /// Once a condition has held for a while.
    Once {
        /// The condition.
        condition: Condition,
        /// For how long it must hold without a break.
        held: Span,
    },
}

/// What an operator's alert looks at, once a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// More attempts wait than this.
    QueueAbove {
        /// At which service.
        service: ServiceId,
        /// How many.
        waiting: u64,
    },
    /// Goodput of the last window was below this share of fresh demand in it.
    GoodputBelow {
        /// Whose.
        client: ClientId,
        /// The share.
        share: Fraction,
    },
}

/// What a lever does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A share of fresh requests fails at once, before anything is sent, for a while.
    Block {
        /// Whose requests.
        client: ClientId,
        /// Which share.
        share: Fraction,
        /// How long.
        lasts: Span,
    },
    /// Everything that waits is dropped, once; its clients are not told.
    DropQueue {
        /// At which service.
        service: ServiceId,
    },
    /// The service is stopped and started again: its queue and the work in progress are lost, and
    /// what comes meanwhile finds nobody.
    Restart {
        /// Which one.
        service: ServiceId,
        /// How long until it works again.
        takes: Span,
        /// What clients learn of what is lost, and of nobody being there.
        clients: Notice,
    },
    /// From now on the world follows another model: the same services and clients with other
    /// policies, workers, rates or laws. What has begun goes on as it began.
    Change(Arc<Model>),
}
