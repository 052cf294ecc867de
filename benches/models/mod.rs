//! The worlds that benchmarks run.
#![allow(dead_code, reason = "each of two binaries runs some of them")]

use std::num::NonZeroU32;

use metastable::experiment::Cell;
use metastable::id::ServiceId;
use metastable::law::Law;
use metastable::model::{
    Arrivals, Client, Disturbance, Edge, InnerCall, Meanwhile, Model, Service, Trigger,
};
use metastable::policy::retry::{Backoff, Exponential, Growth, Jitter, Retry, Spread};
use metastable::time::{Span, Time};
use metastable::unit::{Fraction, Rate};

/// The storm under back-off from 50 ms to 2 s with full jitter: waits of every length.
pub(crate) fn storm_with_back_off() -> Model {
    let mut model = storm();
    let backoff = Exponential::new(Span::from_millis(50), 2.0, Span::from_secs(2));
    let growth = Growth::Exponential(backoff.expect("it grows"));
    model.clients[0].edge.retry.backoff =
        Backoff::Jittered(growth, Jitter::after_cap(Spread::Full));
    model
}

/// M/M/1 at load 0.7 with about so many customers: random work, few events at a time.
pub(crate) fn single_server(customers: f64) -> Model {
    let mean = Span::from_millis(1);
    let horizon = Span::from_secs_f64(customers / 700.0);
    station(1, Law::Exponential { mean }, 700.0, horizon)
}

/// The stall at 700,000 requests/s and 10,000 workers, without retries: 86 million events in a minute
/// and up to two million attempts in flight, far more than any cache holds.
pub(crate) fn thousandfold(horizon: Span) -> Model {
    let mut model = storm();
    model.horizon = horizon;
    model.services[0].workers = NonZeroU32::new(10_000).expect("workers");
    model.clients[0].arrivals = Arrivals::Poisson(rate(700_000.0));
    model.clients[0].edge.retry = Retry::NEVER;
    model
}

/// Five services in a row at 1,000 requests/s for a minute, each attempt with a timeout and retries.
pub(crate) fn chain_of_five() -> Model {
    let mut model = station(20, Law::Exponential { mean: Span::from_millis(5) }, 1_000.0, MINUTE);
    patient(&mut model.clients[0].edge);
    for depth in 1..5 {
        let workers = NonZeroU32::new(20).expect("workers");
        let work = Law::Exponential { mean: Span::from_millis(5) };
        model.services.push(Service::new(&format!("hop {depth}"), workers, work));
        call(&mut model, depth - 1, depth);
    }
    model
}

/// Fifty services in five layers of ten, each calling five of the next, at 10,000 requests/s for a
/// minute: 200 calls, of which an attempt makes one.
pub(crate) fn graph_of_fifty() -> Model {
    let (layers, width) = (5, 10);
    let work = || Law::Exponential { mean: Span::from_millis(5) };
    let mut model = Model::empty(MINUTE, Span::from_secs(1));
    for service in 0..layers * width {
        let workers = NonZeroU32::new(10).expect("workers");
        model.services.push(Service::new(&format!("service {service}"), workers, work()));
    }
    for client in 0..width {
        let arrivals = Arrivals::Poisson(rate(10_000.0 / width as f64));
        let mut edge = Edge::new(ServiceId(client as u16));
        patient(&mut edge);
        model.clients.push(Client::new(&format!("client {client}"), arrivals, edge));
    }
    for caller in 0..(layers - 1) * width {
        let below = (caller / width + 1) * width;
        for nth in 0..5 {
            call(&mut model, caller, below + (caller + nth) % width);
        }
        for call in &mut model.services[caller].calls.list {
            call.share = Fraction::new(0.2).expect("a share");
        }
    }
    model
}

const MINUTE: Span = Span::from_secs(60);

fn call(model: &mut Model, caller: usize, callee: usize) {
    let name = model.services[callee].name.clone();
    let mut edge = Edge::new(ServiceId(callee as u16));
    patient(&mut edge);
    let calls = &mut model.services[caller].calls;
    calls.meanwhile = Meanwhile::FreesWorker;
    calls.list.push(InnerCall::new(&name, edge));
}

/// An attempt is waited for half a second, and tried once more.
fn patient(edge: &mut Edge) {
    edge.timeout = Some(Span::from_millis(500));
    edge.retry = Retry { max_retries: 1, ..Retry::NEVER };
}

/// 4 loads x 10 stalls of the storm.
pub(crate) fn grid() -> Vec<Cell> {
    let cell = |load: f64, stall: u64| {
        let mut model = storm();
        model.clients[0].arrivals = Arrivals::Poisson(rate(1_000.0 * load));
        model.triggers[0].lasts = Span::from_millis(stall);
        Cell { variant: "3 retries".to_owned(), at: Vec::new(), model }
    };
    let stalls = [500, 750, 1_000, 1_100, 1_250, 1_500, 1_750, 2_000, 2_500, 3_000];
    let loads = [0.3, 0.5, 0.7, 0.9];
    loads.into_iter().flat_map(|load| stalls.map(|stall| cell(load, stall))).collect()
}

/// Ten workers of 10 ms at load 0.7, a timeout of a second, three immediate retries, and a stall of
/// two seconds from second 10 in a run of a minute.
pub(crate) fn storm() -> Model {
    let mut model = station(10, Law::Fixed(Span::from_millis(10)), 700.0, Span::from_secs(60));
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

fn station(workers: u32, service_time: Law, arrivals_per_second: f64, horizon: Span) -> Model {
    let workers = NonZeroU32::new(workers).expect("workers");
    let arrivals = Arrivals::Poisson(rate(arrivals_per_second));
    Model {
        services: vec![Service::new("api", workers, service_time)],
        clients: vec![Client::new("web", arrivals, Edge::new(ServiceId(0)))],
        ..Model::empty(horizon, Span::from_secs(1))
    }
}

fn rate(per_second: f64) -> Rate {
    Rate::new(per_second).expect("a rate")
}
