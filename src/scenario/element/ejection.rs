//! `ejection = { consecutive = 5, base = "30s" }`: which instances are not asked for a while.

use std::fmt;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Error, Unexpected, Visitor};

use super::failure::{FailureWord, failures};
use super::length::Length;
use super::maybe::Maybe;
use super::number::{fraction, positive, whole};
use super::world::Complaints;
use crate::policy::ejection::{self, Evidence};
use crate::scenario::schema::piece::stands_for;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;
use crate::unit::Fraction;

/// Ejection as it is written; what is left out is as Envoy has it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Ejection {
    /// The kinds of failure that count. Default: all.
    counts: Option<Vec<FailureWord>>,
    /// So many failures in a row eject at once, or `"none"`. Unit: failures. Default: `5`.
    consecutive: Option<Row>,
    /// Which instances go at a look, by their success rate among all, or `"none"`. Default: `{
    /// deviations = 1.9, requests = 100, instances = 5 }`.
    success_rate: Option<Maybe<SuccessRate>>,
    /// Which instances go at a look, by their share of failures, or `"none"`. Default: `"none"`.
    failure_share: Option<Maybe<FailureShare>>,
    /// From one look to the next; only a look lets an instance return. Default: `"10s"`.
    interval: Option<Length>,
    /// How long an instance is away: this times how often in a row. Default: `"30s"`.
    base: Option<Length>,
    /// The longest that an instance is away. Default: 300s, or a longer `base`.
    longest: Option<Length>,
    /// At most so much longer, drawn. Default: `"0s"`.
    jitter: Option<Length>,
    /// The largest share of instances that may be away. Unit: share. Default: `0.1`.
    most: Option<f64>,
    /// How that share counts the instance in question. Default: `"with_this"`.
    #[serde(default)]
    counting: Counting,
}

