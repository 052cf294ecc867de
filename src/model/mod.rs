//! What is simulated: plain, valid, immutable data. A [`Model`] knows nothing of files; whoever
//! builds one (the scenario reader, a test, a program) hands it to the engine.

mod client;
mod limit;
mod service;
mod trigger;

pub use client::{Arrivals, Client, Edge};
pub use limit::{MAX_EVENTS, MAX_IN_FLIGHT, MAX_WINDOWS, TooLarge, WorstCase};
pub use service::Service;
pub use trigger::{Disturbance, Trigger};

use crate::id::ServiceId;
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// A service, its clients, what disturbs them, and how long they are watched.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The services; a [`ServiceId`] is a position in this list.
    pub services: Vec<Service>,
    /// The clients.
    pub clients: Vec<Client>,
    /// What disturbs them.
    pub triggers: Vec<Trigger>,
    /// How long the run lasts. What is open then is censored.
    pub horizon: Span,
    /// The width of the windows in which goodput is compared with fresh demand.
    pub window: Span,
    /// When a window counts as good, and for how long it must stay so.
    pub criterion: Criterion,
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
    /// The service with this id.
    ///
    /// # Panics
    /// If there is none: ids come from the same model.
    pub fn service(&self, id: ServiceId) -> &Service {
        &self.services[id.index()]
    }

    /// The same world without anything that disturbs it: the control run's model.
    #[must_use]
    pub fn undisturbed(&self) -> Self {
        Self { triggers: Vec::new(), ..self.clone() }
    }

    /// When the first trigger begins and the last one ends; none without triggers.
    pub fn disturbed_between(&self) -> Option<(Time, Time)> {
        let begins = self.triggers.iter().map(|trigger| trigger.begins).min()?;
        let ends = self.triggers.iter().map(Trigger::ends).max()?;
        Some((begins, ends))
    }

    /// Fresh requests per second, from all clients.
    pub fn fresh_demand(&self) -> f64 {
        self.clients.iter().map(|client| client.arrivals.rate().per_second()).sum()
    }
}
