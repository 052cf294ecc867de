//! What the policies of a service mean as they are written.

use std::num::NonZeroU32;

use metastable::law::{
    BoundedPareto, Empirical, Erlang, Hyperexponential, Law, Lognormal, Mixture, Quantiles, Uniform,
};
use metastable::model::{Arrivals, OnAbandon, Service, Think};
use metastable::policy::Class;
use metastable::policy::admission::{Admission, Headroom, RateLimit};
use metastable::policy::discipline::{Crowded, Discipline, Weights};
use metastable::policy::limit::{Aimd, EnvoyGradient, Gradient2, Limit, Range, Vegas};
use metastable::policy::shedding::{Codel, FollyCodel, Shedding};
use metastable::policy::slowdown::{Backlog, Scalability, Slowdown};
use metastable::time::Span;
use metastable::unit::{Fraction, Rate};

use super::{STORM, parse};

/// The service of the storm with a line more.
pub(super) fn service_with(line: &str) -> Service {
    let text = STORM.replace("workers = 10", &format!("workers = 10\n{line}"));
    let mut story = parse(&text, &[]).unwrap_or_else(|trouble| panic!("{line}: {trouble}"));
    story.variants.remove(0).model.services.remove(0)
}

fn ms(millis: u64) -> Span {
    Span::from_millis(millis)
}

fn count(value: u32) -> NonZeroU32 {
    NonZeroU32::new(value).unwrap()
}

fn share(value: f64) -> Fraction {
    Fraction::new(value).unwrap()
}

/// Every law by how it is written.
fn laws() -> Vec<(&'static str, Law)> {
    let hits = vec![(9.0, Law::Fixed(ms(1))), (1.0, Law::Exponential { mean: ms(20) })];
    vec![
        (
            "{ erlang = { stages = 4, mean = \"8ms\" } }",
            Law::Erlang(Erlang::new(4, ms(8)).unwrap()),
        ),
        (
            "{ hyperexponential = { mean = \"8ms\", squared_cv = 4 } }",
            Law::Hyperexponential(Hyperexponential::balanced(ms(8), 4.0).unwrap()),
        ),
        (
            "{ lognormal = { mean = \"8ms\", cv = 1.5 } }",
            Law::Lognormal(Lognormal::from_mean(ms(8), 1.5).unwrap()),
        ),
        (
            "{ lognormal = { median = \"8ms\", sigma = 0.5 } }",
            Law::Lognormal(Lognormal::from_median(ms(8), 0.5).unwrap()),
        ),
        (
            "{ pareto = { alpha = 1.5, min = \"1ms\", max = \"1s\" } }",
            Law::BoundedPareto(BoundedPareto::new(1.5, ms(1), ms(1_000)).unwrap()),
        ),
        (
            "{ uniform = { min = \"0s\", max = \"4ms\" } }",
            Law::Uniform(Uniform::new(Span::ZERO, ms(4)).unwrap()),
        ),
        (
            "{ mixture = [{ weight = 9, law = \"1ms\" }, { weight = 1, law = { exponential = { mean = \"20ms\" } } }] }",
            Law::Mixture(Mixture::new(hits).unwrap()),
        ),
        (
            "{ quantiles = { p50 = \"8ms\", p99 = \"60ms\" } }",
            Law::Lognormal(Quantiles::fit(ms(8), None, ms(60)).unwrap().law()),
        ),
        (
            "{ quantiles = { p50 = \"8ms\", p90 = \"25ms\", p99 = \"60ms\" } }",
            Law::Lognormal(Quantiles::fit(ms(8), None, ms(60)).unwrap().law()),
        ),
        (
            "{ empirical = { values = [\"3ms\", \"1ms\", \"1ms\"] } }",
            Law::Empirical(Empirical::new(vec![ms(1), ms(1), ms(3)]).unwrap()),
        ),
    ]
}

