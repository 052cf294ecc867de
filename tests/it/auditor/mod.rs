//! An observer that believes nothing: it keeps its own books of every request, attempt, queue and
//! worker, and holds each fact against the rules of the simulated world.
//!
//! It shares the model and the waits between retries with the engine, and nothing else: no agenda, no
//! slots, no counters. What it proves is that whatever the engine says could have happened, did so
//! at the only instant and in the only order at which it could.

mod books;
mod order;
mod sends;

pub(crate) use books::Books;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use metastable::id::{ClientId, EdgeId, ServiceId};
use metastable::law::Law;
use metastable::model::{Disturbance, Model, Notice, Trigger};
use metastable::observe::{CallId, Dropped, Fact, Observer, Sending};
use metastable::policy::admission::{Admission, Rejection};
use metastable::policy::retry::{Decision, Failure, Hint, Memory};
use metastable::policy::shedding::{QueueTimer, Shedding};
use metastable::random::Sprout;
use metastable::time::{Span, Time};

use order::{Must, answers, rank};
use sends::Sends;

/// The books.
pub(crate) struct Auditor<'m> {
    model: &'m Model,
    now: Time,
    /// How far the kinds of events have come at this instant.
    rank: u8,
    /// What must be the next fact, where only one can be.
    must: Option<Must>,
    calls: HashMap<CallId, Call>,
    /// The instants at which clients will act, so that none is missed.
    due: BTreeSet<(Time, CallId)>,
    stations: Vec<Station>,
    /// What each client has sent, for its budget.
    sends: Vec<Sends>,
    /// What came of everything.
    pub(crate) books: Books,
}

struct Call {
    client: ClientId,
    born: Time,
    phase: Phase,
    /// Where attempts of it are, waited for or not, and since when.
    remains: BTreeMap<u32, Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting { attempt: u32, sent: Time },
    Between { next: u32, due: Time },
    Ended,
}

#[derive(Default)]
struct Station {
    queue: VecDeque<(CallId, u32, Time)>,
    busy: u32,
    stalls: u32,
    /// Those that a worker has yet to refuse.
    refused: VecDeque<(CallId, u32)>,
    /// Those that a worker is telling so.
    told: BTreeSet<(CallId, u32)>,
}

