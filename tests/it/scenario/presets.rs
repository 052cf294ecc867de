//! Presets: all of them are valid, a call's own keys stand, and each does what its source says.

use std::num::NonZeroU32;

use metastable::engine::agenda::Lanes;
use metastable::id::ServiceId;
use metastable::law::Law;
use metastable::model::{Arrivals, Client, Edge, ErrorCost, Errors, Model, Service};
use metastable::observe::{Fact, Tally};
use metastable::policy::budget::{Charged, Concurrency, Deposits, RefundableQuota, Rule};
use metastable::policy::hedge::{Delay, Losers, OnFailure};
use metastable::policy::outcome::Failure;
use metastable::policy::retry::{Backoff, Hint, Retry};
use metastable::scenario::{Preset, Side};
use metastable::time::{Span, Time};
use metastable::unit::Fraction;

use super::client::edge;
use super::service_side::service_with;
use super::{STORM, parse};
use crate::worlds::{at_ms, stall, trace, watch};

#[test]
fn every_preset_can_be_named_and_pasted_and_says_where_it_comes_from() {
    let presets = Preset::all();
    assert!(presets.len() >= 56, "{}", presets.len());
    let mut names: Vec<&str> = presets.iter().map(|preset| preset.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), presets.len(), "two have the same name");
    for Preset { side, name, about, version, sources, toml } in &presets {
        match side {
            Side::Client => {
                let named = edge(&preset(name));
                assert_eq!(named, edge(toml), "{name}");
                // Some say that there is nothing, which is what a call without keys does as well:
                // they take away what stood there.
                assert_ne!(instead_of_the_storms(name), edge(STORMS), "{name}");
                if edge("") == named {
                    assert!(toml.contains("call.timeout = \"none\""), "{name}");
                }
            }
            Side::Service => {
                let service = |line: &str| service_with(&format!("instances = 4\n{line}"));
                let named = service(&format!("preset = \"{name}\""));
                assert_eq!(named, service(toml), "{name}");
                assert_ne!(named, service(""), "{name}");
            }
        }
        assert!(!about.is_empty() && !version.is_empty() && !sources.is_empty(), "{name}");
        assert!(sources.iter().all(|source| source.starts_with("https://")), "{name}");
    }
}

/// What the client of the storm does.
const STORMS: &str = "call.timeout = \"1s\"\ncall.retry.immediate = { max_retries = 3 }";

/// What it does when a later layer names a preset.
fn instead_of_the_storms(name: &str) -> Edge {
    let named = format!("clients.web.call.preset={name}");
    let mut story = parse(STORM, &[&named]).unwrap_or_else(|trouble| panic!("{trouble}"));
    story.variants.remove(0).model.clients.remove(0).edge
}

#[test]
fn what_a_client_lets_be_is_let_be() {
    let storm = edge(STORMS);
    for name in ["go_nethttp", "java_httpclient"] {
        let named = instead_of_the_storms(name);
        assert_eq!((named.timeout, named.retry), (None, storm.retry), "{name}");
    }
    for name in ["requests_default", "grpc_default"] {
        assert_eq!(instead_of_the_storms(name), edge(""), "{name}");
    }
}

#[test]
fn what_a_call_says_itself_stands() {
    let aws = |own: &str| edge(&format!("call.preset = \"aws_standard\"\n{own}"));
    let exponential = |more: &str| {
        edge(&format!(
            "call.retry.exponential = {{ base = \"1s\", cap = \"20s\", jitter = \"full\", {more} }}"
        ))
        .retry
    };
    assert_eq!(aws("").retry, exponential("max_attempts = 3"));
    // One key of a policy, and the other name of the same key.
    assert_eq!(
        aws("call.retry.exponential.max_attempts = 5").retry,
        exponential("max_attempts = 5")
    );
    assert_eq!(aws("call.retry.exponential.max_retries = 5").retry, exponential("max_retries = 5"));
    // Another policy takes the place of the whole one.
    assert_eq!(aws("call.retry = { never = {} }").retry, Retry::NEVER);
    assert_eq!(aws("call.retry = { never = {} }").budget, aws("").budget);
    assert_eq!(aws("call.budget = { none = {} }").budget, None);
    let Backoff::Steady(_) = aws("call.retry.exponential.jitter = \"none\"").retry.backoff else {
        panic!("no jitter was asked for");
    };
    assert!(edge("call.preset = \"hystrix\"").breaker.is_some());
    assert!(edge("call.preset = \"hystrix\"\ncall.breaker = \"none\"").breaker.is_none());
    let both = edge("call.preset = [\"resilience4j_retry\", \"resilience4j_cb\"]");
    assert_eq!(both.retry, edge("call.preset = \"resilience4j_retry\"").retry);
    assert_eq!(both.breaker, edge("call.preset = \"resilience4j_cb\"").breaker);
}

