//! The requests that are alive, in a slab.
//!
//! A request that has ended may still be referred to: attempts of it wait in queues or are being
//! served though nobody waits for them, and its timer stands in the agenda. Its slot is used again
//! only when the last reference is gone, so no reference ever means the wrong request. An entry of
//! the agenda is dead if it is not the one that the request's timer names; nothing is ever searched
//! for and removed.

use crate::id::ClientId;
use crate::policy::breaker::Ticket as Pass;
use crate::policy::budget::Receipt;
use crate::policy::discipline::Ticket;
use crate::policy::retry::{Failure, Memory};
use crate::time::Time;

/// One request.
#[derive(Clone, Copy, Debug)]
struct Call {
    born: Time,
    /// The sequence number of the pending timeout or retry in the agenda, or one of the two below.
    timer: u64,
    /// The number of the attempt that is waited for or will be sent next.
    attempt: u32,
    /// What refers to this slot: attempts in queues and workers' hands, entries of the agenda.
    refs: u32,
    client: ClientId,
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
    pub(super) receipt: Receipt,
    /// How the attempt before ended.
    pub(super) failure: Failure,
    /// Whether the wait under way ends the request.
    pub(super) stops: bool,
    /// Whether the wait under way is that for the throttle, whose place is reserved.
    pub(super) has_turn: bool,
    /// Whether an attempt is out whose end nobody has been told.
    pub(super) is_out: bool,
    /// Whether the timeout under way is the deadline of the request.
    pub(super) ends_request: bool,
    /// What the breaker gave the attempt that is out.
    pub(super) pass: Option<Pass>,
    /// When the attempt that is out left.
    pub(super) sent_at: Time,
}

impl Kept {
    /// Of a request that has just arrived.
    pub(super) fn nothing() -> Self {
        Self {
            waits: Memory::default(),
            receipt: Receipt::default(),
            failure: Failure::TimedOut,
            stops: false,
            has_turn: false,
            is_out: false,
            ends_request: false,
            pass: None,
            sent_at: Time::ZERO,
        }
    }
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
}

impl Calls {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.keys.clear();
        self.places.clear();
        self.kept.clear();
    }

    /// A fresh request of `client`, with one reference: the caller's.
    #[inline]
    pub(super) fn open(&mut self, client: ClientId, instance: u16, born: Time) -> u32 {
        let call = Call { born, timer: WITHOUT_TIMER, attempt: 0, refs: 1, client, instance };
        if let Some(slot) = self.free.pop() {
            // Nothing of whoever had the slot before may be taken for this request's.
            if let Some(kept) = self.kept.get_mut(slot as usize) {
                *kept = Kept::nothing();
            }
            if let Some(place) = self.places.get_mut(slot as usize) {
                *place = (0, Whereabouts::Nowhere);
            }
            self.slots[slot as usize] = call;
            return slot;
        }
        self.slots.push(call);
        self.slots.len() as u32 - 1
    }

    pub(super) fn set_key(&mut self, slot: u32, key: u64) {
        if self.keys.len() < self.slots.len() {
            self.keys.resize(self.slots.len(), 0);
        }
        self.keys[slot as usize] = key;
    }

    pub(super) fn key(&self, slot: u32) -> u64 {
        self.keys.get(slot as usize).copied().unwrap_or(0)
    }

    pub(super) fn set_place(&mut self, slot: u32, attempt: u32, place: Whereabouts) {
        if self.places.len() < self.slots.len() {
            self.places.resize(self.slots.len(), (0, Whereabouts::Nowhere));
        }
        // A zombie is beyond anybody's reach: nobody will give it up again.
        if self.attempt(slot) == attempt {
            self.places[slot as usize] = (attempt, place);
        }
    }

    /// The attempt is not at its service any more.
    #[inline]
    pub(super) fn forget_place(&mut self, slot: u32, attempt: u32) {
        if !self.places.is_empty() {
            self.take_place(slot, attempt);
        }
    }

    /// Where the attempt is, which nobody will ask again.
    pub(super) fn take_place(&mut self, slot: u32, attempt: u32) -> Whereabouts {
        match self.places.get_mut(slot as usize) {
            Some((of, place)) if *of == attempt => std::mem::replace(place, Whereabouts::Nowhere),
            Some(_) | None => Whereabouts::Nowhere,
        }
    }

    pub(super) fn keep(&mut self, slot: u32, kept: Kept) {
        if self.kept.len() < self.slots.len() {
            self.kept.resize_with(self.slots.len(), Kept::nothing);
        }
        self.kept[slot as usize] = kept;
    }

    /// What was kept last of the request in this slot.
    pub(super) fn kept(&self, slot: u32) -> Kept {
        self.kept.get(slot as usize).copied().unwrap_or_else(Kept::nothing)
    }

    #[inline]
    pub(super) fn client(&self, slot: u32) -> ClientId {
        self.slots[slot as usize].client
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

    /// The request has ended.
    #[inline]
    pub(super) fn close(&mut self, slot: u32) {
        debug_assert_ne!(self.slots[slot as usize].timer, CLOSED, "a request ends once");
        self.slots[slot as usize].timer = CLOSED;
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
