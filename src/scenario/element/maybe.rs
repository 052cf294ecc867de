//! A table, or the word `"none"`: what a variant takes away must have a name.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Unexpected, Visitor};

use crate::scenario::schema::piece::any_of;

/// A table as it is written, unless it is the word.
#[derive(Clone, Debug)]
pub(super) struct Maybe<T>(pub(super) Option<T>);

impl<T: JsonSchema> JsonSchema for Maybe<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let none = json_schema!({ "type": "string", "enum": ["none"] });
        any_of(vec![none, generator.subschema_for::<T>()])
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = Maybe<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table, { .. }, or \"none\"")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Maybe<T>, E> {
                if word == "none" {
                    return Ok(Maybe(None));
                }
                Err(E::invalid_value(Unexpected::Str(word), &self))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Maybe<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|table| Maybe(Some(table)))
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}
