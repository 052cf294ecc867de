//! `call.breaker = { window = "10s", failed = 0.5 }`: when a client stops calling for a while.

use std::fmt;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Error, Unexpected, Visitor};

use super::budget::window;
use super::failure::{FailureWord, failures};
use super::half_open::HalfOpen;
use super::length::Length;
use super::number::{fraction, whole};
use super::retry::growth;
use super::world::Complaints;
use crate::policy::breaker::{self, Comparison, Limit};
use crate::policy::outcome::Failures;
use crate::policy::retry::Exponential;
use crate::scenario::schema::piece::stands_for;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;
use crate::unit::Fraction;

/// A circuit breaker as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Breaker {
    /// Which calls ask it. Default: `"inside_retry"`.
    #[serde(default)]
    position: Position,
    /// It looks at the last so many calls. This or `window`. Unit: calls.
    window_calls: Option<i64>,
    /// It looks at the calls of the last while. This or `window_calls`. Default: 10s.
    window: Option<Length>,
    /// The kinds of failure that count; any other end counts as good. Default: all.
    counts: Option<Vec<FailureWord>>,
    /// The share of failed calls that opens it, or `"none"`. Unit: share. Default: 0.5.
    failed: Option<Share>,
    /// The share of slow calls that opens it. Default: none.
    slow: Option<Slow>,
    /// Whether the share itself opens it, or only more. Default: `"opens"`.
    #[serde(default)]
    at_limit: AtLimit,
    /// With fewer calls it stays closed. Unit: calls. Default: 20, or the whole of a smaller
    /// window.
    minimum_calls: Option<i64>,
    /// How long it stays open. Default: `"15s"`.
    open: Option<Length>,
    /// The n-th time in a row it stays open growth^n times as long. Unit: factor. Default: `1`.
    open_growth: Option<f64>,
    /// The longest that it stays open. Default: no bound.
    open_max: Option<Length>,
    /// Whether the last instant still counts as open. Default: `"at_the_instant"`.
    #[serde(default)]
    open_ends: OpenEnds,
    /// What is let through to find out whether it may close.
    #[serde(default)]
    half_open: HalfOpen,
    /// Whether late results of attempts from before a change of state count. Default: `"tagged"`.
    #[serde(default)]
    results: Results,
    /// When it looks at its window. Default: `"at_each_result"`.
    #[serde(default)]
    evaluated: Evaluated,
}

