//! `limit = { vegas = {} }`: how many attempts a service has at once, waiting or in service.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::{fraction, thousands, whole};
use super::world::Complaints;
use crate::policy::limit::{self, Range};
use crate::scenario::schema::piece::LengthOrNone;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;
use crate::unit::Fraction;

/// A concurrency limit as it is written; what is left out is as the library has it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Limit {
    /// No limit.
    None {},
    /// Always the same.
    Fixed(Fixed),
    /// Additive increase, multiplicative decrease (Netflix concurrency-limits).
    Aimd(Aimd),
    /// After TCP Vegas (Netflix concurrency-limits).
    Vegas(Vegas),
    /// By the gradient of the round trip (Netflix concurrency-limits).
    Gradient2(Gradient2),
    /// Envoy's adaptive concurrency.
    EnvoyGradient(EnvoyGradient),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FixedLimit")]
pub(super) struct Fixed {
    /// How many may be inside at once. Unit: attempts.
    max: i64,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Aimd {
    /// The first limit. Unit: attempts. Default: 10.
    initial: Option<i64>,
    /// The lowest limit. Unit: attempts. Default: 1.
    min: Option<i64>,
    /// The highest limit. Unit: attempts. Default: 1,000,000.
    max: Option<i64>,
    /// What is left of the limit after a bad answer. Unit: share. Default: `0.9`.
    backoff: Option<f64>,
    /// From when on an answer is bad, or `"none"`. Default: `"5s"`.
    #[schemars(with = "Option<LengthOrNone>")]
    slow: Option<Length>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Vegas {
    /// The first limit. Unit: attempts. Default: 20.
    initial: Option<i64>,
    /// The lowest limit. Unit: attempts. Default: 1.
    min: Option<i64>,
    /// The highest limit. Unit: attempts. Default: 1,000.
    max: Option<i64>,
    /// The share of the way to a new limit. Unit: share. Default: `1`.
    smoothing: Option<f64>,
    /// After so many samples, times the limit, the shortest round trip is forgotten. Unit: samples.
    /// Default: `30`.
    probe_every: Option<i64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Gradient2 {
    /// The first limit. Unit: attempts. Default: 20.
    initial: Option<i64>,
    /// The lowest limit. Unit: attempts. Default: 20.
    min: Option<i64>,
    /// The highest limit. Unit: attempts. Default: 200.
    max: Option<i64>,
    /// The share of the way to a new limit. Unit: share. Default: `0.2`.
    smoothing: Option<f64>,
    /// How many may wait beside those that the gradient lets in. Unit: attempts. Default: `4`.
    queue: Option<i64>,
    /// Over how many samples the long-term round trip is averaged. Unit: samples. Default: `600`.
    long_window: Option<i64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EnvoyGradient {
    /// The lowest limit. Unit: attempts. Default: 3.
    min: Option<i64>,
    /// The highest limit. Unit: attempts. Default: 1,000.
    max: Option<i64>,
    /// Which quantile of round trips is looked at. Unit: share. Default: `0.5`.
    quantile: Option<f64>,
    /// From one new limit to the next. Default: `"100ms"`.
    update_every: Option<Length>,
    /// From one measurement of the shortest round trip to the next. Default: `"60s"`.
    probe_every: Option<Length>,
    /// How many answers such a measurement takes. Unit: attempts. Default: `50`.
    probe_requests: Option<i64>,
    /// At most so much longer is the time to the next measurement, drawn. Unit: share. Default:
    /// `0.15`.
    jitter: Option<f64>,
    /// How much longer than the shortest a round trip may be. Unit: share. Default: `0.25`.
    buffer: Option<f64>,
}

/// More at once than any run can have.
const HIGHEST: u32 = 1_000_000_000;

impl Limit {
    /// The limit, if there is to be one; none if anything is wrong with it.
    pub(super) fn build(
        &self,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<Option<limit::Limit>> {
        let limit = match self {
            Self::None {} => return Some(None),
            Self::Fixed(fixed) => {
                let spot = spot.at("fixed");
                let max = number(Some(fixed.max), NonZeroU32::MIN, "max", spot);
                out.keep(max).map(limit::Limit::Fixed)
            }
            Self::Aimd(aimd) => aimd.build(spot.at("aimd"), out).map(limit::Limit::Aimd),
            Self::Vegas(vegas) => vegas.build(spot.at("vegas"), out).map(limit::Limit::Vegas),
            Self::Gradient2(gradient) => {
                gradient.build(spot.at("gradient2"), out).map(limit::Limit::Gradient2)
            }
            Self::EnvoyGradient(gradient) => {
                gradient.build(spot.at("envoy_gradient"), out).map(limit::Limit::EnvoyGradient)
            }
        };
        limit.map(Some)
    }
}

impl Aimd {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<limit::Aimd> {
        let usual = limit::Aimd::NETFLIX;
        let range = out.keep(range([self.initial, self.min, self.max], usual.range, spot));
        let backoff = out.keep(share(self.backoff, usual.backoff, "backoff", spot));
        let slow = match &self.slow {
            None => Some(usual.slow),
            Some(length) if length.0 == "none" => Some(None),
            Some(length) => {
                let none = "the word \"none\" means that no answer is too slow";
                out.keep(length.above_zero(spot.at("slow"), none)).map(Some)
            }
        };
        Some(limit::Aimd { range: range?, backoff: backoff?, slow: slow? })
    }
}

impl Vegas {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<limit::Vegas> {
        let usual = limit::Vegas::NETFLIX;
        let range = out.keep(range([self.initial, self.min, self.max], usual.range, spot));
        let smoothing = out.keep(smoothing(self.smoothing, usual.smoothing, spot));
        let probe_every =
            out.keep(number(self.probe_every, usual.probe_every, "probe_every", spot));
        Some(limit::Vegas { range: range?, smoothing: smoothing?, probe_every: probe_every? })
    }
}

impl Gradient2 {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<limit::Gradient2> {
        let usual = limit::Gradient2::NETFLIX;
        let range = out.keep(range([self.initial, self.min, self.max], usual.range, spot));
        let smoothing = out.keep(smoothing(self.smoothing, usual.smoothing, spot));
        let queue = self.queue.map_or(Ok(usual.queue), |queue| {
            whole(queue, 0, HIGHEST, "the queue", spot.at("queue"))
        });
        let queue = out.keep(queue);
        let long_window =
            out.keep(number(self.long_window, usual.long_window, "long_window", spot));
        Some(limit::Gradient2 {
            range: range?,
            smoothing: smoothing?,
            queue: queue?,
            long_window: long_window?,
        })
    }
}

impl EnvoyGradient {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<limit::EnvoyGradient> {
        let usual = limit::EnvoyGradient::ENVOY;
        let ends = Range::new(usual.min.get(), usual.min.get(), usual.max.get()).ok()?;
        let range = out.keep(range([None, self.min, self.max], ends, spot));
        let quantile = out.keep(share(self.quantile, usual.quantile, "quantile", spot));
        let every = |length: &Option<Length>, usual: Span, key| match length {
            None => Ok(usual),
            Some(length) => length.above_zero(spot.at(key), ""),
        };
        let update_every = out.keep(every(&self.update_every, usual.update_every, "update_every"));
        let probe_every = out.keep(every(&self.probe_every, usual.probe_every, "probe_every"));
        let requests = number(self.probe_requests, usual.probe_requests, "probe_requests", spot);
        let probe_requests = out.keep(requests);
        let jitter = out.keep(share(self.jitter, usual.jitter, "jitter", spot));
        let buffer = out.keep(share(self.buffer, usual.buffer, "buffer", spot));
        Some(limit::EnvoyGradient {
            min: NonZeroU32::new(range?.min())?,
            max: NonZeroU32::new(range?.max())?,
            quantile: quantile?,
            update_every: update_every?,
            probe_every: probe_every?,
            probe_requests: probe_requests?,
            jitter: jitter?,
            buffer: buffer?,
        })
    }
}

/// Where a limit begins and its ends, from `[initial, min, max]`. What is left out gives way to what
/// is written.
fn range(
    [initial, min, max]: [Option<i64>; 3],
    usual: Range,
    spot: Spot<'_>,
) -> Result<Range, Diagnostic> {
    let end = |value: Option<i64>, key| {
        value.map(|value| whole(value, 1, HIGHEST, &format!("`{key}`"), spot.at(key))).transpose()
    };
    let (initial, min, max) = (end(initial, "initial")?, end(min, "min")?, end(max, "max")?);
    let lowest = [initial, max].into_iter().flatten().min().unwrap_or(HIGHEST);
    let low = min.unwrap_or_else(|| usual.min().min(lowest));
    let high = max.unwrap_or_else(|| usual.max().max(low).max(initial.unwrap_or(low)));
    if low > high {
        let message = format!("`max` is below `min`, which is {low}");
        return Err(
            Diagnostic::error(spot.at("max").value(), message).other(spot.at("min").value(), "")
        );
    }
    let begin = initial.unwrap_or_else(|| usual.initial().clamp(low, high));
    Range::new(begin, low, high).map_err(|_| {
        let [begin, low, high] = [begin, low, high].map(|end| thousands(end.into()));
        let message = format!("the limit begins at {begin}, which is not from {low} to {high}");
        Diagnostic::error(spot.at("initial").value(), message)
            .help("`initial` lies between `min` and `max`".to_owned())
    })
}

fn number(
    value: Option<i64>,
    usual: NonZeroU32,
    key: &str,
    spot: Spot<'_>,
) -> Result<NonZeroU32, Diagnostic> {
    let Some(value) = value else { return Ok(usual) };
    let value = whole(value, 1, HIGHEST, &format!("`{key}`"), spot.at(key))?;
    Ok(NonZeroU32::new(value).unwrap_or(usual))
}

fn share(
    value: Option<f64>,
    usual: Fraction,
    key: &str,
    spot: Spot<'_>,
) -> Result<Fraction, Diagnostic> {
    value.map_or(Ok(usual), |value| fraction(value, &format!("`{key}`"), spot.at(key)))
}

/// A share above zero: without it a limit would never move.
fn smoothing(value: Option<f64>, usual: Fraction, spot: Spot<'_>) -> Result<Fraction, Diagnostic> {
    let smoothing = share(value, usual, "smoothing", spot)?;
    if smoothing > Fraction::ZERO {
        return Ok(smoothing);
    }
    Err(Diagnostic::error(spot.at("smoothing").value(), "a limit with this smoothing never moves")
        .help(
            "1 goes all the way to each new limit; a fixed one is { fixed = { max = .. } }"
                .to_owned(),
        ))
}
