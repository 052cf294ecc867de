//! The retry storm a second time, written by other means: one heap of tuples, waiting attempts in a
//! deque, requests in a plain list, and a stall that is reckoned into each piece of work when it
//! begins instead of freezing it. Only the instants of the arrivals are taken from the engine.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use metastable::engine::agenda::Lanes;
use metastable::observe::{Fact, Tally, Trace};

use crate::worlds::{immediately, ms, retry_storm, watch};

/// What the second opinion needs to know; times in nanoseconds.
struct Storm {
    arrivals: Vec<u64>,
    workers: usize,
    work: u64,
    timeout: u64,
    max_retries: u32,
    stall: (u64, u64),
    horizon: u64,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    attempts: u64,
    retries: u64,
    timed_out: u64,
    failed: u64,
    completed: u64,
    wasted: u64,
    still_waiting: u64,
    /// When each request succeeded, in order.
    successes: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Done,
    GiveUp,
    StallOver,
    Send,
}

impl Storm {
    fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::default();
        // The attempt that each request waits for.
        let mut awaited: Vec<Option<u32>> = vec![None; self.arrivals.len()];
        let mut queue: VecDeque<(usize, u32)> = VecDeque::new();
        let mut idle = self.workers;
        let mut agenda = BinaryHeap::new();
        let mut order = 0_u64;
        for (request, &at) in self.arrivals.iter().enumerate() {
            agenda.push(Reverse((at, Step::Send, order, request, 0)));
            order += 1;
        }
        agenda.push(Reverse((self.stall.1, Step::StallOver, order, 0, 0)));
        while let Some(Reverse((now, step, _, request, attempt))) = agenda.pop() {
            if now >= self.horizon {
                break;
            }
            match step {
                Step::Done => {
                    idle += 1;
                    outcome.completed += 1;
                    if awaited[request] == Some(attempt) {
                        awaited[request] = None;
                        outcome.successes.push(now);
                    } else {
                        outcome.wasted += 1;
                    }
                }
                Step::GiveUp if awaited[request] == Some(attempt) => {
                    awaited[request] = None;
                    outcome.timed_out += 1;
                    if attempt < self.max_retries {
                        order += 1;
                        agenda.push(Reverse((now, Step::Send, order, request, attempt + 1)));
                    } else {
                        outcome.failed += 1;
                    }
                }
                Step::GiveUp | Step::StallOver => {}
                Step::Send => {
                    outcome.attempts += 1;
                    outcome.retries += u64::from(attempt > 0);
                    awaited[request] = Some(attempt);
                    queue.push_back((request, attempt));
                    order += 1;
                    agenda.push(Reverse((
                        now + self.timeout,
                        Step::GiveUp,
                        order,
                        request,
                        attempt,
                    )));
                }
            }
            let more_first = agenda
                .peek()
                .is_some_and(|Reverse((at, step, ..))| *at == now && *step < Step::Send);
            let (begins, ends) = self.stall;
            while !more_first && !(begins..ends).contains(&now) && idle > 0 {
                let Some((request, attempt)) = queue.pop_front() else { break };
                idle -= 1;
                let interrupted = now < begins && begins < now + self.work;
                let done = now + self.work + if interrupted { ends - begins } else { 0 };
                order += 1;
                agenda.push(Reverse((done, Step::Done, order, request, attempt)));
            }
        }
        outcome.still_waiting = queue.len() as u64;
        outcome
    }
}

#[test]
fn a_second_simulation_agrees_to_the_nanosecond() {
    let check = |load: f64, max_retries: u32, stall_ms: u64, timeout_ms: u64, seed: u64| {
        let mut model = retry_storm(load);
        model.clients[0].edge.retry = immediately(max_retries);
        model.clients[0].edge.timeout = Some(ms(timeout_ms));
        model.triggers[0].lasts = ms(stall_ms);
        let (trace, tally) = watch::<Lanes, _>(&model, seed, (Trace::default(), Tally::default()));
        let instants = |wanted: fn(&Fact) -> bool| -> Vec<u64> {
            trace
                .facts()
                .iter()
                .filter(|(_, fact)| wanted(fact))
                .map(|(now, _)| now.as_nanos())
                .collect()
        };
        let trigger = &model.triggers[0];
        let storm = Storm {
            arrivals: instants(|fact| matches!(fact, Fact::Arrived { .. })),
            workers: 10,
            work: ms(10).as_nanos(),
            timeout: ms(timeout_ms).as_nanos(),
            max_retries,
            stall: (trigger.begins.as_nanos(), trigger.ends().as_nanos()),
            horizon: model.horizon.as_nanos(),
        };
        let found = Outcome {
            attempts: tally.attempts,
            retries: tally.retries,
            timed_out: tally.timed_out,
            failed: tally.failed,
            completed: tally.completed,
            wasted: tally.wasted,
            still_waiting: tally.attempts - tally.started,
            successes: instants(|fact| matches!(fact, Fact::Succeeded { .. })),
        };
        assert_eq!(found.successes.len() as u64, tally.succeeded);
        assert!(
            found == storm.outcome(),
            "load {load}, {max_retries} retries, stall {stall_ms} ms, timeout {timeout_ms} ms, seed {seed}"
        );
        found
    };
    let storm = check(0.7, 3, 2_000, 1_000, 1);
    assert!((99_000..=102_200).contains(&storm.retries), "{} retries", storm.retries);
    for seed in 2..5 {
        check(0.7, 3, 2_000, 1_000, seed);
        check(0.7, 0, 2_000, 1_000, seed);
    }
    check(0.5, 3, 2_000, 1_000, 1);
    check(0.3, 3, 2_000, 1_000, 1);
    check(0.9, 3, 1_100, 1_000, 1);
    check(0.7, 1, 1_250, 500, 1);
    check(0.7, 10, 40, 15, 1);
}
