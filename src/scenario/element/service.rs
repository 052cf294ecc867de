//! `[services.NAME]`: workers behind a queue.

use std::num::NonZeroU32;

use serde::Deserialize;

use super::admission::Queue;
use super::number::whole;
use super::service_time::ServiceTime;
use super::world::Complaints;
use crate::model;
use crate::policy::admission::Admission;
use crate::policy::shedding;
use crate::scenario::tree::Spot;

/// A service as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Service {
    workers: i64,
    service_time: ServiceTime,
    queue: Option<Queue>,
    #[serde(default)]
    shedding: Shedding,
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
const MOST_WORKERS: u32 = 1_000_000;

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
        Some(model::Service {
            name: name.to_owned(),
            workers,
            service_time,
            admission: admission?,
            shedding: match self.shedding {
                Shedding::Never => shedding::Shedding::Never,
                Shedding::Expired => shedding::Shedding::Expired,
                Shedding::Unfinishable => shedding::Shedding::Unfinishable,
            },
        })
    }
}
