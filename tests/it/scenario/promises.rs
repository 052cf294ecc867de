//! What `[expect]` can promise, held against worlds of which every number is known.

use std::sync::atomic::AtomicBool;

use metastable::experiment::{Across, Bound, Claim, Finding, Metric, Quantity, Subject, check};
use metastable::scenario::Story;

use super::parse;

/// Two clients without a word of chance: 100 and 50 requests a second, for ten seconds.
const TWO: &str = r#"title = "Two"
horizon = "10s"

[services.api]
workers = 10
service_time = "5ms"

[services.slow]
workers = 1
service_time = "30ms"

[clients.a]
calls = "api"
arrival_rate = 100
arrivals = "even"

[clients.b]
calls = "slow"
arrival_rate = 50
arrivals = "even"
call.timeout = "15ms"
call.retry.immediate = { max_retries = 1 }
"#;

fn story(text: &str, promises: &str) -> Story {
    let text = format!("{text}[expect]\n{promises}");
    parse(&text, &[]).unwrap_or_else(|trouble| panic!("{promises}: {trouble}"))
}

fn findings(text: &str, promises: &str) -> Vec<Finding> {
    let story = story(text, promises);
    let variant = &story.variants[0];
    let subject = Subject { name: &variant.name, model: &variant.model };
    let promise = variant.expect.as_ref().unwrap();
    let claims = [(Claim::Variant { subject, promise }, story.seed)];
    let mut judged = check(&claims, &AtomicBool::new(false), |_| ()).unwrap();
    judged.remove(0).remove(0).findings
}

/// The promise is kept, and one that asks for something else is not.
fn exactly(text: &str, promises: impl Fn(f64) -> String, value: f64) {
    let held = |promises: &str| findings(text, promises)[0].held;
    assert!(held(&promises(value)), "{}: {:?}", promises(value), findings(text, &promises(value)));
    // Another number, and still a share where it is one.
    let other = 0.25 + value / 2.0;
    assert!(!held(&promises(other)), "{}", promises(other));
}

#[test]
fn each_client_has_numbers_of_its_own() {
    let of = |metric: &'static str| move |value: f64| format!("clients.{metric} = {value}\n");
    exactly(TWO, of("a.requests"), 1_000.0);
    exactly(TWO, of("a.succeeded"), 1_000.0);
    exactly(TWO, of("a.succeeded_share"), 1.0);
    exactly(TWO, of("a.amplification"), 1.0);
    exactly(TWO, of("b.requests"), 500.0);
    // Nobody is answered within 15 ms, and everybody asks twice.
    exactly(TWO, of("b.succeeded"), 0.0);
    exactly(TWO, of("b.attempts"), 1_000.0);
    exactly(TWO, of("b.amplification"), 2.0);
}

#[test]
fn each_service_has_a_queue_of_its_own() {
    let of = |metric: &'static str| move |value: f64| format!("services.{metric} = {value}\n");
    exactly(TWO, of("api.longest_queue"), 0.0);
    // A hundred attempts a second come, and one is begun every 30 ms: 334 of 1,000.
    exactly(TWO, of("slow.last_queue"), 1_000.0 - 334.0);
    exactly(TWO, of("slow.longest_queue"), 1_000.0 - 334.0);
}

/// Two clients, of which both reach the store, one of them by two ways: 10 and 5 requests, one a second.
const STORE: &str = r#"title = "A store"
horizon = "10s"

[services.page]
workers = 10
service_time = "100ms"
calls.stock = { step = 1 }
calls.price = { step = 2, to = "store", needed = false, timeout = "30ms", retry = { immediate = { max_retries = 1 } } }

[services.stock]
workers = 10
service_time = "10ms"
calls.store = { copies = 2, needed = false }

[services.store]
workers = 1
service_time = "40ms"
queue = { max_waiting = 0 }

[clients.web]
calls = "page"
arrival_rate = 1
arrivals = "even"

[clients.night]
calls = "store"
arrivals = { volley = { requests = 5, at = "500ms" } }
"#;

#[test]
fn each_service_and_each_edge_has_numbers_of_its_own() {
    let service = |metric: &'static str| move |value: f64| format!("services.{metric} = {value}\n");
    let edge = |metric: &'static str| move |value: f64| format!("edges.{metric} = {value}\n");
    exactly(STORE, edge("\"web.page\".attempts"), 10.0);
    exactly(STORE, edge("\"page.stock\".attempts"), 10.0);
    // Two copies at once find one worker and no place to wait.
    exactly(STORE, edge("\"stock.store\".attempts"), 20.0);
    exactly(STORE, edge("\"stock.store\".rejected"), 10.0);
    exactly(STORE, edge("\"stock.store\".succeeded"), 10.0);
    // The price takes 40 ms and is waited for 30 ms. What is sent then finds the worker at it still.
    exactly(STORE, edge("\"page.price\".requests"), 10.0);
    exactly(STORE, edge("\"page.price\".timed_out"), 10.0);
    exactly(STORE, edge("\"page.price\".retries"), 10.0);
    exactly(STORE, edge("\"page.price\".rejected"), 10.0);
    exactly(STORE, edge("\"page.price\".failed"), 10.0);
    exactly(STORE, edge("\"page.price\".amplification"), 2.0);
    // However many ways there are from a client, its ten requests count once.
    exactly(STORE, edge("\"page.price\".attempts_per_fresh_request"), 2.0);
    exactly(STORE, edge("\"stock.store\".attempts_per_fresh_request"), 2.0);
    exactly(STORE, edge("\"night.store\".rejected"), 4.0);
    exactly(STORE, edge("\"night.store\".attempts_per_fresh_request"), 1.0);

    exactly(STORE, service("store.attempts"), 45.0);
    exactly(STORE, service("store.rejected"), 24.0);
    exactly(STORE, service("store.completed"), 21.0);
    exactly(STORE, service("store.answered"), 11.0);
    let share = |value: f64| {
        let ends = format!("{{ min = {}, max = {} }}", value - 1e-9, value + 1e-9);
        format!("services.store.wasted_work_fraction = {ends}\n")
    };
    exactly(STORE, share, 10.0 / 21.0);
    exactly(STORE, service("page.answered"), 10.0);
    // A worker of the page is held 100 ms, 40 ms for the stock and its store, 10 ms own work of the stock
    // among them, and 30 ms for the price.
    exactly(STORE, service("page.in_service_s"), 1.8);
    exactly(STORE, service("page.work_s"), 1.0);
}

