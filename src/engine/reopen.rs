//! A lever changes what a client's policies are: what they remember is kept where a policy stays the
//! same, and forgotten where it changes. Whoever was under the old policy is taken out of its books.

use super::Run;
use super::agenda::Agenda;
use super::fleet::Front;
use super::flights::Stage;
use crate::id::EdgeId;
use crate::model::Edge;
use crate::observe::{Fact, Observer};
use crate::policy::budget::Receipt;
use crate::policy::pool::{Lease, Place};
use crate::time::Span;

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    pub(super) fn reopen_books(&mut self, edge: EdgeId, old: &Edge, new: &Edge, callers: u16) {
        let moved = old.scope != new.scope;
        let called = self.model.service(new.to);
        let state = &mut self.world.edges[edge.index()];
        let before = std::mem::take(&mut state.memories);
        state.open_books(new, callers, called);
        if moved {
            // Whoever was ejected is asked again: the new memories know nothing.
            for instance in
                before.iter().filter_map(|memory| memory.front.as_ref()).flat_map(Front::ejected)
            {
                self.observer.observe(self.now, Fact::Reinstated { edge, instance });
            }
        } else {
            for (fresh, before) in state.memories.iter_mut().zip(before) {
                if old.budget == new.budget {
                    fresh.ledger = before.ledger;
                }
                if old.throttle == new.throttle {
                    fresh.valve = before.valve;
                }
                if old.breaker == new.breaker {
                    fresh.circuit = before.circuit;
                }
                if old.hedge == new.hedge {
                    fresh.pace = before.pace;
                }
                if old.pool == new.pool {
                    fresh.leases = before.leases;
                }
                fresh.front = before.front;
                if old.cache == new.cache {
                    fresh.store = before.store;
                }
                if old.transport == new.transport {
                    fresh.connections = before.connections;
                }
            }
        }
        let of_edge = |flight: &u32| {
            let call = self.world.calls.flights.get(*flight).call;
            self.world.calls.edge(call) == edge
        };
        let flights: Vec<u32> = self.world.calls.flights.alive().filter(of_edge).collect();
        for &flight in &flights {
            let flight = self.world.calls.flights.get_mut(flight);
            if moved || old.budget != new.budget {
                flight.metered = false;
                flight.receipt = Receipt::NOTHING;
            }
            if let Stage::Throttled(ticket) = &mut flight.stage
                && (moved || old.throttle != new.throttle)
            {
                // The line it stands in is gone with the throttle.
                *ticket = None;
            }
            if moved || old.breaker != new.breaker {
                flight.pass = None;
            }
            if moved || old.cache != new.cache {
                flight.fetch = None;
            }
        }
        if moved {
            flights.iter().for_each(|&flight| self.count_in(flight));
        }
        if moved || old.budget != new.budget {
            self.world.calls.forget_receipts(edge);
        }
        if moved || old.breaker != new.breaker {
            self.world.calls.forget_passes(edge);
        }
        if moved || old.cache != new.cache {
            self.fetch_alone(&flights);
        }
        // A pool that several edges share is one for the whole run.
        if new.shared_pool.is_none() && (moved || old.pool != new.pool) {
            self.world.reconnections.forget(edge);
            self.move_to_new_pool(flights);
        }
    }

    /// Whoever waits for what another attempt fetches has nobody to tell it any more, and fetches it.
    fn fetch_alone(&mut self, flights: &[u32]) {
        for &flight in flights {
            if matches!(self.world.calls.flights.get(flight).stage, Stage::Coalesced(_)) {
                self.leave_after(flight, Stage::Leads, Span::ZERO);
            }
        }
    }

    /// Attempts that are out count against the new pool, even if they are more than it is large.
    /// Those in line get in line again, in their order.
    fn move_to_new_pool(&mut self, flights: Vec<u32>) {
        let mut in_line: Vec<(Place, u32)> = Vec::new();
        for flight in flights {
            let state = *self.world.calls.flights.get(flight);
            match state.stage {
                Stage::Leaving | Stage::Repeats | Stage::Out | Stage::RunsOn => {
                    let leases = &mut self.memory(state.call).leases;
                    let leased = leases.is_some();
                    if let Some(leases) = leases {
                        leases.count_in();
                    }
                    self.world.calls.flights.get_mut(flight).leased = leased;
                }
                Stage::InLine(place) => in_line.push((place, flight)),
                Stage::Throttled(_)
                | Stage::Coalesced(_)
                | Stage::Leads
                | Stage::Told(_)
                | Stage::Fetches => {}
            }
        }
        in_line.sort_by_key(|(place, _)| *place);
        for (_, flight) in in_line {
            let (now, call) = (self.now, self.world.calls.flights.get(flight).call);
            let lease = self.memory(call).leases.as_mut().map(|leases| leases.acquire(now, flight));
            match lease {
                Some(Lease::Waits(place)) => {
                    self.world.calls.flights.get_mut(flight).stage = Stage::InLine(place);
                    self.limit_wait(flight);
                }
                None | Some(Lease::Granted) => {
                    self.world.calls.flights.get_mut(flight).leased = lease.is_some();
                    self.leave_at_once(flight);
                }
                // There is no room in the new line, and whoever waits in the old one is in none.
                Some(Lease::Full) => self.turn_out(flight),
            }
        }
    }
}
