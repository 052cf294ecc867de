//! The engine against queueing theory: each closed form must lie inside the 99 % confidence interval
//! of independent replications, and the interval must be narrow enough for that to mean something.

use std::ops::Range;

use metastable::engine::agenda::Lanes;
use metastable::law::{Erlang, Hyperexponential, Law, Lognormal, Uniform};
use metastable::model::{Arrivals, Model};
use metastable::observe::{Fact, Observer, Tally};
use metastable::policy::admission::Admission;
use metastable::time::{Span, Time};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::auditor::Auditor;
use crate::closed_form::{Mm1k, erlang_b, erlang_c, mg1_wait, mmc_wait};
use crate::worlds::{ms, rate, station, watch};

/// Mean work, in seconds and as a length.
const WORK: f64 = 0.01;
const WORK_SPAN: Span = ms(10);
/// The same for every comparison, and not chosen to please: of 15 sets of 25 seeds, with 38
/// comparisons each, 7 of the 570 fell outside their interval, which is what 99 % promises.
const SEEDS: Range<u64> = 100..125;

/// What happens after the warm-up.
struct Steady {
    from: Time,
    sent: u64,
    refused: u64,
    started: u64,
    delayed: u64,
    waited_s: f64,
}

impl Steady {
    const fn from(from: Time) -> Self {
        Self { from, sent: 0, refused: 0, started: 0, delayed: 0, waited_s: 0.0 }
    }

    fn mean_wait(&self) -> f64 {
        self.waited_s / self.started as f64
    }

    fn share_delayed(&self) -> f64 {
        self.delayed as f64 / self.started as f64
    }

    fn share_refused(&self) -> f64 {
        self.refused as f64 / self.sent as f64
    }
}

impl Observer for Steady {
    fn observe(&mut self, now: Time, fact: Fact) {
        if now < self.from {
            return;
        }
        match fact {
            Fact::Sent { .. } => self.sent += 1,
            Fact::Refused { .. } => self.refused += 1,
            Fact::Started { waited, .. } => {
                self.started += 1;
                self.delayed += u64::from(!waited.is_zero());
                self.waited_s += waited.as_secs_f64();
            }
            Fact::Arrived { .. }
            | Fact::BudgetDenied { .. }
            | Fact::TimedOut { .. }
            | Fact::Succeeded { .. }
            | Fact::Failed { .. }
            | Fact::Queued { .. }
            | Fact::Shed { .. }
            | Fact::RefusalBegun { .. }
            | Fact::RefusalSaid { .. }
            | Fact::RefusalLost { .. }
            | Fact::Completed { .. }
            | Fact::Repeated { .. }
            | Fact::Executed { .. }
            | Fact::Replayed { .. }
            | Fact::Conflicted { .. }
            | Fact::KeyExpired { .. }
            | Fact::Called { .. }
            | Fact::Hit { .. }
            | Fact::Coalesced { .. }
            | Fact::Returned { .. }
            | Fact::Blocked { .. }
            | Fact::LostOnTheWay { .. }
            | Fact::CameToNothing { .. }
            | Fact::Lost { .. }
            | Fact::Withdrawn { .. }
            | Fact::HeldBack { .. }
            | Fact::BreakerOpened { .. }
            | Fact::Routed { .. }
            | Fact::Settled { .. }
            | Fact::Ejected { .. }
            | Fact::Reinstated { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. }
            | Fact::TriggerBegan { .. }
            | Fact::TriggerEnded { .. } => {}
        }
    }

    fn finish(&mut self, _: Time) {}
}

/// Stations under Poisson arrivals at `load`, observed after twenty of the times in which they forget
/// that they began empty: work / (workers (1 - sqrt(load))^2) where queues are long, the work itself
/// where they are short, and no more than that of load 0.9 where the queue is bounded.
fn steady(workers: u32, load: f64, work: Law, admission: Admission, customers: f64) -> Vec<Steady> {
    let arrival_rate = load * f64::from(workers) / WORK;
    let busy = match admission {
        Admission::Unbounded => load,
        Admission::Bounded { .. } | Admission::BoundedWork { .. } | Admission::Headroom(_) => {
            load.min(0.9)
        }
    };
    let relaxation = WORK + WORK / (f64::from(workers) * square(1.0 - busy.sqrt()));
    let warm_up = Span::from_secs_f64(20.0 * relaxation);
    let horizon = warm_up + Span::from_secs_f64(customers / arrival_rate);
    let mut model = station(workers, work, Arrivals::Poisson(rate(arrival_rate)), horizon);
    model.services[0].admission = admission;
    SEEDS.map(|seed| watch::<Lanes, _>(&model, seed, Steady::from(Time::ZERO + warm_up))).collect()
}

fn square(x: f64) -> f64 {
    x * x
}

/// `expected` must lie inside the 99 % interval of what the replications found, and the interval may
/// reach at most `precision` x `expected` to each side.
fn check(what: &str, runs: &[Steady], of: fn(&Steady) -> f64, expected: f64, precision: f64) {
    let found: Vec<f64> = runs.iter().map(of).collect();
    agrees(what, &found, expected, precision);
}

/// The same for one number of each replication.
pub(crate) fn agrees(what: &str, found: &[f64], expected: f64, precision: f64) {
    let (mean, half) = interval(found);
    assert!((mean - expected).abs() <= half, "{what}: {mean} +- {half}, in theory {expected}");
    assert!(half <= precision * expected, "{what}: {mean} +- {half} is too wide to mean anything");
}