/// A preset that a later layer names has the say over what an earlier one said, and what is said
/// beside it or later has the say over the preset.
#[test]
fn the_later_layer_counts() {
    let retry = |variant: &str, overrides: &[&str]| {
        let story = parse(&format!("{STORM}[variants.v]\n{variant}"), overrides);
        let mut story = story.unwrap_or_else(|trouble| panic!("{trouble}"));
        story.variants.remove(1).model.clients.remove(0).edge.retry
    };
    let aws = edge("call.preset = \"aws_standard\"").retry;
    let preset = "\"clients.web.call.preset\" = \"aws_standard\"\n";
    assert_eq!(retry(preset, &[]), aws);
    let fixed = "\"clients.web.call.retry\" = { fixed = { max_retries = 7, wait = \"1s\" } }\n";
    assert_eq!(retry(&format!("{preset}{fixed}"), &[]).max_retries, 7);
    let more = "\"clients.web.call.retry.exponential.max_retries\" = 8\n";
    assert_eq!(retry(more, &["clients.web.call.preset=aws_standard"]).max_retries, 8);
    assert_eq!(retry("", &["clients.web.call.preset=aws_standard"]), aws);
}

#[test]
fn hedging_and_pools_of_presets() {
    let polly = edge(&preset("polly_v8_hedging")).hedge.unwrap();
    assert_eq!((polly.extra.get(), polly.delay), (1, Delay::Fixed(Span::from_secs(2))));
    assert_eq!((polly.on_failure, polly.losers), (OnFailure::SendsNext, Losers::Cancelled));
    let grpc = edge(&preset("grpc_hedging_example")).hedge.unwrap();
    assert_eq!((grpc.extra.get(), grpc.delay), (3, Delay::Fixed(Span::from_millis(500))));
    // The other name of the same number takes the place of the preset's.
    let own = "call.hedge.max_hedges = 2\ncall.hedge.delay = \"after_failure\"\n";
    let own = edge(&(preset("grpc_hedging_example") + own)).hedge.unwrap();
    assert_eq!((own.extra.get(), own.delay), (2, Delay::AfterFailureOnly));
    let none = preset("polly_v8_hedging") + "call.hedge = \"none\"\n";
    assert_eq!(edge(&none).hedge, None);

    let hikari = edge(&preset("hikaricp")).pool.unwrap();
    assert_eq!((hikari.size.get(), hikari.max_waiting), (10, None));
    assert_eq!(hikari.acquire_timeout, Some(Span::from_secs(30)));
    let hystrix = edge(&preset("hystrix")).pool.unwrap();
    assert_eq!((hystrix.size.get(), hystrix.max_waiting), (10, Some(0)));
    let breaker = |name| edge(&preset(name)).breaker;
    assert_eq!(breaker("dotnet_standard_cb"), breaker("dotnet_standard"));
}

/// Waits between the attempts of one request at a service that fails everything at once, and when
/// the request has failed.
fn waits(own: &str, horizon_s: u64) -> (Vec<f64>, Option<f64>) {
    let service = Service {
        errors: Errors {
            share: Fraction::ONE,
            cost: ErrorCost::Nothing,
            failure: Failure::Unavailable,
            hint: Hint::Absent,
        },
        ..Service::new("api", NonZeroU32::MIN, Law::Fixed(Span::from_millis(1)))
    };
    let once = Arrivals::Volley { count: 1, begins: Time::ZERO, within: Span::ZERO };
    let model = Model {
        services: vec![service],
        clients: vec![Client::new("web", once, edge(own))],
        ..Model::empty(Span::from_secs(horizon_s), Span::from_secs(1))
    };
    seen(&model)
}

/// Waits between the attempts of the one request of `model`, and when it has failed.
fn seen(model: &Model) -> (Vec<f64>, Option<f64>) {
    let facts = trace::<Lanes>(model, 1);
    let seconds = |at: Time| at.since(Time::ZERO).as_secs_f64();
    let sent: Vec<f64> = facts
        .iter()
        .filter(|(_, fact)| matches!(fact, Fact::Sent { .. }))
        .map(|(at, _)| seconds(*at))
        .collect();
    let failed = facts.iter().find(|(_, fact)| matches!(fact, Fact::Failed { .. }));
    let waits = sent.windows(2).map(|pair| pair[1] - pair[0]).collect();
    (waits, failed.map(|(at, _)| seconds(*at)))
}

