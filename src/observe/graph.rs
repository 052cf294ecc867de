//! A run in windows, service by service and edge by edge.

use super::roll::Roll;
use super::{Dropped, Fact, Link, Observer, Place, Sending, Station};
use crate::id::{EdgeId, ServiceId};
use crate::model::{Caller, Model};
use crate::policy::outcome::Failure;
use crate::time::{Span, Time};

/// Every service and every edge in windows of equal width. Where there is only one of each, nothing is
/// kept: the [timeline](super::Timeline) says it all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    roll: Roll,
    stations: Vec<Station>,
    links: Vec<Link>,
    hands: Vec<Hands>,
    ends: Vec<Ends>,
    /// Finished windows, one after the other, every service in each.
    past_stations: Vec<Station>,
    /// Finished windows, one after the other, every edge in each.
    past_links: Vec<Link>,
}

/// Who calls over an edge, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ends {
    from: Caller,
    to: ServiceId,
}

/// How many attempts a service has in its hands, and since when so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Hands {
    count: u64,
    since: Time,
}

impl Graph {
    /// Nothing is kept.
    pub const fn none() -> Self {
        Self {
            roll: Roll::never(),
            stations: Vec::new(),
            links: Vec::new(),
            hands: Vec::new(),
            ends: Vec::new(),
            past_stations: Vec::new(),
            past_links: Vec::new(),
        }
    }

    /// The services and edges of `model`, if there are several of either.
    pub fn of(model: &Model) -> Self {
        let ends: Vec<Ends> =
            model.edges().map(|(_, from, edge)| Ends { from, to: edge.to }).collect();
        let services = model.services.len();
        if ends.len() < 2 && services < 2 {
            return Self::none();
        }
        Self {
            roll: Roll::new(model.window),
            stations: vec![Station::default(); services],
            links: vec![Link::default(); ends.len()],
            hands: vec![Hands::default(); services],
            ends,
            ..Self::none()
        }
    }

    /// Whether nothing is kept.
    pub const fn is_none(&self) -> bool {
        self.stations.is_empty()
    }

    /// What each service saw in each finished window.
    pub fn stations(&self) -> impl DoubleEndedIterator<Item = &[Station]> + ExactSizeIterator {
        self.past_stations.chunks_exact(self.stations.len().max(1))
    }

    /// What went over each edge in each finished window, those of the clients first.
    pub fn links(&self) -> impl DoubleEndedIterator<Item = &[Link]> + ExactSizeIterator {
        self.past_links.chunks_exact(self.links.len().max(1))
    }

    /// The edge at position `index` of the links.
    pub fn edge(&self, index: usize) -> EdgeId {
        match self.ends[index].from {
            Caller::Client(client) => client.into(),
            Caller::Service(..) => EdgeId::between_services(index),
        }
    }

    /// What one service saw in the whole run; none if nothing is kept.
    pub fn station(&self, id: ServiceId) -> Option<Station> {
        self.stations().map(|window| window[id.index()]).reduce(Station::and)
    }

    /// What went over one edge in the whole run; none if nothing is kept.
    pub fn link(&self, id: EdgeId) -> Option<Link> {
        self.links().map(|window| window[id.index()]).reduce(Link::and)
    }

    /// Every service and every edge in the whole run: of each edge with the fresh requests of the
    /// clients whose requests may come to it. Nothing if nothing is kept.
    pub fn totals(&self) -> (Vec<Station>, Vec<(Link, u64)>) {
        let mut stations = vec![Station::default(); self.stations.len()];
        for window in self.stations() {
            stations.iter_mut().zip(window).for_each(|(sum, seen)| *sum = sum.and(*seen));
        }
        let mut links = vec![Link::default(); self.links.len()];
        for window in self.links() {
            links.iter_mut().zip(window).for_each(|(sum, seen)| *sum = sum.and(*seen));
        }
        let above = self.fresh_above(&links);
        let fresh = |(ends, link): (&Ends, &Link)| match ends.from {
            Caller::Client(_) => link.requests,
            Caller::Service(id, _) => above[id.index()],
        };
        let fresh: Vec<u64> = self.ends.iter().zip(&links).map(fresh).collect();
        (stations, links.into_iter().zip(fresh).collect())
    }

    /// Of each service, the fresh requests of the clients that reach it, each client counted once
    /// however many paths there are.
    fn fresh_above(&self, links: &[Link]) -> Vec<u64> {
        let mut callees = vec![Vec::new(); self.stations.len()];
        for ends in &self.ends {
            if let Caller::Service(id, _) = ends.from {
                callees[id.index()].push(ends.to.index());
            }
        }
        let mut fresh = vec![0; self.stations.len()];
        for (ends, link) in self.ends.iter().zip(links) {
            if let Caller::Client(_) = ends.from {
                let mut is_reached = vec![false; self.stations.len()];
                let mut next = vec![ends.to.index()];
                while let Some(service) = next.pop() {
                    if !std::mem::replace(&mut is_reached[service], true) {
                        fresh[service] += link.requests;
                        next.extend(&callees[service]);
                    }
                }
            }
        }
        fresh
    }

    #[cold]
    fn close_until(&mut self, now: Time) {
        while let Some(end) = self.roll.next_end(now) {
            for (station, hands) in self.stations.iter_mut().zip(&mut self.hands) {
                station.in_service += hands.until(end);
            }
            self.past_stations.extend_from_slice(&self.stations);
            self.past_links.extend_from_slice(&self.links);
            for station in &mut self.stations {
                let Station { queue, serving, .. } = *station;
                *station = Station { queue, serving, ..Station::default() };
            }
            self.links.fill(Link::default());
        }
    }

