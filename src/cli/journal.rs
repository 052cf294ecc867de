//! `--verbose`: a line for every run, as it ends.

use std::cell::Cell;
use std::time::Instant;

use clap::Args;
use metastable::analysis::Verdict;
use metastable::experiment::{Done, Engine, Ran, Run};
use metastable::model::Model;

use super::engine::how;
use super::progress::Progress;

/// Whether every run is told of.
#[derive(Debug, Args)]
pub(super) struct Talk {
    /// Tell of every run on standard error, as it ends: its seed, its verdict,
    /// its events, how long it took, and what played it and why
    #[arg(short, long, conflicts_with = "quiet")]
    verbose: bool,
}

/// Counts runs, and tells of each if that is asked for.
#[derive(Debug)]
pub(super) struct Journal {
    progress: Progress,
    engine: Engine,
    is_told: bool,
    began: Instant,
}

/// A run that has ended.
pub(super) struct Ended<'a> {
    pub(super) model: &'a Model,
    /// Variant, and place on the axes if it is a cell's.
    pub(super) name: &'a str,
    pub(super) seed: u64,
    pub(super) verdict: Verdict,
    /// None where it was not played to its end.
    pub(super) events: Option<u64>,
}

thread_local! {
    /// When the run before ended on this thread.
    static BEFORE: Cell<Option<Instant>> = const { Cell::new(None) };
}

impl Journal {
    pub(super) fn new(progress: Progress, engine: Engine, talk: &Talk) -> Self {
        Self { progress, engine, is_told: talk.verbose, began: now() }
    }

    /// One more run is done.
    pub(super) fn ran(&self, run: &Run, model: &Model) {
        self.ended(&Ended {
            model,
            name: &run.variant,
            seed: run.seed,
            verdict: run.assessment.verdict,
            events: Some(run.recording.tally.events),
        });
    }

    /// The same of a run of a cell.
    pub(super) fn done(&self, done: Done<'_>, axes: &[String]) {
        let Done { cell, seed, verdict, events } = done;
        let at = axes.iter().zip(&cell.at).map(|(axis, at)| format!(", {axis}={}", at.label));
        let name = cell.variant.clone() + &at.collect::<String>();
        self.ended(&Ended { model: &cell.model, name: &name, seed, verdict, events });
    }

    /// The same of a run that a promise is about.
    pub(super) fn of_promise(&self, ran: Ran<'_>) {
        let Ran { name, model, seed, verdict, events } = ran;
        self.ended(&Ended { model, name, seed, verdict, events: Some(events) });
    }

    /// The same, of what is known of it.
    pub(super) fn ended(&self, ended: &Ended<'_>) {
        self.progress.step();
        if !self.is_told {
            return;
        }
        // A thread does one run after the other, its control run included.
        let now = now();
        let before = BEFORE.replace(Some(now)).filter(|before| *before > self.began);
        let took = now.duration_since(before.unwrap_or(self.began)).as_secs_f64();
        let Ended { model, name, seed, verdict, events } = ended;
        let events =
            events.map_or_else(|| "ended early".to_owned(), |events| format!("{events} events"));
        let how = how(model, self.engine);
        let what = format!("{name}, seed {seed}: {verdict}; {events} in {took:.3} s, {how}");
        self.progress.say_above(&what);
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a run took is told, and decides nothing")]
fn now() -> Instant {
    Instant::now()
}
