//! What disturbs the system for a while.

use crate::id::ServiceId;
use crate::time::{Span, Time};

/// A disturbance over `[begins, begins + lasts)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Its name in the scenario.
    pub name: String,
    /// When it sets in: after the completions and client timers of that instant, before hand-overs
    /// and arrivals.
    pub begins: Time,
    /// How long it lasts.
    pub lasts: Span,
    /// What it does meanwhile.
    pub disturbance: Disturbance,
}

/// What a trigger does while it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// The service stops: attempts in service are frozen and resume afterwards, nothing starts,
    /// arrivals go on.
    Stall {
        /// Which one.
        service: ServiceId,
    },
}

impl Trigger {
    /// The first instant at which it no longer acts.
    pub fn ends(&self) -> Time {
        self.begins + self.lasts
    }
}
