//! The state of clients, services and workers.

use std::collections::VecDeque;
use std::mem;
use std::ops::Range;

use super::agenda::Lane;
use super::arrivals::Source;
use super::fleet::Front;
use super::outage::Cause;
use super::refusal::Refused;
use super::scaling::Scaler;
use super::visits::{End, VisitId};
use crate::id::{ClientId, EdgeId, ServiceId};
use crate::model::{Edge, Notice, OnAbandon, PassedOn, Scope, Service};
use crate::policy::admission::{Admission, Bucket};
use crate::policy::breaker::Circuit;
use crate::policy::budget::Ledger;
use crate::policy::cache::Store;
use crate::policy::discipline::{Discipline, WaitingRoom};
use crate::policy::hedge::Pace;
use crate::policy::limit::Limiter;
use crate::policy::pool::Leases;
use crate::policy::retry::Failure;
use crate::policy::shedding::{Shedder, Shedding};
use crate::policy::slowdown::Slowdown;
use crate::policy::throttle::Valve;
use crate::policy::transport::Connections;
use crate::random::{Bits, Purpose, Sprout, Stream};
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// Where requests come from.
#[derive(Clone, Debug)]
pub(super) struct ClientState {
    pub(super) source: Source,
    /// How many requests have arrived.
    pub(super) arrived: u64,
    /// How many requests have succeeded.
    pub(super) succeeded: u64,
    /// Draws the key of each request, from which everything random about it is drawn.
    pub(super) keys: Stream,
    /// Whether anything at all is drawn from them.
    pub(super) needs_keys: bool,
    /// Shares of fresh requests that an operator blocks at the moment.
    pub(super) blocks: Vec<Fraction>,
    /// Factors of surges below 1 that are on.
    pub(super) thinnings: Vec<(u32, f64)>,
    /// The first of its users in [`World::users`](super::World), if it is a closed loop.
    pub(super) first_user: Option<u32>,
    pub(super) arrival_lane: Lane,
}

/// Whose edge it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Client(ClientId),
    /// A service's, and which of its calls.
    Service(ServiceId, u16),
}

/// An edge, and whoever calls over it.
#[derive(Clone, Debug)]
pub(super) struct EdgeState {
    pub(super) owner: Owner,
    /// What is called: the first of its instances.
    pub(super) to: Station,
    /// Tells the calls that are made for one attempt apart, where anything random is about them.
    pub(super) salt: u64,
    /// Whether anything of a request is kept between its attempts.
    pub(super) keeps_books: bool,
    /// Whether attempts and answers arrive as they are sent.
    pub(super) is_direct: bool,
    /// How long it waits for an attempt, if it keeps no books.
    pub(super) timeout: Option<Span>,
    /// After a timeout: the wait before the next attempt, the same for each, and how often; none where
    /// more must be asked.
    pub(super) plain_retry: Option<(u32, Span)>,
    pub(super) timeout_lane: Lane,
    pub(super) retry_lane: Lane,
    pub(super) refusal_lane: Lane,
    pub(super) journey_lane: Lane,
    /// How it spreads its waits, and what else of its policies is random.
    pub(super) jitter: Stream,
    /// What its policies remember: one for all instances, or one each.
    pub(super) memories: Vec<Memory>,
    /// Which of the pools that several edges share it draws from, if any.
    pub(super) shared_pool: Option<u16>,
    pub(super) network: Network,
}

/// What policies remember that are about more than one request.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) ledger: Option<Ledger>,
    pub(super) valve: Option<Valve>,
    pub(super) circuit: Option<Circuit>,
    pub(super) pace: Option<Pace>,
    pub(super) leases: Option<Leases>,
    pub(super) front: Option<Front>,
    pub(super) store: Option<Store>,
    pub(super) connections: Option<Connections>,
}

/// What triggers have put between a client and its service.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    /// Latencies that triggers add at the moment, with the triggers.
    pub(super) added: Vec<(u32, Span)>,
    /// Shares that triggers lose at the moment, with the triggers.
    pub(super) losses: Vec<(u32, Fraction)>,
}

/// A user of a closed loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct User {
    pub(super) client: u16,
    /// When the latest request was sent.
    pub(super) sent_at: Time,
}

