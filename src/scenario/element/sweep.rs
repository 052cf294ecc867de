//! `[sweep]`: a grid of cells and what they promise.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::MapAccess;

use super::any::Any;
use super::number::thousands;
use super::promise::{Promises, Terms, keys, nothing_promised};
use super::world::Complaints;
use crate::experiment::{Bound, SweepMetric};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A sweep as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Sweep {
    /// Under how many seeds each cell is run. Unit: seeds. Default: `5`.
    seeds: Option<i64>,
    /// The variants to sweep. Default: all, the scenario as written among them.
    pub(in crate::scenario) variants: Option<Vec<String>>,
    /// Values by dotted path: a list, or `{ from = .., to = .., step = .. }`.
    #[serde(default, rename = "axes")]
    _axes: BTreeMap<String, Any>,
    /// What cells promise.
    #[serde(default)]
    pub(in crate::scenario) expect: Vec<SweepExpect>,
}

/// Seeds where a sweep does not say how many.
const USUAL_SEEDS: u64 = 5;
/// The most seeds of one thing.
const MOST_SEEDS: u64 = 100_000;

impl Sweep {
    /// Seeds per cell.
    pub(in crate::scenario) fn seeds(&self, spot: Spot<'_>) -> Result<u64, Diagnostic> {
        self.seeds.map_or(Ok(USUAL_SEEDS), |seeds| check_seeds(seeds, spot.at("seeds")))
    }
}

/// A number of seeds.
pub(super) fn check_seeds(seeds: i64, spot: Spot<'_>) -> Result<u64, Diagnostic> {
    u64::try_from(seeds).ok().filter(|seeds| (1..=MOST_SEEDS).contains(seeds)).ok_or_else(|| {
        let most = thousands(MOST_SEEDS);
        Diagnostic::error(spot.value(), format!("the number of seeds must be from 1 to {most}"))
    })
}

/// Promises of some cells as they are written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(in crate::scenario) struct SweepExpect(Promises<OfCells>);

/// What is said beside them.
#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(default, rename = "PromisesOfCells")]
struct OfCells {
    /// Which cells, by dotted paths and values; read from the tree, with their places. Default: all.
    #[schemars(rename = "where")]
    _cells: BTreeMap<String, Any>,
    /// Under how many seeds. Unit: seeds. Default: those of the sweep.
    seeds: Option<i64>,
}

impl Terms for OfCells {
    type Metric = SweepMetric;
    const KEYS: &'static [&'static str] = keys!(["where", "seeds"], SweepMetric);

    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "seeds" => self.seeds = Some(map.next_value()?),
            _ => self._cells = map.next_value()?,
        }
        Ok(())
    }
}

impl SweepExpect {
    /// How many seeds, if it says so.
    pub(in crate::scenario) fn seeds(&self, spot: Spot<'_>) -> Result<Option<u64>, Diagnostic> {
        self.0.terms.seeds.map(|seeds| check_seeds(seeds, spot.at("seeds"))).transpose()
    }

    /// What is promised of each cell.
    pub(in crate::scenario) fn metrics(
        &self,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Vec<(SweepMetric, Bound)> {
        if self.0.is_empty() {
            out.add(nothing_promised(spot, "a number, such as recovered_share = 1"));
        }
        self.0.bounds(spot, out)
    }
}
