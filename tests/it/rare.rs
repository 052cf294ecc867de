//! Splitting against closed forms: how often M/M/1 reaches a length, frequent or rare.

use std::sync::atomic::AtomicBool;

use metastable::analysis::Interval;
use metastable::analysis::markov::{Chain, birth_death};
use metastable::experiment::{Collapse, calm_model, plain, splitting};
use metastable::law::Law;
use metastable::model::{Arrivals, Model};
use metastable::time::Span;

use crate::worlds::{ms, rate, station};

const WORK_S: f64 = 0.01;
const LOAD: f64 = 0.5;

fn queue() -> Model {
    let arrivals = Arrivals::Poisson(rate(LOAD / WORK_S));
    let work = Law::Exponential { mean: ms(10) };
    calm_model(&station(1, work, arrivals, Span::from_secs(60)), 1).expect("odds")
}

/// That so many are present, of whom one is served: the others are that many times the work of one.
fn reaches(present: usize) -> Collapse {
    Collapse::Reaches((present as f64 - 1.5) * WORK_S)
}

/// The chance that so many are present at some time within so long.
fn exactly(present: usize, seconds: f64) -> f64 {
    let mut chain = Chain::new(present + 1, 1);
    for state in 0..present {
        chain.add(state, state + 1, LOAD / WORK_S);
        chain.add(state + 1, state, 1.0 / WORK_S);
    }
    chain.chance_within(seconds, 0, |state| state == present)
}

/// Whether `expected` lies within twice a 95 % interval: seeds are not chosen to please, and a product of many
/// shares is skewed, so that its interval covers a little less than it says.
fn is_inside(expected: f64, found: f64, Interval { low, high }: Interval) -> bool {
    (found - 2.0 * (found - low)..=found + 2.0 * (high - found)).contains(&expected)
}

/// At chances of about 0.3 and 0.03 within a minute: plain runs, splitting and the chain.
#[test]
fn both_ways_and_the_closed_form_agree() {
    let (model, stop) = (queue(), AtomicBool::new(false));
    for (present, about) in [(12, 0.3), (16, 0.03)] {
        let chance = exactly(present, 60.0);
        assert!((chance / about).max(about / chance) < 1.6, "{chance}");
        let plainly =
            plain(&model, reaches(present), 1, 1_500, Span::from_secs(60), &stop, || {}).unwrap();
        let split = splitting(&model, reaches(present), 1, 100, &stop, || {}).unwrap();
        for (name, odds) in [("plain", plainly.odds), ("splitting", split.odds)] {
            let (found, interval) = odds.within(60.0);
            assert!(
                is_inside(chance, found, interval),
                "{name} at {present}: {odds:?}, not {chance}"
            );
        }
        let share = plainly.share();
        assert!((share - chance).abs() < 4.0 * (chance / 1_500.0).sqrt(), "{share}, not {chance}");
    }
}

/// One in a million within a minute, and one in 10^10.
#[test]
fn what_is_rare_is_found_in_its_measure() {
    let (model, stop) = (queue(), AtomicBool::new(false));
    for (present, below) in [(30, 2e-6), (45, 1e-10)] {
        let split = splitting(&model, reaches(present), 3, 100, &stop, || {}).unwrap();
        let rate = 1.0 / birth_death::mean_time_up(present, LOAD, WORK_S);
        assert!(rate * 60.0 < below, "{rate}");
        let odds = split.odds;
        assert!(is_inside(rate, odds.per_second, odds.interval), "{odds:?}, not {rate}");
        assert!(split.odds.relative_error() < 0.3, "{:?}", split.odds);
    }
}
