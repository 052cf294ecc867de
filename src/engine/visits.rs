//! Attempts at services that call others meanwhile: own work, then calls, step by step, then the rest
//! of the own work.
//!
//! A call is a request like any client's, over an edge with every policy of its own; it ends once,
//! and whoever made it is told, if it still waits. Ends that come while the service is frozen wait
//! until it thaws: a process that stands still reads no answers.

use super::Run;
use super::agenda::Agenda;
use super::calls::{Sub, Whereabouts};
use super::client::Answer;
use super::flights::NOBODY;
use super::state::{Errand, HELD, IDLE, Owner, Station, Worker};
use crate::id::EdgeId;
use crate::model::{InnerCall, Meanwhile, Need, Notice, OnAbandon, PassedOn};
use crate::observe::{CallId, Fact, Observer, Place};
use crate::policy::effect::Execution;
use crate::policy::limit::Outcome;
use crate::policy::outcome::Failure;
use crate::policy::retry::Hint;
use crate::random::{Bits, Draw, Sprout};
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// An attempt at a service that calls others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) call: u32,
    pub(super) attempt: u32,
    pub(super) station: Station,
    /// The worker that serves it or waits with it; [`NOBODY`] if none does.
    pub(super) worker: u32,
    admitted: Time,
    /// Own work that has been done, and that comes after the calls.
    done: Span,
    left: Span,
    /// The first of the calls that have not been made.
    next_call: u16,
    /// Calls whose end must be waited for.
    pending: u32,
    /// The first of the calls that have not ended.
    first_child: u32,
    /// When whoever sent the attempt gives it up, where any call is told.
    until: Time,
    /// What it executes, where that is counted.
    execution: Option<Execution>,
    /// Tells it from others in the same slot.
    stamp: u64,
}

/// Which visit, and no other that may have its slot by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VisitId {
    slot: u32,
    stamp: u64,
}

/// How a call has ended.
pub(super) type End = Result<(), (Failure, Hint)>;

/// All of them, in a slab.
#[derive(Clone, Debug, Default)]
pub(super) struct Visits {
    slots: Vec<Visit>,
    free: Vec<u32>,
    begun: u64,
}

/// In place of a stamp: nobody is in the slot.
const VACANT: u64 = u64::MAX;

impl Visits {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.begun = 0;
    }

    #[inline(always)]
    fn begin(&mut self, visit: Visit) -> u32 {
        let visit = Visit { stamp: self.begun, ..visit };
        self.begun += 1;
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = visit;
            return slot;
        }
        self.slots.push(visit);
        self.slots.len() as u32 - 1
    }

    fn end(&mut self, slot: u32) {
        self.slots[slot as usize].stamp = VACANT;
        self.free.push(slot);
    }

    fn get(&self, slot: u32) -> &Visit {
        &self.slots[slot as usize]
    }

    fn get_mut(&mut self, slot: u32) -> &mut Visit {
        &mut self.slots[slot as usize]
    }

    fn id(&self, slot: u32) -> VisitId {
        VisitId { slot, stamp: self.get(slot).stamp }
    }

    fn is_alive(&self, id: VisitId) -> bool {
        self.get(id.slot).stamp == id.stamp
    }
}

impl<'a, A: Agenda, O: Observer> Run<'a, A, O> {
    /// A worker begins an attempt for which its service calls others.
    #[inline(never)]
    pub(super) fn begin_visit(&mut self, worker: u32) {
        let Worker { station, call, attempt, admitted, work, .. } =
            self.world.workers[worker as usize];
        let state = &self.world.stations[station.index()];
        let is_noticed = state.on_abandon != OnAbandon::Ignores;
        let passes_time_on = state.passes_time_on;
        let before = self.model.service(state.of).calls.work_before;
        let first = if before == Fraction::ONE {
            work
        } else {
            Span::from_nanos_f64(work.as_nanos() as f64 * before.as_f64())
        };
        let until =
            if passes_time_on { self.deadline(call, attempt, admitted) } else { Time::NEVER };
        let execution = self.take_execution(worker);
        let visit = self.world.visits.begin(Visit {
            call,
            attempt,
            station,
            worker,
            admitted,
            done: Span::ZERO,
            left: work.saturating_sub(first),
            next_call: 0,
            pending: 0,
            first_child: NOBODY,
            until,
            execution,
            stamp: VACANT,
        });
        if is_noticed {
            self.world.calls.set_place(call, attempt, Whereabouts::Visit(visit));
        }
        let state = &mut self.world.workers[worker as usize];
        (state.errand, state.work) = (Errand::Visit(visit), first);
        self.run_for(worker, first);
    }

