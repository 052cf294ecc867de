//! A derived schema in the words of a scenario file: no nulls, words in one list, one kind of several.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::told::Told;

/// Turns what is said of Rust's types, here and below, into what is said of TOML.
pub(super) fn polish(value: &mut Value) {
    match value {
        Value::Object(schema) => {
            schema.values_mut().for_each(polish);
            without_null(schema);
            // How Rust holds a number is nobody's business who writes one.
            schema.remove("format");
            one_line(schema);
            choice(schema);
            flatten(schema);
        }
        Value::Array(items) => items.iter_mut().for_each(polish),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// TOML has no null: what may be left out is left out.
fn without_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            schema.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("anyOf") {
        kinds.retain(|kind| kind != &json!({ "type": "null" }));
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
}

/// A description on one line, and the default that it tells.
fn one_line(schema: &mut Map<String, Value>) {
    let Some(Value::String(description)) = schema.get("description") else { return };
    let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(default) = Told::of(&line).value() {
        schema.insert("default".to_owned(), default);
    }
    schema.insert("description".to_owned(), line.into());
}

/// The kinds of an enum: its words in one list, its tables in one table that has one key of several.
fn choice(schema: &mut Map<String, Value>) {
    let Some(Value::Array(kinds)) = schema.remove("oneOf").or_else(|| schema.remove("anyOf"))
    else {
        return;
    };
    let mut words = Vec::new();
    let mut meanings = Vec::new();
    let mut tables = Map::new();
    let mut others = Vec::new();
    for kind in kinds {
        let about = kind.get("description").cloned();
        if let Some(word) = kind.get("const") {
            words.push(word.clone());
            meanings.push(about.unwrap_or_else(|| "".into()));
        } else if let Some((name, mut inner)) = only_key(&kind) {
            if let (Some(inner), Some(about)) = (inner.as_object_mut(), about) {
                inner.insert("description".to_owned(), about);
            }
            tables.insert(name, inner);
        } else if let Some(Value::Array(more)) = kind.get("enum") {
            meanings.extend(more.iter().map(|_| Value::from("")));
            words.extend(more.iter().cloned());
        } else {
            others.push(kind);
        }
    }
    let mut kinds = Vec::new();
    if !words.is_empty() {
        let mut listed = json!({ "type": "string", "enum": words });
        if meanings.iter().any(|meaning| meaning != "") {
            // Where Taplo, and with it Even Better TOML, looks for what words mean.
            listed["x-taplo"] = json!({ "docs": { "enumValues": meanings } });
        }
        kinds.push(listed);
    }
    if !tables.is_empty() {
        kinds.push(json!({
            "type": "object",
            "properties": tables,
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
        }));
    }
    kinds.extend(others);
    schema.insert("anyOf".to_owned(), kinds.into());
}

/// The key of a table that has exactly this one, and what stands there.
fn only_key(kind: &Value) -> Option<(String, Value)> {
    let [required] = kind.get("required")?.as_array()?.as_slice() else { return None };
    let keys = kind.get("properties")?.as_object()?;
    let (name, inner) = keys.iter().next()?;
    (keys.len() == 1 && required == name.as_str()).then(|| (name.clone(), inner.clone()))
}

/// One kind among one is that kind; kinds among kinds are kinds.
fn flatten(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = schema.get_mut("anyOf") {
        let nested = std::mem::take(kinds);
        for kind in nested {
            match kind.get("anyOf") {
                Some(Value::Array(inner)) if kind.as_object().is_some_and(|all| all.len() == 1) => {
                    kinds.extend(inner.iter().cloned());
                }
                Some(_) | None => kinds.push(kind),
            }
        }
        if let [Value::Object(only)] = kinds.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            for (key, value) in only {
                schema.entry(key).or_insert(value);
            }
        }
    }
}

/// Requires nothing that a preset may bring.
pub(super) fn excuse(value: &mut Value, filled: &BTreeSet<String>) {
    match value {
        Value::Object(schema) => {
            if let Some(Value::Array(required)) = schema.get_mut("required") {
                required.retain(|key| key.as_str().is_none_or(|key| !filled.contains(key)));
                if required.is_empty() {
                    schema.remove("required");
                }
            }
            schema.values_mut().for_each(|inner| excuse(inner, filled));
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| excuse(inner, filled)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
