//! What `run` tells: a row per variant for people, a record per variant and seed for programs.

use std::ops::Range;

use super::sheet::{Align, Cell, Column, Sheet};
use super::spread::{Figure, Spelling};
use super::value::{Record, Value, record};
use super::wrap::wrap;
use super::{Document, csv, json};
use crate::analysis::Verdict;
use crate::experiment::{Subject, Summary};
use crate::observe::Window;
use crate::report::terminal::style::{self, paint};
use crate::report::terminal::{sentence, sparkline};
use crate::time::{Span, Time};

/// The runs of some variants of a story.
#[derive(Clone, Debug)]
pub struct RunDocument<'a> {
    /// The story's title.
    pub title: &'a str,
    /// The variants.
    pub subjects: &'a [Subject<'a>],
    /// The seeds that each was run under.
    pub seeds: Range<u64>,
    /// Their runs: variant by variant, seeds innermost.
    pub runs: &'a [Summary],
}

const FIGURES: [Figure; 10] = [
    Figure {
        heading: &["back", "at s"],
        group: 0,
        spelling: Spelling::Seconds,
        of: |run| run.assessment.back_at.map(Time::as_secs_f64),
    },
    Figure {
        heading: &["recovery", "time s"],
        group: 0,
        spelling: Spelling::Seconds,
        of: |run| run.assessment.recovery_time.map(Span::as_secs_f64),
    },
    Figure {
        heading: &["p50", "ms"],
        group: 0,
        spelling: Spelling::Millis,
        of: |run| run.latency_p50.map(Span::as_secs_f64),
    },
    Figure {
        heading: &["p99", "ms"],
        group: 0,
        spelling: Spelling::Millis,
        of: |run| run.latency_p99.map(Span::as_secs_f64),
    },
    Figure {
        heading: &["requests"],
        group: 1,
        spelling: Spelling::Count,
        of: |run| Some(run.tally.requests as f64),
    },
    Figure {
        heading: &["succeeded"],
        group: 1,
        spelling: Spelling::Count,
        of: |run| Some(run.tally.succeeded as f64),
    },
    Figure {
        heading: &["attempts"],
        group: 1,
        spelling: Spelling::Count,
        of: |run| Some(run.tally.attempts as f64),
    },
    Figure {
        heading: &["retries"],
        group: 1,
        spelling: Spelling::Count,
        of: |run| Some(run.tally.retries as f64),
    },
    Figure {
        heading: &["attempts", "/request"],
        group: 1,
        spelling: Spelling::Ratio,
        of: |run| Some(run.tally.amplification()),
    },
    Figure {
        heading: &["wasted", "work %"],
        group: 1,
        spelling: Spelling::Percent,
        of: |run| Some(run.tally.wasted_work_fraction()),
    },
];

impl RunDocument<'_> {
    fn by_variant(&self) -> Vec<&[Summary]> {
        let seeds = self.seeds.clone().count().max(1);
        self.runs.chunks(seeds).collect()
    }

    fn sentence(&self) -> String {
        sentence::verdict(self.subjects, &self.seeds, &self.by_variant())
    }

    fn sheet(&self) -> Sheet {
        let variants = self.by_variant();
        let verdicts = variants.iter().map(|runs| verdicts(runs)).collect();
        let verdicts = Column::new(&["verdict"], Align::Left, 0, verdicts);
        let figures = FIGURES.iter().map(|figure| figure.column(&variants));
        let names = self.subjects.iter().map(|subject| subject.name.to_owned()).collect();
        Sheet::new("variant", names, std::iter::once(verdicts).chain(figures).collect())
    }

    /// What the sheet's figures are over several seeds.
    fn legend(&self) -> Option<String> {
        let seeds = self.seeds.clone().count();
        (seeds > 1).then(|| {
            format!("Medians over {seeds} seeds, and beneath them the smallest and the largest.")
        })
    }

    fn timelines(&self, width: usize) -> String {
        let firsts: Vec<&Summary> =
            self.by_variant().iter().filter_map(|runs| runs.first()).collect();
        sparkline::timelines(self.subjects, &firsts, width)
    }

    fn records(&self) -> Vec<Record> {
        self.runs.iter().map(of_run).collect()
    }
}