    /// A worker works for a visit.
    fn work_on(&mut self, visit: u32, worker: u32, work: Span) {
        let state = &mut self.world.workers[worker as usize];
        state.errand = Errand::Visit(visit);
        state.work = work;
        self.world.visits.get_mut(visit).worker = worker;
        self.run_for(worker, work);
    }

    /// A worker has done its part of a visit for now.
    #[inline(never)]
    pub(super) fn visit_worked(&mut self, worker: u32, visit: u32) {
        let work = self.world.workers[worker as usize].work;
        let station = self.world.workers[worker as usize].station;
        let calls = &self.policy(station).calls;
        let state = self.world.visits.get_mut(visit);
        state.done += work;
        if usize::from(state.next_call) == calls.list.len() {
            return self.finish_visit(visit, None);
        }
        match calls.meanwhile {
            Meanwhile::HoldsWorker => self.world.workers[worker as usize].completion = HELD,
            Meanwhile::FreesWorker => {
                state.worker = NOBODY;
                self.let_go(worker);
                self.world.stations[station.index()].away += 1;
            }
        }
        self.next_step(visit);
    }

    /// A worker has nothing to do with a visit any more.
    fn let_go(&mut self, worker: u32) {
        let state = &mut self.world.workers[worker as usize];
        let station = state.station;
        (state.completion, state.errand) = (IDLE, Errand::Serves);
        self.free(worker);
        self.expect_hand_over(station);
    }

    /// Makes the calls of the next steps, up to one that has to be waited for.
    fn next_step(&mut self, visit: u32) {
        let Visit { station, stamp, .. } = *self.world.visits.get(visit);
        let list = &self.policy(station).calls.list;
        let id = VisitId { slot: visit, stamp };
        loop {
            let state = self.world.visits.get_mut(visit);
            let first = usize::from(state.next_call);
            let Some(call) = list.get(first) else { return self.calls_are_through(visit) };
            let same = list[first..].iter().take_while(|other| other.step == call.step).count();
            state.next_call = (first + same) as u16;
            // One more than there are: what ends at once must not begin the next step from within.
            state.pending = 1;
            for (nth, call) in (first..).zip(&list[first..first + same]) {
                for copy in 0..call.copies.get() {
                    self.call_out(visit, nth, call, copy);
                    if !self.world.visits.is_alive(id) {
                        return;
                    }
                }
            }
            let state = self.world.visits.get_mut(visit);
            state.pending -= 1;
            if state.pending > 0 {
                return;
            }
        }
    }

    /// Makes one call, if it is made for this attempt at all.
    #[inline(always)]
    fn call_out(&mut self, visit: u32, nth: usize, policy: &InnerCall, copy: u16) {
        let state = self.world.visits.get(visit);
        let (call, attempt, station) = (state.call, state.attempt, state.station);
        let index = self.world.stations[station.index()].first_edge as usize + nth;
        let edge = EdgeId::between_services(index);
        let salt = self.world.edges[index].salt;
        let root = Sprout::of(self.world.calls.key(call), attempt, Draw::Calls).bits();
        let key = Sprout::new(root ^ salt, u64::from(copy)).bits();
        if policy.share != Fraction::ONE
            && Sprout::of(key, 0, Draw::Calls).uniform() >= policy.share.as_f64()
        {
            return;
        }
        let class = self.class_of(call);
        let state = self.world.visits.get_mut(visit);
        let until = match policy.deadline {
            PassedOn::Kept => Time::NEVER,
            PassedOn::PassedOn => state.until,
        };
        let sub = Sub { visit, next: state.first_child, class, until };
        let child = self.world.calls.open_inner(edge, self.now, key, sub);
        state.first_child = child;
        state.pending += 1;
        self.observer.observe(self.now, Fact::Called { edge, call: CallId(child) });
        self.send_first(child);
        self.world.calls.release(child);
    }

