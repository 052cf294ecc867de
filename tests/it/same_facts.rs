//! What may not matter does not: the future event list, the world's past, the number of threads,
//! neighbours, and the order of lists.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use metastable::engine::agenda::{Agenda, Heap, Lanes};
use metastable::engine::{self, World};
use metastable::experiment::{Cell, CellOutcome, Coordinate, sweep};
use metastable::id::{ClientId, ServiceId};
use metastable::law::Law;
use metastable::model::{Arrivals, Disturbance, Model};
use metastable::observe::{CallId, Fact, Trace};
use metastable::policy::admission::Admission;
use metastable::policy::shedding::Shedding;
use metastable::time::{Span, Time};
use proptest::prelude::*;

use crate::worlds::{
    any_model, any_poisson_model, client, immediately, ms, rate, retry_storm, service, stall, trace,
};

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn every_event_list_tells_the_same_facts(model in any_model(), seed in 0_u64..1_000) {
        prop_assert!(trace::<Lanes>(&model, seed) == trace::<Heap>(&model, seed));
    }

    #[test]
    fn a_used_world_is_as_good_as_new(before in any_model(), model in any_model(), seed in 0_u64..1_000) {
        prop_assert!(reused::<Lanes>(&before, &model, seed) == trace::<Lanes>(&model, seed));
        prop_assert!(reused::<Heap>(&before, &model, seed) == trace::<Heap>(&model, seed));
    }

    /// Common random numbers: whoever shares nothing with the newcomer does not notice.
    #[test]
    fn neighbours_change_nothing(model in any_model(), seed in 0_u64..1_000, first in any::<bool>()) {
        let mut crowded = model.clone();
        let to = if first { 0 } else { crowded.services.len() };
        crowded.services.insert(to, service("newcomer", 2, Law::Exponential { mean: ms(20) }));
        let services: Vec<usize> = (0..=model.services.len()).filter(|&index| index != to).collect();
        for client in &mut crowded.clients {
            client.edge.to = ServiceId(services[client.edge.to.index()] as u16);
        }
        for trigger in &mut crowded.triggers {
            let Disturbance::Stall { service } = &mut trigger.disturbance else { continue };
            *service = ServiceId(services[service.index()] as u16);
        }
        let mut newcomer = client("other", ServiceId(to as u16), Arrivals::Poisson(rate(150.0)));
        newcomer.edge.timeout = Some(ms(100));
        newcomer.edge.retry = immediately(2);
        let at = if first { 0 } else { crowded.clients.len() };
        crowded.clients.insert(at, newcomer);
        crowded.triggers.push(stall("other", ServiceId(to as u16), Time::ZERO, ms(700)));

        let (mut before, mut after) = (by_name(&model, seed), by_name(&crowded, seed));
        prop_assert!(after.remove("other").is_some_and(|facts| !facts.is_empty()));
        before.retain(|name, _| !name.starts_with("trigger"));
        after.retain(|name, _| !name.starts_with("trigger"));
        prop_assert!(before == after);
    }

    /// Two variants under one seed see the same customers, who bring the same work.
    #[test]
    fn policies_change_no_customer(model in any_model(), seed in 0_u64..1_000) {
        let mut tame = model.undisturbed();
        for service in &mut tame.services {
            service.workers = service.workers.saturating_add(3);
            service.admission = Admission::Unbounded;
            service.shedding = Shedding::Never;
        }
        for client in &mut tame.clients {
            client.edge.timeout = None;
            client.edge.retry = immediately(0);
            client.edge.budget = None;
        }
        let (wild, wild_work) = customers(&model, seed);
        let (tame, tame_work) = customers(&tame, seed);
        prop_assert!(wild == tame);
        let both = wild_work.keys().filter(|call| tame_work.contains_key(call));
        for call in both {
            prop_assert_eq!(wild_work[call], tame_work[call]);
        }
    }

    #[test]
    fn the_order_of_lists_changes_nothing(model in any_poisson_model(), seed in 0_u64..1_000) {
        let mut turned = model.clone();
        turned.clients.reverse();
        turned.services.reverse();
        turned.triggers.reverse();
        let last = turned.services.len() as u16 - 1;
        for client in &mut turned.clients {
            client.edge.to = ServiceId(last - client.edge.to.0);
        }
        for trigger in &mut turned.triggers {
            let Disturbance::Stall { service } = &mut trigger.disturbance else { continue };
            *service = ServiceId(last - service.0);
        }
        prop_assert!(by_name(&turned, seed) == by_name(&model, seed));
    }
}

fn reused<A: Agenda>(before: &Model, model: &Model, seed: u64) -> Vec<(Time, Fact)> {
    let mut world = World::<A>::default();
    engine::run(&mut world, before, seed + 1, &mut ());
    let mut trace = Trace::default();
    engine::run(&mut world, model, seed, &mut trace);
    trace.facts().to_vec()
}

/// When which client's requests arrive, and the work of their first attempts as far as it was done.
fn customers(model: &Model, seed: u64) -> (Vec<(Time, ClientId)>, HashMap<CallId, Span>) {
    let (mut arrivals, mut work_of) = (Vec::new(), HashMap::new());
    for (now, fact) in trace::<Lanes>(model, seed) {
        if let Fact::Arrived { client, .. } = fact {
            arrivals.push((now, client));
        }
        if let Fact::Completed { call, attempt: 0, work, .. } = fact {
            work_of.insert(call, work);
        }
    }
    (arrivals, work_of)
}

