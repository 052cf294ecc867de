//! Files of measured numbers that a scenario names.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use metastable::law::Law;
use metastable::model::Arrivals;
use metastable::scenario::{Story, Trouble};
use metastable::time::{Span, Time};
use tempfile::TempDir;

/// A scenario that names a file twice.
const MEASURED: &str = r#"title = "Measured"
horizon = "10s"

[services.api]
workers = 1
service_time = { empirical = "data/latencies.csv" }

[clients.web]
calls = "api"
arrivals = { replay = "arrivals.csv" }
"#;

const LATENCIES: &str = "latency_ms\n8\n9\n30\n";
const ARRIVALS: &str = "0.5\n1\n1\n2.25s\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    let usual = [("data/latencies.csv", LATENCIES), ("arrivals.csv", ARRIVALS)];
    for (name, text) in usual.iter().chain(files) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn read(folder: &Path, text: &str, overrides: &[&str]) -> Result<Story, Trouble> {
    let path = folder.join("measured.toml");
    fs::write(&path, text).unwrap();
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Story::read(&path, &overrides)
}

fn instants(story: &Story, variant: usize) -> Vec<Time> {
    let arrivals = &story.variants[variant].model.clients[0].arrivals;
    let Arrivals::Replay(instants) = arrivals else { panic!("{arrivals:?}") };
    instants.to_vec()
}

fn mean(story: &Story, variant: usize) -> Span {
    let law = &story.variants[variant].model.services[0].service_time;
    let Law::Empirical(law) = law else { panic!("{law:?}") };
    law.mean()
}

fn ms(ms: &[u64]) -> Vec<Time> {
    ms.iter().map(|ms| Time::ZERO + Span::from_millis(*ms)).collect()
}

