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
    names.retain(|name| name != "timeline");
    assert_eq!(csv.lines().next().unwrap(), names.join(","));
    assert_eq!(csv.lines().count(), 3);
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
