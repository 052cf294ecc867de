//! `service_time = "10ms"` or `{ exponential = { mean = "10ms" } }`: how long work takes.

use std::fmt;

use serde::Deserialize;
use serde::de::{EnumAccess, VariantAccess, Visitor};

use super::length::Length;
use crate::law::Law;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A law of work as it is written; a bare length is short for `fixed`.
#[derive(Clone, Debug)]
pub(super) enum ServiceTime {
    Short(Length),
    Fixed(Length),
    Exponential(Mean),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mean {
    mean: Length,
}

const LAWS: [&str; 2] = ["fixed", "exponential"];

impl ServiceTime {
    /// The law; its mean is above zero.
    pub(super) fn law(&self, spot: Spot<'_>) -> Result<Law, Diagnostic> {
        let length = |length: &Length, spot| length.above_zero(spot, "");
        match self {
            Self::Short(fixed) => length(fixed, spot).map(Law::Fixed),
            Self::Fixed(fixed) => length(fixed, spot.at("fixed")).map(Law::Fixed),
            Self::Exponential(Mean { mean }) => length(mean, spot.at("exponential").at("mean"))
                .map(|mean| Law::Exponential { mean }),
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
