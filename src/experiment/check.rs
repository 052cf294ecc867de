//! Are the promises of a story kept?

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::batch::in_parallel;
use super::sweep::Replicate;
use super::{Cell, CellOutcome, Expectation, Finding, Subject, SweepExpectation, Workbench};
use crate::analysis::Verdict;
use crate::model::Model;

/// Something a story promises, and of what.
#[derive(Clone, Copy, Debug)]
pub enum Claim<'a> {
    /// About every run of a variant.
    Variant {
        /// The variant.
        subject: Subject<'a>,
        /// The promise; it says how many seeds are tried.
        promise: &'a Expectation,
    },
    /// About some cells of a sweep.
    Cells {
        /// All cells of the sweep.
        cells: &'a [Cell],
        /// The promise; it says which cells, and may say how many seeds.
        promise: &'a SweepExpectation,
        /// How many seeds are tried where the promise does not say.
        seeds: u64,
    },
}

/// What became of a claim: one for a variant, one per cell for cells.
#[derive(Clone, Debug)]
pub struct Promised<'a> {
    /// Which variant it is about.
    pub variant: &'a str,
    /// Which cell; none for the variant as such.
    pub cell: Option<&'a Cell>,
    /// How many seeds were tried.
    pub seeds: u64,
    /// One per promise.
    pub findings: Vec<Finding>,
}

impl Promised<'_> {
    /// Whether every promise was kept.
    pub fn held(&self) -> bool {
        self.findings.iter().all(|finding| finding.held)
    }
}

impl<'a> Claim<'a> {
    /// How many runs it takes to judge it.
    pub fn runs(self) -> u64 {
        self.trials().map(Trial::seeds).sum()
    }

    fn trials(self) -> impl Iterator<Item = Trial<'a>> {
        let (variant, cells) = match self {
            Self::Variant { subject, promise } => (Some(Trial::Variant { subject, promise }), None),
            Self::Cells { cells, promise, seeds } => {
                let seeds = promise.seeds.unwrap_or(seeds);
                let cell = move |&nth: &usize| Trial::Cell { cell: &cells[nth], promise, seeds };
                (None, Some(promise.cells.iter().map(cell)))
            }
        };
        variant.into_iter().chain(cells.into_iter().flatten())
    }
}

/// A run of a trial that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Ran<'a> {
    /// Which variant.
    pub name: &'a str,
    /// Its world.
    pub model: &'a Model,
    /// Under which seed.
    pub seed: u64,
    /// What it came to.
    pub verdict: Verdict,
    /// How many events it had.
    pub events: u64,
}

/// What is tried together: one world under several seeds.
#[derive(Clone, Copy)]
enum Trial<'a> {
    Variant { subject: Subject<'a>, promise: &'a Expectation },
    Cell { cell: &'a Cell, promise: &'a SweepExpectation, seeds: u64 },
}

/// What is kept of one run of a trial: all that its promises ask about.
struct Sighting {
    replicate: Replicate,
    /// The numbers that a variant promises; a cell promises none of a single run.
    values: Vec<Option<f64>>,
}

impl<'a> Trial<'a> {
    const fn seeds(self) -> u64 {
        match self {
            Self::Variant { promise, .. } => promise.seeds,
            Self::Cell { seeds, .. } => seeds,
        }
    }

    const fn seeds_from(self, first: u64) -> Range<u64> {
        first..first.saturating_add(self.seeds())
    }

    const fn world(self) -> (&'a str, &'a Model) {
        match self {
            Self::Variant { subject, .. } => (subject.name, subject.model),
            Self::Cell { cell, .. } => (cell.variant.as_str(), &cell.model),
        }
    }

    /// What is kept of a run, and its events.
    fn look(self, bench: &mut Workbench, seed: u64) -> (Sighting, u64) {
        match self {
            Self::Variant { subject, promise } => {
                let mut watchers = promise.watchers();
                let run = bench.run_watched(subject.name, subject.model, seed, &mut watchers);
                let values = promise.values(&run, &watchers);
                let sighting = Sighting { replicate: (&run.assessment).into(), values };
                (sighting, run.recording.tally.events)
            }
            Self::Cell { cell, .. } => {
                let run = bench.run(&cell.variant, &cell.model, seed);
                let sighting = Sighting { replicate: (&run.assessment).into(), values: Vec::new() };
                (sighting, run.recording.tally.events)
            }
        }
    }

    fn judge(self, first_seed: u64, sightings: impl Iterator<Item = Sighting>) -> Promised<'a> {
        let seeds = self.seeds();
        let (replicates, values): (Vec<Replicate>, Vec<_>) =
            sightings.map(|sighting| (sighting.replicate, sighting.values)).unzip();
        match self {
            Self::Variant { subject, promise } => {
                let verdicts: Vec<_> =
                    replicates.iter().map(|replicate| replicate.verdict).collect();
                let findings = promise.judge(&self.seeds_from(first_seed), &verdicts, &values);
                Promised { variant: subject.name, cell: None, seeds, findings }
            }
            Self::Cell { cell, promise, .. } => {
                let findings = promise.judge(&CellOutcome::of(cell, &replicates));
                Promised { variant: &cell.variant, cell: Some(cell), seeds, findings }
            }
        }
    }
}

/// Tries every claim under seeds from `first_seed` on, in parallel over everything.
///
/// Claims of several stories may be judged at once: each comes with the first seed of its story. The
/// results come in the order of the claims and do not depend on the number of threads. `progress` is
/// told of every finished run. None if `stop` was set meanwhile.
pub fn check<'a>(
    claims: &[(Claim<'a>, u64)],
    stop: &AtomicBool,
    progress: impl Fn(Ran<'_>) + Sync,
) -> Option<Vec<Vec<Promised<'a>>>> {
    let trials: Vec<(Trial<'a>, u64)> = claims
        .iter()
        .flat_map(|&(claim, first)| claim.trials().map(move |trial| (trial, first)))
        .collect();
    let jobs: Vec<(Trial<'a>, u64)> = trials
        .iter()
        .flat_map(|&(trial, first)| trial.seeds_from(first).map(move |seed| (trial, seed)))
        .collect();
    let sightings = in_parallel(&jobs, stop, |bench, &(trial, seed)| {
        let (sighting, events) = trial.look(bench, seed);
        let verdict = sighting.replicate.verdict;
        let (name, model) = trial.world();
        progress(Ran { name, model, seed, verdict, events });
        sighting
    })?;
    let mut sightings = sightings.into_iter();
    let mut promised = trials.into_iter().map(|(trial, first)| {
        let own = sightings.by_ref().take(trial.seeds_from(first).count());
        trial.judge(first, own)
    });
    let judged =
        claims.iter().map(|(claim, _)| promised.by_ref().take(claim.trials().count()).collect());
    Some(judged.collect())
}
