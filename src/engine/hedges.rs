//! Several copies of one attempt: when the next one leaves, and what becomes of those that are not
//! needed any more.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::flights::{Flight, Stage};
use crate::observe::{Observer, Sending};
use crate::policy::budget::{Extra, Metered, Permission, Receipt};
use crate::policy::hedge::{Copies, Losers, Next, Step};
use crate::policy::outcome::Failure;
use crate::policy::retry::Hint;

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// A copy has become ready: when is the next one due?
    pub(super) fn expect_hedge(&mut self, call: u32) {
        let Some(hedge) = &self.edge_of(call).hedge else { return };
        let copies = self.copies(call);
        let pace = self.memory(call).pace.as_ref().expect("who hedges has a pace");
        match pace.next(hedge, copies) {
            Next::After(wait) => {
                self.world.calls.drop_timer(call);
                self.set_timer(call, wait, Event::HedgeDue { call }, Lane::NONE);
            }
            Next::AfterFailure | Next::NoMore => self.world.calls.drop_timer(call),
        }
    }

    /// Another copy asks to leave.
    pub(super) fn hedge_is_due(&mut self, call: u32) {
        let edge = self.edge_of(call);
        // A lever may have taken the hedging away for which this was due.
        let Some(hedge) = &edge.hedge else { return };
        let mut receipt = Receipt::NOTHING;
        let asks = edge.budget.is_some_and(|budget| budget.hedges == Metered::Metered);
        let permission = if asks {
            self.withdraw(call, Extra::Hedge, &mut receipt)
        } else {
            Permission::Granted
        };
        match permission {
            Permission::Granted => self.depart(call, Sending::Hedge, receipt),
            Permission::Denied => {
                self.world.calls.drop_timer(call);
                self.world.calls.kept(call).denied = true;
                if hedge.after_denial(self.copies(call)) == Step::TryFails {
                    let failure = self.world.calls.kept(call).failure;
                    self.try_failed(call, failure, Hint::Absent, false);
                }
            }
        }
    }

    /// Whether the try of which a copy has just failed has failed with it; if another copy leaves in
    /// its place, it has left.
    pub(super) fn copies_are_done(&mut self, call: u32, failure: Failure) -> bool {
        let copies = self.copies(call);
        let Some(hedge) = &self.edge_of(call).hedge else { return copies.out == 0 };
        match hedge.after_failure(failure, copies) {
            Step::TryFails => true,
            Step::Waits => false,
            Step::SendsNow => {
                self.hedge_is_due(call);
                false
            }
        }
    }

    fn copies(&mut self, call: u32) -> Copies {
        let kept = *self.world.calls.kept(call);
        let flights = &self.world.calls.flights;
        let counts =
            |&flight: &u32| !matches!(flights.get(flight).stage, Stage::RunsOn | Stage::Fetches);
        let out = flights.from(kept.first_flight).filter(counts).count() as u32;
        Copies { sent: kept.copies, out, denied: kept.denied }
    }

    /// Nothing that is still on its way for this request is needed any more.
    pub(super) fn drop_flights(&mut self, call: u32) {
        let losers = self.edge_of(call).hedge.map_or(Losers::Cancelled, |hedge| hedge.losers);
        let mut next = self.world.calls.first_flight(call);
        while next != super::flights::NOBODY {
            let flight = next;
            next = self.world.calls.flights.get(flight).next;
            self.drop_flight(flight, losers);
        }
    }

    /// An attempt is not needed any more.
    pub(super) fn drop_flight(&mut self, flight: u32, losers: Losers) {
        let Flight { call, attempt, stage, station, .. } = *self.world.calls.flights.get(flight);
        match (stage, losers) {
            (Stage::RunsOn | Stage::Fetches, _) => return,
            (Stage::Out, Losers::RunOn) => {
                self.world.calls.flights.get_mut(flight).stage = Stage::RunsOn;
                return;
            }
            (Stage::InLine(place), _) => {
                if let Some(leases) = self.leases(call) {
                    leases.leave(place);
                }
            }
            (Stage::Throttled(Some(_)), _) => {
                if let Some(valve) = &mut self.memory(call).valve {
                    valve.leave();
                }
            }
            (Stage::Coalesced(_), _) => self.forget_fetch(flight),
            (Stage::Out, Losers::Cancelled)
            | (
                Stage::Throttled(None)
                | Stage::Leaving
                | Stage::Leads
                | Stage::Told(_)
                | Stage::Repeats,
                _,
            ) => {}
        }
        self.enter(flight, None);
        if stage == Stage::Out {
            self.abandon(station, call, attempt);
        }
        self.end_flight(flight);
    }
}
