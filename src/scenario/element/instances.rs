//! `instances = 4`: how many of a service there are, and how one of them is found.

use std::num::NonZeroU16;

use super::balancer::Balancer;
use super::ejection::Ejection;
use super::maybe::Maybe;
use super::number::{thousands, whole};
use super::world::Complaints;
use crate::model::{Model, Service};
use crate::policy;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// What is said about the instances of a service.
pub(super) struct Several {
    instances: NonZeroU16,
    balancer: policy::balancer::Balancer,
    ejection: Option<policy::ejection::Ejection>,
}

/// Far more than anybody balances over in one place.
const MOST_INSTANCES: u32 = 10_000;
/// The instances of all services have positions of 16 bits.
const MOST_OF_ALL: u32 = u16::MAX as u32;

/// The instances of the service at `spot`; none if anything is wrong with them. A balancer of one
/// instance is no mistake where somebody has written that it is one: a variant may have more.
pub(super) fn several(
    instances: Option<i64>,
    balancer: Option<&Balancer>,
    ejection: Option<&Maybe<Ejection>>,
    spot: Spot<'_>,
    out: &mut Complaints,
) -> Option<Several> {
    let what = "the number of instances";
    let count = whole(instances.unwrap_or(1), 1, MOST_INSTANCES, what, spot.at("instances"));
    let count = out.keep(count);
    let ejection = ejection.and_then(|ejection| ejection.0.as_ref());
    if instances.is_none() {
        let written = [("balancer", balancer.is_some()), ("ejection", ejection.is_some())];
        for (key, _) in written.into_iter().filter(|(_, is_written)| *is_written) {
            let message = "this service is a single instance, so there is nothing to choose from";
            let help = "add instances = 4, each with `workers` and a queue of its own";
            out.add(Diagnostic::error(spot.at(key).key, message).help(help.to_owned()));
        }
    }
    let balancer = match balancer {
        None => Some(policy::balancer::Balancer::IN_TURN),
        Some(balancer) => balancer.build(spot.at("balancer"), out),
    };
    let ejection = match ejection {
        None => Some(None),
        Some(ejection) => ejection.build(spot.at("ejection"), out).map(Some),
    };
    let instances = u16::try_from(count?).ok().and_then(NonZeroU16::new)?;
    Some(Several { instances, balancer: balancer?, ejection: ejection? })
}

impl Several {
    /// `service`, of which there are so many.
    pub(super) fn of(self, service: Service) -> Service {
        let Self { instances, balancer, ejection } = self;
        Service { instances, balancer, ejection, ..service }
    }
}

/// That all instances together have positions.
pub(super) fn check_instances(model: &Model, spot: Spot<'_>) -> Result<(), Diagnostic> {
    let count = |service: &Service| u32::from(service.instances.get());
    let all: u32 = model.services.iter().map(count).sum();
    let most = model.services.iter().max_by_key(|service| service.instances);
    let Some(most) = most.filter(|_| all > MOST_OF_ALL) else { return Ok(()) };
    let message = format!(
        "there are {} instances of services in all; the limit is {}",
        thousands(all.into()),
        thousands(MOST_OF_ALL.into())
    );
    let place = spot.at("services").at(&most.name).at("instances").value();
    Err(Diagnostic::error(place, message))
}
