//! What a well-written scenario means.

use std::num::NonZeroU32;

use metastable::analysis::Verdict;
use metastable::experiment::{Bound, Metric};
use metastable::id::ServiceId;
use metastable::law::Law;
use metastable::model::{Arrivals, Client, Criterion, Disturbance, Edge, Model, Service, Trigger};
use metastable::policy::admission::Admission;
use metastable::policy::budget::{Rule, SlidingWindow};
use metastable::policy::retry::{Backoff, Exponential, Retry};
use metastable::policy::shedding::Shedding;
use metastable::time::{Span, Time};
use metastable::unit::{Fraction, Rate};

use super::{STORM, parse};

fn model_of(text: &str) -> Model {
    parse(text, &[]).unwrap_or_else(|trouble| panic!("{trouble}")).variants.remove(0).model
}

/// The model of [`STORM`] with a piece of it replaced.
fn storm_with(replace: &str, by: &str) -> Model {
    assert!(STORM.contains(replace), "nothing to replace: {replace}");
    model_of(&STORM.replacen(replace, by, 1))
}

fn rate(per_second: f64) -> Rate {
    Rate::new(per_second).unwrap()
}

#[test]
fn a_storm_is_what_it_says() {
    let expected = Model {
        services: vec![Service {
            admission: Admission::Unbounded,
            shedding: Shedding::Never,
            ..Service::new("api", NonZeroU32::new(10).unwrap(), Law::Fixed(Span::from_millis(10)))
        }],
        clients: vec![Client::new(
            "web",
            Arrivals::Poisson(rate(700.0)),
            Edge {
                timeout: Some(Span::from_secs(1)),
                retry: Retry { max_retries: 3, ..Retry::NEVER },
                budget: None,
                ..Edge::new(ServiceId(0))
            },
        )],
        triggers: vec![Trigger {
            name: "gc".to_owned(),
            instance: None,
            begins: Time::ZERO + Span::from_secs(10),
            lasts: Span::from_secs(2),
            disturbance: Disturbance::Stall { service: ServiceId(0) },
        }],
        criterion: Criterion { share: Fraction::NINE_TENTHS, hold: None },
        ..Model::empty(Span::from_secs(60), Span::from_secs(1))
    };
    assert_eq!(model_of(STORM), expected);
}

#[test]
fn laws_of_work() {
    let law = |by| storm_with("\"10ms\"", by).services[0].service_time.clone();
    assert_eq!(law("{ fixed = \"1.5ms\" }"), Law::Fixed(Span::from_nanos(1_500_000)));
    let mean = Span::from_millis(20);
    assert_eq!(law("{ exponential = { mean = \"20ms\" } }"), Law::Exponential { mean });
}

#[test]
fn queues() {
    let bounded = |max_waiting| Admission::Bounded { max_waiting };
    let admission = |queue: &str| {
        storm_with("workers = 10", &format!("workers = 10\nqueue = {queue}")).services[0].admission
    };
    assert_eq!(admission("{ unbounded = {} }"), Admission::Unbounded);
    assert_eq!(admission("{ max_waiting = 800 }"), bounded(800));
    assert_eq!(admission("{ max_waiting = 0 }"), bounded(0));
    assert_eq!(admission("{ max_work = \"800ms\" }"), bounded(800));
    // 0.8 s of ten workers at 10 ms each, and a nanosecond less than what an 800th would need.
    assert_eq!(admission("{ max_work = \"799999999ns\" }"), bounded(799));
    assert_eq!(admission("{ max_work = \"0s\" }"), bounded(0));
}

#[test]
fn loads_are_shares_of_the_capacity_that_is_called() {
    let arrivals = |by| storm_with("load = 0.7", by).clients[0].arrivals.clone();
    assert_eq!(arrivals("arrival_rate = 123.5"), Arrivals::Poisson(rate(123.5)));
    assert_eq!(arrivals("load = 0.5\narrivals = \"even\""), Arrivals::Even(rate(500.0)));
    assert_eq!(arrivals("load = 1"), Arrivals::Poisson(rate(1_000.0)));
}

#[test]
fn calls() {
    let edge = |by: &str| {
        storm_with("call.retry.immediate = { max_retries = 3 }", by).clients.remove(0).edge
    };
    assert_eq!(edge("").retry, Retry::NEVER);
    assert_eq!(edge("call.retry = { never = {} }").retry, Retry::NEVER);
    let fixed = edge("call.retry.fixed = { max_retries = 2, wait = \"30ms\" }").retry;
    assert_eq!((fixed.max_retries, fixed.backoff), (2, Backoff::fixed(Span::from_millis(30))));
    let backoff = |factor| {
        Backoff::from(Exponential::new(Span::from_secs(1), factor, Span::from_secs(8)).unwrap())
    };
    let exponential = |more| {
        edge(&format!(
            "call.retry.exponential = {{ max_retries = 9, base = \"1s\", cap = \"8s\"{more} }}"
        ))
    };
    assert_eq!(exponential("").retry.backoff, backoff(2.0));
    assert_eq!(exponential(", factor = 3").retry.backoff, backoff(3.0));
    assert_eq!(
        edge("call.wait_after_refusal = \"0s\"").retry.after_refusal,
        Some(Backoff::fixed(Span::ZERO))
    );
    assert_eq!(edge("call.budget = { none = {} }").budget, None);
    let ratio = Fraction::new(0.1).unwrap();
    assert_eq!(
        edge("call.budget.sliding_window = { ratio = 0.1, window = \"10s\" }").budget,
        Some(Rule::SlidingWindow(SlidingWindow::of_all_sends(ratio, Span::from_secs(10))).into())
    );
    assert_eq!(storm_with("\"1s\"", "\"none\"").clients[0].edge.timeout, None);
    assert_eq!(storm_with("call.timeout = \"1s\"\n", "").clients[0].edge.timeout, None);
}