/// The mean of independent replications, and how far its 99 % interval reaches to each side.
pub(crate) fn interval(found: &[f64]) -> (f64, f64) {
    let n = found.len() as f64;
    let mean = found.iter().sum::<f64>() / n;
    let variance = found.iter().map(|value| square(value - mean)).sum::<f64>() / (n - 1.0);
    let student = StudentsT::new(0.0, 1.0, n - 1.0).expect("degrees of freedom");
    (mean, student.inverse_cdf(0.995) * (variance / n).sqrt())
}

const EXPONENTIAL: Law = Law::Exponential { mean: WORK_SPAN };
const FIXED: Law = Law::Fixed(WORK_SPAN);

#[test]
fn mm1() {
    for (load, customers) in [(0.3, 2e4), (0.5, 2e4), (0.7, 4e4), (0.9, 1e5)] {
        let runs = steady(1, load, EXPONENTIAL, Admission::Unbounded, customers);
        check(
            &format!("M/M/1 wait at {load}"),
            &runs,
            Steady::mean_wait,
            mmc_wait(1, load / WORK, WORK),
            0.05,
        );
        check(&format!("M/M/1 delayed at {load}"), &runs, Steady::share_delayed, load, 0.05);
    }
}

#[test]
fn mmc() {
    for (workers, load) in [(2, 0.5), (2, 0.8), (10, 0.7), (10, 0.9), (50, 0.9)] {
        let runs = steady(workers, load, EXPONENTIAL, Admission::Unbounded, 1e5);
        let offered = load * f64::from(workers);
        let wait = mmc_wait(workers, offered / WORK, WORK);
        check(&format!("M/M/{workers} wait at {load}"), &runs, Steady::mean_wait, wait, 0.1);
        let delayed = erlang_c(workers, offered);
        check(
            &format!("M/M/{workers} delayed at {load}"),
            &runs,
            Steady::share_delayed,
            delayed,
            0.05,
        );
    }
}

/// Pollaczek and Khinchine: the wait depends on the work through its mean and variance alone.
#[test]
fn mg1() {
    let laws = [
        (Law::Erlang(Erlang::new(4, WORK_SPAN).unwrap()), 0.25),
        (Law::Lognormal(Lognormal::from_mean(WORK_SPAN, 0.8).unwrap()), 0.64),
        (Law::Hyperexponential(Hyperexponential::balanced(WORK_SPAN, 3.0).unwrap()), 3.0),
        (Law::Uniform(Uniform::new(Span::ZERO, WORK_SPAN + WORK_SPAN).unwrap()), 1.0 / 3.0),
    ];
    for (law, squared_variation) in laws {
        let runs = steady(1, 0.7, law.clone(), Admission::Unbounded, 6e4);
        let wait = mg1_wait(0.7 / WORK, WORK, squared_variation);
        check(&format!("M/G/1 wait with {law:?}"), &runs, Steady::mean_wait, wait, 0.1);
    }
}

#[test]
fn md1() {
    for (load, customers) in [(0.3, 2e4), (0.5, 2e4), (0.7, 4e4), (0.9, 1e5)] {
        let runs = steady(1, load, FIXED, Admission::Unbounded, customers);
        let wait = mg1_wait(load / WORK, WORK, 0.0);
        check(&format!("M/D/1 wait at {load}"), &runs, Steady::mean_wait, wait, 0.05);
    }
}

#[test]
fn mm1k() {
    for (max_waiting, load) in [(1, 0.5), (4, 0.9), (9, 1.0), (19, 1.5)] {
        let runs = steady(1, load, EXPONENTIAL, Admission::Bounded { max_waiting }, 4e4);
        let theory = Mm1k::new(max_waiting + 1, load / WORK, WORK);
        let name = format!("M/M/1/{} at {load}", max_waiting + 1);
        check(&format!("{name}: refused"), &runs, Steady::share_refused, theory.refused, 0.05);
        check(&format!("{name}: wait"), &runs, Steady::mean_wait, theory.wait, 0.05);
    }
}

/// Loss without a queue depends on the work through its mean alone, so Erlang's formula must hold for
/// fixed work as well.
#[test]
fn erlang_loss() {
    let nobody_waits = Admission::Bounded { max_waiting: 0 };
    for (workers, offered) in [(1, 1.0), (2, 1.0), (10, 8.0), (10, 15.0)] {
        for law in [EXPONENTIAL, FIXED] {
            let runs = steady(workers, offered / f64::from(workers), law, nobody_waits, 2e4);
            let refused = erlang_b(workers, offered);
            check(&format!("B({workers}, {offered})"), &runs, Steady::share_refused, refused, 0.05);
            assert!(runs.iter().all(|run| run.delayed == 0), "nobody waits where nobody may");
        }
    }
}

/// The mean number waiting is the arrival rate times the mean waiting time, exactly, once those who
/// still wait at the end are counted for as long as they have waited.
#[test]
fn littles_law() {
    let seconds = 1_000;
    let arrivals = Arrivals::Poisson(rate(0.8 / WORK));
    let model: Model = station(1, EXPONENTIAL, arrivals, Span::from_secs(seconds));
    let (auditor, tally) = watch::<Lanes, _>(&model, 11, (Auditor::new(&model), Tally::default()));
    let books = auditor.books;
    assert_eq!(books.waiting_area, books.waiting_sum);

    let number_waiting = books.waiting_area as f64 / 1e9 / seconds as f64;
    let arrival_rate = tally.requests as f64 / seconds as f64;
    let mean_wait = tally.waited.as_secs_f64() / tally.started as f64;
    let off = (number_waiting / (arrival_rate * mean_wait) - 1.0).abs();
    assert!(off < 1e-3, "{number_waiting} against {arrival_rate} x {mean_wait}");
    assert!(number_waiting > 2.0, "nobody waits at load 0.8: {number_waiting}");
}