/// The same at a service that never answers.
fn silence(own: &str, horizon_s: u64) -> (Vec<f64>, Option<f64>) {
    let horizon = Span::from_secs(horizon_s);
    let once = Arrivals::Volley { count: 1, begins: Time::ZERO, within: Span::ZERO };
    let model = Model {
        services: vec![Service::new("api", NonZeroU32::MIN, Law::Fixed(Span::from_millis(1)))],
        clients: vec![Client::new("web", once, edge(own))],
        triggers: vec![stall("silence", ServiceId(0), Time::ZERO, horizon)],
        ..Model::empty(horizon, Span::from_secs(1))
    };
    seen(&model)
}

/// Waits are as many as `bounds`, and each lies within its own.
fn fingerprint(own: &str, bounds: &[(f64, f64)]) {
    let (found, failed) = waits(own, 500);
    assert_eq!(found.len(), bounds.len(), "{own}: {found:?}");
    for (wait, (low, high)) in found.iter().zip(bounds) {
        assert!((low - 1e-9..=high + 1e-9).contains(wait), "{own}: {found:?}");
    }
    assert!(failed.is_some(), "{own}");
}

fn preset(name: &str) -> String {
    format!("call.preset = \"{name}\"\n")
}

#[test]
fn presets_wait_as_their_sources_say() {
    let exact = |waits: &[f64]| waits.iter().map(|&wait| (wait, wait)).collect::<Vec<_>>();
    fingerprint(&preset("grpc_retry_example"), &[(0.08, 0.12), (0.16, 0.24), (0.32, 0.48)]);
    fingerprint(&preset("aws_standard"), &[(0.0, 1.0), (0.0, 2.0)]);
    fingerprint(&preset("aws_standard_2026"), &[(0.0, 0.05), (0.0, 0.1)]);
    let three = "call.retry.doubling_range.max_retries = 3\n";
    let envoy = preset("envoy_route") + three;
    fingerprint(&envoy, &[(0.0, 0.024), (0.0, 0.074), (0.0, 0.174)]);
    fingerprint(&preset("istio_default"), &[(0.0, 0.024), (0.0, 0.074)]);
    fingerprint(&preset("polly_v8_retry"), &exact(&[2.0, 2.0, 2.0]));
    let no_breaker = preset("dotnet_standard") + "call.breaker = \"none\"\n";
    fingerprint(&no_breaker, &[(0.0, 2.76), (0.0, 5.68), (0.0, 11.41)]);
    fingerprint(&preset("resilience4j_retry"), &exact(&[0.5, 0.5]));
    fingerprint(&preset("urllib3_retry"), &[(0.0, 0.0); 10]);
    let factor = "call.retry.exponential = { max_retries = 5, base = \"100ms\", cap = \"120s\", \
                  first = \"at_once\" }\n";
    let waits = exact(&[0.0, 0.2, 0.4, 0.8, 1.6]);
    fingerprint(&(preset("urllib3_retry") + factor), &waits);
    fingerprint(&preset("spring_retry"), &exact(&[0.1, 0.2]));
    fingerprint(&preset("spring_retryable"), &exact(&[1.0, 1.0]));
    fingerprint(&preset("celery_autoretry"), &[(0.0, 1.0), (0.0, 2.0), (0.0, 4.0)]);
    for name in ["grpc_default", "dotnet_httpclient", "go_nethttp", "okhttp", "requests_default"] {
        fingerprint(&preset(name), &[]);
    }
}

/// Case B09: checks at 0, 1, 3, 7, 15 and 31 s, and the end at 63 s.
#[test]
fn a_back_off_of_kubernetes_ends_at_its_cap() {
    let (found, failed) = waits(&preset("k8s_wait_backoff"), 500);
    assert_eq!((found, failed), (vec![1.0, 2.0, 4.0, 8.0, 16.0], Some(63.0)));
    let (found, failed) =
        waits(&(preset("k8s_wait_backoff") + "call.retry.exponential.at_cap = \"holds\"\n"), 200);
    assert_eq!((found, failed), (vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0], None));
}

/// How long a client waits for a service that never answers.
#[test]
fn presets_give_up_on_silence_or_do_not() {
    let gives_up = |name: &str| silence(&preset(name), 1_000).1;
    for name in ["go_nethttp", "java_httpclient", "requests_default", "grpc_default"] {
        assert_eq!(gives_up(name), None, "{name}");
    }
    for (name, second) in [("dotnet_httpclient", 100.0), ("okhttp", 10.0), ("gax_java", 600.0)] {
        assert_eq!(gives_up(name), Some(second), "{name}");
    }
    // Of ten seconds for an attempt and thirty in all, waits leave room for two or three attempts.
    let (between, ended) = silence(&preset("dotnet_standard"), 1_000);
    assert!((1..=2).contains(&between.len()) && between.iter().all(|wait| *wait >= 10.0));
    assert_eq!(ended, Some(30.0));
}

