//! Services that count how often an operation is executed, and keys that keep it from being executed twice.
//!
//! All out of line: a worker comes here only at a service that has such an operation. A worker that waits
//! for another one's answer is held, as one is that waits for a lock. What is cut off is undone, and the
//! next in line executes it; but where a crash tells nobody, its lock stays.

use super::Run;
use super::agenda::Agenda;
use super::calls::Whereabouts;
use super::client::Answer;
use super::state::{Errand, FROZEN, HELD, IDLE, Station};
use crate::id::ServiceId;
use crate::model::{Notice, OnAbandon};
use crate::observe::{CallId, Fact, Observer};
use crate::policy::effect::{self, Desk, End, Execution, Next, Place};
use crate::policy::limit::Outcome;
use crate::policy::outcome::Failure;
use crate::policy::retry::Hint;
use crate::time::Span;

/// What a worker has to do with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Nothing.
    None,
    /// It executes it.
    Executes(Execution),
    /// It waits in this place for whoever does.
    Waits(Place),
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// A worker begins an attempt that is more than its work.
    #[inline(never)]
    pub(super) fn begin_operation(&mut self, worker: u32) {
        let state = self.world.workers[worker as usize];
        let service = self.named(state.station);
        let (now, key) = (self.now, self.world.calls.key(state.call));
        match self.with_desk(service, |desk| desk.ask(now, key, worker)) {
            effect::Answer::Execute(execution) => self.execute(worker, execution),
            effect::Answer::Replay => self.tell(worker, Errand::Replays),
            effect::Answer::Conflict => self.tell(worker, Errand::Conflicts),
            effect::Answer::WaitsFor(place) => {
                self.world.parts[worker as usize] = Part::Waits(place);
                self.world.workers[worker as usize].completion = HELD;
                self.note_place(worker);
            }
        }
    }

    /// A worker executes the operation for the attempt in its hands.
    fn execute(&mut self, worker: u32, execution: Execution) {
        self.world.parts[worker as usize] = Part::Executes(execution);
        let state = &self.world.workers[worker as usize];
        let (station, work) = (state.station, state.work);
        if self.policy(station).calls.list.is_empty() {
            self.note_place(worker);
            self.run_for(worker, work);
        } else {
            self.begin_visit(worker);
        }
        self.stay_frozen(worker);
    }

    /// A worker answers the attempt in its hands without executing anything.
    fn tell(&mut self, worker: u32, errand: Errand) {
        self.world.parts[worker as usize] = Part::None;
        let station = self.world.workers[worker as usize].station;
        let takes = self.policy(station).effect.map_or(Span::ZERO, |effect| effect.answer_takes);
        let takes = takes.max(Span::NANOSECOND);
        let state = &mut self.world.workers[worker as usize];
        (state.errand, state.work) = (errand, takes);
        self.note_place(worker);
        self.run_for(worker, takes);
        self.stay_frozen(worker);
    }

    fn note_place(&mut self, worker: u32) {
        let state = self.world.workers[worker as usize];
        if self.world.stations[state.station.index()].on_abandon != OnAbandon::Ignores {
            let here = Whereabouts::Worker(worker);
            self.world.calls.set_place(state.call, state.attempt, here);
        }
    }

    /// Whoever is told to go on while the service stands still goes on when it thaws.
    fn stay_frozen(&mut self, worker: u32) {
        let station = self.world.workers[worker as usize].station;
        let health = &self.world.stations[station.index()].health;
        if health.freezes == 0 {
            return;
        }
        let frozen_at = health.frozen_at;
        let state = &mut self.world.workers[worker as usize];
        state.completes = frozen_at + state.completes.since(self.now);
        state.completion = FROZEN;
    }

    /// A worker has answered an attempt without executing anything.
    #[cold]
    pub(super) fn complete_told(&mut self, worker: u32) {
        let state = &mut self.world.workers[worker as usize];
        let errand = std::mem::replace(&mut state.errand, Errand::Serves);
        state.completion = IDLE;
        let (station, call, attempt) = (state.station, state.call, state.attempt);
        let (work, admitted) = (state.work, state.admitted);
        self.learn(station, admitted, Outcome::Answered);
        let (service, id) = (self.named(station), CallId(call));
        let (fact, answer) = match errand {
            Errand::Conflicts => (
                Fact::Conflicted { service, call: id, attempt },
                Answer::Failure(Failure::Error, Hint::Absent),
            ),
            Errand::Replays => (Fact::Replayed { service, call: id, attempt }, Answer::Success),
            Errand::Serves | Errand::Visit(_) | Errand::SaysNo => {
                unreachable!("nothing was told")
            }
        };
        self.observer.observe(self.now, fact);
        self.world.calls.forget_place(call, attempt);
        self.served(station, call, attempt, work, answer);
        self.free(worker);
        self.expect_hand_over(station);
    }

    /// What the worker was executing, which it does no longer.
    pub(super) fn take_execution(&mut self, worker: u32) -> Option<Execution> {
        let part = self.world.parts.get_mut(worker as usize)?;
        match std::mem::replace(part, Part::None) {
            Part::Executes(execution) => Some(execution),
            Part::None | Part::Waits(_) => None,
        }
    }

    /// An attempt has been served in full, which was executed if it is answered well.
    #[cold]
    pub(super) fn operation_ended(
        &mut self,
        station: Station,
        call: u32,
        attempt: u32,
        execution: Option<Execution>,
        answer: Answer,
    ) {
        let Some(execution) = execution else { return };
        match answer {
            Answer::Success => {
                let before = self.world.calls.operation(call).executions;
                let (service, id) = (self.named(station), CallId(call));
                let fact = Fact::Executed { service, call: id, attempt, before };
                self.observer.observe(self.now, fact);
                self.close_execution(station, call, execution, End::Executed);
            }
            Answer::Failure(..) => self.close_execution(station, call, execution, End::Undone),
        }
    }

    /// An execution has been cut off.
    pub(super) fn undo(&mut self, station: Station, call: u32, execution: Option<Execution>) {
        if let Some(execution) = execution {
            self.close_execution(station, call, execution, End::Undone);
        }
    }

    fn close_execution(&mut self, station: Station, call: u32, execution: Execution, end: End) {
        let (now, service) = (self.now, self.named(station));
        let mut operation = *self.world.calls.operation(call);
        let next = self.with_desk(service, |desk| desk.ended(now, execution, end, &mut operation));
        *self.world.calls.operation(call) = operation;
        match next {
            Next::Nobody => {}
            Next::Replays => {
                while let Some(who) = self.desk(service).next_replay() {
                    self.tell(who, Errand::Replays);
                }
            }
            Next::Executes(who, execution) => self.execute(who, execution),
        }
    }

    /// The attempt in the hands of a worker is gone.
    #[cold]
    pub(super) fn leave_operation(&mut self, worker: u32, notice: Notice) {
        let state = &mut self.world.workers[worker as usize];
        state.errand = Errand::Serves;
        let (station, call) = (state.station, state.call);
        let Some(part) = self.world.parts.get_mut(worker as usize) else { return };
        match (std::mem::replace(part, Part::None), notice) {
            (Part::Executes(execution), Notice::AtOnce) => {
                self.close_execution(station, call, execution, End::Undone);
            }
            (Part::Waits(place), _) => {
                let service = self.named(station);
                self.desk(service).leave(place);
            }
            (Part::None, _) | (Part::Executes(_), Notice::Never) => {}
        }
    }

    fn desk(&mut self, service: ServiceId) -> &mut Desk {
        let desk = self.world.desks[service.index()].as_mut();
        desk.expect("who executes an operation has a desk")
    }

    /// Asks or tells the desk, and notes what it has forgotten by now.
    fn with_desk<T>(&mut self, service: ServiceId, act: impl FnOnce(&mut Desk) -> T) -> T {
        let desk = self.desk(service);
        let before = desk.counts().expired;
        let answer = act(desk);
        let after = desk.counts().expired;
        for _ in before..after {
            self.observer.observe(self.now, Fact::KeyExpired { service });
        }
        answer
    }
}
