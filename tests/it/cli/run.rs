use super::fixture::{Fixture, keys};

const RUN_KEYS: [&str; 20] = [
    "variant",
    "seed",
    "verdict",
    "back_at_s",
    "recovery_time_s",
    "requests",
    "succeeded",
    "failed",
    "censored",
    "attempts",
    "retries",
    "rejected",
    "shed",
    "wasted_work_fraction",
    "amplification",
    "last_success_s",
    "latency_p50_s",
    "latency_p99_s",
    "events",
    "timeline",
];
const WINDOW_KEYS: [&str; 8] = [
    "start_s",
    "arrivals",
    "goodput",
    "attempts",
    "retries",
    "throughput",
    "queue",
    "waiting_mean_s",
];

#[test]
fn people_get_a_verdict_figures_and_timelines() {
    let text = Fixture::new().stdout(&["run", "storm.toml"]);
    assert!(text.starts_with("A small storm\n"), "{text}");
    assert!(text.contains("“3 retries” never comes back"), "{text}");
    for words in ["metastable", "recovered", "wasted", "██", "▔▔ gc"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn programs_get_every_name_that_is_promised() {
    let fixture = Fixture::new();
    let json = fixture.json(&["run", "storm.toml", "--format", "json", "--seeds", "2"]);
    assert_eq!(json["scenario"], "A small storm");
    let runs = json["runs"].as_array().unwrap();
    let whose = |run: &serde_json::Value| (run["variant"].clone(), run["seed"].clone());
    let expected = [("3 retries", 1), ("3 retries", 2), ("no retries", 1), ("no retries", 2)];
    let expected: Vec<_> =
        expected.iter().map(|&(name, seed)| (name.into(), seed.into())).collect();
    assert_eq!(runs.iter().map(whose).collect::<Vec<_>>(), expected);
    for run in runs {
        for key in RUN_KEYS {
            assert!(run.get(key).is_some(), "{key}");
        }
        for (nth, window) in run["timeline"].as_array().unwrap().iter().enumerate() {
            assert_eq!(window["start_s"], nth as f64);
            assert!(WINDOW_KEYS.iter().all(|key| window.get(key).is_some()), "{window}");
        }
    }
    assert!(runs[0]["back_at_s"].is_null() && runs[2]["back_at_s"].is_f64());
}

#[test]
fn csv_has_the_names_of_the_json() {
    let fixture = Fixture::new();
    let csv = fixture.stdout(&["run", "storm.toml", "--format", "csv"]);
    let json = fixture.json(&["run", "storm.toml", "--format", "json"]);
    let mut names = keys(&json["runs"][0]);
    names.retain(|name| !["services", "edges", "instances", "timeline"].contains(&name.as_str()));
    assert_eq!(csv.lines().next().unwrap(), names.join(","));
    assert_eq!(csv.lines().count(), 3);
}

/// A shop that asks its stock twice.
const SHOP: &str = r#"
title = "A shop"
horizon = "10s"

[services.shop]
workers = 4
service_time = "10ms"
calls.stock.copies = 2
calls.stock.timeout = "15ms"

[services.stock]
workers = 1
service_time = "10ms"

[clients.web]
calls = "shop"
arrivals = "even"
arrival_rate = 10

[variants."more of them"]
"services.stock.workers" = 2
"#;

#[test]
fn services_and_edges_are_shown_where_there_are_several() {
    let fixture = Fixture::new();
    fixture.write("shop.toml", SHOP);
    let text = fixture.stdout(&["run", "shop.toml"]);
    let (_, parties) = text.split_once("Services of “base”").expect("services");
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(parties) });
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!fixture.stdout(&["run", "storm.toml"]).contains("Services"));
    let one = fixture.stdout(&["run", "shop.toml", "--variant", "base"]);
    assert!(one.contains("\nEdges\n") && !one.contains("another"), "{one}");
}

