//! `[sweep]`: a grid of cells and what they promise.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Error, MapAccess, Visitor};

use super::any::Any;
use super::bound::Promise;
use super::number::thousands;
use super::world::Complaints;
use crate::experiment::{Bound, SweepMetric};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A sweep as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Sweep {
    seeds: Option<i64>,
    /// Which variants; all of them if left out.
    pub(in crate::scenario) variants: Option<Vec<String>>,
    /// Values by path; read from the tree, where their places are.
    #[serde(default, rename = "axes")]
    _axes: BTreeMap<String, Any>,
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
#[derive(Clone, Debug, Default)]
pub(in crate::scenario) struct SweepExpect {
    seeds: Option<i64>,
    metrics: Vec<(SweepMetric, Promise)>,
}

const OWN_KEYS: [&str; 2] = ["where", "seeds"];

const KEYS: [&str; OWN_KEYS.len() + SweepMetric::ALL.len()] = {
    let mut keys = [OWN_KEYS[0]; OWN_KEYS.len() + SweepMetric::ALL.len()];
    keys[1] = OWN_KEYS[1];
    let mut index = 0;
    while index < SweepMetric::ALL.len() {
        keys[OWN_KEYS.len() + index] = SweepMetric::ALL[index].name();
        index += 1;
    }
    keys
};

impl SweepExpect {
    /// How many seeds, if it says so.
    pub(in crate::scenario) fn seeds(&self, spot: Spot<'_>) -> Result<Option<u64>, Diagnostic> {
        self.seeds.map(|seeds| check_seeds(seeds, spot.at("seeds"))).transpose()
    }

    /// What is promised of each cell.
    pub(in crate::scenario) fn metrics(
        &self,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Vec<(SweepMetric, Bound)> {
        if self.metrics.is_empty() {
            out.add(
                Diagnostic::error(spot.key, "nothing is promised here")
                    .help("promise a number, such as recovered_share = 1".to_owned()),
            );
        }
        let kept = self.metrics.iter().filter_map(|(metric, promise)| {
            out.keep(promise.bound(spot.at(metric.name()))).map(|bound| (*metric, bound))
        });
        kept.collect()
    }
}

impl<'de> Deserialize<'de> for SweepExpect {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Promises;
        impl<'de> Visitor<'de> for Promises {
            type Value = SweepExpect;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of promises")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SweepExpect, A::Error> {
                let mut expect = SweepExpect::default();
                while let Some(Key(key)) = map.next_key()? {
                    match key {
                        "seeds" => expect.seeds = Some(map.next_value()?),
                        // Which cells, by paths and values: read from the tree, with their places.
                        "where" => drop(map.next_value::<BTreeMap<String, Any>>()?),
                        name => {
                            let promise = map.next_value()?;
                            let metric =
                                SweepMetric::ALL.iter().find(|metric| metric.name() == name);
                            expect.metrics.extend(metric.map(|metric| (*metric, promise)));
                        }
                    }
                }
                Ok(expect)
            }
        }
        deserializer.deserialize_map(Promises)
    }
}

/// One of [`KEYS`].
struct Key(&'static str);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        let known = KEYS.into_iter().find(|known| *known == key);
        known.map(Self).ok_or_else(|| D::Error::unknown_field(&key, &KEYS))
    }
}
