//! `call.throttle = { adaptive = { k = 2, window = "2m" } }`: what a client holds back by itself.

use schemars::JsonSchema;
use serde::Deserialize;

use super::budget::window;
use super::failure::{FailureWord, failures};
use super::length::Length;
use super::number::{positive, whole};
use super::world::Complaints;
use crate::policy::outcome::{Failure, Failures};
use crate::policy::throttle;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::unit::Rate;

/// A throttle as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Throttle {
    /// Every attempt may leave.
    None {},
    /// Attempts are dropped with a probability that follows what was accepted (SRE book, chapter
    /// 21).
    Adaptive(Adaptive),
    /// A send rate falls with throttling and grows back (AWS adaptive mode).
    Cubic(Cubic),
    /// Attempts keep to a rate.
    RateLimit(RateLimit),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Adaptive {
    /// How many attempts leave for each one accepted. Unit: factor.
    k: f64,
    /// How long an attempt counts.
    window: Length,
    /// The kinds of failure that count as not accepted. Default: all but `error`.
    not_accepted: Option<Vec<FailureWord>>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Cubic {
    /// The kinds of failure that count as throttling. Default: `["refused"]`.
    throttled: Option<Vec<FailureWord>>,
    /// What becomes of an attempt without a token. Default: `"waits"`.
    #[serde(default)]
    at_empty: AtEmpty,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RateLimitOfClient")]
pub(super) struct RateLimit {
    /// How many attempts leave. Unit: attempts per second.
    rate: f64,
    /// How many tokens the bucket holds. Unit: attempts. Default: `1`.
    #[serde(default = "one")]
    burst: i64,
    /// What becomes of an attempt without a token. Default: `"waits"`.
    #[serde(default)]
    at_empty: AtEmpty,
    /// Whether retries need a token. Default: `"metered"`.
    #[serde(default)]
    retries: Retries,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AtEmpty {
    /// It waits for one.
    #[default]
    Waits,
    /// It is dropped.
    Drops,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Retries {
    /// They do.
    #[default]
    Metered,
    /// They do not.
    Bypass,
}

const fn one() -> i64 {
    1
}

const HIGHEST_K: f64 = 1_000.0;
const HIGHEST_RATE: f64 = 1e9;
const LARGEST_BURST: u32 = 1_000_000;
const INSTEAD: &str = "no throttle is { none = {} }";

impl Throttle {
    /// The throttle, which may be none.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<throttle::Throttle> {
        match self {
            Self::None {} => None,
            Self::Adaptive(kind) => kind.build(spot.at("adaptive"), out),
            Self::Cubic(kind) => {
                let spot = spot.at("cubic").at("throttled");
                let usual = Failures::of(&[Failure::Refused]);
                let throttled = failures(kind.throttled.as_ref(), usual, INSTEAD, spot);
                let at_empty = kind.at_empty.meaning();
                let cubic = throttle::Cubic { throttled: out.keep(throttled)?, at_empty };
                Some(throttle::Throttle::Cubic(cubic))
            }
            Self::RateLimit(kind) => kind.build(spot.at("rate_limit"), out),
        }
    }
}

impl Adaptive {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<throttle::Throttle> {
        let window = out.keep(window(&self.window, spot.at("window")));
        let usual = Failures::of(&[Failure::Error]).complement();
        let not_accepted =
            out.keep(failures(self.not_accepted.as_ref(), usual, INSTEAD, spot.at("not_accepted")));
        if !(1.0..=HIGHEST_K).contains(&self.k) {
            let message = "`k` must be from 1 to 1,000: that many attempts for each accepted one";
            let help = "write k = 2; the smaller, the sooner attempts are dropped".to_owned();
            out.add(Diagnostic::error(spot.at("k").value(), message).help(help));
            return None;
        }
        throttle::Adaptive::new(self.k, window?, not_accepted?).map(throttle::Throttle::Adaptive)
    }
}

impl RateLimit {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<throttle::Throttle> {
        let rate = out.keep(positive(self.rate, HIGHEST_RATE, "rate", spot.at("rate")));
        let burst = out.keep(whole(self.burst, 1, LARGEST_BURST, "the burst", spot.at("burst")));
        let again = match self.retries {
            Retries::Metered => throttle::Again::Metered,
            Retries::Bypass => throttle::Again::Passes,
        };
        let rate = rate.and_then(Rate::new);
        throttle::RateLimit::new(rate?, burst?, self.at_empty.meaning(), again)
            .map(throttle::Throttle::RateLimit)
    }
}

impl AtEmpty {
    const fn meaning(self) -> throttle::AtEmpty {
        match self {
            Self::Waits => throttle::AtEmpty::Waits,
            Self::Drops => throttle::AtEmpty::Drops,
        }
    }
}
