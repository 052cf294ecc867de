//! Everything that changes during a run, as plain data.

use std::collections::VecDeque;
use std::fmt::{Arguments, Write};
use std::num::NonZeroU32;
use std::ops::Range;

use super::agenda::{Agenda, Lane, Lanes};
use super::arrivals::{Source, Surge};
use super::calls::Calls;
use super::connections::Reconnections;
use super::lane_map::{LaneMap, Use};
use super::lever::Alert;
use super::network::Journeys;
use super::operations::Part;
use super::queue_timer::QueueTimers;
use super::state::{ClientState, EdgeState, Network, Owner, Station, StationState, User, Worker};
use super::visits::Visits;
use crate::id::{ClientId, ServiceId};
use crate::model::{
    Action, Arrivals, Disturbance, Edge, LateAnswers, Model, PassedOn, Service, Trigger,
};
use crate::policy::effect::Desk;
use crate::policy::pool::Leases;
use crate::policy::retry::Failure;
use crate::random::{Purpose, Stream, name_key};
use crate::time::Time;
use crate::unit::Fraction;

/// The state of a run. It can be cloned at any instant, and used for one run after another: memory
/// once taken is kept, so that a second run of the same shape allocates nothing in its loop.
#[derive(Clone, Debug, Default)]
pub struct World<A = Lanes> {
    pub(super) agenda: A,
    /// How many entries have been scheduled.
    pub(super) sequence: u64,
    pub(super) calls: Calls,
    pub(super) journeys: Journeys,
    pub(super) queue_timers: QueueTimers,
    pub(super) visits: Visits,
    /// What each service knows of operations that were executed, if it counts them.
    pub(super) desks: Vec<Option<Desk>>,
    /// What each worker has to do with that; only where any service counts.
    pub(super) parts: Vec<Part>,
    pub(super) clients: Vec<ClientState>,
    /// Those of the clients, and then those of the services, one service after the other.
    pub(super) edges: Vec<EdgeState>,
    pub(super) reconnections: Reconnections,
    /// The pools that several edges share.
    pub(super) pools: Vec<Leases>,
    /// The users of all closed loops, one client after the other.
    pub(super) users: Vec<User>,
    /// The first of its instances among all of them, for each service; and how many there are.
    pub(super) first_stations: Vec<u16>,
    /// The instances of all services, one service after the other.
    pub(super) stations: Vec<StationState>,
    /// The workers of all services, one service after the other.
    pub(super) workers: Vec<Worker>,
    /// Services that may have both an idle worker and someone waiting.
    pub(super) hand_overs: VecDeque<Station>,
    /// One for each trigger of the model, used by those that are surges.
    pub(super) surges: Vec<Surge>,
    /// Whether an answer may be waited for that the number of its attempt does not show to be.
    pub(super) has_exceptions: bool,
    /// One for each lever of the model.
    pub(super) alerts: Vec<Alert>,
    /// Where workers are listed that something is done about.
    pub(super) busy_workers: Vec<u32>,
    lanes: LaneMap,
    /// Where names are put together that streams are keyed by.
    name: String,
}

impl<A: Agenda> World<A> {
    /// Back to the instant before anything has happened in `model` under `seed`.
    pub(super) fn reset(&mut self, model: &Model, seed: u64) {
        self.agenda.clear();
        self.sequence = 0;
        self.calls.clear();
        self.journeys.clear();
        self.queue_timers.clear();
        self.reconnections.clear();
        self.hand_overs.clear();
        self.visits.clear();
        let is_exceptional =
            |edge: &Edge| edge.keeps_books() || edge.late_answers == LateAnswers::Accepted;
        self.has_exceptions = models(model).any(|model| {
            model.is_graph()
                || model.services.iter().any(|service| service.instances.get() > 1)
                || model.clients.iter().any(|client| is_exceptional(&client.edge))
        });
        self.alerts.clear();
        self.alerts.resize(model.levers.len(), Alert::QUIET);
        self.surges.clear();
        self.surges.extend((0..model.triggers.len()).map(|index| {
            let owner = surge_owner(&mut self.name, &model.triggers, index);
            Surge {
                source: Source::new(seed, owner),
                keys: Stream::new(seed, Purpose::Requests, owner),
                client: 0,
                begun: Time::ZERO,
                is_on: false,
            }
        }));
        self.lanes.clear();
        self.reset_services(model, seed);
        self.reset_parts();
        self.reset_clients(model, seed);
        self.reset_inner_edges(model, seed);
        // A lane for a single pending arrival saves less than one for many pending timers.
        for state in &mut self.clients {
            state.arrival_lane = self.lanes.own();
        }
        self.reset_pools(model);
    }

