//! Connections of pools: who has the next one that comes free, and what becomes of those that turn out
//! to be dead.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::books::memory_index;
use super::client::edge_at;
use super::flights::{Flight, Stage};
use crate::id::EdgeId;
use crate::observe::{Guard, Observer};
use crate::policy::outcome::Failure;
use crate::policy::pool::{Lease, Leases, Place};
use crate::random::{Bits, Draw, Sprout};

/// Whose connections they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PoolOf {
    edge: EdgeId,
    instance: u16,
}

/// Connections that are being made anew, in a slab: whose they are, or nobody's any more.
#[derive(Clone, Debug, Default)]
pub(super) struct Reconnections {
    slots: Vec<Option<PoolOf>>,
    free: Vec<u32>,
}

impl Reconnections {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
    }

    fn begin(&mut self, of: PoolOf) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = Some(of);
            return slot;
        }
        self.slots.push(Some(of));
        self.slots.len() as u32 - 1
    }

    fn end(&mut self, slot: u32) -> Option<PoolOf> {
        self.free.push(slot);
        self.slots[slot as usize].take()
    }

    /// The pools at the end of `edge` are not there any more.
    pub(super) fn forget(&mut self, edge: EdgeId) {
        for slot in &mut self.slots {
            *slot = slot.filter(|of| of.edge != edge);
        }
    }
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    pub(super) fn take_connection(&mut self, flight: u32) {
        let now = self.now;
        let call = self.world.calls.flights.get(flight).call;
        let Some(leases) = self.leases(call) else { return self.launch(flight) };
        match leases.acquire(now, flight) {
            Lease::Granted => {
                let place = leases.served_at_once(now, flight);
                if !self.finds_it_dead(place) {
                    self.world.calls.flights.get_mut(flight).leased = true;
                    self.launch(flight);
                }
            }
            Lease::Waits(place) => {
                self.world.calls.flights.get_mut(flight).stage = Stage::InLine(place);
                self.limit_wait(flight);
            }
            Lease::Full => self.hold_back(flight, Guard::Pool, Failure::Unavailable),
        }
    }

    /// A connection comes free. Whoever has it next leaves by the agenda and not from here: a line of
    /// attempts that are all refused at once would be as many calls deep.
    pub(super) fn return_connection(&mut self, call: u32) {
        let of = self.pool_of(call);
        self.hand_on(of);
    }

    fn hand_on(&mut self, of: PoolOf) {
        let Some(place) = self.leases_of(of).and_then(Leases::release) else { return };
        if !self.finds_it_dead(place) {
            self.world.calls.flights.get_mut(place.who).leased = true;
            self.leave_at_once(place.who);
        }
    }

    /// Whether the connection is dead that whoever stood in `place` has been handed. It is made anew
    /// then, and the attempt waits again.
    fn finds_it_dead(&mut self, place: Place) -> bool {
        let Flight { call, .. } = *self.world.calls.flights.get(place.who);
        let Some(dead) = self.edge_of(call).pool.and_then(|pool| pool.dead) else { return false };
        let key = Sprout::of(self.world.calls.key(call), 0, Draw::Connection).bits();
        if Sprout::new(key, place.number()).uniform() >= dead.share.as_f64() {
            return false;
        }
        let of = self.pool_of(call);
        let reconnection = self.world.reconnections.begin(of);
        self.schedule(dead.reconnect, Event::Reconnected { reconnection }, Lane::NONE);
        let now = self.now;
        match self.leases_of(of).and_then(|leases| leases.wait_again(now, place)) {
            Some(place_again) => {
                self.world.calls.flights.get_mut(place.who).stage = Stage::InLine(place_again);
                self.limit_wait(place.who);
            }
            None => self.turn_out(place.who),
        }
        true
    }

    /// A connection that was dead lives.
    pub(super) fn reconnected(&mut self, reconnection: u32) {
        if let Some(of) = self.world.reconnections.end(reconnection) {
            self.hand_on(of);
        }
    }

    fn pool_of(&self, call: u32) -> PoolOf {
        PoolOf { edge: self.world.calls.edge(call), instance: self.world.calls.instance(call) }
    }

    /// The pool that the request's attempts need a connection of, if any.
    pub(super) fn leases(&mut self, call: u32) -> Option<&mut Leases> {
        let of = self.pool_of(call);
        self.leases_of(of)
    }

    fn leases_of(&mut self, of: PoolOf) -> Option<&mut Leases> {
        let state = &mut self.world.edges[of.edge.index()];
        match state.shared_pool {
            Some(pool) => self.world.pools.get_mut(usize::from(pool)),
            None => {
                let index = memory_index(edge_at(self.model, state.owner).scope, of.instance);
                state.memories[index].leases.as_mut()
            }
        }
    }
}
