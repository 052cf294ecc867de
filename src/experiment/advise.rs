//! Does a change bring a collapse back, from which value on, and at what price?
//!
//! A change with a parameter is searched for the value from which 95 % of all seeds recover; the value is
//! rounded away from the collapse and then proved on seeds that had no part in the search. A change without one
//! is proved as it is. The price is what the change costs while nothing is wrong.

use std::ops::Range as Seeds;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::batch::in_parallel;
use super::sweep::Replicate;
use super::tip::{Halt, Range, TipSearch, Tipping};
use super::{Run, Workbench};
use crate::analysis::{Estimate, Side, median};
use crate::model::Model;

/// At which end of a range something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At its smallest value.
    Low,
    /// At its largest value.
    High,
}

/// How changes are tried. All of them are tried on the same seeds.
#[derive(Clone, Copy, Debug)]
pub struct Advisor<'a> {
    /// The first seed.
    pub seed: u64,
    /// The most runs for one change: of the search along its parameter and of all proofs.
    pub most_runs: u64,
    /// Set from outside, it ends the trial.
    pub stop: &'a AtomicBool,
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Whether it helps.
    pub effect: Effect,
    /// How many runs that took, without control runs and those that told the price.
    pub runs: u64,
    /// How many control runs.
    pub controls: u64,
    /// What was found along its parameter; none without one.
    pub found: Option<Tipping>,
}

/// Whether a change helps.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// 95 % of the seeds recover.
    Helps(Cure),
    /// Most seeds do not recover, whatever the value.
    Never {
        /// How many runs were made, at all values together.
        runs: u64,
        /// How many of them recovered.
        recovered: u64,
    },
    /// Seeds recover, and nowhere 95 % of them.
    Unreliable {
        /// How many runs were made at the best value.
        runs: u64,
        /// How many of them recovered.
        recovered: u64,
    },
}

/// A change that helps.
#[derive(Clone, Debug, PartialEq)]
pub struct Cure {
    /// The value of its parameter; none without one.
    pub value: Option<f64>,
    /// Where one half of the seeds recover; none if all do at every value.
    pub tips_at: Option<Estimate>,
    /// Seeds of the proof.
    pub proved: u64,
    /// How many of them recovered.
    pub recovered: u64,
    /// Median time from the end of the last trigger until goodput was back, in seconds.
    pub recovery_time_s: f64,
}

/// A change that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// What was done, in words.
    pub name: String,
    /// What its parameter is called; none without one.
    pub parameter: Option<&'static str>,
    /// Whether the parameter is a length of time.
    pub is_length: bool,
    /// The range of the parameter, and at which end the change is the smallest.
    pub along: Option<(Range, End)>,
    /// The overrides that make the change, with the value that was proved, if any was.
    pub changes: Vec<String>,
    /// What came of it.
    pub trial: Trial,
    /// What the changed world does while nothing disturbs it; none if the change does not help.
    pub health: Option<Health>,
}

impl Tried {
    /// What helps.
    pub const fn cure(&self) -> Option<&Cure> {
        match &self.trial.effect {
            Effect::Helps(cure) => Some(cure),
            Effect::Never { .. } | Effect::Unreliable { .. } => None,
        }
    }

    /// The part of the goodput of `before` that the change costs while nothing is wrong, from 0 to 1.
    pub fn goodput_lost(&self, before: &Health) -> Option<f64> {
        let after = self.health?.goodput_per_s;
        Some((1.0 - after / before.goodput_per_s).max(0.0))
    }

    /// The latency in seconds that the change adds at the 99th percentile while nothing is wrong; below zero
    /// where it takes some away.
    pub fn p99_added_s(&self, before: &Health) -> Option<f64> {
        Some(self.health?.p99_s? - before.p99_s?)
    }
}

/// Puts what helps first: the least loss of goodput, then the least added latency, both as far as they can be
/// told from nothing, then the soonest recovery. What does not help keeps its order.
pub fn rank(tried: &mut [Tried], before: &Health) {
    /// Less than this part of the goodput, and less than this many seconds, is nothing.
    const NOTHING: (f64, f64) = (0.002, 0.001);
    tried.sort_by_cached_key(|tried| {
        let Some(cure) = tried.cure() else { return (true, 0, 0, 0) };
        let lost = tried.goodput_lost(before).unwrap_or(0.0) / NOTHING.0;
        let added = tried.p99_added_s(before).unwrap_or(0.0).max(0.0) / NOTHING.1;
        let milliseconds = cure.recovery_time_s * 1e3;
        (false, lost as u64, added as u64, milliseconds.max(0.0) as u64)
    });
}

/// What a world does while nothing disturbs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health {
    /// Requests answered in time, per second.
    pub goodput_per_s: f64,
    /// The 99th percentile of latency, in seconds; none if nothing is answered.
    pub p99_s: Option<f64>,
}

