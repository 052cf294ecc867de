//! The other clockwork: [`run`] takes a model through its horizon in steps of equal length, with
//! numbers of attempts where the [engine](crate::engine) has attempts.
//!
//! What comes within a step is a *cohort*: it came together, waits together, and what a step does not
//! tell apart it treats alike. A step is four things in this order:
//!
//! 1. fresh requests of the step, and retries that are due by its start, join the line;
//! 2. the capacity of the step serves from the head of the line;
//! 3. what of the newcomers then finds no room is refused;
//! 4. attempts that were sent a timeout ago or longer are given up, and their retries planned.
//!
//! So a run costs what its steps and cohorts cost, whether a cohort is eight requests or eight
//! million. The price is that nothing is known of what happens within a step: an attempt served in the
//! step in which its time is over was served in time, since the line comes before the clock. What that
//! hides is the subject of `docs/stepped-solver.md`.
//!
//! All facts of a step have its start for their instant. There is no chance in it, and no seed.

mod fresh;
mod line;
mod obstacle;
mod pace;
#[cfg(test)]
mod tests;

pub use obstacle::{MAX_STEPS, Obstacle, obstacles};

use std::collections::BTreeMap;

use fresh::Fresh;
use line::{Cohort, Line};
use pace::{Pace, Paces};

use crate::id::{ClientId, EdgeId, ServiceId, TriggerId};
use crate::law::Law;
use crate::model::{Client, Model, OnAbandon, Service};
use crate::observe::{CallId, Dropped, Fact, Observer, Place, Sending};
use crate::policy::admission::Admission;
use crate::policy::outcome::Failure;
use crate::policy::retry::{Decision, Hint, Memory};
use crate::policy::shedding::{Fate, PickUp, Shedder};
use crate::random::Bits;
use crate::time::{Span, Time};

const SERVICE: ServiceId = ServiceId(0);
const CLIENT: ClientId = ClientId(0);

/// Runs `model` from its start to its horizon in steps of `step`, and tells `observer` every fact.
///
/// # Panics
/// If `model` has [`obstacles`]: whoever builds one for this solver asks first.
pub fn run(model: &Model, step: Span, observer: &mut impl Observer) {
    let found = obstacles(model, step);
    assert!(found.is_empty(), "the stepped solver cannot do this: {found:?}");
    let (service, client) = (&model.services[0], &model.clients[0]);
    let work = work_of(&service.service_time).expect("its work is fixed");
    let mut run = Run {
        service,
        client,
        observer,
        work,
        shedder: service.shedding.open(work),
        paces: Paces::of(model),
        fresh: Fresh::of(&client.arrivals),
        line: Line::default(),
        due: BTreeMap::new(),
        effort: Span::ZERO,
        begun: None,
        step,
        now: Time::ZERO,
        cohorts: 0,
    };
    let mut told = triggers(model);
    for nth in 0..step.times_in(model.horizon) {
        run.now = Time::ZERO + step.saturating_mul(nth);
        while let Some((_, fact)) = told.pop_if(|(at, _)| *at <= run.now) {
            run.observer.observe(run.now, fact);
        }
        run.step(nth);
    }
    run.observer.finish(Time::ZERO + model.horizon);
}

/// The work of every attempt; none if it varies.
fn work_of(law: &Law) -> Option<Span> {
    law.constant().filter(|work| !work.is_zero())
}

/// When triggers begin and end; the last first.
fn triggers(model: &Model) -> Vec<(Time, Fact)> {
    let of_one = |(nth, trigger): (usize, &crate::model::Trigger)| {
        let trigger_id = TriggerId(nth as u16);
        [
            (trigger.begins, Fact::TriggerBegan { trigger: trigger_id }),
            (trigger.ends(), Fact::TriggerEnded { trigger: trigger_id }),
        ]
    };
    let mut told: Vec<_> = model.triggers.iter().enumerate().flat_map(of_one).collect();
    told.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    told
}

/// Attempts that will join the line together.
#[derive(Clone, Copy, Debug)]
struct Due {
    /// When their requests came.
    born: Time,
    /// Which retry of their requests they are, counted from 1.
    retry: u32,
    count: u64,
    /// The cohort that they come from.
    call: CallId,
}

