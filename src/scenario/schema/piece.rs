//! What the derived schemas cannot say: kinds that share a place, and words among lengths of time.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::scenario::element::{LENGTH_UNITS, Length};
use crate::scenario::presets::{Preset, Side};

/// The schema of a type that reads itself: `Count: i64 or "unlimited"`.
macro_rules! stands_for {
    ($name:ident: $first:tt $(or $more:tt)*) => {
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let kinds = vec![
                    $crate::scenario::schema::piece::kind!(generator, $first),
                    $($crate::scenario::schema::piece::kind!(generator, $more)),*
                ];
                $crate::scenario::schema::piece::any_of(kinds)
            }
        }
    };
}
pub(in crate::scenario) use stands_for;

/// One of several kinds: a type, or a word in quotes.
macro_rules! kind {
    ($generator:ident, $word:literal) => {{
        let _ = &$generator;
        schemars::json_schema!({ "type": "string", "enum": [$word] })
    }};
    ($generator:ident, $type:ident) => {
        $generator.subschema_for::<$type>()
    };
}
pub(in crate::scenario) use kind;

/// What is one of several kinds.
pub(in crate::scenario) fn any_of(kinds: Vec<Schema>) -> Schema {
    let kinds: Vec<_> = kinds.into_iter().map(Schema::to_value).collect();
    json_schema!({ "anyOf": kinds })
}

/// Stands in the schema for a length of time that can be `"none"`.
pub(in crate::scenario) enum LengthOrNone {}

/// Stands in the schema for a length of time that can be `"forever"`.
pub(in crate::scenario) enum LengthOrForever {}

/// Stands in the schema for a length of time that can be `"at_deadline"`.
pub(in crate::scenario) enum LengthOrDeadline {}

/// Stands in the schema for the presets of a call.
pub(in crate::scenario) enum ClientPresets {}

/// Stands in the schema for the presets of a service.
pub(in crate::scenario) enum ServicePresets {}

/// The name of a file with measured numbers.
pub(in crate::scenario) enum FileName {}

stands_for!(LengthOrNone: Length or "none");
stands_for!(LengthOrForever: Length or "forever");
stands_for!(LengthOrDeadline: Length or "none" or "at_deadline");

impl JsonSchema for FileName {
    fn schema_name() -> Cow<'static, str> {
        "FileName".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "title": "the name of a CSV file" })
    }
}

impl JsonSchema for Length {
    fn schema_name() -> Cow<'static, str> {
        "Length".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let number = r"[0-9]+(\.[0-9]+)?";
        let units = LENGTH_UNITS.join("|");
        json_schema!({
            "type": "string",
            "description": "A length of time with its unit, such as \"250ms\" or \"1m 30s\".",
            "pattern": format!("^ *({number} *({units}) *)+$"),
        })
    }
}

impl JsonSchema for ClientPresets {
    fn schema_name() -> Cow<'static, str> {
        "ClientPreset".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        names(Side::Client)
    }
}

impl JsonSchema for ServicePresets {
    fn schema_name() -> Cow<'static, str> {
        "ServicePreset".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        names(Side::Service)
    }
}

/// The name of a preset of this side, or several.
fn names(side: Side) -> Schema {
    let presets = Preset::all().into_iter().filter(|preset| preset.side == side);
    let names: Vec<String> = presets.map(|preset| preset.name).collect();
    let name = json_schema!({ "type": "string", "enum": names });
    let list = json_schema!({ "type": "array", "items": name });
    any_of(vec![name, list])
}
