//! The JSON Schema of a scenario file and its reference, both made from the types that read it.
//!
//! Names, kinds and words come from the types. What a key means stands in its doc comment, which may end with
//! `Unit: ..` and `Default: ..`; a default in code quotes is TOML. What keys mean together, such as that of two
//! only one may be given, is beyond a schema: reading the file says that.

pub(in crate::scenario) mod piece;
mod polish;
mod reference;
mod told;

use std::collections::BTreeSet;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::element::Document;
use super::presets::Side;
use super::tree::Node;

/// The JSON Schema (draft 2020-12) of a scenario file, for editors.
///
/// ```
/// let schema = metastable::scenario::schema();
/// assert!(schema.contains("https://json-schema.org/draft/2020-12/schema"));
/// ```
pub fn schema() -> String {
    let mut schema = of_scenarios();
    polish::excuse(&mut schema, &filled_by_presets());
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text.push('\n');
    text
}

/// The reference of every key of a scenario file, as markdown.
pub fn reference() -> String {
    reference::markdown(&of_scenarios())
}

/// What the types say, without what they say to Rust only.
fn of_scenarios() -> Value {
    let generator = SchemaGenerator::new(SchemaSettings::draft2020_12());
    let mut schema = generator.into_root_schema_for::<Document>().to_value();
    polish::polish(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), "A scenario of metastable".into());
        root.insert("description".to_owned(), "A story of services and their clients.".into());
    }
    // What a type says of itself is said to those who read the source; a key says what stands there.
    for (name, kind) in schema.get_mut("$defs").and_then(Value::as_object_mut).into_iter().flatten()
    {
        if let Some(kind) = kind.as_object_mut().filter(|_| name != "Length") {
            kind.remove("description");
        }
    }
    schema
}

/// Every key that some preset brings: where a preset is named, it need not be written.
fn filled_by_presets() -> BTreeSet<String> {
    fn collect(node: &Node, keys: &mut BTreeSet<String>) {
        for entry in node.entries() {
            keys.insert(entry.key.clone());
            collect(&entry.node, keys);
        }
    }
    let mut keys = BTreeSet::new();
    for side in Side::ALL {
        collect(&side.tree(), &mut keys);
    }
    keys
}
