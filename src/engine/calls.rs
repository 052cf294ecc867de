//! The requests that are alive, in a slab.
//!
//! A request that has ended may still be referred to: attempts of it wait in queues or are being
//! served though nobody waits for them. Its slot is used again only when the last reference is gone,
//! so no reference ever means the wrong request. Entries of the agenda are no references: no two have
//! the same sequence number, so one is dead if it is not the one that the timer in its slot names,
//! whosever the slot is by then; nothing is ever searched for and removed.

use super::flights::{Flight, Flights, NOBODY, Stage};
use crate::id::EdgeId;
use crate::policy::Class;
use crate::policy::breaker::Ticket as Pass;
use crate::policy::budget::Receipt;
use crate::policy::discipline::Ticket;
use crate::policy::effect::Operation;
use crate::policy::retry::{Failure, Memory};
use crate::policy::transport::Repeated;
use crate::random::{Bits, Sprout};
use crate::time::Time;

/// One request.
#[derive(Clone, Copy, Debug)]
struct Call {
    born: Time,
    /// The sequence number of the pending timeout, retry or hedge in the agenda, or one of the two
    /// below.
    timer: u64,
    /// The number of the attempt that is waited for or will be sent next. Where books are kept,
    /// always the latter: what is waited for has a flight.
    attempt: u32,
    /// What refers to this slot: attempts in queues, workers' hands and on their way, flights.
    refs: u32,
    edge: EdgeId,
    instance: u16,
}

/// No timer will fire before the horizon.
const WITHOUT_TIMER: u64 = u64::MAX;
/// The request has ended.
const CLOSED: u64 = u64::MAX - 1;

/// What some clients' policies keep of a request from one attempt to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) waits: Memory,
    /// What was charged for a retry that has not left.
    pub(super) receipt: Receipt,
    /// How the latest attempt to fail did.
    pub(super) failure: Failure,
    /// Whether the wait under way ends the request.
    pub(super) stops: bool,
    /// How many tries have failed: with hedging, a try is several attempts.
    pub(super) tries: u32,
    /// Attempts of the try under way, the first included.
    pub(super) copies: u32,
    /// When the first of them was ready to leave.
    pub(super) since: Time,
    /// Whether the budget has denied a copy of the try under way.
    pub(super) denied: bool,
    /// The first of its flights.
    pub(super) first_flight: u32,
    /// What a breaker outside the retry gave the request.
    pub(super) pass: Option<Pass>,
    /// What of it was sent again beneath the policy.
    pub(super) repeated: Repeated,
}

impl Kept {
    /// Of a request that has just arrived.
    pub(super) const NOTHING: Self = Self {
        waits: Memory::NOTHING,
        receipt: Receipt::NOTHING,
        failure: Failure::TimedOut,
        stops: false,
        tries: 0,
        copies: 0,
        since: Time::ZERO,
        denied: false,
        first_flight: NOBODY,
        pass: None,
        repeated: Repeated::NOTHING,
    };
}

/// All requests alive.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    slots: Vec<Call>,
    free: Vec<u32>,
    /// What is random about each request is drawn from its key; kept only where anything is.
    keys: Vec<u64>,
    /// Where the attempt waited for is; kept only where a service notices that it is given up.
    places: Vec<(u32, Whereabouts)>,
    /// What is kept of each request; only where a client's policies need it.
    kept: Vec<Kept>,
    pub(super) flights: Flights,
    /// For whom services call; only where services do.
    subs: Vec<Sub>,
    /// What was really done for each request; only where services count that.
    operations: Vec<Operation>,
}

/// A request that a service makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sub {
    /// For which visit; [`NOBODY`] if it does not wait any more.
    pub(super) visit: u32,
    /// The next request of the same visit.
    pub(super) next: u32,
    /// How important it is.
    pub(super) class: Class,
    /// When the time is over that was handed on with it.
    pub(super) until: Time,
}

impl Sub {
    const NOTHING: Self =
        Self { visit: NOBODY, next: NOBODY, class: Class::FIRST, until: Time::NEVER };
}

/// Where an attempt is at its service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// Not there, or not any more.
    Nowhere,
    /// In its queue.
    Queue(Ticket),
    /// In the hands of this worker.
    Worker(u32),
    /// Waiting for what its service has called.
    Visit(u32),
}