/// The fewest runs for one change with which there can be an answer: of a search among whole numbers, and a proof.
pub const FEWEST_TO_ADVISE: u64 = 110 + PROOF;

/// Seeds of the proof: all but two must recover.
const PROOF: u64 = 40;
const MAY_FAIL: u64 = 2;
/// Where the seeds of the proof begin, seen from those of the search.
const FRESH: u64 = 1_000_000;
/// So often a value that fails the proof is moved away from the collapse.
const MOVES: u32 = 6;
/// Seeds under which the price is looked at.
pub const HEALTHY_SEEDS: u64 = 5;

impl Advisor<'_> {
    /// The verdict of most of a few seeds, before anything is changed: whether there is anything to cure. With it
    /// come how many runs that took, and how many control runs.
    ///
    /// # Errors
    /// It was stopped.
    pub fn needs_help<E>(&self, model: &Model) -> Result<(bool, [u64; 2]), Halt<E>> {
        let proof = self.prove(model, self.seed..self.seed + HEALTHY_SEEDS)?;
        Ok((2 * proof.recovered < HEALTHY_SEEDS, [HEALTHY_SEEDS, proof.controls]))
    }

    /// What `model` does while nothing disturbs it.
    ///
    /// # Errors
    /// It was stopped.
    pub fn health<E>(&self, model: &Model) -> Result<Health, Halt<E>> {
        let calm = model.undisturbed();
        let seeds: Vec<u64> = (self.seed..self.seed + HEALTHY_SEEDS).collect();
        let seen = in_parallel(&seeds, self.stop, |bench, &seed| {
            let recording = bench.record(&calm, seed);
            (recording.tally.succeeded, recording.latency.quantile(0.99))
        })
        .ok_or(Halt::Stopped)?;
        let succeeded: u64 = seen.iter().map(|(succeeded, _)| succeeded).sum();
        let seconds = calm.horizon.as_secs_f64() * HEALTHY_SEEDS as f64;
        Ok(Health {
            goodput_per_s: succeeded as f64 / seconds,
            p99_s: median(seen.iter().filter_map(|(_, p99)| p99.map(|p99| p99.as_secs_f64()))),
        })
    }

    /// Attempts that wait at `at`, in seconds of work of the service where most does: what an operator finds who
    /// acts then. `model` must run at least as long.
    ///
    /// # Errors
    /// It was stopped.
    pub fn backlog_s<E>(&self, model: &Model, at: f64) -> Result<f64, Halt<E>> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Halt::Stopped);
        }
        let recording = Workbench::default().record(model, self.seed);
        let windows = recording.timeline.windows();
        // A window tells what waits at its end.
        let ended = (at / model.window.as_secs_f64()) as usize;
        let last = windows.get(..ended.min(windows.len())).and_then(<[_]>::last);
        let waiting = last.map_or(0, |window| window.queue);
        let capacities = model.services.iter().map(|service| service.capacity().per_second());
        Ok(waiting as f64 / capacities.fold(f64::INFINITY, f64::min))
    }

    /// Tries a change without a parameter.
    ///
    /// # Errors
    /// It was stopped.
    pub fn try_fixed<E>(&self, model: &Model) -> Result<Trial, Halt<E>> {
        let proof = self.prove(model, self.fresh_seeds())?;
        let Proof { recovered, controls, .. } = proof;
        let effect = match proof.cure(None, None) {
            Some(cure) => Effect::Helps(cure),
            None if recovered == 0 => Effect::Never { runs: PROOF, recovered },
            None => Effect::Unreliable { runs: PROOF, recovered },
        };
        Ok(Trial { effect, runs: PROOF, controls, found: None })
    }

    /// Tries a change along `range`; at its `gentle` end the change is the smallest.
    ///
    /// # Errors
    /// What `world` says of a value, or that it was stopped.
    pub fn try_along<E>(
        &self,
        range: Range,
        gentle: End,
        world: impl Fn(f64) -> Result<Model, E>,
    ) -> Result<Trial, Halt<E>> {
        let proofs = PROOF * u64::from(MOVES + 1);
        // As many as leave room for every proof, but enough for an answer, and then room for one.
        let search = TipSearch { range, seed: self.seed, most_runs: self.most_runs };
        let most_runs = self.most_runs.saturating_sub(proofs).max(search.least_runs());
        let found = TipSearch { most_runs, ..search }.search(&world, self.stop, || ())?;
        if found.interrupted {
            return Err(Halt::Stopped);
        }
        let (mut runs, mut controls) = (found.runs, found.controls);
        let Some(Start { mut value, step, tips_at }) = start(&found, gentle) else {
            let runs_in_all = found.tried.iter().map(|answers| answers.runs).sum();
            let recovered = found.tried.iter().map(|answers| answers.recovered).sum();
            let effect = Effect::Never { runs: runs_in_all, recovered };
            return Ok(Trial { effect, runs, controls, found: Some(found) });
        };
        let mut best = 0;
        for _ in 0..=MOVES {
            if runs + PROOF > self.most_runs {
                break;
            }
            let model = world(value).map_err(Halt::NoModel)?;
            let proof = self.prove(&model, self.fresh_seeds())?;
            runs += PROOF;
            controls += proof.controls;
            best = best.max(proof.recovered);
            if let Some(cure) = proof.cure(Some(value), tips_at) {
                let effect = Effect::Helps(cure);
                return Ok(Trial { effect, runs, controls, found: Some(found) });
            }
            let next = match gentle {
                End::Low => value + step,
                End::High => value - step,
            };
            let next = coarse(next, gentle, range);
            if next == value {
                break;
            }
            value = next;
        }
        let effect = Effect::Unreliable { runs: PROOF, recovered: best };
        Ok(Trial { effect, runs, controls, found: Some(found) })
    }

    const fn fresh_seeds(&self) -> Seeds<u64> {
        self.seed + FRESH..self.seed + FRESH + PROOF
    }

    fn prove<E>(&self, model: &Model, seeds: Seeds<u64>) -> Result<Proof, Halt<E>> {
        let controls = AtomicU64::new(0);
        let seeds: Vec<u64> = seeds.collect();
        let replicates = in_parallel(&seeds, self.stop, |bench, &seed| {
            let run: Run = bench.run_against("", model, seed, |bench| {
                controls.fetch_add(1, Ordering::Relaxed);
                bench.control_fails(model, seed)
            });
            Replicate::from(&run.assessment)
        })
        .ok_or(Halt::Stopped)?;
        let recovered = replicates.iter().filter(|replicate| replicate.verdict.is_well()).count();
        let times = replicates.iter().filter_map(|replicate| replicate.recovery_time_s);
        Ok(Proof {
            recovered: recovered as u64,
            controls: controls.into_inner(),
            time_s: median(times),
        })
    }
}