    /// The request for which a service has made this one; none if it waits for it no more.
    pub(super) fn made_for(&self, call: u32) -> Option<u32> {
        let visit = self.world.calls.sub(call).visit;
        (visit != NOBODY).then(|| self.world.visits.get(visit).call)
    }

    /// A call has ended for whoever made it.
    pub(super) fn inner_ended(&mut self, edge: EdgeId, call: u32, end: End) {
        let answered = end.is_ok();
        self.observer.observe(self.now, Fact::Returned { edge, call: CallId(call), answered });
        self.world.calls.close(call);
        // Attempts of it may go on, and what is made for them must not take another visit for the one that
        // this was made for.
        let Sub { visit, next, .. } = self.world.calls.leave_visit(call);
        if visit == NOBODY {
            return;
        }
        self.take_child(visit, call, next);
        let state = self.world.visits.get(visit);
        let id = VisitId { slot: visit, stamp: state.stamp };
        let station = &mut self.world.stations[state.station.index()];
        if station.health.freezes > 0 {
            station.unread.push((id, edge, end));
        } else {
            self.child_ended(visit, edge, end);
        }
    }

    /// The service thaws, and reads what has come meanwhile.
    pub(super) fn read_answers(&mut self, station: Station) {
        let unread = std::mem::take(&mut self.world.stations[station.index()].unread);
        for (id, edge, end) in unread {
            if self.world.visits.is_alive(id) {
                self.child_ended(id.slot, edge, end);
            }
        }
    }

    fn child_ended(&mut self, visit: u32, edge: EdgeId, end: End) {
        let state = self.world.visits.get_mut(visit);
        state.pending -= 1;
        let (station, pending, made) = (state.station, state.pending, usize::from(state.next_call));
        if let Err((_, hint)) = end
            && self.inner_call(edge).need == Need::Needed
        {
            return self.call_failed(visit, edge, hint);
        }
        if pending > 0 {
            return;
        }
        if made == self.policy(station).calls.list.len() {
            self.calls_are_through(visit);
        } else {
            self.next_step(visit);
        }
    }

    /// A call without which the attempt cannot be served has failed.
    #[inline(never)]
    fn call_failed(&mut self, visit: u32, edge: EdgeId, hint: Hint) {
        let hint = match (self.inner_call(edge).guidance, hint) {
            (PassedOn::PassedOn, Hint::Never) => hint,
            (PassedOn::PassedOn | PassedOn::Kept, _) => Hint::Absent,
        };
        self.drop_children(visit);
        self.finish_visit(visit, Some(hint));
    }

    /// All calls have ended: the rest of the own work is next.
    fn calls_are_through(&mut self, visit: u32) {
        let state = self.world.visits.get_mut(visit);
        let Visit { left, worker, station, stamp, .. } = *state;
        if left.is_zero() {
            self.finish_visit(visit, None);
        } else if worker == NOBODY {
            let station_state = &mut self.world.stations[station.index()];
            station_state.resumed.push_back(VisitId { slot: visit, stamp });
            self.expect_hand_over(station);
        } else {
            state.left = Span::ZERO;
            self.work_on(visit, worker, left);
        }
    }

    /// An idle worker goes on with the first of the visits that wait for one, if there is one.
    #[inline]
    pub(super) fn resume_visit(&mut self, station: Station) -> bool {
        while let Some(id) = self.world.stations[station.index()].resumed.pop_front() {
            if !self.world.visits.is_alive(id) {
                continue;
            }
            let state = &mut self.world.stations[station.index()];
            let worker = state.idle.pop().expect("a visit is resumed by an idle worker");
            state.one_more_busy(self.now);
            state.away -= 1;
            let left = std::mem::take(&mut self.world.visits.get_mut(id.slot).left);
            let Visit { call, attempt, admitted, .. } = *self.world.visits.get(id.slot);
            let began = self.world.sequence;
            let state = &mut self.world.workers[worker as usize];
            (state.call, state.attempt) = (call, attempt);
            (state.admitted, state.began) = (admitted, began);
            self.work_on(id.slot, worker, left);
            return true;
        }
        false
    }