impl Calls {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.keys.clear();
        self.places.clear();
        self.kept.clear();
        self.flights.clear();
        self.subs.clear();
        self.operations.clear();
    }

    /// A fresh request over `edge`, with one reference: the caller's.
    #[inline]
    pub(super) fn open(&mut self, edge: EdgeId, instance: u16, born: Time) -> u32 {
        let call = Call { born, timer: WITHOUT_TIMER, attempt: 0, refs: 1, edge, instance };
        if let Some(slot) = self.free.pop() {
            // Nothing of whoever had the slot before may be taken for this request's.
            if let Some(kept) = self.kept.get_mut(slot as usize) {
                *kept = Kept::NOTHING;
            }
            if let Some(place) = self.places.get_mut(slot as usize) {
                *place = (0, Whereabouts::Nowhere);
            }
            if let Some(sub) = self.subs.get_mut(slot as usize) {
                *sub = Sub::NOTHING;
            }
            if let Some(operation) = self.operations.get_mut(slot as usize) {
                *operation = Operation::NOTHING;
            }
            self.slots[slot as usize] = call;
            return slot;
        }
        self.slots.push(call);
        self.slots.len() as u32 - 1
    }

    /// A call that a service makes, with one reference: the caller's.
    #[inline]
    pub(super) fn open_inner(&mut self, edge: EdgeId, born: Time, key: u64, sub: Sub) -> u32 {
        let slot = self.open(edge, 0, born);
        self.set_key(slot, key);
        put(&mut self.subs, slot, sub, Sub::NOTHING);
        slot
    }

    #[inline]
    pub(super) fn set_key(&mut self, slot: u32, key: u64) {
        put(&mut self.keys, slot, key, 0);
    }

    /// Every request has another key, under another `seed`.
    pub(super) fn branch(&mut self, seed: u64) {
        for (slot, key) in self.keys.iter_mut().enumerate() {
            *key = Sprout::new(*key ^ seed, slot as u64).bits();
        }
    }

    pub(super) fn key(&self, slot: u32) -> u64 {
        self.keys.get(slot as usize).copied().unwrap_or(0)
    }

    pub(super) fn set_place(&mut self, slot: u32, attempt: u32, place: Whereabouts) {
        if let Some(flight) = self.flight(slot, attempt) {
            self.flights.get_mut(flight).place = place;
        } else if self.attempt(slot) == attempt {
            // A zombie is beyond anybody's reach: nobody will give it up again.
            if self.places.len() < self.slots.len() {
                self.places.resize(self.slots.len(), (0, Whereabouts::Nowhere));
            }
            self.places[slot as usize] = (attempt, place);
        }
    }

    /// The attempt is not at its service any more.
    #[inline]
    pub(super) fn forget_place(&mut self, slot: u32, attempt: u32) {
        if !self.places.is_empty() || !self.kept.is_empty() {
            self.take_place(slot, attempt);
        }
    }

    /// Where the attempt is, which nobody will ask again.
    pub(super) fn take_place(&mut self, slot: u32, attempt: u32) -> Whereabouts {
        if let Some(flight) = self.flight(slot, attempt) {
            let place = &mut self.flights.get_mut(flight).place;
            return std::mem::replace(place, Whereabouts::Nowhere);
        }
        match self.places.get_mut(slot as usize) {
            Some((of, place)) if *of == attempt => std::mem::replace(place, Whereabouts::Nowhere),
            Some(_) | None => Whereabouts::Nowhere,
        }
    }

    /// What is kept of the request in this slot.
    pub(super) fn kept(&mut self, slot: u32) -> &mut Kept {
        if self.kept.len() < self.slots.len() {
            self.kept.resize(self.slots.len(), Kept::NOTHING);
        }
        &mut self.kept[slot as usize]
    }

    /// Takes a call out of the hands of the visit that it is made for: whose, and what came next there.
    #[inline]
    pub(super) fn leave_visit(&mut self, slot: u32) -> Sub {
        let Some(sub) = self.subs.get_mut(slot as usize) else { return Sub::NOTHING };
        let left = *sub;
        sub.visit = NOBODY;
        left
    }

    /// For whom a service makes the request.
    pub(super) fn sub_mut(&mut self, slot: u32) -> &mut Sub {
        if self.subs.len() < self.slots.len() {
            self.subs.resize(self.slots.len(), Sub::NOTHING);
        }
        &mut self.subs[slot as usize]
    }

    /// What was really done for the request.
    pub(super) fn operation(&mut self, slot: u32) -> &mut Operation {
        if self.operations.len() < self.slots.len() {
            self.operations.resize(self.slots.len(), Operation::NOTHING);
        }
        &mut self.operations[slot as usize]
    }

    /// For whom a service makes the request, to look at.
    pub(super) fn sub(&self, slot: u32) -> Sub {
        self.subs.get(slot as usize).copied().unwrap_or(Sub::NOTHING)
    }

    /// One more flight of a request, in front of the others.
    pub(super) fn begin_flight(&mut self, flight: Flight) -> u32 {
        let next = self.first_flight(flight.call);
        let slot = self.flights.begin(Flight { next, ..flight });
        self.kept(flight.call).first_flight = slot;
        self.retain(flight.call);
        slot
    }

    /// The flight of this attempt, if it has one.
    #[inline]
    pub(super) fn flight(&self, slot: u32, attempt: u32) -> Option<u32> {
        self.flights.find(self.first_flight(slot), attempt)
    }

    /// Whether the client waits for this attempt, which has a flight.
    #[inline]
    pub(super) fn is_out(&self, slot: u32, attempt: u32) -> bool {
        let flight = self.flight(slot, attempt);
        flight.is_some_and(|flight| self.flights.get(flight).stage == Stage::Out)
    }

    /// The first flight of the request; [`NOBODY`] if it has none.
    #[inline]
    pub(super) fn first_flight(&self, slot: u32) -> u32 {
        self.kept.get(slot as usize).map_or(NOBODY, |kept| kept.first_flight)
    }

    /// What was charged for retries over `edge` that have not left is charged to nobody.
    pub(super) fn forget_receipts(&mut self, edge: EdgeId) {
        for (kept, call) in self.kept.iter_mut().zip(&self.slots) {
            if call.edge == edge {
                kept.receipt = Receipt::NOTHING;
            }
        }
    }

    /// The breakers at the end of `edge` know nothing of those that they let begin.
    pub(super) fn forget_passes(&mut self, edge: EdgeId) {
        for (kept, call) in self.kept.iter_mut().zip(&self.slots) {
            if call.edge == edge {
                kept.pass = None;
            }
        }
    }

    /// The number of an attempt that leaves now, which no other attempt of the request has.
    #[inline]
    pub(super) fn take_number(&mut self, slot: u32) -> u32 {
        let call = &mut self.slots[slot as usize];
        call.attempt += 1;
        call.attempt - 1
    }

    #[inline]
    pub(super) fn edge(&self, slot: u32) -> EdgeId {
        self.slots[slot as usize].edge
    }

    /// The edge with the attempt that is waited for or will be sent next.
    #[inline]
    pub(super) fn edge_and_attempt(&self, slot: u32) -> (EdgeId, u32) {
        let call = &self.slots[slot as usize];
        (call.edge, call.attempt)
    }

    /// Which instance of the client.
    #[inline]
    pub(super) fn instance(&self, slot: u32) -> u16 {
        self.slots[slot as usize].instance
    }

    #[inline]
    pub(super) fn born(&self, slot: u32) -> Time {
        self.slots[slot as usize].born
    }

    /// The attempt that is waited for or will be sent next.
    #[inline]
    pub(super) fn attempt(&self, slot: u32) -> u32 {
        self.slots[slot as usize].attempt
    }

    /// The attempt has failed: whatever answers it from now on is late.
    #[inline]
    pub(super) fn give_up_attempt(&mut self, slot: u32) {
        let call = &mut self.slots[slot as usize];
        call.attempt += 1;
        call.timer = WITHOUT_TIMER;
    }

    #[inline]
    pub(super) fn set_timer(&mut self, slot: u32, sequence: u64) {
        self.slots[slot as usize].timer = sequence;
    }

    /// What is scheduled for the request means nothing any more.
    #[inline]
    pub(super) fn drop_timer(&mut self, slot: u32) {
        self.slots[slot as usize].timer = WITHOUT_TIMER;
    }

    /// Whether the agenda entry of this request with this sequence number still means anything.
    #[inline]
    pub(super) fn timer_is_live(&self, slot: u32, sequence: u64) -> bool {
        self.slots[slot as usize].timer == sequence
    }

    /// Whether the request has not ended.
    #[inline]
    pub(super) fn is_open(&self, slot: u32) -> bool {
        self.slots[slot as usize].timer != CLOSED
    }

    /// Whether an answer to `attempt` is what the client waits for.
    #[inline]
    pub(super) fn waits_for(&self, slot: u32, attempt: u32) -> bool {
        let call = &self.slots[slot as usize];
        call.attempt == attempt && call.timer != CLOSED
    }

    /// The request has ended. Its slot is free once nothing refers to it any more.
    #[inline]
    pub(super) fn close(&mut self, slot: u32) {
        let call = &mut self.slots[slot as usize];
        debug_assert_ne!(call.timer, CLOSED, "a request ends once");
        call.timer = CLOSED;
        if call.refs == 0 {
            self.free.push(slot);
        }
    }

    #[inline]
    pub(super) fn retain(&mut self, slot: u32) {
        self.slots[slot as usize].refs += 1;
    }

    /// One reference less; the slot is free with the last one.
    #[inline]
    pub(super) fn release(&mut self, slot: u32) {
        let call = &mut self.slots[slot as usize];
        call.refs -= 1;
        if call.refs == 0 && call.timer == CLOSED {
            self.free.push(slot);
        }
    }
}

/// Puts `value` into a place of a list that is as long as it has to be, and no longer than the slots are.
#[inline]
fn put<T: Copy>(list: &mut Vec<T>, slot: u32, value: T, nothing: T) {
    if let Some(place) = list.get_mut(slot as usize) {
        *place = value;
    } else {
        list.resize(slot as usize, nothing);
        list.push(value);
    }
}
