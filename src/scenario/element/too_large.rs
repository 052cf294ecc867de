//! A run that is too large, and the key that makes it so.

use std::num::{NonZeroU16, NonZeroU32};

use super::number::thousands;
use crate::model::{
    Arrivals, Client, Edge, Effect, MAX_IN_FLIGHT, MAX_REMEMBERED, MAX_WINDOWS, Model, Service,
    TooLarge, WorstCase,
};
use crate::policy::admission::Admission;
use crate::policy::cache::{Contents, Keys};
use crate::policy::effect::Idempotency;
use crate::scenario::source::Place;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;
use crate::unit::Rate;

/// What is wrong with the world at `spot`.
pub(super) fn too_large(limit: TooLarge, model: &Model, spot: Spot<'_>) -> Diagnostic {
    let (message, help) = match limit {
        TooLarge::Events(events) => (
            format!(
                "this run may need {} events; the limit is {}",
                estimated(events),
                thousands(model.max_events() as u64)
            ),
            "a shorter horizon, a lower rate or fewer retries",
        ),
        TooLarge::InFlight(attempts) => (
            format!(
                "{} attempts may be in flight at once in this run; the limit is {}",
                estimated(attempts),
                thousands(MAX_IN_FLIGHT as u64)
            ),
            "a shorter horizon, a lower rate, fewer retries or a bounded queue",
        ),
        TooLarge::Remembered(pieces) => (
            format!(
                "{} keys and places of instances would be kept in mind; the limit is {}",
                estimated(pieces),
                thousands(MAX_REMEMBERED as u64)
            ),
            "fewer keys, a shorter retention, fewer instances, or one memory for all: scope = \"shared\"",
        ),
        TooLarge::Windows(windows) => (
            format!(
                "a horizon of {} has {} windows of {}; the limit is {}",
                model.horizon,
                thousands(windows),
                model.window,
                thousands(MAX_WINDOWS)
            ),
            "a shorter horizon or a longer window",
        ),
    };
    Diagnostic::error(cause(limit, model, spot), message).help(help.to_owned())
}

/// An estimate, without digits that mean nothing; where it is beyond all counting, that it is.
fn estimated(estimate: f64) -> String {
    const COUNTABLE: f64 = 1e15;
    if estimate >= COUNTABLE || estimate.is_nan() {
        return "more than 10^15".to_owned();
    }
    let estimate = estimate as u64;
    let unit = 10_u64.pow(estimate.checked_ilog10().unwrap_or(0).saturating_sub(1));
    format!("about {}", thousands(estimate.div_ceil(unit) * unit))
}

/// What a run of ordinary size has at most.
const ORDINARY_HORIZON: Span = Span::from_secs(600);
const ORDINARY_WINDOW: Span = Span::from_secs(1);
const ORDINARY_RATE: f64 = 1_000.0;
const ORDINARY_RETRIES: u32 = 3;
const ORDINARY_TIMEOUT: Span = Span::from_secs(60);
const ORDINARY_WAITING: u32 = 10_000;
const ORDINARY_WORKERS: NonZeroU32 = NonZeroU32::new(1_000).unwrap();
const ORDINARY_INSTANCES: NonZeroU16 = NonZeroU16::new(10).unwrap();
const ORDINARY_KEYS: NonZeroU32 = NonZeroU32::new(10_000).unwrap();
const ORDINARY_EVERY: Span = Span::from_secs(10);
const ORDINARY_RETENTION: Span = Span::from_secs(60);

/// The key whose value, were it an ordinary one, would make the run smaller than any other's would.
fn cause(limit: TooLarge, model: &Model, spot: Spot<'_>) -> Place {
    let size = |model: &Model| {
        let WorstCase { events, in_flight, remembered, windows } = model.worst_case();
        match limit {
            TooLarge::Events(_) => events,
            TooLarge::InFlight(_) => in_flight,
            TooLarge::Remembered(_) => remembered,
            TooLarge::Windows(_) => windows as f64,
        }
    };
    let mut smallest = (f64::INFINITY, spot.at("horizon").value());
    let mut consider = |place: Place, change: &dyn Fn(&mut Model)| {
        let mut changed = model.clone();
        change(&mut changed);
        let size = size(&changed);
        if size < smallest.0 {
            smallest = (size, place);
        }
    };
    consider(spot.at("horizon").value(), &|model| {
        model.horizon = model.horizon.min(ORDINARY_HORIZON);
    });
    if let Some(window) = spot.find("window") {
        consider(window.value(), &|model| model.window = model.window.max(ORDINARY_WINDOW));
    }
    for (nth, client) in model.clients.iter().enumerate() {
        let here = spot.at("clients").at(&client.name);
        let called = model.service(client.edge.to);
        let service = spot.at("services").at(&called.name);
        let demand = match demand(here) {
            // A share of a capacity that nobody has: it is the capacity that is out of the ordinary.
            Demand::Load(_) if called.workers > ORDINARY_WORKERS => service.at("workers"),
            Demand::Load(_) if called.instances > ORDINARY_INSTANCES => service.at("instances"),
            Demand::Load(spot) | Demand::Other(spot) => spot,
        };
        consider(demand.value(), &|model| slow_down(&mut model.clients[nth], model.horizon));
        let Some(call) = here.find("call") else { continue };
        consider_call(call, &mut |place, change| {
            consider(place, &|model| change(&mut model.clients[nth].edge));
        });
    }
    for (nth, service) in model.services.iter().enumerate() {
        let here = spot.at("services").at(&service.name);
        if let Some(queue) = here.find("queue") {
            consider(queue.value(), &|model| {
                let admission = &mut model.services[nth].admission;
                if let Admission::Bounded { max_waiting } = admission {
                    *max_waiting = ORDINARY_WAITING.min(*max_waiting);
                }
            });
        }
    }
    for (nth, service) in model.services.iter().enumerate() {
        let here = spot.at("services").at(&service.name);
        consider_size(here, &mut |place, change| {
            consider(place, &|model| change(&mut model.services[nth]));
        });
        for (call, written) in service.calls.list.iter().enumerate() {
            consider_call(here.at("calls").at(&written.name), &mut |place, change| {
                consider(place, &|model| {
                    change(&mut model.services[nth].calls.list[call].edge);
                });
            });
        }
    }
    smallest.1
}

