//! The other way through a run: where nobody leaves a FIFO queue but by being picked up, an attempt's
//! whole fate is known when it arrives. It starts when a worker is free, which those before it have
//! settled; it is done when its work is; its client has given up by then or has not. So there is no
//! list of future events but two: fresh requests and retries, each already in order.
//!
//! This is Lindley's recursion (D. V. Lindley, "The theory of queues with a single server", Proc.
//! Camb. Phil. Soc. 48, 1952) for several workers, with stalls, slowdowns, surges, bounds, shedding at
//! pick-up and clients that come back. It is chosen where [`obstacles`] finds nothing, and what it records is what the event
//! loop records, to the last byte: a property test (`shortcut`) compares whole recordings.

mod early;
mod obstacle;
mod pending;
mod slowdowns;
mod stalls;
mod surges;
mod workers;

pub use early::Early;
pub use obstacle::{Obstacle, obstacles};

use std::collections::VecDeque;

use super::arrivals::Source;
use super::start::Crowd;
use crate::model::{Client, Model, Service, Tie, WorkDraw};
use crate::observe::{Recording, Scattered};
use crate::policy::admission::{Admission, Load, Welcome};
use crate::policy::retry::{Decision, Failure, Hint, Memory};
use crate::policy::shedding::{Fate, PickUp, Shedder};
use crate::random::{Bits, Draw, Purpose, Sprout, Stream};
use crate::time::{Span, Time};
use early::{Rest, Watch};
use pending::{Pending, Rank, Sending};
use slowdowns::Slowdowns;
use stalls::Stalls;
use surges::Surges;
use workers::Workers;

/// A place for one run after another: it keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Shortcut {
    workers: Workers,
    pending: Pending,
    stalls: Stalls,
    slowdowns: Slowdowns,
    surges: Surges,
    line: Line,
}

/// An attempt as its client knows it.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    /// When its request was born.
    born: Time,
    /// From which all that is random about the request is drawn.
    key: u64,
    /// How many came before it.
    number: u32,
}

/// Those that wait, kept only where admission asks how many.
#[derive(Clone, Debug, Default)]
struct Line {
    /// When each will be picked up, and how much work it is.
    waiting: VecDeque<(Time, Span)>,
    work: Span,
}

impl Line {
    fn clear(&mut self) {
        self.waiting.clear();
        self.work = Span::ZERO;
    }

    /// Whoever is picked up by `now` waits no longer.
    #[inline]
    fn advance(&mut self, now: Time) {
        while let Some(&(start, work)) = self.waiting.front()
            && start <= now
        {
            self.work = self.work.saturating_sub(work);
            self.waiting.pop_front();
        }
    }
}

impl Shortcut {
    /// Runs `model` under `seed` from its start to its horizon.
    ///
    /// # Panics
    /// If there is any [obstacle](obstacles) to that.
    pub fn run(&mut self, model: &Model, seed: u64) -> Recording {
        self.play(model, seed, Watch::nobody()).0
    }

    /// The same, up to where the rest is known; whether that was before the horizon. Only the windows
    /// of such a recording are worth anything: those that were not played are filled in.
    ///
    /// # Panics
    /// If there is any [obstacle](obstacles) to that.
    pub fn run_early(&mut self, model: &Model, seed: u64, early: Early<'_>) -> (Recording, bool) {
        let watch = match Early::is_steady(model) {
            true => Watch::new(early, Time::ZERO + model.window),
            false => Watch::nobody(),
        };
        self.play(model, seed, watch)
    }

    fn play(&mut self, model: &Model, seed: u64, watch: Watch<'_>) -> (Recording, bool) {
        assert!(obstacles(model).is_empty(), "the model has no such shortcut");
        let (service, client) = (&model.services[0], &model.clients[0]);
        self.stalls.reset(&model.triggers);
        self.slowdowns.reset(&model.triggers);
        self.surges.reset(model, seed);
        let is_work_alike = service.service_time.constant().is_some() && self.slowdowns.is_empty();
        self.workers.reset(service.workers, is_work_alike);
        self.pending.clear();
        self.line.clear();
        let mut run = Run {
            model,
            service,
            client,
            horizon: Time::ZERO + model.horizon,
            fixed_work: service.service_time.constant(),
            keys: Stream::new(seed, Purpose::Requests, &client.name),
            jitter: Stream::new(seed, Purpose::Jitter, &client.name),
            shedder: service.shedding.open(service.service_time.mean()),
            bounded: service.admission != Admission::Unbounded,
            plain_retry: client.edge.retry.plain(Failure::TimedOut),
            draws_keys: service.service_time.constant().is_none() || self.surges.takes_any(),
            is_slowed: !self.slowdowns.is_empty(),
            sent: 0,
            all_done: Time::ZERO,
            seen: Scattered::new(model.window, model.horizon),
            world: self,
        };
        let rest = run.play(Source::new(seed, &client.name), watch);
        match rest {
            None => {}
            Some(Rest::Control(from, windows)) => run.seen.fill_from(from, windows),
            Some(Rest::Stuck(from)) => run.seen.repeat_from(from),
        }
        (run.seen.finish(model.horizon), rest.is_some())
    }
}

