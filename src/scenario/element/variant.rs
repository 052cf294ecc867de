//! `[variants."name"]`: changes by path, and what the changed story promises.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};

use super::any::Any;
use super::expect::Expect;

/// A variant as it is written. Its changes are read from the tree, where their places are.
#[derive(Clone, Debug, Default)]
pub(in crate::scenario) struct Variant {
    pub(in crate::scenario) expect: Option<Expect>,
}

impl JsonSchema for Variant {
    fn schema_name() -> Cow<'static, str> {
        "Variant".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut expect = generator.subschema_for::<Expect>();
        let about = "What every run of this variant promises.";
        expect.insert("description".to_owned(), about.into());
        json_schema!({
            "type": "object",
            "description": "Dotted paths in quotes, and the values to put there.",
            "properties": { "expect": expect },
            "additionalProperties": true,
        })
    }
}

impl<'de> Deserialize<'de> for Variant {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Changes;
        impl<'de> Visitor<'de> for Changes {
            type Value = Variant;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of paths and values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Variant, A::Error> {
                let mut variant = Variant::default();
                while let Some(key) = map.next_key::<String>()? {
                    if key == "expect" {
                        variant.expect = Some(map.next_value()?);
                    } else {
                        map.next_value::<Any>()?;
                    }
                }
                Ok(variant)
            }
        }
        deserializer.deserialize_map(Changes)
    }
}
