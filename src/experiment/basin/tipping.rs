//! Bisection along a ray of starts, seed by seed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::super::Workbench;
use super::super::batch::as_far_as_it_goes;
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
    /// Set from outside, it ends the search.
    pub(super) stop: &'a AtomicBool,
    /// How many runs may be made.
    pub(super) most_runs: u64,
    /// How many have been.
    pub(super) runs: AtomicU64,
}

impl<P: Fn() + Sync> Judge<'_, P> {
    /// That so many more runs are made.
    ///
    /// # Errors
    /// They are too many.
    pub(super) fn spend(&self, runs: u64) -> Result<(), NoBasin> {
        let before = self.runs.fetch_add(runs, Ordering::Relaxed);
        if before + runs > self.most_runs {
            return Err(NoBasin::TooMany(self.most_runs));
        }
        Ok(())
    }

    /// Where it tips along `start`, first tried at `guess` and never beyond `most`. Of fewer seeds, if it was
    /// stopped meanwhile.
    pub(super) fn tip(
        &self,
        seeds: &[u64],
        guess: f64,
        most: f64,
        start: impl Fn(f64) -> Start + Sync,
    ) -> Result<Brink, NoBasin> {
        let found = as_far_as_it_goes(seeds, self.stop, |bench, &seed| {
            // What is at the start decides from where on its control run is looked at: from the beginning.
            let model = Model { start: start(guess), ..self.base.clone() };
            self.spend(1)?;
            let control = bench.control(&model, seed, true);
            (self.progress)();
            let mut side = |value: f64| {
                if self.stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                self.spend(1)?;
                let side = self.side(bench, start(value), seed, &control)?;
                (self.progress)();
                Ok(Some(side))
            };
            threshold(&mut side, guess, most)
        });
        let found = found.into_iter().flatten().collect::<Result<Vec<Option<f64>>, _>>()?;
        Ok(Brink { thresholds: found.into_iter().flatten().collect(), most })
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
/// is left; infinite if nothing up to `most` tips it, and none if `side` knows none any more.
fn threshold(
    side: &mut impl FnMut(f64) -> Result<Option<Side>, NoBasin>,
    guess: f64,
    most: f64,
) -> Result<Option<f64>, NoBasin> {
    let (mut low, mut high) = (0.0, guess.min(most));
    loop {
        if high <= 0.0 {
            return Ok(Some(f64::INFINITY));
        }
        match side(high)? {
            None => return Ok(None),
            Some(Side::Down) => break,
            Some(Side::Beyond) => return Ok(Some(f64::INFINITY)),
            Some(Side::Back) if high >= most => return Ok(Some(f64::INFINITY)),
            Some(Side::Back) => (low, high) = (high, (2.0 * high).min(most)),
        }
    }
    // Where even the guess tips it, the answer may be a hundredth of it, or nothing at all.
    while high - low > FINE * high && high > guess * FINE / 4.0 {
        let middle = f64::midpoint(low, high);
        match side(middle)? {
            None => return Ok(None),
            Some(Side::Back) => low = middle,
            Some(Side::Down | Side::Beyond) => high = middle,
        }
    }
    Ok(Some(f64::midpoint(low, high)))
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
                Ok(Some(if value >= at { Side::Down } else { Side::Back }))
            };
            let found = threshold(&mut side, guess, most).unwrap().unwrap();
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
        let mut side = |_: f64| Ok(Some(Side::Beyond));
        assert_eq!(threshold(&mut side, 1.0, 9.0), Ok(Some(f64::INFINITY)));
        let mut side = |_: f64| Ok(None);
        assert_eq!(threshold(&mut side, 1.0, 9.0), Ok(None));
        let mut side = |_: f64| Err(NoBasin::TooShort);
        assert_eq!(threshold(&mut side, 1.0, 9.0), Err(NoBasin::TooShort));
    }
}
