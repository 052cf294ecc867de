//! Kubernetes' arithmetic, and capacity that comes after the spike.

use super::*;
use proptest::prelude::*;

fn at(secs: u64) -> Time {
    Time::ZERO + Span::from_secs(secs)
}

fn some(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

fn per_worker(measure: f64) -> PerWorker {
    PerWorker::new(measure).unwrap()
}

fn target(target: f64) -> Rule {
    Rule::Target { target: per_worker(target), tolerance: Fraction::new(0.1).unwrap() }
}

const AT_ONCE: Direction = Direction { window: Span::ZERO, step: None };

fn kubernetes(utilisation: f64) -> Scaling {
    Scaling {
        measure: Measure::Busy,
        rule: target(utilisation),
        every: Scaling::KUBERNETES_EVERY,
        start_up: Span::from_secs(60),
        min: some(1),
        max: some(1_000),
        up: Direction::KUBERNETES_UP,
        down: Direction::KUBERNETES_DOWN,
    }
}

/// All `workers` busy for this share.
fn busy(workers: u32, share: f64) -> Reading {
    Reading { ready: workers, total: f64::from(workers) * share }
}

fn started(order: Order) -> u32 {
    match order {
        Order::Start { workers, .. } => workers,
        Order::Stay | Order::Stop { .. } => panic!("{order:?}"),
    }
}

/// The example of Kubernetes' own announcement of tolerances: 50 workers at 90 % of a target of 75 %
/// become 60.
#[test]
fn as_many_as_would_meet_the_target() {
    let check = |ordered: u32, reading: Reading, expected| {
        let rule = target(0.75);
        assert_eq!(rule.recommend(ordered, reading), expected, "{ordered} {reading:?}");
    };
    check(50, busy(50, 0.9), 60);
    check(50, busy(50, 0.82), 50);
    check(50, busy(50, 0.68), 50);
    check(50, busy(50, 0.83), 56);
    check(50, busy(50, 0.15), 10);
    check(3, busy(3, 0.0), 0);
    check(3, Reading { ready: 0, total: 0.0 }, 3);
    // Ten of twenty have not started. They count as idle: 10 x 100 % are enough for 13.3, not more
    // than 20; and 10 x 180 %, of attempts inside say, want 24.
    check(20, busy(10, 1.0), 20);
    check(20, busy(10, 1.8), 24);
    check(20, busy(10, 0.375), 5);
}

#[test]
fn thresholds_take_steps() {
    let rule = Rule::Thresholds {
        above: per_worker(5.0),
        add: some(2),
        below: Some(per_worker(1.0)),
        remove: some(1),
    };
    let recommend = |total| rule.recommend(4, Reading { ready: 4, total });
    assert_eq!([20.1, 20.0, 4.0, 3.9].map(recommend), [6, 4, 4, 3]);
}

/// From 2 workers that want to be 100: by four in 15 s, and once there are more than four, to twice
/// as many.
#[test]
fn growth_is_limited_by_steps() {
    let mut autoscaler = kubernetes(0.5).open(2);
    let wish = Reading { ready: 2, total: 50.0 };
    let orders = [15, 29, 30, 45, 60, 75].map(|secs| {
        let before = autoscaler.ordered();
        // All that were ordered are ready by the next look.
        let reading = Reading { ready: before, ..wish };
        autoscaler.look(at(secs), reading);
        autoscaler.ordered()
    });
    assert_eq!(orders, [6, 6, 12, 24, 48, 96]);
}

/// After a minute of calm it still has as many workers as were wanted four minutes ago.
#[test]
fn shrinking_waits_for_the_window() {
    let mut autoscaler = kubernetes(0.5).open(10);
    let mut look = |secs: u64, share: f64| {
        let order = autoscaler.look(at(secs), busy(autoscaler.ordered(), share));
        let _ = autoscaler.arrived(at(secs));
        order
    };
    assert_eq!(look(15, 0.5), Order::Stay);
    let orders: Vec<(u64, Order)> = (30..=600)
        .step_by(15)
        .map(|secs| (secs, look(secs, 0.1)))
        .filter(|&(_, order)| order != Order::Stay)
        .collect();
    assert_eq!(orders[0], (315, Order::Stop { starting: 0, ready: 8 }));
}

/// A reaction time of a minute: what has held for less starts nothing.
#[test]
fn a_spike_must_last_for_the_reaction_time() {
    let up = Direction { window: Span::from_secs(60), step: None };
    let first_order = |spike_ends: u64| {
        let mut autoscaler = Scaling { up, ..kubernetes(0.5) }.open(4);
        (15..300).step_by(15).find(|&secs| {
            let share = if (100..spike_ends).contains(&secs) { 1.0 } else { 0.5 };
            autoscaler.look(at(secs), busy(4, share)) != Order::Stay
        })
    };
    // The last quiet look is at 90; at 150 it is a minute old, and does not count any more.
    assert_eq!(first_order(300), Some(150));
    assert_eq!(first_order(150), None);
}

#[test]
fn who_has_not_started_goes_first() {
    let scaling = Scaling { up: AT_ONCE, down: AT_ONCE, ..kubernetes(0.5) };
    let mut autoscaler = scaling.open(4);
    assert_eq!(started(autoscaler.look(at(15), busy(4, 0.75))), 2);
    let more = autoscaler.look(at(30), Reading { ready: 4, total: 4.5 });
    assert_eq!(more, Order::Start { workers: 3, ready: at(90) });
    assert_eq!((autoscaler.ordered(), autoscaler.starting()), (9, 5));
    assert_eq!((autoscaler.arrived(at(74)), autoscaler.arrived(at(75))), (0, 2));
    // 1.5 busy want three: three that have not started go, and three that have.
    let fewer = autoscaler.look(at(75), Reading { ready: 6, total: 1.5 });
    assert_eq!(fewer, Order::Stop { starting: 3, ready: 3 });
    assert_eq!((autoscaler.arrived(at(90)), autoscaler.ordered()), (0, 3));
}

/// Case G07: 100/s per worker, 80/s but 160/s for the first minute, and a second worker that is ready
/// at second 120. The backlog, in steps of a second, at 60 s and at 120 s, and when it is gone.
fn spike(max: u32) -> (f64, f64, u64) {
    let scaling = Scaling {
        measure: Measure::Busy,
        rule: Rule::Thresholds {
            above: per_worker(0.9),
            add: some(1),
            below: None,
            remove: some(1),
        },
        every: Span::from_secs(20),
        start_up: Span::from_secs(100),
        min: some(1),
        max: some(max),
        up: AT_ONCE,
        down: AT_ONCE,
    };
    let mut autoscaler = scaling.open(1);
    let (mut workers, mut backlog, mut busy) = (1, 0.0_f64, 0.0);
    let mut backlogs = Vec::new();
    for secs in 0.. {
        backlogs.push(backlog);
        if secs > 60 && backlog == 0.0 {
            return (backlogs[60], backlogs[120], secs);
        }
        workers += autoscaler.arrived(at(secs));
        if secs > 0 && at(secs) == scaling.next_look(at(secs - 1)) {
            let order = autoscaler.look(at(secs), Reading { ready: workers, total: busy / 20.0 });
            assert!(matches!(order, Order::Stay | Order::Start { .. }));
            busy = 0.0;
        }
        let arrivals = if secs < 60 { 160.0 } else { 80.0 };
        let capacity = 100.0 * f64::from(workers);
        let served = capacity.min(backlog + arrivals);
        backlog += arrivals - served;
        busy += served / 100.0;
    }
    unreachable!("it is gone some day")
}

#[test]
fn capacity_that_arrives_after_the_spike() {
    assert_eq!(spike(1), (3_600.0, 2_400.0, 240));
    assert_eq!(spike(2), (3_600.0, 2_400.0, 140));
}

proptest! {
    /// Orders add up to what was ordered, which stays within its bounds from the first look on; what
    /// starts arrives when it was promised, unless it was called off.
    #[test]
    fn the_books_balance(
        initial in 1_u32..40, up in prop::option::of((0_u32..5, 0_u32..150, 0_u64..60)),
        down in prop::option::of((0_u32..5, 0_u32..150, 0_u64..60)), windows in (0_u64..60, 0_u64..60),
        readings in prop::collection::vec((0.0_f64..30.0, 0_u32..2), 1..80),
    ) {
        let step = |(workers, percent, period)| {
            Step { workers, percent, period: Span::from_secs(period) }
        };
        let direction = |window, limit: Option<_>| {
            Direction { window: Span::from_secs(window), step: limit.map(step) }
        };
        let scaling = Scaling {
            start_up: Span::from_secs(40),
            min: some(2),
            max: some(20),
            up: direction(windows.0, up),
            down: direction(windows.1, down),
            ..kubernetes(0.5)
        };
        let mut autoscaler = scaling.open(initial);
        let (mut ready, mut promised) = (initial, Vec::new());
        for (look, (total, broken)) in (1_u64..).zip(readings) {
            let now = at(look * 15);
            let due = promised.extract_if(.., |(when, _)| *when <= now);
            let due: u32 = due.map(|(_, workers)| workers).sum();
            prop_assert_eq!(autoscaler.arrived(now), due);
            ready += due;
            let before = autoscaler.ordered();
            match autoscaler.look(now, Reading { ready: ready.saturating_sub(broken), total }) {
                Order::Stay => prop_assert_eq!(autoscaler.ordered(), before),
                Order::Start { workers, ready } => {
                    prop_assert_eq!(autoscaler.ordered(), before + workers);
                    prop_assert_eq!(ready, now + scaling.start_up);
                    promised.push((ready, workers));
                }
                Order::Stop { starting, ready: gone } => {
                    prop_assert_eq!(autoscaler.ordered() + starting + gone, before);
                    prop_assert!(gone == 0 || autoscaler.starting() == 0);
                    ready -= gone;
                    let mut left = starting;
                    while left > 0 {
                        let (when, workers) = promised.pop().unwrap();
                        let gone = left.min(workers);
                        left -= gone;
                        if workers > gone {
                            promised.push((when, workers - gone));
                        }
                    }
                }
            }
            let waiting: u32 = promised.iter().map(|&(_, workers)| workers).sum();
            prop_assert_eq!(autoscaler.starting(), waiting);
            prop_assert_eq!(autoscaler.ordered(), ready + waiting);
            prop_assert!((2..=20).contains(&autoscaler.ordered()));
        }
    }
}