/// A share, or the word for none.
#[derive(Clone, Copy, Debug)]
enum Share {
    Number(f64),
    None,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Slow {
    /// A call is slow that takes longer.
    longer_than: Length,
    /// The share of slow calls that opens it. Unit: share.
    share: f64,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Position {
    /// Every attempt asks, and its end is what counts.
    #[default]
    InsideRetry,
    /// A request asks once, before its first attempt; its end after all retries is what counts.
    OutsideRetry,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AtLimit {
    /// The share itself opens it.
    #[default]
    Opens,
    /// Only more than the share opens it.
    Holds,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OpenEnds {
    /// At the last instant it is open no longer.
    #[default]
    AtTheInstant,
    /// The last instant still counts as open (Hystrix).
    AfterTheInstant,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Results {
    /// Results count only in the state in which their attempt left.
    #[default]
    Tagged,
    /// Late results count as well.
    Untagged,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Evaluated {
    /// With each result.
    #[default]
    AtEachResult,
    /// Only once in so long.
    Every(Length),
}

/// A window that is given by neither key.
const USUAL_WINDOW: Span = Span::from_secs(10);
const USUAL_OPEN: Span = Span::from_secs(15);
const USUAL_FAILED: f64 = 0.5;
const USUAL_MINIMUM: u32 = 20;
/// The calls of a window are kept one by one, for each instance of a client.
const MOST_CALLS: u32 = 100_000;

impl Breaker {
    /// The breaker; none if anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<breaker::Breaker> {
        let looked_at = out.keep(self.window(spot));
        let instead = "no breaker is call.breaker = \"none\"";
        let counted = failures(self.counts.as_ref(), Failures::ALL, instead, spot.at("counts"));
        let counted = out.keep(counted);
        let limits = self.limits(spot, out);
        let minimum_calls = self.minimum(looked_at, spot, out);
        let open = self.open(spot, out);
        let half_open = self.half_open.build(spot.at("half_open"), out);
        let evaluated = match &self.evaluated {
            Evaluated::AtEachResult => Some(breaker::Evaluated::AtEachResult),
            Evaluated::Every(length) => out
                .keep(
                    length.above_zero(spot.at("evaluated").at("every"), "write \"at_each_result\""),
                )
                .map(breaker::Evaluated::Every),
        };
        let (failed, slow) = limits?;
        Some(breaker::Breaker {
            position: match self.position {
                Position::InsideRetry => breaker::Position::InsideRetry,
                Position::OutsideRetry => breaker::Position::OutsideRetry,
            },
            window: looked_at?,
            counted: counted?,
            failed,
            slow,
            minimum_calls: minimum_calls?,
            open: open?,
            ends: match self.open_ends {
                OpenEnds::AtTheInstant => breaker::Ends::AtTheInstant,
                OpenEnds::AfterTheInstant => breaker::Ends::AfterTheInstant,
            },
            half_open: half_open?,
            results: match self.results {
                Results::Tagged => breaker::Results::Tagged,
                Results::Untagged => breaker::Results::Untagged,
            },
            evaluated: evaluated?,
        })
    }

    /// The calls that are looked at, by whichever of the two keys was named last.
    fn window(&self, spot: Spot<'_>) -> Result<breaker::Window, Diagnostic> {
        let (calls, time) = (spot.at("window_calls"), spot.at("window"));
        match (self.window_calls, &self.window) {
            (None, None) => Ok(breaker::Window::Time(USUAL_WINDOW)),
            (Some(_), Some(_)) if calls.layer == time.layer => {
                let (first, second) =
                    if calls.key < time.key { (calls, time) } else { (time, calls) };
                let message = "`window_calls` and `window` exclude each other: a breaker looks at \
                               the last so many calls or at those of the last while";
                Err(Diagnostic::error(second.key, message)
                    .other(first.key, "")
                    .help("keep one of the two".to_owned()))
            }
            (Some(count), other) if other.is_none() || calls.layer > time.layer => {
                let count = whole(count, 1, MOST_CALLS, "the calls of a window", calls)?;
                Ok(breaker::Window::Count(NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN)))
            }
            (_, Some(length)) => window(length, time).map(breaker::Window::Time),
            (Some(_), None) => unreachable!("a count alone has been taken"),
        }
    }

    /// What is too much, of failed and of slow calls.
    fn limits(
        &self,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<(Option<Limit>, Option<breaker::Slow>)> {
        let comparison = match self.at_limit {
            AtLimit::Opens => Comparison::AtLeast,
            AtLimit::Holds => Comparison::MoreThan,
        };
        let limit = |share| Limit { share, comparison };
        let here = spot.at("failed");
        let failed = match self.failed.unwrap_or(Share::Number(USUAL_FAILED)) {
            Share::None => Some(None),
            Share::Number(share) => out.keep(some_of(share, here)).map(|share| Some(limit(share))),
        };
        let slow = match &self.slow {
            None => Some(None),
            Some(slow) => {
                let spot = spot.at("slow");
                let longer_than = out.keep(slow.longer_than.span(spot.at("longer_than")));
                let share = out.keep(some_of(slow.share, spot.at("share")));
                longer_than.zip(share).map(|(longer_than, share)| {
                    Some(breaker::Slow { longer_than, limit: limit(share) })
                })
            }
        };
        if let (Some(None), Some(None)) = (&failed, &slow) {
            out.add(
                Diagnostic::error(here.value(), "a breaker that looks at nothing never opens")
                    .help("give a share of failed calls, or `slow` ones".to_owned()),
            );
            return None;
        }
        failed.zip(slow)
    }

    fn minimum(
        &self,
        window: Option<breaker::Window>,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<u32> {
        let most = match window {
            Some(breaker::Window::Count(calls)) => calls.get(),
            Some(breaker::Window::Time(_)) | None => u32::MAX,
        };
        let Some(minimum) = self.minimum_calls else { return Some(USUAL_MINIMUM.min(most)) };
        let spot = spot.at("minimum_calls");
        let minimum = out.keep(whole(minimum, 1, u32::MAX, "the minimum of calls", spot))?;
        if minimum > most {
            let message = format!("a window of {most} calls never holds {minimum}");
            let help = format!("write {most} or less, or a larger window");
            out.add(Diagnostic::error(spot.value(), message).help(help));
            return None;
        }
        Some(minimum)
    }

    /// The open times in a row.
    fn open(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Exponential> {
        let at_least = |length: &Length, key| length.above_zero(spot.at(key), "");
        let open = match &self.open {
            None => Some(USUAL_OPEN),
            Some(length) => out.keep(at_least(length, "open")),
        };
        let factor = self.open_growth.unwrap_or(1.0);
        let factor = out.keep(growth(factor, "the growth", spot.at("open_growth")));
        let longest = match &self.open_max {
            None => Some(Span::MAX),
            Some(length) => out.keep(at_least(length, "open_max")),
        };
        let (open, factor, longest) = (open?, factor?, longest?);
        if longest < open {
            let message = format!("the longest open time is below the first one of {open}");
            out.add(
                Diagnostic::error(spot.at("open_max").value(), message)
                    .other(spot.at("open").value(), "the first one")
                    .help(format!("write at least \"{open}\"")),
            );
            return None;
        }
        Exponential::new(open, factor, longest)
    }
}

/// A share that is not nothing.
fn some_of(share: f64, spot: Spot<'_>) -> Result<Fraction, Diagnostic> {
    let share = fraction(share, "this", spot)?;
    if share == Fraction::ZERO {
        let message = "a share of 0 opens the breaker at the first call, whatever comes of it";
        return Err(
            Diagnostic::error(spot.value(), message).help("write a share such as 0.5".to_owned())
        );
    }
    Ok(share)
}

stands_for!(Share: f64 or "none");

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Share;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number from 0 to 1, or \"none\"")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Share, E> {
                Ok(Share::Number(value))
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Share, E> {
                if word == "none" {
                    return Ok(Share::None);
                }
                Err(E::invalid_value(Unexpected::Str(word), &self))
            }
        }
        deserializer.deserialize_f64(Either)
    }
}
