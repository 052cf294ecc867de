//! Steps derived by hand.

use std::num::NonZeroU32;

use super::*;
use crate::model::{Arrivals, Disturbance, Edge, LateAnswers, Trigger};
use crate::observe::Recording;
use crate::policy::retry::{Backoff, Retry};
use crate::policy::shedding::Shedding;
use crate::unit::Rate;

fn second(count: u64) -> Span {
    Span::from_secs(count)
}

/// Eight requests a second, a worker that can answer ten of them, a timeout of two seconds, one retry a
/// second later, and a stall over seconds 2 to 5; ten seconds.
fn small() -> Model {
    let work = Law::Fixed(Span::from_millis(100));
    let edge = Edge {
        timeout: Some(second(2)),
        retry: Retry { max_retries: 1, backoff: Backoff::fixed(second(1)), ..Retry::NEVER },
        ..Edge::new(SERVICE)
    };
    let stall = Disturbance::Stall { service: SERVICE };
    let stall = Trigger {
        name: "stall".to_owned(),
        begins: Time::ZERO + second(2),
        lasts: second(3),
        instance: None,
        disturbance: stall,
    };
    Model {
        services: vec![Service::new("api", NonZeroU32::MIN, work)],
        clients: vec![Client::new("web", Arrivals::Even(Rate::new(8.0).unwrap()), edge)],
        triggers: vec![stall],
        ..Model::empty(second(10), second(1))
    }
}

fn seen(model: &Model, step: Span) -> Recording {
    let mut recording = Recording::of(model);
    run(model, step, &mut recording);
    recording
}

fn column(recording: &Recording, of: impl Fn(&crate::observe::Window) -> u64) -> Vec<u64> {
    recording.timeline.windows().iter().map(of).collect()
}

/// The stall leaves 24 requests. Those of second 2 are given up at the end of step 4, when they are two
/// seconds old, and ask again in step 5. Step 5 serves ten at last: the 8 of second 2, for nobody, and 2
/// of second 3, which are two seconds old and are in time, since the line comes before the clock; the
/// other 6 are given up in the same step. What comes back from step 5 on is too much for good.
#[test]
fn a_stall_step_by_step() {
    let found = seen(&small(), second(1));
    assert_eq!(column(&found, |window| window.arrivals), [8; 10]);
    assert_eq!(column(&found, |window| window.retries), [0, 0, 0, 0, 0, 8, 6, 4, 2, 8]);
    assert_eq!(column(&found, |window| window.timed_out), [0, 0, 0, 0, 8, 6, 4, 10, 14, 12]);
    assert_eq!(column(&found, |window| window.throughput), [8, 8, 0, 0, 0, 10, 10, 10, 10, 10]);
    assert_eq!(column(&found, |window| window.goodput), [8, 8, 0, 0, 0, 2, 4, 6, 0, 0]);
    assert_eq!(column(&found, |window| window.wasted), [0, 0, 0, 0, 0, 8, 6, 4, 10, 10]);
    assert_eq!(column(&found, |window| window.queue)[..6], [0, 0, 8, 16, 24, 30]);
}

/// Sent = completed + shed + refused + withdrawn + waiting, and requests = succeeded + failed + open.
#[test]
fn books_balance_in_every_step_and_under_every_policy() {
    let mut worlds = vec![small()];
    for shedding in [Shedding::Expired, Shedding::Unfinishable, Shedding::UnfinishableOnAverage] {
        let mut world = small();
        world.services[0].shedding = shedding;
        worlds.push(world);
    }
    let mut world = small();
    world.services[0].admission = Admission::Bounded { max_waiting: 5 };
    worlds.push(world.clone());
    world.services[0].on_abandon = OnAbandon::LeavesQueue;
    worlds.push(world);
    for world in worlds {
        for step in [1_000, 500, 100, 10, 1] {
            let found = seen(&world, Span::from_millis(step));
            let tally = &found.tally;
            let waiting = found.timeline.windows().last().unwrap().queue;
            let left = tally.completed + tally.shed + tally.rejected + tally.withdrawn + waiting;
            assert_eq!(tally.attempts, left, "{step} ms: {world:?}");
            assert_eq!(tally.attempts, tally.requests + tally.retries);
            assert!(tally.requests >= tally.succeeded + tally.failed);
            assert!(tally.work <= second(7), "a worker does no more than its time: {world:?}");
            assert_eq!(tally.requests, 80);
        }
    }
}

/// Work that does not fit into a step goes on in the next, and an idle worker saves nothing up.
#[test]
fn work_goes_on_over_the_end_of_a_step() {
    let mut world = small();
    world.triggers.clear();
    world.clients[0].arrivals = Arrivals::Even(Rate::new(1.0).unwrap());
    let found = seen(&world, Span::from_millis(40));
    // Two steps of 40 ms are too little for 100 ms, and the third ends it.
    assert_eq!(found.tally.waited, Span::ZERO);
    assert_eq!(found.tally.last_success, Some(Time::ZERO + Span::from_millis(9_080)));
    assert_eq!(found.latency.max(), Some(Span::from_millis(100)));
    assert_eq!(found.tally.succeeded, 10);
}

/// With room for five beside the one in the worker's hands, ten seconds' worth of a stall are refused.
#[test]
fn who_finds_no_room_is_refused_and_comes_back() {
    let mut world = small();
    world.services[0].admission = Admission::Bounded { max_waiting: 5 };
    let found = seen(&world, second(1));
    assert_eq!(column(&found, |window| window.queue)[2..5], [6, 6, 6]);
    assert_eq!(column(&found, |window| window.rejected)[2..5], [2, 10, 16]);
    assert_eq!(column(&found, |window| window.retries)[2..5], [0, 2, 8]);
}

/// A whole cohort is told at once: what a run costs does not depend on how many they are.
#[test]
fn a_thousand_times_the_load_at_a_thousand_times_the_speed_is_the_same_run() {
    let small = small();
    let mut large = small.clone();
    large.services[0].service_time = Law::Fixed(Span::from_nanos(100_000));
    large.clients[0].arrivals = Arrivals::Even(Rate::new(8_000.0).unwrap());
    let (small, large) = (seen(&small, second(1)), seen(&large, second(1)));
    let small = column(&small, |window| window.goodput * 1_000);
    assert_eq!(small, column(&large, |window| window.goodput));
}

#[test]
#[should_panic(expected = "the stepped solver cannot do this: [Step, LateAnswers]")]
fn what_it_cannot_do_it_does_not_begin() {
    let mut model = small();
    model.clients[0].edge.late_answers = LateAnswers::Accepted;
    seen(&model, Span::from_millis(300));
}