#[test]
fn criteria_hold_for_whole_windows() {
    let criterion = |more: &str| model_of(&format!("{STORM}{more}")).criterion;
    let share = Fraction::new(0.5).unwrap();
    assert_eq!(criterion("[criterion]\ngoodput = 0.5\n"), Criterion { share, hold: None });
    assert_eq!(criterion("[criterion]\nhold = \"5s\"\n").hold, Some(5));
    assert_eq!(criterion("[criterion]\nhold = \"4.1s\"\n").hold, Some(5));
}

#[test]
fn promises_are_ranges() {
    let text = format!(
        "{STORM}[expect]\nseeds = 5\nverdict = \"metastable\"\nretries = {{ min = 99_000, max = 102_200 }}\n\
         shed = 0\namplification = {{ min = 3.1 }}\n[variants.calm]\nhorizon = \"9s\"\n\
         \"triggers\" = {{}}\nexpect.relapses = {{ max = 1 }}\n"
    );
    let story = parse(&text, &[]).unwrap();
    let base = story.variants[0].expect.as_ref().unwrap();
    assert_eq!((base.seeds, base.verdict), (5, Some(Verdict::Metastable)));
    let expected = [
        (Metric::Retries.into(), Bound { min: 99_000.0, max: 102_200.0 }),
        (Metric::Shed.into(), Bound::exactly(0.0)),
        (Metric::Amplification.into(), Bound { min: 3.1, max: f64::INFINITY }),
    ];
    assert_eq!(base.metrics, expected);
    let calm = story.variants[1].expect.as_ref().unwrap();
    assert_eq!((calm.seeds, calm.verdict, calm.metrics.len()), (1, None, 1));
    assert!(story.variants[1].model.triggers.is_empty());
}

#[test]
fn names_may_be_anything_that_can_be_quoted() {
    for name in ["a.b", "the web", "日本", "quo\"te", "'", "a=b", "[x]"] {
        let quoted = toml_text(name);
        let text = STORM.replace("clients.web", &format!("clients.{quoted}"));
        assert_eq!(model_of(&text).clients[0].name, name);
        let load = format!("clients.{quoted}.load=0.5");
        let story = parse(&text, &[&load]).unwrap_or_else(|trouble| panic!("{trouble}"));
        assert_eq!(
            story.variants[0].model.clients[0].arrivals,
            Arrivals::Poisson(rate(500.0)),
            "{load}"
        );
    }
}

fn toml_text(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\\\""))
}

#[test]
fn names_and_seeds_of_a_story() {
    let story = parse(STORM, &[]).unwrap();
    assert_eq!((story.title.as_str(), story.seed), ("A storm", 1));
    assert_eq!(story.variants[0].name, "base");
    let text = format!(
        "base = \"as it is\"\nseed = 9223372036854775807\n{STORM}[variants.b]\n[variants.a]\n"
    );
    let story = parse(&text, &[]).unwrap();
    let names: Vec<&str> = story.variants.iter().map(|variant| variant.name.as_str()).collect();
    assert_eq!(
        (names.as_slice(), story.seed),
        (["as it is", "b", "a"].as_slice(), i64::MAX as u64)
    );
}

/// What a run sets up once is refused as a lever's change; everything else about a service or a client
/// is taken.
#[test]
fn a_lever_changes_policies_and_not_who_there_is() {
    let with = |path: &str, value: &str| {
        let lever = format!("[levers.x.change]\nat = \"20s\"\nset = {{ \"{path}\" = {value} }}\n");
        parse(&format!("{STORM}\n{lever}"), &[])
    };
    for (path, value) in [
        ("clients.web.calls", "\"api\""),
        ("clients.web.arrivals", "\"even\""),
        ("clients.web.instances", "9"),
        ("services.api.discipline", "\"lifo\""),
    ] {
        let said = with(path, value).err().map(|trouble| trouble.to_string());
        let said = said.unwrap_or_else(|| panic!("{path} is taken"));
        assert!(said.contains("a lever cannot change") && said.contains(path), "{said}");
    }
    for (path, value) in [
        ("clients.web.load", "0.3"),
        ("clients.web.call.retry", "{ never = {} }"),
        ("services.api.workers", "20"),
    ] {
        let story = with(path, value).unwrap_or_else(|trouble| panic!("{path}: {trouble}"));
        assert_eq!(story.variants[0].model.levers.len(), 1, "{path}");
    }
}
