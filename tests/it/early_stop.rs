//! Runs that end once their verdict is known have the verdict of the whole run.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicBool;

use metastable::experiment::{Cell, CellOutcome, Engine, Way, sweep};
use metastable::id::{ClientId, ServiceId};
use metastable::law::Law;
use metastable::model::{Arrivals, Disturbance, InProgress, Model};
use metastable::policy::admission::Admission;
use metastable::policy::retry::{Backoff, Exponential, Growth, Jitter, Spread};
use metastable::policy::shedding::Shedding;
use metastable::time::Span;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::worlds::{immediately, ms, rate, retry_storm};

/// Storms of every kind and size around the edge between coming back and not.
fn any_storm() -> impl Strategy<Value = Model> {
    let service = (1_u32..=12, 5_u64..40, 0_u8..6, any::<bool>());
    let client = (0.2..1.05_f64, 100_u64..2_000, 0_u32..5, 0_u8..4, any::<bool>());
    let trigger = (1_000_u64..8_000, 50_u64..6_000, 20_u64..60, 0_u8..4, 1.2..12.0_f64);
    (service, client, trigger).prop_map(|(service, client, trigger)| {
        let (begins, lasts, horizon, kind, factor) = trigger;
        let (workers, work, policy, is_exponential) = service;
        let (load, timeout, retries, wait, is_even) = client;
        let mut model = retry_storm(0.5);
        let api = &mut model.services[0];
        api.workers = NonZeroU32::new(workers).expect("some");
        api.service_time =
            if is_exponential { Law::Exponential { mean: ms(work) } } else { Law::Fixed(ms(work)) };
        match policy {
            0 => api.shedding = Shedding::Expired,
            1 => api.shedding = Shedding::Unfinishable,
            2 => api.admission = Admission::Bounded { max_waiting: 5 * workers },
            _ => {}
        }
        let arrivals = rate(load * api.capacity().per_second());
        let web = &mut model.clients[0];
        web.arrivals = if is_even { Arrivals::Even(arrivals) } else { Arrivals::Poisson(arrivals) };
        web.edge.timeout = Some(ms(timeout));
        web.edge.retry = immediately(retries);
        let growth = Exponential::new(ms(50), 2.0, ms(2_000)).expect("it grows");
        web.edge.retry.backoff = match wait {
            0 => Backoff::fixed(ms(200)),
            1 => Backoff::Jittered(Growth::Exponential(growth), Jitter::after_cap(Spread::Full)),
            _ => Backoff::Immediate,
        };
        model.triggers[0].begins = metastable::time::Time::ZERO + ms(begins);
        model.triggers[0].lasts = ms(lasts);
        let (service, client) = (ServiceId(0), ClientId(0));
        model.triggers[0].disturbance = match kind {
            0 => Disturbance::Surge { client, factor },
            1 => Disturbance::Slowdown { service, factor, in_progress: InProgress::Untouched },
            _ => Disturbance::Stall { service },
        };
        model.horizon = Span::from_secs(horizon);
        model
    })
}

fn judged(cells: &[Cell], engine: Engine, early_stop: bool) -> Vec<CellOutcome> {
    let stop = AtomicBool::new(false);
    let way = Way { stop: &stop, engine, early_stop };
    sweep(cells, 1..3, way, |_| ()).expect("nobody stops it")
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4,
        max_shrink_iters: 0,
        // A verdict by early stop is certain enough, not certain: the cells are the same every time.
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    /// In each of more than a thousand cells, under two seeds.
    #[test]
    fn whole_runs_confirm_every_verdict(models in prop::collection::vec(any_storm(), 300)) {
        let cell = |model| Cell { variant: "storm".to_owned(), at: Vec::new(), model };
        let cells: Vec<Cell> = models.into_iter().map(cell).collect();
        let (whole, early) = (judged(&cells, Engine::Auto, false), judged(&cells, Engine::Auto, true));
        let cut_short: u64 = early.iter().map(|cell| cell.cut_short).sum();
        prop_assert!(cut_short > 120, "of 600 runs, {cut_short} were cut short");
        for (nth, (whole, early)) in whole.iter().zip(&early).enumerate() {
            prop_assert_eq!(whole.cut_short, 0);
            let same = CellOutcome { cut_short: 0, ..early.clone() };
            prop_assert_eq!(whole, &same, "{:#?}", cells[nth].model);
        }
    }
}

/// Whoever plays event by event plays to the end, and says so.
#[test]
fn the_event_loop_is_not_cut_short() {
    let cell = Cell { variant: "storm".to_owned(), at: Vec::new(), model: retry_storm(0.7) };
    let cells = [cell];
    let outcome = |engine| judged(&cells, engine, true).remove(0);
    let (events, auto) = (outcome(Engine::Events), outcome(Engine::Auto));
    assert_eq!((events.cut_short, auto.cut_short), (0, 2));
    assert_eq!(events.verdicts, auto.verdicts);
}
