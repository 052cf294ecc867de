//! How a service says no: at once, after a while, or by a worker whose time it takes.
//!
//! However it is said, the attempt is refused when it arrives, and counted then; what comes later is
//! only that its client hears of it.

use std::collections::VecDeque;

use super::Run;
use super::agenda::Agenda;
use super::client::{Answer, Reception};
use super::state::{Errand, IDLE, Station};
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
    pub(super) fn turn_down(&mut self, station: Station, call: u32, attempt: u32) -> Reception {
        let refusals = self.policy(station).refusals;
        let reception = self.refuse(station, call, attempt, Failure::Refused, refusals.hint);
        match refusals.cost {
            Rejection::Free => reception,
            Rejection::Late(after) => {
                let answer = Answer::Failure(Failure::Refused, refusals.hint);
                self.answer_late(call, attempt, answer, after);
                Reception::Taken
            }
            Rejection::ByWorker(_) => {
                self.leave_to_a_worker(station, call, attempt);
                Reception::Taken
            }
        }
    }

    /// Refuses an attempt here and now, whatever refusals cost.
    pub(super) fn refuse(
        &mut self,
        station: Station,
        call: u32,
        attempt: u32,
        failure: Failure,
        hint: Hint,
    ) -> Reception {
        let (service, edge) = (self.named(station), self.world.calls.edge(call));
        let fact = Fact::Refused { service, edge, call: CallId(call), attempt, failure };
        self.observer.observe(self.now, fact);
        Reception::TurnedAway(failure, hint)
    }

    #[cold]
    fn leave_to_a_worker(&mut self, station: Station, call: u32, attempt: u32) {
        self.world.calls.retain(call);
        let state = &mut self.world.stations[station.index()];
        state.refused.push_back((call, attempt));
        if state.health.closures == 0 && !state.idle.is_empty() {
            self.begin_refusal(station);
        }
    }

    /// An idle worker takes up the first of those that are to be refused, if there is one.
    #[inline]
    pub(super) fn begin_refusal(&mut self, station: Station) -> bool {
        let state = &mut self.world.stations[station.index()];
        if state.refused.is_empty() {
            return false;
        }
        self.say_no(station);
        true
    }

    #[cold]
    fn say_no(&mut self, station: Station) {
        let usual = self.policy(station).refusals.cost.work();
        let state = &mut self.world.stations[station.index()];
        let Some((call, attempt)) = state.refused.pop_front() else { return };
        let worker = state.idle.pop().expect("a refusal is taken up by an idle worker");
        state.one_more_busy(self.now);
        state.saying_no += 1;
        // A lever may have made refusals free since, which is no reason to leave this one unsaid.
        let slow = Span::from_nanos_f64(usual.as_nanos() as f64 * state.slowdown());
        let work = slow.max(Span::NANOSECOND);
        let began = self.world.sequence;
        let state = &mut self.world.workers[worker as usize];
        (state.call, state.attempt, state.work) = (call, attempt, work);
        (state.admitted, state.began, state.errand) = (self.now, began, Errand::SaysNo);
        let fact = Fact::RefusalBegun { service: self.named(station), call: CallId(call), attempt };
        self.observer.observe(self.now, fact);
        self.run_for(worker, work);
    }

    /// A worker has said no.
    #[cold]
    pub(super) fn complete_refusal(&mut self, worker: u32) {
        let state = self.lay_down(worker);
        let (station, call, attempt, work) = state;
        let fact =
            Fact::RefusalSaid { service: self.named(station), call: CallId(call), attempt, work };
        self.observer.observe(self.now, fact);
        let hint = self.policy(station).refusals.hint;
        self.answer(call, attempt, Answer::Failure(Failure::Refused, hint), Span::ZERO);
        self.world.calls.release(call);
        self.free(worker);
        self.expect_hand_over(station);
    }

    /// A worker stops saying no: to whom it did, and how long that takes.
    fn lay_down(&mut self, worker: u32) -> (Station, u32, u32, Span) {
        let state = &mut self.world.workers[worker as usize];
        (state.completion, state.errand) = (IDLE, Errand::Serves);
        self.world.stations[state.station.index()].saying_no -= 1;
        (state.station, state.call, state.attempt, state.work)
    }

    /// Those that no worker has refused yet are gone.
    pub(super) fn lose_refused(&mut self, station: Station, notice: Notice) {
        let refused = std::mem::take(&mut self.world.stations[station.index()].refused);
        for (call, attempt) in refused {
            self.lose_refusal(station, call, attempt, Place::Queue, notice);
        }
    }

    /// What a worker was about to say is gone.
    pub(super) fn lose_words(&mut self, worker: u32, notice: Notice) {
        let (station, call, attempt, _) = self.lay_down(worker);
        self.free(worker);
        self.lose_refusal(station, call, attempt, Place::Worker, notice);
    }

    fn lose_refusal(
        &mut self,
        station: Station,
        call: u32,
        attempt: u32,
        place: Place,
        notice: Notice,
    ) {
        let fact =
            Fact::RefusalLost { service: self.named(station), call: CallId(call), attempt, place };
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
