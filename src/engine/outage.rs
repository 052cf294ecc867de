//! A service that is gone, and what it takes with it.

use super::Run;
use super::agenda::Agenda;
use super::client::{Answer, Reception};
use super::state::IDLE;
use crate::id::{LeverId, ServiceId, TriggerId};
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
    pub(super) fn begin_outage(&mut self, cause: Cause, outage: Outage) {
        let service = outage.service;
        let state = &mut self.world.services[service.index()];
        state.health.outages.push((cause, outage.clients));
        self.review_service(service);
        self.close(service);
        match outage.in_service {
            ServiceFate::Lost => self.lose_work(service, outage.clients),
            ServiceFate::Frozen => self.freeze(service),
            ServiceFate::Finished => {}
        }
        match outage.queue {
            QueueFate::Lost => self.lose_queue(service, outage.clients),
            QueueFate::Kept => {}
        }
    }

    pub(super) fn end_outage(&mut self, cause: Cause, outage: Outage) {
        let service = outage.service;
        let state = &mut self.world.services[service.index()];
        state.health.outages.retain(|(other, _)| *other != cause);
        self.review_service(service);
        match outage.in_service {
            ServiceFate::Frozen => self.thaw(service),
            ServiceFate::Lost | ServiceFate::Finished => {}
        }
        self.open(service);
    }

    /// What an attempt meets at a service that is gone.
    pub(super) fn meet_outage(&mut self, service: ServiceId, call: u32, attempt: u32) -> Reception {
        let outage = self.world.services[service.index()].health.outages.first();
        match outage.map_or(Notice::AtOnce, |(_, notice)| *notice) {
            Notice::AtOnce => {
                self.refuse(service, call, attempt, Failure::Unavailable, Hint::Absent)
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
    pub(super) fn lose_queue(&mut self, service: ServiceId, notice: Notice) {
        // Taken whole: a client that learns of it may send again at once, into the new queue.
        let state = &mut self.world.services[service.index()];
        let mut lost: Vec<Waiting> = Vec::with_capacity(state.queue.len());
        state.queue.for_each(|waiting| lost.push(*waiting));
        state.queue.clear();
        state.waiting_work = Span::ZERO;
        for Waiting { call, attempt, .. } in lost {
            self.lose(service, call, attempt, Place::Queue, notice);
        }
        self.lose_refused(service, notice);
    }

    /// All work in progress is gone.
    fn lose_work(&mut self, service: ServiceId, notice: Notice) {
        for worker in self.busy_workers(service) {
            let state = &mut self.world.workers[worker as usize];
            if state.says_no {
                self.lose_words(worker, notice);
                continue;
            }
            let (call, attempt) = (state.call, state.attempt);
            state.completion = IDLE;
            self.free(worker);
            self.lose(service, call, attempt, Place::Worker, notice);
        }
    }

    fn lose(&mut self, service: ServiceId, call: u32, attempt: u32, place: Place, notice: Notice) {
        let fact = Fact::Lost { service, call: CallId(call), attempt, place };
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
