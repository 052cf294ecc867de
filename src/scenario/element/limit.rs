//! `limit = { vegas = {} }`: how many attempts a service has at once, waiting or in service.

use std::num::NonZeroU32;

use serde::Deserialize;

use super::length::Length;
use super::number::{fraction, thousands, whole};
use super::world::Complaints;
use crate::policy::limit::{self, Range};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;
use crate::unit::Fraction;

/// A concurrency limit as it is written; what is left out is as the library has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Limit {
    None {},
    Fixed(Fixed),
    Aimd(Aimd),
    Vegas(Vegas),
    Gradient2(Gradient2),
    EnvoyGradient(EnvoyGradient),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fixed {
    max: i64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Aimd {
    initial: Option<i64>,
    min: Option<i64>,
    max: Option<i64>,
    backoff: Option<f64>,
    slow: Option<Length>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Vegas {
    initial: Option<i64>,
    min: Option<i64>,
    max: Option<i64>,
    smoothing: Option<f64>,
    probe_every: Option<i64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gradient2 {
    initial: Option<i64>,
    min: Option<i64>,
    max: Option<i64>,
    smoothing: Option<f64>,
    queue: Option<i64>,
    long_window: Option<i64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EnvoyGradient {
    min: Option<i64>,
    max: Option<i64>,
    quantile: Option<f64>,
    update_every: Option<Length>,
    probe_every: Option<Length>,
    probe_requests: Option<i64>,
    jitter: Option<f64>,
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