    /// The pools that edges have in common are found by their names, once.
    fn reset_pools(&mut self, model: &Model) {
        self.pools.clear();
        let mut names: Vec<&str> = Vec::new();
        for (id, _, edge) in model.edges() {
            let (Some(name), Some(pool)) = (&edge.shared_pool, &edge.pool) else { continue };
            let index = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name);
                self.pools.push(pool.open());
                names.len() - 1
            });
            self.edges[id.index()].shared_pool = Some(index as u16);
        }
    }

    fn reset_services(&mut self, model: &Model, seed: u64) {
        self.workers.clear();
        self.first_stations.clear();
        let mut count = 0;
        for service in &model.services {
            self.first_stations.push(count);
            count += service.instances.get();
        }
        self.first_stations.push(count);
        self.stations.truncate(usize::from(count));
        self.stations.resize_with(usize::from(count), StationState::default);
        self.desks.clear();
        let desk = |service: &Service| service.effect.map(|effect| effect.idempotency.open());
        self.desks.extend(model.services.iter().map(desk));
        for (index, service) in model.services.iter().enumerate() {
            let id = ServiceId(index as u16);
            let lane = self.lanes.of_optional(Use::Work, service.service_time.constant());
            for station in self.stations_of(id) {
                let first = self.workers.len();
                let workers = first + most_workers(model, id) as usize;
                self.workers.resize(workers, Worker::idle(Station(station)));
                let state = &mut self.stations[usize::from(station)];
                let instance = station - self.first_stations[index];
                state.reset(id, instance, service, seed, first as u32..workers as u32, lane);
                state.review(service);
            }
        }
    }

    /// Nobody has anything to do with an operation yet.
    fn reset_parts(&mut self) {
        self.parts.clear();
        if self.desks.iter().any(Option::is_some) {
            self.parts.resize(self.workers.len(), Part::None);
        }
    }

    fn reset_clients(&mut self, model: &Model, seed: u64) {
        self.clients.truncate(model.clients.len());
        self.users.clear();
        for (index, client) in model.clients.iter().enumerate() {
            let mut state = ClientState {
                source: Source::new(seed, &client.name),
                arrived: 0,
                succeeded: 0,
                keys: Stream::new(seed, Purpose::Requests, &client.name),
                needs_keys: needs_keys(model, ClientId(index as u16)),
                blocks: Vec::new(),
                thinnings: Vec::new(),
                first_user: None,
                arrival_lane: Lane::NONE,
            };
            if let Arrivals::Users(users) = &client.arrivals {
                state.first_user = Some(self.users.len() as u32);
                let user = User { client: index as u16, sent_at: Time::ZERO };
                self.users.resize(self.users.len() + usize::from(users.count.get()), user);
            }
            put(&mut self.clients, index, state, ClientState::inherit);
            let jitter = Stream::new(seed, Purpose::Jitter, &client.name);
            let owner = Owner::Client(ClientId(index as u16));
            let to = self.station(client.edge.to, 0);
            let edge = fresh_edge(owner, to, &client.edge, jitter, &mut self.lanes);
            let edge = put(&mut self.edges, index, edge, EdgeState::inherit);
            edge.open_books(&client.edge, client.instance_count(), model.service(client.edge.to));
            edge.review(&client.edge);
        }
    }
}

impl<A> World<A> {
    /// One instance of a service.
    pub(super) fn station(&self, service: ServiceId, instance: u16) -> Station {
        Station(self.first_stations[service.index()] + instance)
    }

    /// All instances of a service.
    pub(super) fn stations_of(&self, service: ServiceId) -> Range<u16> {
        self.first_stations[service.index()]..self.first_stations[service.index() + 1]
    }
}

impl<A: Agenda> World<A> {
    fn reset_inner_edges(&mut self, model: &Model, seed: u64) {
        let mut count = model.clients.len();
        for (index, service) in model.services.iter().enumerate() {
            for station in self.stations_of(ServiceId(index as u16)) {
                self.stations[usize::from(station)].first_edge = count as u32;
            }
            for (nth, call) in service.calls.list.iter().enumerate() {
                let to = self.station(call.edge.to, 0);
                let name = put_together(
                    &mut self.name,
                    format_args!("{} calls {}", service.name, call.name),
                );
                let owner = Owner::Service(ServiceId(index as u16), nth as u16);
                let jitter = Stream::new(seed, Purpose::Jitter, name);
                let edge = fresh_edge(owner, to, &call.edge, jitter, &mut self.lanes);
                let edge = put(&mut self.edges, count, edge, EdgeState::inherit);
                count += 1;
                edge.salt = name_key(name);
                edge.keeps_books |= call.deadline == PassedOn::PassedOn;
                edge.open_books(&call.edge, service.instances.get(), model.service(call.edge.to));
                edge.review(&call.edge);
            }
        }
        self.edges.truncate(count);
    }
}

