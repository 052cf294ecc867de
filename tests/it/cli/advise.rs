use super::fixture::{Fixture, keys, stderr, stdout};

#[test]
fn changes_are_ranked_and_what_does_not_help_has_its_evidence() {
    let fixture = Fixture::new();
    let text = fixture.stdout(&[
        "advise",
        "storm.toml",
        "--after",
        "5s",
        "-o",
        "advice.csv",
        "--plot",
        "charts",
    ]);
    assert!(fixture.path("charts/storm-advice.png").exists());
    assert!(fixture.path("charts/storm-operator.png").exists());
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let (helps, rest) = text.split_once("what does not, at any value").unwrap();
    assert!(helps.contains("api: CoDel"), "{text}");
    let command = "metastable run storm.toml --variant '3 retries' \\\n    --set '";
    assert!(helps.contains(command), "{text}");
    assert!(rest.contains("api: drop what has expired"), "{text}");
    assert!(rest.contains("an operator acts") && rest.contains("5 s"), "{text}");
    let json = fixture.json(&["advise", "storm.toml", "--no-operator", "--format", "json"]);
    let changes = json["changes"].as_array().unwrap();
    assert_eq!(json["operator"], serde_json::json!([]));
    let csv = fixture.read("advice.csv");
    let header: Vec<String> = keys(&changes[0]);
    assert_eq!(csv.lines().next().unwrap(), header.join(","));
    // What helps comes first, and what is said to help does when it is run.
    let effects: Vec<&str> = changes.iter().map(|c| c["effect"].as_str().unwrap()).collect();
    let first_failure = effects.iter().position(|effect| *effect != "helps").unwrap();
    assert!(effects[first_failure..].iter().all(|effect| *effect != "helps"), "{effects:?}");
    let mut args = vec!["run", "storm.toml", "--variant", "3 retries", "--format", "json"];
    for set in changes[0]["set"].as_array().unwrap() {
        args.extend(["--set", set.as_str().unwrap()]);
    }
    assert_eq!(fixture.json(&args)["runs"][0]["verdict"], "recovered");
}

#[test]
fn who_is_well_needs_no_advice() {
    let fixture = Fixture::new();
    let text = fixture.stdout(&["advise", "storm.toml", "--variant", "no retries"]);
    assert!(text.contains("comes back by itself: there is nothing to advise"), "{text}");
    let output = fixture.output(&["advise", "storm.toml", "--after", "soon"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    let refused = |after: &str, says: &str| {
        let output = fixture.output(&["advise", "storm.toml", "--after", after]);
        assert_eq!(output.status.code(), Some(2), "{after}");
        assert!(stderr(&output).contains(says), "{after}: {}", stderr(&output));
    };
    refused("-5s", "cannot be negative");
    // It is shown as it was typed, and before anything is run.
    refused("1000h", "--after:1:1");
    refused("1000h", "1 | 1000h");
    let message = stderr(&output);
    assert!(message.contains("'soon'") && message.contains("--after"), "{message}");
}
