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

/// What is told of scenarios that come with the project: each word follows from something in the run that
/// is easily taken for something else.
fn told(scenario: &str, variant: &str) -> String {
    let path = format!("{}/scenarios/{scenario}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = Fixture::new().stdout(&["explain", &path, "--variant", variant]);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn hedges_are_told_apart_from_retries() {
    let text = told("hedging", "few workers, hedge after 20 ms");
    assert!(text.contains("Of all attempts, 50 % are hedges."), "{text}");
    assert!(text.contains("what is sent besides first attempts makes 2,0"), "{text}");
    let text = told("retry-storm-remedies", "hedging");
    assert!(text.contains("What is out for long is sent once more"), "{text}");
    let text = told("retry-storm-remedies", "3 retries");
    assert!(text.contains("Late answers are tried again") && !text.contains("hedges"), "{text}");
}

/// Two workers of the autoscaler serve 200 a second in the end, and the one that it begins with 100.
#[test]
fn workers_that_an_autoscaler_brings_count() {
    let text = told("autoscaler", "the same, and two retries");
    assert!(text.contains("240 a second, 1.20 times what it can serve"), "{text}");
    assert!(text.contains("falls below 200 a second: 2.50 attempts"), "{text}");
    let text = told("autoscaler", "the same, and one retry");
    assert!(text.contains("The autoscaler brought workers"), "{text}");
}

#[test]
fn a_cache_that_fills_again_is_why_it_is_back() {
    let text = told("cold-cache", "one fetch for each key, which goes on");
    // A fetch that goes on fills it, though most come too late for those who had asked.
    assert!(text.contains("filled the cache all the same"), "{text}");
    let text = told("cold-cache", "the same, and one fetch for each key, which goes on");
    assert!(text.contains("none come to “database”: the others wait"), "{text}");
}

#[test]
fn what_has_no_end_or_no_length_is_not_given_one() {
    let text = told("silent-server", "Go net/http");
    assert!(text.contains("no request ends; one is open in the end"), "{text}");
    let text = told("scalability-cliff", "limit of 100");
    assert!(text.contains("65 attempts wait for “api”. "), "{text}");
    assert!(text.contains("What it had in hand became few enough"), "{text}");
    let text = told("stacked-timeouts", "5 s for each");
    assert!(
        text.contains("At second 25 it was back, while the disturbance still went on."),
        "{text}"
    );
    let text = told("layers", "every hop retries");
    assert!(text.contains("not for want of capacity") && !text.contains("0.00 "), "{text}");
}

/// The story of a scenario of these tests' own, in one line.
fn told_of(text: &str) -> String {
    let fixture = Fixture::new();
    fixture.write("story.toml", text);
    let text = fixture.stdout(&["explain", "story.toml"]);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whoever waits with a worker for a service that stands still looks busier than it.
const TWO_CALLEES: &str = "
title = 'two callees'
horizon = '60s'
[services.mid]
workers = 100
service_time = '1ms'
calls.a = { timeout = '500ms' }
calls.b = { timeout = '500ms' }
[services.a]
workers = 10
service_time = '10ms'
[services.b]
workers = 10
service_time = '10ms'
[clients.web]
calls = 'mid'
arrival_rate = 200
[triggers.x]
stall = { service = 'b', begins = '10s', lasts = '2s' }
";

#[test]
fn the_story_is_about_the_service_at_which_it_begins() {
    let text = told_of(TWO_CALLEES);
    assert!(
        text.contains("Fresh requests alone bring “b” 200 attempts a second, of 1,000"),
        "{text}"
    );
    // Two seconds of 200 attempts, all of them given up after half a second and served nevertheless.
    assert!(text.contains("waiting for “b”, each worker of “mid” is held for"), "{text}");
    assert!(text.contains("against 0.0110 s before"), "{text}");
    let deeper = TWO_CALLEES
        .replace("[services.b]", "[services.b.calls.disk]\n[services.disk]")
        .replace("[services.a]", "[services.b]\nworkers = 100\nservice_time = '1ms'\n[services.a]");
    let text = told_of(&deeper.replace("service = 'b'", "service = 'disk'"));
    assert!(text.contains("Fresh requests alone bring “disk” 200 attempts"), "{text}");
    assert!(
        text.contains("worker of “b” is held for") && text.contains("worker of “mid”"),
        "{text}"
    );
}

/// What a full queue refuses at once takes no longer than usual: the stalled disk is where it begins.
#[test]
fn a_service_that_stands_still_is_named_though_its_callers_are_refused() {
    let text = told_of(
        "title = 'a disk with a short queue'
horizon = '30s'
[services.shard]
workers = 40
service_time = { exponential = { mean = '5ms' } }
calls.disk = { timeout = '25ms', retry.immediate = { max_retries = 1 } }
[services.disk]
workers = 20
service_time = { exponential = { mean = '5ms' } }
queue = { max_waiting = 20 }
[clients.web]
calls = 'shard'
arrival_rate = 500
call.timeout = '200ms'
[triggers.gc]
stall = { service = 'disk', begins = '10s', lasts = '1s' }
",
    );
    assert!(text.contains("Fresh requests alone bring “disk” 500 attempts a second"), "{text}");
}

/// The mean over ten instances hides the one that fails.
#[test]
fn one_instance_is_not_hidden_by_the_others() {
    let text = told_of(
        "title = 'one slow instance'
horizon = '60s'
[services.api]
workers = 4
instances = 10
service_time = { exponential = { mean = '10ms' } }
balancer = 'round_robin'
[clients.web]
calls = 'api'
load = 0.5
call.timeout = '100ms'
call.retry.immediate = { max_retries = 1 }
[triggers.slow]
slowdown = { service = 'api', instance = 3, factor = 20, begins = '10s', lasts = '30s' }
",
    );
    assert!(
        text.contains("Of 13,021 attempts sent to “api.3”, 10,984 fail, and 22 are still out"),
        "{text}"
    );
    assert!(text.contains("that instance is no better off"), "{text}");
    assert!(!text.contains("gone before it mattered"), "{text}");
}

#[test]
fn whoever_gives_up_is_named_with_his_own_time() {
    let text = told("stacked-timeouts", "one deadline of 500 ms, handed on");
    assert!(!text.contains("gives up after 5 s"), "{text}");
    let text = told("storefront", "the mesh retries");
    assert!(text.contains("whoever sent them gives up after 0.25 to 0.4 s"), "{text}");
    assert!(
        text.contains("As from second 0 to 20, fresh requests alone bring “database”"),
        "{text}"
    );
}

#[test]
fn late_answers_that_are_kept_fill_the_cache() {
    let text = told("cold-cache", "late answers are kept");
    assert!(text.contains("came too late for those who had asked, and filled the cache"), "{text}");
}

#[test]
fn who_fails_by_himself_and_what_is_done_twice_is_told() {
    let text = told("layers", "every hop retries");
    let fails = "“disk” answers 100 % of its attempts with an error (errors.share)";
    assert!(text.contains(fails), "{text}");
    let text = told("lost-replies", "a transport that repeats");
    assert!(
        text.contains("1,221 operations, 221 of them for requests for which it had done so before"),
        "{text}"
    );
    assert!(text.contains("are repeats beneath their policies"), "{text}");
}

/// A surge of which the autoscaler is the end, long before it is over.
#[test]
fn an_autoscaler_that_is_in_time_is_named() {
    let text = told_of(
        "title = 'a surge'
horizon = '200s'
[services.api]
workers = 4
service_time = { exponential = { mean = '10ms' } }
autoscaling = { target_utilisation = 0.5, start_up = '10s', max = 30, min = 2, every = '5s' }
[clients.web]
calls = 'api'
arrival_rate = 200
call.timeout = '1s'
[triggers.s]
surge = { client = 'web', factor = 4, begins = '60s', lasts = '100s' }
",
    );
    assert!(text.contains("while the disturbance is still on, until second 160"), "{text}");
    assert!(text.contains("The autoscaler had brought workers"), "{text}");
}
