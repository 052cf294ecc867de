//! `3`, or `{ min = 2, max = 4 }`: where a promised number must lie.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};

use crate::experiment::Bound;
use crate::scenario::schema::piece::stands_for;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A bound as it is written.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenario) enum Promise {
    Exactly(f64),
    Between { min: Option<f64>, max: Option<f64> },
}

impl Promise {
    /// The range.
    pub(super) fn bound(self, spot: Spot<'_>) -> Result<Bound, Diagnostic> {
        let wrong = |place, message: &str| Err(Diagnostic::error(place, message));
        let bound = match self {
            Self::Exactly(value) => Bound::exactly(value),
            Self::Between { min: None, max: None } => {
                return wrong(spot.value(), "`min` or `max` is missing here");
            }
            Self::Between { min, max } => {
                Bound { min: min.unwrap_or(f64::NEG_INFINITY), max: max.unwrap_or(f64::INFINITY) }
            }
        };
        let written = match self {
            Self::Exactly(value) => [Some(value), None],
            Self::Between { min, max } => [min, max],
        };
        if written.iter().flatten().any(|value| !value.is_finite()) {
            return wrong(spot.value(), "a promise needs finite numbers");
        }
        if bound.min > bound.max {
            return wrong(spot.value(), "`min` is above `max`, so nothing can lie between them");
        }
        Ok(bound)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ends {
    /// The least that is allowed. Unit: that of the promised number.
    min: Option<f64>,
    /// The most that is allowed. Unit: that of the promised number.
    max: Option<f64>,
}

stands_for!(Promise: f64 or Ends);

impl<'de> Deserialize<'de> for Promise {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Promise;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or { min = .., max = .. }")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Promise, E> {
                Ok(Promise::Exactly(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Promise, E> {
                Ok(Promise::Exactly(value as f64))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Promise, E> {
                Ok(Promise::Exactly(value as f64))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Promise, A::Error> {
                let Ends { min, max } = Ends::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Promise::Between { min, max })
            }
        }
        deserializer.deserialize_any(Either)
    }
}
