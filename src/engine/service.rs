//! What services do: take in or refuse, queue, pick up, work, answer.

use super::Run;
use super::agenda::{Agenda, Event};
use super::client::{Answer, Reception};
use super::state::{BEYOND, IDLE, Waiting, left_by};
use crate::id::ServiceId;
use crate::model::{ErrorCost, WorkDraw};
use crate::observe::{CallId, Fact, Observer};
use crate::policy::admission::Welcome;
use crate::policy::retry::Failure;
use crate::policy::shedding::{Fate, Shedding};
use crate::random::{Bits, Draw, Sprout};
use crate::time::{Span, Time};

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// An attempt arrives that left its client at `sent`.
    #[inline]
    pub(super) fn receive(
        &mut self,
        service: ServiceId,
        call: u32,
        attempt: u32,
        sent: Time,
    ) -> Reception {
        let state = &mut self.world.services[service.index()];
        if state.may_fail
            && let Some(reception) = self.turn_away(service, call, attempt)
        {
            return reception;
        }
        let state = &mut self.world.services[service.index()];
        if state.health.closures == 0
            && state.queue.is_empty()
            && let Some(worker) = state.idle.pop()
        {
            self.world.calls.retain(call);
            let work = self.work_of(service, call, attempt);
            self.start(worker, call, attempt, work);
            let fact = Fact::Started {
                service,
                call: CallId(call),
                attempt,
                waited: Span::ZERO,
                from_queue: false,
            };
            self.observer.observe(self.now, fact);
            return Reception::Taken;
        }
        let waiting = state.queue.len();
        let policy = self.model.service(service);
        match policy.admission.ask(waiting) {
            Welcome::Refused => self.refuse(service, call, attempt, Failure::Refused),
            Welcome::Admitted => {
                let deadline = match policy.shedding {
                    Shedding::Never => Time::NEVER,
                    Shedding::Expired | Shedding::Unfinishable => self.deadline(call, sent),
                };
                let state = &mut self.world.services[service.index()];
                state.queue.push_back(Waiting { since: self.now, deadline, call, attempt });
                self.world.calls.retain(call);
                self.observer
                    .observe(self.now, Fact::Queued { service, call: CallId(call), attempt });
                Reception::Taken
            }
        }
    }

    /// What an attempt meets that is not even asked to wait: a service that is gone, or an error that
    /// costs nothing.
    #[cold]
    fn turn_away(&mut self, service: ServiceId, call: u32, attempt: u32) -> Option<Reception> {
        let health = &self.world.services[service.index()].health;
        if !health.outages.is_empty() {
            return Some(self.meet_outage(service, call, attempt));
        }
        let errors = self.model.service(service).errors;
        let fails = errors.cost == ErrorCost::Nothing && self.fails(service, call, attempt);
        fails.then(|| self.refuse(service, call, attempt, errors.failure))
    }

    pub(super) fn refuse(
        &mut self,
        service: ServiceId,
        call: u32,
        attempt: u32,
        failure: Failure,
    ) -> Reception {
        self.observer.observe(self.now, Fact::Refused { service, call: CallId(call), attempt });
        Reception::TurnedAway(failure)
    }

    /// Whether this attempt is one of those that the service fails.
    #[inline]
    fn fails(&self, service: ServiceId, call: u32, attempt: u32) -> bool {
        let share = self.model.service(service).errors.share;
        let by_triggers = &self.world.services[service.index()].health.error_shares;
        if share == crate::unit::Fraction::ZERO && by_triggers.is_empty() {
            return false;
        }
        let shares = by_triggers.iter().map(|(_, share)| *share).chain([share]);
        let key = self.world.calls.key(call);
        Sprout::of(key, attempt, Draw::Fails).uniform() >= left_by(shares)
    }

    /// How long a worker will work on this attempt: fixed when the request was born, whatever happens
    /// to its other attempts, so that every variant of a story brings the same work.
    #[inline]
    fn work_of(&self, service: ServiceId, call: u32, attempt: u32) -> Span {
        let state = &self.world.services[service.index()];
        if !state.fixed_work.is_zero() {
            return state.fixed_work;
        }
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
        if state.health.slowdowns.is_empty() {
            return work;
        }
        Span::from_nanos_f64(work.as_nanos() as f64 * state.slowdown()).max(Span::NANOSECOND)
    }

    #[inline]
    fn start(&mut self, worker: u32, call: u32, attempt: u32, work: Span) {
        let began = self.world.sequence;
        let state = &mut self.world.workers[worker as usize];
        state.call = call;
        state.attempt = attempt;
        state.work = work;
        state.began = began;
        let service = state.service;
        self.world.services[service.index()].busy += 1;
        self.run_for(worker, work);
    }

    /// The worker will be done after `left` more of work.
    #[inline]
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
        let (service, call, attempt, work) = (state.service, state.call, state.attempt, state.work);
        state.completion = IDLE;
        let answer = if self.world.services[service.index()].may_fail {
            self.outcome(service, call, attempt)
        } else {
            Answer::Success
        };
        let useful = answer == Answer::Success && self.is_waited_for(call, attempt);
        self.observer.observe(
            self.now,
            Fact::Completed { service, call: CallId(call), attempt, work, useful },
        );
        self.answer(call, attempt, answer, if useful { work } else { Span::ZERO });
        self.world.calls.release(call);
        self.free(worker);
        self.expect_hand_over(service);
    }

    /// What an attempt has come to that was served in full.
    #[cold]
    fn outcome(&self, service: ServiceId, call: u32, attempt: u32) -> Answer {
        let errors = self.model.service(service).errors;
        match errors.cost {
            ErrorCost::FullWork if self.fails(service, call, attempt) => {
                Answer::Failure(errors.failure)
            }
            ErrorCost::FullWork | ErrorCost::Nothing => Answer::Success,
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
        if !state.hands_over && !state.queue.is_empty() {
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
        loop {
            let state = &mut self.world.services[service.index()];
            if state.health.closures > 0 || state.idle.is_empty() {
                return;
            }
            let Some(waiting) = state.queue.pop_front() else {
                return;
            };
            self.pick_up(service, waiting);
        }
    }

    /// A worker of `service` picks up an attempt from the queue, and serves or sheds it.
    #[inline]
    fn pick_up(&mut self, service: ServiceId, waiting: Waiting) {
        let Waiting { since, deadline, call, attempt } = waiting;
        let work = self.work_of(service, call, attempt);
        match self.model.service(service).shedding.judge(self.now, work, deadline) {
            Fate::Shed => {
                self.observer
                    .observe(self.now, Fact::Shed { service, call: CallId(call), attempt });
                self.world.calls.release(call);
            }
            Fate::Served => {
                let worker = self.world.services[service.index()].idle.pop();
                let worker = worker.expect("an attempt is picked up by an idle worker");
                self.start(worker, call, attempt, work);
                let fact = Fact::Started {
                    service,
                    call: CallId(call),
                    attempt,
                    waited: self.now.since(since),
                    from_queue: true,
                };
                self.observer.observe(self.now, fact);
            }
        }
    }
}
