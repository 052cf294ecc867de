//! What services do: take in or refuse, queue, pick up, work, answer.

use super::Run;
use super::agenda::{Agenda, Event};
use super::calls::Calls;
use super::client::Reception;
use super::world::Waiting;
use crate::id::ServiceId;
use crate::model::Model;
use crate::observe::{CallId, Fact, Observer};
use crate::policy::Class;
use crate::policy::admission::{Load, Welcome};
use crate::policy::shedding::{Fate, PickUp};
use crate::random::Sprout;
use crate::time::{Span, Time};

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// An attempt arrives.
    #[inline]
    pub(super) fn receive(&mut self, service: ServiceId, call: u32, attempt: u32) -> Reception {
        let state = &mut self.world.services[service.index()];
        if state.stalls == 0
            && state.queue.is_empty()
            && let Some(worker) = state.idle.pop()
        {
            state.shedder.started_at_once(self.now);
            self.world.calls.retain(call);
            let work = work_of(self.model, &self.world.calls, service, call, attempt);
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
        let (model, calls) = (self.model, &self.world.calls);
        let admission = &model.service(service).admission;
        let (waiting, waiting_work) = (state.queue.len(), state.waiting_work);
        let load = move || {
            let own = work_of(model, calls, service, call, attempt);
            Load { waiting: waiting_work, own }
        };
        match admission.ask(waiting, Class::FIRST, load) {
            Welcome::Refused => {
                self.observer
                    .observe(self.now, Fact::Refused { service, call: CallId(call), attempt });
                Reception::Refused
            }
            Welcome::Admitted => {
                if admission.asks_for_work() {
                    state.waiting_work = load().total();
                }
                state.queue.push_back(Waiting { since: self.now, call, attempt });
                self.world.calls.retain(call);
                self.observer
                    .observe(self.now, Fact::Queued { service, call: CallId(call), attempt });
                Reception::Taken
            }
        }
    }

    #[inline]
    fn start(&mut self, worker: u32, call: u32, attempt: u32, work: Span) {
        let sequence = self.world.sequence;
        let state = &mut self.world.workers[worker as usize];
        state.call = call;
        state.attempt = attempt;
        state.work = work;
        state.sequence = sequence;
        state.completes = self.now + work;
        let lane = self.world.services[state.service.index()].completion_lane;
        self.schedule(work, Event::Completion { worker }, lane);
    }

    /// A worker is done: the answer goes to the client, and the worker is idle.
    pub(super) fn complete(&mut self, worker: u32) {
        let state = &mut self.world.workers[worker as usize];
        let (service, call, attempt, work) = (state.service, state.call, state.attempt, state.work);
        state.completes = Time::NEVER;
        let useful = self.is_waited_for(call, attempt);
        self.observer.observe(
            self.now,
            Fact::Completed { service, call: CallId(call), attempt, work, useful },
        );
        if useful {
            self.succeed(call);
        }
        self.world.calls.release(call);
        self.world.services[service.index()].idle.push(worker);
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
            if state.stalls > 0 || state.idle.is_empty() {
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
        let Waiting { since, call, attempt } = waiting;
        let work = work_of(self.model, &self.world.calls, service, call, attempt);
        let deadline = self.deadline(call, since);
        let state = &mut self.world.services[service.index()];
        if self.model.service(service).admission.asks_for_work() {
            state.waiting_work = state.waiting_work - work;
        }
        let behind = state.queue.len();
        match state.shedder.judge(&PickUp { now: self.now, since, work, deadline, behind }) {
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

    /// Work in service stops where it is, and nothing starts.
    pub(super) fn freeze(&mut self, service: ServiceId) {
        let state = &mut self.world.services[service.index()];
        state.stalls += 1;
        if state.stalls > 1 {
            return;
        }
        for worker in &mut self.world.workers[state.worker_range()] {
            if worker.completes != Time::NEVER {
                worker.left = worker.completes.since(self.now);
                worker.completes = Time::NEVER;
            }
        }
    }

    /// Work in service goes on where it stopped, unless another stall is still on.
    pub(super) fn thaw(&mut self, service: ServiceId) {
        let state = &mut self.world.services[service.index()];
        state.stalls -= 1;
        if state.stalls > 0 {
            return;
        }
        let lane = state.completion_lane;
        let range = state.worker_range();
        let workers = &self.world.workers[range.clone()];
        let frozen =
            range.filter(|&index| !workers[index - state.workers.start as usize].left.is_zero());
        let mut frozen: Vec<u32> = frozen.map(|index| index as u32).collect();
        // In the order in which they would have been done.
        frozen.sort_by_key(|&worker| {
            let worker = &self.world.workers[worker as usize];
            (worker.left, worker.sequence)
        });
        for worker in frozen {
            let sequence = self.world.sequence;
            let state = &mut self.world.workers[worker as usize];
            let left = std::mem::take(&mut state.left);
            state.completes = self.now + left;
            state.sequence = sequence;
            self.schedule(left, Event::Completion { worker }, lane);
        }
        self.expect_hand_over(service);
    }
}

/// How long a worker will work on this attempt: fixed when the request was born, whatever happens to
/// its other attempts, so that every variant of a story brings the same work.
#[inline]
fn work_of(model: &Model, calls: &Calls, service: ServiceId, call: u32, attempt: u32) -> Span {
    let law = &model.service(service).service_time;
    match law.constant() {
        Some(work) => work,
        None => law.sample(&mut Sprout::new(calls.work_key(call), u64::from(attempt))),
    }
}
