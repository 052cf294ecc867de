//! A client population and the edge over which it calls a service.

use std::num::NonZeroU16;

use super::{Arrivals, Notice};
use crate::id::ServiceId;
use crate::law::Law;
use crate::policy::Class;
use crate::policy::breaker::Breaker;
use crate::policy::budget::Budget;
use crate::policy::cache::Cache;
use crate::policy::deadline::Patience;
use crate::policy::hedge::Hedge;
use crate::policy::pool::Pool;
use crate::policy::retry::Retry;
use crate::policy::throttle::Throttle;
use crate::policy::transport::Transport;
use crate::time::Span;
use crate::unit::Fraction;

/// Where requests come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// Its name in the scenario; keys its random streams.
    pub name: String,
    /// When fresh requests arrive.
    pub arrivals: Arrivals,
    /// How many instances of the client there are; requests go round them. What an instance
    /// remembers (a budget of its own, a breaker) it shares with nobody.
    pub instances: NonZeroU16,
    /// How important its requests are, to services that care.
    pub class: Class,
    /// What each request calls, and how.
    pub edge: Edge,
}

impl Client {
    /// A single instance.
    pub fn new(name: &str, arrivals: Arrivals, edge: Edge) -> Self {
        Self {
            name: name.to_owned(),
            arrivals,
            instances: NonZeroU16::MIN,
            class: Class::FIRST,
            edge,
        }
    }

    /// How many instances there are: users of a closed loop are one each.
    pub fn instance_count(&self) -> u16 {
        match &self.arrivals {
            Arrivals::Users(users) => users.count.get(),
            Arrivals::Poisson(_)
            | Arrivals::Even(_)
            | Arrivals::Bursts(_)
            | Arrivals::Profile(_)
            | Arrivals::Volley { .. }
            | Arrivals::Replay(_) => self.instances.get(),
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
    /// What bounds its retries as a whole.
    pub budget: Option<Budget>,
    /// What it holds back on its own side, by how the service has answered lately or how fast it wants
    /// to be.
    pub throttle: Option<Throttle>,
    /// What it holds back on its own side while the service fails.
    pub breaker: Option<Breaker>,
    /// Whether it sends another copy of an attempt that is still out.
    pub hedge: Option<Hedge>,
    /// How many attempts it may have out at once; none for any number.
    pub pool: Option<Pool>,
    /// The name of the pool, if calls that have pools of the same name have one pool together: whoever
    /// calls, and whatever the scope.
    pub shared_pool: Option<String>,
    /// What it need not fetch, because it has it already; none for nothing.
    pub cache: Option<Cache>,
    /// What happens beneath all of this; none for attempts that each have a connection of their own and
    /// are sent once.
    pub transport: Option<Transport>,
    /// Whose memory budget, throttle, breaker, hedging, pool, cache and connections are.
    pub scope: Scope,
    /// How long a whole request may take, and what that means for its attempts; the timeout of an
    /// attempt is that above. None takes what it takes.
    pub deadline: Option<Patience>,
    /// How long the network takes one way, drawn anew for each way; none takes no time.
    pub latency: Option<Law>,
    /// What the network loses all the time.
    pub loss: Loss,
    /// What an answer is worth that comes after its attempt was given up.
    pub late_answers: LateAnswers,
}

impl Edge {
    /// A call without timeout, retries or latency.
    pub const fn new(to: ServiceId) -> Self {
        Self {
            to,
            timeout: None,
            retry: Retry::NEVER,
            budget: None,
            throttle: None,
            breaker: None,
            hedge: None,
            pool: None,
            shared_pool: None,
            cache: None,
            transport: None,
            scope: Scope::Shared,
            deadline: None,
            latency: None,
            loss: Loss::NONE,
            late_answers: LateAnswers::Wasted,
        }
    }

    /// How long the client waits, for an attempt and for the whole request.
    pub fn patience(&self) -> Patience {
        Patience { attempt: self.timeout, ..self.deadline.unwrap_or(Patience::ENDLESS) }
    }

    /// The share of requests that leave at the least, since a cache may answer the others.
    pub fn least_misses(&self) -> f64 {
        self.cache.map_or(1.0, |cache| cache.least_misses().as_f64())
    }

    /// Whether a connection may break under an attempt, and its client hears of it.
    pub fn may_break(&self) -> bool {
        let closed = self.transport.and_then(|transport| transport.keep_alive?.server_closes);
        closed.is_some() || self.loss.loses() && self.loss.clients == Notice::AtOnce
    }

    /// Whether anything of a request is kept between its attempts beside their number.
    pub fn keeps_books(&self) -> bool {
        self.retry.remembers()
            || self.retry.may_stop()
            || self.budget.is_some()
            || self.throttle.is_some()
            || self.breaker.is_some()
            || self.hedge.is_some()
            || self.pool.is_some()
            || self.cache.is_some()
            || self.transport.is_some()
            || self.deadline.is_some()
    }
}

/// What a network loses, whatever triggers lose on top of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Which share of attempts is lost on the way to the service.
    pub requests: Fraction,
    /// Which share of answers is lost on the way back: whatever was asked for has been done.
    pub replies: Fraction,
    /// Whether the client hears of it when the answer would have come, as a broken connection.
    pub clients: Notice,
}

impl Loss {
    /// Nothing.
    pub const NONE: Self =
        Self { requests: Fraction::ZERO, replies: Fraction::ZERO, clients: Notice::Never };

    /// Whether anything is lost at all.
    pub fn loses(&self) -> bool {
        self.requests != Fraction::ZERO || self.replies != Fraction::ZERO
    }
}

/// Who shares what a policy remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All instances of a client.
    Shared,
    /// Nobody: each instance has its own.
    PerInstance,
}

/// What an answer is worth that comes after its attempt was given up, while the request is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateAnswers {
    /// Nothing: only the attempt waited for counts.
    Wasted,
    /// As much as any: the request succeeds.
    Accepted,
}
