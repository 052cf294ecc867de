//! What clients do: send, wait, give up, try again.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::flights::Flight;
use super::state::{Owner, Station};
use crate::id::{ClientId, EdgeId};
use crate::model::{Edge, LateAnswers, Model};
use crate::observe::{CallId, Fact, Observer, Sending};
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
        let call = self.world.calls.open(id.into(), instance, self.now);
        let state = &mut self.world.clients[client as usize];
        state.arrived += 1;
        if state.needs_keys {
            self.world.calls.set_key(call, key);
        }
        self.observer.observe(self.now, Fact::Arrived { client: id, call: CallId(call) });
        if self.world.clients[client as usize].blocks.is_empty() || !self.is_blocked(client, key) {
            self.send_first(call);
        } else {
            self.observer.observe(self.now, Fact::Blocked { client: id, call: CallId(call) });
            self.fail(call, Failure::Unavailable, Hint::Absent);
        }
        self.world.calls.release(call);
    }

    /// The first attempt of a request leaves when it may.
    #[inline(always)]
    pub(super) fn send_first(&mut self, call: u32) {
        let edge = self.world.calls.edge(call);
        if self.world.edges[edge.index()].keeps_books {
            self.begin_by_the_books(call);
        } else {
            self.send(call);
        }
    }

    fn is_blocked(&self, client: u32, key: u64) -> bool {
        let blocks = self.world.clients[client as usize].blocks.iter();
        let let_through = super::state::left_by(blocks.copied());
        Sprout::of(key, 0, Draw::Block).uniform() >= let_through
    }

    /// The attempt that is due leaves for the service.
    #[inline(always)]
    fn send(&mut self, call: u32) {
        let (edge, attempt) = self.world.calls.edge_and_attempt(call);
        self.send_over(edge, call, attempt);
    }

    #[inline(always)]
    fn send_over(&mut self, edge: EdgeId, call: u32, attempt: u32) {
        let kind = if attempt == 0 { Sending::First } else { Sending::Retry };
        let to = self.world.edges[edge.index()].to;
        match self.dispatch(edge, to, call, attempt, kind) {
            Reception::Taken => {
                let state = &self.world.edges[edge.index()];
                if let Some(timeout) = state.timeout {
                    self.set_timer(call, timeout, Event::Timeout { call }, state.timeout_lane);
                }
            }
            Reception::TurnedAway(failure, hint) => self.attempt_failed(call, failure, hint),
        }
    }

    /// An attempt leaves for the service at the other end of `edge`.
    #[inline(always)]
    pub(super) fn dispatch(
        &mut self,
        edge: EdgeId,
        to: Station,
        call: u32,
        attempt: u32,
        kind: Sending,
    ) -> Reception {
        self.observer.observe(self.now, Fact::Sent { edge, call: CallId(call), attempt, kind });
        self.put_on_its_way(edge, to, call, attempt)
    }

    /// What has been said to be sent goes.
    #[inline(always)]
    pub(super) fn put_on_its_way(
        &mut self,
        edge: EdgeId,
        to: Station,
        call: u32,
        attempt: u32,
    ) -> Reception {
        let state = &self.world.edges[edge.index()];
        if state.is_direct {
            self.receive(to, call, attempt)
        } else {
            self.send_there(to, call, attempt);
            Reception::Taken
        }
    }

    #[inline(always)]
    pub(super) fn set_timer(&mut self, call: u32, delay: Span, event: Event, lane: Lane) {
        if let Some(sequence) = self.schedule(delay, event, lane) {
            self.world.calls.set_timer(call, sequence);
        }
    }

    /// The client gives up the attempt it waits for.
    #[inline(always)]
    pub(super) fn time_out(&mut self, call: u32) {
        let (edge, attempt) = self.world.calls.edge_and_attempt(call);
        self.observer.observe(self.now, Fact::TimedOut { edge, call: CallId(call), attempt });
        let state = &self.world.edges[edge.index()];
        let (to, plain) = (state.to, state.plain_retry);
        self.abandon(to, call, attempt);
        // What most clients do in most storms is worth its own way through.
        match plain {
            Some((max_retries, Span::ZERO))
                if attempt < max_retries && self.nothing_comes_before_a_retry() =>
            {
                self.world.calls.give_up_attempt(call);
                self.send_over(edge, call, attempt + 1);
            }
            Some(_) | None => self.attempt_failed(call, Failure::TimedOut, Hint::Absent),
        }
    }

    /// The attempt waited for has failed: the request is tried again or fails.
    #[inline(never)]
    pub(super) fn attempt_failed(&mut self, call: u32, failure: Failure, hint: Hint) {
        let edge = self.world.calls.edge(call);
        let attempt = self.world.calls.attempt(call);
        let state = &mut self.world.edges[edge.index()];
        let decision =
            match state.plain_retry {
                Some((max_retries, wait)) if failure == Failure::TimedOut => {
                    if attempt < max_retries { Decision::After(wait) } else { Decision::GiveUp }
                }
                Some(_) | None if state.keeps_books => {
                    // It left before a lever gave the client something to remember.
                    self.world.calls.kept(call).tries = attempt;
                    self.world.calls.give_up_attempt(call);
                    return self.try_failed(call, failure, hint, false);
                }
                Some(_) | None => {
                    let retry = &edge_at(self.model, state.owner).retry;
                    let mut memory = Memory::NOTHING;
                    retry.decide(attempt, failure, hint, &mut memory, &mut state.jitter)
                }
            };
        self.world.calls.give_up_attempt(call);
        self.follow(call, failure, hint, decision);
    }

    /// What has been decided about a request whose attempt has failed is done.
    pub(super) fn follow(&mut self, call: u32, failure: Failure, hint: Hint, decision: Decision) {
        match decision {
            Decision::GiveUp => self.fail(call, failure, hint),
            // After an answer at once, sending again from here would recurse into the next one.
            Decision::After(Span::ZERO)
                if failure == Failure::TimedOut && self.nothing_comes_before_a_retry() =>
            {
                self.retry_is_due(call);
            }
            Decision::After(wait) | Decision::GiveUpAfter(wait) => {
                let state = &self.world.edges[self.world.calls.edge(call).index()];
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
    #[inline(never)]
    pub(super) fn retry_is_due(&mut self, call: u32) {
        let edge = self.world.calls.edge(call);
        if self.world.edges[edge.index()].keeps_books {
            self.go_on_by_the_books(call);
        } else {
            self.send(call);
        }
    }

    /// Whether an answer to `attempt` would still be of use to the client.
    #[inline]
    pub(super) fn is_waited_for(&self, call: u32, attempt: u32) -> bool {
        self.world.calls.waits_for(call, attempt)
            || self.world.has_exceptions && self.is_waited_for_after_all(call, attempt)
    }

    /// Whether an answer to an attempt of another number than the next one would be of use.
    #[inline(never)]
    fn is_waited_for_after_all(&self, call: u32, attempt: u32) -> bool {
        let calls = &self.world.calls;
        if !calls.is_open(call) {
            return false;
        }
        let edge = calls.edge(call);
        match edge_at(self.model, self.world.edges[edge.index()].owner).late_answers {
            LateAnswers::Wasted => calls.is_out(call, attempt),
            LateAnswers::Accepted => true,
        }
    }

    /// An answer to `attempt` reaches the client.
    #[inline]
    pub(super) fn hear(&mut self, call: u32, attempt: u32, answer: Answer) {
        match answer {
            Answer::Success => {
                if self.is_waited_for(call, attempt) {
                    return self.succeed(call, attempt);
                }
            }
            Answer::Failure(failure, hint) => {
                if self.world.calls.waits_for(call, attempt) {
                    return self.attempt_failed(call, failure, hint);
                }
            }
        }
        if self.world.has_exceptions {
            self.hear_by_the_books(call, attempt, answer);
        }
    }

    #[inline]
    pub(super) fn succeed(&mut self, call: u32, attempt: u32) {
        let edge = self.world.calls.edge(call);
        let latency = self.now.since(self.world.calls.born(call));
        if self.world.edges[edge.index()].keeps_books {
            self.succeed_by_the_books(call, attempt);
        }
        let Some(client) = edge.client() else {
            return self.inner_ended(edge, call, Ok(()));
        };
        self.observer.observe(self.now, Fact::Succeeded { client, call: CallId(call), latency });
        self.world.clients[client.index()].succeeded += 1;
        self.end(client, call);
    }

    #[inline]
    pub(super) fn fail(&mut self, call: u32, failure: Failure, hint: Hint) {
        let edge = self.world.calls.edge(call);
        if self.world.edges[edge.index()].keeps_books {
            self.report_request(call, Outcome::Failed(failure));
        }
        let Some(client) = edge.client() else {
            return self.inner_ended(edge, call, Err((failure, hint)));
        };
        self.observer.observe(self.now, Fact::Failed { client, call: CallId(call) });
        self.end(client, call);
    }

    #[inline]
    fn end(&mut self, client: ClientId, call: u32) {
        if let Some(first) = self.world.clients[client.index()].first_user {
            let user = first + u32::from(self.world.calls.instance(call));
            self.user_thinks(user, self.world.calls.key(call));
        }
        self.world.calls.close(call);
    }

    /// When the client gives up an attempt that arrived at `arrived`, as its service reckons: what
    /// travels with an attempt is a length of time, and not an instant.
    #[inline]
    pub(super) fn deadline(&self, call: u32, attempt: u32, arrived: Time) -> Time {
        if let Some(flight) = self.world.calls.flight(call, attempt) {
            let Flight { until, departed, .. } = *self.world.calls.flights.get(flight);
            return if until == Time::NEVER { until } else { arrived + until.since(departed) };
        }
        let edge = self.world.calls.edge(call);
        match self.world.edges[edge.index()].timeout {
            Some(timeout) => arrived + timeout,
            None => Time::NEVER,
        }
    }
}

/// The edge of `owner` in `model`.
pub(super) fn edge_at(model: &Model, owner: Owner) -> &Edge {
    match owner {
        Owner::Client(client) => &model.clients[client.index()].edge,
        Owner::Service(service, nth) => &model.service(service).calls.list[usize::from(nth)].edge,
    }
}
