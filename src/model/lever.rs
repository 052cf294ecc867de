//! What an operator does.

use std::sync::Arc;

use super::{Arrivals, Client, Model, Notice, Service};
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

impl Model {
    /// What a run sets up once, by the key that it has in a scenario, and `other` has otherwise: no lever
    /// leads from one to the other. None if one does.
    pub fn lasting_difference(&self, other: &Self) -> Option<&'static str> {
        let whole = [
            ("horizon", self.horizon == other.horizon),
            ("window", self.window == other.window),
            ("criterion", self.criterion == other.criterion),
            ("tie", self.tie == other.tie),
            ("solver", self.solver == other.solver),
            ("services", self.services.len() == other.services.len()),
            ("clients", self.clients.len() == other.clients.len()),
        ];
        let services = self.services.iter().zip(&other.services);
        let services = services.flat_map(|(one, other)| lasting_of_service(one, other));
        let clients = self.clients.iter().zip(&other.clients);
        let clients = clients.flat_map(|(one, other)| lasting_of_client(one, other));
        let mut all = whole.into_iter().chain(services).chain(clients);
        all.find_map(|(key, is_same)| (!is_same).then_some(key))
    }
}

fn lasting_of_service(one: &Service, other: &Service) -> [(&'static str, bool); 8] {
    let calls = |service: &Service| -> Vec<_> {
        let calls = service.calls.list.iter();
        calls
            .map(|call| (call.name.clone(), call.edge.to, call.step, call.copies, call.deadline))
            .collect()
    };
    [
        ("services", one.name == other.name),
        ("discipline", one.discipline == other.discipline),
        ("instances", one.instances == other.instances),
        ("balancer", one.balancer == other.balancer),
        ("ejection", one.ejection == other.ejection),
        ("autoscaling", one.scaling == other.scaling),
        ("effect", one.effect == other.effect),
        ("calls", calls(one) == calls(other)),
    ]
}

fn lasting_of_client(one: &Client, other: &Client) -> [(&'static str, bool); 4] {
    let is_same_process = match (&one.arrivals, &other.arrivals) {
        (Arrivals::Poisson(_), Arrivals::Poisson(_)) | (Arrivals::Even(_), Arrivals::Even(_)) => {
            true
        }
        (one, other) => one == other,
    };
    [
        ("clients", one.name == other.name),
        ("calls", one.edge.to == other.edge.to),
        ("arrivals", is_same_process),
        ("instances", one.instances == other.instances),
    ]
}
