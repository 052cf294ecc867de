//! A service that is gone, and what it takes with it.

use super::Run;
use super::agenda::Agenda;
use super::client::{Answer, Reception};
use super::state::{Errand, IDLE, Station};
use crate::id::{LeverId, TriggerId};
use crate::model::{Notice, Outage, QueueFate, ServiceFate};
use crate::observe::{CallId, Fact, Observer, Place};
use crate::policy::discipline::Waiting;
use crate::policy::retry::{Failure, Hint};
use crate::time::Span;

/// What a service is gone by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// A disturbance.
    Trigger(TriggerId),
    /// An operator, who starts it again.
    Lever(LeverId),
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    pub(super) fn begin_outage(&mut self, station: Station, cause: Cause, outage: Outage) {
        let state = &mut self.world.stations[station.index()];
        state.health.outages.push((cause, outage.clients));
        self.review_station(station);
        self.close(station);
        match outage.in_service {
            ServiceFate::Lost => self.lose_work(station, outage.clients),
            ServiceFate::Frozen => self.freeze(station),
            ServiceFate::Finished => {}
        }
        match outage.queue {
            QueueFate::Lost => self.lose_queue(station, outage.clients),
            QueueFate::Kept => {}
        }
    }

    pub(super) fn end_outage(&mut self, station: Station, cause: Cause, outage: Outage) {
        let state = &mut self.world.stations[station.index()];
        state.health.outages.retain(|(other, _)| *other != cause);
        self.review_station(station);
        match outage.in_service {
            ServiceFate::Frozen => self.thaw(station),
            ServiceFate::Lost | ServiceFate::Finished => {}
        }
        self.open(station);
    }

    /// What an attempt meets at a service that is gone.
    pub(super) fn meet_outage(&mut self, station: Station, call: u32, attempt: u32) -> Reception {
        let outage = self.world.stations[station.index()].health.outages.first();
        match outage.map_or(Notice::AtOnce, |(_, notice)| *notice) {
            Notice::AtOnce => {
                self.refuse(station, call, attempt, Failure::Unavailable, Hint::Absent)
            }
            Notice::Never => {
                let edge = self.world.calls.edge(call);
                let fact = Fact::LostOnTheWay { edge, call: CallId(call), attempt };
                self.observer.observe(self.now, fact);
                Reception::Taken
            }
        }
    }

    /// Everything that waits is gone.
    pub(super) fn lose_queue(&mut self, station: Station, notice: Notice) {
        // Taken whole: a client that learns of it may send again at once, into the new queue.
        let state = &mut self.world.stations[station.index()];
        let mut lost: Vec<Waiting> = Vec::with_capacity(state.queue.len());
        state.queue.for_each(|waiting| lost.push(*waiting));
        state.queue.clear();
        state.waiting_work = Span::ZERO;
        for Waiting { call, attempt, .. } in lost {
            self.lose(station, call, attempt, Place::Queue, notice);
        }
        self.lose_refused(station, notice);
    }

    /// All work in progress is gone.
    fn lose_work(&mut self, station: Station, notice: Notice) {
        self.lose_connections(self.named(station));
        self.for_busy_workers(station, |run, worker| {
            let state = &mut run.world.workers[worker as usize];
            match state.errand {
                Errand::SaysNo => run.lose_words(worker, notice),
                // Not all visits have a worker: they are lost together.
                Errand::Visit(_) => {}
                Errand::Serves | Errand::Replays | Errand::Conflicts => {
                    let (call, attempt) = (state.call, state.attempt);
                    state.completion = IDLE;
                    run.leave_operation(worker, notice);
                    run.free(worker);
                    run.lose(station, call, attempt, Place::Worker, notice);
                }
            }
        });
        self.lose_visits(station, notice);
    }

    pub(super) fn lose(
        &mut self,
        station: Station,
        call: u32,
        attempt: u32,
        place: Place,
        notice: Notice,
    ) {
        let fact = Fact::Lost { service: self.named(station), call: CallId(call), attempt, place };
        self.observer.observe(self.now, fact);
        self.world.calls.forget_place(call, attempt);
        match notice {
            Notice::AtOnce => {
                let answer = Answer::Failure(Failure::Reset, Hint::Absent);
                self.answer(call, attempt, answer, Span::ZERO);
            }
            Notice::Never => {}
        }
        self.world.calls.release(call);
    }
}
