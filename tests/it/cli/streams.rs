//! Results go to standard output, everything else to standard error, colours to terminals.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::fixture::{Fixture, STORM, stderr, stdout};

const ESCAPE: char = '\u{1b}';

/// A scenario with a key that has no effect: without a bound on the queue nothing is refused.
fn with_a_warning(fixture: &Fixture) {
    let idle = "call.timeout = \"1s\"\ncall.wait_after_refusal = \"100ms\"";
    fixture.write("storm.toml", &STORM.replace("call.timeout = \"1s\"", idle));
}

#[test]
fn warnings_stay_out_of_the_results() {
    let fixture = Fixture::new();
    let plain = fixture.output(&["run", "storm.toml", "--format", "json"]);
    assert_eq!(stderr(&plain), "");
    with_a_warning(&fixture);
    let warned = fixture.output(&["run", "storm.toml", "--format", "json"]);
    assert_eq!(stdout(&warned), stdout(&plain));
    assert!(stderr(&warned).contains("warning") && stderr(&warned).contains("wait_after_refusal"));
    let quiet = fixture.output(&["run", "storm.toml", "--format", "json", "--quiet"]);
    assert_eq!((stdout(&quiet), stderr(&quiet)), (stdout(&plain), String::new()));
}

#[test]
fn colours_are_for_terminals_and_whoever_asks() {
    let fixture = Fixture::new();
    let coloured = |args: &[&str], no_color: bool| {
        let mut command = fixture.command(&[&["run", "storm.toml"], args].concat());
        if no_color {
            command.env("NO_COLOR", "1");
        }
        stdout(&command.output().unwrap()).contains(ESCAPE)
    };
    assert!(!coloured(&[], false), "a pipe is no terminal");
    assert!(coloured(&["--color", "always"], false));
    assert!(!coloured(&["--color", "never"], false));
    assert!(!coloured(&["--color", "auto"], true));
    assert!(!coloured(&["--color", "always", "-f", "json"], false), "JSON has no colours");
}

#[test]
fn files_have_no_colours() {
    let fixture = Fixture::new();
    fixture.stdout(&["run", "storm.toml", "--color", "always", "-o", "a.txt", "-o", "a.md"]);
    assert!(!fixture.read("a.txt").contains(ESCAPE) && !fixture.read("a.md").contains(ESCAPE));
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let fixture = Fixture::new();
    let mut run = Command::new(env!("CARGO_BIN_EXE_metastable"))
        .current_dir(fixture.path(""))
        // More than a pipe holds, so that writing goes on after the reader has left.
        .args(["run", "storm.toml", "--seeds", "20", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(run.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "{\n");
    let output = run.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn help_and_version_are_results() {
    let fixture = Fixture::new();
    for args in
        [&["--help"][..], &["run", "--help"], &["sweep", "-h"], &["check", "-h"], &["plot", "-h"]]
    {
        let text = fixture.stdout(args);
        assert!(text.contains("Usage") && text.contains("Examples:"), "{text}");
    }
    assert_eq!(
        fixture.stdout(&["--version"]),
        format!("metastable {}\n", env!("CARGO_PKG_VERSION"))
    );
}