/// The facts of each client and each trigger, told without the numbers that depend on positions.
fn by_name(model: &Model, seed: u64) -> HashMap<String, Vec<String>> {
    let mut names: HashMap<CallId, (ClientId, usize)> = HashMap::new();
    let mut arrived = vec![0; model.clients.len()];
    let mut told: HashMap<String, Vec<String>> = HashMap::new();
    for (now, fact) in trace::<Lanes>(model, seed) {
        if let Fact::Arrived { client, call } = fact {
            arrived[client.index()] += 1;
            names.insert(call, (client, arrived[client.index()]));
        }
        let service = |id: ServiceId| &model.services[id.index()].name;
        let (call, what) = match fact {
            Fact::Arrived { call, .. } => (call, "arrived".to_owned()),
            Fact::Sent { call, attempt, .. } => (call, format!("sent {attempt}")),
            Fact::Repeated { call, attempt, .. } => (call, format!("repeated {attempt}")),
            Fact::Executed { call, attempt, before, .. } => {
                (call, format!("executed {attempt}, after {before}"))
            }
            Fact::Replayed { call, attempt, .. } => (call, format!("replayed {attempt}")),
            Fact::Conflicted { call, attempt, .. } => (call, format!("conflicted {attempt}")),
            Fact::BudgetDenied { call, .. } => (call, "denied".to_owned()),
            Fact::TimedOut { call, attempt, .. } => (call, format!("timed out {attempt}")),
            Fact::Succeeded { call, latency, .. } => (call, format!("succeeded after {latency}")),
            Fact::Failed { call, .. } => (call, "failed".to_owned()),
            Fact::Refused { service: at, call, attempt, .. } => {
                (call, format!("{} refused {attempt}", service(at)))
            }
            Fact::Queued { service: at, call, attempt } => {
                (call, format!("{} queued {attempt}", service(at)))
            }
            Fact::Shed { service: at, call, attempt, dropped } => {
                (call, format!("{} shed {attempt} {dropped:?}", service(at)))
            }
            Fact::RefusalBegun { service: at, call, attempt } => {
                (call, format!("{} begins to refuse {attempt}", service(at)))
            }
            Fact::RefusalSaid { service: at, call, attempt, work } => {
                (call, format!("{} has refused {attempt} in {work}", service(at)))
            }
            Fact::RefusalLost { service: at, call, attempt, place } => {
                (call, format!("{} never refuses {attempt} from {place:?}", service(at)))
            }
            Fact::Started { service: at, call, attempt, waited, from_queue } => {
                (call, format!("{} started {attempt} after {waited}, {from_queue}", service(at)))
            }
            Fact::Completed { service: at, call, attempt, work, useful } => {
                (call, format!("{} completed {attempt} in {work}, {useful}", service(at)))
            }
            Fact::Hit { call, .. } => (call, "hit".to_owned()),
            Fact::Coalesced { call, .. } => (call, "coalesced".to_owned()),
            Fact::Called { call, .. } => (call, "called".to_owned()),
            Fact::Returned { call, answered, .. } => (call, format!("returned {answered}")),
            Fact::Blocked { call, .. } => (call, "blocked".to_owned()),
            Fact::LostOnTheWay { call, attempt, .. } => (call, format!("lost {attempt}")),
            Fact::CameToNothing { call, attempt, .. } => (call, format!("for nothing {attempt}")),
            Fact::Lost { service: at, call, attempt, place } => {
                (call, format!("{} lost {attempt} from {place:?}", service(at)))
            }
            Fact::Withdrawn { service: at, call, attempt, place } => {
                (call, format!("{} drops {attempt} from {place:?}", service(at)))
            }
            Fact::HeldBack { call, attempt, guard, .. } => {
                (call, format!("held back {attempt} by {guard:?}"))
            }
            Fact::Routed { call, attempt, instance, .. } => {
                (call, format!("{attempt} to instance {instance}"))
            }
            Fact::Settled { call, attempt, instance, end, .. } => {
                (call, format!("{attempt} from instance {instance} {end:?}"))
            }
            Fact::BreakerOpened { .. }
            | Fact::Ejected { .. }
            | Fact::Reinstated { .. }
            | Fact::KeyExpired { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. } => {
                continue;
            }
            Fact::TriggerBegan { trigger } | Fact::TriggerEnded { trigger } => {
                let began = matches!(fact, Fact::TriggerBegan { .. });
                let name = format!("trigger {}", model.triggers[trigger.index()].name);
                told.entry(name).or_default().push(format!("{now} began: {began}"));
                continue;
            }
        };
        let (client, number) = names[&call];
        let name = model.clients[client.index()].name.clone();
        told.entry(name).or_default().push(format!("{now} #{number} {what}"));
    }
    told
}

#[test]
fn a_seed_fixes_everything_and_another_changes_it() {
    let model = retry_storm(0.5);
    assert!(trace::<Lanes>(&model, 7) == trace::<Lanes>(&model, 7));
    assert!(trace::<Lanes>(&model, 7) != trace::<Lanes>(&model, 8));
}

#[test]
fn the_storm_is_the_same_on_every_event_list() {
    let model = retry_storm(0.7);
    assert!(trace::<Lanes>(&model, 3) == trace::<Heap>(&model, 3));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let cell = |load: f64, lasts: u64| {
        let mut model = retry_storm(load);
        model.triggers[0].lasts = ms(lasts);
        let at = vec![Coordinate { label: load.to_string(), number: Some(load) }];
        Cell { variant: "base".to_owned(), at, model }
    };
    let cells: Vec<Cell> = [0.3, 0.7]
        .into_iter()
        .flat_map(|load| [500, 1_250, 3_000].map(|lasts| cell(load, lasts)))
        .collect();
    let on = |threads: usize| -> Vec<CellOutcome> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| sweep(&cells, 1..4, &AtomicBool::new(false), |_| ()))
            .expect("nobody stops it")
    };
    let alone = on(1);
    assert_eq!(alone.len(), cells.len());
    assert_eq!(alone, on(2));
    assert_eq!(alone, on(5));
}