/// A number of failures in a row, or the word for none.
#[derive(Clone, Copy, Debug)]
enum Row {
    Number(i64),
    None,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SuccessRate {
    /// So many standard deviations below the mean. Unit: standard deviations. Default: `1.9`.
    deviations: Option<f64>,
    /// Instances count that had so many requests since the look before. Unit: requests. Default:
    /// `100`.
    requests: Option<i64>,
    /// There must be so many of them. Unit: instances. Default: `5`.
    instances: Option<i64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FailureShare {
    /// The share of failures that ejects. Unit: share. Default: `0.85`.
    limit: Option<f64>,
    /// Instances count that had so many requests since the look before. Unit: requests. Default:
    /// `50`.
    requests: Option<i64>,
    /// There must be so many of them. Unit: instances. Default: `5`.
    instances: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Counting {
    /// The instance in question counts.
    #[default]
    WithThis,
    /// It counts, but one may always go (Envoy's `always_eject_one_host`).
    AlwaysOne,
    /// It does not count.
    WithoutThis,
}

/// Nobody compares instances more often; what was due is made up for one sweep after the other.
pub(super) const SHORTEST_INTERVAL: Span = Span::from_millis(1);
const MOST: u32 = 1_000_000_000;
/// Of so few failures that this matters nobody can tell.
const MOST_DEVIATIONS: f64 = 1_000.0;

impl Ejection {
    /// The ejection; none if anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<ejection::Ejection> {
        let usual = ejection::Ejection::ENVOY;
        let instead = "no ejection is ejection = \"none\"";
        let counted = failures(self.counts.as_ref(), usual.counted, instead, spot.at("counts"));
        let counted = out.keep(counted);
        let consecutive = match self.consecutive {
            None => Some(usual.consecutive),
            Some(Row::None) => Some(None),
            Some(Row::Number(row)) => {
                let what = "the number of failures in a row";
                let row = whole(row, 1, MOST, what, spot.at("consecutive"));
                let help = "the word \"none\" ejects nobody for a row of failures".to_owned();
                out.keep(row.map_err(|wrong| wrong.help(help))).map(NonZeroU32::new)
            }
        };
        let success_rate = match &self.success_rate {
            None => Some(usual.success_rate),
            Some(Maybe(None)) => Some(None),
            Some(Maybe(Some(rate))) => rate.build(spot.at("success_rate"), out).map(Some),
        };
        let failure_share = match &self.failure_share {
            None => Some(usual.failure_share),
            Some(Maybe(None)) => Some(None),
            Some(Maybe(Some(share))) => share.build(spot.at("failure_share"), out).map(Some),
        };
        let mut length = |written: &Option<Length>, usual: Span, key| match written {
            None => Some(usual),
            Some(length) => out.keep(length.span(spot.at(key))),
        };
        let base = length(&self.base, usual.base, "base");
        // One that lasts longer than the longest does not say which of the two is meant.
        let longest = length(&self.longest, usual.longest.max(base.unwrap_or_default()), "longest");
        let jitter = length(&self.jitter, usual.jitter, "jitter");
        let interval = match &self.interval {
            None => Some(usual.interval),
            Some(length) => out.keep(interval(length, spot.at("interval"))),
        };
        let most = match self.most {
            None => Some(usual.most),
            Some(most) => out.keep(fraction(most, "the largest share", spot.at("most"))),
        };
        let built = ejection::Ejection {
            counted: counted?,
            consecutive: consecutive?,
            success_rate: success_rate?,
            failure_share: failure_share?,
            interval: interval?,
            base: base?,
            longest: longest?,
            jitter: jitter?,
            most: most?,
            counting: match self.counting {
                Counting::WithThis => ejection::Counting::WithThis,
                Counting::AlwaysOne => ejection::Counting::AlwaysOne,
                Counting::WithoutThis => ejection::Counting::WithoutThis,
            },
        };
        out.keep(self.check(&built, spot))?;
        Some(built)
    }

    /// That its numbers go together.
    fn check(&self, built: &ejection::Ejection, spot: Spot<'_>) -> Result<(), Diagnostic> {
        if built.longest < built.base {
            let message = format!(
                "the longest ejection, {}, is shorter than the first one, {}",
                built.longest, built.base
            );
            return Err(Diagnostic::error(spot.at("longest").value(), message));
        }
        let judges = built.consecutive.is_some()
            || built.success_rate.is_some()
            || built.failure_share.is_some();
        if !judges {
            let message = "nothing ejects an instance here";
            return Err(Diagnostic::error(spot.key, message)
                .help("write ejection = \"none\", or consecutive = 5".to_owned()));
        }
        if built.most == Fraction::ZERO && built.counting != ejection::Counting::AlwaysOne {
            let message = "no instance may be ejected where at most none are";
            return Err(Diagnostic::error(spot.at("most").value(), message)
                .help("write ejection = \"none\", or most = 0.1".to_owned()));
        }
        Ok(())
    }
}

/// The time from one look to the next, which is long enough.
pub(super) fn interval(length: &Length, spot: Spot<'_>) -> Result<Span, Diagnostic> {
    let interval = length.span(spot)?;
    if interval < SHORTEST_INTERVAL {
        let message = format!("from one look to the next it takes at least {SHORTEST_INTERVAL}");
        return Err(Diagnostic::error(spot.value(), message));
    }
    Ok(interval)
}

/// How much must be known, where it is not as usual.
fn evidence(
    requests: Option<i64>,
    instances: Option<i64>,
    usual: Evidence,
    spot: Spot<'_>,
    out: &mut Complaints,
) -> Option<Evidence> {
    let mut count = |written: Option<i64>, usual: u32, what, key| {
        written.map_or(Some(usual), |count| out.keep(whole(count, 0, MOST, what, spot.at(key))))
    };
    let requests = count(requests, usual.requests, "the number of requests", "requests");
    let instances = count(instances, usual.instances, "the number of instances", "instances");
    Some(Evidence { requests: requests?, instances: instances? })
}

impl SuccessRate {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<ejection::SuccessRate> {
        let usual = ejection::SuccessRate::ENVOY;
        let deviations = match self.deviations {
            None => Some(usual.deviations_thousandths),
            Some(number) => {
                let what = "number of standard deviations";
                let number = positive(number, MOST_DEVIATIONS, what, spot.at("deviations"));
                out.keep(number).map(|number| (number * 1_000.0).round() as u32)
            }
        };
        let evidence = evidence(self.requests, self.instances, usual.evidence, spot, out);
        Some(ejection::SuccessRate { deviations_thousandths: deviations?, evidence: evidence? })
    }
}

impl FailureShare {
    fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<ejection::FailureShare> {
        let usual = ejection::FailureShare::ENVOY;
        let limit = match self.limit {
            None => Some(usual.limit),
            Some(limit) => out.keep(fraction(limit, "the limit", spot.at("limit"))),
        };
        let evidence = evidence(self.requests, self.instances, usual.evidence, spot, out);
        Some(ejection::FailureShare { limit: limit?, evidence: evidence? })
    }
}

stands_for!(Row: i64 or "none");

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number or \"none\"")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Row, E> {
                Ok(Row::Number(value))
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Row, E> {
                if word == "none" {
                    return Ok(Row::None);
                }
                Err(E::invalid_value(Unexpected::Str(word), &self))
            }
        }
        deserializer.deserialize_any(Either)
    }
}
