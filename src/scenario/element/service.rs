//! `[services.NAME]`: workers behind a queue.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::admission::Queue;
use super::autoscaling::Autoscaling;
use super::balancer::Balancer;
use super::discipline::Discipline;
use super::effect::Effect;
use super::ejection::Ejection;
use super::hint::{RetryAfter, hint};
use super::inner_call::{InnerCalls, WhileCalling, calls};
use super::instances::several;
use super::limit::Limit;
use super::load_dependence::LoadDependence;
use super::maybe::Maybe;
use super::names::Names;
use super::number::{fraction, whole};
use super::queue_timeout::QueueTimeout;
use super::rate_limit::RateLimit;
use super::refusals::Refusals;
use super::service_time::ServiceTime;
use super::shedding::Shedding;
use super::world::Complaints;
use crate::model;
use crate::policy::admission::Admission;
use crate::policy::retry::Failure;
use crate::policy::slowdown::Slowdown;
use crate::scenario::schema::piece::ServicePresets;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A service as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Service {
    /// A policy of a widely used service, by name, or several of which the first has the say.
    #[serde(rename = "preset")]
    #[schemars(with = "Option<ServicePresets>")]
    _preset: Option<Names>,
    /// How many attempts an instance serves at once. Unit: workers.
    workers: i64,
    /// How long a worker works on one attempt: a length or a law.
    service_time: ServiceTime,
    /// How many instances there are, each with its workers and queue, at most 10,000. Unit:
    /// instances. Default: `1`.
    instances: Option<i64>,
    /// Which of several instances gets an attempt: a rule, or a table. Default: "round_robin".
    balancer: Option<Balancer>,
    /// Which instances are not asked for a while, or `"none"`. Default: `"none"`.
    ejection: Option<Maybe<Ejection>>,
    /// Workers that come and go, or `"none"`. Default: `"none"`.
    autoscaling: Option<Maybe<Autoscaling>>,
    /// Who may wait. Default: `{ unbounded = {} }`.
    queue: Option<Queue>,
    /// Who is dropped when a worker picks it up. Default: `"never"`.
    #[serde(default)]
    shedding: Shedding,
    /// Who is next of those that wait. Default: `"fifo"`.
    #[serde(default)]
    discipline: Discipline,
    /// How work grows with the load. Default: `{ none = {} }`.
    load_dependence: Option<LoadDependence>,
    /// How many may be inside at once. Default: `{ none = {} }`.
    limit: Option<Limit>,
    /// How many are let in each second. Default: no limit.
    rate_limit: Option<RateLimit>,
    /// What the service does when a client gives up an attempt. Default: `"ignores"`.
    #[serde(default)]
    on_abandon: OnAbandon,
    /// Whether each attempt draws its work, or each request. Default: `"per_attempt"`.
    #[serde(default)]
    work: WorkDraw,
    /// Attempts that fail whatever is done. Default: none.
    errors: Option<Errors>,
    /// What a client hears whose attempt is not let in.
    refusals: Option<Refusals>,
    /// Who leaves the queue by the clock: a length, `"at_deadline"`, `"none"` or a table. Default:
    /// `"none"`.
    queue_timeout: Option<QueueTimeout>,
    /// What must not be done twice. Default: `"none"`.
    #[serde(default)]
    effect: Effect,
    /// The services that it calls while it serves an attempt, by name.
    #[serde(default)]
    calls: InnerCalls,
    /// The share of its own work that comes before the calls. Unit: share. Default: `1`.
    work_before_calls: Option<f64>,
    /// What a worker does while it waits for calls. Default: `"holds_worker"`.
    #[serde(default)]
    while_calling: WhileCalling,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OnAbandon {
    /// Nothing: the attempt is served in full, for nobody.
    #[default]
    Ignores,
    /// It leaves the queue; what has begun is finished.
    LeavesQueue,
    /// It leaves the queue, and a worker drops it.
    StopsWork,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum WorkDraw {
    /// Each attempt.
    #[default]
    PerAttempt,
    /// Each request: its retries have the same work.
    PerRequest,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Errors {
    /// The share of attempts that fail. Unit: share.
    share: f64,
    /// What work a failure costs. Default: `"full_work"`.
    #[serde(default)]
    cost: ErrorCost,
    /// How long to stay away, or `"never"`: not to try again. Default: nothing is said.
    retry_after: Option<RetryAfter>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ErrorCost {
    /// None: it fails on arrival.
    Nothing,
    /// All of it.
    #[default]
    FullWork,
}

/// Far above any service, and far below what would only exhaust memory.
pub(super) const MOST_WORKERS: u32 = 1_000_000;

impl Service {
    /// The service; none if anything is wrong with it. `services` are the names of all, by their ids.
    pub(super) fn build(
        &self,
        name: &str,
        spot: Spot<'_>,
        services: &[&str],
        out: &mut Complaints,
    ) -> Option<model::Service> {
        let workers =
            whole(self.workers, 1, MOST_WORKERS, "the number of workers", spot.at("workers"));
        let workers = out.keep(workers).and_then(NonZeroU32::new);
        let service_time = out.keep(self.service_time.law(spot.at("service_time")));
        let calls =
            calls(&self.calls, self.work_before_calls, self.while_calling, spot, services, out);
        let several =
            several(self.instances, self.balancer.as_ref(), self.ejection.as_ref(), spot, out);
        let (workers, service_time) = (workers?, service_time?);
        let scaling = match &self.autoscaling {
            None | Some(Maybe(None)) => Some(None),
            Some(Maybe(Some(scaling))) => {
                scaling.build(workers, spot.at("autoscaling"), out).map(Some)
            }
        };
        let admission = match &self.queue {
            None => Some(Admission::Unbounded),
            Some(queue) => {
                out.keep(queue.admission(workers, service_time.mean(), spot.at("queue")))
            }
        };
        let errors = match &self.errors {
            None => Some(model::Errors::NONE),
            Some(errors) => out.keep(errors.errors(spot.at("errors"))),
        };
        let refusals = match &self.refusals {
            None => Some(model::Refusals::default()),
            Some(refusals) => out.keep(refusals.refusals(spot.at("refusals"))),
        };
        let queue_timeout = match &self.queue_timeout {
            None => Some(None),
            Some(timeout) => out.keep(timeout.timeout(spot.at("queue_timeout"))),
        };
        let effect = out.keep(self.effect.effect(spot.at("effect")));
        let shedding = out.keep(self.shedding.shedding(spot.at("shedding")));
        let discipline = out.keep(self.discipline.discipline(spot.at("discipline")));
        let slowdown = match &self.load_dependence {
            None => Some(Slowdown::None),
            Some(law) => out.keep(law.slowdown(spot.at("load_dependence"))),
        };
        let limit = match &self.limit {
            None => Some(None),
            Some(limit) => limit.build(spot.at("limit"), out),
        };
        let rate_limit = match &self.rate_limit {
            None => Some(None),
            Some(limit) => out.keep(limit.rate_limit(spot.at("rate_limit"))).map(Some),
        };
        Some(model::Service {
            work: match self.work {
                WorkDraw::PerAttempt => model::WorkDraw::PerAttempt,
                WorkDraw::PerRequest => model::WorkDraw::PerRequest,
            },
            errors: errors?,
            refusals: refusals?,
            queue_timeout: queue_timeout?,
            effect: effect?,
            admission: admission?,
            shedding: shedding?,
            discipline: discipline?,
            slowdown: slowdown?,
            limit: limit?,
            rate_limit: rate_limit?,
            on_abandon: match self.on_abandon {
                OnAbandon::Ignores => model::OnAbandon::Ignores,
                OnAbandon::LeavesQueue => model::OnAbandon::LeavesQueue,
                OnAbandon::StopsWork => model::OnAbandon::StopsWork,
            },
            calls: calls?,
            scaling: scaling?,
            ..several?.of(model::Service::new(name, workers, service_time))
        })
    }
}

impl Errors {
    fn errors(&self, spot: Spot<'_>) -> Result<model::Errors, Diagnostic> {
        let cost = match self.cost {
            ErrorCost::Nothing => model::ErrorCost::Nothing,
            ErrorCost::FullWork => model::ErrorCost::FullWork,
        };
        let share = fraction(self.share, "the share", spot.at("share"))?;
        let hint = hint(self.retry_after.as_ref(), spot)?;
        Ok(model::Errors { share, cost, failure: Failure::Error, hint })
    }
}