/// Puts `new` into the place at `index` of `list`, or behind its end. It may `inherit` memory from what
/// was there.
fn put<T>(list: &mut Vec<T>, index: usize, mut new: T, inherit: fn(&mut T, &mut T)) -> &mut T {
    if let Some(old) = list.get_mut(index) {
        inherit(&mut new, old);
        *old = new;
    } else {
        list.push(new);
    }
    &mut list[index]
}

/// The text of `parts`, in `name`.
fn put_together<'a>(name: &'a mut String, parts: Arguments<'_>) -> &'a str {
    name.clear();
    name.write_fmt(parts).expect("a string takes any text");
    name
}

/// What the streams of a surge are keyed by: the trigger at `index`, in `name`. One that repeats does not
/// bring the same customers again.
pub(super) fn surge_owner<'a>(name: &'a mut String, triggers: &[Trigger], index: usize) -> &'a str {
    let trigger = &triggers[index];
    let earlier = triggers[..index].iter().filter(|other| other.name == trigger.name);
    put_together(name, format_args!("{} {}", trigger.name, earlier.count()))
}

/// An edge whose books are not open yet, and of which nothing is kept ready.
fn fresh_edge(
    owner: Owner,
    to: Station,
    edge: &Edge,
    jitter: Stream,
    lanes: &mut LaneMap,
) -> EdgeState {
    let journey = edge.latency.as_ref().and_then(|law| law.constant());
    EdgeState {
        owner,
        salt: 0,
        to,
        keeps_books: false,
        is_direct: true,
        timeout: None,
        plain_retry: None,
        timeout_lane: lanes.of_optional(Use::Timeout, edge.timeout),
        retry_lane: lanes.of_optional(Use::Retry, edge.retry.backoff.constant()),
        refusal_lane: lanes.of_optional(Use::Retry, edge.retry.constant_wait(Failure::Refused)),
        journey_lane: lanes.of_optional(Use::Journey, journey),
        jitter,
        memories: Vec::new(),
        shared_pool: None,
        network: Network::default(),
    }
}

/// Every model that the run may follow: the one it starts with and those that levers change to.
fn models(model: &Model) -> impl Iterator<Item = &Model> {
    let changes = model.levers.iter().filter_map(|lever| match &lever.action {
        Action::Change(model) => Some(&**model),
        Action::Block { .. } | Action::DropQueue { .. } | Action::Restart { .. } => None,
    });
    std::iter::once(model).chain(changes)
}

/// The largest number of workers that the service can have during the run.
fn most_workers(model: &Model, id: ServiceId) -> u32 {
    let usual = models(model).map(|model| model.service(id).workers);
    let scaled = model.service(id).scaling.map(|scaling| scaling.max);
    let by_triggers = model.triggers.iter().filter_map(|trigger| match trigger.disturbance {
        Disturbance::Capacity { service, workers } => (service == id).then_some(workers),
        Disturbance::Stall { .. }
        | Disturbance::Slowdown { .. }
        | Disturbance::Surge { .. }
        | Disturbance::Outage(_)
        | Disturbance::Latency { .. }
        | Disturbance::ErrorShare { .. }
        | Disturbance::Loss { .. }
        | Disturbance::Flush { .. } => None,
    });
    usual.chain(by_triggers).chain(scaled).map(NonZeroU32::get).max().unwrap_or(1)
}

/// Whether anything about the client's requests is random beside when they arrive.
fn needs_keys(model: &Model, id: ClientId) -> bool {
    let by_policy = |model: &Model| {
        let client = &model.clients[id.index()];
        let service = model.service(client.edge.to);
        service.service_time.constant().is_none()
            || service.instances.get() > 1
            || client.edge.cache.is_some()
            || client.edge.loss.loses()
            || service.effect.is_some()
            || client.edge.pool.is_some_and(|pool| pool.dead.is_some())
            || service.errors.share != Fraction::ZERO
            || client.edge.latency.as_ref().is_some_and(|law| law.constant().is_none())
            || matches!(client.arrivals, Arrivals::Users(_))
    };
    let by_trigger = model.triggers.iter().any(|trigger| match trigger.disturbance {
        Disturbance::ErrorShare { .. } | Disturbance::Loss { .. } | Disturbance::Surge { .. } => {
            true
        }
        Disturbance::Stall { .. }
        | Disturbance::Slowdown { .. }
        | Disturbance::Outage(_)
        | Disturbance::Latency { .. }
        | Disturbance::Flush { .. }
        | Disturbance::Capacity { .. } => false,
    });
    if model.is_graph() {
        return true;
    }
    let by_lever = model.levers.iter().any(|lever| matches!(lever.action, Action::Block { .. }));
    by_trigger || by_lever || models(model).any(by_policy)
}
