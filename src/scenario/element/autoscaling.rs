//! `autoscaling = { target_utilisation = 0.7, max = 100, start_up = "60s" }`: when workers come and go.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::ejection::interval;
use super::length::Length;
use super::maybe::Maybe;
use super::number::{fraction, positive, whole};
use super::service::MOST_WORKERS;
use super::world::Complaints;
use crate::policy::scaling::{self, Direction, Measure, PerWorker, Rule, Scaling};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;
use crate::unit::Fraction;

/// An autoscaler as it is written; what is left out of its pace is as Kubernetes has it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Autoscaling {
    /// The share of time that workers should be busy, since the look before. Unit: share.
    target_utilisation: Option<f64>,
    /// How many attempts should wait for each worker. Unit: attempts per worker.
    target_queue: Option<f64>,
    /// How many attempts should be inside for each worker. Unit: attempts per worker.
    target_concurrency: Option<f64>,
    /// Steps up and down at two thresholds, instead of a target.
    thresholds: Option<Thresholds>,
    /// Nothing changes while the measure is this near its target. Unit: share of the target.
    /// Default: `0.1`.
    tolerance: Option<f64>,
    /// From one look to the next. Default: `"15s"`.
    every: Option<Length>,
    /// How long a worker that was ordered takes until it serves.
    start_up: Length,
    /// The fewest workers. Unit: workers. Default: `1`.
    #[serde(default = "one")]
    min: i64,
    /// The most workers. Unit: workers.
    max: i64,
    /// How fast workers may be added.
    #[serde(default)]
    up: Pace,
    /// How fast workers may be taken away.
    #[serde(default)]
    down: Pace,
}

/// The other rule: so many more above one number, so many fewer below another one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Thresholds {
    /// What is compared with the thresholds.
    measure: Measured,
    /// Above this, workers are added. Unit: share, or attempts per worker.
    above: f64,
    /// How many are added. Unit: workers.
    add: i64,
    /// Below this, workers are taken away. Unit: share, or attempts per worker. Default: never.
    below: Option<f64>,
    /// How many are taken away. Unit: workers. Default: `1`.
    remove: Option<i64>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Measured {
    /// The share of time that workers are busy.
    Utilisation,
    /// Attempts that wait, per worker.
    Queue,
    /// Attempts inside, per worker.
    Concurrency,
}

/// How quickly the number changes one way.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pace {
    /// Of what was recommended in so long, the most cautious counts. Default: `0s` up, `300s` down.
    window: Option<Length>,
    /// At most so much in a period, or `"none"` for any number. Default: up 4 workers or 100 % in
    /// 15 s, down none.
    step: Option<Maybe<Step>>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Step {
    /// So many workers, or `percent` of them, whichever is more. Unit: workers. Default: `0`.
    #[serde(default)]
    workers: i64,
    /// So many per cent of the workers there are. Unit: per cent. Default: `0`.
    #[serde(default)]
    percent: i64,
    /// In each period of this length.
    period: Length,
}

/// The keys of which one says what is aimed at.
const RULES: [&str; 4] = ["target_utilisation", "target_queue", "target_concurrency", "thresholds"];
const LARGEST_TARGET: f64 = 1_000_000.0;
const MOST_PERCENT: u32 = 1_000_000;
/// Of Kubernetes, unless told otherwise.
const USUAL_TOLERANCE: f64 = 0.1;

const fn one() -> i64 {
    1
}

