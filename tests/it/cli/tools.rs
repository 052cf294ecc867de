//! What helps around the commands: a first scenario, completions, manual pages, traces, JUnit.

use super::fixture::{Fixture, STORM, stderr, stdout};

#[test]
fn a_first_scenario_runs_and_keeps_its_promises() {
    let fixture = Fixture::new();
    let written = fixture.output(&["init", "first.toml"]);
    assert_eq!((written.status.code(), stdout(&written)), (Some(0), String::new()));
    let text = fixture.read("first.toml");
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:?}");
    let checked = fixture.stdout(&["check", "first.toml"]);
    assert!(checked.ends_with("4 promises kept, 0 broken, in 1 file\n"), "{checked}");
    // No warning: nothing in it is without effect.
    assert_eq!(stderr(&fixture.output(&["check", "first.toml"])), "");
}

/// What a comment offers in place of a line can stand there.
#[test]
fn what_a_first_scenario_offers_instead_runs() {
    let fixture = Fixture::new();
    fixture.output(&["init", "first.toml"]);
    let text = fixture.read("first.toml");
    let mut offers = 0;
    for line in text.lines() {
        let Some((written, comment)) = line.split_once('#') else { continue };
        let (Some((key, _)), Some((_, offer))) =
            (written.split_once('='), comment.split_once(" or "))
        else {
            continue;
        };
        let other =
            if offer.starts_with('{') { format!("{key} = {offer}") } else { offer.to_owned() };
        fixture.write("other.toml", &text.replace(line, &other));
        let run = fixture.output(&["run", "other.toml"]);
        assert_eq!(run.status.code(), Some(0), "{other}: {}", stderr(&run));
        offers += 1;
    }
    assert_eq!(offers, 2);
}

#[test]
fn a_first_scenario_takes_nobodys_place() {
    let fixture = Fixture::new();
    let refused = fixture.output(&["init", "storm.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).starts_with("error: cannot write storm.toml: "),
        "{}",
        stderr(&refused)
    );
    assert_eq!(fixture.read("storm.toml"), STORM);
    assert_eq!(fixture.output(&["init", "no/such/folder.toml"]).status.code(), Some(2));
    assert_eq!(fixture.names(), ["storm.toml"]);
}

#[test]
fn every_shell_gets_completions_that_know_the_commands() {
    let fixture = Fixture::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = fixture.stdout(&["completions", shell]);
        for word in ["explain", "junit", "variant"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(fixture.output(&["completions", "cmd"]).status.code(), Some(2));
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let fixture = Fixture::new();
    let page = fixture.stdout(&["man"]);
    assert!(page.contains(".TH metastable 1"), "{page}");
    fixture.stdout(&["man", "--out", "man"]);
    let sweep = fixture.read("man/metastable-sweep.1");
    assert!(sweep.contains(".TH metastable-sweep 1") && sweep.contains("headroom.toml"), "{sweep}");
    assert!(fixture.read("man/metastable.1").contains("explain"));
}

/// The trace of the first moments of the stall, twice: the words and the objects tell the same.
#[test]
fn a_trace_tells_what_happens_by_name() {
    let fixture = Fixture::new();
    let within = ["storm.toml", "--from", "2.99", "--to", "3.02"];
    let text = fixture.stdout(&[&["trace"], &within[..]].concat());
    insta::assert_snapshot!(text);
    let json = fixture.stdout(&[&["trace", "--format", "jsonl"], &within[..]].concat());
    let lines: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), text.lines().count());
    let began = lines.iter().find(|line| line["fact"] == "trigger_began").unwrap();
    assert_eq!((&began["at_s"], &began["trigger"]), (&3.0.into(), &"gc".into()));
}

/// Every attempt that `run` counts is a line of the trace.
#[test]
fn a_trace_leaves_nothing_out() {
    let fixture = Fixture::new();
    let run = fixture.json(&["run", "storm.toml", "--variant", "no retries", "--format", "json"]);
    let trace =
        fixture.stdout(&["trace", "storm.toml", "--variant", "no retries", "--format", "jsonl"]);
    let count = |fact: &str| trace.matches(&format!("\"fact\": \"{fact}\"")).count() as u64;
    for (fact, counted) in [
        ("sent", "attempts"),
        ("arrived", "requests"),
        ("succeeded", "succeeded"),
        ("started", "started"),
    ] {
        assert_eq!(run["runs"][0][counted].as_u64(), Some(count(fact)), "{fact}");
    }
    let refused = fixture.output(&["trace", "storm.toml", "--from", "5", "--to", "5"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn build_servers_get_junit() {
    let fixture = Fixture::new();
    fixture.write("storm.toml", &STORM.replace("min = 5, max = 12", "min = 1, max = 2"));
    fixture.write("bad.toml", "title = 3");
    let output = fixture.output(&["check", "storm.toml", "bad.toml", "--junit", "promises.xml"]);
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(fixture.read("promises.xml"));
    let refused = fixture.output(&["check", "storm.toml", "--junit", "nowhere/promises.xml"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("there is no folder nowhere"), "{}", stderr(&refused));
}
