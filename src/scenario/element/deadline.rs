//! `call.deadline = { request = "800ms" }`: how long a whole request may take.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Error, Visitor};

use super::length::Length;
use super::world::Complaints;
use crate::policy::deadline::{self, Patience};
use crate::scenario::schema::piece::stands_for;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A deadline as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Deadline {
    /// How long a request may take from its arrival.
    request: Length,
    /// What of it is spent before the first attempt leaves. Default: `"0s"`.
    before_first: Option<Length>,
    /// Attempts end this much before the deadline. Default: `"0s"`.
    reserve: Option<Length>,
    /// An attempt with less time left is not sent; `"whole_timeout"` for all of its timeout.
    /// Default: `"0s"`.
    least: Option<Least>,
    /// What happens when the next attempt no longer fits. Default: `"fails_at_once"`.
    #[serde(default)]
    misfit: Misfit,
    /// What happens to an attempt that is out at the deadline. Default: `"cut"`.
    #[serde(default)]
    overrun: Overrun,
}

/// A length, or the word for the timeout of an attempt.
#[derive(Clone, Debug)]
enum Least {
    Length(Length),
    WholeTimeout,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Misfit {
    /// The request fails at once.
    #[default]
    FailsAtOnce,
    /// The request waits until its deadline and fails then.
    SleepsToDeadline,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Overrun {
    /// It is given up.
    #[default]
    Cut,
    /// It runs on to its timeout.
    RunsOn,
}

const WHOLE_TIMEOUT: &str = "whole_timeout";

impl Deadline {
    /// The patience for a whole request; none if anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Patience> {
        let instead = "no deadline is call.deadline = \"none\"";
        let request = out.keep(self.request.above_zero(spot.at("request"), instead));
        let mut part = |key: &str, length: Option<&Length>| {
            let spot = spot.at(key);
            let length = out.keep(length.map_or(Ok(Span::ZERO), |length| length.span(spot)))?;
            out.keep(leaves_time(length, request, spot))
        };
        let before_first = part("before_first", self.before_first.as_ref());
        let reserve = part("reserve", self.reserve.as_ref());
        let least = match &self.least {
            None => Some(deadline::Least::Length(Span::ZERO)),
            Some(Least::WholeTimeout) => Some(deadline::Least::WholeTimeout),
            Some(Least::Length(length)) => part("least", Some(length)).map(deadline::Least::Length),
        };
        Some(Patience {
            request: Some(request?),
            before_first: before_first?,
            reserve: reserve?,
            least: least?,
            misfit: match self.misfit {
                Misfit::FailsAtOnce => deadline::Misfit::FailsAtOnce,
                Misfit::SleepsToDeadline => deadline::Misfit::SleepsToDeadline,
            },
            overrun: match self.overrun {
                Overrun::Cut => deadline::Overrun::Cut,
                Overrun::RunsOn => deadline::Overrun::RunsOn,
            },
            ..Patience::ENDLESS
        })
    }
}

/// That a part of the request's time is shorter than all of it.
fn leaves_time(part: Span, request: Option<Span>, spot: Spot<'_>) -> Result<Span, Diagnostic> {
    match request {
        Some(request) if part >= request => {
            let message = format!("this leaves nothing of the deadline of {request}");
            Err(Diagnostic::error(spot.value(), message)
                .help(format!("write less than \"{request}\", or a later deadline")))
        }
        Some(_) | None => Ok(part),
    }
}

stands_for!(Least: Length or "whole_timeout");

impl<'de> Deserialize<'de> for Least {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Least;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a length of time in quotes, such as \"50ms\", or \"{WHOLE_TIMEOUT}\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Least, E> {
                Ok(match text {
                    WHOLE_TIMEOUT => Least::WholeTimeout,
                    length => Least::Length(Length(length.to_owned())),
                })
            }
        }
        deserializer.deserialize_str(Text)
    }
}
