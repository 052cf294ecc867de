//! Cases of retries at several layers, from public reports, through scenario and engine.

use std::fmt::Write;

use metastable::engine::agenda::Lanes;
use metastable::experiment::Workbench;
use metastable::model::Model;
use metastable::observe::{EdgeTotal, Tally};
use metastable::scenario::Story;

use crate::worlds::{told, watch};

/// A chain of `hops` calls, each with the policy `policy` but for the client's, `client`, above a service
/// that fails everything at once; and how requests come to it.
fn chain(hops: usize, client: &str, policy: &str, arrivals: &str) -> Model {
    let mut text = String::from("title = \"A chain\"\nhorizon = \"100s\"\n");
    for id in 1..=hops {
        let call = if id == hops {
            "errors = { share = 1, cost = \"nothing\" }".to_owned()
        } else {
            format!("calls.s{} = {{ {policy} }}", id + 1)
        };
        let service = format!("[services.s{id}]\nworkers = 100\nservice_time = \"1ns\"\n{call}\n");
        text.push_str(&service);
    }
    writeln!(text, "[clients.web]\ncalls = \"s1\"\n{arrivals}\ncall = {{ {client} }}")
        .expect("text");
    let story =
        Story::parse(&text, "chain.toml", &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    assert!(story.warnings.is_empty(), "{}", story.warnings);
    story.variants[0].model.clone()
}

/// What went over each edge of a chain, from the client's down.
fn edges(model: &Model) -> Vec<EdgeTotal> {
    let edges = Workbench::default().record(model, 1).edges();
    assert_eq!(edges.len(), model.services.len());
    edges
}

fn attempts(model: &Model) -> Vec<u64> {
    edges(model).iter().map(|edge| edge.link.attempts).collect()
}

const ONE: &str = "arrivals = { volley = { requests = 1, at = \"0s\" } }";
const THRICE: &str = "retry = { immediate = { max_attempts = 3 } }";

/// Case F01 (Amazon Builders' Library on timeouts and retries; tower's notes on budgets): what is tried three
/// times at each of five layers is tried 243 times at the bottom, and three times if only the top tries again.
#[test]
fn layers_multiply_unless_only_one_retries() {
    assert_eq!(attempts(&chain(5, THRICE, THRICE, ONE)), [3, 9, 27, 81, 243]);
    assert_eq!(attempts(&chain(5, THRICE, "", ONE)), [3; 5]);
    assert_eq!(attempts(&chain(3, THRICE, THRICE, ONE)), [3, 9, 27]);
    // Under a tenth of its calls at each layer, deposited by calls alone: 1.1 to the fifth at most.
    let budget =
        "budget = { sliding_window = { ratio = 0.1, window = \"100s\", deposits = \"requests\" } }";
    let thrifty = format!("{THRICE}, {budget}");
    let many = "arrivals = \"even\"\narrival_rate = 100";
    let found = attempts(&chain(5, &thrifty, &thrifty, many));
    assert_eq!(found, [11_000, 12_100, 13_310, 14_641, 16_105]);
}

/// Case F03 (gRFC A6; documentation of Polly, Envoy, Istio, urllib3, resilience4j, Spring; boto/botocore
/// #1972): one number means attempts here and retries there. A scenario says which, and the presets do as
/// their clients do. gRPC takes more than five attempts for five, which is for whoever writes it down.
#[test]
fn attempts_or_retries() {
    let made = |preset: &str, number: &str| {
        let service = "workers = 1\nservice_time = \"1ms\"";
        let gone =
            "[triggers.gone]\noutage = { service = \"api\", begins = \"0s\", lasts = \"599s\" }";
        let client = format!("{ONE}\ncall.preset = \"{preset}\"\n{number}");
        watch::<Lanes, _>(&told("600s", service, &client, gone), 1, Tally::default()).attempts
    };
    let check = |preset: &str, number: &str, expected: u64| {
        assert_eq!(made(preset, number), expected, "{preset} {number}");
    };
    check("grpc_retry_example", "call.retry.exponential.max_attempts = 3", 3);
    check("grpc_retry_example", "call.retry.exponential.max_attempts = 5", 5);
    check("polly_v8_retry", "call.retry.fixed.max_retries = 3", 4);
    check("envoy_route", "call.retry.doubling_range.max_retries = 1", 2);
    check("istio_default", "call.retry.doubling_range.max_retries = 2", 3);
    check("istio_default", "call.retry.doubling_range.max_retries = 0", 1);
    check("urllib3_retry", "call.retry.immediate.max_retries = 3", 4);
    check("resilience4j_retry", "call.retry.fixed.max_attempts = 3", 3);
    check("spring_retryable", "call.retry.fixed.max_attempts = 3", 3);
    check("aws_standard", "call.retry.exponential.max_attempts = 3", 3);
    // Its own `max_attempts: 4` of the legacy mode leaves the first one out.
    check("aws_legacy_python", "", 5);
    check("dotnet_standard", "call.retry.smooth_doubling.max_retries = 3", 4);
    check("kafka_old", "call.retry.fixed.max_retries = 0", 1);
}

/// Case F09 (Gateway API GEP-3388; failsafe-go #66): a budget of a fifth at each of three layers lets 1.2 to
/// the third through, and one that goes along with the request 1.2. A call that is tried again three times
/// has taken three from it.
#[test]
fn a_budget_for_each_layer_or_one_for_the_path() {
    let retry = "retry = { immediate = { max_retries = 9 } }";
    let own = format!(
        "{retry}, budget = {{ sliding_window = {{ ratio = 0.2, window = \"10s\", deposits = \"requests\" }} }}"
    );
    let path = format!("{retry}, budget = {{ path = {{}} }}");
    let many = "arrivals = \"even\"\narrival_rate = 100";
    let each = attempts(&chain(3, &own, &own, many));
    assert!((16_900..=17_280).contains(&each[2]), "{each:?}");
    let shared = edges(&chain(3, &own, &path, many));
    let bottom = shared[2].link;
    assert!((11_900..=12_000).contains(&bottom.attempts), "{bottom:?}");
    let retries: u64 = shared.iter().map(|edge| edge.link.retries).sum();
    assert_eq!(bottom.attempts, 10_000 + retries);
}

/// Nobody is left to charge when the attempt that a call is made for has ended: nothing is retried then.
#[test]
fn a_path_that_nobody_waits_at_has_no_budget() {
    let found = |cancels: bool| {
        let text = format!(
            "title = \"x\"\nhorizon = \"20s\"\n\
             [services.a]\nworkers = 1\nservice_time = \"1ms\"\n\
             calls.fails = {{ to = \"c\", step = 1 }}\n\
             calls.b = {{ timeout = \"2s\", retry = {{ immediate = {{ max_retries = 9 }} }}, budget = {{ path = {{}} }} }}\n\
             [services.b]\nworkers = 10\nservice_time = \"100s\"\n\
             [services.c]\nworkers = 1\nservice_time = \"1s\"\nerrors = {{ share = {} }}\n\
             [clients.web]\ncalls = \"a\"\n{ONE}\n\
             call.budget.token_threshold = {{ max_tokens = 100, ratio = 0.1 }}\n\
             call.retry.immediate = {{ max_retries = 1 }}\n",
            if cancels { 1 } else { 0 }
        );
        let story =
            Story::parse(&text, "x.toml", &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
        let model = &story.variants[0].model;
        let names = model.edge_names();
        let edges = Workbench::default().record(model, 1).edges();
        let of = names.iter().position(|name| name == "a.b").expect("the edge");
        edges[of].link
    };
    // It hangs for 2 s each: ten attempts in 20 s, of which nine are retries.
    assert_eq!(found(false).retries, 9);
    // The attempt fails after a second, so whatever its call to b comes to, nobody pays for it.
    let orphaned = found(true);
    assert_eq!((orphaned.attempts, orphaned.retries, orphaned.denied), (2, 0, 2));
}
