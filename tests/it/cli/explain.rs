use super::fixture::Fixture;

#[test]
fn the_story_is_told_with_the_numbers_of_the_run() {
    let fixture = Fixture::new();
    let text = fixture.stdout(&["explain", "storm.toml"]);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!("storm", text);
    insta::assert_snapshot!(
        "no_retries",
        fixture.stdout(&["explain", "storm.toml", "--variant", "no retries"])
    );
}

/// The figures are those of the run: four attempts for each request at the most, and nearly so many;
/// what 2 s at 700/s leave behind; nothing of use.
#[test]
fn programs_get_the_figures() {
    let fixture = Fixture::new();
    let json = fixture.json(&["explain", "storm.toml", "--format", "json"]);
    let steps = json["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["about"] == "Retries"), "{json}");
    let run = &json["variants"][0];
    let number = |key: &str| run[key].as_f64().unwrap();
    assert_eq!(run["verdict"], "metastable");
    assert_eq!(number("capacity_per_s"), 400.0);
    assert_eq!(number("patience_s"), 1.0);
    assert!((3.8..=4.1).contains(&number("amplification")), "{json}");
    assert!(number("wasted_share") > 0.99, "{json}");
    assert!((1_000.0..1_200.0).contains(&number("demand_per_s")), "{json}");
    let csv = fixture.stdout(&["explain", "storm.toml", "--format", "csv"]);
    assert!(csv.starts_with("variant,seed,verdict,service,fresh_per_s,"), "{csv}");
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let markdown = fixture.stdout(&["explain", "storm.toml", "--format", "markdown"]);
    assert!(markdown.contains("1. **Load.**"), "{markdown}");
}

/// What was never well is told apart from what was pushed over.
#[test]
fn overload_is_told_apart() {
    let fixture = Fixture::new();
    let text = fixture.stdout(&["explain", "storm.toml", "--set", "clients.web.load=1.2"]);
    let text = text.replace('\n', " ");
    assert!(text.contains("Fresh requests alone ask for more than can be served"), "{text}");
    assert!(!text.contains("The loop needs no disturbance"), "{text}");
}

/// Where a throttle lets next to nothing through, the service is not to blame.
#[test]
fn who_waits_outside_is_told() {
    let fixture = Fixture::new();
    let throttle = "clients.web.call.throttle.rate_limit={ rate = 200 }";
    let text =
        fixture.stdout(&["explain", "storm.toml", "--set", throttle, "--variant", "no retries"]);
    let text = text.replace('\n', " ");
    assert!(text.contains("wait on their callers' side, for their throttle"), "{text}");
}