/// A run under way.
struct Run<'a, O> {
    service: &'a Service,
    client: &'a Client,
    observer: &'a mut O,
    /// What one attempt asks of a worker at its usual speed.
    work: Span,
    shedder: Shedder,
    paces: Paces,
    fresh: Fresh,
    line: Line,
    /// Retries by the number of the step in which they join.
    due: BTreeMap<u64, Vec<Due>>,
    /// Work that has gone into the head of the line and has not yet finished it.
    effort: Span,
    /// When a worker took up the head of the line, if one has: it is served, whatever becomes of it.
    begun: Option<Time>,
    step: Span,
    /// The start of the step.
    now: Time,
    /// How many cohorts of fresh requests there have been.
    cohorts: u32,
}

impl<O: Observer> Run<'_, O> {
    fn step(&mut self, nth: u64) {
        let until = self.now + self.step;
        let (mut demand, mut power, mut pace) = (0, Span::ZERO, self.paces.at(self.now));
        let mut from = self.now;
        while from < until {
            let (here, next) = self.paces.piece(from);
            let to = next.min(until);
            demand += self.fresh.within(from, to, here.surge);
            power += here.work_within(to.since(from));
            if here.speed > 0.0 {
                pace = here;
            }
            from = to;
        }
        self.join(nth, demand);
        self.serve(power, pace);
        self.refuse(nth, pace);
        self.give_up(nth);
        self.line.forget();
    }

    fn tell(&mut self, fact: Fact, times: u64) {
        if times > 0 {
            self.observer.observe_many(self.now, fact, times);
        }
    }

    /// Fresh requests first, as they came first.
    fn join(&mut self, nth: u64, demand: u64) {
        let call = CallId(self.cohorts);
        if demand > 0 {
            self.cohorts = self.cohorts.wrapping_add(1);
            self.tell(Fact::Arrived { client: CLIENT, call }, demand);
            self.send(Due { born: self.now, retry: 0, count: demand, call }, Sending::First);
        }
        for due in self.due.remove(&nth).unwrap_or_default() {
            self.send(due, Sending::Retry);
        }
    }

    fn send(&mut self, due: Due, kind: Sending) {
        let Due { born, retry, count, call } = due;
        self.tell(Fact::Sent { edge: EdgeId::from(CLIENT), call, attempt: retry, kind }, count);
        let sent = self.now;
        self.line.join(Cohort { call, born, sent, retry, queued: count, open: count });
    }

    /// Serves from the head of the line with `power`, the work that all workers do in this step.
    fn serve(&mut self, power: Span, pace: Pace) {
        self.effort += power;
        let lasts = pace.lasts(self.work);
        while let Some(behind) = self.line.behind_head() {
            let cohort = *self.line.head();
            if self.begun.is_none() && self.is_hopeless(&cohort, lasts, behind) {
                self.shed(&cohort);
                continue;
            }
            // What has been begun is finished first, alone: others of its cohort are judged anew.
            let most = if self.begun.is_some() { 1 } else { cohort.queued };
            let count = most.min(self.work.times_in(self.effort));
            if count == 0 {
                if !self.effort.is_zero() {
                    self.begun.get_or_insert(self.now);
                }
                return;
            }
            self.effort = self.effort - self.work.saturating_mul(count);
            let begun = self.begun.take().unwrap_or(self.now);
            self.line.serve(count);
            self.tell_served(&cohort, count, begun, lasts);
        }
        // Nobody is left to work for.
        self.effort = Span::ZERO;
    }

    /// Attempts whose time ends with this step's start have not been given up yet: the line comes
    /// before the clock.
    fn is_hopeless(&mut self, cohort: &Cohort, lasts: Span, behind: u64) -> bool {
        let deadline = match self.client.edge.timeout {
            Some(timeout) => cohort.sent + timeout,
            None => Time::NEVER,
        };
        match self.shedder {
            Shedder::Expired => cohort.open == 0,
            Shedder::Never
            | Shedder::Unfinishable
            | Shedder::UnfinishableOnAverage { .. }
            | Shedder::FollyCodel(_)
            | Shedder::Codel(_) => {
                let behind = usize::try_from(behind).unwrap_or(usize::MAX);
                let since = cohort.sent;
                let pick_up = PickUp { now: self.now, since, work: lasts, deadline, behind };
                self.shedder.judge(&pick_up) == Fate::Shed
            }
        }
    }

    fn shed(&mut self, cohort: &Cohort) {
        let dropped = if cohort.sent < self.now { Dropped::AtPickUp } else { Dropped::OnArrival };
        let (call, attempt) = (cohort.call, cohort.retry);
        self.tell(Fact::Shed { service: SERVICE, call, attempt, dropped }, cohort.queued);
        self.line.drop_head();
    }

    fn tell_served(&mut self, cohort: &Cohort, count: u64, begun: Time, work: Span) {
        let (service, call, attempt) = (SERVICE, cohort.call, cohort.retry);
        let useful = cohort.open > 0;
        let waited = begun.since(cohort.sent);
        let from_queue = cohort.sent < self.now;
        self.tell(Fact::Started { service, call, attempt, waited, from_queue }, count);
        self.tell(Fact::Completed { service, call, attempt, work, useful }, count);
        if useful {
            // An answer comes within the step; and not before the work can be done.
            let soonest = cohort.sent.since(cohort.born) + work;
            let latency = self.now.since(cohort.born).max(soonest);
            self.tell(Fact::Succeeded { client: CLIENT, call, latency }, count);
        }
    }

    /// Refuses of the newcomers, the last first, what neither is in a worker's hands nor fits into the
    /// queue; the others of them now wait.
    fn refuse(&mut self, nth: u64, pace: Pace) {
        let room = match self.service.admission {
            Admission::Unbounded | Admission::Headroom(_) => None,
            Admission::Bounded { max_waiting } => Some(u64::from(max_waiting)),
            Admission::BoundedWork { max_work } => Some(self.work.times_in(max_work)),
        };
        let room = room.map_or(u64::MAX, |room| room.saturating_add(u64::from(pace.workers)));
        let mut surplus = self.line.queued().saturating_sub(room);
        let mut newest = self.line.len();
        while let Some(before) = newest.checked_sub(1).filter(|at| self.line.sent(*at) == self.now)
        {
            newest = before;
            let refused = self.line.turn_away(newest, surplus);
            surplus -= refused;
            let cohort = self.line.get(newest);
            let (service, call, attempt) = (SERVICE, cohort.call, cohort.retry);
            let edge = EdgeId::from(CLIENT);
            self.tell(
                Fact::Refused { service, edge, call, attempt, failure: Failure::Refused },
                refused,
            );
            self.tell(Fact::Queued { service, call, attempt }, cohort.queued);
            self.fail(nth, &cohort, refused, Failure::Refused, self.service.refusals.hint);
        }
    }

    /// Gives up what was sent a timeout ago.
    fn give_up(&mut self, nth: u64) {
        let Some(timeout) = self.client.edge.timeout else { return };
        while let Some(cohort) = self.line.overdue(self.now, timeout) {
            let (call, attempt) = (cohort.call, cohort.retry);
            let edge = EdgeId::from(CLIENT);
            self.tell(Fact::TimedOut { edge, call, attempt }, cohort.open);
            match self.service.on_abandon {
                OnAbandon::Ignores => {}
                OnAbandon::LeavesQueue | OnAbandon::StopsWork => {
                    let left = self.withdraw();
                    let (service, place) = (SERVICE, Place::Queue);
                    self.tell(Fact::Withdrawn { service, call, attempt, place }, left);
                }
            }
            self.line.give_up();
            self.fail(nth, &cohort, cohort.open, Failure::TimedOut, Hint::Absent);
        }
    }

    /// Takes the overdue cohort out of the line, and out of a worker's hands if the service does that.
    fn withdraw(&mut self) -> u64 {
        let in_hand = self.begun.is_some() && self.line.is_overdue_at_head();
        if in_hand && self.service.on_abandon == OnAbandon::LeavesQueue {
            return self.line.withdraw_but(1);
        }
        if in_hand {
            (self.begun, self.effort) = (None, Span::ZERO);
        }
        self.line.withdraw_but(0)
    }

    /// What becomes of `count` requests of a cohort whose attempts have failed.
    fn fail(&mut self, nth: u64, cohort: &Cohort, count: u64, failure: Failure, hint: Hint) {
        if count == 0 {
            return;
        }
        let retry = &self.client.edge.retry;
        let mut memory = Memory::default();
        match retry.decide(cohort.retry, failure, hint, &mut memory, &mut NoChance) {
            Decision::After(wait) => {
                let due = (self.now + wait).since(Time::ZERO).as_nanos();
                // Nothing joins the line of a step that is over.
                let joins = due.div_ceil(self.step.as_nanos()).max(nth + 1);
                let next = Due {
                    born: cohort.born,
                    retry: cohort.retry.saturating_add(1),
                    count,
                    call: cohort.call,
                };
                self.due.entry(joins).or_default().push(next);
            }
            Decision::GiveUp | Decision::GiveUpAfter(_) => {
                self.tell(Fact::Failed { client: CLIENT, call: cohort.call }, count);
            }
        }
    }
}

/// Waits that are the same for all draw nothing.
struct NoChance;

impl Bits for NoChance {
    fn bits(&mut self) -> u64 {
        0
    }
}
