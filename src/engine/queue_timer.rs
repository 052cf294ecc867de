//! Attempts that leave a queue by the clock.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::client::Answer;
use super::state::Station;
use crate::model::Notice;
use crate::observe::{Dropped, Observer};
use crate::policy::discipline::{Ticket, Waiting};
use crate::policy::limit::Outcome;
use crate::policy::retry::Failure;
use crate::time::Span;

/// Every attempt whose timer is set, in a slab. Most of them have left the queue when it goes off:
/// their tickets are void then, and nothing has to be cancelled.
#[derive(Clone, Debug, Default)]
pub(super) struct QueueTimers {
    slots: Vec<(Station, Ticket)>,
    free: Vec<u32>,
}

impl QueueTimers {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
    }

    fn set(&mut self, station: Station, ticket: Ticket) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = (station, ticket);
            return slot;
        }
        self.slots.push((station, ticket));
        self.slots.len() as u32 - 1
    }

    fn end(&mut self, slot: u32) -> (Station, Ticket) {
        self.free.push(slot);
        self.slots[slot as usize]
    }
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// An attempt has joined a queue from which it leaves in time.
    #[cold]
    pub(super) fn set_queue_timer(
        &mut self,
        station: Station,
        call: u32,
        attempt: u32,
        ticket: Ticket,
    ) {
        let Some(timeout) = self.policy(station).queue_timeout else { return };
        let expires = timeout.timer.expires(self.now, self.deadline(call, attempt, self.now));
        // What would go off at the horizon or later is not scheduled, and would keep its slot.
        if expires < self.horizon {
            let timer = self.world.queue_timers.set(station, ticket);
            let event = Event::QueueTimeout { timer };
            self.schedule(expires.since(self.now), event, Lane::NONE);
        }
    }

    /// The time of an attempt in a queue is over, if it still waits.
    pub(super) fn queue_timeout(&mut self, timer: u32) {
        let (station, ticket) = self.world.queue_timers.end(timer);
        let queue = &mut self.world.stations[station.index()].queue;
        let Some(Waiting { since, call, attempt }) = queue.remove(ticket) else { return };
        self.leaves_queue(station, call, attempt);
        self.say_shed(station, call, attempt, Dropped::ByTimer);
        self.learn(station, since, Outcome::Dropped);
        self.world.calls.forget_place(call, attempt);
        let policy = self.policy(station);
        match policy.queue_timeout.map_or(Notice::Never, |timeout| timeout.clients) {
            Notice::AtOnce => {
                let answer = Answer::Failure(Failure::Refused, policy.refusals.hint);
                self.answer(call, attempt, answer, Span::ZERO);
            }
            Notice::Never => {}
        }
        self.world.calls.release(call);
    }
}
