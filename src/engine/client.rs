//! What clients do: send, wait, give up, try again.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use crate::id::ClientId;
use crate::model::{LateAnswers, Scope};
use crate::observe::{CallId, Fact, Observer};
use crate::policy::budget::{Ledger, Permission};
use crate::policy::retry::{Decision, Failure};
use crate::random::{Bits, Draw, Sprout};
use crate::time::{Span, Time};

/// What a service says to an attempt in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// What the client wanted.
    Success,
    /// That it has failed.
    Failure(Failure),
}

/// What becomes of an attempt as it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reception {
    /// It waits or is being served, or has vanished without a word.
    Taken,
    /// It is answered at once.
    TurnedAway(Failure),
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// A fresh request: its first attempt is sent.
    pub(super) fn request(&mut self, client: u32, instance: u16, key: u64) {
        let id = ClientId(client as u16);
        let call = self.world.calls.open(id, instance, self.now);
        let state = &mut self.world.clients[client as usize];
        state.arrived += 1;
        if state.needs_keys {
            self.world.calls.set_key(call, key);
        }
        self.observer.observe(self.now, Fact::Arrived { client: id, call: CallId(call) });
        if self.world.clients[client as usize].blocks.is_empty() || !self.is_blocked(client, key) {
            let now = self.now;
            if let Some(ledger) = self.ledger(call) {
                ledger.deposit(now);
            }
            self.send(call);
        } else {
            self.observer.observe(self.now, Fact::Blocked { client: id, call: CallId(call) });
            self.fail(call);
        }
        self.world.calls.release(call);
    }

    fn is_blocked(&self, client: u32, key: u64) -> bool {
        let blocks = self.world.clients[client as usize].blocks.iter();
        let let_through = super::state::left_by(blocks.copied());
        Sprout::of(key, 0, Draw::Block).uniform() >= let_through
    }

    /// The ledger of the budget that this request's retries are charged to.
    #[inline]
    fn ledger(&mut self, call: u32) -> Option<&mut Ledger> {
        let client = self.world.calls.client(call).index();
        let ledgers = &mut self.world.clients[client].ledgers;
        if ledgers.is_empty() {
            return None;
        }
        let index = match self.model.clients[client].edge.budget_scope {
            Scope::Shared => 0,
            Scope::PerInstance => usize::from(self.world.calls.instance(call)),
        };
        ledgers.get_mut(index)
    }

    /// The attempt that is due leaves for the service.
    #[inline]
    fn send(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        let attempt = self.world.calls.attempt(call);
        let edge = &self.model.clients[client.index()].edge;
        self.observer.observe(self.now, Fact::Sent { client, call: CallId(call), attempt });
        let reception = if self.world.clients[client.index()].network.is_nothing {
            self.receive(edge.to, call, attempt)
        } else {
            self.send_there(call, attempt);
            Reception::Taken
        };
        match reception {
            Reception::Taken => {
                if let Some(timeout) = edge.timeout {
                    let lane = self.world.clients[client.index()].timeout_lane;
                    self.set_timer(call, timeout, Event::Timeout { call }, lane);
                }
            }
            Reception::TurnedAway(failure) => self.attempt_failed(call, failure),
        }
    }

    #[inline]
    fn set_timer(&mut self, call: u32, delay: Span, event: Event, lane: Lane) {
        if let Some(sequence) = self.schedule(delay, event, lane) {
            self.world.calls.set_timer(call, sequence);
            self.world.calls.retain(call);
        }
    }

    /// The client gives up the attempt it waits for.
    pub(super) fn time_out(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        let attempt = self.world.calls.attempt(call);
        self.observer.observe(self.now, Fact::TimedOut { client, call: CallId(call), attempt });
        let to = self.model.clients[client.index()].edge.to;
        self.abandon(to, call, attempt);
        self.attempt_failed(call, Failure::TimedOut);
        self.world.calls.release(call);
    }

    /// The attempt waited for has failed: the request is tried again or fails.
    #[inline]
    fn attempt_failed(&mut self, call: u32, failure: Failure) {
        let client = self.world.calls.client(call);
        let retry = &self.model.clients[client.index()].edge.retry;
        let decision = retry.decide(self.world.calls.attempt(call), failure);
        self.world.calls.give_up_attempt(call);
        match decision {
            Decision::GiveUp => self.fail(call),
            // After an answer at once, sending again from here would recurse into the next one.
            Decision::After(Span::ZERO)
                if failure == Failure::TimedOut && self.nothing_comes_before_a_retry() =>
            {
                self.retry(call);
            }
            Decision::After(wait) => {
                let state = &self.world.clients[client.index()];
                let lane = match failure {
                    Failure::Refused if retry.after_refusal.is_some() => state.refusal_lane,
                    Failure::TimedOut
                    | Failure::Refused
                    | Failure::Error
                    | Failure::Reset
                    | Failure::Unavailable => state.retry_lane,
                };
                self.set_timer(call, wait, Event::RetryDue { call }, lane);
            }
        }
    }

    /// The wait before a retry is over.
    pub(super) fn retry_is_due(&mut self, call: u32) {
        self.retry(call);
        self.world.calls.release(call);
    }

    #[inline]
    fn retry(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        let now = self.now;
        let permission = match self.ledger(call) {
            Some(ledger) => ledger.withdraw(now),
            None => Permission::Granted,
        };
        match permission {
            Permission::Granted => self.send(call),
            Permission::Denied => {
                self.observer.observe(self.now, Fact::BudgetDenied { client, call: CallId(call) });
                self.fail(call);
            }
        }
    }

    /// Whether an answer to `attempt` would still be of use to the client.
    #[inline]
    pub(super) fn is_waited_for(&self, call: u32, attempt: u32) -> bool {
        self.world.calls.waits_for(call, attempt) || self.takes_late_answers(call)
    }

    #[inline]
    fn takes_late_answers(&self, call: u32) -> bool {
        let client = self.world.calls.client(call);
        match self.model.clients[client.index()].edge.late_answers {
            LateAnswers::Wasted => false,
            LateAnswers::Accepted => self.world.calls.is_open(call),
        }
    }

    /// An answer to `attempt` reaches the client.
    #[inline]
    pub(super) fn hear(&mut self, call: u32, attempt: u32, answer: Answer) {
        match answer {
            Answer::Success if self.is_waited_for(call, attempt) => self.succeed(call),
            Answer::Failure(failure) if self.world.calls.waits_for(call, attempt) => {
                self.attempt_failed(call, failure);
            }
            Answer::Success | Answer::Failure(_) => {}
        }
    }

    #[inline]
    fn succeed(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        let latency = self.now.since(self.world.calls.born(call));
        self.observer.observe(self.now, Fact::Succeeded { client, call: CallId(call), latency });
        self.world.clients[client.index()].succeeded += 1;
        self.end(client, call);
    }

    #[inline]
    fn fail(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        self.observer.observe(self.now, Fact::Failed { client, call: CallId(call) });
        self.end(client, call);
    }

    #[inline]
    fn end(&mut self, client: ClientId, call: u32) {
        self.world.calls.close(call);
        if let Some(first) = self.world.clients[client.index()].first_user {
            let user = first + u32::from(self.world.calls.instance(call));
            self.user_thinks(user, self.world.calls.key(call));
        }
    }

    /// When the client gives up an attempt that arrived at `arrived`, as its service reckons: what
    /// travels with an attempt is a length of time, and not an instant.
    #[inline]
    pub(super) fn deadline(&self, call: u32, arrived: Time) -> Time {
        let client = self.world.calls.client(call);
        match self.model.clients[client.index()].edge.timeout {
            Some(timeout) => arrived + timeout,
            None => Time::NEVER,
        }
    }
}
