//! The attempts of clients that keep books, in a slab: from when one is ready to leave until its client
//! is done with it. Several of one request can be on their way at once.

use super::calls::Whereabouts;
use super::state::Station;
use crate::observe::Sending;
use crate::policy::breaker::Ticket as Pass;
use crate::policy::budget::Receipt;
use crate::policy::cache::{Fetch, Place as Waiting};
use crate::policy::outcome::Failure;
use crate::policy::pool::Place;
use crate::policy::throttle::Ticket;
use crate::policy::transport::Carrier;
use crate::time::Time;

/// In place of a flight: none.
pub(super) const NOBODY: u32 = u32::MAX;
/// In place of a timer: nothing is scheduled for it before the horizon.
pub(super) const UNTIMED: u64 = u64::MAX;

/// An attempt of a client that keeps books.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) call: u32,
    pub(super) attempt: u32,
    /// The next flight of the same request.
    pub(super) next: u32,
    pub(super) kind: Sending,
    pub(super) stage: Stage,
    /// What its timer means when it fires.
    pub(super) ends: Ends,
    /// Whether it has a connection.
    pub(super) leased: bool,
    /// Whether the budget counts it among those that are out.
    pub(super) metered: bool,
    /// The sequence number of its entry in the agenda.
    pub(super) timer: u64,
    /// When it was ready to leave.
    pub(super) ready: Time,
    /// When it left.
    pub(super) sent: Time,
    /// When it left for the last time, if its transport has sent it again.
    pub(super) departed: Time,
    /// On what it left.
    pub(super) carrier: Carrier,
    /// When its client waits for it no longer.
    pub(super) until: Time,
    /// What the breaker gave it.
    pub(super) pass: Option<Pass>,
    /// What the budget charged for it.
    pub(super) receipt: Receipt,
    /// What it fetches for a cache.
    pub(super) fetch: Option<Fetch>,
    /// Which of several instances it was sent to, until that is told that it has ended.
    pub(super) instance: Option<u16>,
    /// To which instance of all services it was sent.
    pub(super) station: Station,
    /// Where it is at its service; kept only where a service notices that it is given up.
    pub(super) place: Whereabouts,
}

/// How far an attempt has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The throttle makes it wait, in a line if it has a ticket.
    Throttled(Option<Ticket>),
    /// It waits for a connection.
    InLine(Place),
    /// It has a connection, and leaves at this very instant.
    Leaving,
    /// It waits for what another attempt fetches.
    Coalesced(Waiting),
    /// It has waited so, and goes on to fetch it itself.
    Leads,
    /// It has waited so, or in line, and is told at this very instant what came of it: what was fetched,
    /// or how it failed.
    Told(Option<Failure>),
    /// It has failed, and nobody but its transport knows of that, which is about to send it again.
    Repeats,
    /// It is out, and its client waits for it.
    Out,
    /// It is out, and its client waits for it no longer without having withdrawn it.
    RunsOn,
    /// Nobody waits for it any more, but what it fetches is of use when it comes.
    Fetches,
}

/// What it means that the time of an attempt is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// The attempt has failed.
    Attempt,
    /// The request has failed.
    Request,
    /// The wait for a connection has failed, and the attempt with it.
    Wait,
}

impl Flight {
    pub(super) const fn ready(call: u32, attempt: u32, kind: Sending, now: Time) -> Self {
        Self {
            call,
            attempt,
            next: NOBODY,
            kind,
            stage: Stage::Leaving,
            ends: Ends::Attempt,
            leased: false,
            metered: false,
            timer: UNTIMED,
            ready: now,
            sent: now,
            departed: now,
            carrier: Carrier::Fresh,
            until: Time::NEVER,
            pass: None,
            receipt: Receipt::NOTHING,
            fetch: None,
            instance: None,
            station: Station(0),
            place: Whereabouts::Nowhere,
        }
    }
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Flights {
    slots: Vec<Flight>,
    free: Vec<u32>,
}

impl Flights {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
    }

    pub(super) fn begin(&mut self, flight: Flight) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = flight;
            return slot;
        }
        self.slots.push(flight);
        self.slots.len() as u32 - 1
    }

    /// It is over: whatever is scheduled for it is dead.
    pub(super) fn end(&mut self, slot: u32) {
        self.slots[slot as usize].timer = UNTIMED;
        self.slots[slot as usize].call = NOBODY;
        self.free.push(slot);
    }

    #[inline]
    pub(super) fn get(&self, slot: u32) -> &Flight {
        &self.slots[slot as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Flight {
        &mut self.slots[slot as usize]
    }

    /// Everything that has not ended, in no order that means anything.
    pub(super) fn alive(&self) -> impl Iterator<Item = u32> {
        (0..self.slots.len() as u32).filter(|&slot| self.slots[slot as usize].call != NOBODY)
    }

    /// Whether the entry of the agenda with this sequence number still means anything.
    #[inline]
    pub(super) fn timer_is_live(&self, slot: u32, sequence: u64) -> bool {
        self.slots[slot as usize].timer == sequence
    }

    /// The flights of one request, from `first` on.
    pub(super) fn from(&self, first: u32) -> impl Iterator<Item = u32> {
        let step = |slot: u32| (slot != NOBODY).then_some(slot);
        std::iter::successors(step(first), move |&slot| step(self.get(slot).next))
    }

    /// The flight among those from `first` on that is this attempt.
    #[inline]
    pub(super) fn find(&self, first: u32, attempt: u32) -> Option<u32> {
        self.from(first).find(|&slot| self.get(slot).attempt == attempt)
    }
}
