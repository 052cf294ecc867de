//! How a run fares at the moment: what of fresh demand is answered, and how much waits.

use crate::model::Model;
use crate::observe::{Fact, Observer, Place};
use crate::time::{Span, Time};

/// The longest timeout of a client, or a window where nobody has one.
pub(super) fn patience(model: &Model) -> Span {
    let timeouts = model.clients.iter().filter_map(|client| client.edge.timeout);
    timeouts.max().unwrap_or(model.window)
}

/// Counts since they were last begun anew, and what waits now.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    /// When the latest thing happened.
    pub(super) now: Time,
    /// Requests that arrived and that were answered, by client.
    clients: Vec<(u64, u64)>,
    /// Attempts that came to services.
    pub(super) attempts: u64,
    /// Attempts that wait for any service.
    pub(super) waiting: u64,
}

impl Meter {
    pub(super) fn of(model: &Model) -> Self {
        let clients = vec![(0, 0); model.clients.len()];
        Self { now: Time::ZERO, clients, attempts: 0, waiting: 0 }
    }

    /// Counts from zero again.
    pub(super) fn begin_anew(&mut self) {
        self.clients.fill((0, 0));
        self.attempts = 0;
    }

    /// The share of fresh demand that was answered, of the client who fared worst; all of it where nobody asked.
    pub(super) fn share(&self) -> f64 {
        let asked = self.clients.iter().filter(|(arrived, _)| *arrived > 0);
        asked
            .map(|&(arrived, answered)| answered as f64 / arrived as f64)
            .fold(f64::INFINITY, f64::min)
            .min(1.0)
    }
}

impl Observer for Meter {
    fn observe(&mut self, now: Time, fact: Fact) {
        self.now = now;
        match fact {
            Fact::Arrived { client, .. } => self.clients[client.index()].0 += 1,
            Fact::Succeeded { client, .. } => self.clients[client.index()].1 += 1,
            Fact::Sent { .. } => self.attempts += 1,
            Fact::Queued { .. } => self.waiting += 1,
            Fact::Started { from_queue, .. } => self.waiting -= u64::from(from_queue),
            Fact::Shed { dropped, .. } => self.waiting -= u64::from(dropped.is_from_queue()),
            Fact::Lost { place, .. } | Fact::Withdrawn { place, .. } => {
                self.waiting -= u64::from(place == Place::Queue);
            }
            Fact::Called { .. }
            | Fact::Returned { .. }
            | Fact::Hit { .. }
            | Fact::Coalesced { .. }
            | Fact::Repeated { .. }
            | Fact::BudgetDenied { .. }
            | Fact::TimedOut { .. }
            | Fact::Failed { .. }
            | Fact::Refused { .. }
            | Fact::RefusalBegun { .. }
            | Fact::RefusalSaid { .. }
            | Fact::RefusalLost { .. }
            | Fact::Completed { .. }
            | Fact::Executed { .. }
            | Fact::Replayed { .. }
            | Fact::Conflicted { .. }
            | Fact::KeyExpired { .. }
            | Fact::Blocked { .. }
            | Fact::LostOnTheWay { .. }
            | Fact::CameToNothing { .. }
            | Fact::HeldBack { .. }
            | Fact::BreakerOpened { .. }
            | Fact::Routed { .. }
            | Fact::Settled { .. }
            | Fact::Ejected { .. }
            | Fact::Reinstated { .. }
            | Fact::TriggerBegan { .. }
            | Fact::TriggerEnded { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. } => {}
        }
    }

    fn finish(&mut self, _: Time) {}
}
