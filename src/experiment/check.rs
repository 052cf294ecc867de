//! Are the promises of a story kept?

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::batch::in_parallel;
use super::expect::Sighting;
use super::sweep::Replicate;
use super::{Cell, CellOutcome, Expectation, Finding, Subject, SweepExpectation};

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

/// What one claim needs to be judged: a world, and how often it is run.
#[derive(Clone, Copy)]
enum Trial<'a> {
    Variant { subject: Subject<'a>, promise: &'a Expectation },
    Cell { cell: &'a Cell, promise: &'a SweepExpectation, seeds: u64 },
}

enum Sight {
    Run(Sighting),
    Replicate(Replicate),
}

impl<'a> Claim<'a> {
    fn trials(self) -> Vec<Trial<'a>> {
        match self {
            Self::Variant { subject, promise } => vec![Trial::Variant { subject, promise }],
            Self::Cells { cells, promise, seeds } => {
                let seeds = promise.seeds.unwrap_or(seeds);
                let cell = |&index: &usize| Trial::Cell { cell: &cells[index], promise, seeds };
                promise.cells.iter().map(cell).collect()
            }
        }
    }

    /// How many runs it takes to judge it.
    pub fn runs(self) -> u64 {
        self.trials().iter().map(|trial| trial.seeds()).sum()
    }
}

impl<'a> Trial<'a> {
    fn seeds(self) -> u64 {
        match self {
            Self::Variant { promise, .. } => promise.seeds,
            Self::Cell { seeds, .. } => seeds,
        }
    }

    fn seeds_from(self, first: u64) -> Range<u64> {
        first..first.saturating_add(self.seeds())
    }

    fn judge(self, first_seed: u64, sights: Vec<Sight>) -> Promised<'a> {
        let seeds = self.seeds();
        match self {
            Self::Variant { subject, promise } => {
                let sightings: Vec<Sighting> = sights.into_iter().filter_map(Sight::run).collect();
                let findings = promise.judge(self.seeds_from(first_seed), &sightings);
                Promised { variant: subject.name, cell: None, seeds, findings }
            }
            Self::Cell { cell, promise, .. } => {
                let replicates: Vec<Replicate> =
                    sights.into_iter().filter_map(Sight::replicate).collect();
                let findings = promise.judge(&CellOutcome::of(cell, &replicates));
                Promised { variant: &cell.variant, cell: Some(cell), seeds, findings }
            }
        }
    }
}

impl Sight {
    fn run(self) -> Option<Sighting> {
        match self {
            Self::Run(sighting) => Some(sighting),
            Self::Replicate(_) => None,
        }
    }

    fn replicate(self) -> Option<Replicate> {
        match self {
            Self::Replicate(replicate) => Some(replicate),
            Self::Run(_) => None,
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
    progress: impl Fn() + Sync,
) -> Option<Vec<Vec<Promised<'a>>>> {
    let trials: Vec<(Trial<'a>, u64)> = claims
        .iter()
        .flat_map(|&(claim, first)| claim.trials().into_iter().map(move |trial| (trial, first)))
        .collect();
    let jobs: Vec<(Trial<'a>, u64)> = trials
        .iter()
        .flat_map(|&(trial, first)| trial.seeds_from(first).map(move |seed| (trial, seed)))
        .collect();
    let sights = in_parallel(&jobs, stop, |bench, &(trial, seed)| {
        let sight = match trial {
            Trial::Variant { subject, promise } => {
                Sight::Run(promise.look_at(&bench.run(subject.name, subject.model, seed)))
            }
            Trial::Cell { cell, .. } => Sight::Replicate(Replicate::make(bench, cell, seed)),
        };
        progress();
        sight
    })?;
    let (mut trials, mut sights) = (trials.into_iter(), sights.into_iter());
    let judged = claims.iter().map(|(claim, _)| {
        let own = trials.by_ref().take(claim.trials().len());
        own.map(|(trial, first)| {
            let seen = sights.by_ref().take(trial.seeds_from(first).count()).collect();
            trial.judge(first, seen)
        })
        .collect()
    });
    Some(judged.collect())
}
