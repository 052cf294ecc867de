//! `[criterion]`: what counts as back to normal.

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::fraction;
use super::world::Complaints;
use crate::model;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;
use crate::unit::Fraction;

/// The criterion as it is written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Criterion {
    /// The share of demand that makes a window good. Unit: share. Default: `0.9`.
    goodput: Option<f64>,
    /// For how long windows must be good. Default: up to the horizon.
    hold: Option<Length>,
}

impl Criterion {
    /// The criterion, with the hold in windows, rounded up.
    pub(super) fn build(
        &self,
        spot: Spot<'_>,
        window: Option<Span>,
        horizon: Option<Span>,
        out: &mut Complaints,
    ) -> Option<model::Criterion> {
        let default = model::Criterion::default();
        let share = match self.goodput {
            None => Some(default.share),
            Some(goodput) => out.keep(share(goodput, spot.at("goodput"))),
        };
        let hold = match &self.hold {
            None => Some(default.hold),
            Some(hold) => out.keep(windows(hold, spot.at("hold"), window, horizon)),
        };
        Some(model::Criterion { share: share?, hold: hold? })
    }
}

fn share(goodput: f64, spot: Spot<'_>) -> Result<Fraction, Diagnostic> {
    let share = fraction(goodput, "the goodput", spot)?;
    if share == Fraction::ZERO {
        return Err(Diagnostic::error(spot.value(), "a goodput of 0 is always reached")
            .help("the usual one is 0.9".to_owned()));
    }
    Ok(share)
}

fn windows(
    hold: &Length,
    spot: Spot<'_>,
    window: Option<Span>,
    horizon: Option<Span>,
) -> Result<Option<u32>, Diagnostic> {
    let hold = hold.above_zero(spot, "leave it out, and it must hold to the end of the run")?;
    if let Some(horizon) = horizon.filter(|horizon| hold > *horizon) {
        return Err(Diagnostic::error(
            spot.value(),
            format!("this is longer than the run of {horizon}"),
        ));
    }
    Ok(window.map(|window| {
        u32::try_from(hold.as_nanos().div_ceil(window.as_nanos())).unwrap_or(u32::MAX)
    }))
}
