//! `half_open = { permits = 10 }`: what a breaker lets through to find out whether to close.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::{fraction, whole};
use super::world::Complaints;
use crate::policy::breaker::{self, Stay, StayEnd, Trials};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::unit::Fraction;

/// A half-open state as it is written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HalfOpen {
    /// So many trials decide. This, or `share` and `decided_after`. Unit: calls. Default: 10.
    permits: Option<i64>,
    /// The share of calls that is let through as trials. Unit: share.
    share: Option<f64>,
    /// With `share`: after so many trials it decides. Unit: calls.
    decided_after: Option<i64>,
    /// What becomes of the permit of a trial without a result. Default: `"returned"`.
    #[serde(default)]
    cancelled: Cancelled,
    /// A bound on the state. Default: no bound.
    longest: Option<Length>,
    /// What comes after `longest`. Default: `"opens"`.
    #[serde(default)]
    then: Then,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Cancelled {
    /// It is given back.
    #[default]
    Returned,
    /// It is lost.
    Lost,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Then {
    /// The breaker opens again.
    #[default]
    Opens,
    /// The trials begin anew.
    Renews,
}

const USUAL_PERMITS: i64 = 10;
const MOST: u32 = 100_000;

impl HalfOpen {
    /// What is let through; none if anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<breaker::HalfOpen> {
        let trials = self.trials(spot, out);
        let longest = match &self.longest {
            None => Some(None),
            Some(length) => {
                let instead = "without a bound, leave `longest` out";
                let longest = out.keep(length.above_zero(spot.at("longest"), instead));
                let then = match self.then {
                    Then::Opens => StayEnd::Opens,
                    Then::Renews => StayEnd::Renews,
                };
                longest.map(|longest| Some(Stay { longest, then }))
            }
        };
        let cancelled = match self.cancelled {
            Cancelled::Returned => breaker::Cancelled::Returned,
            Cancelled::Lost => breaker::Cancelled::Lost,
        };
        Some(breaker::HalfOpen { trials: trials?, cancelled, longest: longest? })
    }

    /// Which attempts are trials, by whichever of `permits` and `share` was named last.
    fn trials(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Trials> {
        let (permits, share) = (spot.at("permits"), spot.at("share"));
        let count = |value, what, spot| {
            whole(value, 1, MOST, what, spot)
                .map(|count| NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN))
        };
        match (self.permits, self.share) {
            (Some(_), Some(_)) if permits.layer == share.layer => {
                let message = "`permits` and `share` exclude each other: so many trials, or a share \
                               of what comes";
                let help = "keep one of the two; `decided_after` goes with `share`".to_owned();
                out.add(Diagnostic::error(share.key, message).other(permits.key, "").help(help));
                None
            }
            (written, Some(ratio)) if written.is_none() || share.layer > permits.layer => {
                let ratio = out.keep(fraction(ratio, "this", share))?;
                if ratio == Fraction::ZERO {
                    let message = "a share of 0 lets nothing through, so the breaker never closes";
                    let help = "write a share such as 0.05".to_owned();
                    out.add(Diagnostic::error(share.value(), message).help(help));
                    return None;
                }
                let after = self.decided_after.unwrap_or(USUAL_PERMITS);
                let spot = spot.at("decided_after");
                let decided_after = out.keep(count(after, "the number of results", spot))?;
                Some(Trials::Share { share: ratio, decided_after })
            }
            (_, None) if self.decided_after.is_some() => {
                let spot = spot.at("decided_after");
                let message = "`decided_after` goes with a `share`: permits are decided on when all \
                               of them have ended";
                let help = "leave it out, or write share = 0.05".to_owned();
                out.add(Diagnostic::error(spot.key, message).help(help));
                None
            }
            (written, _) => {
                let value = written.unwrap_or(USUAL_PERMITS);
                out.keep(count(value, "the number of permits", permits)).map(Trials::Permits)
            }
        }
    }
}
