//! What clients do: send, wait, give up, try again.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use crate::id::ClientId;
use crate::model::LateAnswers;
use crate::observe::{CallId, Fact, Observer};
use crate::policy::outcome::Outcome;
use crate::policy::retry::{Decision, Failure, Hint, Memory};
use crate::random::{Bits, Draw, Sprout};
use crate::time::{Span, Time};

/// What a service says to an attempt in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// What the client wanted.
    Success,
    /// That it has failed, and what the service says about trying again.
    Failure(Failure, Hint),
}

/// What becomes of an attempt as it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reception {
    /// It waits or is being served, or has vanished without a word.
    Taken,
    /// It is answered at once.
    TurnedAway(Failure, Hint),
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
            if self.world.clients[client as usize].keeps_books {
                self.begin_by_the_books(call);
            } else {
                self.send(call);
            }
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

    /// The attempt that is due leaves for the service.
    #[inline]
    pub(super) fn send(&mut self, call: u32) {
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
                let lane = self.world.clients[client.index()].timeout_lane;
                let timeout = if edge.deadline.is_some() {
                    self.timeout_by_the_books(call)
                } else {
                    edge.timeout
                };
                if let Some(timeout) = timeout {
                    self.set_timer(call, timeout, Event::Timeout { call }, lane);
                }
            }
            Reception::TurnedAway(failure, hint) => self.attempt_failed(call, failure, hint),
        }
    }

    #[inline]
    pub(super) fn set_timer(&mut self, call: u32, delay: Span, event: Event, lane: Lane) {
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
        self.attempt_failed(call, Failure::TimedOut, Hint::Absent);
        self.world.calls.release(call);
    }

    /// The attempt waited for has failed: the request is tried again or fails.
    #[inline]
    pub(super) fn attempt_failed(&mut self, call: u32, failure: Failure, hint: Hint) {
        let client = self.world.calls.client(call);
        let state = &mut self.world.clients[client.index()];
        let decision = if let Some((max_retries, wait)) =
            state.plain_retry.filter(|_| failure == Failure::TimedOut)
        {
            let retries = self.world.calls.attempt(call);
            if retries < max_retries { Decision::After(wait) } else { Decision::GiveUp }
        } else if state.keeps_books {
            self.decide_by_the_books(call, failure, hint)
        } else {
            let retry = &self.model.clients[client.index()].edge.retry;
            let attempt = self.world.calls.attempt(call);
            let bits = &mut state.jitter;
            retry.decide(attempt, failure, hint, &mut Memory::default(), bits)
        };
        self.world.calls.give_up_attempt(call);
        match decision {
            Decision::GiveUp => self.fail(call),
            // After an answer at once, sending again from here would recurse into the next one.
            Decision::After(Span::ZERO)
                if failure == Failure::TimedOut && self.nothing_comes_before_a_retry() =>
            {
                self.retry(call);
            }
            Decision::After(wait) | Decision::GiveUpAfter(wait) => {
                let state = &self.world.clients[client.index()];
                let lane = match failure {
                    Failure::Refused => state.refusal_lane,
                    Failure::TimedOut | Failure::Error | Failure::Reset | Failure::Unavailable => {
                        state.retry_lane
                    }
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
        if self.world.clients[client.index()].keeps_books {
            self.go_on_by_the_books(call);
        } else {
            self.send(call);
        }
    }

    /// Whether an answer to `attempt` would still be of use to the client.
    #[inline]
    pub(super) fn is_waited_for(&self, call: u32, attempt: u32) -> bool {
        self.world.calls.waits_for(call, attempt)
            || self.world.takes_late_answers && self.takes_late_answers(call)
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
            Answer::Success => {
                if self.is_waited_for(call, attempt) {
                    self.succeed(call);
                }
            }
            Answer::Failure(failure, hint) => {
                if self.world.calls.waits_for(call, attempt) {
                    self.attempt_failed(call, failure, hint);
                }
            }
        }
    }

    #[inline]
    pub(super) fn succeed(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        let latency = self.now.since(self.world.calls.born(call));
        if self.world.clients[client.index()].keeps_books {
            self.enter_in_the_books(call, Outcome::Succeeded);
        }
        self.observer.observe(self.now, Fact::Succeeded { client, call: CallId(call), latency });
        self.world.clients[client.index()].succeeded += 1;
        self.end(client, call);
    }

    #[inline]
    pub(super) fn fail(&mut self, call: u32) {
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
