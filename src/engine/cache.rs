//! Callers that look aside: what is in their cache is not fetched, and what is being fetched is fetched
//! once.

use super::Run;
use super::agenda::Agenda;
use super::flights::{Flight, Stage};
use crate::id::EdgeId;
use crate::observe::{CallId, Fact, Guard, Observer};
use crate::policy::cache::{Answer, Fetch, Leader, Left, Store, Waiters};
use crate::policy::outcome::{Failure, Outcome};
use crate::policy::retry::Hint;
use crate::random::{Draw, Sprout};
use crate::time::Span;

/// Whether an attempt still has to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aside {
    /// It has.
    Goes,
    /// It is answered, or waits for what another one fetches.
    Stays,
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// An attempt is ready: is what it would fetch at hand?
    pub(super) fn look_aside(&mut self, flight: u32) -> Aside {
        let now = self.now;
        let Flight { call, attempt, .. } = *self.world.calls.flights.get(flight);
        if self.edge_of(call).cache.is_none() {
            return Aside::Goes;
        }
        // What a request asks for is fixed when it is born, and so the same for its retries.
        let mut bits = Sprout::of(self.world.calls.key(call), 0, Draw::CacheKey);
        let Some(store) = &mut self.memory(call).store else { return Aside::Goes };
        let key = store.draw(&mut bits);
        let answer = store.ask(now, key, flight);
        let edge = self.world.calls.edge(call);
        match answer {
            Answer::Hit => {
                self.observer.observe(now, Fact::Hit { edge, call: CallId(call) });
                self.succeed(call, attempt);
                Aside::Stays
            }
            Answer::Miss(fetch) => {
                self.world.calls.flights.get_mut(flight).fetch = Some(fetch);
                Aside::Goes
            }
            Answer::Waits(place) => {
                self.observer.observe(now, Fact::Coalesced { edge, call: CallId(call) });
                self.world.calls.flights.get_mut(flight).stage = Stage::Coalesced(place);
                self.limit_wait(flight);
                Aside::Stays
            }
        }
    }

    /// The time is over of an attempt that waits for what another one fetches.
    pub(super) fn leave_fetch(&mut self, flight: u32) {
        self.forget_fetch(flight);
        self.hold_back(flight, Guard::Cache, Failure::TimedOut);
    }

    /// An attempt that waits for what another one fetches does so no longer.
    pub(super) fn forget_fetch(&mut self, flight: u32) {
        let Flight { call, stage, .. } = *self.world.calls.flights.get(flight);
        if let (Stage::Coalesced(place), Some(store)) = (stage, &mut self.memory(call).store) {
            store.leave(place);
        }
    }

    /// An attempt that fetches has ended for its client; without an outcome, because nobody needs it
    /// any more.
    pub(super) fn tell_store(&mut self, flight: u32, outcome: Option<Outcome>) {
        let now = self.now;
        let Flight { call, stage, fetch: Some(fetch), .. } = *self.world.calls.flights.get(flight)
        else {
            return;
        };
        self.world.calls.flights.get_mut(flight).fetch = None;
        let Some(store) = &mut self.memory(call).store else { return };
        match outcome {
            Some(Outcome::Succeeded) => {
                let leader = match stage {
                    Stage::RunsOn | Stage::Fetches => Leader::Gone,
                    Stage::Throttled(_)
                    | Stage::InLine(_)
                    | Stage::Leaving
                    | Stage::Leads
                    | Stage::Told(_)
                    | Stage::Repeats
                    | Stage::Out
                    | Stage::Coalesced(_) => Leader::Waits,
                };
                let waiters = store.answered(now, fetch, leader);
                self.tell_waiters(call, waiters, None);
            }
            None | Some(Outcome::Failed(Failure::TimedOut)) => self.give_up_fetch(flight, fetch),
            Some(Outcome::Failed(failure)) => self.fail_fetch(call, fetch, failure),
        }
    }

    fn fail_fetch(&mut self, call: u32, fetch: Fetch, failure: Failure) {
        let Some(store) = &mut self.memory(call).store else { return };
        let waiters = store.failed(fetch);
        self.tell_waiters(call, waiters, Some(failure));
    }

    /// Whoever leads a fetch has given it up, and its service has not: the answer may still come.
    fn give_up_fetch(&mut self, flight: u32, fetch: Fetch) {
        let state = *self.world.calls.flights.get(flight);
        let call = state.call;
        let Some(store) = &mut self.memory(call).store else { return };
        match store.gave_up(fetch) {
            Left::RunsOn if matches!(state.stage, Stage::Out | Stage::RunsOn) => {}
            // What was never sent does not run on, and nobody is to wait for it.
            Left::RunsOn => return self.fail_fetch(call, fetch, Failure::TimedOut),
            Left::Fails(waiters) => {
                return self.tell_waiters(call, waiters, Some(Failure::TimedOut));
            }
            Left::NextLeads { who, fetch } => {
                self.world.calls.flights.get_mut(who).fetch = Some(fetch);
                return self.leave_after(who, Stage::Leads, Span::ZERO);
            }
        }
        let late = Flight {
            stage: Stage::Fetches,
            fetch: Some(fetch),
            ..Flight::ready(call, state.attempt, state.kind, state.ready)
        };
        self.world.calls.begin_flight(late);
    }

    /// What was fetched for one is there for all who waited for it, or has failed for all of them. They
    /// are told by the agenda and not from here: another copy of the same attempt may be among them.
    fn tell_waiters(&mut self, call: u32, mut waiters: Waiters, failure: Option<Failure>) {
        while let Some(store) = &mut self.memory(call).store
            && let Some(flight) = store.next_waiter(&mut waiters)
        {
            self.tell_at_once(flight, failure);
        }
    }

    /// An attempt hears what came of its wait.
    pub(super) fn flight_told(&mut self, flight: u32) {
        let Flight { call, attempt, stage, .. } = *self.world.calls.flights.get(flight);
        match stage {
            Stage::Told(None) => self.succeed(call, attempt),
            Stage::Told(Some(failure)) => self.flight_failed(flight, failure, Hint::Absent),
            Stage::Throttled(_)
            | Stage::InLine(_)
            | Stage::Leaving
            | Stage::Coalesced(_)
            | Stage::Leads
            | Stage::Repeats
            | Stage::Out
            | Stage::RunsOn
            | Stage::Fetches => unreachable!("it did not wait for another one"),
        }
    }

    /// Everything in the caches of an edge is lost.
    pub(super) fn flush_caches(&mut self, edge: EdgeId) {
        let memories = self.world.edges[edge.index()].memories.iter_mut();
        memories.filter_map(|memory| memory.store.as_mut()).for_each(Store::flush);
    }
}
