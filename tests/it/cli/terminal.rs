//! What people read at a terminal fits it, and says more where more is asked for.

use super::fixture::{Fixture, STORM, folded_stderr, stderr, stdout};

fn fits(text: &str) {
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}

#[test]
fn messages_are_folded_between_words() {
    let fixture = Fixture::new();
    let unmeant = STORM.replace(
        "workers      = 4",
        "workers = 4\nqueue = { headroom = { max_waiting = 3, free = [] } }",
    );
    fixture.write("storm.toml", &unmeant);
    let message = folded_stderr(&fixture.output(&["run", "storm.toml"]));
    assert!(!message.is_empty());
    fits(&message);
    for args in [
        &["run", "storm.toml", "--jobs", "0"][..],
        &["run", "storm.toml", "-o", "a"],
        &["trace", "storm.toml", "--from", "ten"],
        &["sweep", "storm.toml", "--set", "sweep={}"],
    ] {
        fits(&folded_stderr(&fixture.output(args)));
    }
}

#[test]
fn presets_fit_and_tell_their_sources_one_by_one() {
    let fixture = Fixture::new();
    let list = fixture.stdout(&["presets"]);
    fits(&list);
    assert!(list.contains("netflix_gradient2") && list.contains("concurrency-limits at 14ddfa2"));
    assert!(fixture.stdout(&["presets", "netflix_gradient2"]).contains("# https://"));
}

#[test]
fn every_run_is_told_of_where_that_is_asked_for() {
    let fixture = Fixture::new();
    let quiet = fixture.output(&["run", "storm.toml", "--seeds", "2"]);
    assert_eq!(stderr(&quiet), "");
    let told = fixture.output(&["run", "storm.toml", "--seeds", "2", "--verbose"]);
    assert_eq!(stdout(&told), stdout(&quiet));
    let lines = stderr(&told);
    assert_eq!(lines.lines().count(), 4, "{lines}");
    let events =
        fixture.json(&["run", "storm.toml", "--format", "json"])["runs"][0]["events"].clone();
    let first = format!("3 retries, seed 1: metastable; {events} events in ");
    let line = lines.lines().find(|line| line.starts_with(&first)).expect("a line for each run");
    assert!(line.ends_with(" s, by the shortcut"), "{line}");
    let told = stderr(&fixture.output(&["run", "storm.toml", "-v", "--engine", "events"]));
    assert!(told.contains("s, event by event, though there is a shortcut"), "{told}");

    let sweep = stderr(&fixture.output(&["sweep", "storm.toml", "-v"]));
    assert_eq!(sweep.matches("3 retries, clients.web.load=").count(), 12, "{sweep}");
    let early = stderr(&fixture.output(&["sweep", "storm.toml", "-v", "--early-stop"]));
    assert!(early.contains("ended early"), "{early}");
    let cells = fixture.json(&["sweep", "storm.toml", "--early-stop", "--format", "json"]);
    let cut_short = cells["cells"].as_array().expect("cells").iter();
    let cut_short: u64 =
        cut_short.map(|cell| cell["seeds_cut_short"].as_u64().expect("a count")).sum();
    assert_eq!(early.matches("ended early").count() as u64, cut_short, "{early}");
    assert!(early.contains(" events in "), "some are played to their end: {early}");
    let check = stderr(&fixture.output(&["check", "storm.toml", "-v"]));
    assert!(check.contains("no retries, seed 2: recovered"), "{check}");
    assert_eq!(fixture.output(&["run", "storm.toml", "-v", "-q"]).status.code(), Some(2));
}

#[test]
fn a_share_of_failures_that_a_criterion_tolerates_is_told() {
    let fixture = Fixture::new();
    let half = "[criterion]\ngoodput = 0.3\n[services.api]\nerrors = { share = 0.4 }";
    let tolerant =
        STORM.replace("[services.api]", half).replace("max_retries = 3", "max_retries = 1");
    fixture.write("storm.toml", &tolerant.replace("lasts = \"2s\"", "lasts = \"1ms\""));
    let told = fixture.stdout(&["explain", "storm.toml"]);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("though 15 % of its requests fail, which its criterion tolerates"),
        "{told}"
    );
}

#[test]
fn instants_of_a_trace_have_a_unit_or_are_seconds() {
    let fixture = Fixture::new();
    let seconds = fixture.stdout(&["trace", "storm.toml", "--from", "2.99", "--to", "3.02"]);
    let lengths = fixture.stdout(&["trace", "storm.toml", "--from", "2990ms", "--to", "3.02s"]);
    assert_eq!(seconds, lengths);
    let late = fixture.output(&["trace", "storm.toml", "--from", "100"]);
    let message = stderr(&late);
    assert_eq!(late.status.code(), Some(2));
    assert!(
        message.contains("second 100, and the run is over at second 20; did you mean 100ms?"),
        "{message}"
    );
    let turned = stderr(&fixture.output(&["trace", "storm.toml", "--from", "5", "--to", "3"]));
    assert!(turned.contains("--to: second 3 does not come after second 5"), "{turned}");
}

#[test]
fn names_in_findings_are_spelled_as_in_a_scenario() {
    let fixture = Fixture::new();
    let odd = STORM
        .replace("[clients.web]", "[clients.\"web v1.2\"]")
        .replace("clients.web.", "clients.\\\"web v1.2\\\".")
        .replace("[expect]\n", "[expect]\nclients.\"web v1.2\".retries = 1\n");
    // Paths of axes and of changes are keys in quotes, with the quotes of the name within.
    let odd = odd.replace("retries = 1\n", "attempts = { min = 1 }\n");
    fixture.write("storm.toml", &odd);
    let found = fixture.output(&["check", "storm.toml", "--format", "csv"]);
    let text = stdout(&found);
    assert!(text.contains("clients.\"\"web v1.2\"\".attempts"), "{text}{}", stderr(&found));
}
