//! Everything that changes during a run, as plain data.

use std::collections::VecDeque;
use std::ops::Range;

use super::agenda::{Agenda, Lane, Lanes};
use super::calls::Calls;
use crate::id::ServiceId;
use crate::model::Model;
use crate::policy::budget::{Charged, Ledger};
use crate::policy::retry::Failure;
use crate::random::{Purpose, Stream};
use crate::time::{Span, Time};

/// The state of a run. It can be cloned at any instant, and used for one run after another: memory
/// once taken is kept, so that a second run of the same shape allocates nothing in its loop.
#[derive(Clone, Debug, Default)]
pub struct World<A = Lanes> {
    pub(super) agenda: A,
    /// How many entries have been scheduled.
    pub(super) sequence: u64,
    pub(super) calls: Calls,
    pub(super) clients: Vec<ClientState>,
    pub(super) services: Vec<ServiceState>,
    /// The workers of all services, one service after the other.
    pub(super) workers: Vec<Worker>,
    /// Services that may have both an idle worker and someone waiting.
    pub(super) hand_overs: VecDeque<ServiceId>,
}

#[derive(Clone, Debug)]
pub(super) struct ClientState {
    pub(super) arrivals: Stream,
    /// How many requests have arrived.
    pub(super) arrived: u64,
    pub(super) work: Stream,
    /// Whether requests need a number from `work` at all.
    pub(super) work_is_random: bool,
    pub(super) ledger: Option<Ledger>,
    /// When the ledger is asked.
    pub(super) charged: Charged,
    pub(super) jitter: Stream,
    /// Whether it has a budget, or something of each request is kept between its attempts.
    pub(super) keeps_books: bool,
    pub(super) arrival_lane: Lane,
    pub(super) timeout_lane: Lane,
    pub(super) retry_lane: Lane,
    pub(super) refusal_lane: Lane,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ServiceState {
    pub(super) queue: VecDeque<Waiting>,
    /// Workers with nothing to do.
    pub(super) idle: Vec<u32>,
    /// How many stalls are on.
    pub(super) stalls: u32,
    /// Whether it stands in [`World::hand_overs`].
    pub(super) hands_over: bool,
    /// Its workers are these of [`World::workers`].
    pub(super) workers: Range<u32>,
    pub(super) completion_lane: Lane,
}

/// An attempt in a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) since: Time,
    pub(super) call: u32,
    pub(super) attempt: u32,
}

/// A worker and the attempt in its hands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worker {
    pub(super) service: ServiceId,
    pub(super) call: u32,
    pub(super) attempt: u32,
    /// When it will be done; [`Time::NEVER`] while it is idle or frozen. A completion in the agenda
    /// for another instant is dead.
    pub(super) completes: Time,
    /// The whole work of the attempt.
    pub(super) work: Span,
    /// While frozen: what is left of the work.
    pub(super) left: Span,
    /// Which of the things scheduled its completion is.
    pub(super) sequence: u64,
}

impl<A: Agenda> World<A> {
    /// Back to the instant before anything has happened in `model` under `seed`.
    pub(super) fn reset(&mut self, model: &Model, seed: u64) {
        self.agenda.clear();
        self.sequence = 0;
        self.calls.clear();
        self.hand_overs.clear();
        let mut lanes = LaneMap::default();

        self.workers.clear();
        self.services.truncate(model.services.len());
        self.services.resize_with(model.services.len(), ServiceState::default);
        for (index, (service, state)) in model.services.iter().zip(&mut self.services).enumerate() {
            let first = self.workers.len() as u32;
            let idle = Worker::idle(ServiceId(index as u16));
            self.workers.resize(self.workers.len() + service.workers.get() as usize, idle);
            state.reset(first..self.workers.len() as u32);
            state.completion_lane = lanes.of_optional(Use::Work, service.service_time.constant());
        }

        self.clients.clear();
        for client in &model.clients {
            let edge = &client.edge;
            self.clients.push(ClientState {
                arrivals: Stream::new(seed, Purpose::Arrivals, &client.name),
                arrived: 0,
                work: Stream::new(seed, Purpose::Work, &client.name),
                work_is_random: model.service(edge.to).service_time.constant().is_none(),
                ledger: edge.budget.map(|budget| budget.open()),
                charged: edge.budget.map_or(Charged::AtDispatch, |budget| budget.charged),
                jitter: Stream::new(seed, Purpose::Jitter, &client.name),
                keeps_books: edge.retry.remembers()
                    || edge.retry.may_stop()
                    || edge.budget.is_some(),
                timeout_lane: lanes.of_optional(Use::Timeout, edge.timeout),
                retry_lane: lanes.of_optional(Use::Retry, edge.retry.backoff.constant()),
                refusal_lane: lanes
                    .of_optional(Use::Retry, edge.retry.constant_wait(Failure::Refused)),
                arrival_lane: Lane::NONE,
            });
        }
        // A lane for a single pending arrival saves less than one for many pending timers.
        for state in &mut self.clients {
            state.arrival_lane = lanes.own();
        }
    }
}

impl ServiceState {
    fn reset(&mut self, workers: Range<u32>) {
        self.queue.clear();
        self.idle.clear();
        self.idle.extend(workers.clone().rev());
        self.stalls = 0;
        self.hands_over = false;
        self.workers = workers;
    }

    /// Its workers, as indices.
    pub(super) fn worker_range(&self) -> Range<usize> {
        self.workers.start as usize..self.workers.end as usize
    }
}

impl Worker {
    const fn idle(service: ServiceId) -> Self {
        Self {
            service,
            call: 0,
            attempt: 0,
            completes: Time::NEVER,
            work: Span::ZERO,
            left: Span::ZERO,
            sequence: 0,
        }
    }
}

/// Gives out the lanes of the agenda: what is scheduled with one constant delay comes due in order.
#[derive(Debug, Default)]
struct LaneMap(Vec<Option<(Use, Span)>>);

/// What a delay is for. Equal delays of different kinds share no lane, as their classes could be out
/// of order at equal instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Work,
    Timeout,
    Retry,
}

impl LaneMap {
    fn of(&mut self, kind: Use, delay: Span) -> Lane {
        let wanted = Some((kind, delay));
        let index = self.0.iter().position(|&known| known == wanted).unwrap_or_else(|| {
            self.0.push(wanted);
            self.0.len() - 1
        });
        Lane::number(index)
    }

    fn of_optional(&mut self, kind: Use, delay: Option<Span>) -> Lane {
        delay.map_or(Lane::NONE, |delay| self.of(kind, delay))
    }

    /// A lane shared with nobody.
    fn own(&mut self) -> Lane {
        self.0.push(None);
        Lane::number(self.0.len() - 1)
    }
}