/// An instance of a service, by its position among all instances of all services, one service after
/// the other: what waits and works is here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Station(pub(super) u16);

impl Station {
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct StationState {
    /// Of which service.
    pub(super) of: ServiceId,
    pub(super) queue: WaitingRoom,
    /// What the queue was opened for: it is used again in a run with the same one.
    discipline: Discipline,
    /// Those that a worker has yet to refuse, before it looks at the queue.
    pub(super) refused: Refused,
    /// What makes its workers come and go.
    pub(super) scaler: Option<Box<Scaler>>,
    /// What serving an attempt takes.
    pub(super) serving: Serving,
    /// Whether any of its calls is told how much time is left.
    pub(super) passes_time_on: bool,
    /// The first of its edges in [`World::edges`](super::World).
    pub(super) first_edge: u32,
    /// Attempts that it has begun and that no worker is with while what it called is out.
    pub(super) away: u32,
    /// Those of them that wait for a worker.
    pub(super) resumed: VecDeque<VisitId>,
    /// Ends of calls that have come while it was frozen.
    pub(super) unread: Vec<(VisitId, EdgeId, End)>,
    /// How many of the busy workers are saying no.
    pub(super) saying_no: u32,
    /// Whether attempts leave the queue by the clock.
    pub(super) has_queue_timer: bool,
    /// Workers with nothing to do.
    pub(super) idle: Vec<u32>,
    /// Workers that do not count at the moment, by a trigger or a lever.
    pub(super) parked: Vec<u32>,
    /// How many workers should be there; more may be busy still.
    pub(super) wanted_workers: u32,
    /// How many workers have an attempt in hand.
    pub(super) busy: u32,
    /// What is wrong with it at the moment.
    pub(super) health: Health,
    /// The work of every attempt that starts now; zero if it depends on the attempt.
    pub(super) fixed_work: Span,
    /// Whether everything may wait, and is served when its turn comes.
    pub(super) is_open_to_all: bool,
    /// Whether an attempt may fail for reasons of the service's own, find it gone, or meet a limit; or
    /// whether its end must be noted.
    pub(super) is_guarded: bool,
    /// What it does about attempts that are given up.
    pub(super) on_abandon: OnAbandon,
    pub(super) shedder: Shedder,
    pub(super) limiter: Option<Limiter>,
    pub(super) bucket: Option<Bucket>,
    /// For choices of its own that no request brings with it.
    pub(super) bits: Sprout,
    /// The work of all that wait, kept only where admission asks for it.
    pub(super) waiting_work: Span,
    /// Whether it stands in [`World::hand_overs`](super::World).
    pub(super) hands_over: bool,
    /// Its workers are these of [`World::workers`](super::World).
    pub(super) workers: Range<u32>,
    pub(super) completion_lane: Lane,
}

/// What a service does to serve an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Serving {
    /// It works.
    #[default]
    Works,
    /// It calls other services meanwhile.
    Calls,
    /// It counts what it executes, and may call other services.
    Counts,
}

/// What triggers have done to a service and not yet undone.
#[derive(Clone, Debug, Default)]
pub(super) struct Health {
    /// Triggers that keep work frozen.
    pub(super) freezes: u32,
    /// Since when work has been frozen, while it is.
    pub(super) frozen_at: Time,
    /// Triggers, among those or not, under which nothing may start.
    pub(super) closures: u32,
    /// Outages that are on; the first one decides what arriving attempts are told.
    pub(super) outages: Vec<(Cause, Notice)>,
    /// Factors of slowdowns that are on, with the triggers.
    pub(super) slowdowns: Vec<(u32, f64)>,
    /// Shares of attempts that triggers fail, with the triggers.
    pub(super) error_shares: Vec<(u32, Fraction)>,
    /// Numbers of workers that triggers set, with the triggers; the last one holds.
    pub(super) capacities: Vec<(u32, u32)>,
}

/// In place of a completion: the worker has nothing to do.
pub(super) const IDLE: u64 = u64::MAX;
/// In place of a completion: it will not be done before the horizon.
pub(super) const BEYOND: u64 = u64::MAX - 1;
/// In place of a completion: it is frozen, and `completes` says when it would have been done.
pub(super) const FROZEN: u64 = u64::MAX - 2;

/// In place of a completion: it waits with an attempt for what the service has called.
pub(super) const HELD: u64 = u64::MAX - 3;

