//! `shedding = "expired"` or `{ codel = {} }`: which waiting attempts are dropped.

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use crate::policy::shedding;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A shedding rule as it is written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Shedding {
    /// Nobody.
    #[default]
    Never,
    /// Whose client has given up.
    Expired,
    /// Who cannot be finished in time; the service knows the work.
    Unfinishable,
    /// The same, by a service that takes the mean for the work of each.
    UnfinishableOnAverage,
    /// One now and then, ever more often, while the delay stays above the target (RFC 8289).
    Codel(Codel),
    /// Who has waited more than twice the target, after an interval above it (folly).
    FollyCodel(Codel),
}

/// Both forms of CoDel have the same numbers, and mean different things by them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Codel {
    /// The delay that is aimed at. Default: `"5ms"`.
    target: Option<Length>,
    /// For how long it must be missed. Default: `"100ms"`.
    interval: Option<Length>,
}

impl Shedding {
    pub(super) fn shedding(&self, spot: Spot<'_>) -> Result<shedding::Shedding, Diagnostic> {
        match self {
            Self::Never => Ok(shedding::Shedding::Never),
            Self::Expired => Ok(shedding::Shedding::Expired),
            Self::Unfinishable => Ok(shedding::Shedding::Unfinishable),
            Self::UnfinishableOnAverage => Ok(shedding::Shedding::UnfinishableOnAverage),
            Self::Codel(codel) => {
                let usual = shedding::Codel::DEFAULT;
                let (target, interval) =
                    codel.numbers(usual.target, usual.interval, spot.at("codel"))?;
                Ok(shedding::Shedding::Codel(shedding::Codel { interval, target }))
            }
            Self::FollyCodel(codel) => {
                let usual = shedding::FollyCodel::DEFAULT;
                let (target, interval) =
                    codel.numbers(usual.target, usual.interval, spot.at("folly_codel"))?;
                Ok(shedding::Shedding::FollyCodel(shedding::FollyCodel { interval, target }))
            }
        }
    }
}

impl Codel {
    /// Target and interval, where they are left out the usual ones.
    fn numbers(
        &self,
        target: Span,
        interval: Span,
        spot: Spot<'_>,
    ) -> Result<(Span, Span), Diagnostic> {
        let length = |length: &Option<Length>, usual, key| match length {
            None => Ok(usual),
            Some(length) => length.above_zero(spot.at(key), "to drop nothing, write \"never\""),
        };
        Ok((length(&self.target, target, "target")?, length(&self.interval, interval, "interval")?))
    }
}