    fn took(&mut self, service: ServiceId, now: Time) {
        let hands = &mut self.hands[service.index()];
        self.stations[service.index()].in_service += hands.until(now);
        hands.count += 1;
    }

    fn let_go(&mut self, service: ServiceId, now: Time) {
        let hands = &mut self.hands[service.index()];
        self.stations[service.index()].in_service += hands.until(now);
        hands.count -= 1;
    }

    fn station_mut(&mut self, service: ServiceId) -> &mut Station {
        &mut self.stations[service.index()]
    }

    fn link_mut(&mut self, edge: EdgeId) -> &mut Link {
        &mut self.links[edge.index()]
    }

    /// An attempt has left a service without an answer.
    fn left(&mut self, service: ServiceId, place: Place, now: Time) {
        match place {
            Place::Queue => self.station_mut(service).queue -= 1,
            Place::Worker => {
                self.station_mut(service).serving -= 1;
                self.let_go(service, now);
            }
        }
    }
}

impl Hands {
    /// What those in hand have spent there since it was last asked.
    fn until(&mut self, now: Time) -> Span {
        let spent = now.since(self.since).saturating_mul(self.count);
        self.since = now;
        spent
    }
}

impl Observer for Graph {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        if !self.is_none() {
            self.see(now, fact);
        }
    }

    fn finish(&mut self, horizon: Time) {
        if !self.is_none() {
            self.close_until(horizon);
        }
    }
}

impl Graph {
    #[inline(always)]
    fn see(&mut self, now: Time, fact: Fact) {
        if self.roll.has_ended(now) {
            self.close_until(now);
        }
        match fact {
            Fact::Arrived { client, .. } => self.link_mut(client.into()).requests += 1,
            Fact::Called { edge, .. } => self.link_mut(edge).requests += 1,
            Fact::Succeeded { client, .. } => self.link_mut(client.into()).answered += 1,
            Fact::Failed { client, .. } => self.link_mut(client.into()).failed += 1,
            Fact::Returned { edge, answered, .. } => {
                let link = self.link_mut(edge);
                link.answered += u64::from(answered);
                link.failed += u64::from(!answered);
            }
            Fact::Sent { edge, kind, .. } => {
                let link = self.link_mut(edge);
                link.attempts += 1;
                match kind {
                    Sending::First => {}
                    Sending::Retry => link.retries += 1,
                    Sending::Hedge => link.hedges += 1,
                }
            }
            Fact::Repeated { edge, .. } => self.link_mut(edge).repeats += 1,
            Fact::Executed { service, before, .. } => {
                let station = self.station_mut(service);
                station.executions += 1;
                station.duplicates += u64::from(before > 0);
            }
            Fact::TimedOut { edge, .. } => self.link_mut(edge).timed_out += 1,
            Fact::BudgetDenied { edge, .. } => self.link_mut(edge).denied += 1,
            Fact::Ejected { edge, .. } => self.link_mut(edge).ejections += 1,
            Fact::HeldBack { edge, .. } => self.link_mut(edge).held_back += 1,
            Fact::CameToNothing { edge, work, .. } => {
                let station = self.station_mut(self.ends[edge.index()].to);
                station.wasted += 1;
                station.wasted_work += work;
            }
            Fact::Refused { service, edge, failure, .. } => {
                let failed = u64::from(failure != Failure::Refused);
                let link = self.link_mut(edge);
                link.refused += 1;
                link.failed_at_once += failed;
                let station = self.station_mut(service);
                station.attempts += 1;
                station.rejected += 1;
                station.failed_at_once += failed;
            }
            Fact::Queued { service, .. } => {
                let station = self.station_mut(service);
                station.attempts += 1;
                station.queue += 1;
            }
            Fact::Shed { service, dropped, .. } => {
                let station = self.station_mut(service);
                station.shed += 1;
                match dropped {
                    Dropped::OnArrival => station.attempts += 1,
                    Dropped::AtPickUp | Dropped::ByTimer => station.queue -= 1,
                }
            }
            Fact::Started { service, waited, from_queue, .. } => {
                let station = self.station_mut(service);
                station.started += 1;
                station.waited += waited;
                station.attempts += u64::from(!from_queue);
                station.queue -= u64::from(from_queue);
                station.serving += 1;
                self.took(service, now);
            }
            Fact::Completed { service, work, useful, .. } => {
                let station = self.station_mut(service);
                station.completed += 1;
                station.serving -= 1;
                station.work += work;
                if !useful {
                    station.wasted += 1;
                    station.wasted_work += work;
                }
                self.let_go(service, now);
            }
            Fact::RefusalBegun { service, .. } => self.took(service, now),
            Fact::RefusalSaid { service, .. }
            | Fact::RefusalLost { service, place: Place::Worker, .. } => self.let_go(service, now),
            Fact::Lost { service, place, .. } => {
                self.station_mut(service).lost += 1;
                self.left(service, place, now);
            }
            Fact::Withdrawn { service, place, .. } => {
                self.station_mut(service).withdrawn += 1;
                self.left(service, place, now);
            }
            Fact::RefusalLost { place: Place::Queue, .. }
            | Fact::Hit { .. }
            | Fact::Replayed { .. }
            | Fact::Conflicted { .. }
            | Fact::KeyExpired { .. }
            | Fact::Coalesced { .. }
            | Fact::Blocked { .. }
            | Fact::LostOnTheWay { .. }
            | Fact::BreakerOpened { .. }
            | Fact::Routed { .. }
            | Fact::Settled { .. }
            | Fact::Reinstated { .. }
            | Fact::TriggerBegan { .. }
            | Fact::TriggerEnded { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. } => {}
        }
    }
}
