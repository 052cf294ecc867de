//! What clients do: send, wait, give up, try again.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::calls::Kept;
use crate::id::ClientId;
use crate::model::Arrivals;
use crate::observe::{CallId, Fact, Observer};
use crate::policy::retry::{Decision, Failure, Hint, Memory};
use crate::random::Bits;
use crate::time::{Span, Time};

/// What a service says to an attempt on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reception {
    /// It waits or is being served.
    Taken,
    /// It may not wait.
    Refused,
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    pub(super) fn schedule_first_arrivals(&mut self) {
        for client in 0..self.model.clients.len() as u32 {
            self.schedule_arrival(client);
        }
    }

    #[inline]
    fn schedule_arrival(&mut self, client: u32) {
        let state = &mut self.world.clients[client as usize];
        let gap = match self.model.clients[client as usize].arrivals {
            Arrivals::Poisson(rate) => {
                Span::from_nanos_f64(state.arrivals.exponential() * rate.mean_gap_nanos())
            }
            Arrivals::Even(rate) => {
                // From the number of the arrival and not from the one before: no error adds up.
                let at = Span::from_nanos_f64(state.arrived as f64 * rate.mean_gap_nanos());
                (Time::ZERO + at).since(self.now)
            }
        };
        state.arrived += 1;
        let lane = state.arrival_lane;
        self.schedule(gap, Event::Arrival { client }, lane);
    }

    /// A fresh request arrives and its first attempt is sent.
    pub(super) fn arrive(&mut self, client: u32) {
        self.schedule_arrival(client);
        let id = ClientId(client as u16);
        let call = self.world.calls.open(id, self.now);
        let state = &mut self.world.clients[client as usize];
        if state.work_is_random {
            let key = state.work.bits();
            self.world.calls.set_work_key(call, key);
        }
        if let Some(ledger) = &mut state.ledger {
            ledger.first_sent(self.now);
        }
        if state.keeps_books {
            self.world.calls.keep(call, Kept::nothing());
        }
        self.observer.observe(self.now, Fact::Arrived { client: id, call: CallId(call) });
        self.send(call);
        self.world.calls.release(call);
    }

    /// The attempt that is due leaves for the service.
    #[inline]
    fn send(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        let attempt = self.world.calls.attempt(call);
        let edge = &self.model.clients[client.index()].edge;
        self.observer.observe(self.now, Fact::Sent { client, call: CallId(call), attempt });
        match self.receive(edge.to, call, attempt) {
            Reception::Taken => {
                if let Some(timeout) = edge.timeout {
                    let lane = self.world.clients[client.index()].timeout_lane;
                    self.set_timer(call, timeout, Event::Timeout { call }, lane);
                }
            }
            Reception::Refused => self.attempt_failed(call, Failure::Refused),
        }
    }

    #[inline]
    fn set_timer(&mut self, call: u32, delay: Span, event: Event, lane: Lane) {
        if self.schedule(delay, event, lane) {
            self.world.calls.set_timer(call, self.now + delay);
            self.world.calls.retain(call);
        }
    }

    /// The client gives up the attempt it waits for.
    pub(super) fn time_out(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        let attempt = self.world.calls.attempt(call);
        self.observer.observe(self.now, Fact::TimedOut { client, call: CallId(call), attempt });
        self.attempt_failed(call, Failure::TimedOut);
        self.world.calls.release(call);
    }

    /// The attempt waited for has failed: the request is tried again or fails.
    #[inline]
    fn attempt_failed(&mut self, call: u32, failure: Failure) {
        let client = self.world.calls.client(call);
        let state = &mut self.world.clients[client.index()];
        let decision = if state.keeps_books {
            self.decide_by_the_books(call, failure)
        } else {
            let retry = &self.model.clients[client.index()].edge.retry;
            let attempt = self.world.calls.attempt(call);
            let bits = &mut state.jitter;
            retry.decide(attempt, failure, Hint::Absent, &mut Memory::default(), bits)
        };
        self.world.calls.give_up_attempt(call);
        match decision {
            Decision::GiveUp => self.fail(call),
            // Sending a refused request again from here would recurse into its next refusal.
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
        let state = &self.world.clients[client.index()];
        if state.keeps_books && self.is_stopped_by_the_books(call) {
            return self.fail(call);
        }
        self.send(call);
    }

    fn fail(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        self.observer.observe(self.now, Fact::Failed { client, call: CallId(call) });
        self.world.calls.close(call);
    }

    /// An answer to `attempt` reaches the client: whether it was waited for.
    #[inline]
    pub(super) fn is_waited_for(&self, call: u32, attempt: u32) -> bool {
        self.world.calls.waits_for(call, attempt)
    }

    /// The answer that was waited for is there.
    #[inline]
    pub(super) fn succeed(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        let latency = self.now.since(self.world.calls.born(call));
        if self.world.clients[client.index()].keeps_books {
            self.enter_success_in_the_books(call);
        }
        self.observer.observe(self.now, Fact::Succeeded { client, call: CallId(call), latency });
        self.world.calls.close(call);
    }

    /// When the client gives up `attempt`, sent at `sent`.
    #[inline]
    pub(super) fn deadline(&self, call: u32, sent: Time) -> Time {
        let client = self.world.calls.client(call);
        match self.model.clients[client.index()].edge.timeout {
            Some(timeout) => sent + timeout,
            None => Time::NEVER,
        }
    }
}