impl Document for RunDocument<'_> {
    fn text(&self, width: usize) -> String {
        let mut text = format!("{}\n\n", paint(self.title, style::HEADING));
        for line in wrap(&self.sentence(), width.min(100)) {
            text.push_str(&line);
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&self.sheet().text(width));
        text.push('\n');
        if let Some(legend) = self.legend() {
            text.push_str(&format!("{legend}\n\n"));
        }
        text.push_str(&self.timelines(width));
        text
    }

    fn markdown(&self) -> String {
        let (title, sentence, sheet) = (self.title, self.sentence(), self.sheet().markdown());
        let legend = self.legend().map_or_else(String::new, |legend| format!("\n{legend}\n"));
        let timelines = style::strip(&self.timelines(80));
        format!("# {title}\n\n{sentence}\n\n{sheet}{legend}\n```text\n{timelines}```\n")
    }

    fn csv(&self) -> String {
        csv::table(&[], &self.records())
    }

    fn json(&self) -> String {
        json::object(&record([
            ("scenario", self.title.into()),
            ("runs", Value::Records(self.records())),
        ]))
    }
}

/// The verdict, or how many seeds came to which.
fn verdicts(runs: &[Summary]) -> Cell {
    let count = |verdict| runs.iter().filter(|run| run.assessment.verdict == verdict).count();
    let found = Verdict::ALL.into_iter().map(|verdict| (verdict, count(verdict)));
    let mut lines = found.filter(|(_, count)| *count > 0).map(|(verdict, count)| {
        let seeds = if runs.len() > 1 { format!(" {count}/{}", runs.len()) } else { String::new() };
        (format!("{verdict}{seeds}"), style::of_verdict(verdict))
    });
    match lines.next() {
        Some((first, style)) => {
            lines.fold(Cell::styled(first, style), |cell, (line, style)| cell.and(line, style))
        }
        None => Cell::none(),
    }
}

fn of_run(run: &Summary) -> Record {
    let seconds = |span: Option<Span>| Value::from(span.map(Span::as_secs_f64));
    let (tally, assessment) = (&run.tally, &run.assessment);
    record([
        ("variant", run.variant.as_str().into()),
        ("seed", run.seed.into()),
        ("verdict", assessment.verdict.name().into()),
        ("back_at_s", assessment.back_at.map(Time::as_secs_f64).into()),
        ("recovery_time_s", seconds(assessment.recovery_time)),
        ("empty_at_s", assessment.empty_at.map(Time::as_secs_f64).into()),
        ("relapses", u64::from(assessment.relapses).into()),
        ("requests", tally.requests.into()),
        ("succeeded", tally.succeeded.into()),
        ("failed", tally.failed.into()),
        ("censored", tally.censored().into()),
        ("attempts", tally.attempts.into()),
        ("retries", tally.retries.into()),
        ("timed_out", tally.timed_out.into()),
        ("denied", tally.denied.into()),
        ("rejected", tally.rejected.into()),
        ("shed", tally.shed.into()),
        ("started", tally.started.into()),
        ("completed", tally.completed.into()),
        ("wasted", tally.wasted.into()),
        ("wasted_work_fraction", tally.wasted_work_fraction().into()),
        ("amplification", tally.amplification().into()),
        ("latency_p50_s", seconds(run.latency_p50)),
        ("latency_p99_s", seconds(run.latency_p99)),
        ("events", tally.events.into()),
        ("timeline", Value::Records(of_timeline(run))),
    ])
}

fn of_timeline(run: &Summary) -> Vec<Record> {
    let windows = run.timeline.windows().iter().enumerate();
    windows.map(|(nth, window)| of_window(run.timeline.start(nth), *window)).collect()
}

/// Taken apart by name, so that a new field of [`Window`] asks to be written here.
fn of_window(start: Time, window: Window) -> Record {
    let Window {
        arrivals,
        goodput,
        failed,
        attempts,
        retries,
        timed_out,
        rejected,
        shed,
        throughput,
        wasted,
        started,
        waited,
        queue,
    } = window;
    let waiting_mean = (started > 0).then(|| waited.as_secs_f64() / started as f64);
    record([
        ("start_s", start.as_secs_f64().into()),
        ("arrivals", arrivals.into()),
        ("goodput", goodput.into()),
        ("failed", failed.into()),
        ("attempts", attempts.into()),
        ("retries", retries.into()),
        ("timed_out", timed_out.into()),
        ("rejected", rejected.into()),
        ("shed", shed.into()),
        ("throughput", throughput.into()),
        ("wasted", wasted.into()),
        ("started", started.into()),
        ("waited_s", waited.as_secs_f64().into()),
        ("waiting_mean_s", waiting_mean.into()),
        ("queue", queue.into()),
    ])
}
