//! What services do: take in or refuse, queue, pick up, work, answer.

use super::Run;
use super::agenda::{Agenda, Entry, Event};
use super::calls::Whereabouts;
use super::client::{Answer, Reception};
use super::state::{BEYOND, IDLE, left_by};
use crate::id::ServiceId;
use crate::model::{ErrorCost, OnAbandon, WorkDraw};
use crate::observe::{CallId, Dropped, Fact, Observer};
use crate::policy::Class;
use crate::policy::admission::{Load, Welcome};
use crate::policy::discipline::{Urgency, Waiting};
use crate::policy::limit::{Outcome, Sample};
use crate::policy::shedding::{Fate, PickUp};
use crate::random::{Bits, Draw, Sprout};
use crate::time::{Span, Time};
use crate::unit::Fraction;

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// An attempt arrives.
    #[inline(always)]
    pub(super) fn receive(&mut self, service: ServiceId, call: u32, attempt: u32) -> Reception {
        let state = &mut self.world.services[service.index()];
        if state.is_guarded
            && let Some(reception) = self.turn_away(service, call, attempt)
        {
            return reception;
        }
        let state = &mut self.world.services[service.index()];
        if !state.idle.is_empty() && state.health.closures == 0 && state.queue.is_empty() {
            if state.is_open_to_all || self.is_worth_it(service, call, attempt) {
                self.start_at_once(service, call, attempt);
            }
            return Reception::Taken;
        }
        if state.is_open_to_all {
            self.queue(service, call, attempt);
            return Reception::Taken;
        }
        self.ask_admission(service, call, attempt)
    }

    /// An attempt that would have to wait may have to go.
    #[inline(never)]
    fn ask_admission(&mut self, service: ServiceId, call: u32, attempt: u32) -> Reception {
        let state = &self.world.services[service.index()];
        let admission = &self.model.service(service).admission;
        let (waiting, waiting_work) = (state.queue.len(), state.waiting_work);
        let class = self.class_of(call);
        let load = || Load { waiting: waiting_work, own: self.work_of(service, call, attempt) };
        match admission.ask(waiting, class, load) {
            Welcome::Refused => self.turn_down(service, call, attempt),
            Welcome::Admitted => {
                if admission.asks_for_work() {
                    let total = load().total();
                    self.world.services[service.index()].waiting_work = total;
                }
                self.queue(service, call, attempt);
                Reception::Taken
            }
        }
    }

    /// An attempt finds an idle worker.
    #[inline(always)]
    fn start_at_once(&mut self, service: ServiceId, call: u32, attempt: u32) {
        let state = &mut self.world.services[service.index()];
        let worker = state.idle.pop().expect("a worker is idle");
        state.shedder.started_at_once(self.now);
        self.world.calls.retain(call);
        let work = self.work_of(service, call, attempt);
        self.start(worker, call, attempt, work, self.now);
        let fact = Fact::Started {
            service,
            call: CallId(call),
            attempt,
            waited: Span::ZERO,
            from_queue: false,
        };
        self.observer.observe(self.now, fact);
    }

    /// Whether an attempt that finds an idle worker is served; otherwise it is dropped.
    fn is_worth_it(&mut self, service: ServiceId, call: u32, attempt: u32) -> bool {
        if !self.world.services[service.index()].shedder.looks_ahead() {
            return true;
        }
        let (now, since) = (self.now, self.now);
        let work = self.work_of(service, call, attempt);
        let deadline = self.deadline(call, since);
        let shedder = &mut self.world.services[service.index()].shedder;
        match shedder.judge(&PickUp { now, since, work, deadline, behind: 0 }) {
            Fate::Served => true,
            Fate::Shed => {
                let dropped = Dropped::OnArrival;
                let fact = Fact::Shed { service, call: CallId(call), attempt, dropped };
                self.observer.observe(self.now, fact);
                false
            }
        }
    }

    #[inline(always)]
    fn queue(&mut self, service: ServiceId, call: u32, attempt: u32) {
        let waiting = Waiting { since: self.now, call, attempt };
        let (model, edge) = (self.model, self.world.calls.edge(call));
        let state = &mut self.world.services[service.index()];
        let ticket = state.queue.push(waiting, || {
            let client = &model.clients[edge.index()];
            let deadline =
                client.edge.timeout.map_or(Time::NEVER, |timeout| waiting.since + timeout);
            Urgency { deadline, class: client.class }
        });
        let is_timed = state.has_queue_timer;
        if state.on_abandon != OnAbandon::Ignores {
            self.world.calls.set_place(call, attempt, Whereabouts::Queue(ticket));
        }
        self.world.calls.retain(call);
        self.observer.observe(self.now, Fact::Queued { service, call: CallId(call), attempt });
        if is_timed {
            self.set_queue_timer(service, call, ticket);
        }
    }

    #[inline]
    fn class_of(&self, call: u32) -> Class {
        self.model.clients[self.world.calls.edge(call).index()].class
    }

    /// What an attempt meets that is not even asked to wait: a service that is gone, an error that
    /// costs nothing, or a limit that has nothing to do with the queue.
    #[cold]
    fn turn_away(&mut self, service: ServiceId, call: u32, attempt: u32) -> Option<Reception> {
        if !self.world.services[service.index()].health.outages.is_empty() {
            return Some(self.meet_outage(service, call, attempt));
        }
        let errors = self.model.service(service).errors;
        if errors.cost == ErrorCost::Nothing && self.fails(service, call, attempt) {
            return Some(self.refuse(service, call, attempt, errors.failure, errors.hint));
        }
        let state = &mut self.world.services[service.index()];
        let in_flight = state.in_flight();
        let by_rate = state.bucket.as_mut().map(|bucket| bucket.take(self.now));
        let by_limit = state.limiter.as_mut().map(|limiter| limiter.ask(self.now, in_flight));
        let refused = [by_rate, by_limit].contains(&Some(Welcome::Refused));
        refused.then(|| self.turn_down(service, call, attempt))
    }

    /// Whether this attempt is one of those that the service fails.
    fn fails(&self, service: ServiceId, call: u32, attempt: u32) -> bool {
        let share = self.model.service(service).errors.share;
        let by_triggers = &self.world.services[service.index()].health.error_shares;
        if share == Fraction::ZERO && by_triggers.is_empty() {
            return false;
        }
        let shares = by_triggers.iter().map(|(_, share)| *share).chain([share]);
        let key = self.world.calls.key(call);
        Sprout::of(key, attempt, Draw::Fails).uniform() >= left_by(shares)
    }

    /// How long a worker would work on this attempt: drawn from what was fixed when the request was
    /// born, whatever happens to its other attempts, so that every variant of a story brings the same
    /// work; and longer where the state of the service makes it so.
    #[inline(always)]
    fn work_of(&self, service: ServiceId, call: u32, attempt: u32) -> Span {
        let state = &self.world.services[service.index()];
        if !state.fixed_work.is_zero() {
            return state.fixed_work;
        }
        self.draw_work(service, call, attempt)
    }

    #[inline(never)]
    fn draw_work(&self, service: ServiceId, call: u32, attempt: u32) -> Span {
        let state = &self.world.services[service.index()];
        let policy = self.model.service(service);
        let work = match policy.service_time.constant() {
            Some(work) => work,
            None => {
                let attempt = match policy.work {
                    WorkDraw::PerAttempt => attempt,
                    WorkDraw::PerRequest => 0,
                };
                let key = self.world.calls.key(call);
                policy.service_time.sample(&mut Sprout::of(key, attempt, Draw::Work))
            }
        };
        let work = policy.slowdown.stretch(work, state.busy + 1, state.queue.len());
        if state.health.slowdowns.is_empty() {
            return work;
        }
        Span::from_nanos_f64(work.as_nanos() as f64 * state.slowdown()).max(Span::NANOSECOND)
    }

    #[inline(always)]
    fn start(&mut self, worker: u32, call: u32, attempt: u32, work: Span, admitted: Time) {
        let began = self.world.sequence;
        let state = &mut self.world.workers[worker as usize];
        state.call = call;
        state.attempt = attempt;
        state.admitted = admitted;
        state.work = work;
        state.began = began;
        let service = &mut self.world.services[state.service.index()];
        service.busy += 1;
        if service.on_abandon != OnAbandon::Ignores {
            self.world.calls.set_place(call, attempt, Whereabouts::Worker(worker));
        }
        self.run_for(worker, work);
    }

    /// The worker will be done after `left` more of work.
    #[inline(always)]
    pub(super) fn run_for(&mut self, worker: u32, left: Span) {
        let completes = self.now + left;
        let service = self.world.workers[worker as usize].service;
        let lane = self.world.services[service.index()].completion_lane;
        let completion = self.schedule(left, Event::Completion { worker }, lane);
        let state = &mut self.world.workers[worker as usize];
        state.completes = completes;
        state.completion = completion.unwrap_or(BEYOND);
    }

    /// A worker is done: the answer goes to the client, and the worker is free.
    pub(super) fn complete(&mut self, worker: u32) {
        let state = &mut self.world.workers[worker as usize];
        if state.says_no {
            return self.complete_refusal(worker);
        }
        let (service, call, attempt, work) = (state.service, state.call, state.attempt, state.work);
        state.completion = IDLE;
        let admitted = state.admitted;
        let answer = if self.world.services[service.index()].is_guarded {
            self.learn(service, admitted, Outcome::Answered);
            self.outcome(service, call, attempt)
        } else {
            Answer::Success
        };
        self.world.calls.forget_place(call, attempt);
        let useful = answer == Answer::Success && self.is_waited_for(call, attempt);
        self.observer.observe(
            self.now,
            Fact::Completed { service, call: CallId(call), attempt, work, useful },
        );
        self.answer(call, attempt, answer, if useful { work } else { Span::ZERO });
        self.world.calls.release(call);
        self.free(worker);
        if self.world.hand_overs.is_empty()
            && self.world.agenda.first() > Entry::hand_over(self.now)
        {
            // It would be the next thing to happen anyway, if it is to happen at all.
            self.hand_over_of(service);
        } else {
            self.expect_hand_over(service);
        }
    }

    /// What an attempt has come to that was served in full.
    #[cold]
    fn outcome(&self, service: ServiceId, call: u32, attempt: u32) -> Answer {
        let errors = self.model.service(service).errors;
        match errors.cost {
            ErrorCost::FullWork if self.fails(service, call, attempt) => {
                Answer::Failure(errors.failure, errors.hint)
            }
            ErrorCost::FullWork | ErrorCost::Nothing => Answer::Success,
        }
    }

    /// A limit on concurrency learns from an attempt that ends now, itself still counted.
    #[cold]
    pub(super) fn learn(&mut self, service: ServiceId, admitted: Time, outcome: Outcome) {
        let state = &mut self.world.services[service.index()];
        let in_flight = state.in_flight();
        if let Some(limiter) = &mut state.limiter {
            let round_trip = self.now.since(admitted);
            let sample = Sample { round_trip, in_flight, outcome };
            limiter.learn(self.now, sample, &mut state.bits);
        }
    }

    /// A worker has nothing in hand any more: it is idle, or parked if there are too many.
    #[inline]
    pub(super) fn free(&mut self, worker: u32) {
        let service = self.world.workers[worker as usize].service;
        let state = &mut self.world.services[service.index()];
        state.busy -= 1;
        if state.busy + (state.idle.len() as u32) < state.wanted_workers {
            state.idle.push(worker);
        } else {
            state.parked.push(worker);
        }
    }

    /// From now on the service should have `wanted` workers. Those too many finish what they have in
    /// hand.
    pub(super) fn want_workers(&mut self, service: ServiceId, wanted: u32) {
        let state = &mut self.world.services[service.index()];
        state.wanted_workers = wanted;
        while state.busy + (state.idle.len() as u32) < wanted {
            let Some(worker) = state.parked.pop() else { break };
            state.idle.push(worker);
        }
        while state.busy + state.idle.len() as u32 > wanted {
            let Some(worker) = state.idle.pop() else { break };
            state.parked.push(worker);
        }
        self.expect_hand_over(service);
    }

    /// Hands over to idle workers of `service` once the completions, timers and triggers of this
    /// instant are through.
    #[inline]
    pub(super) fn expect_hand_over(&mut self, service: ServiceId) {
        let state = &mut self.world.services[service.index()];
        if !state.hands_over && state.has_work() {
            state.hands_over = true;
            self.world.hand_overs.push_back(service);
        }
    }

    /// The service that has waited longest for it hands its queue to its idle workers.
    pub(super) fn hand_over(&mut self) {
        let Some(service) = self.world.hand_overs.pop_front() else {
            return;
        };
        self.world.services[service.index()].hands_over = false;
        self.hand_over_of(service);
    }

    #[inline]
    fn hand_over_of(&mut self, service: ServiceId) {
        loop {
            let state = &mut self.world.services[service.index()];
            if state.health.closures > 0 || state.idle.is_empty() {
                return;
            }
            if self.begin_refusal(service) {
                continue;
            }
            let state = &mut self.world.services[service.index()];
            let Some(waiting) = state.queue.pick(self.now, &mut state.bits) else {
                return;
            };
            self.pick_up(service, waiting);
        }
    }

    /// A worker of `service` picks up an attempt from the queue, and serves or sheds it.
    #[inline]
    fn pick_up(&mut self, service: ServiceId, waiting: Waiting) {
        let Waiting { since, call, attempt } = waiting;
        let work = self.work_of(service, call, attempt);
        if self.world.services[service.index()].is_open_to_all {
            return self.serve(service, waiting, work);
        }
        self.leaves_queue(service, call, attempt);
        let deadline = self.deadline(call, since);
        let state = &mut self.world.services[service.index()];
        let behind = state.queue.len();
        match state.shedder.judge(&PickUp { now: self.now, since, work, deadline, behind }) {
            Fate::Shed => {
                let dropped = Dropped::AtPickUp;
                let fact = Fact::Shed { service, call: CallId(call), attempt, dropped };
                self.observer.observe(self.now, fact);
                self.learn(service, since, Outcome::Dropped);
                self.world.calls.forget_place(call, attempt);
                self.world.calls.release(call);
            }
            Fate::Served => self.serve(service, waiting, work),
        }
    }

    /// An idle worker begins an attempt from the queue.
    #[inline]
    fn serve(&mut self, service: ServiceId, waiting: Waiting, work: Span) {
        let Waiting { since, call, attempt } = waiting;
        let worker = self.world.services[service.index()].idle.pop();
        let worker = worker.expect("an attempt is picked up by an idle worker");
        self.start(worker, call, attempt, work, since);
        let fact = Fact::Started {
            service,
            call: CallId(call),
            attempt,
            waited: self.now.since(since),
            from_queue: true,
        };
        self.observer.observe(self.now, fact);
    }

    /// Keeps the sum of the work that waits, where admission asks for it.
    #[inline]
    pub(super) fn leaves_queue(&mut self, service: ServiceId, call: u32, attempt: u32) {
        if self.model.service(service).admission.asks_for_work() {
            let work = self.work_of(service, call, attempt);
            let state = &mut self.world.services[service.index()];
            state.waiting_work = state.waiting_work.saturating_sub(work);
            if state.queue.is_empty() {
                // What the work of each depends on may have changed while it waited.
                state.waiting_work = Span::ZERO;
            }
        }
    }

    /// A client has given up an attempt, and the service notices if it is one that does.
    #[inline]
    pub(super) fn abandon(&mut self, service: ServiceId, call: u32, attempt: u32) {
        match self.world.services[service.index()].on_abandon {
            OnAbandon::Ignores => {}
            OnAbandon::LeavesQueue => self.notice(service, call, attempt, false),
            OnAbandon::StopsWork => self.notice(service, call, attempt, true),
        }
    }

    fn notice(&mut self, service: ServiceId, call: u32, attempt: u32, stops_work: bool) {
        match self.world.calls.take_place(call, attempt) {
            Whereabouts::Queue(ticket) => {
                let state = &mut self.world.services[service.index()];
                if state.queue.remove(ticket).is_none() {
                    return;
                }
                self.leaves_queue(service, call, attempt);
                let place = crate::observe::Place::Queue;
                let fact = Fact::Withdrawn { service, call: CallId(call), attempt, place };
                self.observer.observe(self.now, fact);
                self.world.calls.release(call);
            }
            Whereabouts::Worker(worker) if stops_work => {
                self.world.workers[worker as usize].completion = IDLE;
                let place = crate::observe::Place::Worker;
                let fact = Fact::Withdrawn { service, call: CallId(call), attempt, place };
                self.observer.observe(self.now, fact);
                self.free(worker);
                self.expect_hand_over(service);
                self.world.calls.release(call);
            }
            Whereabouts::Worker(_) | Whereabouts::Nowhere => {}
        }
    }
}
