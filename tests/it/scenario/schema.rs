//! The schema for editors takes what the project's own scenarios say, refuses what no reader takes, and tells
//! the truth about defaults. The committed copies are those that the command makes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use boon::{Compiler, Schemas};
use metastable::scenario::{Preset, Side, Story, reference, schema};
use serde_json::Value;

use super::STORM;

struct Validator {
    schemas: Schemas,
    index: boon::SchemaIndex,
}

impl Validator {
    fn new() -> Self {
        let text = serde_json::from_str(&schema()).expect("JSON");
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("scenario.json", text).expect("a schema");
        let index = compiler.compile("scenario.json", &mut schemas).expect("a schema that holds");
        Self { schemas, index }
    }

    fn check(&self, text: &str) -> Result<(), String> {
        let value: Value = toml::from_str(text).expect("TOML");
        self.schemas.validate(&value, self.index).map_err(|error| format!("{error:#}"))
    }
}

fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every scenario of the project, by its path.
fn scenarios() -> Vec<(PathBuf, String)> {
    let mut found: Vec<PathBuf> = fs::read_dir(home().join("scenarios"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    found.push(home().join("src/cli/init.toml"));
    found.sort();
    let read = |path: PathBuf| (path.clone(), fs::read_to_string(path).expect("a file"));
    found.into_iter().map(read).collect()
}

#[test]
fn the_schema_takes_every_scenario_of_the_project() {
    let validator = Validator::new();
    let scenarios = scenarios();
    assert!(scenarios.len() > 20, "{}", scenarios.len());
    for (path, text) in scenarios {
        validator.check(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    }
}

#[test]
fn the_schema_takes_every_preset_and_part_of_one() {
    let validator = Validator::new();
    for preset in Preset::all() {
        let table = match preset.side {
            Side::Client => format!("{STORM}[clients.more]\ncalls = \"api\"\nload = 0.1\n"),
            Side::Service => {
                format!("{STORM}[services.more]\nworkers = 1\nservice_time = \"1ms\"\n")
            }
        };
        let pasted = format!("{table}{}\n", preset.toml);
        validator.check(&pasted).unwrap_or_else(|why| panic!("{}: {why}", preset.name));
    }
    let beside = "call.preset = \"aws_standard\"\ncall.retry.exponential = { cap = \"5s\" }";
    let told = format!("{STORM}[clients.more]\ncalls = \"api\"\nload = 0.1\n{beside}\n");
    validator.check(&told).expect("what the preset brings need not be written");
}

#[test]
fn the_schema_refuses_what_no_reader_takes() {
    let validator = Validator::new();
    for (what, broken) in [
        ("an unknown key", STORM.replace("workers", "worker")),
        (
            "a key in the wrong table",
            format!(
                "{STORM}[services.more]\nworkers = 1\nservice_time = \"1s\"\ncall.timeout = \"1s\"\n"
            ),
        ),
        ("a number in quotes", STORM.replace("load = 0.7", "load = \"0.7\"")),
        ("a length without quotes", STORM.replace("horizon = \"60s\"", "horizon = 60")),
        ("a length without a unit", STORM.replace("horizon = \"60s\"", "horizon = \"60\"")),
        ("a foreign unit", STORM.replace("horizon = \"60s\"", "horizon = \"1 week\"")),
        ("a fraction of a worker", STORM.replace("workers = 10", "workers = 1.5")),
        ("an unknown word", format!("tie = \"nobody_wins\"\n{STORM}")),
        ("an unknown kind", STORM.replace("immediate = {", "sometimes = {")),
        (
            "two kinds at once",
            STORM.replace("call.retry.immediate", "call.retry.never = {}\ncall.retry.immediate"),
        ),
        (
            "a preset that there is not",
            format!("{STORM}[clients.more]\ncalls = \"api\"\nload = 0.1\ncall.preset = \"aws\"\n"),
        ),
        ("an unknown promise", format!("{STORM}[expect]\nretry = 3\n")),
        ("an unknown verdict", format!("{STORM}[expect]\nverdict = \"fine\"\n")),
        ("no title", STORM.replacen("title", "base", 1)),
    ] {
        assert_ne!(broken, STORM, "{what}");
        assert!(validator.check(&broken).is_err(), "{what}: {broken}");
        assert!(Story::parse(&broken, "x.toml", &[]).is_err(), "{what}: readers take it");
    }
}

/// A key with a default, by its path in a scenario.
struct Defaulted {
    path: String,
    value: Value,
}

/// Every key that `table` could have and does not, and that has a default.
fn left_out(root: &Value, at: &Value, table: &Value, path: &str, found: &mut Vec<Defaulted>) {
    let at = match at.get("$ref").and_then(Value::as_str) {
        Some(to) => root.pointer(to.trim_start_matches('#')).expect("it is there"),
        None => at,
    };
    for kind in at.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        left_out(root, kind, table, path, found);
    }
    let Some(table) = table.as_object() else { return };
    let keys = at.get("properties").and_then(Value::as_object);
    let below = |key: &str| match path {
        "" => key.to_owned(),
        path => format!("{path}.{}", toml::Value::from(key)),
    };
    for (key, inner) in keys.into_iter().flatten() {
        match (table.get(key), inner.get("default")) {
            (Some(value), _) => left_out(root, inner, value, &below(key), found),
            (None, Some(default)) => {
                found.push(Defaulted { path: below(key), value: default.clone() });
            }
            (None, None) => {}
        }
    }
    if keys.is_none()
        && let Some(inner) = at.get("additionalProperties").filter(|inner| inner.is_object())
    {
        for (name, value) in table {
            left_out(root, inner, value, &below(name), found);
        }
    }
}

fn as_toml(value: &Value) -> String {
    toml::Value::try_from(value).expect("no null").to_string()
}

/// Of the world only: titles, seeds and promises change no model.
fn worlds(story: &Story) -> Vec<&metastable::model::Model> {
    story.variants.iter().map(|variant| &variant.model).collect()
}

#[test]
fn a_default_that_is_written_down_changes_nothing() {
    let schema: Value = serde_json::from_str(&schema()).expect("JSON");
    let (mut tried, mut refused) = (BTreeSet::new(), BTreeSet::new());
    let mut wrong = Vec::new();
    for (file, text) in scenarios() {
        let table: Value = toml::from_str(&text).expect("TOML");
        let mut found = Vec::new();
        left_out(&schema, &schema, &table, "", &mut found);
        let plain = Story::read(&file, &[]).expect("a story");
        for Defaulted { path, value } in found {
            // What a preset brings is no default, and promises are no part of the world.
            let is_preset = text.contains("preset") && path.contains("call");
            if is_preset || path.starts_with("expect") || path.starts_with("sweep") {
                continue;
            }
            let written = format!("{path}={}", as_toml(&value));
            let key = path.rsplit('.').next().map(str::to_owned);
            // Some keys may not be written beside others, whatever they say.
            let Ok(told) = Story::read(&file, std::slice::from_ref(&written)) else {
                refused.insert(key);
                continue;
            };
            if worlds(&plain) != worlds(&told) {
                wrong.push(format!("{}: {written}", file.display()));
            }
            tried.insert(key);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let never: Vec<_> = refused.difference(&tried).collect();
    assert!(never.is_empty(), "no scenario takes {never:?}");
    assert!(tried.len() > 40, "{} defaults: {tried:?}", tried.len());
}

/// That the committed page is what the command makes.
fn is_fresh(page: &str, made: &str, command: &str) {
    let committed = fs::read_to_string(home().join(page)).unwrap_or_default();
    assert!(committed == made, "{page} is stale: cargo run -- {command} -o {page}");
}

#[test]
fn the_committed_schema_is_fresh() {
    is_fresh("docs/scenario.schema.json", &schema(), "schema");
}

#[test]
fn the_committed_reference_is_fresh() {
    is_fresh("docs/reference.md", &reference(), "schema --markdown");
}

/// Says of every key below whether it is described, and of every number in which unit.
fn undescribed(value: &Value, path: &str, found: &mut Vec<String>) {
    let Some(schema) = value.as_object() else { return };
    for (key, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let path = format!("{path}.{key}");
        let about = inner.get("description").and_then(Value::as_str).unwrap_or_default();
        if about.is_empty() {
            found.push(format!("{path} is not described"));
        }
        let kind = inner.get("type").and_then(Value::as_str).unwrap_or_default();
        if ["number", "integer"].contains(&kind) && !about.contains("Unit: ") {
            found.push(format!("{path} has no unit"));
        }
        undescribed(inner, &path, found);
    }
    for inner in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        undescribed(inner, path, found);
    }
}

#[test]
fn every_key_is_described_and_every_number_has_a_unit() {
    let schema: Value = serde_json::from_str(&schema()).expect("JSON");
    let mut found = Vec::new();
    undescribed(&schema, "", &mut found);
    for (name, inner) in schema["$defs"].as_object().expect("types") {
        undescribed(inner, name, &mut found);
        let is_numbered = name.ends_with(|c: char| c.is_ascii_digit()) && name != "Gradient2";
        assert!(!is_numbered, "{name}: two types have one name");
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_new_scenario_names_the_schema() {
    let text = include_str!("../../../src/cli/init.toml");
    assert!(text.lines().next().is_some_and(|line| line.starts_with("#:schema ")), "{text}");
    assert!(Path::new(&home().join("docs/scenario.schema.json")).exists());
}
