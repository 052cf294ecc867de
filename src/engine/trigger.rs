//! What triggers do to the world, and undo.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::client::edge_at;
use super::outage::Cause;
use super::state::{Health, Station};
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
                self.at_each(id, service, |run, station| {
                    run.close(station);
                    run.freeze(station);
                });
            }
            Disturbance::Slowdown { service, factor, in_progress } => {
                self.at_each(id, service, |run, station| {
                    run.health(station).slowdowns.push((trigger, factor));
                    run.review_station(station);
                    if in_progress == InProgress::Stretched {
                        run.stretch(station, factor);
                    }
                });
            }
            Disturbance::Surge { client, factor } if factor > 1.0 => {
                self.begin_surge(id, u32::from(client.0));
            }
            Disturbance::Surge { client, factor } => {
                self.world.clients[client.index()].thinnings.push((trigger, factor));
            }
            Disturbance::Outage(outage) => {
                self.at_each(id, outage.service, |run, station| {
                    run.begin_outage(station, Cause::Trigger(id), outage);
                });
            }
            Disturbance::Latency { edge, adds } => {
                self.world.edges[edge.index()].network.added.push((trigger, adds));
                self.review_edge(edge);
            }
            Disturbance::ErrorShare { service, share } => {
                self.at_each(id, service, |run, station| {
                    run.health(station).error_shares.push((trigger, share));
                    run.review_station(station);
                });
            }
            Disturbance::Loss { edge, share } => {
                self.world.edges[edge.index()].network.losses.push((trigger, share));
                self.review_edge(edge);
            }
            Disturbance::Flush { edge } => self.flush_caches(edge),
            Disturbance::Capacity { service, workers } => {
                self.at_each(id, service, |run, station| {
                    run.health(station).capacities.push((trigger, workers.get()));
                    run.review_capacity(station);
                });
            }
        }
    }

    pub(super) fn end_trigger(&mut self, trigger: u32) {
        let id = TriggerId(trigger as u16);
        self.observer.observe(self.now, Fact::TriggerEnded { trigger: id });
        match self.model.triggers[id.index()].disturbance {
            Disturbance::Stall { service } => {
                self.at_each(id, service, |run, station| {
                    run.thaw(station);
                    run.open(station);
                });
            }
            Disturbance::Slowdown { service, factor, in_progress } => {
                self.at_each(id, service, |run, station| {
                    run.health(station).slowdowns.retain(|(other, _)| *other != trigger);
                    run.review_station(station);
                    if in_progress == InProgress::Stretched {
                        run.stretch(station, 1.0 / factor);
                    }
                });
            }
            Disturbance::Surge { client, factor } => {
                if factor > 1.0 {
                    self.world.surges[id.index()].is_on = false;
                }
                let thinnings = &mut self.world.clients[client.index()].thinnings;
                thinnings.retain(|(other, _)| *other != trigger);
            }
            Disturbance::Outage(outage) => {
                self.at_each(id, outage.service, |run, station| {
                    run.end_outage(station, Cause::Trigger(id), outage);
                });
            }
            Disturbance::Latency { edge, .. } => {
                let network = &mut self.world.edges[edge.index()].network;
                network.added.retain(|(other, _)| *other != trigger);
                self.review_edge(edge);
            }
            Disturbance::ErrorShare { service, .. } => {
                self.at_each(id, service, |run, station| {
                    run.health(station).error_shares.retain(|(other, _)| *other != trigger);
                    run.review_station(station);
                });
            }
            Disturbance::Loss { edge, .. } => {
                let network = &mut self.world.edges[edge.index()].network;
                network.losses.retain(|(other, _)| *other != trigger);
                self.review_edge(edge);
            }
            Disturbance::Flush { .. } => {}
            Disturbance::Capacity { service, .. } => {
                self.at_each(id, service, |run, station| {
                    run.health(station).capacities.retain(|(other, _)| *other != trigger);
                    run.review_capacity(station);
                });
            }
        }
    }

    /// Does something to the instances of `service` that the trigger is about.
    fn at_each(
        &mut self,
        trigger: TriggerId,
        service: ServiceId,
        mut act: impl FnMut(&mut Self, Station),
    ) {
        match self.model.triggers[trigger.index()].instance {
            Some(instance) => act(self, self.world.station(service, instance)),
            None => {
                for station in self.world.stations_of(service) {
                    act(self, Station(station));
                }
            }
        }
    }

    fn health(&mut self, station: Station) -> &mut Health {
        &mut self.world.stations[station.index()].health
    }

    /// What is kept ready about an instance for the hot loop.
    pub(super) fn review_station(&mut self, station: Station) {
        let policy = self.policy(station);
        self.world.stations[station.index()].review(policy);
    }

    /// What is kept ready about an edge for the hot loop.
    pub(super) fn review_edge(&mut self, edge: EdgeId) {
        let state = &mut self.world.edges[edge.index()];
        state.review(edge_at(self.model, state.owner));
    }

    /// How many workers there should be now.
    pub(super) fn review_capacity(&mut self, station: Station) {
        let state = &self.world.stations[station.index()];
        let scaled = state.scaler.as_ref().map(|scaler| scaler.started);
        let usual = scaled.unwrap_or(self.policy(station).workers.get());
        let wanted = state.health.capacities.last().map_or(usual, |(_, workers)| *workers);
        self.want_workers(station, wanted);
    }
}
