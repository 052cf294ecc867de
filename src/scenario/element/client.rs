//! `[clients.NAME]`: who calls what, how often, and with which patience.

use std::num::NonZeroU16;

use schemars::JsonSchema;
use serde::Deserialize;

use super::arrivals::Arrivals;
use super::call::Call;
use super::number::{thousands, whole};
use super::world::Complaints;
use crate::id::ServiceId;
use crate::model;
use crate::policy::Class;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::unit::Rate;

/// A client as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Client {
    /// The service that each request calls.
    pub(super) calls: String,
    /// Fresh requests as a share of the capacity of what is called. This or `arrival_rate`. Unit:
    /// share.
    load: Option<f64>,
    /// Fresh requests per second. This or `load`. Unit: requests per second.
    arrival_rate: Option<f64>,
    /// When fresh requests come. Default: `"poisson"`.
    #[serde(default)]
    arrivals: Arrivals,
    /// How many of this client there are. Unit: instances. Default: `1`.
    instances: Option<i64>,
    /// How important its requests are, from 0, the most important, to 15. Unit: class. Default:
    /// `0`.
    #[serde(default)]
    class: i64,
    /// Everything about its calls.
    #[serde(default)]
    call: Call,
}

/// Ten times what the service can do: 70 is 70 %, written wrong.
const HIGHEST_LOAD: f64 = 10.0;
/// One request per nanosecond, which is as finely as time is cut.
const HIGHEST_RATE: f64 = 1e9;

impl Client {
    /// The client; none if anything is wrong with it. `called` is what it calls, if that stands.
    pub(super) fn build(
        &self,
        name: &str,
        spot: Spot<'_>,
        to: ServiceId,
        called: Option<&model::Service>,
        out: &mut Complaints,
    ) -> Option<model::Client> {
        let rate = if self.arrivals.wants_rate() {
            let demand = self.demand(spot, called);
            out.keep(demand).flatten()
        } else {
            out.keep(self.no_demand(spot));
            None
        };
        let arrivals = self.arrivals.build(rate, spot.at("arrivals"), out);
        let instances = self.instance_count(spot.at("instances"), out);
        let edge = self.call.build(to, spot.find("call").unwrap_or(spot), out);
        let class = self.class(spot.at("class"), out);
        let (arrivals, instances, edge) = (arrivals?, instances?, edge?);
        Some(model::Client { instances, class: class?, ..model::Client::new(name, arrivals, edge) })
    }

    fn class(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Class> {
        let last = Class::COUNT as u32 - 1;
        let rank = out.keep(whole(self.class, 0, last, "the class", spot))?;
        u8::try_from(rank).ok().and_then(Class::new)
    }

    fn instance_count(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<NonZeroU16> {
        let Some(instances) = self.instances else { return Some(NonZeroU16::MIN) };
        if let Arrivals::Users(_) = self.arrivals {
            let message = "every user is an instance of the client, so their number is known";
            out.add(Diagnostic::error(spot.key, message).help("leave `instances` out".to_owned()));
            return None;
        }
        let what = "the number of instances";
        let instances = out.keep(whole(instances, 1, u16::MAX.into(), what, spot))?;
        u16::try_from(instances).ok().and_then(NonZeroU16::new)
    }

    /// That no rate is given where the arrivals bring their own numbers.
    fn no_demand(&self, spot: Spot<'_>) -> Result<(), Diagnostic> {
        let given = [("load", self.load), ("arrival_rate", self.arrival_rate)];
        given.into_iter().find(|(_, value)| value.is_some()).map_or(Ok(()), |(key, _)| {
            let message = "these arrivals have no rate: their own numbers say how many come";
            let arrivals = spot.at("arrivals");
            Err(Diagnostic::error(spot.at(key).key, message)
                .other(arrivals.key, "")
                .help(format!("leave `{key}` out")))
        })
    }

    /// Fresh requests per second, by whichever of `load` and `arrival_rate` was named last; none if
    /// the capacity that the load is a share of is not known.
    fn demand(
        &self,
        spot: Spot<'_>,
        called: Option<&model::Service>,
    ) -> Result<Option<Rate>, Diagnostic> {
        let (load, rate) = (spot.at("load"), spot.at("arrival_rate"));
        match (self.load, self.arrival_rate) {
            (None, None) => Err(Diagnostic::error(spot.key, "this client sends nothing: `load` or `arrival_rate` is missing")
                .help("add load = 0.7 (a share of the capacity of what it calls) or arrival_rate = 700 (requests per second)".to_owned())),
            (Some(_), Some(_)) if load.layer == rate.layer => {
                let (first, second) = if load.key < rate.key { (load, rate) } else { (rate, load) };
                Err(Diagnostic::error(second.key, "`load` and `arrival_rate` exclude each other: both say how much this client sends")
                    .other(first.key, "")
                    .help("keep one of the two".to_owned()))
            }
            (Some(share), other) if other.is_none() || load.layer > rate.layer => {
                check_load(share, load)?;
                Ok(called.and_then(|service| Rate::new(share * service.capacity().per_second())))
            }
            (_, Some(per_second)) => check_rate(per_second, rate).map(Some),
            (Some(_), None) => unreachable!("a load alone has been taken"),
        }
    }
}

fn check_load(load: f64, spot: Spot<'_>) -> Result<(), Diagnostic> {
    if load > 0.0 && load <= HIGHEST_LOAD {
        return Ok(());
    }
    let help = (load > HIGHEST_LOAD && load <= 100.0)
        .then(|| format!("{load} % of the capacity is {}", load / 100.0));
    let message = format!("a load is a share of the capacity, above 0 and at most {HIGHEST_LOAD}");
    Err(Diagnostic::error(spot.value(), message).help(help))
}

pub(super) fn check_rate(per_second: f64, spot: Spot<'_>) -> Result<Rate, Diagnostic> {
    Rate::new(per_second).filter(|rate| rate.per_second() <= HIGHEST_RATE).ok_or_else(|| {
        let highest = thousands(HIGHEST_RATE as u64);
        Diagnostic::error(
            spot.value(),
            format!("a rate must be above 0 and at most {highest} per second"),
        )
    })
}