#[test]
fn files_are_found_from_the_folder_of_the_scenario() {
    let folder = folder(&[]);
    let story = read(folder.path(), MEASURED, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    assert_eq!(instants(&story, 0), ms(&[500, 1_000, 1_000, 2_250]));
    assert_eq!(mean(&story, 0).as_nanos(), 15_666_667);
    assert!(!story.warnings.to_string().contains("replay"), "{}", story.warnings);
    // It means what the numbers mean that are written in the scenario.
    let written = MEASURED
        .replace("\"data/latencies.csv\"", "{ values = [\"8ms\", \"9ms\", \"30ms\"] }")
        .replace("\"arrivals.csv\"", "{ at = [\"500ms\", \"1s\", \"1s\", \"2250ms\"] }");
    let written = read(folder.path(), &written, &[]).unwrap();
    assert_eq!(story.variants[0].model, written.variants[0].model);
    let parsed = Story::parse(MEASURED, "measured.toml", &[]);
    assert!(parsed.is_err_and(|trouble| trouble.to_string().contains("there is no file")));
}

#[test]
fn every_layer_may_name_one() {
    let folder = folder(&[("late.csv", "# one\n\n3\n"), ("data/slow.csv", "1s\n3s\n")]);
    let variants = "[variants.path]\n\"clients.web.arrivals.replay\" = \"late.csv\"\n\
                    [variants.table]\n\"services.api\" = { workers = 2, service_time = { empirical = \"data/slow.csv\" } }\n\
                    [variants.mixture]\n\"services.api.service_time\" = { mixture = [{ weight = 1, law = { empirical = \"data/slow.csv\" } }] }\n\
                    [sweep.axes]\n\"clients.web.arrivals.replay\" = [\"arrivals.csv\", \"late.csv\"]\n\
                    [[sweep.expect]]\nwhere = { \"clients.web.arrivals.replay\" = \"late.csv\" }\nrecovered = 5\n";
    let text = format!("{MEASURED}{variants}");
    let story = read(folder.path(), &text, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    let variant = |name: &str| story.variants.iter().position(|known| known.name == name).unwrap();
    assert_eq!(instants(&story, variant("path")), ms(&[3_000]));
    assert_eq!(mean(&story, variant("table")), Span::from_secs(2));
    let mixed = &story.variants[variant("mixture")].model.services[0].service_time;
    assert_eq!(mixed.mean(), Span::from_secs(2));
    let sweep = story.sweep.unwrap();
    assert_eq!(sweep.cells[1].at[0].label, "late.csv");
    assert_eq!(sweep.expect[0].cells, [1, 3, 5, 7]);

    let set = [
        "clients.web.arrivals.replay=late.csv",
        "services.api.service_time.empirical=data/slow.csv",
    ];
    let story = read(folder.path(), MEASURED, &set).unwrap_or_else(|trouble| panic!("{trouble}"));
    assert_eq!((instants(&story, 0), mean(&story, 0)), (ms(&[3_000]), Span::from_secs(2)));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let cases: &[(&str, &str, &str)] = &[
        ("no file", "arrivals.csv", "missing"),
        ("a folder", "arrivals.csv", "folder"),
        ("nothing in it", "arrivals.csv", "# nothing yet\n"),
        ("a heading and nothing else", "arrivals.csv", "at_s\n"),
        ("not in order", "arrivals.csv", "at_s\n1\n3\n\n2.5\n4\n"),
        ("a word", "arrivals.csv", "1\r\n\r\n# now\r\n2 parsecs\r\n"),
        ("a second heading", "arrivals.csv", "at_s\nlatency\n"),
        ("a heading without a unit", "arrivals.csv", "latencyMs\n8\n"),
        ("below zero", "arrivals.csv", "-1\n"),
        ("two columns", "arrivals.csv", "1\n  2 , 200\n"),
        ("a decimal comma", "arrivals.csv", "0,5\n"),
        ("quoted", "arrivals.csv", "1\n\"x\"\n"),
        ("too large", "arrivals.csv", "1\n1e12\n"),
        ("not a number", "data/latencies.csv", "nan\n"),
        ("all zero", "data/latencies.csv", "0\n0s\n"),
    ];
    let mut all = String::new();
    for (what, file, text) in cases {
        let folder = folder(&[(file, text)]);
        let path = folder.path().join(file);
        if *text == "missing" || *text == "folder" {
            fs::remove_file(&path).unwrap();
        }
        if *text == "folder" {
            fs::create_dir(&path).unwrap();
        }
        let trouble = read(folder.path(), MEASURED, &[]).expect_err(what).to_string();
        let shown = folder.path().display().to_string();
        writeln!(all, "## {what}\n{}\n", trouble.replace(&shown, "FOLDER")).unwrap();
    }
    let folder = folder(&[("late.csv", "11\n12\n")]);
    let path = |text: &str| text.replace(&folder.path().display().to_string(), "FOLDER");
    let set = ["clients.web.arrivals.replay=lost.csv"];
    let trouble = read(folder.path(), MEASURED, &set).unwrap_err();
    writeln!(all, "## an override\n{}\n", path(&trouble.to_string())).unwrap();
    let number = MEASURED.replace("\"arrivals.csv\"", "3");
    let trouble = read(folder.path(), &number, &[]).unwrap_err();
    writeln!(all, "## a number\n{}\n", path(&trouble.to_string())).unwrap();
    let late = MEASURED.replace("arrivals.csv", "late.csv");
    let story = read(folder.path(), &late, &[]).unwrap();
    writeln!(all, "## all of them after the horizon\n{}\n", path(&story.warnings.to_string()))
        .unwrap();
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(all) });
}

#[test]
fn a_mark_at_the_start_of_a_file_counts_for_nothing() {
    let marked = |text: &str| format!("\u{feff}{text}");
    let arrivals = marked(ARRIVALS);
    let folder = folder(&[("arrivals.csv", arrivals.as_str())]);
    let story = read(folder.path(), &marked(MEASURED), &[]).unwrap();
    assert_eq!(instants(&story, 0), ms(&[500, 1_000, 1_000, 2_250]));
    let trouble = read(folder.path(), &marked("titel = 1\n"), &[]).unwrap_err().to_string();
    assert!(trouble.contains("measured.toml:1:1\n"), "{trouble}");
}