    /// The attempt has been served, or one of the calls that it needs has failed: then what is told
    /// about trying again.
    fn finish_visit(&mut self, visit: u32, failed: Option<Hint>) {
        let Visit { call, attempt, station, worker, admitted, done, execution, .. } =
            *self.world.visits.get(visit);
        let guarded = self.world.stations[station.index()].is_guarded;
        if guarded {
            self.learn(station, admitted, Outcome::Answered);
        }
        let answer = match failed {
            Some(hint) => {
                self.undo(station, call, execution);
                Answer::Failure(Failure::Error, hint)
            }
            None if guarded => self.outcome(station, call, attempt, execution),
            None => Answer::Success,
        };
        self.world.calls.forget_place(call, attempt);
        self.world.visits.end(visit);
        self.served(station, call, attempt, done, answer);
        self.leave(station, worker);
    }

    /// Whoever worked on a visit is free.
    fn leave(&mut self, station: Station, worker: u32) {
        if worker == NOBODY {
            self.world.stations[station.index()].away -= 1;
        } else {
            self.let_go(worker);
        }
    }

    /// Its client has given up an attempt, and the service stops with it.
    pub(super) fn withdraw_visit(&mut self, visit: u32) {
        let Visit { call, attempt, station, worker, execution, .. } = *self.world.visits.get(visit);
        self.drop_children(visit);
        self.world.visits.end(visit);
        self.undo(station, call, execution);
        self.say_withdrawn(station, call, attempt, Place::Worker);
        self.leave(station, worker);
        self.world.calls.release(call);
    }

    /// The service is gone, and everything that it has begun.
    pub(super) fn lose_visits(&mut self, station: Station, notice: Notice) {
        let slots = 0..self.world.visits.slots.len() as u32;
        let here = |slot: &u32| {
            let visit = self.world.visits.get(*slot);
            visit.stamp != VACANT && visit.station == station
        };
        let mut lost: Vec<VisitId> =
            slots.filter(here).map(|slot| self.world.visits.id(slot)).collect();
        lost.sort_by_key(|id| id.stamp);
        for id in lost {
            // A client that is told of one may withdraw another.
            if !self.world.visits.is_alive(id) {
                continue;
            }
            let Visit { call, attempt, worker, execution, .. } = *self.world.visits.get(id.slot);
            self.drop_children(id.slot);
            self.world.visits.end(id.slot);
            match notice {
                Notice::AtOnce => self.undo(station, call, execution),
                Notice::Never => {}
            }
            self.leave(station, worker);
            self.lose(station, call, attempt, Place::Worker, notice);
        }
    }

    /// Nobody waits any more for what a visit has called.
    fn drop_children(&mut self, visit: u32) {
        let mut next = std::mem::replace(&mut self.world.visits.get_mut(visit).first_child, NOBODY);
        while next != NOBODY {
            let child = next;
            let sub = self.world.calls.sub_mut(child);
            next = sub.next;
            sub.visit = NOBODY;
            let edge = self.world.calls.edge(child);
            match self.inner_call(edge).cancellation {
                PassedOn::Kept => {}
                PassedOn::PassedOn => self.cancel(edge, child),
            }
        }
    }

    /// A call that nobody waits for is withdrawn.
    fn cancel(&mut self, edge: EdgeId, call: u32) {
        if self.world.edges[edge.index()].keeps_books {
            self.close_books(call);
            if let Some(pass) = self.world.calls.kept(call).pass.take() {
                self.hand_back(call, pass);
            }
        } else {
            let (to, attempt) = (self.world.edges[edge.index()].to, self.world.calls.attempt(call));
            self.abandon(to, call, attempt);
        }
        self.inner_ended(edge, call, Err((Failure::TimedOut, Hint::Absent)));
    }

    /// Takes a call out of those that a visit waits for.
    #[inline]
    fn take_child(&mut self, visit: u32, call: u32, next: u32) {
        let state = self.world.visits.get_mut(visit);
        if state.first_child == call {
            state.first_child = next;
            return;
        }
        let mut before = state.first_child;
        while self.world.calls.sub(before).next != call {
            before = self.world.calls.sub(before).next;
        }
        self.world.calls.sub_mut(before).next = next;
    }

    /// The call of which this is the edge.
    fn inner_call(&self, edge: EdgeId) -> &'a InnerCall {
        match self.world.edges[edge.index()].owner {
            Owner::Service(service, nth) => {
                &self.model.service(service).calls.list[usize::from(nth)]
            }
            Owner::Client(_) => unreachable!("clients make requests, services make calls"),
        }
    }
}
