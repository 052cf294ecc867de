//! What operators do.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::client::edge_at;
use super::outage::Cause;
use super::state::{Owner, Station};
use crate::id::{ClientId, EdgeId, LeverId, ServiceId};
use crate::model::{Action, Condition, Model, Notice, Outage, Pull, QueueFate, ServiceFate};
use crate::observe::{Fact, Observer};
use crate::time::Time;

/// What an operator has seen of a condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alert {
    /// Since when the condition has held; none while it does not.
    pub(super) since: Option<Time>,
    /// Whether the lever has been pulled: it is pulled once.
    pub(super) pulled: bool,
    /// Requests that had arrived and succeeded by the last look.
    pub(super) seen: (u64, u64),
}

impl Alert {
    pub(super) const QUIET: Self = Self { since: None, pulled: false, seen: (0, 0) };
}

impl<'a, A: Agenda, O: Observer> Run<'a, A, O> {
    pub(super) fn schedule_levers(&mut self) {
        let mut watches = false;
        for (index, lever) in self.levers.iter().enumerate() {
            match lever.pulled {
                Pull::At(at) => {
                    let event = Event::LeverPulled { lever: index as u32 };
                    self.schedule(at.since(Time::ZERO), event, Lane::NONE);
                }
                Pull::Once { .. } => watches = true,
            }
        }
        if watches {
            self.schedule(self.model.window, Event::Watch, Lane::NONE);
        }
    }

    /// Operators look at their alerts, once a window.
    pub(super) fn watch(&mut self) {
        self.schedule(self.model.window, Event::Watch, Lane::NONE);
        for index in 0..self.levers.len() {
            let Pull::Once { condition, held } = self.levers[index].pulled else { continue };
            let holds = self.holds(index, condition);
            let alert = &mut self.world.alerts[index];
            let since = alert.since.unwrap_or(self.now);
            alert.since = holds.then_some(since);
            if holds && !alert.pulled && self.now.since(since) >= held {
                alert.pulled = true;
                self.pull(index as u32);
            }
        }
    }

    fn holds(&mut self, lever: usize, condition: Condition) -> bool {
        match condition {
            Condition::QueueAbove { service, waiting } => {
                let stations = self.world.stations_of(service).map(usize::from);
                let queued =
                    stations.map(|station| self.world.stations[station].queue.len() as u64);
                queued.sum::<u64>() > waiting
            }
            Condition::GoodputBelow { client, share } => {
                let state = &self.world.clients[client.index()];
                let now = (state.arrived, state.succeeded);
                let before = std::mem::replace(&mut self.world.alerts[lever].seen, now);
                let (demand, goodput) = (now.0 - before.0, now.1 - before.1);
                demand > 0 && (goodput as f64) < share.as_f64() * demand as f64
            }
        }
    }

    pub(super) fn pull(&mut self, lever: u32) {
        let id = LeverId(lever as u16);
        self.observer.observe(self.now, Fact::LeverPulled { lever: id });
        let levers = self.levers;
        match &levers[id.index()].action {
            Action::Block { client, share, lasts } => {
                self.world.clients[client.index()].blocks.push(*share);
                self.schedule(*lasts, Event::LeverReleased { lever }, Lane::NONE);
            }
            Action::DropQueue { service } => {
                for station in self.world.stations_of(*service) {
                    self.lose_queue(Station(station), Notice::Never);
                }
            }
            Action::Restart { service, takes, clients } => {
                for station in self.world.stations_of(*service) {
                    let outage = restart(*service, *clients);
                    self.begin_outage(Station(station), Cause::Lever(id), outage);
                }
                self.schedule(*takes, Event::LeverReleased { lever }, Lane::NONE);
            }
            Action::Change(model) => self.change(model),
        }
    }

    pub(super) fn release_lever(&mut self, lever: u32) {
        let id = LeverId(lever as u16);
        self.observer.observe(self.now, Fact::LeverReleased { lever: id });
        match &self.levers[id.index()].action {
            Action::Block { client, share, .. } => {
                let blocks = &mut self.world.clients[client.index()].blocks;
                if let Some(place) = blocks.iter().position(|other| other == share) {
                    blocks.remove(place);
                }
            }
            Action::Restart { service, clients, .. } => {
                for station in self.world.stations_of(*service) {
                    let outage = restart(*service, *clients);
                    self.end_outage(Station(station), Cause::Lever(id), outage);
                }
            }
            Action::DropQueue { .. } | Action::Change(_) => {}
        }
    }

    /// The world follows another model from now on. What a policy remembers is kept where the policy
    /// stays the same, and forgotten where it changes.
    fn change(&mut self, model: &'a Model) {
        let before = std::mem::replace(&mut self.model, model);
        for (index, (new, old)) in model.clients.iter().zip(&before.clients).enumerate() {
            let edge = EdgeId::from(ClientId(index as u16));
            self.world.clients[index].source.change_rate(&old.arrivals, &new.arrivals);
            self.reopen_books(edge, &old.edge, &new.edge, new.instance_count());
            self.review_edge(edge);
        }
        for index in model.clients.len()..self.world.edges.len() {
            let edge = EdgeId::between_services(index);
            let owner = self.world.edges[index].owner;
            let callers = match owner {
                Owner::Client(_) => 1,
                Owner::Service(id, _) => model.service(id).instances.get(),
            };
            self.reopen_books(edge, edge_at(before, owner), edge_at(model, owner), callers);
            self.review_edge(edge);
        }
        for index in 0..self.world.stations.len() {
            let station = Station(index as u16);
            let service = self.named(station);
            if before.service(service) != model.service(service) {
                self.world.stations[index].open_policies(model.service(service));
            }
            self.review_capacity(station);
            self.review_station(station);
        }
    }
}

/// What a service that is started again is like until it works.
const fn restart(service: ServiceId, clients: Notice) -> Outage {
    Outage { service, queue: QueueFate::Lost, in_service: ServiceFate::Lost, clients }
}
