//! A client population and the edge over which it calls a service.

use crate::id::ServiceId;
use crate::policy::budget::Budget;
use crate::policy::retry::Retry;
use crate::time::Span;
use crate::unit::Rate;

/// Where requests come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// Its name in the scenario; keys its random streams.
    pub name: String,
    /// When fresh requests arrive.
    pub arrivals: Arrivals,
    /// What each request calls, and how.
    pub edge: Edge,
}

/// The process by which fresh requests arrive. Open loop: arrivals do not wait for answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// Independent of each other, at a mean rate.
    Poisson(Rate),
    /// Evenly spaced: request `k` = 0, 1, 2, … arrives at `k / rate`.
    Even(Rate),
}

impl Arrivals {
    /// Mean arrivals per second.
    pub const fn rate(self) -> Rate {
        match self {
            Self::Poisson(rate) | Self::Even(rate) => rate,
        }
    }
}

/// A call from a client to a service, with the client's whole policy on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// What is called.
    pub to: ServiceId,
    /// How long the client waits for one attempt, counted from when it is sent; none waits for ever.
    pub timeout: Option<Span>,
    /// What it does when an attempt has failed.
    pub retry: Retry,
    /// What bounds its retries as a whole, shared by all of its requests.
    pub budget: Option<Budget>,
}
