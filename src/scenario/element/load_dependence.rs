//! `load_dependence = { scalability = { coherency = 0.0001 } }`: work that grows with the load.

use schemars::JsonSchema;
use serde::Deserialize;

use super::number::whole;
use crate::policy::slowdown::{Backlog, Scalability, Slowdown};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// What work depends on, as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum LoadDependence {
    /// Work takes as long whatever the load.
    None {},
    /// The universal scalability law (Gunther).
    Scalability(Coefficients),
    /// Work grows with those that wait.
    Backlog(Line),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Coefficients {
    /// For each other in service. Unit: share. Default: `0`.
    #[serde(default)]
    contention: f64,
    /// For each pair in service. Unit: share. Default: `0`.
    #[serde(default)]
    coherency: f64,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    /// How much longer work takes for each one waiting. Unit: share per attempt.
    slope: f64,
    /// So many may wait before it grows. Unit: attempts. Default: `0`.
    #[serde(default)]
    threshold: i64,
}

const LONGEST_QUEUE: u32 = 1_000_000_000;
/// One other doubles the work of a law with coefficient 1.
const LARGEST: f64 = 1.0;

impl LoadDependence {
    pub(super) fn slowdown(&self, spot: Spot<'_>) -> Result<Slowdown, Diagnostic> {
        match self {
            Self::None {} => Ok(Slowdown::None),
            Self::Scalability(law) => {
                let spot = spot.at("scalability");
                let contention = coefficient(law.contention, "contention", spot)?;
                let coherency = coefficient(law.coherency, "coherency", spot)?;
                let law = Scalability::new(contention, coherency);
                Ok(law.map_or(Slowdown::None, Slowdown::Scalability))
            }
            Self::Backlog(line) => {
                let spot = spot.at("backlog");
                let slope = coefficient(line.slope, "slope", spot)?;
                let what = "the threshold";
                let threshold =
                    whole(line.threshold, 0, LONGEST_QUEUE, what, spot.at("threshold"))?;
                Ok(Backlog::new(slope, threshold).map_or(Slowdown::None, Slowdown::Backlog))
            }
        }
    }
}

/// How much each other one, or each pair, adds to the work of one alone.
fn coefficient(value: f64, key: &str, spot: Spot<'_>) -> Result<f64, Diagnostic> {
    if (0.0..=LARGEST).contains(&value) {
        return Ok(value);
    }
    let message =
        format!("the {key} must be from 0 to {LARGEST}: a share of the work of one alone");
    let help = (value > LARGEST).then(|| "small numbers are usual, such as 0.0001".to_owned());
    Err(Diagnostic::error(spot.at(key).value(), message).help(help))
}
