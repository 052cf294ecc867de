//! A small story that the tables' tests are shown: the stalled service of the README, in short.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicBool;

use crate::experiment::{Cell, CellOutcome, Coordinate, Subject, Summary, replicate, sweep};
use crate::id::ServiceId;
use crate::law::Law;
use crate::model::{Arrivals, Client, Disturbance, Edge, Model, Service, Trigger};
use crate::policy::retry::Retry;
use crate::time::{Span, Time};
use crate::unit::Rate;

pub(super) const TITLE: &str = "Three immediate retries keep a stalled service down";

/// Ten workers of 10 ms, 30 seconds, a stall at second 5 that lasts `stall_ms`.
pub(super) fn model(load: f64, max_retries: u32, stall_ms: u64) -> Model {
    let work = Law::Fixed(Span::from_millis(10));
    let service = Service::new("api", NonZeroU32::new(10).unwrap(), work);
    let edge = Edge {
        timeout: Some(Span::from_secs(1)),
        retry: Retry { max_retries, ..Retry::NEVER },
        ..Edge::new(ServiceId(0))
    };
    let arrivals = Arrivals::Poisson(Rate::new(1_000.0 * load).unwrap());
    let disturbance = Disturbance::Stall { service: ServiceId(0) };
    let begins = Time::ZERO + Span::from_secs(5);
    let lasts = Span::from_millis(stall_ms);
    Model {
        services: vec![service],
        clients: vec![Client::new("web", arrivals, edge)],
        triggers: vec![Trigger {
            name: "gc".to_owned(),
            instance: None,
            begins,
            lasts,
            disturbance,
        }],
        ..Model::empty(Span::from_secs(30), Span::from_secs(1))
    }
}

/// The three variants that the tests look at, by name.
pub(super) fn variants() -> [(&'static str, Model); 4] {
    let mut late = model(0.7, 0, 2_000);
    late.triggers[0].begins = Time::ZERO + Span::from_secs(15);
    [
        ("3 retries", model(0.7, 3, 2_000)),
        ("no retries", model(0.7, 0, 2_000)),
        ("no retries and a stall that comes ten seconds later", late),
        ("a short stall", model(0.7, 3, 20)),
    ]
}

pub(super) fn subjects<'a>(variants: &'a [(&'a str, Model)]) -> Vec<Subject<'a>> {
    variants.iter().map(|(name, model)| Subject { name, model }).collect()
}

pub(super) fn summaries(subjects: &[Subject<'_>], seeds: u64) -> Vec<Summary> {
    let stop = AtomicBool::new(false);
    replicate(subjects, 1..1 + seeds, &stop, Summary::from).expect("nothing stops it")
}

/// Load against stall length, for each of `variants`, two seeds each.
pub(super) fn cells(variants: &[(&str, u32)]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (variant, retries) in variants {
        for load in [0.5, 0.9] {
            for stall_ms in [500, 1_250, 3_000] {
                let lasts = Span::from_millis(stall_ms);
                let at = vec![
                    Coordinate { label: load.to_string(), number: Some(load) },
                    Coordinate { label: lasts.to_string(), number: Some(lasts.as_secs_f64()) },
                ];
                let model = model(load, *retries, stall_ms);
                cells.push(Cell { variant: (*variant).to_owned(), at, model });
            }
        }
    }
    cells
}

pub(super) fn outcomes(cells: &[Cell]) -> Vec<CellOutcome> {
    sweep(cells, 1..3, &AtomicBool::new(false), |_| ()).expect("nothing stops it")
}

pub(super) fn axes() -> [String; 2] {
    ["clients.web.load".to_owned(), "triggers.gc.stall.lasts".to_owned()]
}
