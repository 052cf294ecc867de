//! The shortcut records what the event loop records, to the last byte.

use metastable::engine::agenda::{Heap, Lanes};
use metastable::engine::shortcut::{Obstacle, Shortcut, obstacles};
use metastable::engine::{self, World};
use metastable::id::{ClientId, ServiceId};
use metastable::law::Law;
use metastable::model::{
    Arrivals, Bursts, Disturbance, InProgress, Model, OnAbandon, Solver, Start, Tie, Trigger,
    WorkDraw,
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

/// What one trigger does, for some number.
fn any_disturbance() -> impl Strategy<Value = Disturbance> {
    let (service, client) = (ServiceId(0), ClientId(0));
    let in_progress = InProgress::Untouched;
    prop_oneof![
        Just(Disturbance::Stall { service }),
        prop_oneof![Just(2.0), Just(0.5), 1.0..9.0_f64]
            .prop_map(move |factor| { Disturbance::Slowdown { service, factor, in_progress } }),
        prop_oneof![Just(2.0), Just(0.0), 0.0..4.0_f64]
            .prop_map(move |factor| Disturbance::Surge { client, factor }),
    ]
}

/// What is under way at the start: usually nothing.
fn any_start() -> impl Strategy<Value = Start> {
    let some = (0_u64..500, 0_u32..20);
    let some = some.prop_map(|(backlog, retries)| Start { backlog: ms(backlog), retries });
    prop_oneof![2 => Just(Start::EMPTY), 1 => some]
}

/// The first service and the first client of `model`, without what stands in the way, and disturbed by
/// `all`.
fn direct(
    mut model: Model,
    (tie, per_request, growing): (bool, bool, bool),
    all: &[Disturbance],
    start: Start,
) -> Model {
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
    for (trigger, disturbance) in model.triggers.iter_mut().zip(all.iter().cycle()) {
        trigger.disturbance = *disturbance;
    }
    let slows = |trigger: &Trigger| matches!(trigger.disturbance, Disturbance::Slowdown { .. });
    if service.admission.asks_for_work() && model.triggers.iter().any(slows) {
        service.admission = Admission::Bounded { max_waiting: 3 };
    }
    model.start = start;
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
        all in prop::collection::vec(any_disturbance(), 1..4),
        start in any_start(),
        seed in 0_u64..1_000,
    ) {
        let model = direct(model, kind, &all, start);
        let before = direct(before, kind, &all[1..].iter().chain(&all[..1]).copied().collect::<Vec<_>>(), Start::EMPTY);
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
    let slowdown = |factor| Disturbance::Slowdown {
        service: ServiceId(0),
        factor,
        in_progress: InProgress::Untouched,
    };
    let surge = |factor| Disturbance::Surge { client: ClientId(0), factor };
    let disturbed = |model: &mut Model, by: &[(Disturbance, u64, u64)]| {
        let trigger = model.triggers[0].clone();
        model.triggers = by
            .iter()
            .map(|&(disturbance, begins, lasts)| Trigger {
                begins: at_ms(begins),
                lasts: ms(lasts),
                disturbance,
                ..trigger.clone()
            })
            .collect();
    };
    check("slowdowns over one another", &|model| {
        disturbed(model, &[(slowdown(3.0), 3_000, 4_000), (slowdown(0.7), 5_000, 9_000)]);
        model.clients[0].arrivals = Arrivals::Even(rate(700.0));
    });
    check("surges over one another, of one name", &|model| {
        disturbed(model, &[(surge(2.0), 3_000, 4_000), (surge(1.5), 5_000, 1_000)]);
    });
    check("even surges that tie", &|model| {
        disturbed(model, &[(surge(2.0), 3_000, 4_000), (surge(2.0), 3_000, 1_000)]);
        model.clients[0].arrivals = Arrivals::Even(rate(1_000.0));
        model.services[0].admission = Admission::Bounded { max_waiting: 70 };
        model.clients[0].edge.retry.after_refusal = Some(Backoff::Immediate);
    });
    check("a surge, a slowdown and a stall", &|model| {
        let stall = Disturbance::Stall { service: ServiceId(0) };
        let by = [(surge(3.0), 3_000, 900), (slowdown(2.0), 3_500, 900), (stall, 4_000, 500)];
        disturbed(model, &by);
    });
    check("fewer come", &|model| {
        disturbed(model, &[(surge(0.5), 3_000, 4_000), (surge(0.0), 9_000, 1_000)]);
    });
    check("something under way at the start", &|model| {
        model.start = Start { backlog: ms(1_500), retries: 900 };
        model.triggers.clear();
    });
    check("something under way, of random work", &|model| {
        model.start = Start { backlog: ms(500), retries: 90 };
        model.services[0].service_time = Law::Exponential { mean: ms(9) };
        model.clients[0].edge.timeout = None;
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
    check(Obstacle::Leaving, &|model| model.services[0].on_abandon = OnAbandon::LeavesQueue);
    check(Obstacle::Discipline, &|model| model.services[0].discipline = Discipline::Lifo);
    check(Obstacle::Solver, &|model| model.solver = Solver::Stepped { step: ms(10) });
    check(Obstacle::Trigger, &|model| {
        let workers = std::num::NonZeroU32::MIN;
        model.triggers[0].disturbance = Disturbance::Capacity { service: ServiceId(0), workers };
    });
    let slowdown =
        |in_progress| Disturbance::Slowdown { service: ServiceId(0), factor: 2.0, in_progress };
    check(Obstacle::Trigger, &|model| {
        model.triggers[0].disturbance = slowdown(InProgress::Stretched);
    });
    check(Obstacle::WorkSlowed, &|model| {
        model.triggers[0].disturbance = slowdown(InProgress::Untouched);
        model.services[0].admission = Admission::BoundedWork { max_work: ms(100) };
    });
}
