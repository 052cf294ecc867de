//! A trace that somebody has had enough of.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use super::fixture::{Fixture, STORM};

#[test]
fn a_trace_ends_with_a_whole_line_when_it_is_interrupted() {
    let fixture = Fixture::new();
    fixture.write("long.toml", &STORM.replace("horizon = \"20s\"", "horizon = \"10h\""));
    let mut trace = Command::new(env!("CARGO_BIN_EXE_metastable"))
        .current_dir(fixture.path(""))
        .args(["trace", "long.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(trace.stdout.take().unwrap());
    let mut text = String::new();
    out.read_line(&mut text).unwrap();
    let id = trace.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    out.read_to_string(&mut text).unwrap();
    let ended = trace.wait_with_output().unwrap();
    let message = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(3), "{message}");
    assert_eq!(message, "interrupted: what is printed ends early\n");
    assert!(text.ends_with('\n'), "{:?}", text.lines().next_back());
}
