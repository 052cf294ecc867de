//! `[services.NAME]`: workers behind a queue.

use std::num::NonZeroU32;

use serde::Deserialize;

use super::admission::Queue;
use super::number::{fraction, whole};
use super::service_time::ServiceTime;
use super::world::Complaints;
use crate::model;
use crate::policy::admission::Admission;
use crate::policy::retry::Failure;
use crate::policy::shedding;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A service as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Service {
    workers: i64,
    service_time: ServiceTime,
    queue: Option<Queue>,
    #[serde(default)]
    shedding: Shedding,
    #[serde(default)]
    work: WorkDraw,
    errors: Option<Errors>,
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
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ErrorCost {
    Nothing,
    #[default]
    FullWork,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Shedding {
    #[default]
    Never,
    Expired,
    Unfinishable,
}

/// Far above any service, and far below what would only exhaust memory.
pub(super) const MOST_WORKERS: u32 = 1_000_000;

impl Service {
    /// The service; none if anything is wrong with it.
    pub(super) fn build(
        &self,
        name: &str,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<model::Service> {
        let workers =
            whole(self.workers, 1, MOST_WORKERS, "the number of workers", spot.at("workers"));
        let workers = out.keep(workers).and_then(NonZeroU32::new);
        let service_time = out.keep(self.service_time.law(spot.at("service_time")));
        let (workers, service_time) = (workers?, service_time?);
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
        Some(model::Service {
            work: match self.work {
                WorkDraw::PerAttempt => model::WorkDraw::PerAttempt,
                WorkDraw::PerRequest => model::WorkDraw::PerRequest,
            },
            errors: errors?,
            admission: admission?,
            shedding: match self.shedding {
                Shedding::Never => shedding::Shedding::Never,
                Shedding::Expired => shedding::Shedding::Expired,
                Shedding::Unfinishable => shedding::Shedding::Unfinishable,
            },
            ..model::Service::new(name, workers, service_time)
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
        Ok(model::Errors { share, cost, failure: Failure::Error })
    }
}
