//! A grid of cells, each run under several seeds.

use std::ops::Range;

use super::Workbench;
use super::batch::{Way, in_parallel};
use super::controls::Controls;
use crate::analysis::{Assessment, Interval, Verdict, median, wilson};
use crate::model::Model;

/// One point of the grid.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Which variant of the story.
    pub variant: String,
    /// Where it lies on each axis, in the order of the axes.
    pub at: Vec<Coordinate>,
    /// The model there.
    pub model: Model,
}

/// A value on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// As it is written in a scenario: `0.7`, `1.25s`.
    pub label: String,
    /// As a number: lengths of time in seconds; none for what is not a number.
    pub number: Option<f64>,
}

/// What the seeds of a cell came to.
#[derive(Clone, Debug, PartialEq)]
pub struct CellOutcome {
    /// Which variant of the story.
    pub variant: String,
    /// Where it lies on each axis.
    pub at: Vec<Coordinate>,
    /// The verdict under each seed, in the order of the seeds.
    pub verdicts: Vec<Verdict>,
    /// Median over the seeds that recovered of the time since the last trigger, in seconds; an
    /// unaffected seed counts as zero; none if no seed is well at the end.
    pub median_recovery_time_s: Option<f64>,
    /// How many runs were not played to their end, as their verdict was known.
    pub cut_short: u64,
}

impl CellOutcome {
    /// How many seeds were run.
    pub const fn seeds(&self) -> u64 {
        self.verdicts.len() as u64
    }

    /// How many seeds were well at the end.
    pub fn recovered(&self) -> u64 {
        self.verdicts.iter().filter(|verdict| verdict.is_well()).count() as u64
    }

    /// How many seeds were on their way back when the run ended: slow, not stuck.
    pub fn draining(&self) -> u64 {
        self.verdicts.iter().filter(|verdict| **verdict == Verdict::Draining).count() as u64
    }

    /// The share of seeds that were well at the end.
    pub fn recovered_share(&self) -> f64 {
        self.recovered() as f64 / self.seeds() as f64
    }

    /// The 95 % Wilson interval of that share.
    pub fn interval(&self) -> Interval {
        wilson(self.recovered(), self.seeds())
    }
}

/// Runs every cell under every seed, in parallel over both, on rayon's current pool.
///
/// The outcomes come in the order of the cells and do not depend on the number of threads.
/// `progress` is told of every finished run, from any thread. None if it was stopped meanwhile.
pub fn sweep<'a>(
    cells: &[Cell],
    seeds: Range<u64>,
    way: impl Into<Way<'a>>,
    progress: impl Fn() + Sync,
) -> Option<Vec<CellOutcome>> {
    let way = way.into();
    let controls = Controls::of(cells, seeds.clone());
    let jobs: Vec<(usize, u64)> =
        (0..cells.len()).flat_map(|nth| seeds.clone().map(move |seed| (nth, seed))).collect();
    let replicates = in_parallel(&jobs, way, |bench, &(nth, seed)| {
        let Cell { variant, model, .. } = &cells[nth];
        let replicate = if way.early_stop {
            let control = controls.get(bench, nth, model, seed);
            let (assessment, cut_short) = bench.judge_early(model, seed, &control);
            Replicate { cut_short, ..Replicate::from(&assessment) }
        } else {
            let control = |bench: &mut Workbench| controls.get(bench, nth, model, seed).fails;
            Replicate::from(&bench.run_against(variant, model, seed, control).assessment)
        };
        controls.done(nth, seed);
        progress();
        replicate
    })?;
    let per_cell = seeds.count().max(1);
    let outcomes = cells.iter().zip(replicates.chunks(per_cell));
    Some(outcomes.map(|(cell, replicates)| CellOutcome::of(cell, replicates)).collect())
}

/// What is kept of one run of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Replicate {
    pub(super) verdict: Verdict,
    /// Zero for a run that never failed; none for one that is not well at the end.
    pub(super) recovery_time_s: Option<f64>,
    /// Whether it was not played to its end.
    cut_short: bool,
}

impl From<&Assessment> for Replicate {
    fn from(assessment: &Assessment) -> Self {
        let recovery_time_s = match assessment.verdict {
            Verdict::Unaffected => Some(0.0),
            Verdict::Recovered => assessment.recovery_time.map(|time| time.as_secs_f64()),
            Verdict::Draining | Verdict::Metastable | Verdict::Overloaded | Verdict::Undecided => {
                None
            }
        };
        Self { verdict: assessment.verdict, recovery_time_s, cut_short: false }
    }
}

impl CellOutcome {
    /// What these runs of `cell`, in the order of their seeds, come to.
    pub(super) fn of(cell: &Cell, replicates: &[Replicate]) -> Self {
        Self {
            variant: cell.variant.clone(),
            at: cell.at.clone(),
            verdicts: replicates.iter().map(|replicate| replicate.verdict).collect(),
            median_recovery_time_s: median(replicates.iter().filter_map(|r| r.recovery_time_s)),
            cut_short: replicates.iter().filter(|replicate| replicate.cut_short).count() as u64,
        }
    }
}
