//! The clockwork: [`run`] takes a model through its horizon, event by event, and tells an observer
//! what happens.
//!
//! The engine has never heard of a file, a thread or a clock, and it cannot fail: a [`Model`] is
//! valid by construction, and a broken invariant is a panic that a test should have met.

pub mod agenda;
mod arrivals;
mod books;
mod breaker;
mod cache;
mod calls;
mod client;
mod connections;
mod course;
mod fleet;
mod flights;
mod freeze;
mod hedges;
mod lane_map;
mod lever;
mod network;
mod operations;
mod outage;
mod queue_timer;
mod refusal;
mod reopen;
mod scaling;
mod service;
pub mod shortcut;
mod start;
mod state;
#[cfg(test)]
mod tests;
mod transport;
mod trigger;
mod visits;
mod waits;
mod world;

pub use course::Course;
pub use world::World;

use agenda::{Agenda, Entry, Event, Lane, Mortal};
use calls::Calls;
use state::{Station, Worker};

use crate::id::ServiceId;
use crate::model::{Lever, Model, Service};
use crate::observe::Observer;
use crate::time::{Span, Time};

/// Runs `model` under `seed` from its start to its horizon and tells `observer` every fact.
///
/// The same model and seed give the same facts, whatever `world` was used for before and whichever
/// agenda it has.
///
/// Whoever wants to know something that no [recording](crate::observe::Recording) holds writes an observer. How long
/// does the unluckiest attempt wait?
///
/// ```
/// use metastable::engine::{self, World};
/// use metastable::observe::{Fact, Observer};
/// use metastable::scenario::Story;
/// use metastable::time::{Span, Time};
///
/// struct Longest(Span);
///
/// impl Observer for Longest {
///     fn observe(&mut self, _now: Time, fact: Fact) {
///         if let Fact::Started { waited, .. } = fact {
///             self.0 = self.0.max(waited);
///         }
///     }
///     fn finish(&mut self, _horizon: Time) {}
/// }
///
/// let story = Story::read("scenarios/retry-storm.toml".as_ref(), &[])?;
/// let mut longest = Longest(Span::ZERO);
/// engine::run(&mut <World>::default(), &story.variants[0].model, 1, &mut longest);
/// assert!(longest.0 > Span::from_secs(20));
/// # Ok::<(), metastable::scenario::Trouble>(())
/// ```
pub fn run<A: Agenda>(
    world: &mut World<A>,
    model: &Model,
    seed: u64,
    observer: &mut impl Observer,
) {
    world.reset(model, seed);
    let horizon = Time::ZERO + model.horizon;
    let mut run = Run { model, levers: &model.levers, world, observer, now: Time::ZERO, horizon };
    run.begin();
    run.play(|_| true);
    run.observer.finish(horizon);
}

/// A run under way.
struct Run<'a, A, O> {
    /// What the world follows now; a lever may change it.
    model: &'a Model,
    levers: &'a [Lever],
    world: &'a mut World<A>,
    observer: &'a mut O,
    now: Time,
    horizon: Time,
}

impl<'a, A: Agenda, O: Observer> Run<'a, A, O> {
    /// What is known to happen before anything has happened.
    fn begin(&mut self) {
        self.schedule_triggers();
        self.schedule_levers();
        self.schedule_scalers();
        self.schedule_first_arrivals();
        self.send_start();
    }

    /// Plays until nothing is left to happen, or the observer is not to see more: whether anything is.
    #[inline(always)]
    fn play(&mut self, mut goes_on: impl FnMut(&O) -> bool) -> bool {
        while goes_on(self.observer) {
            if !self.world.hand_overs.is_empty()
                && self.world.agenda.first() > Entry::hand_over(self.now)
            {
                self.hand_over();
                continue;
            }
            let entry = self.pop();
            if entry == Entry::NONE {
                return false;
            }
            // The dead are skipped one at a time: a hand-over may be due before the next entry.
            let sequence = entry.sequence();
            match entry.event() {
                Event::Completion { worker } => {
                    if self.world.workers[worker as usize].completion == sequence {
                        self.now = entry.time();
                        self.complete(worker);
                    }
                }
                Event::Timeout { call } => {
                    if self.world.calls.timer_is_live(call, sequence) {
                        self.now = entry.time();
                        self.time_out(call);
                    }
                }
                Event::Arrival { client } => {
                    self.now = entry.time();
                    self.arrive(client);
                }
                Event::RetryDue { call } => {
                    if self.world.calls.timer_is_live(call, sequence) {
                        self.now = entry.time();
                        self.retry_is_due(call);
                    }
                }
                rare @ (Event::TriggerBegins { .. }
                | Event::TriggerEnds { .. }
                | Event::AttemptArrives { .. }
                | Event::AnswerArrives { .. }
                | Event::SurgeArrival { .. }
                | Event::UserSends { .. }
                | Event::LeverPulled { .. }
                | Event::LeverReleased { .. }
                | Event::Watch
                | Event::QueueTimeout { .. }
                | Event::FlightTold { .. }
                | Event::Reconnected { .. }
                | Event::ScalerLooks { .. }
                | Event::WorkersStart { .. }
                | Event::FlightEnds { .. }
                | Event::FlightLeaves { .. }
                | Event::HedgeDue { .. }) => {
                    if !is_dead(entry, &self.world.calls, &self.world.workers) {
                        self.now = entry.time();
                        self.play_rare(rare);
                    }
                }
            }
        }
        true
    }

