//! A run in windows, client by client and service by service.

use super::roll::Roll;
use super::{Fact, Observer, Place};
use crate::model::Model;
use crate::time::Time;

/// What one client saw in one window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Its fresh requests.
    pub arrivals: u64,
    /// Its requests answered in time.
    pub goodput: u64,
    /// Its requests that failed for good.
    pub failed: u64,
    /// The attempts that it sent, first ones included.
    pub attempts: u64,
}

/// How long one service's queue was, looked at at the end of each window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// How often it was looked at.
    pub looks: u64,
    /// All that were found, together, attempts.
    pub found: u64,
    /// The longest, attempts.
    pub longest: u64,
    /// At the end of the last window, attempts.
    pub last: u64,
}

impl FromIterator<u64> for Line {
    fn from_iter<I: IntoIterator<Item = u64>>(queues: I) -> Self {
        queues.into_iter().fold(Self::default(), |line, queue| Self {
            looks: line.looks + 1,
            found: line.found + queue,
            longest: line.longest.max(queue),
            last: queue,
        })
    }
}

impl Line {
    /// The mean, attempts; 0 if it was never looked at.
    pub fn mean(&self) -> f64 {
        if self.looks == 0 { 0.0 } else { self.found as f64 / self.looks as f64 }
    }
}

/// Every client and every service in windows of equal width: a sum over all of them would hide a small
/// one that is down behind a large one that is well. Where there is only one of each, nothing is kept:
/// the [timeline](super::Timeline) says it all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parties {
    roll: Roll,
    clients: Vec<Share>,
    queues: Vec<u64>,
    /// Finished windows, one after the other, every client in each.
    past_clients: Vec<Share>,
    /// Finished windows, one after the other, the queue of every service at the end of each.
    past_queues: Vec<u64>,
}

impl Parties {
    /// Nothing is kept.
    pub const fn none() -> Self {
        Self {
            roll: Roll::never(),
            clients: Vec::new(),
            queues: Vec::new(),
            past_clients: Vec::new(),
            past_queues: Vec::new(),
        }
    }

    /// The clients and services of `model`, if there are several of either.
    pub fn of(model: &Model) -> Self {
        let (clients, services) = (model.clients.len(), model.services.len());
        if clients < 2 && services < 2 {
            return Self::none();
        }
        Self {
            roll: Roll::new(model.window),
            clients: vec![Share::default(); clients],
            queues: vec![0; services],
            ..Self::none()
        }
    }

    /// What each client saw in each finished window; nothing if there is only one party of each kind.
    pub fn clients(&self) -> impl DoubleEndedIterator<Item = &[Share]> + ExactSizeIterator {
        self.past_clients.chunks_exact(self.clients.len().max(1))
    }

    /// The queue of each service at the end of each finished window; nothing if there is only one
    /// party of each kind.
    pub fn queues(&self) -> impl DoubleEndedIterator<Item = &[u64]> + ExactSizeIterator {
        self.past_queues.chunks_exact(self.queues.len().max(1))
    }

    #[cold]
    fn close_until(&mut self, now: Time) {
        while self.roll.next_end(now).is_some() {
            self.past_clients.extend_from_slice(&self.clients);
            self.past_queues.extend_from_slice(&self.queues);
            self.clients.fill(Share::default());
        }
    }
}

impl Observer for Parties {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        self.observe_many(now, fact, 1);
    }

    #[inline(always)]
    fn observe_many(&mut self, now: Time, fact: Fact, times: u64) {
        if self.clients.is_empty() {
            return;
        }
        if self.roll.has_ended(now) {
            self.close_until(now);
        }
        match fact {
            Fact::Arrived { client, .. } => self.clients[client.index()].arrivals += times,
            Fact::Sent { edge, .. } if !edge.is_between_services() => {
                self.clients[edge.index()].attempts += times;
            }
            Fact::Succeeded { client, .. } => self.clients[client.index()].goodput += times,
            Fact::Failed { client, .. } => self.clients[client.index()].failed += times,
            Fact::Queued { service, .. } => self.queues[service.index()] += times,
            Fact::Shed { service, dropped, .. } => {
                self.queues[service.index()] -= times * u64::from(dropped.is_from_queue());
            }
            Fact::Started { service, from_queue: true, .. }
            | Fact::Lost { service, place: Place::Queue, .. }
            | Fact::Withdrawn { service, place: Place::Queue, .. } => {
                self.queues[service.index()] -= times;
            }
            Fact::Started { from_queue: false, .. }
            | Fact::Lost { place: Place::Worker, .. }
            | Fact::Withdrawn { place: Place::Worker, .. }
            | Fact::TimedOut { .. }
            | Fact::Refused { .. }
            | Fact::RefusalBegun { .. }
            | Fact::RefusalSaid { .. }
            | Fact::RefusalLost { .. }
            | Fact::Completed { .. }
            | Fact::CameToNothing { .. }
            | Fact::BudgetDenied { .. }
            | Fact::Repeated { .. }
            | Fact::Executed { .. }
            | Fact::Replayed { .. }
            | Fact::Conflicted { .. }
            | Fact::KeyExpired { .. }
            | Fact::Blocked { .. }
            | Fact::LostOnTheWay { .. }
            | Fact::HeldBack { .. }
            | Fact::BreakerOpened { .. }
            | Fact::Routed { .. }
            | Fact::Settled { .. }
            | Fact::Ejected { .. }
            | Fact::Reinstated { .. }
            | Fact::Called { .. }
            | Fact::Hit { .. }
            | Fact::Coalesced { .. }
            | Fact::Returned { .. }
            | Fact::Sent { .. }
            | Fact::TriggerBegan { .. }
            | Fact::TriggerEnded { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. } => {}
        }
    }

    fn finish(&mut self, horizon: Time) {
        if !self.clients.is_empty() {
            self.close_until(horizon);
        }
    }
}
