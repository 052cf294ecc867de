//! Where results are written, and what they never take the place of.

use std::fs;

use super::fixture::{Fixture, STORM, stderr};

fn refused(fixture: &Fixture, args: &[&str], expected: &str) {
    let output = fixture.output(args);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert!(message.contains(expected), "{args:?}: {expected} in {message}");
}

#[test]
fn what_a_scenario_is_read_from_is_not_written_over() {
    let fixture = Fixture::new();
    let measured =
        STORM.replace("service_time = \"10ms\"", "service_time = { empirical = \"work.csv\" }");
    fixture.write("storm.md", &measured);
    fixture.write("work.csv", "work_ms\n10\n9\n11\n");
    let names = fixture.names();
    let says = "the scenario is read from this file";
    for command in ["run", "sweep", "explain", "check"] {
        refused(&fixture, &[command, "storm.md", "-o", "work.csv"], says);
        refused(&fixture, &[command, "storm.md", "-o", "./storm.md"], says);
    }
    assert_eq!(fixture.read("storm.md"), measured);
    assert!(fixture.read("work.csv").starts_with("work_ms"));
    assert_eq!(fixture.names(), names);
}

#[test]
fn one_file_takes_one_result() {
    let fixture = Fixture::new();
    refused(&fixture, &["run", "storm.toml", "-o", "a.csv", "-o", "./a.csv"], "given twice");
    assert_eq!(fixture.names(), ["storm.toml"]);
}

#[test]
fn a_folder_in_the_place_of_one_chart_keeps_all_from_being_written() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.path("plots/storm-overlay.png")).unwrap();
    let args = ["run", "storm.toml", "--plot", "plots", "-o", "a.csv"];
    refused(&fixture, &args, "a folder has this name");
    assert_eq!(fixture.names(), ["plots", "storm.toml"]);
    assert_eq!(fs::read_dir(fixture.path("plots")).unwrap().count(), 1);
}

#[test]
fn a_new_scenario_says_in_words_what_is_in_its_way() {
    let fixture = Fixture::new();
    refused(&fixture, &["init", "storm.toml"], "it is there already, and is left as it is");
    refused(
        &fixture,
        &["init", "none/x.toml"],
        "cannot write none/x.toml: there is no such folder",
    );
    assert_eq!(fixture.names(), ["storm.toml"]);
}

#[cfg(unix)]
#[test]
fn a_link_is_written_through() {
    let fixture = Fixture::new();
    fixture.write("kept/a.csv", "old");
    std::os::unix::fs::symlink("kept/a.csv", fixture.path("a.csv")).unwrap();
    fixture.stdout(&["run", "storm.toml", "-o", "a.csv"]);
    assert!(fixture.path("a.csv").is_symlink());
    assert!(
        fixture.read("kept/a.csv").starts_with("variant,seed"),
        "{}",
        fixture.read("kept/a.csv")
    );
}

#[test]
fn a_schema_is_saved_as_it_is_printed() {
    let fixture = Fixture::new();
    fixture.stdout(&["schema", "-o", "scenario.schema.json"]);
    assert_eq!(fixture.read("scenario.schema.json"), fixture.stdout(&["schema"]));
    let page = fixture.stdout(&["schema", "--markdown"]);
    assert!(page.contains("| `workers` | whole number | workers | required |"), "{page}");
}