#[test]
fn services_and_edges_are_in_the_json_and_are_rows_of_csv() {
    let fixture = Fixture::new();
    fixture.write("shop.toml", SHOP);
    let json = fixture.json(&["run", "shop.toml", "--format", "json", "--seeds", "2"]);
    let runs = json["runs"].as_array().unwrap();
    for (rows, kind, names) in
        [("services", "service", ["shop", "stock"]), ("edges", "edge", ["web.shop", "shop.stock"])]
    {
        let csv = ["run", "shop.toml", "--format", "csv", "--seeds", "2", "--rows", rows];
        let csv = fixture.stdout(&csv);
        assert_eq!(csv.lines().count(), 1 + 2 * runs.len(), "{csv}");
        let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        assert_eq!(header[..3], ["variant", "seed", kind]);
        for (nth, line) in lines.enumerate() {
            let of = &runs[nth / 2][rows][names[nth % 2]];
            assert_eq!(line[2], names[nth % 2]);
            assert_eq!(header[3..], keys(of));
            let attempts = header.iter().position(|name| *name == "attempts").unwrap();
            assert_eq!(line[attempts], of["attempts"].to_string());
        }
    }
    let twice = &runs[0]["edges"]["shop.stock"];
    assert_eq!((&twice["attempts"], &twice["fresh_requests"]), (&200.into(), &100.into()));
    // One service and one client are listed as well.
    let storm = fixture.json(&["run", "storm.toml", "--format", "json"]);
    let run = &storm["runs"][0];
    assert_eq!(run["edges"]["web.api"]["attempts"], run["attempts"]);
    assert_eq!(run["services"]["api"]["wasted_work_fraction"], run["wasted_work_fraction"]);
}

#[test]
fn rows_without_csv_are_refused() {
    let fixture = Fixture::new();
    let output = fixture.output(&["run", "storm.toml", "--rows", "edges"]);
    assert_eq!(output.status.code(), Some(2));
    let said = super::fixture::stderr(&output);
    assert!(said.contains("add --format csv"), "{said}");
    fixture.stdout(&["run", "storm.toml", "--rows", "edges", "-o", "edges.csv"]);
    assert!(fixture.read("edges.csv").starts_with("variant,seed,edge,"));
}

#[test]
fn variants_are_picked_by_name() {
    let fixture = Fixture::new();
    let json = fixture.json(&["run", "storm.toml", "--format", "json", "--variant", "no retries"]);
    assert_eq!(json["runs"].as_array().unwrap().len(), 1);
    assert_eq!(json["runs"][0]["variant"], "no retries");
}

#[test]
fn set_changes_what_is_run() {
    let fixture = Fixture::new();
    let verdicts = |args: &[&str]| {
        let json = fixture.json(&[&["run", "storm.toml", "--format", "json"], args].concat());
        let runs = json["runs"].as_array().unwrap().clone();
        runs.iter().map(|run| run["verdict"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&[]), ["metastable", "recovered"]);
    assert_eq!(verdicts(&["--set", "clients.web.load=0.1"]), ["recovered", "recovered"]);
    let both = ["--set", "triggers.gc.stall.lasts=1ms", "--set", "horizon=10s"];
    assert_eq!(verdicts(&both), ["unaffected", "unaffected"]);
}

#[test]
fn seeds_count_from_the_first() {
    let fixture = Fixture::new();
    let run = |args: &[&str]| {
        fixture.json(&[&["run", "storm.toml", "--format", "json"], args].concat())["runs"].clone()
    };
    let three = run(&["--seed", "7", "--seeds", "3", "--variant", "3 retries"]);
    let seeds: Vec<u64> =
        three.as_array().unwrap().iter().map(|run| run["seed"].as_u64().unwrap()).collect();
    assert_eq!(seeds, [7, 8, 9]);
    assert_eq!(run(&["--seed", "8", "--variant", "3 retries"])[0], three[1]);
    assert_eq!(run(&["--set", "seed=9", "--variant", "3 retries"])[0], three[2]);
    let text = fixture.stdout(&["run", "storm.toml", "--seeds", "3"]);
    assert!(text.contains("metastable 3/3") && text.contains("recovered 3/3"), "{text}");
}

#[test]
fn files_get_the_format_of_their_name() {
    let fixture = Fixture::new();
    let args = ["run", "storm.toml", "-o", "a.txt", "-o", "a.md", "-o", "a.csv", "-o", "a.json"];
    let text = fixture.stdout(&args);
    assert_eq!(fixture.read("a.txt"), text);
    assert_eq!(fixture.read("a.md"), fixture.stdout(&["run", "storm.toml", "-f", "markdown"]));
    assert_eq!(fixture.read("a.csv"), fixture.stdout(&["run", "storm.toml", "-f", "csv"]));
    assert_eq!(fixture.read("a.json"), fixture.stdout(&["run", "storm.toml", "-f", "json"]));
    assert_eq!(fixture.names(), ["a.csv", "a.json", "a.md", "a.txt", "storm.toml"]);
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let fixture = Fixture::new();
    let run = |jobs| {
        fixture.stdout(&["run", "storm.toml", "--seeds", "4", "--format", "json", "--jobs", jobs])
    };
    let one = run("1");
    assert!(one == run("2") && one == run("4"));
}
