use super::fixture::{Fixture, keys, stderr, stdout};

const LINE: [&str; 10] = [
    "frontier",
    "storm.toml",
    "--x",
    "clients.web.load",
    "--x-to",
    "0.9",
    "--y",
    "triggers.gc.stall.lasts",
    "--y-from",
    "200ms",
];

#[test]
fn a_row_per_column_and_what_a_grid_would_take() {
    let fixture = Fixture::new();
    let text = fixture.stdout(&[&LINE[..], &["--plot", "charts", "-o", "line.csv"]].concat());
    assert!(text.contains("tips at triggers.gc.stall.lasts = "), "{text}");
    assert!(text.contains("a grid as fine"), "{text}");
    assert!(fixture.path("charts/storm-frontier.png").exists());
    let json = fixture.json(&[&LINE[..], &["--format", "json", "--jobs", "1"]].concat());
    let columns = json["columns"].as_array().unwrap();
    let csv = fixture.read("line.csv");
    assert_eq!(csv.lines().next().unwrap(), keys(&columns[0]).join(","));
    assert_eq!(csv.lines().count(), columns.len() + 1);
    let tips: Vec<f64> = columns.iter().filter_map(|c| c["tips_at_s"].as_f64()).collect();
    assert!(tips.len() > 4 && tips.first() > tips.last(), "{tips:?}");
}

/// Between two whole numbers there is nothing.
#[test]
fn whole_numbers_stay_whole() {
    let fixture = Fixture::new();
    let retries = "clients.web.call.retry.immediate.max_retries";
    let args = ["frontier", "storm.toml", "--x", "clients.web.load", "--x-from", "0.3", "--x-to"];
    let more = ["0.7", "--y", retries, "--y-from", "0", "--y-to", "4", "--runs", "260"];
    let text = fixture.stdout(&[&args[..], &more].concat());
    assert!(text.contains("max_retries tips between"), "{text}");
    assert!(text.contains("max_retries = 1 and 2") && !text.contains(".50"), "{text}");
}

#[test]
fn what_has_no_line_is_refused_at_once() {
    let fixture = Fixture::new();
    let check = |args: &[&str], expected: &str| {
        let output = fixture.output(&[&["frontier", "storm.toml"], args].concat());
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
        assert_eq!(stdout(&output), "");
        assert!(message.contains(expected), "{args:?}: {expected} in {message}");
    };
    let (load, stall) = ("clients.web.load", "triggers.gc.stall.lasts");
    check(&["--x", load], "--y");
    check(&["--x", "clients.web.lod", "--y", stall], "did you mean `load`?");
    check(&["--x", load, "--y", "clients.web.calls"], "--y:1:1");
    check(&["--x", load, "--y", load], "this path lies within another one");
    check(&["--x", load, "--y", stall, "--runs", "50"], "--runs 50 is too few");
    check(
        &["--x", load, "--x-from", "0.9", "--x-to", "0.2", "--y", stall],
        "--x-from must be below",
    );
    let two = ["--x", load, "--y", stall, "--variant", "3 retries", "--variant", "no retries"];
    check(&two, "name one --variant");
}
