//! Models to try things on: small stations written in a line, and every valid combination of
//! policies at random.

use std::num::NonZeroU32;

use metastable::engine::agenda::Agenda;
use metastable::engine::{self, World};
use metastable::id::ServiceId;
use metastable::law::{Hyperexponential, Law, Lognormal};
use metastable::model::{
    Arrivals, Client, Disturbance, Edge, Model, Notice, QueueTimeout, Refusals, Service, Trigger,
};
use metastable::observe::{Observer, Trace};
use metastable::policy::admission::{Admission, Headroom, Rejection};
use metastable::policy::budget::{Budget, Rule, SlidingWindow};
use metastable::policy::retry::{Backoff, Exponential, Retry};
use metastable::policy::shedding::{Codel, FollyCodel, QueueTimer, Shedding};
use metastable::scenario::Story;
use metastable::time::{Span, Time};
use metastable::unit::{Fraction, Rate};
use proptest::prelude::*;

/// A length of `millis` milliseconds.
pub(crate) const fn ms(millis: u64) -> Span {
    Span::from_millis(millis)
}

/// The instant `millis` milliseconds after the start.
pub(crate) const fn at_ms(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

/// A rate that is known to be one.
pub(crate) fn rate(per_second: f64) -> Rate {
    Rate::new(per_second).expect("a rate")
}

/// One service `api` and one client `web` that calls it, undisturbed, patient and never retrying.
pub(crate) fn station(workers: u32, work: Law, arrivals: Arrivals, horizon: Span) -> Model {
    Model {
        services: vec![service("api", workers, work)],
        clients: vec![client("web", ServiceId(0), arrivals)],
        ..Model::empty(horizon, Span::from_secs(1))
    }
}

/// A service that lets everybody wait and serves everything.
pub(crate) fn service(name: &str, workers: u32, work: Law) -> Service {
    Service::new(name, NonZeroU32::new(workers).expect("workers"), work)
}

/// A client that waits for ever and never retries.
pub(crate) fn client(name: &str, to: ServiceId, arrivals: Arrivals) -> Client {
    Client::new(name, arrivals, Edge::new(to))
}

/// A stall of `service`.
pub(crate) fn stall(name: &str, service: ServiceId, begins: Time, lasts: Span) -> Trigger {
    Trigger {
        name: name.to_owned(),
        instance: None,
        begins,
        lasts,
        disturbance: Disturbance::Stall { service },
    }
}

/// `max_retries` retries without a wait.
pub(crate) const fn immediately(max_retries: u32) -> Retry {
    Retry { max_retries, ..Retry::NEVER }
}

/// The retry storm: ten workers of 10 ms, Poisson arrivals at `load`, a timeout of a second, three
/// immediate retries, and a stall of two seconds from second 10 in a run of a minute.
pub(crate) fn retry_storm(load: f64) -> Model {
    let mut model = station(
        10,
        Law::Fixed(ms(10)),
        Arrivals::Poisson(rate(1_000.0 * load)),
        Span::from_secs(60),
    );
    model.clients[0].edge.timeout = Some(Span::from_secs(1));
    model.clients[0].edge.retry = immediately(3);
    model.triggers = vec![stall("gc", ServiceId(0), at_ms(10_000), Span::from_secs(2))];
    model
}

/// Runs `model` in a new world and returns what `observer` saw.
pub(crate) fn watch<A: Agenda, O: Observer>(model: &Model, seed: u64, mut observer: O) -> O {
    engine::run(&mut World::<A>::default(), model, seed, &mut observer);
    observer
}

/// Every fact of a run of `model`.
pub(crate) fn trace<A: Agenda>(model: &Model, seed: u64) -> Vec<(Time, metastable::observe::Fact)> {
    watch::<A, _>(model, seed, Trace::default()).facts().to_vec()
}

/// Any valid model with few services, clients and stalls, some of them overloaded.
///
/// Lengths are whole milliseconds of few different values, so that events of every kind often fall
/// on one instant.
pub(crate) fn any_model() -> impl Strategy<Value = Model> {
    model_of(any_arrivals().boxed())
}

/// Any valid model in which no two requests arrive at one instant, so that the order in which
/// clients are listed cannot break a tie.
pub(crate) fn any_poisson_model() -> impl Strategy<Value = Model> {
    model_of(any_rate().prop_map(Arrivals::Poisson).boxed())
}

fn model_of(arrivals: BoxedStrategy<Arrivals>) -> impl Strategy<Value = Model> {
    let services = prop::collection::vec(any_service(), 1..=3);
    let clients = prop::collection::vec((arrivals, any_edge()), 1..=4);
    let stalls =
        prop::collection::vec((0_u64..3_000, 0_u64..1_500, any::<prop::sample::Index>()), 0..=3);
    (services, clients, stalls, 1_u64..=4, prop::sample::select(vec![50, 250, 1_000]))
        .prop_map(|(mut services, clients, stalls, horizon, window)| {
            for (index, service) in services.iter_mut().enumerate() {
                service.name = format!("service {index}");
            }
            let count = services.len();
            let client = |(index, (arrivals, (to, edge))): (
                usize,
                (Arrivals, (prop::sample::Index, Edge)),
            )| {
                let to = ServiceId(to.index(count) as u16);
                Client::new(&format!("client {index}"), arrivals, Edge { to, ..edge })
            };
            let trigger =
                |(index, (begins, lasts, service)): (usize, (u64, u64, prop::sample::Index))| {
                    let service = ServiceId(service.index(count) as u16);
                    stall(&format!("stall {index}"), service, at_ms(begins), ms(lasts))
                };
            Model {
                clients: clients.into_iter().enumerate().map(client).collect(),
                triggers: stalls.into_iter().enumerate().map(trigger).collect(),
                services,
                ..Model::empty(Span::from_secs(horizon), ms(window))
            }
        })
        .prop_filter("within the limits", |model| model.fits().is_ok())
}

fn any_rate() -> impl Strategy<Value = Rate> {
    prop_oneof![Just(1.0), Just(10.0), Just(100.0), 1.0..400.0].prop_map(rate)
}

fn any_arrivals() -> impl Strategy<Value = Arrivals> {
    (any_rate(), any::<bool>())
        .prop_map(|(rate, even)| if even { Arrivals::Even(rate) } else { Arrivals::Poisson(rate) })
}

fn any_length() -> impl Strategy<Value = Span> {
    prop::sample::select(vec![1, 2, 5, 10, 20, 50, 100, 300]).prop_map(ms)
}

fn any_service() -> impl Strategy<Value = Service> {
    let work = (any_length(), 0..6).prop_map(|(length, kind)| match kind {
        0 | 1 => Law::Fixed(length),
        2 | 3 => Law::Exponential { mean: length },
        4 => Law::Hyperexponential(Hyperexponential::balanced(length, 9.0).expect("varies more")),
        _ => Law::Lognormal(Lognormal::from_mean(length, 0.5).expect("a law")),
    });
    let admission = prop_oneof![
        Just(Admission::Unbounded),
        (0_u32..20).prop_map(|max_waiting| Admission::Bounded { max_waiting }),
        any_length().prop_map(|max_work| Admission::BoundedWork { max_work }),
        (0_u32..20).prop_map(|max_waiting| {
            Admission::Headroom(Headroom::new(max_waiting, &[0, 5]).expect("in order"))
        }),
    ];
    let shedding = prop::sample::select(vec![
        Shedding::Never,
        Shedding::Expired,
        Shedding::Unfinishable,
        Shedding::UnfinishableOnAverage,
        Shedding::FollyCodel(FollyCodel::DEFAULT),
        Shedding::Codel(Codel::DEFAULT),
    ]);
    let told = prop::sample::select(vec![Notice::AtOnce, Notice::Never]);
    let timer = prop_oneof![Just(QueueTimer::AtDeadline), any_length().prop_map(QueueTimer::After)];
    let timeout = (timer, told).prop_map(|(timer, clients)| QueueTimeout { timer, clients });
    let timeout = prop::option::weighted(0.3, timeout);
    let cost = prop_oneof![
        2 => Just(Rejection::Free),
        1 => any_length().prop_map(Rejection::ByWorker),
    ];
    (1_u32..6, work, admission, shedding, timeout, cost).prop_map(
        |(workers, work, admission, shedding, queue_timeout, cost)| Service {
            admission,
            shedding,
            queue_timeout,
            refusals: Refusals { cost, ..Refusals::default() },
            ..service("", workers, work)
        },
    )
}

fn any_edge() -> impl Strategy<Value = (prop::sample::Index, Edge)> {
    let budget = (0.0..=1.0_f64, prop::sample::select(vec![100, 1_000, 10_000])).prop_map(
        |(ratio, window)| {
            let ratio = Fraction::new(ratio).expect("a share");
            Budget::from(Rule::SlidingWindow(SlidingWindow::of_all_sends(ratio, ms(window))))
        },
    );
    (
        any::<prop::sample::Index>(),
        prop::option::of(any_length()),
        any_retry(),
        prop::option::of(budget),
    )
        .prop_map(|(to, timeout, retry, budget)| {
            (to, Edge { timeout, retry, budget, ..Edge::new(ServiceId(0)) })
        })
}

fn any_retry() -> impl Strategy<Value = Retry> {
    let backoff = prop_oneof![
        Just(Backoff::Immediate),
        any_length().prop_map(Backoff::fixed),
        (any_length(), 1.0..4.0_f64, any_length()).prop_map(|(base, factor, cap)| {
            Exponential::new(base, factor, cap).expect("a growing back-off").into()
        }),
    ];
    let after_refusal =
        prop::option::of(prop_oneof![Just(Span::ZERO), any_length()].prop_map(Backoff::fixed));
    (0_u32..5, backoff, after_refusal).prop_map(|(max_retries, backoff, after_refusal)| Retry {
        max_retries,
        backoff,
        after_refusal,
        ..Retry::NEVER
    })
}

/// The world of a scenario in which one client `web` calls one service `api`: a horizon, and what
/// stands in their tables.
pub(crate) fn told(horizon: &str, service: &str, client: &str, more: &str) -> Model {
    let text = format!(
        "title = \"case\"\nhorizon = \"{horizon}\"\n[services.api]\n{service}\n\
         [clients.web]\ncalls = \"api\"\n{client}\n{more}"
    );
    let story = Story::parse(&text, "case.toml", &[]);
    story.unwrap_or_else(|trouble| panic!("{trouble}")).variants.remove(0).model
}
