//! What services do: take in or refuse, queue, pick up, work, answer.

use super::Run;
use super::agenda::{Agenda, Entry, Event};
use super::calls::Whereabouts;
use super::client::{Answer, Reception};
use super::state::{BEYOND, Errand, IDLE, Serving, Station, left_by};
use crate::model::{ErrorCost, Notice, OnAbandon, WorkDraw};
use crate::observe::{CallId, Dropped, Fact, Observer, Place};
use crate::policy::Class;
use crate::policy::admission::{Load, Welcome};
use crate::policy::discipline::{Urgency, Waiting};
use crate::policy::effect::Execution;
use crate::policy::limit::{Outcome, Sample};
use crate::policy::shedding::{Fate, PickUp};
use crate::random::{Bits, Draw, Sprout};
use crate::time::{Span, Time};
use crate::unit::Fraction;

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// An attempt arrives.
    #[inline(always)]
    pub(super) fn receive(&mut self, station: Station, call: u32, attempt: u32) -> Reception {
        let state = &mut self.world.stations[station.index()];
        if state.is_guarded
            && let Some(reception) = self.turn_away(station, call, attempt)
        {
            return reception;
        }
        let state = &mut self.world.stations[station.index()];
        if !state.idle.is_empty() && state.health.closures == 0 && state.queue.is_empty() {
            if state.is_open_to_all || self.is_worth_it(station, call, attempt) {
                self.start_at_once(station, call, attempt);
            }
            return Reception::Taken;
        }
        if state.is_open_to_all {
            self.queue(station, call, attempt);
            return Reception::Taken;
        }
        self.ask_admission(station, call, attempt)
    }

    /// An attempt that would have to wait may have to go.
    #[inline(never)]
    fn ask_admission(&mut self, station: Station, call: u32, attempt: u32) -> Reception {
        let state = &self.world.stations[station.index()];
        let admission = &self.policy(station).admission;
        let (waiting, waiting_work) = (state.queue.len(), state.waiting_work);
        let class = self.class_of(call);
        let load = || Load { waiting: waiting_work, own: self.work_of(station, call, attempt) };
        match admission.ask(waiting, class, load) {
            Welcome::Refused => self.turn_down(station, call, attempt),
            Welcome::Admitted => {
                if admission.asks_for_work() {
                    let total = load().total();
                    self.world.stations[station.index()].waiting_work = total;
                }
                self.queue(station, call, attempt);
                Reception::Taken
            }
        }
    }

    /// An attempt finds an idle worker.
    #[inline(always)]
    fn start_at_once(&mut self, station: Station, call: u32, attempt: u32) {
        let state = &mut self.world.stations[station.index()];
        let worker = state.idle.pop().expect("a worker is idle");
        state.shedder.started_at_once(self.now);
        self.world.calls.retain(call);
        let work = self.work_of(station, call, attempt);
        self.start(worker, call, attempt, work, self.now);
        let fact = Fact::Started {
            service: self.named(station),
            call: CallId(call),
            attempt,
            waited: Span::ZERO,
            from_queue: false,
        };
        self.observer.observe(self.now, fact);
    }

    /// Whether an attempt that finds an idle worker is served; otherwise it is dropped.
    fn is_worth_it(&mut self, station: Station, call: u32, attempt: u32) -> bool {
        if !self.world.stations[station.index()].shedder.looks_ahead() {
            return true;
        }
        let (now, since) = (self.now, self.now);
        let work = self.work_of(station, call, attempt);
        let deadline = self.deadline(call, attempt, since);
        let shedder = &mut self.world.stations[station.index()].shedder;
        match shedder.judge(&PickUp { now, since, work, deadline, behind: 0 }) {
            Fate::Served => true,
            Fate::Shed => {
                self.say_shed(station, call, attempt, Dropped::OnArrival);
                false
            }
        }
    }

    #[inline(always)]
    fn queue(&mut self, station: Station, call: u32, attempt: u32) {
        let waiting = Waiting { since: self.now, call, attempt };
        let ranks = self.world.stations[station.index()].queue.ranks();
        let urgency = if ranks { self.urgency(call, attempt) } else { Urgency::NONE };
        let state = &mut self.world.stations[station.index()];
        let ticket = state.queue.push(waiting, urgency);
        let is_timed = state.has_queue_timer;
        if state.on_abandon != OnAbandon::Ignores {
            self.world.calls.set_place(call, attempt, Whereabouts::Queue(ticket));
        }
        self.world.calls.retain(call);
        self.observer.observe(
            self.now,
            Fact::Queued { service: self.named(station), call: CallId(call), attempt },
        );
        if is_timed {
            self.set_queue_timer(station, call, attempt, ticket);
        }
    }

    #[cold]
    fn urgency(&self, call: u32, attempt: u32) -> Urgency {
        Urgency { deadline: self.deadline(call, attempt, self.now), class: self.class_of(call) }
    }

    #[inline]
    pub(super) fn class_of(&self, call: u32) -> Class {
        match self.world.calls.edge(call).client() {
            Some(client) => self.model.clients[client.index()].class,
            None => self.world.calls.sub(call).class,
        }
    }

    /// What an attempt meets that is not even asked to wait: a service that is gone, an error that
    /// costs nothing, or a limit that has nothing to do with the queue.
    #[cold]
    fn turn_away(&mut self, station: Station, call: u32, attempt: u32) -> Option<Reception> {
        if !self.world.stations[station.index()].health.outages.is_empty() {
            return Some(self.meet_outage(station, call, attempt));
        }
        let errors = self.policy(station).errors;
        if errors.cost == ErrorCost::Nothing && self.fails(station, call, attempt) {
            return Some(self.refuse(station, call, attempt, errors.failure, errors.hint));
        }
        let state = &mut self.world.stations[station.index()];
        let in_flight = state.in_flight();
        let by_rate = state.bucket.as_mut().map(|bucket| bucket.take(self.now));
        let by_limit = state.limiter.as_mut().map(|limiter| limiter.ask(self.now, in_flight));
        let refused = [by_rate, by_limit].contains(&Some(Welcome::Refused));
        refused.then(|| self.turn_down(station, call, attempt))
    }

    /// Whether this attempt is one of those that the service fails.
    fn fails(&self, station: Station, call: u32, attempt: u32) -> bool {
        let share = self.policy(station).errors.share;
        let by_triggers = &self.world.stations[station.index()].health.error_shares;
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
    fn work_of(&self, station: Station, call: u32, attempt: u32) -> Span {
        let state = &self.world.stations[station.index()];
        if !state.fixed_work.is_zero() {
            return state.fixed_work;
        }
        self.draw_work(station, call, attempt)
    }

    #[inline(never)]
    fn draw_work(&self, station: Station, call: u32, attempt: u32) -> Span {
        let state = &self.world.stations[station.index()];
        let policy = self.policy(station);
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
        let station = &mut self.world.stations[state.station.index()];
        station.one_more_busy(self.now);
        match station.serving {
            Serving::Works => {}
            Serving::Calls => return self.begin_visit(worker),
            Serving::Counts => return self.begin_operation(worker),
        }
        if station.on_abandon != OnAbandon::Ignores {
            self.world.calls.set_place(call, attempt, Whereabouts::Worker(worker));
        }
        self.run_for(worker, work);
    }

    /// The worker will be done after `left` more of work.
    #[inline(always)]
    pub(super) fn run_for(&mut self, worker: u32, left: Span) {
        let completes = self.now + left;
        let station = self.world.workers[worker as usize].station;
        let lane = self.world.stations[station.index()].completion_lane;
        let completion = self.schedule(left, Event::Completion { worker }, lane);
        let state = &mut self.world.workers[worker as usize];
        state.completes = completes;
        state.completion = completion.unwrap_or(BEYOND);
    }

    /// A worker is done: the answer goes to the client, and the worker is free.
    pub(super) fn complete(&mut self, worker: u32) {
        let state = &mut self.world.workers[worker as usize];
        match state.errand {
            Errand::Serves => {}
            Errand::Visit(visit) => return self.visit_worked(worker, visit),
            Errand::Replays | Errand::Conflicts => return self.complete_told(worker),
            Errand::SaysNo => return self.complete_refusal(worker),
        }
        let (station, call, attempt, work) = (state.station, state.call, state.attempt, state.work);
        state.completion = IDLE;
        let admitted = state.admitted;
        let answer = if self.world.stations[station.index()].is_guarded {
            self.learn(station, admitted, Outcome::Answered);
            let execution = self.take_execution(worker);
            self.outcome(station, call, attempt, execution)
        } else {
            Answer::Success
        };
        self.world.calls.forget_place(call, attempt);
        self.served(station, call, attempt, work, answer);
        self.free(worker);
        if self.world.hand_overs.is_empty()
            && self.world.agenda.first() > Entry::hand_over(self.now)
        {
            // It would be the next thing to happen anyway, if it is to happen at all.
            self.hand_over_of(station);
        } else {
            self.expect_hand_over(station);
        }
    }

    /// An attempt has been served, and its answer leaves.
    #[inline(always)]
    pub(super) fn served(
        &mut self,
        station: Station,
        call: u32,
        attempt: u32,
        work: Span,
        answer: Answer,
    ) {
        let useful = answer == Answer::Success && self.is_waited_for(call, attempt);
        let fact = Fact::Completed {
            service: self.named(station),
            call: CallId(call),
            attempt,
            work,
            useful,
        };
        self.observer.observe(self.now, fact);
        self.answer(call, attempt, answer, if useful { work } else { Span::ZERO });
        self.world.calls.release(call);
    }

    /// What an attempt has come to that was served in full.
    #[cold]
    pub(super) fn outcome(
        &mut self,
        station: Station,
        call: u32,
        attempt: u32,
        execution: Option<Execution>,
    ) -> Answer {
        let errors = self.policy(station).errors;
        let answer = match errors.cost {
            ErrorCost::FullWork if self.fails(station, call, attempt) => {
                Answer::Failure(errors.failure, errors.hint)
            }
            ErrorCost::FullWork | ErrorCost::Nothing => Answer::Success,
        };
        self.operation_ended(station, call, attempt, execution, answer);
        answer
    }

    /// A limit on concurrency learns from an attempt that ends now, itself still counted.
    #[cold]
    pub(super) fn learn(&mut self, station: Station, admitted: Time, outcome: Outcome) {
        let state = &mut self.world.stations[station.index()];
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
        let station = self.world.workers[worker as usize].station;
        let state = &mut self.world.stations[station.index()];
        state.one_less_busy(self.now);
        if state.busy + (state.idle.len() as u32) < state.wanted_workers {
            state.idle.push(worker);
        } else {
            state.parked.push(worker);
        }
    }

    /// From now on the service should have `wanted` workers. Those too many finish what they have in
    /// hand.
    pub(super) fn want_workers(&mut self, station: Station, wanted: u32) {
        let state = &mut self.world.stations[station.index()];
        state.wanted_workers = wanted;
        while state.busy + (state.idle.len() as u32) < wanted {
            let Some(worker) = state.parked.pop() else { break };
            state.idle.push(worker);
        }
        while state.busy + state.idle.len() as u32 > wanted {
            let Some(worker) = state.idle.pop() else { break };
            state.parked.push(worker);
        }
        self.expect_hand_over(station);
    }

    /// Hands over to idle workers of `service` once the completions, timers and triggers of this
    /// instant are through.
    #[inline]
    pub(super) fn expect_hand_over(&mut self, station: Station) {
        let state = &mut self.world.stations[station.index()];
        if !state.hands_over && state.has_work() {
            state.hands_over = true;
            self.world.hand_overs.push_back(station);
        }
    }

    /// The service that has waited longest for it hands its queue to its idle workers.
    pub(super) fn hand_over(&mut self) {
        let Some(station) = self.world.hand_overs.pop_front() else {
            return;
        };
        self.world.stations[station.index()].hands_over = false;
        self.hand_over_of(station);
    }

    #[inline]
    fn hand_over_of(&mut self, station: Station) {
        loop {
            let state = &mut self.world.stations[station.index()];
            if state.health.closures > 0 || state.idle.is_empty() {
                return;
            }
            if self.begin_refusal(station) || self.resume_visit(station) {
                continue;
            }
            let state = &mut self.world.stations[station.index()];
            let Some(waiting) = state.queue.pick(self.now, &mut state.bits) else {
                return;
            };
            self.pick_up(station, waiting);
        }
    }

    /// A worker of `service` picks up an attempt from the queue, and serves or sheds it.
    #[inline]
    fn pick_up(&mut self, station: Station, waiting: Waiting) {
        let Waiting { since, call, attempt } = waiting;
        let work = self.work_of(station, call, attempt);
        if self.world.stations[station.index()].is_open_to_all {
            return self.serve(station, waiting, work);
        }
        self.leaves_queue(station, call, attempt);
        let deadline = self.deadline(call, attempt, since);
        let state = &mut self.world.stations[station.index()];
        let behind = state.queue.len();
        match state.shedder.judge(&PickUp { now: self.now, since, work, deadline, behind }) {
            Fate::Shed => {
                self.say_shed(station, call, attempt, Dropped::AtPickUp);
                self.learn(station, since, Outcome::Dropped);
                self.world.calls.forget_place(call, attempt);
                self.world.calls.release(call);
            }
            Fate::Served => self.serve(station, waiting, work),
        }
    }

    pub(super) fn say_shed(&mut self, station: Station, call: u32, attempt: u32, dropped: Dropped) {
        let service = self.named(station);
        self.observer
            .observe(self.now, Fact::Shed { service, call: CallId(call), attempt, dropped });
    }

    pub(super) fn say_withdrawn(
        &mut self,
        station: Station,
        call: u32,
        attempt: u32,
        place: Place,
    ) {
        let service = self.named(station);
        let fact = Fact::Withdrawn { service, call: CallId(call), attempt, place };
        self.observer.observe(self.now, fact);
    }

    /// An idle worker begins an attempt from the queue.
    #[inline]
    fn serve(&mut self, station: Station, waiting: Waiting, work: Span) {
        let Waiting { since, call, attempt } = waiting;
        let worker = self.world.stations[station.index()].idle.pop();
        let worker = worker.expect("an attempt is picked up by an idle worker");
        self.start(worker, call, attempt, work, since);
        let fact = Fact::Started {
            service: self.named(station),
            call: CallId(call),
            attempt,
            waited: self.now.since(since),
            from_queue: true,
        };
        self.observer.observe(self.now, fact);
    }

    /// Keeps the sum of the work that waits, where admission asks for it.
    #[inline]
    pub(super) fn leaves_queue(&mut self, station: Station, call: u32, attempt: u32) {
        if self.policy(station).admission.asks_for_work() {
            let work = self.work_of(station, call, attempt);
            let state = &mut self.world.stations[station.index()];
            state.waiting_work = state.waiting_work.saturating_sub(work);
            if state.queue.is_empty() {
                // What the work of each depends on may have changed while it waited.
                state.waiting_work = Span::ZERO;
            }
        }
    }

    /// A client has given up an attempt, and the service notices if it is one that does.
    #[inline]
    pub(super) fn abandon(&mut self, station: Station, call: u32, attempt: u32) {
        match self.world.stations[station.index()].on_abandon {
            OnAbandon::Ignores => {}
            OnAbandon::LeavesQueue => self.notice(station, call, attempt, false),
            OnAbandon::StopsWork => self.notice(station, call, attempt, true),
        }
    }

    fn notice(&mut self, station: Station, call: u32, attempt: u32, stops_work: bool) {
        match self.world.calls.take_place(call, attempt) {
            Whereabouts::Queue(ticket) => {
                let state = &mut self.world.stations[station.index()];
                if state.queue.remove(ticket).is_none() {
                    return;
                }
                self.leaves_queue(station, call, attempt);
                self.say_withdrawn(station, call, attempt, Place::Queue);
                self.world.calls.release(call);
            }
            Whereabouts::Worker(worker) if stops_work => {
                self.world.workers[worker as usize].completion = IDLE;
                self.leave_operation(worker, Notice::AtOnce);
                self.say_withdrawn(station, call, attempt, Place::Worker);
                self.free(worker);
                self.expect_hand_over(station);
                self.world.calls.release(call);
            }
            Whereabouts::Visit(visit) if stops_work => self.withdraw_visit(visit),
            Whereabouts::Worker(_) | Whereabouts::Visit(_) | Whereabouts::Nowhere => {}
        }
    }
}