impl<'m> Auditor<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Self {
            model,
            now: Time::ZERO,
            rank: 0,
            must: None,
            calls: HashMap::new(),
            due: BTreeSet::new(),
            stations: model.services.iter().map(|_| Station::default()).collect(),
            sends: model.clients.iter().map(|client| Sends::under(client.edge.budget)).collect(),
            books: Books::default(),
        }
    }

    fn advance(&mut self, now: Time) {
        assert!(now >= self.now, "time goes back");
        if now == self.now {
            return;
        }
        assert_eq!(self.must, None, "left undone at {}", self.now);
        for (service, station) in self.model.services.iter().zip(&self.stations) {
            let idle = station.busy < service.workers.get();
            assert!(
                station.queue.is_empty() && station.refused.is_empty()
                    || !idle
                    || station.stalls > 0,
                "{}: someone waits beside an idle worker at {}",
                service.name,
                self.now
            );
        }
        if let Some((due, call)) = self.due.first() {
            assert!(*due >= now, "{call:?} has missed {due}");
        }
        let inside = |station: &Station| {
            (station.queue.len() + station.refused.len()) as u64 + u64::from(station.busy)
        };
        let present = self.books.open + self.stations.iter().map(inside).sum::<u64>();
        self.books.peak = self.books.peak.max(present);
        let passed = u128::from(now.since(self.now).as_nanos());
        for station in &self.stations {
            self.books.waiting_area += passed * station.queue.len() as u128;
            if station.stalls == 0 {
                self.books.working_area += passed * u128::from(station.busy);
            }
        }
        self.books.open_area += passed * u128::from(self.books.open);
        (self.now, self.rank) = (now, 0);
    }

    fn call(&mut self, id: CallId) -> &mut Call {
        self.calls.get_mut(&id).expect("a request that has arrived")
    }

    /// The call is about to do something at `due`, or nothing any more.
    fn enter(&mut self, id: CallId, phase: Phase) {
        let timeout = |client: ClientId| self.model.clients[client.index()].edge.timeout;
        let when = |call: &Call, phase: Phase| match phase {
            Phase::Waiting { sent, .. } => timeout(call.client).map(|timeout| sent + timeout),
            Phase::Between { due, .. } => Some(due),
            Phase::Ended => None,
        };
        let call = &self.calls[&id];
        let (before, after) = (when(call, call.phase), when(call, phase));
        if let Some(due) = before {
            self.due.remove(&(due, id));
        }
        if let Some(due) = after {
            self.due.insert((due, id));
        }
        self.call(id).phase = phase;
    }

    fn attempt_failed(&mut self, id: CallId, attempt: u32, failure: Failure) {
        let client = self.calls[&id].client;
        match self.model.clients[client.index()].edge.retry.decide(
            attempt,
            failure,
            Hint::Absent,
            &mut Memory::default(),
            &mut Sprout::new(0, 0),
        ) {
            Decision::GiveUpAfter(_) => panic!("no world of these tests stops at a cap"),
            Decision::GiveUp => self.must = Some(Must::Fail(id)),
            Decision::After(wait) => {
                self.enter(id, Phase::Between { next: attempt + 1, due: self.now + wait });
            }
        }
    }

    fn end(&mut self, id: CallId) -> Span {
        self.enter(id, Phase::Ended);
        self.books.open -= 1;
        let lived = self.now.since(self.calls[&id].born);
        self.books.open_sum += u128::from(lived.as_nanos());
        lived
    }

    /// Takes the head of the queue, which must be this attempt, for an idle worker.
    fn pick_up(&mut self, service: ServiceId, id: CallId, attempt: u32) -> Span {
        let station = &mut self.stations[service.index()];
        assert_eq!(station.stalls, 0, "picked up during a stall");
        assert!(station.busy < self.model.service(service).workers.get(), "no idle worker");
        assert!(station.refused.is_empty(), "refusals come first");
        let (call, number, since) = station.queue.pop_front().expect("someone waits");
        assert_eq!((call, number), (id, attempt), "not the first in the queue");
        let waited = self.now.since(since);
        self.books.waiting_sum += u128::from(waited.as_nanos());
        waited
    }

    /// The instant at which the client of an attempt that has waited since `sent` gives it up.
    fn deadline(&self, id: CallId, sent: Time) -> Time {
        let client = self.calls[&id].client;
        self.model.clients[client.index()]
            .edge
            .timeout
            .map_or(Time::NEVER, |timeout| sent + timeout)
    }

    /// The instant at which an attempt that has waited since `since` leaves the queue by the clock.
    fn expires(&self, service: ServiceId, id: CallId, since: Time) -> Time {
        let timeout = self.model.service(service).queue_timeout;
        match timeout.map(|timeout| timeout.timer) {
            None => Time::NEVER,
            Some(QueueTimer::AtDeadline) => self.deadline(id, since),
            Some(QueueTimer::After(length)) => since + length,
        }
    }

    fn waits_for(&self, id: CallId, attempt: u32) -> bool {
        match self.calls[&id].phase {
            Phase::Waiting { attempt: awaited, .. } => awaited == attempt,
            Phase::Between { .. } | Phase::Ended => false,
        }
    }

    /// How long between `from` and `to` no stall of `service` was on.
    fn unstalled(&self, service: ServiceId, from: Time, to: Time) -> Span {
        let mut stalls: Vec<(Time, Time)> = self
            .model
            .triggers
            .iter()
            .filter(|t| stalls(t, service))
            .map(|t| (t.begins, t.ends()))
            .collect();
        stalls.sort_unstable();
        let (mut worked, mut at) = (Span::ZERO, from);
        for (begins, ends) in stalls {
            worked += begins.min(to).since(at);
            at = at.max(ends.min(to));
        }
        worked + to.since(at)
    }
}

fn stalls(trigger: &Trigger, which: ServiceId) -> bool {
    trigger.disturbance == Disturbance::Stall { service: which }
}

