//! `call.retry = { immediate = { max_retries = 3 } }`: what is tried again, and when.

use schemars::JsonSchema;
use serde::Deserialize;

use super::failure::FailureWord;
use super::hint::Guidance;
use super::jitter::Jitter;
use super::length::Length;
use super::tries::{Count, Tries};
use super::world::Complaints;
use crate::policy::retry::{self, Backoff, Growth};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A retry policy as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Retry {
    /// Nothing is tried again.
    Never {},
    /// Without a wait.
    Immediate(Immediate),
    /// After the same wait each time.
    Fixed(Fixed),
    /// After waits that grow by the same each time.
    Linear(Linear),
    /// After waits that grow by a factor each time.
    Exponential(Exponential),
    /// After waits drawn between `base` and three times the one before (AWS Architecture Blog,
    /// 2015).
    Decorrelated(Decorrelated),
    /// After waits drawn from a range that doubles (Envoy).
    DoublingRange(DoublingRange),
    /// After waits whose totals double smoothly (Polly).
    SmoothDoubling(SmoothDoubling),
}

/// A kind of retry with its own keys, besides those that every kind has.
macro_rules! kind {
    ($name:ident as $title:literal { $($(#[$attribute:meta])* $key:ident: $type:ty),* $(,)? }) => {
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(rename = $title)]
        pub(super) struct $name {
            /// How often a request is tried again, or `"unlimited"`. This or `max_attempts`. Unit: retries.
            max_retries: Option<Count>,
            /// How often it is tried, the first attempt included, or `"unlimited"`. This or `max_retries`.
            /// Unit: attempts.
            max_attempts: Option<Count>,
            /// The kinds of failure after which it is tried again. Default: all.
            on: Option<Vec<FailureWord>>,
            /// What becomes of a wait when the service says how long to stay away. Default: `"ignored"`.
            guidance: Option<Guidance>,
            $($(#[$attribute])* $key: $type),*
        }

        impl $name {
            fn tries(&self) -> Tries<'_> {
                let (max_retries, max_attempts) = (self.max_retries, self.max_attempts);
                Tries { max_retries, max_attempts, on: self.on.as_ref() }
            }

            fn guided(&self, spot: Spot<'_>) -> Result<retry::Guidance, Diagnostic> {
                let spot = spot.at("guidance");
                self.guidance.as_ref().map_or(Ok(retry::Guidance::Ignored), |it| it.guidance(spot))
            }
        }
    };
}

kind!(Immediate as "ImmediateRetry" {});

kind!(Fixed as "FixedRetry" {
    /// How long.
    wait: Length,
    /// What is drawn around the wait w. Default: `"none"`.
    #[serde(default)]
    jitter: Jitter,
    /// Whether the first retry waits. Default: `"waits"`.
    #[serde(default)]
    first: First,
});

kind!(Linear as "LinearRetry" {
    /// The first wait, or the shortest.
    base: Length,
    /// By how much each wait is longer than the one before.
    increment: Length,
    /// The longest wait.
    cap: Length,
    /// What is drawn around the wait w. Default: `"none"`.
    #[serde(default)]
    jitter: Jitter,
    /// Whether the cap cuts what was drawn, instead of the wait. Default: `false`.
    #[serde(default)]
    jitter_before_cap: bool,
    /// Whether the first retry waits. Default: `"waits"`.
    #[serde(default)]
    first: First,
    /// What happens at the cap. Default: `"holds"`.
    #[serde(default)]
    at_cap: AtCap,
});

kind!(Exponential as "ExponentialRetry" {
    /// The first wait, or the shortest.
    base: Length,
    /// By what each wait is longer than the one before. Unit: factor. Default: `2`.
    #[serde(default = "two")]
    factor: f64,
    /// The longest wait.
    cap: Length,
    /// What is drawn around the wait w. Default: `"none"`.
    #[serde(default)]
    jitter: Jitter,
    /// Whether the cap cuts what was drawn, instead of the wait. Default: `false`.
    #[serde(default)]
    jitter_before_cap: bool,
    /// Whether the first retry waits. Default: `"waits"`.
    #[serde(default)]
    first: First,
    /// What happens at the cap. Default: `"holds"`.
    #[serde(default)]
    at_cap: AtCap,
});

kind!(Decorrelated as "DecorrelatedRetry" {
    /// The first wait, or the shortest.
    base: Length,
    /// The longest wait.
    cap: Length,
    /// Whether the first retry waits. Default: `"waits"`.
    #[serde(default)]
    first: First,
});

kind!(DoublingRange as "DoublingRangeRetry" {
    /// The first wait, or the shortest.
    base: Length,
    /// The longest wait.
    cap: Length,
    /// Whether the first retry waits. Default: `"waits"`.
    #[serde(default)]
    first: First,
});

kind!(SmoothDoubling as "SmoothDoublingRetry" {
    /// The first wait, or the shortest.
    base: Length,
    /// The longest wait.
    cap: Length,
    /// Whether the first retry waits. Default: `"waits"`.
    #[serde(default)]
    first: First,
});

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum First {
    /// It waits like any other.
    #[default]
    Waits,
    /// It leaves without its wait.
    AtOnce,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AtCap {
    /// Waits stay at the cap.
    #[default]
    Holds,
    /// The last wait that did not pass the cap ends the request.
    Stops,
}

pub(super) const fn two() -> f64 {
    2.0
}

/// Between 1 and this a wait would take millions of retries to grow.
pub(super) const SMALLEST_GROWTH: f64 = 1.01;
pub(super) const LARGEST_GROWTH: f64 = 1_000.0;

impl Retry {
    /// The policy, but for the wait after a refusal, which is not part of it in the file; none if
    /// anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<retry::Retry> {
        let at = |kind| spot.at(kind);
        let (tries, guided, spot, first, backoff) = match self {
            Self::Never {} => return Some(retry::Retry::NEVER),
            Self::Immediate(kind) => {
                let (spot, backoff) = (at("immediate"), Some(Backoff::Immediate));
                (kind.tries(), kind.guided(spot), spot, First::Waits, backoff)
            }
            Self::Fixed(kind) => {
                let spot = at("fixed");
                (kind.tries(), kind.guided(spot), spot, kind.first, kind.backoff(spot, out))
            }
            Self::Linear(kind) => {
                let spot = at("linear");
                (kind.tries(), kind.guided(spot), spot, kind.first, kind.backoff(spot, out))
            }
            Self::Exponential(kind) => {
                let spot = at("exponential");
                (kind.tries(), kind.guided(spot), spot, kind.first, kind.backoff(spot, out))
            }
            Self::Decorrelated(kind) => {
                let spot = at("decorrelated");
                let ends = ends(&kind.base, &kind.cap, spot, out);
                let law = |(base, cap)| Backoff::Decorrelated(retry::Decorrelated { base, cap });
                (kind.tries(), kind.guided(spot), spot, kind.first, ends.map(law))
            }
            Self::DoublingRange(kind) => {
                let spot = at("doubling_range");
                (kind.tries(), kind.guided(spot), spot, kind.first, kind.backoff(spot, out))
            }
            Self::SmoothDoubling(kind) => {
                let spot = at("smooth_doubling");
                let ends = ends(&kind.base, &kind.cap, spot, out);
                let law =
                    |(base, cap)| Backoff::SmoothDoubling(retry::SmoothDoubling { base, cap });
                (kind.tries(), kind.guided(spot), spot, kind.first, ends.map(law))
            }
        };
        let tries = tries.build(spot, out);
        let guidance = out.keep(guided);
        let ((max_retries, on), backoff, guidance) = (tries?, backoff?, guidance?);
        let first = match first {
            First::Waits => retry::First::Waits,
            First::AtOnce => retry::First::AtOnce,
        };
        Some(retry::Retry { max_retries, on, backoff, first, guidance, ..retry::Retry::NEVER })
    }
}

impl Fixed {
    fn backoff(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Backoff> {
        let wait = out.keep(self.wait.span(spot.at("wait")))?;
        out.keep(self.jitter.around(Growth::Fixed(wait), false, spot.at("jitter")))
    }
}

impl Linear {
    fn backoff(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Backoff> {
        let increment = out.keep(self.increment.above_zero(spot.at("increment"), FIXED));
        let (base, cap) = ends(&self.base, &self.cap, spot, out)?;
        let at_cap = match self.at_cap {
            AtCap::Holds => retry::AtCap::Holds,
            AtCap::Stops => retry::AtCap::Stops,
        };
        let growth = Growth::Linear(retry::Linear { base, increment: increment?, cap, at_cap });
        out.keep(self.jitter.around(growth, self.jitter_before_cap, spot.at("jitter")))
    }
}

impl Exponential {
    fn backoff(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Backoff> {
        let factor = out.keep(growth(self.factor, "the factor", spot.at("factor")));
        let (base, cap) = ends(&self.base, &self.cap, spot, out)?;
        let growth = out.keep(retry::Exponential::new(base, factor?, cap).ok_or_else(|| {
            Diagnostic::error(spot.at("factor").value(), "a wait cannot grow by this factor")
        }))?;
        let growth = Growth::Exponential(match self.at_cap {
            AtCap::Holds => growth,
            AtCap::Stops => growth.stopping_at_cap(),
        });
        out.keep(self.jitter.around(growth, self.jitter_before_cap, spot.at("jitter")))
    }
}

impl DoublingRange {
    fn backoff(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Backoff> {
        let (base, cap) = ends(&self.base, &self.cap, spot, out)?;
        let milli = Span::from_millis(1);
        let split = |span: Span| !span.as_nanos().is_multiple_of(milli.as_nanos());
        let wrong = if split(base) { "base" } else { "cap" };
        out.keep(retry::DoublingRange::new(base, cap).map(Backoff::DoublingRange).ok_or_else(
            || {
                let message = "waits of a doubling range are drawn in whole milliseconds";
                Diagnostic::error(spot.at(wrong).value(), message)
                    .help("write a whole number of ms".to_owned())
            },
        ))
    }
}

const FIXED: &str = "a wait that never grows is { fixed = { max_retries = .., wait = .. } }";

/// A factor by which waits grow.
pub(super) fn growth(factor: f64, what: &str, spot: Spot<'_>) -> Result<f64, Diagnostic> {
    if factor == 1.0 || (SMALLEST_GROWTH..=LARGEST_GROWTH).contains(&factor) {
        return Ok(factor);
    }
    let message = format!("{what} must be 1, or from {SMALLEST_GROWTH} to 1,000");
    Err(Diagnostic::error(spot.value(), message))
}

/// The first wait and the longest one.
pub(super) fn ends(
    base: &Length,
    cap: &Length,
    spot: Spot<'_>,
    out: &mut Complaints,
) -> Option<(Span, Span)> {
    let instead = "without a wait the retry is { immediate = { max_retries = .. } }";
    let base = out.keep(base.above_zero(spot.at("base"), instead));
    let cap = out.keep(cap.above_zero(spot.at("cap"), ""));
    let (base, cap) = (base?, cap?);
    if base > cap {
        let message = format!("the cap is below the base of {base}");
        out.add(
            Diagnostic::error(spot.at("cap").value(), message)
                .other(spot.at("base").value(), "the first wait")
                .help(FIXED.to_owned()),
        );
        return None;
    }
    Some((base, cap))
}