/// Where there is one of each, nothing is kept of the parties, and the promise holds all the same.
#[test]
fn a_single_client_is_the_whole() {
    let without_b = TWO.split("[clients.b]").next().unwrap();
    let one = without_b.replace("[services.slow]\nworkers = 1\nservice_time = \"30ms\"\n", "");
    exactly(&one, |value| format!("clients.a.attempts = {value}\n"), 1_000.0);
    exactly(&one, |value| format!("services.api.last_queue = {value}\n"), 0.0);
    exactly(&one, |value| format!("services.api.answered = {value}\n"), 1_000.0);
    exactly(&one, |value| format!("edges.\"a.api\".requests = {value}\n"), 1_000.0);
    exactly(&one, |value| format!("edges.\"a.api\".attempts_per_fresh_request = {value}\n"), 1.0);
}

#[test]
fn the_last_success_and_the_busiest_window() {
    exactly(TWO, |value| format!("last_success_s = {value}\n"), 9.995);
    let busiest = |more: &'static str| {
        move |value: f64| format!("busiest = {{ width = \"100ms\", attempts = {value}{more} }}\n")
    };
    // In 100 ms ten requests of a, five of b and their retries.
    exactly(TWO, busiest(", after = \"1s\""), 20.0);
    let found = findings(TWO, "busiest = { width = \"100ms\", after = \"1s\", attempts = 3 }\n");
    assert_eq!(found[0].expected, "attempts in the busiest 100ms from 1s on = 3");
}

#[test]
fn they_are_read_in_order_and_as_they_are_meant() {
    let story = story(
        TWO,
        "seeds = 3\nacross_seeds = \"median\"\nretries = { max = 9 }\nclients.b.attempts = 1\n",
    );
    let promise = story.variants[0].expect.as_ref().unwrap();
    assert_eq!((promise.seeds, promise.across), (3, Across::Median));
    let most = Bound { min: f64::NEG_INFINITY, max: 9.0 };
    assert_eq!(promise.metrics[0], (Quantity::Whole(Metric::Retries), most));
    let Quantity::Client { id, name, .. } = &promise.metrics[1].0 else { panic!("another") };
    assert_eq!((id.0, name.as_str()), (1, "b"));
    // A client may be called like a word of the grammar.
    let odd = TWO.replace("clients.a", "clients.seeds");
    exactly(&odd, |value| format!("clients.seeds.requests = {value}\n"), 1_000.0);
}

/// Three instances, of which the second fails whatever it is sent from the first second on.
const FLEET: &str = r#"title = "A fleet"
horizon = "10s"

[services.api]
workers = 10
instances = 3
service_time = "5ms"
ejection = { consecutive = 1, success_rate = "none", interval = "1s", base = "2s", most = 0.5 }

[clients.web]
calls = "api"
arrival_rate = 30
arrivals = "even"

[triggers.bad]
errors = { service = "api", instance = 2, share = 1, begins = "1s", lasts = "9s" }

"#;

/// The first failure ejects for two seconds, the second for four: to the looks at 4 and 9 s. The other two
/// share what it is not sent.
#[test]
fn each_instance_has_numbers_of_its_own() {
    let of = |metric: &'static str| {
        move |value: f64| format!("instances.\"api.2\".{metric} = {value}\n")
    };
    exactly(FLEET, of("failed"), 3.0);
    exactly(FLEET, of("ejections"), 3.0);
    exactly(FLEET, of("answered"), 10.0);
    exactly(FLEET, |value| format!("ejections = {value}\n"), 3.0);
    exactly(FLEET, |value| format!("edges.\"web.api\".ejections = {value}\n"), 3.0);
    exactly(FLEET, |value| format!("instances.\"api.1\".ejections = {value}\n"), 0.0);
    let away = &findings(FLEET, "instances.\"api.2\".ejected_s = { min = 8.8, max = 8.95 }\n")[0];
    assert!(away.held, "{away:?}");
}

#[test]
fn a_promise_about_an_instance_names_one_that_exists() {
    let refused = |promise: &str, instances: &str| {
        let text = FLEET.replace("instances = 3\n", instances);
        let trouble = parse(&format!("{text}[expect]\n{promise}\n"), &["variants={}"]);
        trouble.expect_err(promise).to_string()
    };
    insta::assert_snapshot!(
        [
            refused("instances.\"api.4\".failed = 1", "instances = 3\n"),
            refused("instances.api.2.failed = 1", "instances = 3\n"),
            refused("instances.\"api.2\".fialed = 1", "instances = 3\n"),
        ]
        .join("\n")
    );
}
