//! `arrivals = "poisson"` or `{ profile = { .. } }`: when fresh requests arrive.

use std::fmt;
use std::num::NonZeroU16;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{EnumAccess, Error, VariantAccess, Visitor};

use super::length::Length;
use super::measured::{instants_of, listed_or_file};
use super::number::{positive, whole};
use super::service_time::ServiceTime;
use super::world::Complaints;
use crate::model;
use crate::scenario::schema::piece::{FileName, stands_for};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::{Span, Time};
use crate::unit::Rate;

/// An arrival process as it is written; the first three have a rate, the last three bring their own
/// numbers.
#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(super) enum Arrivals {
    /// Independently of each other.
    #[default]
    Poisson,
    /// Evenly spaced, the first at 0.
    Even,
    /// In bursts of random (exponential) lengths.
    Bursts(Bursts),
    /// At the mean rate times a factor that follows straight lines between points.
    Profile(Profile),
    /// Once, evenly over a while.
    Volley(Volley),
    /// At given instants, or at those of a CSV file.
    Replay(Replay),
    /// From users who wait for the answer before they ask again.
    Users(Box<Users>),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Bursts {
    /// The rate within a burst, as a factor on the mean rate. Unit: factor.
    peak: f64,
    /// Mean length of a burst.
    mean_on: Length,
    /// Mean length of the silence between two bursts.
    mean_off: Length,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Profile {
    /// Points of the profile in the order of time; two at one instant are a step.
    points: Vec<Point>,
    /// After so long the profile begins anew. Default: never.
    period: Option<Length>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Point {
    /// When, from the start of the run or of the period.
    at: Length,
    /// The rate there, as a factor on the mean rate. Unit: factor.
    factor: f64,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Volley {
    /// How many come. Unit: requests.
    requests: i64,
    /// When the first one comes.
    at: Length,
    /// Over how long they are spread evenly. Default: `"0s"`.
    within: Option<Length>,
}

/// Instants that are written here, or in a file.
#[derive(Clone, Debug)]
pub(super) enum Replay {
    Listed(Instants),
    File,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Instants {
    /// The instants, in their order.
    at: Vec<Length>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Users {
    /// How many users there are. Unit: users.
    count: i64,
    /// How long a user waits after an answer before the next request: a length or a law. This or
    /// `pace`.
    think: Option<ServiceTime>,
    /// How long from one request of a user to the next, unless the answer takes longer. This or
    /// `think`.
    pace: Option<Length>,
    /// Over how long the first requests are spread evenly. Default: see the documentation of
    /// arrivals.
    start_within: Option<Length>,
}

const PROCESSES: [&str; 7] = ["poisson", "even", "bursts", "profile", "volley", "replay", "users"];

/// A profile higher than this is a volley.
const HIGHEST_FACTOR: f64 = 1_000.0;

impl Arrivals {
    /// Whether the process has a mean rate, which `load` or `arrival_rate` gives.
    pub(super) const fn wants_rate(&self) -> bool {
        match self {
            Self::Poisson | Self::Even | Self::Bursts(_) | Self::Profile(_) => true,
            Self::Volley(_) | Self::Replay(_) | Self::Users(_) => false,
        }
    }

    /// The process, at a mean rate where it has one; none if anything is wrong with it.
    pub(super) fn build(
        &self,
        rate: Option<Rate>,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<model::Arrivals> {
        match self {
            Self::Poisson => rate.map(model::Arrivals::Poisson),
            Self::Even => rate.map(model::Arrivals::Even),
            Self::Bursts(bursts) => bursts.build(rate, spot.at("bursts"), out),
            Self::Profile(profile) => profile.build(rate, spot.at("profile"), out),
            Self::Volley(volley) => volley.build(spot.at("volley"), out),
            Self::Replay(replay) => replay.build(spot.at("replay"), out),
            Self::Users(users) => users.build(spot.at("users"), out),
        }
    }
}

impl Bursts {
    fn build(
        &self,
        rate: Option<Rate>,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<model::Arrivals> {
        let peak = out.keep(positive(self.peak, HIGHEST_FACTOR, "peak", spot.at("peak")));
        let mean_on = out.keep(self.mean_on.above_zero(spot.at("mean_on"), ""));
        let mean_off = out.keep(self.mean_off.above_zero(spot.at("mean_off"), ""));
        let (peak, mean_on, mean_off) = (peak?, mean_on?, mean_off?);
        let (on, off) = (mean_on.as_secs_f64(), mean_off.as_secs_f64());
        let highest = (on + off) / on;
        if peak > highest {
            let message = format!(
                "bursts of {peak} times the mean rate bring more than all requests: at most {highest:.3}"
            );
            out.add(
                Diagnostic::error(spot.at("peak").value(), message)
                    .help("the mean rate is over bursts and the time between them".to_owned()),
            );
            return None;
        }
        let between = 1.0 + (1.0 - peak) * on / off;
        let rate = rate?.per_second();
        Some(model::Arrivals::Bursts(model::Bursts {
            on: Rate::new(rate * peak)?,
            // Rounding must not leave a trickle where silence is meant.
            off: Rate::new(rate * between).filter(|_| between > 1e-9),
            mean_on,
            mean_off,
        }))
    }
}

impl Profile {
    fn build(
        &self,
        base: Option<Rate>,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<model::Arrivals> {
        let place = spot.at("points");
        if self.points.is_empty() {
            out.add(
                Diagnostic::error(place.value(), "a profile has at least one point")
                    .help("write points = [{ at = \"0s\", factor = 1.0 }]".to_owned()),
            );
            return None;
        }
        let mut points = Vec::new();
        for point in &self.points {
            let at = out.keep(point.at.span(place))?;
            if !(0.0..=HIGHEST_FACTOR).contains(&point.factor) {
                let message = format!("a factor must be from 0 to {HIGHEST_FACTOR}");
                out.add(Diagnostic::error(place.value(), message));
                return None;
            }
            points.push((at, point.factor));
        }
        if !points.is_sorted_by_key(|(at, _)| *at) {
            out.add(Diagnostic::error(place.value(), "the points must be in the order of time"));
            return None;
        }
        let period = match &self.period {
            None => None,
            Some(period) => Some(out.keep(period.above_zero(spot.at("period"), ""))?),
        };
        let last = points.last().map_or(Span::ZERO, |(at, _)| *at);
        if period.is_some_and(|period| period < last) {
            let message = format!("the last point is at {last}, after the period is over");
            out.add(Diagnostic::error(spot.at("period").value(), message));
            return None;
        }
        let points: Arc<[(Span, f64)]> = Arc::from(points);
        Some(model::Arrivals::Profile(model::Profile { base: base?, points, period }))
    }
}

impl Volley {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<model::Arrivals> {
        let what = "the number of requests";
        let count = out.keep(whole(self.requests, 1, u32::MAX, what, spot.at("requests")));
        let begins = out.keep(self.at.span(spot.at("at")));
        let within = match &self.within {
            None => Some(Span::ZERO),
            Some(within) => out.keep(within.span(spot.at("within"))),
        };
        let begins = Time::ZERO + begins?;
        Some(model::Arrivals::Volley { count: count?, begins, within: within? })
    }
}

impl Replay {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<model::Arrivals> {
        match self {
            Self::Listed(listed) => listed.build(spot.at("at"), out),
            Self::File => out.keep(instants_of(spot)).map(model::Arrivals::Replay),
        }
    }
}

impl Instants {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<model::Arrivals> {
        let mut instants = Vec::new();
        for at in &self.at {
            instants.push(Time::ZERO + out.keep(at.span(spot))?);
        }
        if instants.is_empty() || !instants.is_sorted() {
            let message = "a replay has at least one instant, and they are in the order of time";
            out.add(Diagnostic::error(spot.value(), message));
            return None;
        }
        Some(model::Arrivals::Replay(Arc::from(instants)))
    }
}

impl Users {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<model::Arrivals> {
        let what = "the number of users";
        let count = out.keep(whole(self.count, 1, u16::MAX.into(), what, spot.at("count")));
        let start_within = match &self.start_within {
            None => Some(Span::ZERO),
            Some(length) => out.keep(length.span(spot.at("start_within"))),
        };
        let think = match (&self.think, &self.pace) {
            (Some(think), None) => out.keep(think.law(spot.at("think"))).map(model::Think::After),
            (None, Some(pace)) => {
                out.keep(pace.above_zero(spot.at("pace"), "")).map(model::Think::Pace)
            }
            (Some(_), Some(_)) | (None, None) => {
                out.add(
                    Diagnostic::error(spot.key, "users either `think` after an answer or keep a `pace`")
                        .help("write think = \"1s\" (from the answer) or pace = \"1s\" (from one request to the next)".to_owned()),
                );
                None
            }
        };
        let count = u16::try_from(count?).ok().and_then(NonZeroU16::new)?;
        let users = model::Users { count, think: think?, start_within: start_within? };
        Some(model::Arrivals::Users(users))
    }
}

stands_for!(Replay: FileName or Instants);

impl<'de> Deserialize<'de> for Replay {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "the name of a CSV file in quotes, or { at = [..] }";
        let read = listed_or_file(deserializer, expecting)?;
        Ok(read.map_or(Self::File, Self::Listed))
    }
}

impl<'de> Deserialize<'de> for Arrivals {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Arrivals;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"poisson\", \"even\", or a table that names a process")
            }

            fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Arrivals, A::Error> {
                let (process, value) = data.variant::<String>()?;
                match process.as_str() {
                    "poisson" => value.unit_variant().map(|()| Arrivals::Poisson),
                    "even" => value.unit_variant().map(|()| Arrivals::Even),
                    "bursts" => value.newtype_variant().map(Arrivals::Bursts),
                    "profile" => value.newtype_variant().map(Arrivals::Profile),
                    "volley" => value.newtype_variant().map(Arrivals::Volley),
                    "replay" => value.newtype_variant().map(Arrivals::Replay),
                    "users" => value.newtype_variant().map(Arrivals::Users),
                    other => Err(A::Error::unknown_variant(other, &PROCESSES)),
                }
            }
        }
        deserializer.deserialize_enum("Arrivals", &PROCESSES, Either)
    }
}
