//! `{ lognormal = { mean = "10ms", cv = 1.5 } }`: the numbers that a law of work is made of.

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::measured::{lengths_of, listed_or_file};
use super::number::{positive, whole};
use super::service_time::ServiceTime;
use crate::law::{self, Law};
use crate::scenario::schema::piece::{FileName, stands_for};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Erlang {
    /// How many exponential stages are summed, 1 to 1,000,000. Unit: stages.
    stages: i64,
    /// The mean of the sum.
    mean: Length,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Hyperexponential {
    /// The mean.
    mean: Length,
    /// The squared coefficient of variation, above 1. Unit: ratio.
    squared_cv: f64,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lognormal {
    /// The mean; with `cv`.
    mean: Option<Length>,
    /// The standard deviation divided by the mean; with `mean`. Unit: ratio.
    cv: Option<f64>,
    /// The median; with `sigma`.
    median: Option<Length>,
    /// The standard deviation of the logarithm; with `median`. Unit: ratio.
    sigma: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pareto {
    /// The tail exponent. Unit: exponent.
    alpha: f64,
    /// The shortest.
    min: Length,
    /// The longest: the law is cut off there.
    max: Length,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Uniform {
    /// The shortest; may be `0s`.
    min: Length,
    /// The longest.
    max: Length,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Branch {
    /// How often this law is drawn, in any unit. Unit: weight.
    weight: f64,
    /// A length or a law.
    law: ServiceTime,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Quantiles {
    /// The median.
    p50: Length,
    /// The 90th percentile, which is compared with the fit.
    p90: Option<Length>,
    /// The 99th percentile.
    p99: Length,
}

/// Lengths that are written here, or in a file.
#[derive(Clone, Debug)]
pub(super) enum Empirical {
    Listed(Values),
    File,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Values {
    /// Measured lengths, in any order.
    values: Vec<Length>,
}

/// More stages are as good as fixed work.
const MOST_STAGES: u32 = 1_000_000;
/// Beyond this a law is hardly a law of work: its mean is made of what never happens in a run.
const LARGEST_SHAPE: f64 = 1_000.0;
const LARGEST_WEIGHT: f64 = 1e9;

impl Erlang {
    pub(super) fn law(&self, spot: Spot<'_>) -> Result<Law, Diagnostic> {
        let what = "the number of stages";
        let stages = whole(self.stages, 1, MOST_STAGES, what, spot.at("stages"))?;
        let mean = self.mean.above_zero(spot.at("mean"), "")?;
        law::Erlang::new(stages, mean).map(Law::Erlang).map_err(|flaw| flawed(flaw, spot))
    }
}

impl Hyperexponential {
    pub(super) fn law(&self, spot: Spot<'_>) -> Result<Law, Diagnostic> {
        let mean = self.mean.above_zero(spot.at("mean"), "")?;
        law::Hyperexponential::balanced(mean, self.squared_cv)
            .map(Law::Hyperexponential)
            .map_err(|flaw| match flaw {
                law::Flaw::VariationTooSmall(_) => Diagnostic::error(
                    spot.at("squared_cv").value(),
                    "the squared coefficient of variation must be above 1, and below 10^12",
                )
                .help("work that varies less is { exponential = { mean = .. } } or { erlang = { stages = .., mean = .. } }".to_owned()),
                law::Flaw::ZeroLength
                | law::Flaw::NotLarger
                | law::Flaw::Stages
                | law::Flaw::NotPositive(_)
                | law::Flaw::MeanOutOfRange
                | law::Flaw::Empty
                | law::Flaw::Weight { .. } => flawed(flaw, spot),
            })
    }
}

impl Lognormal {
    pub(super) fn law(&self, spot: Spot<'_>) -> Result<Law, Diagnostic> {
        let law = match self {
            Self { mean: Some(mean), cv: Some(cv), median: None, sigma: None } => {
                let mean = mean.above_zero(spot.at("mean"), "")?;
                let what = "coefficient of variation";
                law::Lognormal::from_mean(mean, positive(*cv, LARGEST_SHAPE, what, spot.at("cv"))?)
            }
            Self { median: Some(median), sigma: Some(sigma), mean: None, cv: None } => {
                let median = median.above_zero(spot.at("median"), "")?;
                let sigma = positive(*sigma, LARGEST_SHAPE, "sigma", spot.at("sigma"))?;
                law::Lognormal::from_median(median, sigma)
            }
            Self { .. } => {
                let message =
                    "a lognormal law has either a `mean` and a `cv`, or a `median` and a `sigma`";
                return Err(Diagnostic::error(spot.key, message).help(
                    "write { mean = \"10ms\", cv = 1.5 } or { median = \"8ms\", sigma = 0.7 }"
                        .to_owned(),
                ));
            }
        };
        law.map(Law::Lognormal).map_err(|flaw| flawed(flaw, spot))
    }
}

impl Pareto {
    pub(super) fn law(&self, spot: Spot<'_>) -> Result<Law, Diagnostic> {
        let alpha = positive(self.alpha, LARGEST_SHAPE, "exponent", spot.at("alpha"))?;
        let min = self.min.above_zero(spot.at("min"), "a shortest work such as \"1ms\"")?;
        let max = larger(&self.max, min, spot)?;
        law::BoundedPareto::new(alpha, min, max)
            .map(Law::BoundedPareto)
            .map_err(|flaw| flawed(flaw, spot.at("alpha")))
    }
}

impl Uniform {
    pub(super) fn law(&self, spot: Spot<'_>) -> Result<Law, Diagnostic> {
        let min = self.min.span(spot.at("min"))?;
        let max = larger(&self.max, min, spot)?;
        law::Uniform::new(min, max).map(Law::Uniform).map_err(|flaw| flawed(flaw, spot))
    }
}

/// A `max` that is above `min`.
fn larger(max: &Length, min: Span, spot: Spot<'_>) -> Result<Span, Diagnostic> {
    let max = max.span(spot.at("max"))?;
    if max > min {
        return Ok(max);
    }
    let message = format!("`max` must be longer than `min`, which is {min}");
    Err(Diagnostic::error(spot.at("max").value(), message)
        .other(spot.at("min").value(), "")
        .help("work that is always the same is { fixed = .. }".to_owned()))
}

/// The mixture of the laws in a list.
pub(super) fn mixture(branches: &[Branch], spot: Spot<'_>) -> Result<Law, Diagnostic> {
    if branches.is_empty() {
        return Err(Diagnostic::error(spot.value(), "a mixture has at least one law").help(
            "write [{ weight = 0.9, law = \"1ms\" }, { weight = 0.1, law = \"20ms\" }]".to_owned(),
        ));
    }
    let laws = branches.iter().enumerate().map(|(index, branch)| {
        let spot = spot.nth(index);
        let weight = positive(branch.weight, LARGEST_WEIGHT, "weight", spot.at("weight"))?;
        Ok((weight, branch.law.law(spot.at("law"))?))
    });
    law::Mixture::new(laws.collect::<Result<_, _>>()?)
        .map(Law::Mixture)
        .map_err(|flaw| flawed(flaw, spot))
}

impl Quantiles {
    pub(super) fn law(&self, spot: Spot<'_>) -> Result<Law, Diagnostic> {
        self.fit(spot).map(|fit| Law::Lognormal(fit.law()))
    }

    /// The fit, with how well it meets the quantile that it was not made from.
    pub(in crate::scenario) fn fit(&self, spot: Spot<'_>) -> Result<law::Quantiles, Diagnostic> {
        let p50 = self.p50.above_zero(spot.at("p50"), "")?;
        let p99 = self.p99.span(spot.at("p99"))?;
        let p90 = self.p90.as_ref().map(|p90| p90.span(spot.at("p90"))).transpose()?;
        let mut below = ("p50", p50);
        for (name, length) in [("p90", p90), ("p99", Some(p99))] {
            let Some(length) = length else { continue };
            if length <= below.1 {
                let message =
                    format!("`{name}` must be longer than `{}`, which is {}", below.0, below.1);
                return Err(Diagnostic::error(spot.at(name).value(), message)
                    .other(spot.at(below.0).value(), ""));
            }
            below = (name, length);
        }
        law::Quantiles::fit(p50, p90, p99).map_err(|flaw| flawed(flaw, spot))
    }
}

impl Empirical {
    pub(super) fn law(&self, spot: Spot<'_>) -> Result<Law, Diagnostic> {
        match self {
            Self::Listed(listed) => listed.law(spot),
            Self::File => lengths_of(spot).map(Law::Empirical),
        }
    }
}

stands_for!(Empirical: FileName or Values);

impl<'de> Deserialize<'de> for Empirical {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "the name of a CSV file in quotes, or { values = [..] }";
        let read = listed_or_file(deserializer, expecting)?;
        Ok(read.map_or(Self::File, Self::Listed))
    }
}

impl Values {
    fn law(&self, spot: Spot<'_>) -> Result<Law, Diagnostic> {
        let spot = spot.at("values");
        let lengths = self.values.iter().enumerate();
        let lengths = lengths.map(|(index, value)| value.span(spot.nth(index)));
        law::Empirical::new(lengths.collect::<Result<_, _>>()?).map(Law::Empirical).map_err(|_| {
            Diagnostic::error(spot.value(), "there must be values, and not all of them zero")
                .help("write values = [\"8ms\", \"9ms\", \"30ms\"]".to_owned())
        })
    }
}

/// What only odd combinations of good numbers come to.
fn flawed(flaw: law::Flaw, spot: Spot<'_>) -> Diagnostic {
    Diagnostic::error(spot.value(), format!("this law {flaw}"))
}