    /// Out of line: in many worlds nothing of this happens, and in the others it costs a call.
    #[inline(never)]
    fn play_rare(&mut self, event: Event) {
        match event {
            Event::TriggerBegins { trigger } => self.begin_trigger(trigger),
            Event::TriggerEnds { trigger } => self.end_trigger(trigger),
            Event::AttemptArrives { journey } => self.attempt_arrives(journey),
            Event::AnswerArrives { journey } => self.answer_arrives(journey),
            Event::SurgeArrival { trigger } => self.arrive_by_surge(trigger),
            Event::UserSends { user } => self.user_sends(user),
            Event::LeverPulled { lever } => self.pull(lever),
            Event::LeverReleased { lever } => self.release_lever(lever),
            Event::QueueTimeout { timer } => self.queue_timeout(timer),
            Event::FlightTold { flight } => self.flight_told(flight),
            Event::ScalerLooks { station } => self.scaler_looks(Station(station as u16)),
            Event::WorkersStart { station } => self.workers_start(Station(station as u16)),
            Event::Reconnected { reconnection } => self.reconnected(reconnection),
            Event::Watch => self.watch(),
            Event::FlightEnds { flight } => self.flight_ends(flight),
            Event::FlightLeaves { flight } => self.flight_leaves(flight),
            Event::HedgeDue { call } => self.hedge_is_due(call),
            Event::Completion { .. }
            | Event::Timeout { .. }
            | Event::Arrival { .. }
            | Event::RetryDue { .. } => unreachable!("these are played where they are met"),
        }
    }

    /// Of which service an instance is.
    #[inline]
    fn named(&self, station: Station) -> ServiceId {
        self.world.stations[station.index()].of
    }

    /// What its service is like.
    #[inline]
    fn policy(&self, station: Station) -> &'a Service {
        self.model.service(self.named(station))
    }

    /// The next entry, dead or alive.
    #[inline(always)]
    fn pop(&mut self) -> Entry {
        let World { agenda, calls, workers, .. } = &mut *self.world;
        agenda.pop(|entry| is_dead(entry, calls, workers))
    }

    /// Puts `event` into the agenda, `delay` from now: its sequence number. What would happen at the
    /// horizon or later does not happen.
    #[inline(always)]
    fn schedule(&mut self, delay: Span, event: Event, lane: Lane) -> Option<u64> {
        let at = self.now + delay;
        if at >= self.horizon {
            return None;
        }
        let sequence = self.world.sequence;
        self.world.agenda.push(Entry::new(at, sequence, event, self.model.tie), lane);
        self.world.sequence += 1;
        Some(sequence)
    }

    /// Whether nothing that is scheduled comes before what would be scheduled now, with no delay, as
    /// an arrival or a retry. It may then be done at once.
    #[inline(always)]
    fn nothing_comes_before_a_retry(&self) -> bool {
        self.world.hand_overs.is_empty() && self.world.agenda.first().time() > self.now
    }
}

/// Whether `entry` no longer means anything.
#[inline(always)]
fn is_dead(entry: Entry, calls: &Calls, workers: &[Worker]) -> bool {
    match entry.mortal() {
        Some(Mortal::Worker(worker)) => workers[worker as usize].completion != entry.sequence(),
        Some(Mortal::Call(call)) => !calls.timer_is_live(call, entry.sequence()),
        Some(Mortal::Flight(flight)) => !calls.flights.timer_is_live(flight, entry.sequence()),
        None => false,
    }
}
