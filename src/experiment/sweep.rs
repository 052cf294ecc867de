//! A grid of cells, each run under several seeds.

use std::ops::Range;

use super::batch::{Way, in_parallel};
use super::controls::Controls;
use super::{Run, Workbench};
use crate::analysis::{Assessment, Interval, Verdict, median, wilson};
use crate::model::Model;

/// A run of a cell that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a> {
    /// Of which cell.
    pub cell: &'a Cell,
    /// Under which seed.
    pub seed: u64,
    /// What it came to.
    pub verdict: Verdict,
    /// How many events it had; none if it was not played to its end.
    pub events: Option<u64>,
}

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
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use metastable::experiment::sweep;
/// use metastable::scenario::Story;
///
/// let overrides = [r#"sweep.axes.triggers.gc.stall.lasts=["1s", "2s"]"#.to_owned()];
/// let story = Story::read("scenarios/headroom.toml".as_ref(), &overrides)?;
/// let cells = story.sweep.expect("a scenario with [sweep]").cells;
/// let at_70_percent: Vec<_> =
///     cells.into_iter().filter(|cell| cell.at[0].number == Some(0.7)).collect();
///
/// let stop = AtomicBool::new(false);
/// let outcomes = sweep(&at_70_percent, 1..6, &stop, |_| ()).expect("nobody stops it");
/// let recovered: Vec<u64> = outcomes.iter().map(|outcome| outcome.recovered()).collect();
/// assert_eq!(recovered, [5, 0]);
/// # Ok::<(), metastable::scenario::Trouble>(())
/// ```
pub fn sweep<'a>(
    cells: &[Cell],
    seeds: Range<u64>,
    way: impl Into<Way<'a>>,
    progress: impl Fn(Done<'_>) + Sync,
) -> Option<Vec<CellOutcome>> {
    let way = way.into();
    let replicates = every_run(cells, seeds.clone(), way, |bench, job| {
        let (replicate, events) = job.judge(bench, way.early_stop);
        let verdict = replicate.verdict;
        progress(Done { cell: job.cell, seed: job.seed, verdict, events });
        replicate
    })?;
    let outcomes = cells.iter().zip(replicates.chunks(seeds.count().max(1)));
    Some(outcomes.map(|(cell, replicates)| CellOutcome::of(cell, replicates)).collect())
}

/// Like [`sweep`], and with every outcome comes what `keep` makes of the cell's run under the first
/// seed, which is played to its end. It is made as soon as the run is done, so that only what is kept
/// of it takes memory.
pub fn sweep_keeping<'a, T: Send>(
    cells: &[Cell],
    seeds: Range<u64>,
    way: impl Into<Way<'a>>,
    progress: impl Fn(Done<'_>) + Sync,
    keep: impl Fn(&Cell, &Run) -> T + Sync,
) -> Option<Vec<(CellOutcome, T)>> {
    let way = way.into();
    let runs = every_run(cells, seeds.clone(), way, |bench, job| {
        let (replicate, events, kept) = if job.seed == seeds.start {
            let run = job.run(bench);
            let (events, kept) = (run.recording.tally.events, keep(job.cell, &run));
            (Replicate::from(&run.assessment), Some(events), Some(kept))
        } else {
            let (replicate, events) = job.judge(bench, way.early_stop);
            (replicate, events, None)
        };
        let verdict = replicate.verdict;
        progress(Done { cell: job.cell, seed: job.seed, verdict, events });
        (replicate, kept)
    })?;
    let per_cell = seeds.count();
    let mut runs = runs.into_iter();
    let outcome = |cell: &Cell| {
        let (replicates, kept): (Vec<Replicate>, Vec<Option<T>>) =
            runs.by_ref().take(per_cell).unzip();
        let kept = kept.into_iter().flatten().next()?;
        Some((CellOutcome::of(cell, &replicates), kept))
    };
    Some(cells.iter().filter_map(outcome).collect())
}

/// Does `work` for every cell under every seed: cell by cell, seeds innermost.
fn every_run<T: Send>(
    cells: &[Cell],
    seeds: Range<u64>,
    way: Way<'_>,
    work: impl Fn(&mut Workbench, &Job<'_>) -> T + Sync,
) -> Option<Vec<T>> {
    let controls = Controls::of(cells, seeds.clone(), way.early_stop);
    let jobs: Vec<Job<'_>> = cells
        .iter()
        .enumerate()
        .flat_map(|(nth, cell)| seeds.clone().map(move |seed| (nth, cell, seed)))
        .map(|(nth, cell, seed)| Job { nth, cell, seed, controls: &controls })
        .collect();
    in_parallel(&jobs, way, |bench, job| {
        let done = work(bench, job);
        controls.done(job.nth, job.seed);
        done
    })
}

/// A cell under one seed.
struct Job<'a> {
    nth: usize,
    cell: &'a Cell,
    seed: u64,
    controls: &'a Controls,
}

impl Job<'_> {
    /// The run, played to its end.
    fn run(&self, bench: &mut Workbench) -> Run {
        let Cell { variant, model, .. } = self.cell;
        let control =
            |bench: &mut Workbench| self.controls.get(bench, self.nth, model, self.seed).fails;
        bench.run_against(variant, model, self.seed, control)
    }

    /// Its verdict, and its events if it was played to its end; with `early_stop` it may end once that is known.
    fn judge(&self, bench: &mut Workbench, early_stop: bool) -> (Replicate, Option<u64>) {
        if !early_stop {
            let run = self.run(bench);
            return (Replicate::from(&run.assessment), Some(run.recording.tally.events));
        }
        let control = self.controls.get(bench, self.nth, &self.cell.model, self.seed);
        let (assessment, events) = bench.judge_early(&self.cell.model, self.seed, &control);
        (Replicate { cut_short: events.is_none(), ..Replicate::from(&assessment) }, events)
    }
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