#[test]
fn laws_of_work_latency_and_thinking() {
    for (written, law) in laws() {
        let text = STORM
            .replace("\"10ms\"", written)
            .replace("load = 0.7", &format!("arrivals.users = {{ count = 9, think = {written} }}"))
            + &format!(
                "[clients.app]\ncalls = \"api\"\narrival_rate = 1\ncall.latency = {written}\n"
            );
        let story = parse(&text, &[]).unwrap_or_else(|trouble| panic!("{written}: {trouble}"));
        let model = &story.variants[0].model;
        assert_eq!(model.services[0].service_time, law, "{written}");
        let client = |name| model.clients.iter().find(|client| client.name == name).unwrap();
        let Arrivals::Users(users) = &client("web").arrivals else { panic!("{written}") };
        assert_eq!(users.think, Think::After(law.clone()), "{written}");
        assert_eq!(client("app").edge.latency, Some(law), "{written}");
    }
}

#[test]
fn a_mixture_may_be_made_of_mixtures() {
    let inner = "{ mixture = [{ weight = 1, law = \"4ms\" }, { weight = 1, law = \"8ms\" }] }";
    let text = STORM.replace(
        "\"10ms\"",
        &format!(
            "{{ mixture = [{{ weight = 1, law = {inner} }}, {{ weight = 3, law = \"2ms\" }}] }}"
        ),
    );
    let story = parse(&text, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    assert_eq!(story.variants[0].model.services[0].service_time.mean(), ms(3));
}

#[test]
fn disciplines() {
    let check = |written: &str, expected| {
        assert_eq!(service_with(&format!("discipline = {written}")).discipline, expected);
    };
    check("\"fifo\"", Discipline::Fifo);
    check("\"lifo\"", Discipline::Lifo);
    check("\"earliest_deadline\"", Discipline::EarliestDeadline);
    check("\"priority\"", Discipline::Priority);
    check("\"random\"", Discipline::Random);
    let crowded = |crowded| Discipline::AdaptiveLifo(crowded);
    check("{ adaptive_lifo = { longer_than = 100 } }", crowded(Crowded::longer_than(100)));
    check("{ adaptive_lifo = { older_than = \"1s\" } }", crowded(Crowded::older_than(ms(1_000))));
    check(
        "{ adaptive_lifo = { longer_than = 7, older_than = \"1s\" } }",
        crowded(Crowded::either(7, ms(1_000))),
    );
    let weights = Weights::new(&[count(9), count(1)]);
    check("{ weighted = { weights = [9, 1] } }", Discipline::Weighted(weights));
}

#[test]
fn queues_that_look_at_work_or_class() {
    let check = |written: &str, expected| {
        assert_eq!(service_with(&format!("queue = {written}")).admission, expected);
    };
    // 0.8 s of ten workers are 8 s of one.
    check("{ known_work = \"800ms\" }", Admission::BoundedWork { max_work: ms(8_000) });
    check(
        "{ headroom = { max_waiting = 100, free = [0, 50] } }",
        Admission::Headroom(Headroom::new(100, &[0, 50]).unwrap()),
    );
}

#[test]
fn shedding_rules() {
    let check = |written: &str, expected| {
        assert_eq!(service_with(&format!("shedding = {written}")).shedding, expected);
    };
    check("\"unfinishable_on_average\"", Shedding::UnfinishableOnAverage);
    check("{ codel = {} }", Shedding::Codel(Codel::DEFAULT));
    check(
        "{ codel = { target = \"9ms\" } }",
        Shedding::Codel(Codel { target: ms(9), ..Codel::DEFAULT }),
    );
    check("{ folly_codel = {} }", Shedding::FollyCodel(FollyCodel::DEFAULT));
    check(
        "{ folly_codel = { target = \"9ms\", interval = \"1s\" } }",
        Shedding::FollyCodel(FollyCodel { target: ms(9), interval: ms(1_000) }),
    );
}

#[test]
fn work_that_grows_with_the_load() {
    let check = |written: &str, expected| {
        assert_eq!(service_with(&format!("load_dependence = {written}")).slowdown, expected);
    };
    check("{ none = {} }", Slowdown::None);
    check(
        "{ scalability = { contention = 0.01, coherency = 0.0001 } }",
        Slowdown::Scalability(Scalability::new(0.01, 0.0001).unwrap()),
    );
    check(
        "{ scalability = { coherency = 0.0001 } }",
        Slowdown::Scalability(Scalability::new(0.0, 0.0001).unwrap()),
    );
    check(
        "{ backlog = { slope = 0.001, threshold = 500 } }",
        Slowdown::Backlog(Backlog::new(0.001, 500).unwrap()),
    );
    check("{ backlog = { slope = 0.5 } }", Slowdown::Backlog(Backlog::new(0.5, 0).unwrap()));
}

#[test]
fn limits() {
    let check = |written: &str, expected| {
        assert_eq!(service_with(&format!("limit = {written}")).limit, Some(expected), "{written}");
    };
    check("{ fixed = { max = 100 } }", Limit::Fixed(count(100)));
    check("{ aimd = {} }", Limit::Aimd(Aimd::NETFLIX));
    check(
        "{ aimd = { initial = 5, min = 2, max = 50, backoff = 0.5, slow = \"none\" } }",
        Limit::Aimd(Aimd { range: Range::new(5, 2, 50).unwrap(), backoff: share(0.5), slow: None }),
    );
    check("{ vegas = {} }", Limit::Vegas(Vegas::NETFLIX));
    check(
        "{ vegas = { smoothing = 0.5, probe_every = 9 } }",
        Limit::Vegas(Vegas { smoothing: share(0.5), probe_every: count(9), ..Vegas::NETFLIX }),
    );
    check("{ gradient2 = {} }", Limit::Gradient2(Gradient2::NETFLIX));
    // What is left out gives way: begin and lower end are 20 otherwise.
    check(
        "{ gradient2 = { max = 10, queue = 2, long_window = 100, smoothing = 1 } }",
        Limit::Gradient2(Gradient2 {
            range: Range::new(10, 10, 10).unwrap(),
            smoothing: Fraction::ONE,
            queue: 2,
            long_window: count(100),
        }),
    );
    check(
        "{ envoy_gradient = { max = 2 } }",
        Limit::EnvoyGradient(EnvoyGradient {
            min: count(2),
            max: count(2),
            ..EnvoyGradient::ENVOY
        }),
    );
    check("{ envoy_gradient = {} }", Limit::EnvoyGradient(EnvoyGradient::ENVOY));
    check(
        "{ envoy_gradient = { min = 5, max = 50, quantile = 0.9, update_every = \"1s\", probe_every = \"9s\", probe_requests = 7, jitter = 0, buffer = 0.1 } }",
        Limit::EnvoyGradient(EnvoyGradient {
            min: count(5),
            max: count(50),
            quantile: share(0.9),
            update_every: ms(1_000),
            probe_every: ms(9_000),
            probe_requests: count(7),
            jitter: Fraction::ZERO,
            buffer: share(0.1),
        }),
    );
}

#[test]
fn rates_and_abandoned_attempts() {
    let limit = RateLimit { rate: Rate::new(900.0).unwrap(), burst: count(100) };
    assert_eq!(service_with("rate_limit = { rate = 900, burst = 100 }").rate_limit, Some(limit));
    let check = |word: &str, expected| {
        assert_eq!(service_with(&format!("on_abandon = \"{word}\"")).on_abandon, expected);
    };
    check("ignores", OnAbandon::Ignores);
    check("leaves_queue", OnAbandon::LeavesQueue);
    check("stops_work", OnAbandon::StopsWork);
}

#[test]
fn classes() {
    let text = STORM.replace("load = 0.7", "load = 0.7\nclass = 15");
    let text = text.replace("workers = 10", "workers = 10\ndiscipline = \"priority\"");
    let class = |text: &str| parse(text, &[]).unwrap().variants[0].model.clients[0].class;
    assert_eq!(class(STORM), Class::FIRST);
    assert_eq!(class(&text), Class::new(15).unwrap());
}
