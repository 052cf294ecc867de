//! A world that is used again takes no memory: what a run needs, the run before has left.
//!
//! In a binary of its own, because it counts what the allocator is asked for.

use std::num::NonZeroU32;

use metastable::engine::agenda::Lanes;
use metastable::engine::{self, World};
use metastable::id::{ClientId, EdgeId, ServiceId};
use metastable::law::Law;
use metastable::model::{
    Arrivals, Client, Disturbance, Edge, InProgress, InnerCall, Meanwhile, Model, Service, Trigger,
};
use metastable::policy::retry::{Backoff, Exponential, Growth, Jitter, Retry, Spread};
use metastable::time::{Span, Time};
use metastable::unit::Rate;

/// How often memory is asked for in the second of two equal runs; the first must ask, or nothing is
/// counted.
fn second_run_of(model: &Model) -> u64 {
    let mut world = World::<Lanes>::default();
    let mut run =
        || allocation_counter::measure(|| engine::run(&mut world, model, 1, &mut ())).count_total;
    assert!(run() > 0);
    run()
}

#[test]
fn a_storm() {
    assert_eq!(second_run_of(&storm()), 0);
}

/// Waits of every length, in the wheel.
#[test]
fn a_storm_with_back_off() {
    let mut model = storm();
    let growth =
        Exponential::new(Span::from_millis(50), 2.0, Span::from_secs(2)).expect("it grows");
    model.clients[0].edge.retry.backoff =
        Backoff::Jittered(Growth::Exponential(growth), Jitter::after_cap(Spread::Full));
    assert_eq!(second_run_of(&model), 0);
}

#[test]
fn random_work_of_many_workers() {
    let work = Law::Exponential { mean: Span::from_millis(100) };
    assert_eq!(second_run_of(&station(500, work, 4_000.0)), 0);
}

/// Three services in a row, the last one of which stalls.
#[test]
fn a_graph() {
    let mut model = storm();
    for depth in 1..3_u16 {
        let workers = NonZeroU32::new(10).expect("workers");
        model.services.push(Service::new(&format!("hop {depth}"), workers, Law::Fixed(TEN_MS)));
        let mut edge = Edge::new(ServiceId(depth));
        edge.timeout = Some(Span::from_millis(500));
        edge.retry = Retry { max_retries: 1, ..Retry::NEVER };
        let calls = &mut model.services[usize::from(depth) - 1].calls;
        calls.meanwhile = Meanwhile::FreesWorker;
        calls.list.push(InnerCall::new(&format!("hop {depth}"), edge));
    }
    model.triggers[0].disturbance = Disturbance::Stall { service: ServiceId(2) };
    assert_eq!(second_run_of(&model), 0);
}

/// Every kind of trigger that leaves something behind while it lasts.
#[test]
fn all_kinds_of_trouble() {
    let mut model = storm();
    let service = ServiceId(0);
    for (second, disturbance) in [
        (20, Disturbance::Slowdown { service, factor: 3.0, in_progress: InProgress::Stretched }),
        (30, Disturbance::Surge { client: ClientId(0), factor: 2.0 }),
        (40, Disturbance::Surge { client: ClientId(0), factor: 0.5 }),
        (50, Disturbance::Latency { edge: EdgeId::from(ClientId(0)), adds: TEN_MS }),
    ] {
        let begins = Time::ZERO + Span::from_secs(second);
        model.triggers.push(Trigger { begins, disturbance, ..model.triggers[0].clone() });
    }
    assert_eq!(second_run_of(&model), 0);
}

const TEN_MS: Span = Span::from_millis(10);

/// Ten workers of 10 ms at load 0.7, a timeout of a second, three immediate retries, and a stall of two
/// seconds.
fn storm() -> Model {
    let mut model = station(10, Law::Fixed(TEN_MS), 700.0);
    model.clients[0].edge.timeout = Some(Span::from_secs(1));
    model.clients[0].edge.retry = Retry { max_retries: 3, ..Retry::NEVER };
    model.triggers.push(Trigger {
        name: "gc".to_owned(),
        instance: None,
        begins: Time::ZERO + Span::from_secs(10),
        lasts: Span::from_secs(2),
        disturbance: Disturbance::Stall { service: ServiceId(0) },
    });
    model
}

fn station(workers: u32, service_time: Law, arrivals_per_second: f64) -> Model {
    let workers = NonZeroU32::new(workers).expect("workers");
    let arrivals = Arrivals::Poisson(Rate::new(arrivals_per_second).expect("a rate"));
    Model {
        services: vec![Service::new("api", workers, service_time)],
        clients: vec![Client::new("web", arrivals, Edge::new(ServiceId(0)))],
        ..Model::empty(Span::from_secs(60), Span::from_secs(1))
    }
}
