//! `service_time = "10ms"` or `{ exponential = { mean = "10ms" } }`: how long work takes.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{EnumAccess, VariantAccess, Visitor};

use super::law::{
    Branch, Empirical, Erlang, Hyperexponential, Lognormal, Pareto, Quantiles, Uniform, mixture,
};
use super::length::Length;
use crate::law::Law;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A law of work as it is written; a bare length is short for `fixed`.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(super) enum ServiceTime {
    /// Always the same.
    Fixed(Length),
    /// Exponential.
    Exponential(Mean),
    /// The sum of exponential stages.
    Erlang(Erlang),
    /// One of two exponential laws that each bring half of the work.
    Hyperexponential(Hyperexponential),
    /// Lognormal.
    Lognormal(Lognormal),
    /// A power law that is cut off at both ends.
    Pareto(Pareto),
    /// Evenly between two ends.
    Uniform(Uniform),
    /// One of several laws, by weight.
    Mixture(Vec<Branch>),
    /// Lognormal through the quantiles that a dashboard shows.
    Quantiles(Quantiles),
    /// Measured lengths, listed or in a CSV file.
    Empirical(Empirical),
    /// A bare length.
    #[schemars(untagged)]
    Short(Length),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExponentialLaw")]
pub(super) struct Mean {
    /// The mean.
    mean: Length,
}

const LAWS: [&str; 10] = [
    "fixed",
    "exponential",
    "erlang",
    "hyperexponential",
    "lognormal",
    "pareto",
    "uniform",
    "mixture",
    "quantiles",
    "empirical",
];

impl ServiceTime {
    /// The law; its mean is above zero.
    pub(super) fn law(&self, spot: Spot<'_>) -> Result<Law, Diagnostic> {
        let length = |length: &Length, spot| length.above_zero(spot, "");
        match self {
            Self::Short(fixed) => length(fixed, spot).map(Law::Fixed),
            Self::Fixed(fixed) => length(fixed, spot.at("fixed")).map(Law::Fixed),
            Self::Exponential(Mean { mean }) => length(mean, spot.at("exponential").at("mean"))
                .map(|mean| Law::Exponential { mean }),
            Self::Erlang(law) => law.law(spot.at("erlang")),
            Self::Hyperexponential(law) => law.law(spot.at("hyperexponential")),
            Self::Lognormal(law) => law.law(spot.at("lognormal")),
            Self::Pareto(law) => law.law(spot.at("pareto")),
            Self::Uniform(law) => law.law(spot.at("uniform")),
            Self::Mixture(branches) => mixture(branches, spot.at("mixture")),
            Self::Quantiles(law) => law.law(spot.at("quantiles")),
            Self::Empirical(law) => law.law(spot.at("empirical")),
        }
    }
}

impl<'de> Deserialize<'de> for ServiceTime {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = ServiceTime;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a length of time in quotes, such as \"10ms\", or a table that names a law",
                )
            }

            fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<ServiceTime, A::Error> {
                let (law, value) = data.variant::<String>()?;
                match law.as_str() {
                    "fixed" => value.newtype_variant().map(ServiceTime::Fixed),
                    "exponential" => value.newtype_variant().map(ServiceTime::Exponential),
                    "erlang" => value.newtype_variant().map(ServiceTime::Erlang),
                    "hyperexponential" => {
                        value.newtype_variant().map(ServiceTime::Hyperexponential)
                    }
                    "lognormal" => value.newtype_variant().map(ServiceTime::Lognormal),
                    "pareto" => value.newtype_variant().map(ServiceTime::Pareto),
                    "uniform" => value.newtype_variant().map(ServiceTime::Uniform),
                    "mixture" => value.newtype_variant().map(ServiceTime::Mixture),
                    "quantiles" => value.newtype_variant().map(ServiceTime::Quantiles),
                    "empirical" => value.newtype_variant().map(ServiceTime::Empirical),
                    // The reader lets no table through that names no law, so this is a length,
                    // well written or not.
                    length => {
                        value.unit_variant().map(|()| ServiceTime::Short(Length(length.to_owned())))
                    }
                }
            }
        }
        deserializer.deserialize_enum("ServiceTime", &LAWS, Either)
    }
}