impl Observer for Auditor<'_> {
    fn observe(&mut self, now: Time, fact: Fact) {
        assert!(now < Time::ZERO + self.model.horizon, "{fact:?} at {now}, after the end");
        self.advance(now);
        let must = self.must.take();
        assert_eq!(must, answers(&fact), "what {fact:?} at {now} follows from");
        if must.is_none() {
            assert!(rank(&fact) >= self.rank, "{fact:?} at {now} comes too late in its instant");
            self.rank = rank(&fact);
        }
        match fact {
            Fact::Arrived { client, call } => {
                let born =
                    Call { client, born: now, phase: Phase::Ended, remains: BTreeMap::new() };
                if let Some(before) = self.calls.insert(call, born) {
                    assert_eq!(before.phase, Phase::Ended, "{call:?} is still open");
                    assert!(before.remains.is_empty(), "{call:?} has remains");
                }
                self.enter(call, Phase::Between { next: 0, due: now });
                self.books.requests += 1;
                self.books.open += 1;
            }
            Fact::Sent { edge, call, attempt, kind } => {
                let client = edge.client().expect("only clients call here");
                assert_eq!(self.calls[&call].client, client);
                let expected = if attempt == 0 { Sending::First } else { Sending::Retry };
                assert_eq!(kind, expected, "nobody hedges in these books");
                assert_eq!(self.calls[&call].phase, Phase::Between { next: attempt, due: now });
                assert!(attempt <= self.model.clients[client.index()].edge.retry.max_retries);
                let sends = &mut self.sends[client.index()];
                assert!(attempt == 0 || sends.has_room(now), "a retry beyond the budget");
                sends.note(now, attempt > 0);
                self.enter(call, Phase::Waiting { attempt, sent: now });
                self.must = Some(Must::Receive(call, attempt));
                self.books.sent += 1;
                self.books.retries += u64::from(attempt > 0);
            }
            Fact::BudgetDenied { edge, call } => {
                assert!(
                    !self.sends[edge.index()].has_room(now),
                    "denied though the budget has room"
                );
                let Phase::Between { next, due } = self.calls[&call].phase else {
                    panic!("{call:?} is denied a retry that it does not want");
                };
                assert!(next > 0 && due == now, "a first attempt or the wrong instant");
                self.must = Some(Must::Fail(call));
                self.books.denied += 1;
            }
            Fact::TimedOut { edge, call, attempt } => {
                let timeout = self.model.clients[edge.index()].edge.timeout.expect("a timeout");
                let Phase::Waiting { attempt: waited_for, sent } = self.calls[&call].phase else {
                    panic!("{call:?} waits for nothing");
                };
                assert_eq!((waited_for, sent + timeout), (attempt, now));
                self.attempt_failed(call, attempt, Failure::TimedOut);
                self.books.timed_out += 1;
            }
            Fact::Succeeded { client, call, latency } => {
                assert_eq!(self.calls[&call].client, client);
                assert_eq!(self.end(call), latency);
                self.books.succeeded += 1;
            }
            Fact::Failed { client, call } => {
                assert_eq!(self.calls[&call].client, client);
                self.end(call);
                self.books.failed += 1;
            }
            Fact::Refused { service, edge, call, attempt, failure } => {
                assert_eq!(failure, Failure::Refused, "nothing fails here");
                assert_eq!(EdgeId::from(self.calls[&call].client), edge);
                let (station, of) = (&self.stations[service.index()], self.model.service(service));
                assert!(
                    station.stalls > 0 || station.busy == of.workers.get(),
                    "refused by the idle"
                );
                match of.admission {
                    Admission::Unbounded => panic!("refused by a queue without limit"),
                    Admission::Bounded { max_waiting } => {
                        assert_eq!(station.queue.len(), max_waiting as usize);
                    }
                    Admission::BoundedWork { max_work } => {
                        if let Some(work) = of.service_time.constant() {
                            let places = work.times_in(max_work) as usize;
                            assert_eq!(station.queue.len(), places);
                        }
                    }
                    // Requests have no classes yet: all are of the first, and none is kept out.
                    Admission::Headroom(headroom) => {
                        assert_eq!(station.queue.len(), headroom.max_waiting() as usize);
                    }
                }
                self.books.refused += 1;
                match of.refusals.cost {
                    Rejection::Free => self.attempt_failed(call, attempt, Failure::Refused),
                    Rejection::Late(_) => panic!("no world of these tests refuses late"),
                    Rejection::ByWorker(_) => {
                        self.stations[service.index()].refused.push_back((call, attempt));
                        self.call(call).remains.insert(attempt, now);
                    }
                }
            }
            Fact::Queued { service, call, attempt } => {
                let of = self.model.service(service);
                let station = &mut self.stations[service.index()];
                assert!(
                    station.stalls > 0 || station.busy == of.workers.get(),
                    "queued beside the idle"
                );
                station.queue.push_back((call, attempt, now));
                let places = match (of.admission, of.service_time.constant()) {
                    (Admission::Unbounded, _) | (Admission::BoundedWork { .. }, None) => usize::MAX,
                    (Admission::Bounded { max_waiting }, _) => max_waiting as usize,
                    (Admission::BoundedWork { max_work }, Some(work)) => {
                        work.times_in(max_work) as usize
                    }
                    (Admission::Headroom(headroom), _) => headroom.max_waiting() as usize,
                };
                assert!(station.queue.len() <= places, "too many wait");
                self.call(call).remains.insert(attempt, now);
            }
            Fact::RefusalBegun { service, call, attempt } => {
                let station = &mut self.stations[service.index()];
                assert_eq!(station.refused.pop_front(), Some((call, attempt)));
                assert_eq!(station.stalls, 0, "refused during a stall");
                station.busy += 1;
                assert!(station.busy <= self.model.service(service).workers.get());
                assert!(station.told.insert((call, attempt)));
                self.call(call).remains.insert(attempt, now);
            }
            Fact::RefusalSaid { service, call, attempt, work } => {
                let begun = self.call(call).remains.remove(&attempt).expect("it was begun");
                assert_eq!(self.unstalled(service, begun, now), work);
                assert_eq!(work, self.model.service(service).refusals.cost.work());
                let station = &mut self.stations[service.index()];
                assert!(station.told.remove(&(call, attempt)));
                station.busy -= 1;
                self.books.said += 1;
                self.books.working_sum += u128::from(work.as_nanos());
                if self.waits_for(call, attempt) {
                    self.attempt_failed(call, attempt, Failure::Refused);
                }
            }
            Fact::Shed { service, call, dropped: Dropped::OnArrival, .. } => {
                let (station, of) = (&self.stations[service.index()], self.model.service(service));
                assert!(station.queue.is_empty() && station.busy < of.workers.get());
                let timeout = self.deadline(call, now).since(now);
                let too_long = match (of.shedding, of.service_time.constant()) {
                    (Shedding::Unfinishable, Some(work)) => work > timeout,
                    (Shedding::Unfinishable, None) => timeout < Span::MAX,
                    (Shedding::UnfinishableOnAverage, _) => of.service_time.mean() > timeout,
                    (
                        Shedding::Never
                        | Shedding::Expired
                        | Shedding::FollyCodel(_)
                        | Shedding::Codel(_),
                        _,
                    ) => false,
                };
                assert!(too_long, "shed at once without a reason");
                self.books.shed += 1;
            }
            Fact::Shed { service, call, attempt, dropped: Dropped::ByTimer } => {
                let queue = &mut self.stations[service.index()].queue;
                let place =
                    queue.iter().position(|&(id, number, _)| (id, number) == (call, attempt));
                let (_, _, since) = place.and_then(|place| queue.remove(place)).expect("it waits");
                assert_eq!(self.expires(service, call, since), now);
                self.books.waiting_sum += u128::from(now.since(since).as_nanos());
                assert!(self.call(call).remains.remove(&attempt).is_some());
                self.books.shed += 1;
                self.books.timed += 1;
                let timeout = self.model.service(service).queue_timeout.expect("a timer");
                if timeout.clients == Notice::AtOnce && self.waits_for(call, attempt) {
                    self.attempt_failed(call, attempt, Failure::Refused);
                }
            }
            Fact::Shed { service, call, attempt, dropped: Dropped::AtPickUp } => {
                let waited = self.pick_up(service, call, attempt);
                let sent = Time::from_nanos(now.as_nanos() - waited.as_nanos());
                let of = self.model.service(service);
                let behind = self.stations[service.index()].queue.len();
                let hopeless = match (of.shedding, of.service_time.constant()) {
                    (Shedding::Never, _) => false,
                    (Shedding::Expired, _) => now >= self.deadline(call, sent),
                    (Shedding::Unfinishable, Some(work)) => now + work > self.deadline(call, sent),
                    (Shedding::Unfinishable, None) => self.deadline(call, sent) < Time::NEVER,
                    (Shedding::UnfinishableOnAverage, _) => {
                        now + of.service_time.mean() > self.deadline(call, sent)
                    }
                    (Shedding::FollyCodel(codel), _) => waited > codel.target + codel.target,
                    (Shedding::Codel(codel), _) => waited >= codel.target && behind > 1,
                };
                assert!(hopeless, "shed without a reason");
                assert!(self.call(call).remains.remove(&attempt).is_some());
                self.books.shed += 1;
            }
            Fact::Started { service, call, attempt, waited, from_queue } => {
                if from_queue {
                    assert_eq!(self.pick_up(service, call, attempt), waited);
                    let sent = Time::from_nanos(now.as_nanos() - waited.as_nanos());
                    let expired = now >= self.deadline(call, sent);
                    assert!(
                        now < self.expires(service, call, sent),
                        "its time in the queue is over"
                    );
                    let served_anyway = match self.model.service(service).shedding {
                        Shedding::Never | Shedding::FollyCodel(_) | Shedding::Codel(_) => true,
                        Shedding::Expired
                        | Shedding::Unfinishable
                        | Shedding::UnfinishableOnAverage => false,
                    };
                    assert!(!expired || served_anyway, "expired and served");
                } else {
                    assert_eq!(waited, Span::ZERO);
                    let station = &self.stations[service.index()];
                    assert!(station.queue.is_empty(), "overtakes the queue");
                    assert!(station.refused.is_empty(), "overtakes a refusal");
                }
                let station = &mut self.stations[service.index()];
                assert_eq!(station.stalls, 0, "started during a stall");
                station.busy += 1;
                assert!(
                    station.busy <= self.model.service(service).workers.get(),
                    "too many workers"
                );
                self.call(call).remains.insert(attempt, now);
                self.books.started += 1;
            }
            Fact::Completed { service, call, attempt, work, useful } => {
                let started = self.call(call).remains.remove(&attempt).expect("it is in service");
                assert_eq!(
                    self.unstalled(service, started, now),
                    work,
                    "the work took as long as it was"
                );
                if let Law::Fixed(length) = self.model.service(service).service_time {
                    assert_eq!(work, length);
                }
                let station = &mut self.stations[service.index()];
                assert_eq!(station.stalls, 0, "completed during a stall");
                station.busy -= 1;
                self.books.completed += 1;
                self.books.working_sum += u128::from(work.as_nanos());
                assert_eq!(self.waits_for(call, attempt), useful);
                self.books.wasted += u64::from(!useful);
                self.must = useful.then_some(Must::Succeed(call));
            }
            Fact::Called { .. }
            | Fact::Repeated { .. }
            | Fact::Executed { .. }
            | Fact::Replayed { .. }
            | Fact::Conflicted { .. }
            | Fact::KeyExpired { .. }
            | Fact::Hit { .. }
            | Fact::Coalesced { .. }
            | Fact::Returned { .. }
            | Fact::Blocked { .. }
            | Fact::LostOnTheWay { .. }
            | Fact::CameToNothing { .. }
            | Fact::Lost { .. }
            | Fact::Withdrawn { .. }
            | Fact::HeldBack { .. }
            | Fact::BreakerOpened { .. }
            | Fact::Routed { .. }
            | Fact::Settled { .. }
            | Fact::Ejected { .. }
            | Fact::Reinstated { .. }
            | Fact::RefusalLost { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. } => panic!("these books are kept for stalls only"),
            Fact::TriggerBegan { trigger } | Fact::TriggerEnded { trigger } => {
                let trigger = &self.model.triggers[trigger.index()];
                let Disturbance::Stall { service } = trigger.disturbance else {
                    panic!("these books are kept for stalls only");
                };
                let station = &mut self.stations[service.index()];
                if matches!(fact, Fact::TriggerBegan { .. }) {
                    assert_eq!(trigger.begins, now);
                    station.stalls += 1;
                } else {
                    assert_eq!(trigger.ends(), now);
                    station.stalls -= 1;
                }
            }
        }
    }

    fn finish(&mut self, horizon: Time) {
        self.advance(horizon);
        for call in self.calls.values().filter(|call| call.phase != Phase::Ended) {
            self.books.open_sum += u128::from(horizon.since(call.born).as_nanos());
        }
        let mut waiting = BTreeSet::new();
        for station in &self.stations {
            self.books.queued += station.queue.len() as u64;
            self.books.in_service += u64::from(station.busy) - station.told.len() as u64;
            waiting.extend(&station.refused);
            for &(call, attempt, since) in &station.queue {
                waiting.insert((call, attempt));
                self.books.waiting_sum += u128::from(horizon.since(since).as_nanos());
            }
        }
        for (id, call) in &self.calls {
            let service = self.model.clients[call.client.index()].edge.to;
            for (&attempt, &since) in &call.remains {
                if !waiting.contains(&(*id, attempt)) {
                    let worked = self.unstalled(service, since, horizon);
                    self.books.working_sum += u128::from(worked.as_nanos());
                }
            }
        }
    }
}
