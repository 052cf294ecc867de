//! The table of the README: `cargo bench --bench speed`, with `-- --all` for the worlds that take
//! minutes.
//!
//! Every workload is run by the event loop, by the shortcut where it has one, and by a loop written by
//! hand for it (`yardstick.rs`), in turn, several rounds; the fastest round of each counts, since
//! whatever else the machine does only adds. All three record the same numbers, which is checked. An
//! event is an arrival, a timeout that fired or a completion.
#![allow(clippy::print_stdout, reason = "a table is what it is run for")]

#[path = "../models/mod.rs"]
mod models;
mod yardstick;

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use metastable::engine::agenda::Lanes;
use metastable::engine::shortcut::{Shortcut, obstacles};
use metastable::engine::{self, World};
use metastable::experiment::{Engine, Way, sweep};
use metastable::model::Model;
use metastable::observe::Recording;
use metastable::time::Span;

use yardstick::{Counts, Plain, single_server, storm};

const SEED: u64 = 1;

/// What is measured.
struct Workload {
    name: &'static str,
    model: Model,
    by_hand: Option<Box<dyn Fn() -> Counts>>,
    rounds: usize,
}

fn main() {
    let all = std::env::args().any(|argument| argument == "--all");
    println!(
        "| workload | events | event loop | shortcut | by hand | loop / hand | shortcut / hand |"
    );
    println!("| --- | --: | --: | --: | --: | --: | --: |");
    for workload in workloads(all) {
        println!("{}", row(&workload));
    }
    println!();
    println!("Times in ns per event. A sweep of 200 runs (4 loads x 10 stalls x 5 seeds of W1) on");
    println!("{} threads, in seconds:", rayon::current_num_threads());
    println!();
    println!("| event loop | shortcut | shortcut and early stop |");
    println!("| --: | --: | --: |");
    let events = sweep_seconds(Engine::Events, false);
    let (auto, early) = (sweep_seconds(Engine::Auto, false), sweep_seconds(Engine::Auto, true));
    println!("| {events:.2} | {auto:.2} | {early:.2} |");
}

/// W1 as the loops written by hand know it.
const W1: Plain = Plain {
    workers: 10,
    work: 10_000_000,
    mean_gap: 1e9 / 700.0,
    timeout: 1_000_000_000,
    max_retries: 3,
    backoff: None,
    stall: (10_000_000_000, 12_000_000_000),
    horizon: 60_000_000_000,
};

fn workloads(all: bool) -> Vec<Workload> {
    let by_hand = |world: Plain| -> Option<Box<dyn Fn() -> Counts>> {
        Some(Box::new(move || storm(world, SEED)))
    };
    let w4 = Plain { backoff: Some((50_000_000, 2_000_000_000)), ..W1 };
    let customers = if all { 1e7 } else { 1e6 };
    let w2 = models::single_server(customers);
    let w2_horizon = w2.horizon.as_nanos();
    let w3 = |seconds: u64| Workload {
        name: if seconds == 60 { "W3: 700,000 requests/s" } else { "W3, 24 min: 1,000 M requests" },
        model: models::thousandfold(Span::from_secs(seconds)),
        by_hand: by_hand(Plain {
            workers: 10_000,
            mean_gap: 1e9 / 700_000.0,
            max_retries: 0,
            horizon: seconds * 1_000_000_000,
            ..W1
        }),
        rounds: 1,
    };
    let mut list = vec![
        Workload {
            name: "W1: retry storm",
            model: models::storm(),
            by_hand: by_hand(W1),
            rounds: 15,
        },
        Workload {
            name: "W1 without its stall",
            model: models::storm().undisturbed(),
            by_hand: by_hand(Plain { stall: (u64::MAX, u64::MAX), ..W1 }),
            rounds: 15,
        },
        Workload {
            name: "W2: M/M/1 at load 0.7",
            model: w2,
            by_hand: Some(Box::new(move || single_server(1e9 / 700.0, 1e6, w2_horizon, SEED))),
            rounds: 5,
        },
        Workload {
            name: "W4: W1 with back-off",
            model: models::storm_with_back_off(),
            by_hand: by_hand(w4),
            rounds: 15,
        },
        Workload {
            name: "chain of five",
            model: models::chain_of_five(),
            by_hand: None,
            rounds: 5,
        },
    ];
    if all {
        list.push(Workload {
            name: "graph of fifty",
            model: models::graph_of_fifty(),
            by_hand: None,
            rounds: 1,
        });
        list.push(w3(60));
    }
    list
}

fn row(workload: &Workload) -> String {
    let Workload { name, model, by_hand, rounds } = workload;
    let mut world = World::<Lanes>::default();
    let mut shortcut = obstacles(model).is_empty().then(Shortcut::default);
    let mut recording = Recording::of(model);
    engine::run(&mut world, model, SEED, &mut recording);
    let events = recording.tally.events;
    if let Some(shortcut) = &mut shortcut {
        assert!(shortcut.run(model, SEED) == recording, "{name}: the shortcut records the same");
    }
    if let Some(by_hand) = by_hand {
        by_hand().compare(&recording);
    }
    let mut best = [f64::INFINITY; 3];
    for _ in 0..*rounds {
        let seconds = time(|| {
            let mut recording = Recording::of(model);
            engine::run(&mut world, model, SEED, &mut recording);
            recording
        });
        best[0] = best[0].min(seconds);
        if let Some(shortcut) = &mut shortcut {
            best[1] = best[1].min(time(|| shortcut.run(model, SEED)));
        }
        if let Some(by_hand) = by_hand {
            best[2] = best[2].min(time(by_hand));
        }
    }
    let [event_loop, by_shortcut, hand] = best.map(|seconds| seconds * 1e9 / events as f64);
    let number = |value: f64, digits: usize| {
        if value.is_finite() { format!("{value:.digits$}") } else { "–".to_owned() }
    };
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} |",
        thousands(events),
        number(event_loop, 1),
        number(by_shortcut, 1),
        number(hand, 1),
        number(if hand.is_finite() { event_loop / hand } else { f64::INFINITY }, 2),
        number(if hand.is_finite() { by_shortcut / hand } else { f64::INFINITY }, 2),
    )
}

fn sweep_seconds(engine: Engine, early_stop: bool) -> f64 {
    let cells = models::grid();
    let stop = AtomicBool::new(false);
    let way = Way { stop: &stop, engine, early_stop };
    let seconds = |_| time(|| sweep(&cells, 1..6, way, |_| ()).expect("nobody stops it"));
    (0..5).map(seconds).fold(f64::INFINITY, f64::min)
}

#[allow(clippy::disallowed_methods, reason = "a clock is what this binary is for")]
fn time<T>(act: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(act());
    start.elapsed().as_secs_f64()
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let (head, tail) = digits.split_at(first);
    let groups = tail.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let head = (!head.is_empty()).then(|| head.to_owned());
    head.into_iter().chain(groups).collect::<Vec<_>>().join(",")
}
