use super::fixture::{Fixture, keys, stderr, stdout};

const STALL: [&str; 4] = ["tip", "storm.toml", "--axis", "triggers.gc.stall.lasts"];

#[test]
fn a_sentence_a_row_and_what_it_took() {
    let text = Fixture::new().stdout(&STALL);
    insta::assert_snapshot!(text);
}

#[test]
fn an_axis_that_does_not_tip_is_an_answer() {
    let fixture = Fixture::new();
    insta::assert_snapshot!(fixture.stdout(&[&STALL[..], &["--from", "2s"]].concat()));
}

#[test]
fn programs_get_points_values_and_curves() {
    let fixture = Fixture::new();
    let json = fixture.json(&[&STALL[..], &["--format", "json"]].concat());
    assert_eq!(json["axis"], "triggers.gc.stall.lasts");
    let variant = &json["variants"][0];
    assert_eq!(variant["variant"], "3 retries");
    assert_eq!((&variant["from_s"], &variant["to_s"]), (&0.5.into(), &4.0.into()));
    let point = &variant["tipping_points"][0];
    let low = point["tips_at_low_s"].as_f64().unwrap();
    assert!(low > 0.5 && low < point["tips_at_s"].as_f64().unwrap());
    assert_eq!(point["recovers"], "below");
    assert!(point["curve"].as_array().unwrap().len() > 20);
    let tried = variant["tried"].as_array().unwrap();
    let runs: u64 = tried.iter().map(|value| value["runs"].as_u64().unwrap()).sum();
    assert_eq!(variant["runs"], runs + 3);

    let csv = fixture.stdout(&[&STALL[..], &["--format", "csv"]].concat());
    assert_eq!(csv.lines().count(), 2);
    let csv = fixture.stdout(&[&STALL[..], &["--format", "csv", "--rows", "values"]].concat());
    assert_eq!(csv.lines().count(), tried.len() + 1);
    let header = format!("variant,{}", keys(&tried[0]).join(","));
    assert_eq!(csv.lines().next().unwrap(), header);
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let fixture = Fixture::new();
    let tip = |jobs| fixture.stdout(&[&STALL[..], &["--format", "json", "--jobs", jobs]].concat());
    assert!(tip("1") == tip("4"));
}

/// Where nothing stands yet, what is typed tells whether it is a number or a length.
#[test]
fn a_key_that_is_not_written_is_of_the_kind_that_makes_a_world() {
    let fixture = Fixture::new();
    let axis = |path, from, to| {
        let args = ["tip", "storm.toml", "--axis", path, "--from", from, "--to", to];
        fixture.json(&[&args[..], &["--format", "json"]].concat())
    };
    let retries = axis("start.retries", "0", "5");
    assert_eq!(retries["variants"][0]["to"], 5.0, "{retries}");
    let backlog = axis("start.backlog", "0s", "500ms");
    assert_eq!(backlog["variants"][0]["to_s"], 0.5, "{backlog}");
}

#[test]
fn a_chart_of_each_variant() {
    let fixture = Fixture::new();
    let more = ["--variant", "3 retries", "--variant", "no retries", "--plot", "charts"];
    let text = fixture.stdout(&[&STALL[..], &more].concat());
    assert!(text.contains("“no retries” does not tip"), "{text}");
    assert!(fixture.read("charts/storm-tip.svg").contains("no retries"));
    assert!(fixture.path("charts/storm-tip.png").exists());
}

#[test]
fn what_cannot_be_searched_is_refused_at_once() {
    let fixture = Fixture::new();
    let check = |args: &[&str], expected: &[&str]| {
        let output = fixture.output(&[&["tip", "storm.toml"], args].concat());
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
        assert_eq!(stdout(&output), "", "{args:?}");
        for words in expected {
            assert!(message.contains(words), "{args:?}: {words} in {message}");
        }
    };
    check(&[], &["--axis"]);
    check(&["--axis", "clients.wbe.load"], &["--axis:1:9", "did you mean `web`?"]);
    check(&["--axis", "clients.web.laod"], &["`laod`", "did you mean `load`?"]);
    check(&["--axis", "clients.web.calls"], &["is no number", "^^^"]);
    check(
        &["--axis", "triggers.gc.stall"],
        &["is no number", "`triggers.gc.stall.begins`", "`triggers.gc.stall.lasts`"],
    );
    check(&["--axis", "expect.seeds"], &["an axis cannot change `expect`"]);
    check(&["--axis", "clients.web.call.retry.immediate.max_retries", "--from", "x"], &["--from"]);
    check(&["--axis", "clients.web.load", "--from", "1s"], &["--from:1:1", "is a number"]);
    check(
        &["--axis", "clients.web.load", "--from", "0.9", "--to", "0.5"],
        &["--from must be below"],
    );
    check(
        &["--axis", "clients.web.load", "--from", "0", "--log"],
        &["even ratios never come from zero"],
    );
    check(&["--axis", "services.api.queue.max_waiting"], &["say --from and --to"]);
    check(&["--axis", "clients.web.load", "--runs", "20"], &["--runs 20 is too few"]);
    check(&["--axis", "clients.web.load", "--runs", "-1"], &["-1 is not in 1..="]);
    let stall = "triggers.gc.stall.lasts";
    check(&["--axis", stall, "--from", "-1s"], &["cannot be negative", "--from:1:1", "1 | -1s"]);
    check(
        &["--axis", stall, "--from", "2s", "--to", "2s"],
        &["goes from 2s to 2s", "--from must be"],
    );
    check(&["--axis", "clients.web.load", "--from", "-1"], &["--from:1:1", "1 | -1\n"]);
    check(&["--axis", "clients.web.load", "--to", "1e308"], &["--to:1:1", "1 | 1e308"]);
    check(&["--axis", "title"], &["cannot change `title`", "an axis is a number", "whole story"]);
    check(&["--axis", "start.retries", "--from", "0"], &["say --from and --to"]);
    check(&["--axis", "start.retries", "--from", "0", "--to", "2.5"], &["--to:1:1", "1 | 2.5"]);
    check(
        &["--axis", "start.backlog", "--from", "0s", "--to", "10000000s"],
        &["storm.toml:4:11", "with start.backlog=10000000s"],
    );
    check(&["--axis", "clients.web.load", "--rows", "values"], &["--rows is about CSV"]);
    let calm = fixture.read("storm.toml");
    let calm: String = calm.split("[triggers.gc]").next().unwrap().to_owned();
    fixture.write("calm.toml", &calm);
    let output = fixture.output(&["tip", "calm.toml", "--axis", "clients.web.load"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("nothing disturbs `3 retries`"), "{}", stderr(&output));
}

/// Long enough to be interrupted on any machine. What is known is told, as less than all, and no file is written.
#[cfg(unix)]
#[test]
fn an_interrupted_search_tells_what_it_knows() {
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    let fixture = Fixture::new();
    let long = ["--set", "horizon=1000s", "-o", "tip.csv", "--plot", "charts"];
    let search = Command::new(env!("CARGO_BIN_EXE_metastable"))
        .current_dir(fixture.path(""))
        .args([&STALL[..], &long].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    sleep(Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &search.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = search.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("Interrupted in “3 retries”, after "), "{text}");
    assert!(text.contains("this is what was known by then."), "{text}");
    let says = "interrupted: this is what was known by then, and no file was written\n";
    assert_eq!(stderr(&output), says);
    assert_eq!(fixture.names(), ["storm.toml"]);
}
