//! The requests that are alive, in a slab.
//!
//! A request that has ended may still be referred to: attempts of it wait in queues or are being
//! served though nobody waits for them, and its timer stands in the agenda. Its slot is used again
//! only when the last reference is gone, so no reference ever means the wrong request. An entry of
//! the agenda is dead if the request's timer no longer says its instant; nothing is ever searched
//! for and removed.

use crate::id::ClientId;
use crate::policy::budget::Receipt;
use crate::policy::retry::{Failure, Memory};
use crate::time::Time;

/// One request.
#[derive(Clone, Copy, Debug)]
struct Call {
    born: Time,
    /// The instant of the pending timer or retry, or one of the two below.
    timer_at: Time,
    /// The number of the attempt that is waited for or will be sent next.
    attempt: u32,
    /// What refers to this slot: attempts in queues and workers' hands, entries of the agenda.
    refs: u32,
    client: ClientId,
}

/// No timer will ever fire: the client waits without limit.
const WITHOUT_TIMER: Time = Time::NEVER;
/// The request has ended.
const CLOSED: Time = Time::from_nanos(u64::MAX - 1);

/// What some clients' policies keep of a request from one attempt to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) waits: Memory,
    pub(super) receipt: Receipt,
    /// How the attempt before ended.
    pub(super) failure: Failure,
    /// Whether the wait under way ends the request.
    pub(super) stops: bool,
}

impl Kept {
    /// Of a request that has just arrived.
    pub(super) fn nothing() -> Self {
        Self {
            waits: Memory::default(),
            receipt: Receipt::default(),
            failure: Failure::TimedOut,
            stops: false,
        }
    }
}

/// All requests alive.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    slots: Vec<Call>,
    free: Vec<u32>,
    /// What the work of each request's attempts is drawn from; kept only where work is random.
    work_keys: Vec<u64>,
    /// What is kept of each request; only where a client's policies need it.
    kept: Vec<Kept>,
}

impl Calls {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.work_keys.clear();
        self.kept.clear();
    }

    /// A fresh request of `client`, with one reference: the caller's.
    #[inline]
    pub(super) fn open(&mut self, client: ClientId, born: Time) -> u32 {
        let call = Call { born, timer_at: WITHOUT_TIMER, attempt: 0, refs: 1, client };
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = call;
            return slot;
        }
        self.slots.push(call);
        self.slots.len() as u32 - 1
    }

    pub(super) fn set_work_key(&mut self, slot: u32, key: u64) {
        if self.work_keys.len() < self.slots.len() {
            self.work_keys.resize(self.slots.len(), 0);
        }
        self.work_keys[slot as usize] = key;
    }

    pub(super) fn work_key(&self, slot: u32) -> u64 {
        self.work_keys[slot as usize]
    }

    pub(super) fn keep(&mut self, slot: u32, kept: Kept) {
        if self.kept.len() < self.slots.len() {
            self.kept.resize_with(self.slots.len(), Kept::nothing);
        }
        self.kept[slot as usize] = kept;
    }

    /// What was kept last of the request in this slot.
    pub(super) fn kept(&self, slot: u32) -> Kept {
        self.kept[slot as usize]
    }

    #[inline]
    pub(super) fn client(&self, slot: u32) -> ClientId {
        self.slots[slot as usize].client
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
        call.timer_at = WITHOUT_TIMER;
    }

    #[inline]
    pub(super) fn set_timer(&mut self, slot: u32, at: Time) {
        self.slots[slot as usize].timer_at = at;
    }

    /// Whether an agenda entry of this request for the instant `at` still means anything.
    #[inline]
    pub(super) fn timer_is_live(&self, slot: u32, at: Time) -> bool {
        self.slots[slot as usize].timer_at == at
    }

    /// Whether an answer to `attempt` is what the client waits for.
    #[inline]
    pub(super) fn waits_for(&self, slot: u32, attempt: u32) -> bool {
        let call = &self.slots[slot as usize];
        call.attempt == attempt && call.timer_at != CLOSED
    }

    /// The request has ended.
    #[inline]
    pub(super) fn close(&mut self, slot: u32) {
        debug_assert_ne!(self.slots[slot as usize].timer_at, CLOSED, "a request ends once");
        self.slots[slot as usize].timer_at = CLOSED;
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
        if call.refs == 0 && call.timer_at == CLOSED {
            self.free.push(slot);
        }
    }
}
