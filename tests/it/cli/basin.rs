use super::fixture::{Fixture, stderr, stdout};

fn look(more: &[&str]) -> serde_json::Value {
    let args = ["basin", "storm.toml", "--seeds", "6", "--format", "json"];
    Fixture::new().json(&[&args[..], more].concat())
}

/// Whoever waits no longer than the timeout is answered, so that nothing much below a timeout of backlog tips it.
/// With retries under way it takes less.
#[test]
fn a_backlog_of_about_a_timeout_tips_a_storm() {
    let json = look(&[]);
    let tipping = json["tipping_backlog_s"]["value"].as_f64().unwrap();
    assert!((0.9..=1.3).contains(&tipping), "{json}");
    let [low, high] =
        ["value_low", "value_high"].map(|end| json["tipping_backlog_s"][end].as_f64().unwrap());
    assert!(low <= tipping && tipping <= high && high - low < 0.3, "{json}");
    let boundary = json["boundary"].as_array().unwrap();
    assert_eq!(boundary.len(), 4);
    let backlogs: Vec<f64> =
        boundary.iter().map(|row| row["tipping_backlog_s"].as_f64().unwrap()).collect();
    assert!(backlogs.windows(2).all(|pair| pair[1] < pair[0]), "{backlogs:?}");
    assert!(json["runs"].as_u64().unwrap() < 400, "{}", json["runs"]);
}

/// Small states lead back, large ones away.
#[test]
fn drift_points_to_both_sides() {
    let json = look(&[]);
    let drift = json["drift"].as_array().unwrap();
    assert!(drift.len() > 20, "{}", drift.len());
    let number = |arrow: &serde_json::Value, key: &str| arrow[key].as_f64().unwrap();
    let tipping = json["tipping_backlog_s"]["value"].as_f64().unwrap();
    let mean = |is_in: &dyn Fn(f64) -> bool| {
        let of: Vec<f64> = drift
            .iter()
            .filter(|arrow| is_in(number(arrow, "backlog_s")) && number(arrow, "retrying") > 1.0)
            .map(|arrow| number(arrow, "backlog_s_per_s"))
            .collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    assert!(mean(&|backlog| backlog > 1.3 * tipping) > 0.2, "{drift:?}");
    let calm = drift.iter().find(|arrow| {
        (0.2..0.6).contains(&number(arrow, "backlog_s")) && number(arrow, "retrying") < 20.0
    });
    assert!(number(calm.unwrap(), "backlog_s_per_s") < 0.0, "{drift:?}");
    // The scenario's own run is pushed over: it ends far beyond.
    let way = json["trajectory"].as_array().unwrap();
    assert_eq!(way[0]["backlog_s"], 0.0);
    assert!(number(way.last().unwrap(), "backlog_s") > 5.0 * tipping, "{way:?}");
}

#[test]
fn without_retries_nothing_tips_it() {
    let fixture = Fixture::new();
    let args = ["basin", "storm.toml", "--variant", "no retries", "--seeds", "3"];
    let text = fixture.stdout(&args);
    assert!(text.contains("No backlog of up to 10 s of work tips it"), "{text}");
    assert!(text.contains("none found"), "{text}");
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let fixture = Fixture::new();
    let run = |jobs| {
        let args = ["basin", "storm.toml", "--seeds", "2", "--format", "json", "--plot", "p"];
        fixture.stdout(&[&args[..], &["--jobs", jobs]].concat())
    };
    let one = run("1");
    let chart = fixture.read("p/storm-basin.svg");
    assert!(one == run("3") && chart == fixture.read("p/storm-basin.svg"));
}

#[test]
fn where_there_is_no_basin_it_says_why() {
    let fixture = Fixture::new();
    let check = |set: &str, says: &str| {
        let output = fixture.output(&["basin", "storm.toml", "--seeds", "2", "--set", set]);
        assert_eq!(output.status.code(), Some(2), "{set}");
        assert_eq!(stdout(&output), "");
        assert!(stderr(&output).contains(says), "{set}: {}", stderr(&output));
    };
    check("clients.web.load=1.5", "it fails undisturbed");
    check("solver.stepped={step=\"100ms\"}", "the stepped solver");
    let few = fixture.output(&["basin", "storm.toml", "--seeds", "2", "--runs", "10"]);
    assert_eq!(few.status.code(), Some(2));
    assert!(stderr(&few).contains("this takes more than --runs 10"), "{}", stderr(&few));
    let text = fixture.read("storm.toml");
    let loops = text.split("[sweep]").next().unwrap();
    let loops =
        loops.replace("load         = 0.7", "arrivals.users = { count = 4, think = \"1s\" }");
    fixture.write("loops.toml", &loops);
    let output = fixture.output(&["basin", "loops.toml"]);
    assert!(stderr(&output).contains("no client has a rate"), "{}", stderr(&output));
    let output = fixture.output(&[
        "basin",
        "storm.toml",
        "--variant",
        "3 retries",
        "--variant",
        "no retries",
    ]);
    assert!(stderr(&output).contains("--variant once"), "{}", stderr(&output));
}
