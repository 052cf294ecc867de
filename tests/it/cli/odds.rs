use super::fixture::{Fixture, stderr, stdout};

/// A small service near its capacity, whose queue reaches a timeout every few minutes by chance.
const NEAR: [&str; 6] = [
    "--set",
    "clients.web.load=0.85",
    "--set",
    "clients.web.call.timeout=200ms",
    "--set",
    "services.api.workers=1",
];

fn odds(more: &[&str]) -> serde_json::Value {
    let args = ["odds", "storm.toml", "--format", "json"];
    Fixture::new().json(&[&args[..], &NEAR[..], more].concat())
}

fn number(json: &serde_json::Value, key: &str) -> f64 {
    json[key].as_f64().unwrap()
}

/// Both ways of finding out must agree within their intervals.
#[test]
fn splitting_and_waiting_agree_on_a_storm() {
    let plain = odds(&["--method", "plain", "--runs", "300", "--length", "60s"]);
    let split = odds(&["--method", "splitting"]);
    let collapses = plain["plain"][0]["collapses"].as_u64().unwrap();
    assert!((20..=280).contains(&collapses), "{plain}");
    assert!(
        number(&plain, "per_second_low") < number(&split, "per_second_high")
            && number(&split, "per_second_low") < number(&plain, "per_second_high"),
        "{plain} {split}"
    );
    assert!(number(&split, "relative_error") < 0.3, "{split}");
}

#[test]
fn text_says_how_often() {
    let fixture = Fixture::new();
    let args = ["odds", "storm.toml", "--method", "plain", "--runs", "60"];
    let text = fixture.stdout(&[&args[..], &NEAR[..]].concat());
    assert!(text.contains("it collapses by chance about once in"), "{text}");
    assert!(text.contains("within an hour with chance"), "{text}");
    assert!(text.contains("60 plain runs of up to 20 s"), "{text}");
}

#[test]
fn what_never_happens_is_said_to_be_rare() {
    let fixture = Fixture::new();
    let even = ["--set", "clients.web.arrivals=\"even\""];
    let text = fixture.stdout(&[&["odds", "storm.toml"], &even[..]].concat());
    assert!(text.contains("It was not seen to leave its calm state"), "{text}");
}

/// A queue of a second at a load of 0.7 is not worth climbing to.
#[test]
fn what_is_rarer_than_anything_is_given_up() {
    let fixture = Fixture::new();
    let json = fixture.json(&["odds", "storm.toml", "--format", "json", "--length", "5s"]);
    assert_eq!((&json["too_rare"], &json["per_second"]), (&true.into(), &0.0.into()), "{json}");
    let most = json["per_second_high"].as_f64().unwrap();
    assert!(most > 0.0 && most < 1e-18, "{json}");
    assert!(json["says"].as_str().unwrap().contains("less than once in about"), "{json}");
    let output = fixture.output(&["odds", "storm.toml", "--length", "5s"]);
    assert!(stderr(&output).contains("note: --length is of plain runs"), "{}", stderr(&output));
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let fixture = Fixture::new();
    let run = |jobs| {
        let args = ["odds", "storm.toml", "--method", "splitting", "--backlog", "150ms"];
        let more =
            ["--set", "services.api.workers=1", "--format", "json", "--plot", "p", "--jobs", jobs];
        fixture.stdout(&[&args[..], &more].concat())
    };
    let one = run("1");
    let chart = fixture.read("p/storm-odds.svg");
    assert!(one == run("3") && chart == fixture.read("p/storm-odds.svg"));
}

#[test]
fn where_there_are_no_odds_it_says_why() {
    let fixture = Fixture::new();
    let check = |args: &[&str], says: &str| {
        let output = fixture.output(&[&["odds", "storm.toml"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(stdout(&output), "");
        assert!(stderr(&output).contains(says), "{args:?}: {}", stderr(&output));
    };
    check(&["--set", "clients.web.load=1.5"], "overloaded");
    let profile =
        "clients.web.arrivals.profile={points=[{at=\"0s\",factor=1},{at=\"5s\",factor=2}]}";
    check(&["--set", profile], "follows the clock");
    check(&["--set", "solver.stepped={step=\"100ms\"}"], "no chance in the stepped solver");
    check(&["--backlog", "0s"], "above zero");
    check(&["--backlog", "-1s"], "cannot be negative");
    check(&["--length", "-1s"], "cannot be negative");
    check(&["--method", "splitting", "--length", "10s"], "--method splitting has none");
    check(&["--method", "plain", "--plot", "p"], "--method plain has none");
    check(&["--method", "splitting", "--runs", "5"], "20 repetitions at least");
    check(&["--backlog", "1s", "--stays", "1s"], "cannot be used with");
}
