//! What there is when a run begins.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::calls::Kept;
use crate::id::{ClientId, EdgeId};
use crate::model::Sent;
use crate::observe::{CallId, Fact, Observer, Sending};
use crate::policy::retry::Failure;
use crate::random::{Bits, Sprout};
use crate::time::Span;

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// Before anything else happens, what the model has under way at the start is sent.
    pub(super) fn send_start(&mut self) {
        if self.model.start.is_empty() {
            return;
        }
        for (index, Sent { fresh, again }) in self.model.sent_at_start().into_iter().enumerate() {
            let client = &self.model.clients[index];
            // From a number of their own, so that those who come anyway keep theirs.
            let root = self.world.clients[index].keys.clone().bits();
            let over = client.edge.timeout.unwrap_or(self.model.window);
            for nth in 0..fresh {
                let key = Sprout::new(root, u64::from(nth)).bits();
                self.request_of_next_instance(index as u32, key);
            }
            for nth in 0..again {
                let key = Sprout::new(!root, u64::from(nth)).bits();
                let share = (f64::from(nth) + 0.5) / f64::from(again);
                let after = Span::from_nanos_f64(over.as_nanos() as f64 * share);
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
