//! How fast the engine is: `cargo bench --bench engine`, with `-- storm` for some of it.
//!
//! An item is an event: an arrival, a timeout that fired or a completion. 20 M items/s are 50 ns an
//! event. A world is used again from run to run, as a sweep does, and the runs are recorded in full,
//! as every command does, unless the name says otherwise.

mod models;

use std::sync::atomic::AtomicBool;

use divan::Bencher;
use divan::counter::ItemsCount;
use metastable::engine::agenda::{Agenda, Heap, Lanes};
use metastable::engine::{self, World};
use metastable::experiment::sweep;
use metastable::model::Model;
use metastable::observe::{Observer, Recording, Tally};
use metastable::time::Span;

fn main() {
    divan::main();
}

/// A stalled service under three immediate retries: 230,000 events, most of them of the storm.
#[divan::bench(types = [Lanes, Heap])]
fn storm<A: Agenda>(bencher: Bencher) {
    recorded::<A>(bencher, &models::storm());
}

/// The same, told to nobody: the clockwork alone.
#[divan::bench(types = [Lanes, Heap])]
fn storm_unobserved<A: Agenda>(bencher: Bencher) {
    observed::<A, ()>(bencher, &models::storm(), || ());
}

/// The same service without a stall.
#[divan::bench(types = [Lanes, Heap])]
fn healthy<A: Agenda>(bencher: Bencher) {
    recorded::<A>(bencher, &models::storm().undisturbed());
}

/// The storm under back-off from 50 ms to 2 s: waits of many lengths.
#[divan::bench(types = [Lanes, Heap])]
fn storm_with_back_off<A: Agenda>(bencher: Bencher) {
    recorded::<A>(bencher, &models::storm_with_back_off());
}

/// M/M/1 at load 0.7 with about a million customers: random work, few events at a time.
#[divan::bench(types = [Lanes, Heap], sample_count = 10)]
fn million_customers<A: Agenda>(bencher: Bencher) {
    recorded::<A>(bencher, &models::single_server(1e6));
}

/// The stall at 700,000 requests/s and 10,000 workers, without retries: 86 million events and up to
/// two million attempts in flight, far more than any cache holds. `-- --ignored` runs it.
#[divan::bench(types = [Lanes, Heap], sample_count = 1, ignore)]
fn thousandfold<A: Agenda>(bencher: Bencher) {
    recorded::<A>(bencher, &models::thousandfold(Span::from_secs(60)));
}

/// Five services in a row at 1,000 requests/s for a minute, each attempt with a timeout and retries.
#[divan::bench(types = [Lanes, Heap], sample_count = 10)]
fn chain_of_five<A: Agenda>(bencher: Bencher) {
    recorded::<A>(bencher, &models::chain_of_five());
}

/// Fifty services in five layers of ten, each calling five of the next, at 10,000 requests/s for a
/// minute: 200 calls, of which an attempt makes one.
#[divan::bench(types = [Lanes, Heap], sample_count = 1, ignore)]
fn graph_of_fifty<A: Agenda>(bencher: Bencher) {
    recorded::<A>(bencher, &models::graph_of_fifty());
}

/// 4 loads x 10 stalls x 5 seeds of the storm, on every core. An item is a run with its verdict.
#[divan::bench(sample_count = 5)]
fn sweep_of_200_runs(bencher: Bencher) {
    let cells = models::grid();
    bencher.counter(ItemsCount::new(cells.len() * 5)).bench_local(|| {
        sweep(&cells, 1..6, &AtomicBool::new(false), |_| ()).expect("nobody stops it")
    });
}

fn recorded<A: Agenda>(bencher: Bencher, model: &Model) {
    observed::<A, _>(bencher, model, || Recording::of(model));
}

fn observed<A: Agenda, O: Observer>(bencher: Bencher, model: &Model, observer: impl Fn() -> O) {
    let mut world = World::<A>::default();
    let mut tally = Tally::default();
    engine::run(&mut world, model, 1, &mut tally);
    bencher.counter(ItemsCount::new(tally.events)).bench_local(|| {
        let mut seen = observer();
        engine::run(&mut world, model, 1, &mut seen);
        seen
    });
}