struct Run<'a> {
    model: &'a Model,
    service: &'a Service,
    client: &'a Client,
    horizon: Time,
    /// The work of every attempt, if it is the same.
    fixed_work: Option<Span>,
    keys: Stream,
    jitter: Stream,
    shedder: Shedder,
    bounded: bool,
    /// How many retries follow timeouts and after which wait, if that is all there is to decide.
    plain_retry: Option<(u32, Span)>,
    /// Whether anything is drawn from the keys of requests.
    draws_keys: bool,
    /// Whether work takes longer at times.
    is_slowed: bool,
    /// How many attempts have been sent.
    sent: u64,
    /// When the last of those that are being served or wait will be done.
    all_done: Time,
    seen: Scattered,
    world: &'a mut Shortcut,
}

impl Run<'_> {
    fn play<'w>(&mut self, mut source: Source, mut watch: Watch<'w>) -> Option<Rest<'w>> {
        let arrivals = &self.client.arrivals;
        let mut next = source.next(arrivals, Time::ZERO, self.horizon);
        let mut planned = Rank::FIRST;
        self.send_start();
        loop {
            let arrival = next.unwrap_or(Time::NEVER);
            let surge = self.world.surges.before(arrival, planned);
            let (now, rank) = surge.map_or((arrival, planned), |(at, rank, _)| (at, rank));
            if let Some(retry) = self.world.pending.pop_before(now, rank) {
                self.send(retry.at, retry.attempt);
                continue;
            }
            if now >= self.horizon {
                return None;
            }
            if now >= watch.due
                && let Some(rest) = watch.look(self.seen.windows(), self.model.window, now)
            {
                return Some(rest);
            }
            if now > self.all_done && self.world.pending.is_empty() {
                watch.is_idle(now);
            }
            if let Some((.., nth)) = surge {
                self.arrive_by_surge(nth, now);
                continue;
            }
            // As in the event loop, the next one is planned before this one is sent.
            planned = Rank::at_sending(now, self.sent);
            next = source.next(arrivals, now, self.horizon).map(|at| at.max(now));
            let key = if self.draws_keys { self.keys.bits() } else { 0 };
            if self.world.surges.takes_any() && self.world.surges.takes(key, now) {
                continue;
            }
            self.seen.arrived(now);
            self.send(now, Attempt { born: now, key, number: 0 });
        }
    }

    /// A surge brings a request, and plans its next one after that.
    #[cold]
    fn arrive_by_surge(&mut self, surge: usize, now: Time) {
        let key = self.world.surges.key(surge);
        let planned = Rank::after_sending(now, self.sent);
        self.seen.arrived(now);
        self.send(now, Attempt { born: now, key, number: 0 });
        let arrivals = &self.client.arrivals;
        self.world.surges.plan(surge, arrivals, now, planned, self.horizon);
    }

    /// What is under way at the start.
    fn send_start(&mut self) {
        if self.model.start.is_empty() {
            return;
        }
        let [sent] = self.model.sent_at_start()[..] else { return };
        let crowd = Crowd::new(&self.keys, self.client, self.model.window);
        for nth in 0..sent.fresh {
            self.seen.arrived(Time::ZERO);
            self.send(
                Time::ZERO,
                Attempt { born: Time::ZERO, key: crowd.fresh_key(nth), number: 0 },
            );
        }
        for nth in 0..sent.again {
            let (key, after) = crowd.coming_again(nth, sent.again);
            self.seen.arrived(Time::ZERO);
            self.seen.sent(Time::ZERO, false);
            self.seen.lost();
            self.seen.timed_out(Time::ZERO);
            let planned = Rank::at_sending(Time::ZERO, self.sent);
            self.sent += 1;
            let attempt = Attempt { born: Time::ZERO, key, number: 1 };
            if Time::ZERO + after < self.horizon {
                self.world.pending.push(Sending { at: Time::ZERO + after, planned, attempt });
            }
        }
    }

    /// An attempt leaves its client and arrives.
    #[inline(always)]
    fn send(&mut self, now: Time, attempt: Attempt) {
        let nth = self.sent;
        self.sent += 1;
        self.seen.sent(now, attempt.number > 0);
        let mut work = match self.fixed_work {
            Some(work) => work,
            None => self.draw_work(attempt),
        };
        let start = self.world.stalls.start(self.world.workers.earliest().max(now));
        if self.is_slowed {
            work = self.world.slowdowns.stretched(work, start);
        }
        let gives_up = self.client.edge.timeout.map_or(Time::NEVER, |timeout| now + timeout);
        let waits = start > now;
        if waits {
            if self.bounded && !self.is_let_in(now, start, work) {
                return self.refuse(now, attempt, nth);
            }
            self.seen.queued(now);
        }
        let is_answered = if self.is_served(now, start, work, gives_up) {
            self.serve(now, start, work, gives_up, attempt)
        } else {
            if start < self.horizon {
                self.seen.shed(start, waits);
            }
            false
        };
        if !is_answered && gives_up < self.horizon {
            self.give_up(gives_up, attempt, nth);
        }
    }

    #[inline(never)]
    fn draw_work(&self, attempt: Attempt) -> Span {
        let number = match self.service.work {
            WorkDraw::PerAttempt => attempt.number,
            WorkDraw::PerRequest => 0,
        };
        self.service.service_time.sample(&mut Sprout::of(attempt.key, number, Draw::Work))
    }

    /// Whether an attempt that must wait, until `start`, may.
    fn is_let_in(&mut self, now: Time, start: Time, work: Span) -> bool {
        let line = &mut self.world.line;
        line.advance(now);
        let load = || Load { waiting: line.work, own: work };
        match self.service.admission.ask(line.waiting.len(), self.client.class, load) {
            Welcome::Refused => false,
            Welcome::Admitted => {
                line.waiting.push_back((start, work));
                line.work += work;
                true
            }
        }
    }

    /// Whether a worker that takes an attempt up at `start` serves it.
    #[inline]
    fn is_served(&mut self, now: Time, start: Time, work: Span, gives_up: Time) -> bool {
        if matches!(self.shedder, Shedder::Never) || start == now && !self.shedder.looks_ahead() {
            return true;
        }
        let pick_up = PickUp { now: start, since: now, work, deadline: gives_up, behind: 0 };
        self.shedder.judge(&pick_up) == Fate::Served
    }

    /// An attempt is served: whether its client hears of it in time, or would if the run went on.
    #[inline(always)]
    fn serve(
        &mut self,
        now: Time,
        start: Time,
        work: Span,
        gives_up: Time,
        attempt: Attempt,
    ) -> bool {
        let done = self.world.stalls.completion(start, work);
        self.world.workers.take(done);
        self.all_done = self.all_done.max(done);
        let is_in_time = done < gives_up
            || done == gives_up && self.model.tie == Tie::CompletionWins && start < done;
        if start < self.horizon {
            self.seen.started(start, start.since(now), start > now);
        }
        if done < self.horizon {
            let latency = is_in_time.then(|| done.since(attempt.born));
            self.seen.completed(done, work, latency);
        }
        is_in_time
    }

    /// The client gives up an attempt.
    #[inline(always)]
    fn give_up(&mut self, at: Time, attempt: Attempt, nth: u64) {
        self.seen.timed_out(at);
        let decision = match self.plain_retry {
            Some((max_retries, wait)) if attempt.number < max_retries => Decision::After(wait),
            Some(_) => Decision::GiveUp,
            None => self.decide(attempt, Failure::TimedOut, Hint::Absent),
        };
        self.follow(at, attempt, decision, Rank::by_timer(at, nth));
    }

    #[cold]
    fn refuse(&mut self, now: Time, attempt: Attempt, nth: u64) {
        self.seen.refused(now);
        let decision = self.decide(attempt, Failure::Refused, self.service.refusals.hint);
        self.follow(now, attempt, decision, Rank::by_refusal(now, nth));
    }

    #[inline(never)]
    fn decide(&mut self, attempt: Attempt, failure: Failure, hint: Hint) -> Decision {
        let mut memory = Memory::NOTHING;
        let retry = &self.client.edge.retry;
        retry.decide(attempt.number, failure, hint, &mut memory, &mut self.jitter)
    }

    /// What has been decided about a request of which an attempt has failed is done.
    #[inline(always)]
    fn follow(&mut self, at: Time, attempt: Attempt, decision: Decision, planned: Rank) {
        match decision {
            Decision::GiveUp | Decision::GiveUpAfter(_) => self.seen.failed(at),
            Decision::After(wait) => {
                let due = at + wait;
                if due < self.horizon {
                    let attempt = Attempt { number: attempt.number + 1, ..attempt };
                    self.world.pending.push(Sending { at: due, planned, attempt });
                }
            }
        }
    }
}
