//! `[services.NAME]`: workers behind a queue.

use std::num::NonZeroU32;

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
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A service as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Service {
    /// What it names has been laid under the service before it is read.
    #[serde(rename = "preset")]
    _preset: Option<Names>,
    workers: i64,
    service_time: ServiceTime,
    instances: Option<i64>,
    balancer: Option<Balancer>,
    ejection: Option<Maybe<Ejection>>,
    autoscaling: Option<Maybe<Autoscaling>>,
    queue: Option<Queue>,
    #[serde(default)]
    shedding: Shedding,
    #[serde(default)]
    discipline: Discipline,
    load_dependence: Option<LoadDependence>,
    limit: Option<Limit>,
    rate_limit: Option<RateLimit>,
    #[serde(default)]
    on_abandon: OnAbandon,
    #[serde(default)]
    work: WorkDraw,
    errors: Option<Errors>,
    refusals: Option<Refusals>,
    queue_timeout: Option<QueueTimeout>,
    #[serde(default)]
    effect: Effect,
    #[serde(default)]
    calls: InnerCalls,
    work_before_calls: Option<f64>,
    #[serde(default)]
    while_calling: WhileCalling,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OnAbandon {
    #[default]
    Ignores,
    LeavesQueue,
    StopsWork,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WorkDraw {
    #[default]
    PerAttempt,
    PerRequest,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Errors {
    share: f64,
    #[serde(default)]
    cost: ErrorCost,
    retry_after: Option<RetryAfter>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ErrorCost {
    Nothing,
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
