//! A list of times, or the name of a file in which they stand.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};

use crate::law;
use crate::scenario::data::Measured;
use crate::scenario::tree::{Spot, Value};
use crate::scenario::trouble::Diagnostic;
use crate::time::Time;

/// The table as it is written; none for a text, which is the name of a file that has been read.
pub(super) fn listed_or_file<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
    expecting: &'static str,
) -> Result<Option<T>, D::Error> {
    struct Either<T>(&'static str, PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_str<E: Error>(self, _name: &str) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Option<T>, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(Some)
        }
    }
    deserializer.deserialize_any(Either(expecting, PhantomData))
}

/// The instants of the file that is named at `spot`.
pub(super) fn instants_of(spot: Spot<'_>) -> Result<Arc<[Time]>, Diagnostic> {
    match &spot.node.value {
        Value::Measured(_, Measured::Instants(instants)) => Ok(Arc::clone(instants)),
        Value::Measured(_, Measured::Lengths(_))
        | Value::Text(_)
        | Value::Integer(_)
        | Value::Float(..)
        | Value::Bool(_)
        | Value::Date
        | Value::List(_)
        | Value::Table(_) => Err(unread(spot)),
    }
}

/// The lengths of the file that is named at `spot`.
pub(super) fn lengths_of(spot: Spot<'_>) -> Result<law::Empirical, Diagnostic> {
    match &spot.node.value {
        Value::Measured(_, Measured::Lengths(lengths)) => Ok(lengths.clone()),
        Value::Measured(_, Measured::Instants(_))
        | Value::Text(_)
        | Value::Integer(_)
        | Value::Float(..)
        | Value::Bool(_)
        | Value::Date
        | Value::List(_)
        | Value::Table(_) => Err(unread(spot)),
    }
}

fn unread(spot: Spot<'_>) -> Diagnostic {
    Diagnostic::error(spot.value(), "a file cannot be named here")
}
