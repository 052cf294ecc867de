//! `call.retry = { immediate = { max_retries = 3 } }`: what is tried again, and when.

use serde::Deserialize;

use super::length::Length;
use super::number::whole;
use super::world::Complaints;
use crate::policy::retry::{self, Backoff};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A retry policy as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Retry {
    Never {},
    Immediate(Immediate),
    Fixed(Fixed),
    Exponential(Exponential),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Immediate {
    max_retries: i64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fixed {
    max_retries: i64,
    wait: Length,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exponential {
    max_retries: i64,
    base: Length,
    #[serde(default = "two")]
    factor: f64,
    cap: Length,
}

const fn two() -> f64 {
    2.0
}

/// "Until it works", for any run that fits.
const MOST_RETRIES: u32 = 1_000_000;
/// Between 1 and this a wait would take millions of retries to grow.
const SMALLEST_GROWTH: f64 = 1.01;
const LARGEST_GROWTH: f64 = 1_000.0;

impl Retry {
    /// The policy, but for the wait after a refusal, which is not part of it in the file; none if
    /// anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<retry::Retry> {
        let (max_retries, backoff) = match self {
            Self::Never {} => return Some(retry::Retry::NEVER),
            Self::Immediate(immediate) => {
                let spot = spot.at("immediate");
                (retries(immediate.max_retries, spot, out), Some(Backoff::Immediate))
            }
            Self::Fixed(fixed) => {
                let spot = spot.at("fixed");
                let wait = out.keep(fixed.wait.span(spot.at("wait")));
                (retries(fixed.max_retries, spot, out), wait.map(Backoff::fixed))
            }
            Self::Exponential(exponential) => {
                let spot = spot.at("exponential");
                let backoff = exponential.backoff(spot, out).map(Backoff::from);
                (retries(exponential.max_retries, spot, out), backoff)
            }
        };
        Some(retry::Retry { max_retries: max_retries?, backoff: backoff?, ..retry::Retry::NEVER })
    }
}

impl Exponential {
    fn backoff(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<retry::Exponential> {
        let base = out.keep(self.base.above_zero(
            spot.at("base"),
            "without a wait the retry is { immediate = { max_retries = .. } }",
        ));
        let cap = out.keep(self.cap.above_zero(spot.at("cap"), ""));
        let factor = out.keep(self.growth(spot.at("factor")));
        let (base, cap, factor) = (base?, cap?, factor?);
        if base > cap {
            out.add(
                Diagnostic::error(
                    spot.at("cap").value(),
                    format!("the cap is below the base of {base}"),
                )
                .other(spot.at("base").value(), "the first wait")
                .help(
                    "a wait that never grows is { fixed = { max_retries = .., wait = .. } }"
                        .to_owned(),
                ),
            );
            return None;
        }
        self.waits(base, cap, factor, spot, out)
    }

    fn growth(&self, spot: Spot<'_>) -> Result<f64, Diagnostic> {
        if self.factor == 1.0 || (SMALLEST_GROWTH..=LARGEST_GROWTH).contains(&self.factor) {
            return Ok(self.factor);
        }
        Err(Diagnostic::error(
            spot.value(),
            format!("the factor must be 1, or from {SMALLEST_GROWTH} to 1,000"),
        ))
    }

    fn waits(
        &self,
        base: Span,
        cap: Span,
        factor: f64,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<retry::Exponential> {
        let backoff = retry::Exponential::new(base, factor, cap).ok_or_else(|| {
            Diagnostic::error(spot.at("factor").value(), "a wait cannot grow by this factor")
        });
        out.keep(backoff)
    }
}

fn retries(max_retries: i64, spot: Spot<'_>, out: &mut Complaints) -> Option<u32> {
    out.keep(whole(max_retries, 0, MOST_RETRIES, "the number of retries", spot.at("max_retries")))
}
