//! `call.hedge = { delay = "100ms", max_hedges = 1 }`: when another copy of an attempt is sent.

use std::fmt;
use std::num::{NonZeroU16, NonZeroU32};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};

use super::failure::{FailureWord, kinds};
use super::length::Length;
use super::number::{fraction, whole};
use super::world::Complaints;
use crate::policy::hedge;
use crate::policy::outcome::Failures;
use crate::scenario::nearest::nearest;
use crate::scenario::schema::piece::stands_for;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// Hedging as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Hedge {
    /// How long after a copy the next one leaves: a length, `"after_failure"`, or a percentile.
    delay: Delay,
    /// The most copies beside the first attempt. This or `max_attempts`. Unit: attempts.
    max_hedges: Option<i64>,
    /// The most copies, the first attempt included. This or `max_hedges`. Unit: attempts.
    max_attempts: Option<i64>,
    /// What a failed copy does. Default: `"sends_next"`.
    #[serde(default)]
    on_failure: OnFailure,
    /// The kinds of failure that end the try whatever else is out. Default: none.
    #[serde(default)]
    fatal: Vec<FailureWord>,
    /// What becomes of copies that are still out when the try has ended. Default: `"cancelled"`.
    #[serde(default)]
    losers: Losers,
}

/// A length, a table, or the word for no time at all.
#[derive(Clone, Debug)]
enum Delay {
    Length(Length),
    Percentile(Percentile),
    AfterFailure,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Percentile {
    /// The share of attempts that take no longer than the delay. Unit: share.
    percentile: f64,
    /// Of the last so many latencies, at most 65,535. Unit: latencies. Default: `1000`.
    #[serde(default = "usual_samples")]
    samples: i64,
    /// With fewer latencies the delay is `until_then`. Unit: latencies. Default: 100, or all of
    /// fewer samples.
    minimum: Option<i64>,
    /// The delay while little is known.
    until_then: Length,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OnFailure {
    /// It sends the next one at once.
    #[default]
    SendsNext,
    /// The next one leaves when it is due.
    Waits,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Losers {
    /// They are withdrawn.
    #[default]
    Cancelled,
    /// They run on.
    RunOn,
}

const AFTER_FAILURE: &str = "after_failure";
/// More copies than any client sends, each of which may be out at once.
const MOST_HEDGES: u32 = 100;
const USUAL_MINIMUM: u16 = 100;

const fn usual_samples() -> i64 {
    1_000
}

impl Hedge {
    /// The hedging policy; none if anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<hedge::Hedge> {
        let extra = out.keep(self.extra(spot));
        let delay = self.delay.build(spot.at("delay"), out);
        let fatal = kinds(&self.fatal);
        if fatal == Failures::ALL && delay == Some(hedge::Delay::AfterFailureOnly) {
            let message = "no copy is ever sent: each comes after a failure, and every failure \
                           ends the try";
            out.add(
                Diagnostic::error(spot.at("fatal").value(), message)
                    .other(spot.at("delay").value(), "")
                    .help("name fewer kinds of failure, or write a delay".to_owned()),
            );
            return None;
        }
        Some(hedge::Hedge {
            delay: delay?,
            extra: extra?,
            on_failure: match self.on_failure {
                OnFailure::SendsNext => hedge::OnFailure::SendsNext,
                OnFailure::Waits => hedge::OnFailure::Waits,
            },
            fatal,
            losers: match self.losers {
                Losers::Cancelled => hedge::Losers::Cancelled,
                Losers::RunOn => hedge::Losers::RunOn,
            },
        })
    }

    /// Copies beyond the first, by whichever of the two keys was named last.
    fn extra(&self, spot: Spot<'_>) -> Result<NonZeroU32, Diagnostic> {
        let (hedges, attempts) = (spot.at("max_hedges"), spot.at("max_attempts"));
        match (self.max_hedges, self.max_attempts) {
            (None, None) => Err(Diagnostic::error(spot.key, "`max_hedges` is missing").help(
                "add max_hedges = 1, or max_attempts = 2, which counts the first attempt as well"
                    .to_owned(),
            )),
            (Some(_), Some(_)) if hedges.layer == attempts.layer => {
                let (first, second) =
                    if hedges.key < attempts.key { (hedges, attempts) } else { (attempts, hedges) };
                let message = "`max_hedges` and `max_attempts` exclude each other: attempts count \
                               the first one, hedges do not, so 1 hedge makes 2 attempts";
                Err(Diagnostic::error(second.key, message)
                    .other(first.key, "")
                    .help("keep one of the two".to_owned()))
            }
            (Some(count), other) if other.is_none() || hedges.layer > attempts.layer => {
                if count == 0 {
                    let message = "hedging with no hedge sends nothing: `max_hedges` does not \
                                   count the first attempt";
                    return Err(nothing_sent(message, "max_hedges = 1", hedges));
                }
                whole(count, 1, MOST_HEDGES, "the number of hedges", hedges).map(at_least_one)
            }
            (_, Some(count)) => {
                if (0..=1).contains(&count) {
                    let message = "hedging with one attempt sends no copy of it: `max_attempts` \
                                   counts the first attempt";
                    return Err(nothing_sent(message, "max_attempts = 2", attempts));
                }
                let what = "the number of attempts, the first one included,";
                whole(count, 2, MOST_HEDGES + 1, what, attempts)
                    .map(|attempts| at_least_one(attempts - 1))
            }
            (Some(_), None) => unreachable!("a number of hedges alone has been taken"),
        }
    }
}

fn at_least_one(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN)
}

fn nothing_sent(message: &str, least: &str, spot: Spot<'_>) -> Diagnostic {
    Diagnostic::error(spot.value(), message)
        .help(format!("write {least}; no hedging is call.hedge = \"none\""))
}

impl Delay {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<hedge::Delay> {
        match self {
            Self::AfterFailure => Some(hedge::Delay::AfterFailureOnly),
            Self::Percentile(percentile) => {
                percentile.build(spot, out).map(hedge::Delay::Percentile)
            }
            Self::Length(length) => {
                let fixed = length.span(spot).map_err(|wrong| {
                    if nearest(&length.0, [AFTER_FAILURE]).is_some() {
                        let message = format!("`{}` is no delay", length.0);
                        return Diagnostic::error(spot.value(), message)
                            .help(format!("did you mean `{AFTER_FAILURE}`?"));
                    }
                    // Polly spells it as a delay of -1 ms.
                    if length.0.trim_start().starts_with('-') {
                        let help = format!("a copy after a failure only is \"{AFTER_FAILURE}\"");
                        wrong.help(help)
                    } else {
                        wrong
                    }
                });
                out.keep(fixed).map(hedge::Delay::Fixed)
            }
        }
    }
}

impl Percentile {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<hedge::Percentile> {
        let here = spot.at("percentile");
        let share = out.keep(fraction(self.percentile, "a percentile", here));
        let here = spot.at("samples");
        let samples = out.keep(whole(self.samples, 1, u16::MAX.into(), "the samples", here));
        let samples = samples.and_then(|samples| u16::try_from(samples).ok());
        let most = samples.unwrap_or(u16::MAX);
        let minimum = match self.minimum {
            None => Some(USUAL_MINIMUM.min(most)),
            Some(minimum) => {
                let here = spot.at("minimum");
                let minimum = whole(minimum, 1, u16::MAX.into(), "the minimum", here);
                let minimum = out.keep(minimum).and_then(|minimum| u16::try_from(minimum).ok());
                if let Some(minimum) = minimum
                    && minimum > most
                {
                    let message = format!("the last {most} latencies are never {minimum}");
                    let help = format!("write {most} or less, or more `samples`");
                    out.add(Diagnostic::error(here.value(), message).help(help));
                    return None;
                }
                minimum
            }
        };
        let until_then = out.keep(self.until_then.span(spot.at("until_then")));
        Some(hedge::Percentile {
            share: share?,
            samples: NonZeroU16::new(samples?)?,
            minimum: minimum?,
            until_then: until_then?,
        })
    }
}

stands_for!(Delay: Length or "after_failure" or Percentile);

impl<'de> Deserialize<'de> for Delay {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Delay;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(
                    f,
                    "a length of time in quotes, such as \"100ms\", \"{AFTER_FAILURE}\", or \
                     {{ percentile = .., until_then = .. }}"
                )
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Delay, E> {
                Ok(match text {
                    AFTER_FAILURE => Delay::AfterFailure,
                    length => Delay::Length(Length(length.to_owned())),
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Delay, A::Error> {
                Percentile::deserialize(MapAccessDeserializer::new(map)).map(Delay::Percentile)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
