//! Bisection along a ray of starts, seed by seed.

use std::sync::atomic::AtomicBool;

use super::super::Workbench;
use super::super::batch::in_parallel;
use super::super::run::Control;
use super::{Brink, NoBasin};
use crate::analysis::Verdict;
use crate::model::{Model, Start};

/// Which side a run falls to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Back to the good state, or on the way there.
    Back,
    /// Down.
    Down,
    /// Too much to be run at all.
    Beyond,
}

/// How fine a tipping point is found, as a share of itself.
const FINE: f64 = 0.005;

/// Lets runs fall.
pub(super) struct Judge<'a, P> {
    pub(super) base: &'a Model,
    pub(super) progress: &'a P,
}

/// The tipping point of a seed, and how many runs it took.
type Found = Result<(f64, u64), NoBasin>;

impl<P: Fn() + Sync> Judge<'_, P> {
    /// Where it tips along `start`, first tried at `guess` and never beyond `most`, with the number of runs.
    pub(super) fn tip(
        &self,
        seeds: &[u64],
        stop: &AtomicBool,
        guess: f64,
        most: f64,
        start: impl Fn(f64) -> Start + Sync,
    ) -> Result<Option<(Brink, u64)>, NoBasin> {
        let found = in_parallel(seeds, stop, |bench, &seed| -> Found {
            // What is at the start decides from where on its control run is looked at: from the beginning.
            let model = Model { start: start(guess), ..self.base.clone() };
            let control = bench.control(&model, seed, true);
            (self.progress)();
            let mut runs = 1;
            let mut side = |value: f64| {
                runs += 1;
                (self.progress)();
                self.side(bench, start(value), seed, &control)
            };
            let threshold = threshold(&mut side, guess, most)?;
            Ok((threshold, runs))
        });
        let Some(found) = found else { return Ok(None) };
        let found: Vec<(f64, u64)> = found.into_iter().collect::<Result<_, _>>()?;
        let (thresholds, runs): (Vec<f64>, Vec<u64>) = found.into_iter().unzip();
        Ok(Some((Brink { thresholds, most }, runs.into_iter().sum())))
    }

    fn side(
        &self,
        bench: &mut Workbench,
        start: Start,
        seed: u64,
        control: &Control,
    ) -> Result<Side, NoBasin> {
        let model = Model { start, ..self.base.clone() };
        if model.fits().is_err() {
            return Ok(Side::Beyond);
        }
        match bench.judge_early(&model, seed, control).0.verdict {
            Verdict::Unaffected | Verdict::Recovered | Verdict::Draining => Ok(Side::Back),
            Verdict::Metastable => Ok(Side::Down),
            Verdict::Overloaded => Err(NoBasin::NeverWell),
            Verdict::Undecided => Err(NoBasin::TooShort),
        }
    }
}

/// The value between those that come back and those that do not, doubling from `guess` and then halving what
/// is left; infinite if nothing up to `most` tips it.
fn threshold(
    side: &mut impl FnMut(f64) -> Result<Side, NoBasin>,
    guess: f64,
    most: f64,
) -> Result<f64, NoBasin> {
    let (mut low, mut high) = (0.0, guess.min(most));
    loop {
        if high <= 0.0 {
            return Ok(f64::INFINITY);
        }
        match side(high)? {
            Side::Down => break,
            Side::Beyond => return Ok(f64::INFINITY),
            Side::Back if high >= most => return Ok(f64::INFINITY),
            Side::Back => (low, high) = (high, (2.0 * high).min(most)),
        }
    }
    // Where even the guess tips it, the answer may be a hundredth of it, or nothing at all.
    while high - low > FINE * high && high > guess * FINE / 4.0 {
        let middle = f64::midpoint(low, high);
        match side(middle)? {
            Side::Back => low = middle,
            Side::Down | Side::Beyond => high = middle,
        }
    }
    Ok(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_found_wherever_it_is() {
        let found = |at: f64, guess: f64, most: f64| {
            let mut tried = 0;
            let mut side = |value: f64| {
                tried += 1;
                Ok(if value >= at { Side::Down } else { Side::Back })
            };
            let found = threshold(&mut side, guess, most).unwrap();
            (found, tried)
        };
        for at in [0.011, 0.3, 1.0, 1.234, 7.7, 63.0] {
            let (threshold, tried) = found(at, 1.0, 100.0);
            assert!((threshold / at - 1.0).abs() <= FINE, "{at}: {threshold}");
            assert!(tried <= 18, "{at}: {tried}");
        }
        assert_eq!(found(101.0, 1.0, 100.0).0, f64::INFINITY);
        assert!(found(0.0, 1.0, 100.0).0 < 0.002);
        assert_eq!(found(1.0, 1.0, 0.0), (f64::INFINITY, 0));
    }

    #[test]
    fn what_cannot_be_run_is_beyond() {
        let mut side = |_: f64| Ok(Side::Beyond);
        assert_eq!(threshold(&mut side, 1.0, 9.0), Ok(f64::INFINITY));
        let mut side = |_: f64| Err(NoBasin::TooShort);
        assert_eq!(threshold(&mut side, 1.0, 9.0), Err(NoBasin::TooShort));
    }
}