/// What a worker does with the attempt in its hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Errand {
    /// It serves it.
    Serves,
    /// It serves it, as this visit.
    Visit(u32),
    /// It answers it with what an earlier one has come to.
    Replays,
    /// It tells it that another one is being served.
    Conflicts,
    /// It refuses it.
    SaysNo,
}

/// A worker and the attempt in its hands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worker {
    pub(super) station: Station,
    pub(super) call: u32,
    pub(super) attempt: u32,
    /// When the attempt was let in.
    pub(super) admitted: Time,
    /// When it will be done.
    pub(super) completes: Time,
    /// The whole work of the attempt.
    pub(super) work: Span,
    /// The sequence number of its completion in the agenda, or one of the three above. A completion
    /// with another number is dead.
    pub(super) completion: u64,
    /// When it began, among all that began: frozen work resumes in this order where it ties.
    pub(super) began: u64,
    /// What it does with it.
    pub(super) errand: Errand,
}

impl ClientState {
    /// Takes over the memory of lists of `old` that are empty at the start of a run.
    pub(super) fn inherit(&mut self, old: &mut Self) {
        inherit(&mut self.blocks, &mut old.blocks);
        inherit(&mut self.thinnings, &mut old.thinnings);
    }
}

/// Gives an empty list the memory of one that is needed no more.
fn inherit<T>(empty: &mut Vec<T>, old: &mut Vec<T>) {
    old.clear();
    mem::swap(empty, old);
}

impl EdgeState {
    /// Takes over the memory of lists of `old` that are empty before any books are open.
    pub(super) fn inherit(&mut self, old: &mut Self) {
        inherit(&mut self.memories, &mut old.memories);
        inherit(&mut self.network.added, &mut old.network.added);
        inherit(&mut self.network.losses, &mut old.network.losses);
    }

    /// Policies that remember nothing yet, one of each for all instances or for each of them.
    pub(super) fn open_books(&mut self, edge: &Edge, callers: u16, called: &Service) {
        let count = match edge.scope {
            Scope::Shared => 1,
            Scope::PerInstance => usize::from(callers),
        };
        // Whom to ask is kept track of attempt by attempt.
        self.keeps_books |= called.instances.get() > 1;
        let keep_alive = edge.transport.and_then(|transport| transport.keep_alive);
        let jitter = &mut self.jitter;
        self.memories.clear();
        self.memories.resize_with(count, || Memory {
            ledger: edge.budget.map(|budget| budget.open()),
            valve: edge.throttle.map(|throttle| throttle.open()),
            circuit: edge.breaker.map(|breaker| breaker.open()),
            pace: edge.hedge.map(|hedge| hedge.open()),
            leases: edge.pool.filter(|_| edge.shared_pool.is_none()).map(|pool| pool.open()),
            front: Front::open(called, jitter),
            store: edge.cache.map(|cache| cache.open(jitter)),
            connections: keep_alive.map(|keep_alive| keep_alive.open()),
        });
    }

    /// Works out anew what is kept ready for the hot loop, after anything has changed. Books once
    /// kept are kept to the end: what is open may have something in them.
    pub(super) fn review(&mut self, edge: &Edge) {
        self.keeps_books |= edge.keeps_books();
        self.is_direct = edge.latency.is_none()
            && !edge.loss.loses()
            && self.network.added.is_empty()
            && self.network.losses.is_empty();
        self.timeout = edge.timeout;
        self.plain_retry = edge.retry.plain(Failure::TimedOut).filter(|_| !self.keeps_books);
    }
}

