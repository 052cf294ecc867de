//! What triggers do to the world, and undo.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::outage::Cause;
use crate::id::{EdgeId, ServiceId, TriggerId};
use crate::model::{Disturbance, InProgress};
use crate::observe::{Fact, Observer};
use crate::time::Time;

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    pub(super) fn schedule_triggers(&mut self) {
        for (index, trigger) in self.model.triggers.iter().enumerate() {
            let index = index as u32;
            let begins = trigger.begins.since(Time::ZERO);
            self.schedule(begins, Event::TriggerBegins { trigger: index }, Lane::NONE);
            let ends = begins + trigger.lasts;
            self.schedule(ends, Event::TriggerEnds { trigger: index }, Lane::NONE);
        }
    }

    pub(super) fn begin_trigger(&mut self, trigger: u32) {
        let id = TriggerId(trigger as u16);
        self.observer.observe(self.now, Fact::TriggerBegan { trigger: id });
        match self.model.triggers[id.index()].disturbance {
            Disturbance::Stall { service } => {
                self.close(service);
                self.freeze(service);
            }
            Disturbance::Slowdown { service, factor, in_progress } => {
                self.health(service).slowdowns.push((trigger, factor));
                self.review_service(service);
                if in_progress == InProgress::Stretched {
                    self.stretch(service, factor);
                }
            }
            Disturbance::Surge { client, factor } if factor > 1.0 => {
                self.begin_surge(id, u32::from(client.0));
            }
            Disturbance::Surge { client, factor } => {
                self.world.clients[client.index()].thinnings.push((trigger, factor));
            }
            Disturbance::Outage(outage) => self.begin_outage(Cause::Trigger(id), outage),
            Disturbance::Latency { client, adds } => {
                self.world.edges[client.index()].network.added.push((trigger, adds));
                self.review_edge(client.into());
            }
            Disturbance::ErrorShare { service, share } => {
                self.health(service).error_shares.push((trigger, share));
                self.review_service(service);
            }
            Disturbance::Loss { client, share } => {
                self.world.edges[client.index()].network.losses.push((trigger, share));
                self.review_edge(client.into());
            }
            Disturbance::Capacity { service, workers } => {
                self.health(service).capacities.push((trigger, workers.get()));
                self.review_capacity(service);
            }
        }
    }

    pub(super) fn end_trigger(&mut self, trigger: u32) {
        let id = TriggerId(trigger as u16);
        self.observer.observe(self.now, Fact::TriggerEnded { trigger: id });
        match self.model.triggers[id.index()].disturbance {
            Disturbance::Stall { service } => {
                self.thaw(service);
                self.open(service);
            }
            Disturbance::Slowdown { service, factor, in_progress } => {
                self.health(service).slowdowns.retain(|(other, _)| *other != trigger);
                self.review_service(service);
                if in_progress == InProgress::Stretched {
                    self.stretch(service, 1.0 / factor);
                }
            }
            Disturbance::Surge { client, factor } => {
                if factor > 1.0 {
                    self.world.surges[id.index()].is_on = false;
                }
                let thinnings = &mut self.world.clients[client.index()].thinnings;
                thinnings.retain(|(other, _)| *other != trigger);
            }
            Disturbance::Outage(outage) => self.end_outage(Cause::Trigger(id), outage),
            Disturbance::Latency { client, .. } => {
                let network = &mut self.world.edges[client.index()].network;
                network.added.retain(|(other, _)| *other != trigger);
                self.review_edge(client.into());
            }
            Disturbance::ErrorShare { service, .. } => {
                self.health(service).error_shares.retain(|(other, _)| *other != trigger);
                self.review_service(service);
            }
            Disturbance::Loss { client, .. } => {
                let network = &mut self.world.edges[client.index()].network;
                network.losses.retain(|(other, _)| *other != trigger);
                self.review_edge(client.into());
            }
            Disturbance::Capacity { service, .. } => {
                self.health(service).capacities.retain(|(other, _)| *other != trigger);
                self.review_capacity(service);
            }
        }
    }

    fn health(&mut self, service: ServiceId) -> &mut super::state::Health {
        &mut self.world.services[service.index()].health
    }

    /// What is kept ready about a service for the hot loop.
    pub(super) fn review_service(&mut self, service: ServiceId) {
        let policy = self.model.service(service);
        self.world.services[service.index()].review(policy);
    }

    /// What is kept ready about an edge for the hot loop.
    pub(super) fn review_edge(&mut self, edge: EdgeId) {
        let policy = &self.model.clients[edge.index()].edge;
        self.world.edges[edge.index()].review(policy);
    }

    /// How many workers there should be now.
    pub(super) fn review_capacity(&mut self, service: ServiceId) {
        let capacities = &self.world.services[service.index()].health.capacities;
        let usual = self.model.service(service).workers.get();
        let wanted = capacities.last().map_or(usual, |(_, workers)| *workers);
        self.want_workers(service, wanted);
    }
}
