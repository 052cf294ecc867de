//! The clockwork: [`run`] takes a model through its horizon, event by event, and tells an observer
//! what happens.
//!
//! The engine has never heard of a file, a thread or a clock, and it cannot fail: a [`Model`] is
//! valid by construction, and a broken invariant is a panic that a test should have met.

pub mod agenda;
mod books;
mod calls;
mod client;
mod service;
#[cfg(test)]
mod tests;
mod trigger;
mod world;

pub use world::World;

use agenda::{Agenda, Entry, Event, Lane};
use calls::Calls;
use world::Worker;

use crate::model::Model;
use crate::observe::Observer;
use crate::time::{Span, Time};

/// Runs `model` under `seed` from its start to its horizon and tells `observer` every fact.
///
/// The same model and seed give the same facts, whatever `world` was used for before and whichever
/// agenda it has.
pub fn run<A: Agenda>(
    world: &mut World<A>,
    model: &Model,
    seed: u64,
    observer: &mut impl Observer,
) {
    world.reset(model, seed);
    let horizon = Time::ZERO + model.horizon;
    let mut run = Run { model, world, observer, now: Time::ZERO, horizon };
    run.schedule_triggers();
    run.schedule_first_arrivals();
    run.play();
    run.observer.finish(horizon);
}

/// A run under way.
struct Run<'a, A, O> {
    model: &'a Model,
    world: &'a mut World<A>,
    observer: &'a mut O,
    now: Time,
    horizon: Time,
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    fn play(&mut self) {
        loop {
            if !self.world.hand_overs.is_empty()
                && self.world.agenda.first() > Entry::hand_over(self.now)
            {
                self.hand_over();
                continue;
            }
            let entry = self.pop();
            if entry == Entry::NONE {
                return;
            }
            // The dead are skipped one at a time: a hand-over may be due before the next entry.
            if self.bury(entry) {
                continue;
            }
            self.now = entry.time();
            match entry.event() {
                Event::Completion { worker } => self.complete(worker),
                Event::Timeout { call } => self.time_out(call),
                Event::TriggerBegins { trigger } => self.begin_trigger(trigger),
                Event::TriggerEnds { trigger } => self.end_trigger(trigger),
                Event::Arrival { client } => self.arrive(client),
                Event::RetryDue { call } => self.retry_is_due(call),
            }
        }
    }

    /// The next entry, dead or alive.
    #[inline]
    fn pop(&mut self) -> Entry {
        let World { agenda, calls, workers, .. } = &mut *self.world;
        agenda.pop(|entry| is_dead(entry, calls, workers))
    }

    /// Whether `entry` is dead; then its reference to a request is given back.
    #[inline]
    fn bury(&mut self, entry: Entry) -> bool {
        is_dead(entry, &mut self.world.calls, &self.world.workers)
    }

    /// Puts `event` into the agenda, `delay` from now. What would happen at the horizon or later does
    /// not happen: the answer is whether it will.
    #[inline]
    fn schedule(&mut self, delay: Span, event: Event, lane: Lane) -> bool {
        let at = self.now + delay;
        let in_time = at < self.horizon;
        if in_time {
            self.world.agenda.push(Entry::new(at, self.world.sequence, event), lane);
            self.world.sequence += 1;
        }
        in_time
    }

    /// Whether nothing that is scheduled comes before what would be scheduled now, with no delay, as
    /// an arrival or a retry. It may then be done at once.
    #[inline]
    fn nothing_comes_before_a_retry(&self) -> bool {
        self.world.hand_overs.is_empty() && self.world.agenda.first().time() > self.now
    }
}

/// Whether `entry` no longer means anything; then its reference to a request is given back, so each
/// dead entry may be asked about only once.
#[inline]
fn is_dead(entry: Entry, calls: &mut Calls, workers: &[Worker]) -> bool {
    match entry.event() {
        Event::Completion { worker } => workers[worker as usize].completes != entry.time(),
        Event::Timeout { call } | Event::RetryDue { call } => {
            let dead = !calls.timer_is_live(call, entry.time());
            if dead {
                calls.release(call);
            }
            dead
        }
        Event::TriggerBegins { .. } | Event::TriggerEnds { .. } | Event::Arrival { .. } => false,
    }
}
