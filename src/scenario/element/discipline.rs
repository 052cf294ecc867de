//! `discipline = "priority"` or `{ adaptive_lifo = { longer_than = 100 } }`: who is served next.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::whole;
use crate::policy::Class;
use crate::policy::discipline::{self, Crowded, Weights};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A discipline as it is written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Discipline {
    /// Who came first.
    #[default]
    Fifo,
    /// Who came last.
    Lifo,
    /// Whose client gives up first.
    EarliestDeadline,
    /// The smallest class, and in it who came first.
    Priority,
    /// Anybody.
    Random,
    /// Who came first, but who came last while the queue is long or old.
    AdaptiveLifo(AdaptiveLifo),
    /// Each class its share of picks while others wait.
    Weighted(Weighted),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AdaptiveLifo {
    /// Who came last goes first while more attempts wait. Unit: attempts.
    longer_than: Option<i64>,
    /// Who came last goes first while the oldest has waited longer.
    older_than: Option<Length>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Weighted {
    /// A whole number from 1 for each class; later classes have the last one. Unit: weight.
    weights: Vec<i64>,
}

/// A queue that is never this long is never crowded.
const LONGEST: u32 = 1_000_000_000;
const LARGEST_WEIGHT: u32 = 1_000_000;

impl Discipline {
    pub(super) fn discipline(&self, spot: Spot<'_>) -> Result<discipline::Discipline, Diagnostic> {
        match self {
            Self::Fifo => Ok(discipline::Discipline::Fifo),
            Self::Lifo => Ok(discipline::Discipline::Lifo),
            Self::EarliestDeadline => Ok(discipline::Discipline::EarliestDeadline),
            Self::Priority => Ok(discipline::Discipline::Priority),
            Self::Random => Ok(discipline::Discipline::Random),
            Self::AdaptiveLifo(lifo) => {
                lifo.crowded(spot.at("adaptive_lifo")).map(discipline::Discipline::AdaptiveLifo)
            }
            Self::Weighted(weighted) => {
                weighted.weights(spot.at("weighted")).map(discipline::Discipline::Weighted)
            }
        }
    }
}

impl AdaptiveLifo {
    fn crowded(&self, spot: Spot<'_>) -> Result<Crowded, Diagnostic> {
        let longer_than = self.longer_than.map(|longer_than| {
            whole(longer_than, 0, LONGEST, "the number waiting", spot.at("longer_than"))
        });
        let older_than = self.older_than.as_ref().map(|age| age.span(spot.at("older_than")));
        match (longer_than.transpose()?, older_than.transpose()?) {
            (Some(waiting), Some(age)) => Ok(Crowded::either(waiting, age)),
            (Some(waiting), None) => Ok(Crowded::longer_than(waiting)),
            (None, Some(age)) => Ok(Crowded::older_than(age)),
            (None, None) => Err(Diagnostic::error(
                spot.key,
                "it is not said from when on the last to come is served first",
            )
            .help("add longer_than = 100 (attempts waiting) or older_than = \"200ms\" (age of the oldest)".to_owned())),
        }
    }
}

impl Weighted {
    fn weights(&self, spot: Spot<'_>) -> Result<Weights, Diagnostic> {
        let spot = spot.at("weights");
        if self.weights.is_empty() || self.weights.len() > Class::COUNT {
            let message =
                format!("there are from 1 to {} weights, one for each class", Class::COUNT);
            return Err(Diagnostic::error(spot.value(), message).help(
                "write weights = [9, 1]: class 0 is picked nine times as often as class 1"
                    .to_owned(),
            ));
        }
        let weights = self.weights.iter().enumerate().map(|(index, weight)| {
            let weight = whole(*weight, 1, LARGEST_WEIGHT, "a weight", spot.nth(index))?;
            Ok(NonZeroU32::new(weight).unwrap_or(NonZeroU32::MIN))
        });
        Ok(Weights::new(&weights.collect::<Result<Vec<_>, _>>()?))
    }
}
