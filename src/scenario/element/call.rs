//! `call.timeout = "1s"` and whatever else a client does about one call.

use schemars::JsonSchema;
use serde::Deserialize;

use super::breaker::Breaker;
use super::budget::Budget;
use super::cache::Cache;
use super::deadline::Deadline;
use super::hedge::Hedge;
use super::length::Length;
use super::loss::Loss;
use super::maybe::Maybe;
use super::names::Names;
use super::pool::Pool;
use super::retry::Retry;
use super::service_time::ServiceTime;
use super::throttle::Throttle;
use super::transport::Transport;
use super::wait::Wait;
use super::world::Complaints;
use crate::id::ServiceId;
use crate::model::{self, Edge};
use crate::policy::deadline::{Clock, Patience};
use crate::policy::retry;
use crate::scenario::schema::piece::{ClientPresets, LengthOrNone};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// Everything about one call.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// A policy of a widely used client, by name, or several of which the first has the say.
    #[serde(rename = "preset")]
    #[schemars(with = "Option<ClientPresets>")]
    pub(super) _preset: Option<Names>,
    /// How long an attempt is waited for, or `"none"`. Default: `"none"`.
    #[schemars(with = "Option<LengthOrNone>")]
    pub(super) timeout: Option<Length>,
    /// From when on. Default: `"dispatched"`.
    #[serde(default)]
    pub(super) timeout_from: TimeoutFrom,
    /// What is tried again, and when. Default: `{ never = {} }`.
    pub(super) retry: Option<Retry>,
    /// A wait of its own after a refusal: a length, a table, or `"none"`. Default: `"none"`.
    pub(super) wait_after_refusal: Option<Wait>,
    /// How many retries may be sent. Default: `{ none = {} }`.
    pub(super) budget: Option<Budget>,
    /// Whether an attempt may leave, given how the service has answered. Default: `{ none = {} }`.
    pub(super) throttle: Option<Throttle>,
    /// When it stops calling for a while, or `"none"`. Default: `"none"`.
    pub(super) breaker: Option<Maybe<Breaker>>,
    /// When another copy of an attempt is sent that is still out, or `"none"`. Default: `"none"`.
    pub(super) hedge: Option<Maybe<Hedge>>,
    /// How many attempts may be out at once, or `"none"`. Default: `"none"`.
    pub(super) pool: Option<Maybe<Pool>>,
    /// What need not be asked for, or `"none"`. Default: `"none"`.
    pub(super) cache: Option<Maybe<Cache>>,
    /// What is sent again beneath all policies, or `"none"`. Default: `"none"`.
    pub(super) transport: Option<Maybe<Transport>>,
    /// How long a request may take, all attempts together, or `"none"`. Default: `"none"`.
    pub(super) deadline: Option<Maybe<Deadline>>,
    /// Whose memory budget, throttle, breaker, pool, cache and hedging are. Default: `"shared"`.
    #[serde(default)]
    pub(super) scope: Scope,
    /// How long a message takes each way: a length or a law. Default: no time.
    pub(super) latency: Option<ServiceTime>,
    /// What the network loses all the time, or `"none"`. Default: `"none"`.
    pub(super) loss: Option<Maybe<Loss>>,
    /// What an answer to an attempt that was given up is worth. Default: `"wasted"`.
    #[serde(default)]
    pub(super) late_answers: LateAnswers,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum TimeoutFrom {
    /// From when the attempt has left the client.
    #[default]
    Dispatched,
    /// From when it was ready to leave, so that a wait for a connection counts.
    Ready,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scope {
    /// All instances of the caller share one.
    #[default]
    Shared,
    /// Each instance has its own.
    PerInstance,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LateAnswers {
    /// Nothing.
    #[default]
    Wasted,
    /// It counts, if its request is still open.
    Accepted,
}

/// The keys of a call, which are easily written without it.
pub(in crate::scenario) const CALL_KEYS: [&str; 17] = [
    "preset",
    "timeout",
    "timeout_from",
    "retry",
    "wait_after_refusal",
    "budget",
    "throttle",
    "breaker",
    "hedge",
    "pool",
    "cache",
    "transport",
    "deadline",
    "scope",
    "latency",
    "loss",
    "late_answers",
];

impl Call {
    /// The call; none if anything is wrong with it.
    pub(super) fn build(
        &self,
        to: ServiceId,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<Edge> {
        let timeout = match &self.timeout {
            None => Some(None),
            Some(length) => out.keep(timeout(length, spot.at("timeout"))),
        };
        let retry = match &self.retry {
            None => Some(retry::Retry::NEVER),
            Some(retry) => retry.build(spot.at("retry"), out),
        };
        let after_refusal = match &self.wait_after_refusal {
            None => Some(None),
            Some(wait) => wait.build(spot.at("wait_after_refusal"), out),
        };
        let budget = self.budget.as_ref().and_then(|budget| budget.build(spot.at("budget"), out));
        let throttle =
            self.throttle.as_ref().and_then(|throttle| throttle.build(spot.at("throttle"), out));
        let breaker = self.breaker.as_ref().and_then(|breaker| breaker.0.as_ref());
        let breaker = breaker.and_then(|breaker| breaker.build(spot.at("breaker"), out));
        let hedge = self.hedge.as_ref().and_then(|hedge| hedge.0.as_ref());
        let hedge = hedge.and_then(|hedge| hedge.build(spot.at("hedge"), out));
        let pool = self.pool.as_ref().and_then(|pool| pool.0.as_ref());
        let shared_pool = pool.and_then(|pool| pool.name(spot.at("pool"), out));
        let pool = pool.and_then(|pool| pool.build(spot.at("pool"), out));
        let cache = self.cache.as_ref().and_then(|cache| cache.0.as_ref());
        let cache = cache.and_then(|cache| cache.build(spot.at("cache"), out));
        let deadline = self.deadline.as_ref().and_then(|deadline| deadline.0.as_ref());
        let deadline = deadline.and_then(|deadline| deadline.build(spot.at("deadline"), out));
        let deadline = match (self.timeout_from, timeout) {
            (TimeoutFrom::Dispatched, _) | (TimeoutFrom::Ready, None | Some(None)) => deadline,
            (TimeoutFrom::Ready, Some(Some(_))) => {
                Some(Patience { clock: Clock::Ready, ..deadline.unwrap_or(Patience::ENDLESS) })
            }
        };
        let latency = match &self.latency {
            None => Some(None),
            Some(law) => out.keep(law.law(spot.at("latency"))).map(Some),
        };
        let loss = match self.loss.as_ref().and_then(|loss| loss.0.as_ref()) {
            None => Some(model::Loss::NONE),
            Some(loss) => loss.build(spot.at("loss"), out),
        };
        let law = latency.as_ref().and_then(Option::as_ref);
        let transport = self.transport.as_ref().and_then(|transport| transport.0.as_ref());
        let transport =
            transport.and_then(|transport| transport.build(law, spot.at("transport"), out));
        Some(Edge {
            timeout: timeout?,
            retry: retry::Retry { after_refusal: after_refusal?, ..retry? },
            budget,
            throttle,
            breaker,
            hedge,
            pool,
            shared_pool,
            cache,
            transport,
            deadline,
            scope: match self.scope {
                Scope::Shared => model::Scope::Shared,
                Scope::PerInstance => model::Scope::PerInstance,
            },
            latency: latency?,
            loss: loss?,
            late_answers: match self.late_answers {
                LateAnswers::Wasted => model::LateAnswers::Wasted,
                LateAnswers::Accepted => model::LateAnswers::Accepted,
            },
            ..Edge::new(to)
        })
    }
}

/// The timeout, which may be none, said by that word.
fn timeout(length: &Length, spot: Spot<'_>) -> Result<Option<Span>, Diagnostic> {
    if length.0 == "none" {
        return Ok(None);
    }
    length.above_zero(spot, "the word \"none\" means no timeout").map(Some)
}
