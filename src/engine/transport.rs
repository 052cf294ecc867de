//! What happens beneath the policies of clients that have a transport: on which connection an attempt
//! leaves, and what is sent again before anybody else hears that it has failed.
//!
//! To every policy of the client it is one attempt, in one flight, with one timeout. To the service each
//! is another one, so each has a number of its own, and an answer to an earlier number finds nobody.

use super::Run;
use super::agenda::Agenda;
use super::calls::Whereabouts;
use super::client::Reception;
use super::flights::{Flight, Stage, UNTIMED};
use crate::id::ServiceId;
use crate::model::Sight;
use crate::observe::{CallId, Fact, Observer};
use crate::policy::outcome::Failure;
use crate::policy::retry::Hint;
use crate::policy::transport::{Carrier, Departure, Reached, Step};
use crate::time::{Span, Time};

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// Finds a connection for an attempt that leaves; a fresh one where nobody keeps any.
    pub(super) fn board(&mut self, flight: u32) -> Departure {
        let now = self.now;
        let call = self.world.calls.flights.get(flight).call;
        let connections = self.memory(call).connections.as_mut();
        let departure = connections.map_or(Departure::Fresh, |idle| idle.depart(now));
        self.world.calls.flights.get_mut(flight).carrier = departure.carrier();
        departure
    }

    /// An attempt leaves on a connection that is closed before it arrives: whoever sent it hears of that.
    pub(super) fn leave_on_dying(&mut self, call: u32, attempt: u32, after: Span) {
        let edge = self.world.calls.edge(call);
        self.observer.observe(self.now, Fact::LostOnTheWay { edge, call: CallId(call), attempt });
        self.break_off(call, attempt, after);
    }

    /// An attempt was answered, and its client was waiting for that: its connection is idle.
    pub(super) fn keep_connection(&mut self, call: u32) {
        let now = self.now;
        if let Some(connections) = &mut self.memory(call).connections {
            connections.keep(now);
        }
    }

    /// An attempt has failed while its client waits for it. If its transport can do something about that,
    /// nobody hears of it.
    pub(super) fn came_back(&mut self, flight: u32, failure: Failure, hint: Hint) {
        let Flight { call, until, carrier, .. } = *self.world.calls.flights.get(flight);
        let Some(transport) = self.edge_of(call).transport else {
            return self.flight_failed(flight, failure, hint);
        };
        match failure {
            Failure::Refused | Failure::Error => self.keep_connection(call),
            Failure::TimedOut | Failure::Reset | Failure::Unavailable => {}
        }
        let reached = match failure {
            Failure::TimedOut | Failure::Error => Reached::TheApplication,
            Failure::Refused => match self.model.service(self.edge_of(call).to).refusals.sight {
                Sight::Seen => Reached::TheApplication,
                Sight::Unseen => Reached::TheServer,
            },
            Failure::Reset => Reached::Unknown,
            Failure::Unavailable => Reached::Nobody,
        };
        let left = if until == Time::NEVER { Span::MAX } else { until.since(self.now) };
        let repeated = &mut self.world.calls.kept(call).repeated;
        match transport.repeats.after(reached, carrier, left, repeated) {
            Step::Again(wait) if wait < left => self.leave_after(flight, Stage::Repeats, wait),
            Step::Again(_) | Step::Fails => self.flight_failed(flight, failure, hint),
        }
    }

    /// An attempt is sent again, on a fresh connection.
    pub(super) fn send_again(&mut self, flight: u32) {
        let now = self.now;
        let Flight { call, station, .. } = *self.world.calls.flights.get(flight);
        let attempt = self.world.calls.take_number(call);
        let state = self.world.calls.flights.get_mut(flight);
        (state.attempt, state.departed) = (attempt, now);
        (state.stage, state.timer) = (Stage::Out, UNTIMED);
        (state.carrier, state.place) = (Carrier::Fresh, Whereabouts::Nowhere);
        let edge = self.world.calls.edge(call);
        self.observer.observe(now, Fact::Repeated { edge, call: CallId(call), attempt });
        match self.put_on_its_way(edge, station, call, attempt) {
            Reception::Taken => self.start_timer(flight),
            Reception::TurnedAway(failure, hint) => self.came_back(flight, failure, hint),
        }
    }

    /// A service has crashed, and with it its end of every connection. What leads to several instances
    /// leads to a balancer, which has not.
    pub(super) fn lose_connections(&mut self, service: ServiceId) {
        if self.model.service(service).instances.get() > 1 {
            return;
        }
        let to = self.world.station(service, 0);
        let edges = self.world.edges.iter_mut().filter(|edge| edge.to == to);
        let memories = edges.flat_map(|edge| &mut edge.memories);
        memories.filter_map(|memory| memory.connections.as_mut()).for_each(|idle| idle.clear());
    }
}
