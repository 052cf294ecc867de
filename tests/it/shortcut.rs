//! The shortcut records what the event loop records, to the last byte.

use metastable::engine::agenda::{Heap, Lanes};
use metastable::engine::shortcut::{Obstacle, Shortcut, obstacles};
use metastable::engine::{self, World};
use metastable::id::{ClientId, ServiceId};
use metastable::law::Law;
use metastable::model::{
    Arrivals, Bursts, Disturbance, InProgress, Model, OnAbandon, Solver, Tie, Trigger, WorkDraw,
};
use metastable::observe::Recording;
use metastable::policy::admission::Admission;
use metastable::policy::discipline::Discipline;
use metastable::policy::retry::{Backoff, First, Growth};
use metastable::policy::shedding::Shedding;
use metastable::time::Span;
use proptest::prelude::*;

use crate::worlds::{any_model, at_ms, ms, rate, retry_storm, stall};

fn by_events(model: &Model, seed: u64) -> Recording {
    let mut recording = Recording::of(model);
    engine::run(&mut World::<Lanes>::default(), model, seed, &mut recording);
    recording
}

/// The first service and the first client of `model`, without what stands in the way.
fn direct(mut model: Model, (tie, per_request, growing): (bool, bool, bool)) -> Model {
    model.services.truncate(1);
    model.clients.truncate(1);
    let service = &mut model.services[0];
    service.queue_timeout = None;
    service.refusals.cost = Default::default();
    service.work = if per_request { WorkDraw::PerRequest } else { WorkDraw::PerAttempt };
    if matches!(service.shedding, Shedding::Codel(_) | Shedding::FollyCodel(_)) {
        service.shedding = Shedding::Never;
    }
    if matches!(service.admission, Admission::Headroom(_)) {
        service.admission = Admission::Bounded { max_waiting: 3 };
    }
    let edge = &mut model.clients[0].edge;
    edge.to = ServiceId(0);
    edge.budget = None;
    if growing {
        edge.retry.first = First::AtOnce;
    }
    if service.admission != Admission::Unbounded && edge.retry.after_refusal.is_none() {
        edge.retry.after_refusal = Some(Backoff::Steady(Growth::Fixed(ms(1))));
    }
    for trigger in &mut model.triggers {
        trigger.disturbance = Disturbance::Stall { service: ServiceId(0) };
    }
    model.tie = if tie { Tie::TimerWins } else { Tie::CompletionWins };
    model
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// Ties of every kind are common in these models: lengths are whole milliseconds.
    #[test]
    fn both_ways_record_the_same(
        model in any_model(),
        kind in any::<(bool, bool, bool)>(),
        before in any_model(),
        seed in 0_u64..1_000,
    ) {
        let (model, before) = (direct(model, kind), direct(before, kind));
        prop_assert_eq!(obstacles(&model), []);
        let mut shortcut = Shortcut::default();
        // In a place that has been used before.
        shortcut.run(&before, seed);
        prop_assert_eq!(shortcut.run(&model, seed), by_events(&model, seed));
    }
}

/// Arrivals of every open process, jitter, unlimited retries at one instant, stalls that meet.
#[test]
fn special_worlds_are_recorded_alike() {
    let check = |name: &str, change: &dyn Fn(&mut Model)| {
        let mut model = retry_storm(0.8);
        model.horizon = Span::from_secs(25);
        change(&mut model);
        assert_eq!(obstacles(&model), [], "{name}");
        for seed in 1..4 {
            let found = Shortcut::default().run(&model, seed);
            assert_eq!(found, by_events(&model, seed), "{name}, seed {seed}");
            let mut by_heap = Recording::of(&model);
            engine::run(&mut World::<Heap>::default(), &model, seed, &mut by_heap);
            assert_eq!(found, by_heap, "{name}, seed {seed}");
        }
    };
    check("as it is", &|_| {});
    check("bursts", &|model| {
        model.clients[0].arrivals = Arrivals::Bursts(Bursts {
            on: rate(1_500.0),
            off: None,
            mean_on: ms(300),
            mean_off: ms(300),
        });
    });
    check("a volley", &|model| {
        model.clients[0].arrivals =
            Arrivals::Volley { count: 5_000, begins: at_ms(1_000), within: ms(100) };
    });
    check("all at one instant", &|model| {
        model.clients[0].arrivals =
            Arrivals::Volley { count: 5_000, begins: at_ms(1_000), within: Span::ZERO };
        model.services[0].admission = Admission::Bounded { max_waiting: 50 };
    });
    check("even arrivals that tie with everything", &|model| {
        model.clients[0].arrivals = Arrivals::Even(rate(1_000.0));
        model.clients[0].edge.timeout = Some(ms(50));
        model.services[0].admission = Admission::Bounded { max_waiting: 70 };
        model.clients[0].edge.retry.backoff = Backoff::fixed(ms(10));
    });
    check("stalls that meet, overlap and are empty", &|model| {
        let api = ServiceId(0);
        model.triggers = vec![
            stall("a", api, at_ms(3_000), ms(500)),
            stall("b", api, at_ms(3_500), ms(500)),
            stall("c", api, at_ms(3_700), ms(100)),
            stall("d", api, at_ms(6_000), Span::ZERO),
            stall("e", api, at_ms(24_000), Span::from_secs(9)),
        ];
        model.clients[0].arrivals = Arrivals::Even(rate(1_000.0));
    });
    check("no timeout", &|model| model.clients[0].edge.timeout = None);
    check("random work of several workers", &|model| {
        model.services[0].service_time = Law::Exponential { mean: ms(9) };
    });
    check("random work of one worker", &|model| {
        model.services[0].workers = std::num::NonZeroU32::MIN;
        model.services[0].service_time = Law::Exponential { mean: ms(1) };
    });
    check("a horizon that is no whole number of windows", &|model| {
        model.horizon = ms(24_321);
    });
    check("jitter", &|model| {
        let growth = metastable::policy::retry::Exponential::new(ms(50), 2.0, ms(2_000));
        model.clients[0].edge.retry.backoff = Backoff::from(growth.expect("it grows"));
    });
}

/// Whatever the event loop alone can do is refused by name.
#[test]
fn what_stands_in_the_way_is_named() {
    let check = |obstacle: Obstacle, change: &dyn Fn(&mut Model)| {
        let mut model = retry_storm(0.5);
        change(&mut model);
        assert_eq!(obstacles(&model), [obstacle], "{}", obstacle.words());
    };
    check(Obstacle::Several, &|model| model.services.push(model.services[0].clone()));
    check(Obstacle::Start, &|model| model.start.retries = 1);
    check(Obstacle::Leaving, &|model| model.services[0].on_abandon = OnAbandon::LeavesQueue);
    check(Obstacle::Discipline, &|model| model.services[0].discipline = Discipline::Lifo);
    check(Obstacle::Solver, &|model| model.solver = Solver::Stepped { step: ms(10) });
    check(Obstacle::Trigger, &|model| {
        model.triggers.push(Trigger {
            disturbance: Disturbance::Surge { client: ClientId(0), factor: 2.0 },
            ..model.triggers[0].clone()
        });
    });
    check(Obstacle::Trigger, &|model| {
        model.triggers[0].disturbance = Disturbance::Slowdown {
            service: ServiceId(0),
            factor: 2.0,
            in_progress: InProgress::Untouched,
        };
    });
}
