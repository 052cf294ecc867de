use super::fixture::{Fixture, stderr, stdout};

const AXIS: [&str; 8] =
    ["--axis", "clients.web.load", "--from", "0.1", "--to", "1.2", "--step", "0.1"];

fn loops(more: &[&str]) -> Vec<&'static str> {
    let more: Vec<&'static str> =
        more.iter().map(|word| (*word).to_owned().leak() as &str).collect();
    [&["hysteresis", "storm.toml", "--hold", "10s"], &AXIS[..], &more[..]].concat()
}

/// Four attempts for each request fit up to a quarter of the capacity, and one attempt up to all of it.
#[test]
fn the_loop_of_a_storm_is_where_theory_has_it() {
    let json = Fixture::new().json(&loops(&["--seeds", "4", "--format", "json"]));
    assert_eq!(json["axis"], "clients.web.load");
    assert_eq!((&json["seeds"], &json["rising"]), (&4.into(), &true.into()));
    let [collapse, comeback] =
        ["collapse", "comeback"].map(|corner| json[corner]["value"].as_f64().unwrap());
    assert!((0.9..=1.1).contains(&collapse), "{json}");
    assert_eq!(comeback, 0.2, "{json}");
    assert!((json["width"].as_f64().unwrap() - (collapse - comeback)).abs() < 1e-12);
    let values = json["values"].as_array().unwrap();
    assert_eq!(values.len(), 12);
    let at_half = &values[4];
    assert_eq!(at_half["number"], 0.5);
    assert!(at_half["out_goodput_share_low"].as_f64().unwrap() > 0.99, "{at_half}");
    assert!(at_half["back_goodput_share_high"].as_f64().unwrap() < 0.1, "{at_half}");
}

/// More steps let more pile up, which takes longer to drain; the place from which on it drains is the same.
#[test]
fn the_loop_ends_at_the_same_place_whatever_the_step() {
    let fixture = Fixture::new();
    let comeback = |step: &str| {
        let range = ["--axis", "clients.web.load", "--from", "0.1", "--to", "1.2", "--step", step];
        let more = ["--hold", "10s", "--seeds", "3", "--format", "json"];
        let json = fixture.json(&[&["hysteresis", "storm.toml"], &range[..], &more].concat());
        let draining: u64 = json["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value["draining_seeds"].as_u64().unwrap())
            .sum();
        let says = json["says"].as_str().unwrap().to_owned();
        assert_eq!(says.contains("still falling when the value was left"), draining > 0, "{says}");
        (json["comeback"]["value"].as_f64().unwrap(), draining)
    };
    for (step, width) in [("0.05", 0.05), ("0.02", 0.05)] {
        let (value, _) = comeback(step);
        assert!((0.25 - width..=0.25).contains(&value), "{step}: {value}");
    }
    // So much has piled up on this way that nobody waits for it at the first value that drains.
    assert!(comeback("0.02").1 > 0);
}

/// Without retries there is one state at each load: it collapses and comes back at the same.
#[test]
fn without_retries_there_is_no_loop() {
    let args = loops(&["--variant", "no retries", "--seeds", "2", "--format", "json"]);
    let json = Fixture::new().json(&args);
    let [collapse, comeback] =
        ["collapse", "comeback"].map(|corner| json[corner]["value"].as_f64().unwrap());
    assert!(collapse >= 1.0 && collapse - comeback < 0.35, "{json}");
    assert!(json["says"].as_str().unwrap().contains("too narrow for these steps"), "{json}");
}

/// Fewer workers are what is bad: the way out leads down.
#[test]
fn the_way_out_begins_where_it_is_well() {
    let range = ["--axis", "services.api.workers", "--from", "1", "--to", "15", "--step", "1"];
    let fixture = Fixture::new();
    let set = ["--set", "clients.web.arrival_rate=300", "--seeds", "2", "--hold", "10s"];
    let args = [&["hysteresis", "storm.toml", "--format", "json"], &range[..], &set[..]].concat();
    let json = fixture.json(&args);
    assert_eq!(json["rising"], false);
    let [collapse, comeback] =
        ["collapse", "comeback"].map(|corner| json[corner]["value"].as_f64().unwrap());
    // A hundred each: three are enough for 300 requests a second, and twelve for 1,200 attempts.
    assert!((2.0..=3.0).contains(&collapse) && (12.0..=14.0).contains(&comeback), "{json}");
}

#[test]
fn text_says_it_in_a_sentence() {
    let text = Fixture::new().stdout(&loops(&["--seeds", "2"]));
    assert!(text.contains("on the way back down it comes back only at"), "{text}");
    assert!(text.contains("0.5 ") && text.contains("on the way up  on the way down"), "{text}");
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let fixture = Fixture::new();
    let run = |jobs| {
        fixture.stdout(&loops(&["--seeds", "3", "--format", "json", "--plot", "p", "--jobs", jobs]))
    };
    let one = run("1");
    let chart = fixture.read("p/storm-hysteresis.svg");
    assert!(one == run("3") && chart == fixture.read("p/storm-hysteresis.svg"));
}

#[test]
fn what_cannot_be_moved_is_refused() {
    let fixture = Fixture::new();
    let check = |args: &[&str], says: &str| {
        let output = fixture.output(&[&["hysteresis", "storm.toml"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(stdout(&output), "");
        assert!(stderr(&output).contains(says), "{args:?}: {}", stderr(&output));
    };
    let range = ["--from", "1", "--to", "3", "--step", "1"];
    let axis = |path: &'static str| [&["--axis", path], &range[..]].concat();
    check(&axis("clients.web.lod"), "did you mean `load`?");
    check(&axis("clients.web.instances"), "`instances` holds for a whole run");
    check(&axis("window"), "expected a length of time");
    check(&["--axis", "triggers.gc.stall.lasts"], "nothing changes along this axis");
    check(&["--axis", "clients.web.call.timeout"], "its range must be given");
    check(&["--axis", "clients.web.load", "--hold", "0s"], "above zero");
    check(&["--axis", "clients.web.load", "--hold", "10"], "needs a unit");
    check(&["--axis", "clients.web.load", "--from", "0.1"], "--to");
    let load = |from: &'static str, to: &'static str, step: &'static str| {
        ["--axis", "clients.web.load", "--from", from, "--to", to, "--step", step]
    };
    check(&load("0.1", "1", "-1"), "--step:1:1");
    check(&load("1", "0.1", "0.1"), "--from:1:1");
    check(&load("0.1", "x", "0.1"), "--to:1:1");
    check(&load("-1", "1", "0.5"), "--from:1:1");
    check(&["--axis", "clients.web.load", "--hold", "-1s"], "cannot be negative");
    let ten = ["--from", "2", "--to", "3", "--step", "0.5"];
    check(&[&["--axis", "clients.web.load"], &ten[..]].concat(), "not well at either end");
    let profile = [
        "--set",
        "clients.web.arrivals.profile={points=[{at=\"0s\",factor=1},{at=\"5s\",factor=2}]}",
    ];
    check(&[&axis("services.api.workers")[..], &profile].concat(), "follows the clock");
}
