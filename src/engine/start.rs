//! What there is when a run begins.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::calls::Kept;
use crate::id::{ClientId, EdgeId};
use crate::model::{Client, Sent};
use crate::observe::{CallId, Fact, Observer, Sending};
use crate::policy::retry::Failure;
use crate::random::{Bits, Sprout, Stream};
use crate::time::Span;

/// The requests of one client that are under way at the start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowd {
    root: u64,
    over: Span,
}

impl Crowd {
    /// Of a client whose requests draw `keys`: from a number of their own, so that those who come anyway keep
    /// theirs. `window` is what retries are spread over where there is no timeout.
    pub(super) fn new(keys: &Stream, client: &Client, window: Span) -> Self {
        Self { root: keys.clone().bits(), over: client.edge.timeout.unwrap_or(window) }
    }

    /// The key of fresh request number `nth`.
    pub(super) fn fresh_key(self, nth: u32) -> u64 {
        Sprout::new(self.root, u64::from(nth)).bits()
    }

    /// The key of number `nth` of so many requests that come `again`, and how long after the start it does.
    pub(super) fn coming_again(self, nth: u32, again: u32) -> (u64, Span) {
        let share = (f64::from(nth) + 0.5) / f64::from(again);
        let after = Span::from_nanos_f64(self.over.as_nanos() as f64 * share);
        (Sprout::new(!self.root, u64::from(nth)).bits(), after)
    }
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// Before anything else happens, what the model has under way at the start is sent.
    pub(super) fn send_start(&mut self) {
        if self.model.start.is_empty() {
            return;
        }
        for (index, Sent { fresh, again }) in self.model.sent_at_start().into_iter().enumerate() {
            let client = &self.model.clients[index];
            let crowd = Crowd::new(&self.world.clients[index].keys, client, self.model.window);
            for nth in 0..fresh {
                self.request_of_next_instance(index as u32, crowd.fresh_key(nth));
            }
            for nth in 0..again {
                let (key, after) = crowd.coming_again(nth, again);
                self.come_again(ClientId(index as u16), key, after);
            }
        }
    }

    /// A request arrives whose first attempt is lost and given up in the same instant, and which is tried
    /// again `after` that.
    fn come_again(&mut self, client: ClientId, key: u64, after: Span) {
        let edge = EdgeId::from(client);
        let instance = self.next_instance(u32::from(client.0));
        let call = self.world.calls.open(edge, instance, self.now);
        let state = &mut self.world.clients[client.index()];
        state.arrived += 1;
        if state.needs_keys {
            self.world.calls.set_key(call, key);
        }
        let (id, attempt, kind) = (CallId(call), 0, Sending::First);
        for fact in [
            Fact::Arrived { client, call: id },
            Fact::Sent { edge, call: id, attempt, kind },
            Fact::LostOnTheWay { edge, call: id, attempt },
            Fact::TimedOut { edge, call: id, attempt },
        ] {
            self.observer.observe(self.now, fact);
        }
        if self.world.edges[edge.index()].keeps_books {
            let kept = self.world.calls.kept(call);
            *kept = Kept { tries: 1, failure: Failure::TimedOut, ..Kept::NOTHING };
        }
        self.world.calls.give_up_attempt(call);
        self.set_timer(call, after, Event::RetryDue { call }, Lane::NONE);
        self.world.calls.release(call);
    }
}
