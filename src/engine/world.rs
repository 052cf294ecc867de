//! Everything that changes during a run, as plain data.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use super::agenda::{Agenda, Lane, Lanes};
use super::arrivals::{Source, Surge};
use super::calls::Calls;
use super::lane_map::{LaneMap, Use};
use super::lever::Alert;
use super::network::Journeys;
use super::queue_timer::QueueTimers;
use super::state::{ClientState, EdgeState, Network, ServiceState, User, Worker};
use crate::id::{ClientId, ServiceId};
use crate::model::{Action, Arrivals, Disturbance, Edge, LateAnswers, Model};
use crate::policy::retry::Failure;
use crate::random::{Purpose, Stream};
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
    pub(super) clients: Vec<ClientState>,
    /// One for each client.
    pub(super) edges: Vec<EdgeState>,
    /// The users of all closed loops, one client after the other.
    pub(super) users: Vec<User>,
    pub(super) services: Vec<ServiceState>,
    /// The workers of all services, one service after the other.
    pub(super) workers: Vec<Worker>,
    /// Services that may have both an idle worker and someone waiting.
    pub(super) hand_overs: VecDeque<ServiceId>,
    /// One for each trigger of the model, used by those that are surges.
    pub(super) surges: Vec<Surge>,
    /// Whether an answer may be waited for that the number of its attempt does not show to be.
    pub(super) has_exceptions: bool,
    /// One for each lever of the model.
    pub(super) alerts: Vec<Alert>,
}

impl<A: Agenda> World<A> {
    /// Back to the instant before anything has happened in `model` under `seed`.
    pub(super) fn reset(&mut self, model: &Model, seed: u64) {
        self.agenda.clear();
        self.sequence = 0;
        self.calls.clear();
        self.journeys.clear();
        self.queue_timers.clear();
        self.hand_overs.clear();
        self.has_exceptions = models(model).flat_map(|model| &model.clients).any(|client| {
            client.edge.keeps_books() || client.edge.late_answers == LateAnswers::Accepted
        });
        self.alerts.clear();
        self.alerts.resize(model.levers.len(), Alert::QUIET);
        self.surges.clear();
        self.surges.extend(model.triggers.iter().enumerate().map(|(index, trigger)| {
            // A trigger that repeats does not bring the same customers again.
            let earlier = model.triggers[..index].iter().filter(|other| other.name == trigger.name);
            let owner = format!("{} {}", trigger.name, earlier.count());
            Surge {
                source: Source::new(seed, &owner),
                keys: Stream::new(seed, Purpose::Requests, &owner),
                client: 0,
                begun: Time::ZERO,
                is_on: false,
            }
        }));
        let mut lanes = LaneMap::default();
        self.reset_services(model, seed, &mut lanes);
        self.reset_clients(model, seed, &mut lanes);
    }

    fn reset_services(&mut self, model: &Model, seed: u64, lanes: &mut LaneMap) {
        self.workers.clear();
        self.services.truncate(model.services.len());
        self.services.resize_with(model.services.len(), ServiceState::default);
        for (index, (service, state)) in model.services.iter().zip(&mut self.services).enumerate() {
            let id = ServiceId(index as u16);
            let first = self.workers.len();
            self.workers.resize(first + most_workers(model, id) as usize, Worker::idle(id));
            let lane = lanes.of_optional(Use::Work, service.service_time.constant());
            state.reset(service, seed, first as u32..self.workers.len() as u32, lane);
            state.review(service);
        }
    }

    fn reset_clients(&mut self, model: &Model, seed: u64, lanes: &mut LaneMap) {
        self.clients.clear();
        self.users.clear();
        self.edges.clear();
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
            self.clients.push(state);
            let jitter = Stream::new(seed, Purpose::Jitter, &client.name);
            let mut edge = fresh_edge(&client.edge, jitter, lanes);
            edge.open_books(&client.edge, client.instance_count());
            self.edges.push(edge);
        }
        // A lane for a single pending arrival saves less than one for many pending timers.
        for state in &mut self.clients {
            state.arrival_lane = lanes.own();
        }
    }
}

fn fresh_edge(edge: &Edge, jitter: Stream, lanes: &mut LaneMap) -> EdgeState {
    let journey = edge.latency.as_ref().and_then(|law| law.constant());
    let mut state = EdgeState {
        to: edge.to,
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
        network: Network::default(),
    };
    state.review(edge);
    state
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
    let by_triggers = model.triggers.iter().filter_map(|trigger| match trigger.disturbance {
        Disturbance::Capacity { service, workers } => (service == id).then_some(workers),
        Disturbance::Stall { .. }
        | Disturbance::Slowdown { .. }
        | Disturbance::Surge { .. }
        | Disturbance::Outage(_)
        | Disturbance::Latency { .. }
        | Disturbance::ErrorShare { .. }
        | Disturbance::Loss { .. } => None,
    });
    usual.chain(by_triggers).map(NonZeroU32::get).max().unwrap_or(1)
}

/// Whether anything about the client's requests is random beside when they arrive.
fn needs_keys(model: &Model, id: ClientId) -> bool {
    let by_policy = |model: &Model| {
        let client = &model.clients[id.index()];
        let service = model.service(client.edge.to);
        service.service_time.constant().is_none()
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
        | Disturbance::Capacity { .. } => false,
    });
    let by_lever = model.levers.iter().any(|lever| matches!(lever.action, Action::Block { .. }));
    by_trigger || by_lever || models(model).any(by_policy)
}