struct Proof {
    recovered: u64,
    controls: u64,
    time_s: Option<f64>,
}

impl Proof {
    /// None if too few recovered.
    fn cure(&self, value: Option<f64>, tips_at: Option<Estimate>) -> Option<Cure> {
        let recovery_time_s = self.time_s.filter(|_| self.recovered + MAY_FAIL >= PROOF)?;
        Some(Cure { value, tips_at, proved: PROOF, recovered: self.recovered, recovery_time_s })
    }
}

/// Where the proof begins, and how far a value that fails it is moved.
struct Start {
    value: f64,
    step: f64,
    tips_at: Option<Estimate>,
}

/// The smallest change after which 95 % of the seeds should recover; none if most recover nowhere.
fn start(found: &Tipping, gentle: End) -> Option<Start> {
    let range = found.range;
    let end = match gentle {
        End::Low => range.from,
        End::High => range.to,
    };
    let recovers_gently = match gentle {
        End::Low => found.recovers_below(),
        End::High => found.recovers_above(),
    };
    if recovers_gently {
        let step = (range.to - range.from) / 20.0;
        return Some(Start { value: end, step, tips_at: None });
    }
    let point = match gentle {
        End::Low => found.points.iter().find(|point| point.side == Side::Above),
        End::High => found.points.iter().rev().find(|point| point.side == Side::Below),
    }?;
    let interval = point.tips_at.interval;
    let step = point.mixed_width.value.max(interval.high - interval.low);
    let step = if range.whole { step.max(1.0) } else { step };
    let value = coarse(point.safe_at.value, gentle, range);
    Some(Start { value, step, tips_at: Some(point.tips_at) })
}

/// `value` in two digits, rounded away from the `gentle` end.
fn coarse(value: f64, gentle: End, range: Range) -> f64 {
    if value <= range.from {
        return range.from;
    }
    let digits = if range.whole { 0 } else { libm::floor(libm::log10(value)) as i32 - 1 };
    let unit = (0..digits.unsigned_abs()).fold(1.0, |unit, _| unit * 10.0);
    let round = |value: f64| match gentle {
        End::Low => value.ceil(),
        End::High => value.floor(),
    };
    let rounded = if digits < 0 { round(value * unit) / unit } else { round(value / unit) * unit };
    rounded.clamp(range.from, range.to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_rounded_away_from_the_collapse() {
        let check = |value: f64, gentle, whole, expected: f64| {
            let range = Range { from: 0.01, to: 50.0, logarithmic: false, whole };
            assert_eq!(coarse(value, gentle, range), expected, "{value}");
        };
        check(0.317, End::High, false, 0.31);
        check(0.317, End::Low, false, 0.32);
        check(25.97, End::Low, false, 26.0);
        check(1.86, End::High, true, 1.0);
        check(11.2, End::Low, true, 12.0);
        check(60.0, End::Low, false, 50.0);
        check(0.001, End::High, false, 0.01);
    }
}
