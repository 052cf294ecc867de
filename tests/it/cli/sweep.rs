use super::fixture::{Fixture, keys, stderr, stdout};

#[test]
fn two_axes_make_a_grid() {
    let text = Fixture::new().stdout(&["sweep", "storm.toml"]);
    let grid: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("load")).collect();
    assert_eq!(grid.len(), 4, "{text}");
    assert!(grid[0].ends_with("20ms   4s"), "{text}");
    assert!(grid[2].starts_with("0.3 ") && grid[2].contains("3/3 +"), "{text}");
    assert!(grid[3].starts_with("0.7 ") && grid[3].ends_with("0/3"), "{text}");
}

#[test]
fn long_adds_intervals() {
    let text = Fixture::new().stdout(&["sweep", "storm.toml", "--long"]);
    assert!(text.contains("0.44–1.00") && text.contains("0.00–0.56"), "{text}");
}

#[test]
fn programs_get_every_name_that_is_promised() {
    let fixture = Fixture::new();
    let json = fixture.json(&["sweep", "storm.toml", "--format", "json"]);
    assert_eq!(json["scenario"], "A small storm");
    assert_eq!(json["axes"], serde_json::json!(["clients.web.load", "triggers.gc.stall.lasts"]));
    let cells = json["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 4);
    let first = &cells[0];
    let expected = [
        ("variant", serde_json::json!("3 retries")),
        ("clients.web.load", serde_json::json!(0.3)),
        ("triggers.gc.stall.lasts", serde_json::json!("20ms")),
        ("seeds", serde_json::json!(3)),
        ("recovered", serde_json::json!(3)),
        ("recovered_share", serde_json::json!(1.0)),
        ("recovered_share_high", serde_json::json!(1.0)),
    ];
    for (key, value) in expected {
        assert_eq!(first[key], value, "{key}");
    }
    let low = first["recovered_share_low"].as_f64().unwrap();
    assert!((low - 0.4385).abs() < 5e-4, "{low}");
    assert!(first["median_recovery_time_s"].is_f64());
    assert!(cells[3]["median_recovery_time_s"].is_null());
    let csv = fixture.stdout(&["sweep", "storm.toml", "--format", "csv"]);
    assert_eq!(csv.lines().next().unwrap(), keys(first).join(","));
    assert_eq!(csv.lines().count(), 5);
}

#[test]
fn seeds_and_axes_can_be_set() {
    let fixture = Fixture::new();
    let cells = |args: &[&str]| {
        fixture.json(&[&["sweep", "storm.toml", "--format", "json"], args].concat())["cells"]
            .clone()
    };
    assert_eq!(cells(&["--seeds", "2"])[0]["seeds"], 2);
    assert_eq!(cells(&["--set", "sweep.seeds=4"])[0]["seeds"], 4);
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let fixture = Fixture::new();
    let run = |jobs| fixture.stdout(&["sweep", "storm.toml", "--format", "json", "--jobs", jobs]);
    let one = run("1");
    assert!(one == run("2") && one == run("4"));
}

#[test]
fn a_scenario_without_a_sweep_is_told_how_to_write_one() {
    let fixture = Fixture::new();
    let text = fixture.read("storm.toml");
    fixture.write("plain.toml", text.split("[sweep]").next().unwrap());
    let output = fixture.output(&["sweep", "plain.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("[sweep.axes]"), "{}", stderr(&output));
}

#[test]
fn a_variant_outside_the_sweep_is_refused() {
    let output = Fixture::new().output(&["sweep", "storm.toml", "--variant", "no retries"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("[sweep]"), "{}", stderr(&output));
}

/// Long enough to be interrupted on any machine; nothing of it may be left.
#[cfg(unix)]
#[test]
fn an_interrupted_sweep_leaves_nothing_behind() {
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    let fixture = Fixture::new();
    let mut sweep = Command::new(env!("CARGO_BIN_EXE_metastable"))
        .current_dir(fixture.path(""))
        .args(["sweep", "storm.toml", "--seeds", "100000", "-o", "cells.csv", "--plot", "charts"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    sleep(Duration::from_millis(700));
    assert_eq!(sweep.try_wait().unwrap(), None, "it was over before it could be interrupted");
    let killed = Command::new("kill").args(["-INT", &sweep.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = sweep.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(stdout(&output), "");
    assert_eq!(stderr(&output), "interrupted: nothing was written\n");
    assert_eq!(fixture.names(), ["storm.toml"]);
}
