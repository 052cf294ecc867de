//! What is refused: one message, exit code 2, nothing on standard output, nothing written.

use super::fixture::{Fixture, stderr, stdout};

fn check(args: &[&str], expected: &[&str]) {
    let fixture = Fixture::new();
    let output = fixture.output(args);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert_eq!(stdout(&output), "", "{args:?}");
    for words in expected {
        assert!(message.contains(words), "{args:?}: {words} in {message}");
    }
    assert_eq!(fixture.names(), ["storm.toml"], "{args:?}");
}

#[test]
fn wrong_command_lines() {
    check(&[], &["Usage"]);
    check(&["swep", "storm.toml"], &["swep", "'sweep'"]);
    check(&["run"], &["<FILE>"]);
    check(&["check"], &["<PATH>"]);
    check(&["run", "storm.toml", "--format", "xml"], &["xml", "markdown"]);
    check(&["run", "storm.toml", "--seeds", "0"], &["--seeds", "0"]);
    check(&["run", "storm.toml", "--jobs", "0"], &["--jobs", "0", "from 1 to 65535", "all cores"]);
    check(&["run", "storm.toml", "--jobs", "many"], &["--jobs", "many", "from 1 to 65535"]);
    check(
        &["run", "storm.toml", "--seed", "18446744073709551615"],
        &["from 0 to 9223372036854775807"],
    );
    check(&["run", "storm.toml", "--seed", "9223372036854775808"], &["from 0 to"]);
    check(&["run", "storm.toml", "--set", "seed=9223372036854775808"], &["from 0 to"]);
}

#[test]
fn wrong_scenarios() {
    check(&["run", "nowhere.toml"], &["nowhere.toml"]);
    check(&["run", "."], &["folder"]);
    check(&["run", "storm.toml", "--set", "clients.wbe.load=0.5"], &["wbe", "did you mean `web`"]);
    check(&["run", "storm.toml", "--set", "clients.web.load"], &["clients.web.load"]);
    check(
        &["run", "storm.toml", "--variant", "noretries"],
        &["noretries", "did you mean `no retries`"],
    );
    check(&["sweep", "storm.toml", "--variant", "zzz"], &["zzz", "`3 retries`, `no retries`"]);
}

#[test]
fn wrong_output_files() {
    check(&["run", "storm.toml", "-o", "a.xml"], &["a.xml", ".json"]);
    check(&["run", "storm.toml", "-o", "a"], &[".json"]);
    check(&["run", "storm.toml", "-o", "a.csv", "-o", "a.csv"], &["a.csv", "twice"]);
    check(&["run", "storm.toml", "-o", "nowhere/a.csv"], &["there is no folder nowhere"]);
    check(
        &["sweep", "storm.toml", "--seeds", "100000", "-o", "a.json", "-o", "b.yaml"],
        &["b.yaml"],
    );
}

#[test]
fn a_caret_stands_under_the_wrong_word() {
    let fixture = Fixture::new();
    fixture.write("storm.toml", &fixture.read("storm.toml").replace("workers ", "wrokers "));
    let output = fixture.output(&["run", "storm.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("storm.toml:8:1"), "{message}");
    assert!(message.contains("^^^^^^^") && message.contains("`workers`"), "{message}");
}
