//! `jitter = "full"` or `{ proportional = 0.2 }`: how a wait is spread.

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::fraction;
use crate::policy::retry::{Backoff, Growth, Jitter as Spreading, Order, Spread};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// Jitter as it is written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Jitter {
    /// The wait w as it is.
    #[default]
    None,
    /// Evenly from 0 to w.
    Full,
    /// Half of w, and evenly up to w.
    Equal,
    /// w times evenly from 1 - x to 1 + x. Unit: share.
    Proportional(f64),
    /// w times evenly from 1 to 1 + x. Unit: share.
    Stretch(f64),
    /// w and evenly up to this length.
    Added(Length),
    /// Exponential with mean w.
    Exponential,
}

impl Jitter {
    /// The wait that grows so, spread.
    pub(super) fn around(
        &self,
        growth: Growth,
        before_cap: bool,
        spot: Spot<'_>,
    ) -> Result<Backoff, Diagnostic> {
        let spread = match self {
            Self::None => return Ok(Backoff::Steady(growth)),
            Self::Full => Spread::Full,
            Self::Equal => Spread::Equal,
            Self::Proportional(share) => {
                let spot = spot.at("proportional");
                Spread::Proportional(fraction(*share, "proportional jitter", spot)?)
            }
            Self::Stretch(share) => {
                Spread::Stretch(fraction(*share, "the stretch", spot.at("stretch"))?)
            }
            Self::Added(most) => {
                Spread::Added(most.above_zero(spot.at("added"), "no jitter is \"none\"")?)
            }
            Self::Exponential => Spread::Exponential,
        };
        let order = if before_cap { Order::BeforeCap } else { Order::AfterCap };
        Ok(Backoff::Jittered(growth, Spreading { spread, order }))
    }
}