/// What would make a service, or what goes over an edge, smaller.
type Change<'c, T> = &'c dyn Fn(&mut T);

/// The keys of a call that say how often and for how long it is tried, and how much is kept in mind for it.
fn consider_call(call: Spot<'_>, consider: &mut dyn FnMut(Place, Change<'_, Edge>)) {
    if let Some(retry) = call.find("retry") {
        consider(retries(retry).value(), &|edge| {
            edge.retry.max_retries = edge.retry.max_retries.min(ORDINARY_RETRIES);
        });
    }
    if let Some(keys) = call.find("cache").and_then(|cache| cache.find("keys")) {
        consider(keys.value(), &few_keys);
    }
    if let Some(timeout) = call.find("timeout") {
        consider(timeout.value(), &|edge| {
            let own = edge.timeout.map_or(ORDINARY_TIMEOUT, |own| own.min(ORDINARY_TIMEOUT));
            edge.timeout = Some(own);
        });
    }
}

/// The keys of a service that say how much of it there is, and how often anybody looks.
fn consider_size(service: Spot<'_>, consider: &mut dyn FnMut(Place, Change<'_, Service>)) {
    consider(service.at("workers").value(), &|service| {
        service.workers = service.workers.min(ORDINARY_WORKERS);
    });
    if let Some(instances) = service.find("instances") {
        consider(instances.value(), &|service| {
            service.instances = service.instances.min(ORDINARY_INSTANCES);
        });
    }
    if let Some(scaling) = service.find("autoscaling") {
        consider(scaling.at("max").value(), &|service| {
            if let Some(scaling) = &mut service.scaling {
                scaling.max = scaling.max.min(ORDINARY_WORKERS);
            }
        });
        consider(scaling.at("every").value(), &|service| {
            if let Some(scaling) = &mut service.scaling {
                scaling.every = scaling.every.max(ORDINARY_EVERY);
            }
        });
    }
    if let Some(keys) = service.find("effect").and_then(|effect| effect.find("keys")) {
        let place = keys.find("retention").map_or(keys.key, |retention| retention.value());
        consider(place, &forget_soon);
    }
    if let Some(interval) = service.find("ejection").and_then(|found| found.find("interval")) {
        consider(interval.value(), &|service| {
            if let Some(ejection) = &mut service.ejection {
                ejection.interval = ejection.interval.max(ORDINARY_EVERY);
            }
        });
    }
}

fn forget_soon(service: &mut Service) {
    if let Some(Effect { idempotency: Idempotency::Keys { retention, .. }, .. }) =
        &mut service.effect
    {
        *retention = Some(retention.map_or(ORDINARY_RETENTION, |own| own.min(ORDINARY_RETENTION)));
    }
}

fn few_keys(edge: &mut Edge) {
    if let Some(cache) = &mut edge.cache
        && let Contents::Keys(Keys { count, .. }) = &mut cache.contents
    {
        *count = ORDINARY_KEYS.min(*count);
    }
}

fn slow_down(client: &mut Client, horizon: Span) {
    let rate = client.arrivals.mean_rate(horizon).min(ORDINARY_RATE);
    if let Some(rate) = Rate::new(rate) {
        client.arrivals = Arrivals::Poisson(rate);
    }
}

/// Where a client's demand is written; of two keys, the one that the later layer named.
fn demand(client: Spot<'_>) -> Demand<'_> {
    match (client.find("load"), client.find("arrival_rate")) {
        (Some(load), rate) if rate.is_none_or(|rate| rate.layer < load.layer) => Demand::Load(load),
        (_, Some(rate)) => Demand::Other(rate),
        (_, None) => Demand::Other(client.at("arrivals")),
    }
}

enum Demand<'t> {
    Load(Spot<'t>),
    Other(Spot<'t>),
}

/// Where the number of retries is written.
fn retries(retry: Spot<'_>) -> Spot<'_> {
    let kind = retry.node.entries().iter().max_by_key(|entry| entry.layer).map(Spot::of);
    kind.and_then(|kind| latest(kind, &["max_retries", "max_attempts"])).unwrap_or(retry)
}

fn latest<'t>(spot: Spot<'t>, keys: &[&str]) -> Option<Spot<'t>> {
    keys.iter().filter_map(|key| spot.find(key)).max_by_key(|found| found.layer)
}
