//! How a service says no: at once, after a while, or by a worker whose time it takes.
//!
//! However it is said, the attempt is refused when it arrives, and counted then; what comes later is
//! only that its client hears of it.

use std::collections::VecDeque;

use super::Run;
use super::agenda::Agenda;
use super::client::{Answer, Reception};
use super::state::IDLE;
use crate::id::ServiceId;
use crate::model::Notice;
use crate::observe::{CallId, Fact, Observer, Place};
use crate::policy::admission::Rejection;
use crate::policy::retry::{Failure, Hint};
use crate::time::Span;

/// Attempts that are refused and of which no worker has said so yet.
pub(super) type Refused = VecDeque<(u32, u32)>;

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// Does not let an attempt in.
    #[inline]
    pub(super) fn turn_down(&mut self, service: ServiceId, call: u32, attempt: u32) -> Reception {
        let refusals = self.model.service(service).refusals;
        let reception = self.refuse(service, call, attempt, Failure::Refused, refusals.hint);
        match refusals.cost {
            Rejection::Free => reception,
            Rejection::Late(after) => {
                let answer = Answer::Failure(Failure::Refused, refusals.hint);
                self.answer_late(call, attempt, answer, after);
                Reception::Taken
            }
            Rejection::ByWorker(_) => {
                self.leave_to_a_worker(service, call, attempt);
                Reception::Taken
            }
        }
    }

    /// Refuses an attempt here and now, whatever refusals cost.
    pub(super) fn refuse(
        &mut self,
        service: ServiceId,
        call: u32,
        attempt: u32,
        failure: Failure,
        hint: Hint,
    ) -> Reception {
        self.observer.observe(self.now, Fact::Refused { service, call: CallId(call), attempt });
        Reception::TurnedAway(failure, hint)
    }

    #[cold]
    fn leave_to_a_worker(&mut self, service: ServiceId, call: u32, attempt: u32) {
        self.world.calls.retain(call);
        let state = &mut self.world.services[service.index()];
        state.refused.push_back((call, attempt));
        if state.health.closures == 0 && !state.idle.is_empty() {
            self.begin_refusal(service);
        }
    }

    /// An idle worker takes up the first of those that are to be refused, if there is one.
    #[inline]
    pub(super) fn begin_refusal(&mut self, service: ServiceId) -> bool {
        let state = &mut self.world.services[service.index()];
        if state.refused.is_empty() {
            return false;
        }
        self.say_no(service);
        true
    }

    #[cold]
    fn say_no(&mut self, service: ServiceId) {
        let state = &mut self.world.services[service.index()];
        let Some((call, attempt)) = state.refused.pop_front() else { return };
        let worker = state.idle.pop().expect("a refusal is taken up by an idle worker");
        state.busy += 1;
        state.saying_no += 1;
        // A lever may have made refusals free since, which is no reason to leave this one unsaid.
        let usual = self.model.service(service).refusals.cost.work();
        let slow = Span::from_nanos_f64(usual.as_nanos() as f64 * state.slowdown());
        let work = slow.max(Span::NANOSECOND);
        let began = self.world.sequence;
        let state = &mut self.world.workers[worker as usize];
        (state.call, state.attempt, state.work) = (call, attempt, work);
        (state.admitted, state.began, state.says_no) = (self.now, began, true);
        let fact = Fact::RefusalBegun { service, call: CallId(call), attempt };
        self.observer.observe(self.now, fact);
        self.run_for(worker, work);
    }

    /// A worker has said no.
    #[cold]
    pub(super) fn complete_refusal(&mut self, worker: u32) {
        let state = self.lay_down(worker);
        let (service, call, attempt, work) = state;
        let fact = Fact::RefusalSaid { service, call: CallId(call), attempt, work };
        self.observer.observe(self.now, fact);
        let hint = self.model.service(service).refusals.hint;
        self.answer(call, attempt, Answer::Failure(Failure::Refused, hint), Span::ZERO);
        self.world.calls.release(call);
        self.free(worker);
        self.expect_hand_over(service);
    }

    /// A worker stops saying no: to whom it did, and how long that takes.
    fn lay_down(&mut self, worker: u32) -> (ServiceId, u32, u32, Span) {
        let state = &mut self.world.workers[worker as usize];
        (state.completion, state.says_no) = (IDLE, false);
        self.world.services[state.service.index()].saying_no -= 1;
        (state.service, state.call, state.attempt, state.work)
    }

    /// Those that no worker has refused yet are gone.
    pub(super) fn lose_refused(&mut self, service: ServiceId, notice: Notice) {
        let refused = std::mem::take(&mut self.world.services[service.index()].refused);
        for (call, attempt) in refused {
            self.lose_refusal(service, call, attempt, Place::Queue, notice);
        }
    }

    /// What a worker was about to say is gone.
    pub(super) fn lose_words(&mut self, worker: u32, notice: Notice) {
        let (service, call, attempt, _) = self.lay_down(worker);
        self.free(worker);
        self.lose_refusal(service, call, attempt, Place::Worker, notice);
    }

    fn lose_refusal(
        &mut self,
        service: ServiceId,
        call: u32,
        attempt: u32,
        place: Place,
        notice: Notice,
    ) {
        let fact = Fact::RefusalLost { service, call: CallId(call), attempt, place };
        self.observer.observe(self.now, fact);
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