impl Autoscaling {
    /// The autoscaler of a service that begins with so many `workers`; none if anything is wrong with it.
    pub(super) fn build(
        &self,
        workers: NonZeroU32,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<Scaling> {
        let rule = self.rule(spot, out);
        let every = match &self.every {
            None => Some(Scaling::KUBERNETES_EVERY),
            Some(length) => out.keep(interval(length, spot.at("every"))),
        };
        let start_up = out.keep(self.start_up.span(spot.at("start_up")));
        let bounds = self.bounds(workers, spot, out);
        let up = self.up.build(Direction::KUBERNETES_UP, spot.at("up"), MOST_PERCENT, out);
        let down = self.down.build(Direction::KUBERNETES_DOWN, spot.at("down"), 100, out);
        let ((measure, rule), (min, max)) = (rule?, bounds?);
        Some(Scaling {
            measure,
            rule,
            every: every?,
            start_up: start_up?,
            min,
            max,
            up: up?,
            down: down?,
        })
    }

    /// The fewest and the most workers, between which the service begins.
    fn bounds(
        &self,
        workers: NonZeroU32,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<(NonZeroU32, NonZeroU32)> {
        let mut bound = |value, what, key| {
            out.keep(whole(value, 1, MOST_WORKERS, what, spot.at(key))).and_then(NonZeroU32::new)
        };
        let min = bound(self.min, "the fewest workers", "min");
        let max = bound(self.max, "the most workers", "max");
        let (min, max) = (min?, max?);
        if min > max {
            let message = format!("there cannot be at least {min} workers and at most {max}");
            out.add(
                Diagnostic::error(spot.at("min").value(), message).other(spot.at("max").key, ""),
            );
            return None;
        }
        if !(min..=max).contains(&workers) {
            let key = if workers > max { "max" } else { "min" };
            let message = format!(
                "the service begins with workers = {workers}, and here are from {min} to {max}"
            );
            out.add(
                Diagnostic::error(spot.at(key).value(), message)
                    .help("let it begin with a number between the two".to_owned()),
            );
            return None;
        }
        Some((min, max))
    }

    /// What is measured, and what follows; of several keys, what the last layer says.
    fn rule(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<(Measure, Rule)> {
        let mut written: Vec<Spot<'_>> = RULES.iter().filter_map(|key| spot.find(key)).collect();
        written.sort_by_key(|key| (std::cmp::Reverse(key.layer), key.key));
        if let [first, second, ..] = written[..]
            && first.layer == second.layer
        {
            let message = "an autoscaler aims at one thing: two are written here";
            out.add(
                Diagnostic::error(second.key, message)
                    .other(first.key, "")
                    .help("keep one of the two".to_owned()),
            );
            return None;
        }
        let latest = written.first().map(|first| first.key);
        let latest = RULES.into_iter().find(|key| spot.find(key).map(|key| key.key) == latest);
        let target = |target: Option<f64>, measure, what, key: &str| {
            let target = positive(target?, LARGEST_TARGET, what, spot.at(key));
            Some((measure, target))
        };
        let (measure, target) = match latest.filter(|_| !written.is_empty()) {
            Some("thresholds") => {
                return self.thresholds.as_ref()?.build(spot.at("thresholds"), out);
            }
            Some("target_queue") => {
                let what = "queue of a worker that is aimed at";
                target(self.target_queue, Measure::Waiting, what, "target_queue")?
            }
            Some("target_concurrency") => {
                let what = "number of attempts of a worker that is aimed at";
                target(self.target_concurrency, Measure::Inside, what, "target_concurrency")?
            }
            Some(_) => (Measure::Busy, utilisation(self.target_utilisation?, spot.at(RULES[0]))),
            None => {
                out.add(Diagnostic::error(spot.key, "it is not said what this aims at").help(
                    "add target_utilisation = 0.7, target_queue = 2 or target_concurrency = 1.5, per worker"
                        .to_owned(),
                ));
                return None;
            }
        };
        let tolerance = self.tolerance.unwrap_or(USUAL_TOLERANCE);
        let tolerance = fraction(tolerance, "the tolerance", spot.at("tolerance"));
        let (target, tolerance) = (out.keep(target), out.keep(tolerance));
        Some((measure, Rule::Target { target: PerWorker::new(target?)?, tolerance: tolerance? }))
    }
}

/// A share of the time that workers are busy.
fn utilisation(share: f64, spot: Spot<'_>) -> Result<f64, Diagnostic> {
    let share = fraction(share, "the utilisation", spot)?;
    if share == Fraction::ZERO {
        let message = "no number of workers is never busy: the utilisation must be above 0";
        return Err(Diagnostic::error(spot.value(), message));
    }
    Ok(share.as_f64())
}

impl Thresholds {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<(Measure, Rule)> {
        let limit = |value: f64, key: &str| {
            let spot = spot.at(key);
            match self.measure {
                Measured::Utilisation => utilisation(value, spot),
                Measured::Queue | Measured::Concurrency => {
                    positive(value, LARGEST_TARGET, "measure", spot)
                }
            }
        };
        let above = out.keep(limit(self.above, "above"));
        let below = match self.below {
            None => Some(None),
            Some(below) => out.keep(limit(below, "below")).map(Some),
        };
        let add = whole(self.add, 1, MOST_WORKERS, "the number of workers", spot.at("add"));
        let add = out.keep(add).and_then(NonZeroU32::new);
        let what = "the number of workers";
        let remove = whole(self.remove.unwrap_or(1), 1, MOST_WORKERS, what, spot.at("remove"));
        let remove = out.keep(remove).and_then(NonZeroU32::new);
        let (above, below) = (above?, below?);
        if let Some(below) = below.filter(|below| *below >= above) {
            let message = format!("workers come above {above} and would go below {below}");
            out.add(
                Diagnostic::error(spot.at("below").value(), message)
                    .help("write a number below that of `above`".to_owned()),
            );
            return None;
        }
        let measure = match self.measure {
            Measured::Utilisation => Measure::Busy,
            Measured::Queue => Measure::Waiting,
            Measured::Concurrency => Measure::Inside,
        };
        let rule = Rule::Thresholds {
            above: PerWorker::new(above)?,
            add: add?,
            below: below.and_then(PerWorker::new),
            remove: remove?,
        };
        Some((measure, rule))
    }
}

impl Pace {
    fn build(
        &self,
        usual: Direction,
        spot: Spot<'_>,
        most_percent: u32,
        out: &mut Complaints,
    ) -> Option<Direction> {
        let window = match &self.window {
            None => Some(usual.window),
            Some(length) => out.keep(length.span(spot.at("window"))),
        };
        let step = match &self.step {
            None => Some(usual.step),
            Some(Maybe(None)) => Some(None),
            Some(Maybe(Some(step))) => step.build(spot.at("step"), most_percent, out).map(Some),
        };
        Some(Direction { window: window?, step: step? })
    }
}

impl Step {
    fn build(
        &self,
        spot: Spot<'_>,
        most_percent: u32,
        out: &mut Complaints,
    ) -> Option<scaling::Step> {
        let what = "the number of workers";
        let workers = out.keep(whole(self.workers, 0, MOST_WORKERS, what, spot.at("workers")));
        let what = "the number of per cent";
        let percent = out.keep(whole(self.percent, 0, most_percent, what, spot.at("percent")));
        let period: Option<Span> = out.keep(self.period.above_zero(spot.at("period"), ""));
        let (workers, percent) = (workers?, percent?);
        if workers == 0 && percent == 0 {
            let message = "a step of nothing changes nothing";
            let help = "write workers = 4 or percent = 100, or step = \"none\" for any step";
            out.add(Diagnostic::error(spot.key, message).help(help.to_owned()));
            return None;
        }
        Some(scaling::Step { workers, percent, period: period? })
    }
}
