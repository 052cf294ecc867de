use std::collections::BTreeMap;
use std::fs;

use super::fixture::{Fixture, stderr, stdout};

const ALL: [&str; 8] = [
    "storm-heat-map.png",
    "storm-heat-map.svg",
    "storm-latency.png",
    "storm-latency.svg",
    "storm-overlay.png",
    "storm-overlay.svg",
    "storm-timeline.png",
    "storm-timeline.svg",
];

fn files(fixture: &Fixture, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(fixture.path(folder)).unwrap().map(Result::unwrap);
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

#[test]
fn every_chart_is_the_same_when_made_again() {
    let fixture = Fixture::new();
    fixture.stdout(&["plot", "storm.toml", "--out", "new/once", "--jobs", "1"]);
    fixture.stdout(&["plot", ".", "--out", "twice", "--jobs", "4"]);
    let once = files(&fixture, "new/once");
    assert_eq!(once.keys().collect::<Vec<_>>(), ALL);
    assert!(once == files(&fixture, "twice"));

    fixture.stdout(&["run", "storm.toml", "--plot", "apart"]);
    fixture.stdout(&["sweep", "storm.toml", "--plot", "apart"]);
    assert!(once == files(&fixture, "apart"));
    assert!(once.values().all(|bytes| bytes.starts_with(b"<svg") || bytes.starts_with(b"\x89PNG")));
}

#[test]
fn a_folder_that_cannot_be_made_is_refused_before_anything_is_run() {
    let fixture = Fixture::new();
    fixture.write("taken", "a file, not a folder");
    for command in [
        &["plot", "storm.toml", "--out", "taken"][..],
        &["run", "storm.toml", "--plot", "taken"],
        &["run", "storm.toml", "--plot", "taken/within"],
        &["sweep", "storm.toml", "--plot", "taken", "--seeds", "100000"],
    ] {
        let output = fixture.output(command);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert_eq!(stdout(&output), "");
        assert!(stderr(&output).contains("taken"), "{}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        assert_eq!(fixture.names(), ["storm.toml", "taken"]);
    }
}

#[test]
fn two_scenarios_of_one_name_cannot_both_be_drawn() {
    let fixture = Fixture::new();
    fixture.write("other/storm.toml", &fixture.read("storm.toml"));
    let output = fixture.output(&["plot", ".", "--out", "charts"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("storm"), "{}", stderr(&output));
    assert!(!fixture.path("charts").exists());
}