/// Of 2,100 at once, Envoy sends 1,024, keeps as many waiting, and turns the rest away.
#[test]
fn the_limits_of_a_cluster_are_a_pool() {
    let turned_away = |more: &str| {
        let all = Arrivals::Volley { count: 2_100, begins: Time::ZERO, within: Span::ZERO };
        let workers = NonZeroU32::new(10_000).unwrap();
        let model = Model {
            services: vec![Service::new("api", workers, Law::Fixed(Span::from_secs(1)))],
            clients: vec![Client::new("web", all, edge(&(preset("envoy_cb") + more)))],
            ..Model::empty(Span::from_secs(10), Span::from_secs(1))
        };
        let facts = trace::<Lanes>(&model, 1);
        let sent = |(at, fact): &(Time, Fact)| *at == at_ms(0) && matches!(fact, Fact::Sent { .. });
        let sent = facts.iter().filter(|fact| sent(fact)).count();
        (sent, watch::<Lanes, _>(&model, 1, Tally::default()).held_back)
    };
    assert_eq!(turned_away(""), (1_024, 2_100 - 2 * 1_024));
    assert_eq!(turned_away("call.pool.max_waiting = 0\n"), (1_024, 2_100 - 1_024));
}

#[test]
fn presets_without_an_end_are_ended_by_time() {
    let steady = preset("kafka_producer") + "call.retry.exponential.jitter = \"none\"\n";
    let (kafka, ended) = waits(&steady, 500);
    assert_eq!(kafka.len() + 1, 123);
    let first: Vec<u64> = kafka.iter().take(6).map(|wait| (wait * 1e3).round() as u64).collect();
    assert_eq!(first, [100, 200, 400, 800, 1_000, 1_000]);
    assert!(ended.is_some_and(|at| at <= 120.0), "{ended:?}");

    let (kafka, _) = waits(&preset("kafka_producer"), 500);
    assert!((0.08..=0.12).contains(&kafka[0]) && kafka.iter().all(|wait| *wait <= 1.2));

    let (gax, ended) = waits(&preset("gax_python"), 500);
    assert!(gax.iter().zip([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]).all(|(wait, most)| *wait <= most));
    assert!(gax.len() >= 5 && ended.is_some_and(|at| at <= 120.0), "{gax:?}");

    let (reflector, ended) = waits(&preset("k8s_reflector"), 500);
    assert!((0.8..1.6).contains(&reflector[0]) && (1.6..3.2).contains(&reflector[1]));
    assert!(reflector[6..].iter().all(|wait| (30.0..60.0).contains(wait)) && ended.is_none());

    let (gax, ended) = waits(&preset("gax_java"), 700);
    assert!(gax.iter().zip([0.1, 0.13, 0.169, 0.22]).all(|(wait, most)| *wait <= most), "{gax:?}");
    assert!(gax.len() > 20 && ended.is_some_and(|at| at <= 600.0), "{ended:?}");

    let (lettuce, _) = waits(&preset("lettuce"), 100);
    let millis: Vec<u64> = lettuce.iter().map(|wait| (wait * 1e3).round() as u64).collect();
    let doubling: Vec<u64> = (0..15).map(|n| 1 << n).collect();
    assert_eq!((&millis[..15], &millis[15..]), (&doubling[..], &[30_000, 30_000][..]));

    let (ioredis, _) = waits(&preset("ioredis"), 10);
    let first: Vec<u64> = ioredis.iter().take(4).map(|wait| (wait * 1e3).round() as u64).collect();
    assert_eq!(first, [50, 100, 150, 200]);
}

#[test]
fn budgets_of_presets_are_of_their_kind() {
    let rule = |name| edge(&preset(name)).budget.map(|budget| budget.rule);
    let quota = Rule::RefundableQuota(RefundableQuota::AWS_STANDARD);
    assert_eq!(rule("aws_standard"), Some(quota));
    assert_eq!(rule("aws_quota"), Some(quota));
    let quota = Rule::RefundableQuota(RefundableQuota::AWS_2026);
    assert_eq!((rule("aws_quota_2026"), rule("aws_standard_2026")), (Some(quota), Some(quota)));
    assert_eq!(rule("envoy_route"), Some(Rule::Concurrency(Concurrency::at_most(3))));
    for name in ["aws_standard", "envoy_route", "envoy_retry_budget"] {
        assert_eq!(edge(&preset(name)).budget.unwrap().charged, Charged::AtDecision, "{name}");
    }
    let Some(Rule::SlidingWindow(finagle)) = rule("finagle") else { panic!("another kind") };
    assert_eq!((finagle.deposits, finagle.reserve()), (Deposits::Requests, 100));
}
