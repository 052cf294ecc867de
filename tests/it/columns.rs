//! `docs/columns.md` names every column that the commands write, in their order.

use std::collections::BTreeMap;

use crate::cli::fixture::{Fixture, keys};

/// A queue that gets long by chance alone.
const CALM: &str = r#"
title = "A calm queue"
horizon = "20s"
[services.api]
workers = 1
service_time = { exponential = { mean = "10ms" } }
[clients.web]
calls = "api"
load = 0.8
call.timeout = "500ms"
call.retry.immediate = { max_retries = 3 }
"#;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/columns.md");

/// The first cells of the rows below `## heading`, with the second ones.
fn rows(heading: &str) -> Vec<(String, String)> {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let mut sections = page.split("\n## ").skip(1);
    let section = sections.find(|section| section.lines().next() == Some(heading));
    let section = section.unwrap_or_else(|| panic!("no section {heading}"));
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let cell = |line: &str, nth: usize| line.split(" | ").nth(nth).unwrap_or_default().to_owned();
    let plain = |text: String| text.trim_start_matches("| ").replace('`', "");
    rows.map(|line| (plain(cell(line, 0)), plain(cell(line, 1)))).collect()
}

fn columns(heading: &str) -> Vec<String> {
    rows(heading).into_iter().map(|(column, _)| column).collect()
}

fn check(heading: &str, args: &[&str]) {
    let fixture = Fixture::new();
    fixture.write("calm.toml", CALM);
    let text = fixture.stdout(&[args, &["--format", "csv", "--quiet"]].concat());
    let header = text.lines().next().expect("a header");
    assert_eq!(header.split(',').collect::<Vec<_>>(), columns(heading), "{heading}: {args:?}");
}

#[test]
fn tables_of_runs() {
    check("Runs", &["run", "storm.toml"]);
    check("Windows", &["run", "storm.toml", "--rows", "windows"]);
    check("Services", &["run", "storm.toml", "--rows", "services"]);
    check("Edges", &["run", "storm.toml", "--rows", "edges"]);
    let two = ["run", "storm.toml", "--set", "services.api.instances=2", "--rows", "instances"];
    check("Instances", &two);
    check("Promises", &["check", "storm.toml"]);
    check("Explanations", &["explain", "storm.toml"]);
}

#[test]
fn tables_of_searches() {
    let axis = ["--axis", "clients.web.load", "--from", "0.2", "--to", "0.9"];
    let tip = [&["tip", "storm.toml"], &axis[..]].concat();
    check("Tipping points", &tip);
    check("Values tried", &[&tip[..], &["--rows", "values"]].concat());
    check("Basins", &["basin", "storm.toml", "--seeds", "1"]);
    let loops = [&["hysteresis", "storm.toml"], &axis[..], &["--step", "0.35", "--seeds", "1"]];
    check("Loops", &loops.concat());
    check("Changes", &["advise", "storm.toml", "--no-operator"]);
    let y = ["--y", "clients.web.call.retry.immediate.max_retries", "--y-from", "0", "--y-to", "3"];
    let x = ["--x", "clients.web.load", "--x-from", "0.5", "--x-to", "0.8"];
    check("Tipping line", &[&["frontier", "storm.toml"], &x[..], &y[..]].concat());
    let plain = ["odds", "calm.toml", "--method", "plain", "--runs", "2", "--length", "10s"];
    check("Odds, watched", &plain);
    check("Odds, split", &["odds", "calm.toml", "--method", "splitting"]);
}

#[test]
fn cells_have_their_axes() {
    let fixture = Fixture::new();
    let text = fixture.stdout(&["sweep", "storm.toml", "--format", "csv"]);
    let header: Vec<String> = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
    // The page has one axis for all, and a length of time as the example.
    let shown: Vec<String> = header
        .into_iter()
        .filter(|column| column != "clients.web.load")
        .map(|column| column.replace("triggers.gc.stall.lasts", "AXIS"))
        .collect();
    assert_eq!(shown, columns("Cells"));
}

#[test]
fn json_has_the_members_that_the_page_tells_of() {
    let fixture = Fixture::new();
    let run = fixture.json(&["run", "storm.toml", "--format", "json"]);
    let mut members = columns("Runs");
    members.extend(["services", "edges", "instances", "timeline"].map(str::to_owned));
    assert_eq!(keys(&run["runs"][0]), members);
    assert_eq!(keys(&run["runs"][0]["timeline"][0]), columns("Windows")[2..]);
    assert_eq!(keys(&run["runs"][0]["services"]["api"]), columns("Services")[3..]);
    let explain = fixture.json(&["explain", "storm.toml", "--format", "json"]);
    assert_eq!(keys(&explain["variants"][0]), columns("Explanations"));
}

/// What happens in these scenarios is told of in the page, member by member.
#[test]
fn facts_have_the_members_of_the_page() {
    let told: BTreeMap<String, String> = rows("Facts").into_iter().collect();
    let fixture = Fixture::new();
    let mut seen = BTreeMap::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
    for (scenario, to) in [
        ("retry-storm-remedies", "14"),
        ("storefront", "13"),
        ("lost-replies", "12"),
        ("cold-cache", "12"),
        ("order-status", "12"),
        ("breaker", "12"),
    ] {
        let path = format!("{folder}/{scenario}.toml");
        let args = ["trace", &path, "--format", "jsonl", "--to", to, "--quiet"];
        let from = ["--from", "9"];
        for line in fixture.stdout(&[&args[..], &from].concat()).lines() {
            let fact: serde_json::Value = serde_json::from_str(line).expect("an object");
            let members = keys(&fact)[2..].join(", ");
            seen.insert(fact["fact"].as_str().expect("a word").to_owned(), members);
        }
    }
    assert!(seen.len() >= 12, "{seen:?}");
    for (fact, members) in seen {
        assert_eq!(told.get(&fact), Some(&members), "{fact}");
    }
}

#[test]
fn a_unit_ends_the_name() {
    for heading in ["Runs", "Windows", "Services", "Edges", "Instances", "Explanations"] {
        for (column, unit) in rows(heading) {
            let expected = if column.ends_with("_per_s") {
                "1/s"
            } else if column.ends_with("_s") {
                "s"
            } else {
                continue;
            };
            assert_eq!(unit, expected, "{heading}: {column}");
        }
    }
}