impl StationState {
    /// Ready to serve with `wanted` of the given workers.
    pub(super) fn reset(
        &mut self,
        of: ServiceId,
        instance: u16,
        policy: &Service,
        seed: u64,
        workers: Range<u32>,
        completion_lane: Lane,
    ) {
        let wanted = policy.workers.get();
        self.of = of;
        let key = Stream::new(seed, Purpose::Service, &policy.name).bits();
        self.bits = Sprout::new(key, u64::from(instance));
        if self.discipline == policy.discipline {
            self.queue.clear();
        } else {
            self.queue = policy.discipline.open();
            self.discipline.clone_from(&policy.discipline);
        }
        self.refused.clear();
        self.scaler = policy.scaling.map(|scaling| Box::new(Scaler::open(scaling, wanted)));
        self.serving = match (&policy.effect, policy.calls.list.is_empty()) {
            (Some(_), _) => Serving::Counts,
            (None, false) => Serving::Calls,
            (None, true) => Serving::Works,
        };
        self.passes_time_on =
            policy.calls.list.iter().any(|call| call.deadline == PassedOn::PassedOn);
        self.away = 0;
        self.resumed.clear();
        self.unread.clear();
        self.saying_no = 0;
        self.open_policies(policy);
        self.idle.clear();
        self.parked.clear();
        self.idle.extend((workers.start..workers.start + wanted).rev());
        self.parked.extend((workers.start + wanted..workers.end).rev());
        self.wanted_workers = wanted;
        self.busy = 0;
        self.health.reset();
        self.hands_over = false;
        self.workers = workers;
        self.completion_lane = completion_lane;
    }

    /// Its workers, as indices.
    pub(super) fn worker_range(&self) -> Range<usize> {
        self.workers.start as usize..self.workers.end as usize
    }

    /// Policies that have seen nothing yet.
    pub(super) fn open_policies(&mut self, policy: &Service) {
        self.shedder = policy.shedding.open(policy.service_time.mean());
        self.limiter = policy.limit.as_ref().map(|limit| limit.open(&mut self.bits));
        self.bucket = policy.rate_limit.map(|limit| limit.open());
        self.on_abandon = policy.on_abandon;
        self.has_queue_timer = policy.queue_timeout.is_some();
        self.waiting_work = Span::ZERO;
    }

    /// One more worker has an attempt in hand.
    #[inline(always)]
    pub(super) fn one_more_busy(&mut self, now: Time) {
        if let Some(scaler) = &mut self.scaler {
            scaler.see(now, self.busy);
        }
        self.busy += 1;
    }

    /// One worker fewer has.
    #[inline(always)]
    pub(super) fn one_less_busy(&mut self, now: Time) {
        if let Some(scaler) = &mut self.scaler {
            scaler.see(now, self.busy);
        }
        self.busy -= 1;
    }

    /// How many attempts it has let in and not seen end.
    pub(super) fn in_flight(&self) -> u32 {
        self.queue.len() as u32 + self.busy - self.saying_no + self.away
    }

    /// Whether there is anything that an idle worker could take up.
    pub(super) fn has_work(&self) -> bool {
        !self.queue.is_empty() || !self.refused.is_empty() || !self.resumed.is_empty()
    }

    /// Works out anew what is kept ready for the hot loop, after anything has changed.
    pub(super) fn review(&mut self, policy: &Service) {
        let is_slow = !self.health.slowdowns.is_empty();
        let constant = policy.service_time.constant().filter(|_| !is_slow);
        let depends = policy.slowdown != Slowdown::None;
        self.fixed_work = constant.filter(|_| !depends).unwrap_or(Span::ZERO);
        self.is_open_to_all =
            policy.admission == Admission::Unbounded && policy.shedding == Shedding::Never;
        self.is_guarded = self.bucket.is_some()
            || self.limiter.is_some()
            || policy.effect.is_some()
            || !self.health.outages.is_empty()
            || !self.health.error_shares.is_empty()
            || policy.errors.share != Fraction::ZERO;
    }

    /// The factor by which work takes longer at the moment.
    pub(super) fn slowdown(&self) -> f64 {
        self.health.slowdowns.iter().map(|(_, factor)| factor).product()
    }
}

impl Health {
    fn reset(&mut self) {
        self.freezes = 0;
        self.closures = 0;
        self.outages.clear();
        self.slowdowns.clear();
        self.error_shares.clear();
        self.capacities.clear();
    }
}

impl Worker {
    pub(super) const fn idle(station: Station) -> Self {
        Self {
            station,
            call: 0,
            attempt: 0,
            admitted: Time::ZERO,
            completes: Time::NEVER,
            work: Span::ZERO,
            completion: IDLE,
            began: 0,
            errand: Errand::Serves,
        }
    }
}

/// What is left when each of the shares is taken from what the ones before left.
pub(super) fn left_by(shares: impl Iterator<Item = Fraction>) -> f64 {
    shares.map(|share| share.complement().as_f64()).product()
}
