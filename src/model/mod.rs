//! What is simulated: plain, valid, immutable data. A [`Model`] knows nothing of files; whoever
//! builds one (the scenario reader, a test, a program) hands it to the engine.

mod arrivals;
mod client;
mod flow;
mod graph;
mod lever;
mod limit;
mod service;
mod solver;
mod start;
mod trigger;

pub use arrivals::{Arrivals, Bursts, Profile, Think, Users};
pub use client::{Client, Edge, LateAnswers, Loss, Scope};
pub use graph::{Caller, Calls, InnerCall, Meanwhile, Need, PassedOn};
pub use lever::{Action, Condition, Lever, Pull};
pub use limit::{
    MAX_COUNTED_EVENTS, MAX_EVENTS, MAX_IN_FLIGHT, MAX_REMEMBERED, MAX_WINDOWS, TooLarge, WorstCase,
};
pub use service::{
    Effect, ErrorCost, Errors, OnAbandon, QueueTimeout, Refusals, Service, Sight, WorkDraw,
};
pub use solver::Solver;
pub use start::{Sent, Start};
pub use trigger::{
    Disturbance, InProgress, Notice, Outage, QueueFate, ServiceFate, Subject, Trigger,
};

use crate::id::ServiceId;
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// A service, its clients, what disturbs them, and how long they are watched.
///
/// It takes no file to make one. M/M/1 at a load of 0.5, whose mean wait is as long as its mean work:
///
/// ```
/// use std::num::NonZeroU32;
///
/// use metastable::experiment::Workbench;
/// use metastable::id::ServiceId;
/// use metastable::law::Law;
/// use metastable::model::{Arrivals, Client, Edge, Model, Service};
/// use metastable::time::Span;
/// use metastable::unit::Rate;
///
/// let work = Law::Exponential { mean: Span::from_millis(10) };
/// let arrivals = Arrivals::Poisson(Rate::new(50.0).expect("a rate"));
/// let model = Model {
///     services: vec![Service::new("api", NonZeroU32::MIN, work)],
///     clients: vec![Client::new("web", arrivals, Edge::new(ServiceId(0)))],
///     ..Model::empty(Span::from_secs(10_000), Span::from_secs(1))
/// };
/// assert_eq!(model.fits(), Ok(()));
///
/// let tally = Workbench::default().run("", &model, 1).recording.tally;
/// let mean_wait_s = tally.waited.as_secs_f64() / tally.started as f64;
/// assert!((mean_wait_s - 0.01).abs() < 0.0005, "{mean_wait_s}");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The services; a [`ServiceId`] is a position in this list.
    pub services: Vec<Service>,
    /// The clients.
    pub clients: Vec<Client>,
    /// What there is when the run begins.
    pub start: Start,
    /// What disturbs them.
    pub triggers: Vec<Trigger>,
    /// What an operator does about it.
    pub levers: Vec<Lever>,
    /// What comes first when a completion and a client's timer fall on one instant.
    pub tie: Tie,
    /// How long the run lasts. What is open then is censored.
    pub horizon: Span,
    /// The width of the windows in which goodput is compared with fresh demand.
    pub window: Span,
    /// When a window counts as good, and for how long it must stay so.
    pub criterion: Criterion,
    /// How the run is worked out.
    pub solver: Solver,
}

/// What comes first when a completion and a client's timer fall on one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tie {
    /// The completion: an answer at the very instant of the timeout is in time.
    #[default]
    CompletionWins,
    /// The timer.
    TimerWins,
}

/// What "back to normal" means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    /// A window is good if goodput is at least this share of fresh demand in it.
    pub share: Fraction,
    /// How many good windows in a row make a recovery; none for all windows up to the horizon.
    pub hold: Option<u32>,
}

impl Criterion {
    /// The share of fresh demand that may go unanswered in a good window.
    pub const fn tolerated(self) -> Fraction {
        self.share.complement()
    }
}

impl Default for Criterion {
    /// Nine tenths of fresh demand, up to the horizon.
    fn default() -> Self {
        Self { share: Fraction::NINE_TENTHS, hold: None }
    }
}

impl Model {
    /// A world with nothing in it, watched for `horizon` in windows of `window`.
    pub fn empty(horizon: Span, window: Span) -> Self {
        Self {
            services: Vec::new(),
            clients: Vec::new(),
            start: Start::EMPTY,
            triggers: Vec::new(),
            levers: Vec::new(),
            tie: Tie::default(),
            horizon,
            window,
            criterion: Criterion::default(),
            solver: Solver::default(),
        }
    }

    /// The service with this id.
    ///
    /// # Panics
    /// If there is none: ids come from the same model.
    pub fn service(&self, id: ServiceId) -> &Service {
        &self.services[id.index()]
    }

    /// The same world without anything that disturbs it, and without anybody who does something
    /// about it, begun empty: the control run's model.
    #[must_use]
    pub fn undisturbed(&self) -> Self {
        Self { start: Start::EMPTY, triggers: Vec::new(), levers: Vec::new(), ..self.clone() }
    }

    /// When the first trigger begins and the last one ends; none without triggers. What there is at the start
    /// is a disturbance that is over at once.
    pub fn disturbed_between(&self) -> Option<(Time, Time)> {
        let at_start = (!self.start.is_empty()).then_some(Time::ZERO);
        let begins = self.triggers.iter().map(|trigger| trigger.begins).chain(at_start).min()?;
        let ends = self.triggers.iter().map(Trigger::ends).chain(at_start).max()?;
        Some((begins, ends))
    }

    /// Fresh requests per second, from all clients, on average over the run.
    pub fn fresh_demand(&self) -> f64 {
        self.clients.iter().map(|client| client.arrivals.mean_rate(self.horizon)).sum()
    }
}
