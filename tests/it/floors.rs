//! The house rules: who may import whom, and which foreign crate lives where. ARCHITECTURE.md tells
//! the reasons; this holds it to them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::rust_paths::paths;

/// A room of the house, and the foreign crates that may be used in it.
struct Room {
    name: &'static str,
    foreign: &'static [&'static str],
}

const fn room(name: &'static str, foreign: &'static [&'static str]) -> Room {
    Room { name, foreign }
}

/// From the ground up: a room may import itself and those before it.
const ROOMS: &[Room] = &[
    room("time", &[]),
    room("unit", &[]),
    room("id", &[]),
    room("random", &["libm", "rand_chacha", "rand_core"]),
    room("law", &["libm"]),
    room("policy", &["libm"]),
    room("model", &["libm"]),
    room("observe", &["hdrhistogram"]),
    room("engine", &[]),
    room("stepped", &[]),
    room("analysis", &["libm"]),
    room("experiment", &["libm", "rayon"]),
    room(
        "scenario",
        &[
            "annotate_snippets",
            "anstyle",
            "csv",
            "humantime",
            "schemars",
            "serde",
            "serde_json",
            "strsim",
            "thiserror",
            "toml",
        ],
    ),
    room(
        "report",
        &[
            "anstyle",
            "csv",
            "parquet",
            "plotters",
            "resvg",
            "serde",
            "serde_json",
            "tempfile",
            "thiserror",
            "unicode_width",
        ],
    ),
    room(
        "cli",
        &[
            "anstream",
            "anstyle",
            "anyhow",
            "clap",
            "clap_complete",
            "clap_mangen",
            "ctrlc",
            "indicatif",
            "rayon",
            "terminal_size",
        ],
    ),
];

/// The two shores: files come in at one and go out at the other, and they never meet.
const SHORES: [&str; 2] = ["scenario", "report"];

/// The binary: nothing can import it.
const ROOF: &str = "cli";

/// What only some may touch: everything else stays a function of its arguments.
const POWERS: &[(&str, &[&str])] = &[
    ("std::fs", &["scenario", "report", "cli"]),
    ("std::io", &["scenario", "report", "cli"]),
    ("std::env", &["cli"]),
    ("std::net", &[]),
    ("std::process", &["cli"]),
    ("std::thread", &["cli"]),
    ("std::time", &["cli"]),
    ("std::collections::HashMap", &["scenario", "report", "cli"]),
    ("std::collections::HashSet", &["scenario", "report", "cli"]),
];

/// Only for tests; the compiler keeps them out of everything else.
const FOR_TESTS: [&str; 10] = [
    "allocation_counter",
    "backon",
    "boon",
    "insta",
    "proptest",
    "rand",
    "rand_distr",
    "recloser",
    "statrs",
    "tower",
];

const LONGEST_FILE: usize = 500;

/// What `text`, the source at `file` under `src`, does against the rules.
fn trespasses(file: &Path, text: &str) -> Vec<String> {
    let module = module_of(file);
    let home = match module.first().map(String::as_str) {
        // The front door has no floor of its own; the command's entrance stands on the roof.
        None if file == Path::new("lib.rs") => return Vec::new(),
        None => ROOF,
        Some(room) => room,
    };
    let Some(floor) = floor_of(home) else {
        return vec![format!(
            "{home} is no room of the house: give it a floor in the table of rooms"
        )];
    };
    let mut found = BTreeSet::new();
    for path in paths(text, &module) {
        let root = path[0].as_str();
        let said = path.join("::");
        if root == "crate" || root == "metastable" {
            let Some(of) = path.get(1) else { continue };
            if root == "metastable" && home != ROOF {
                found.insert(format!(
                    "{home} is inside the library and names it from outside: {said}"
                ));
            }
            match floor_of(of) {
                Some(other) if other > floor || meet(home, of) => {
                    found.insert(format!("{home} must not know {of}: {said}"));
                }
                Some(_) => {}
                // The binary keeps things of its own at its root.
                None if root == "crate" && home == ROOF => {}
                None => {
                    found.insert(format!("{home} names {said}, which stands in no room"));
                }
            }
        } else if let Some((_, owners)) = POWERS.iter().find(|(power, _)| is_under(&said, power)) {
            if !owners.contains(&home) {
                found.insert(format!("{home} must not touch {said}"));
            }
        } else if dependencies().contains(root) && !ROOMS[floor].foreign.contains(&root) {
            found.insert(format!("{root} does not live in {home}: {said}"));
        }
    }
    found.into_iter().collect()
}

fn meet(one: &str, other: &str) -> bool {
    one != other && SHORES.contains(&one) && SHORES.contains(&other)
}

fn is_under(path: &str, power: &str) -> bool {
    path.strip_prefix(power).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn floor_of(room: &str) -> Option<usize> {
    ROOMS.iter().position(|candidate| candidate.name == room)
}

/// `policy/retry/mod.rs` and `policy/retry.rs` are both `policy::retry`.
fn module_of(file: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        file.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|last| last == "mod" || last == "lib" || last == "main") {
        names.pop();
    }
    names
}

/// The names under which `[dependencies]` are imported.
fn dependencies() -> BTreeSet<String> {
    let manifest: toml::Table =
        include_str!("../../Cargo.toml").parse().expect("the manifest is TOML");
    let table = manifest["dependencies"].as_table().expect("the manifest has dependencies");
    table.keys().map(|name| name.replace('-', "_")).collect()
}

fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut open = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("the sources can be read") {
            let path = entry.expect("the sources can be read").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("the sources are text");
                let file = path.strip_prefix(&root).expect("it was found there").to_owned();
                found.push((file, text));
            }
        }
    }
    found.sort();
    found
}

fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn imports_only_go_down() {
    let sources = sources();
    assert!(sources.len() > 30, "the sources were not found");
    let faults: Vec<String> = sources
        .iter()
        .flat_map(|(file, text)| {
            trespasses(file, text)
                .into_iter()
                .map(|fault| format!("src/{}: {fault}", file.display()))
        })
        .collect();
    assert_none(&faults);
}

#[test]
fn every_dependency_has_a_home() {
    let homes: BTreeSet<&str> = ROOMS.iter().flat_map(|room| room.foreign).copied().collect();
    let homeless = dependencies().into_iter().filter(|name| !homes.contains(name.as_str()));
    assert_none(
        &homeless
            .map(|name| format!("{name} has no room in the table of rooms"))
            .collect::<Vec<_>>(),
    );
    for home in homes {
        assert!(dependencies().contains(home), "{home} has a room and has moved out");
    }
    for name in FOR_TESTS {
        assert!(!dependencies().contains(name), "{name} is for tests only");
    }
}

#[test]
fn every_file_opens_with_its_purpose_and_stays_short() {
    let mut faults = Vec::new();
    for (file, text) in sources() {
        let lines = text.lines().count();
        if lines >= LONGEST_FILE {
            faults.push(format!("src/{}: {lines} lines look for a second noun", file.display()));
        }
        let first = text.lines().next().unwrap_or_default();
        if !first.starts_with("//! ") && !first.starts_with("#![doc") {
            faults.push(format!(
                "src/{}: the first line does not tell what it is for",
                file.display()
            ));
        }
    }
    assert_none(&faults);
}

/// The rules bite: each of these is caught, and each of its neighbours is let through.
#[test]
fn trespassers_are_caught() {
    let check = |file: &str, text: &str, faults: usize| {
        let found = trespasses(Path::new(file), text);
        assert_eq!(found.len(), faults, "{file}: {text}: {found:?}");
    };
    check("policy/retry/mod.rs", "use crate::model::Model;", 1);
    check("policy/retry/mod.rs", "use crate::time::Span; use super::budget::Budget;", 0);
    check("policy/retry/mod.rs", "use super::super::engine::World;", 1);
    check("time.rs", "fn f(unit: crate::unit::Rate) {}", 1);
    check(
        "engine/world.rs",
        "use crate::{model::Model, experiment::{Run, Cell}, observe::Fact};",
        2,
    );
    check("engine/world.rs", "// use crate::experiment::Run;", 0);
    check("report/table/mod.rs", "use crate::scenario::Story;", 1);
    check("scenario/story.rs", "use crate::report::Chart;", 1);
    check("scenario/story.rs", "use crate::experiment::Cell; use serde::Deserialize;", 0);
    check("report/json.rs", "use serde::Serialize; use toml::Table;", 1);
    check("model/mod.rs", "use serde::Serialize;", 1);
    check("engine/mod.rs", "fn f() { std::thread::sleep(d) }", 1);
    check("engine/mod.rs", "use std::time::Instant; use std::{fs, fmt};", 2);
    check("engine/mod.rs", "use std::collections::{BTreeMap, HashMap};", 1);
    check("engine/mod.rs", "use rayon::prelude::*;", 1);
    check("experiment/sweep.rs", "use rayon::prelude::*;", 0);
    check("experiment/sweep.rs", "use metastable::model::Model;", 1);
    check("observe/mod.rs", "use crate::nonsense::X;", 1);
    check("nonsense.rs", "", 1);
    check(
        "cli/run.rs",
        "use metastable::scenario::Story; use crate::cli::exit; use clap::Parser;",
        0,
    );
    check("main.rs", "mod cli; fn main() { cli::main(); metastable::report::x(); }", 0);
    check("cli/run.rs", "use plotters::prelude::*;", 1);
    check("cli/run.rs", "use ::plotters::prelude::*;", 1);
}
