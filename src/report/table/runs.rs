//! What `run` tells: a row per variant for people, a record per variant and seed for programs.

use std::ops::Range;

use anstyle::Style;

use super::figure::three_digits;
use super::sheet::{Align, Cell, Column, Sheet, escape};
use super::spread::{Figure, Spelling};
use super::value::{Record, Value, record};
use super::wrap::paragraph;
use super::{Document, json, parties, windows};
use crate::analysis::Verdict;
use crate::experiment::{Subject, Summary};
use crate::law::Law;
use crate::model::{Model, Service};
use crate::report::terminal::style;
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
    /// What the rows of CSV are.
    pub rows: Rows,
}

/// What the rows of a CSV file of runs are: it holds one table, where JSON has them one in the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// Runs: one of each variant under each seed.
    #[default]
    Runs,
    /// The services of each run.
    Services,
    /// The edges of each run.
    Edges,
    /// The instances of each run, of services that have several.
    Instances,
    /// The windows of each run: its timeline.
    Windows,
}

/// Only where anybody counts executions, or a transport repeats.
const FIGURES_BENEATH: [Figure; 3] = [
    Figure {
        heading: &["attempts", "at services"],
        group: 2,
        spelling: Spelling::Count,
        of: |run| Some(run.server_attempts as f64),
    },
    Figure {
        heading: &["executions"],
        group: 2,
        spelling: Spelling::Count,
        of: |run| Some(run.tally.executions as f64),
    },
    Figure {
        heading: &["executed", "more than once"],
        group: 2,
        spelling: Spelling::Count,
        of: |run| Some(run.tally.executed_again as f64),
    },
];

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

/// Tables of services, edges and instances, with what is said above each and beneath all.
pub(in crate::report) struct Parties {
    pub(in crate::report) sheets: Vec<(String, Sheet)>,
    pub(in crate::report) legend: String,
}

impl RunDocument<'_> {
    fn by_variant(&self) -> Vec<&[Summary]> {
        let seeds = self.seeds.clone().count().max(1);
        self.runs.chunks(seeds).collect()
    }

    /// What became of all of them, in a sentence.
    pub(in crate::report) fn sentence(&self) -> String {
        sentence::verdict(self.subjects, &self.seeds, &self.by_variant())
    }

    /// A row per variant.
    pub(in crate::report) fn sheet(&self) -> Sheet {
        let variants = self.by_variant();
        let verdicts = variants.iter().map(|runs| verdicts(runs)).collect();
        let verdicts = Column::new(&["verdict"], Align::Left, 0, verdicts);
        let counts = |run: &Summary| run.tally.executions + run.tally.repeats > 0;
        let beneath = if self.runs.iter().any(counts) { &FIGURES_BENEATH[..] } else { &[] };
        let figures = FIGURES.iter().chain(beneath);
        let figures = figures.map(|figure| figure.column(&variants));
        let names = self.subjects.iter().map(|subject| subject.name.to_owned()).collect();
        Sheet::new("variant", names, std::iter::once(verdicts).chain(figures).collect())
    }

    /// What the sheet's headings do not say.
    pub(in crate::report) fn legend(&self) -> String {
        let seeds = self.seeds.clone().count();
        let spread = "; medians over the seeds, and beneath them the smallest and the largest";
        let spread = if seeds > 1 { spread } else { "" };
        let fits = self.fits();
        format!("p50 and p99 are latencies of requests that succeeded{spread}.{fits}")
    }

    /// What lognormal service times come to, which nobody reads off their quantiles: the mean is what
    /// the capacity follows from.
    fn fits(&self) -> String {
        let Some(base) = self.subjects.first() else { return String::new() };
        let fit = |service: &Service| match &service.service_time {
            Law::Lognormal(law) => Some(format!(
                " The service time of {} is lognormal with sigma {:.3} and a mean of {} ms.",
                service.name,
                law.sigma(),
                three_digits(law.mean().as_secs_f64() * 1e3)
            )),
            Law::Fixed(_)
            | Law::Exponential { .. }
            | Law::Erlang(_)
            | Law::Hyperexponential(_)
            | Law::BoundedPareto(_)
            | Law::Uniform(_)
            | Law::Mixture(_)
            | Law::Empirical(_) => None,
        };
        base.model.services.iter().filter_map(fit).collect()
    }

    fn timelines(&self, width: usize) -> String {
        let firsts: Vec<&Summary> =
            self.by_variant().iter().filter_map(|runs| runs.first()).collect();
        sparkline::timelines(self.subjects, &firsts, width)
    }

    /// What there is where there are several services, edges or instances, of the first variant: a screen has no
    /// room for that of all.
    pub(in crate::report) fn parties(&self) -> Option<Parties> {
        let (subject, &runs) = (self.subjects.first()?, self.by_variant().first()?);
        let (whose, others) = match self.subjects.len() {
            1 => (String::new(), ""),
            _ => (format!(" of “{}”", subject.name), " --variant shows those of another."),
        };
        let sheets = parties::sheets(subject, runs).into_iter();
        let sheets: Vec<(String, Sheet)> =
            sheets.map(|(what, sheet)| (format!("{what}{whose}"), sheet)).collect();
        let legend = format!("{}{others}", parties::legend(subject.model));
        (!sheets.is_empty()).then_some(Parties { sheets, legend })
    }

    fn records(&self) -> Vec<Record> {
        self.each(|run, model| vec![of_run(run, model)])
    }

    /// Services or edges of all runs, each with the run it belongs to.
    fn flat(&self, kind: &str, of: fn(&Model, &Summary) -> Record) -> Vec<Record> {
        self.each(|run, model| {
            let row = |(name, value)| {
                let mut row: Record = record([
                    ("variant", run.variant.as_str().into()),
                    ("seed", run.seed.into()),
                    (kind, Value::Text(name)),
                ]);
                if let Value::Record(fields) = value {
                    row.extend(fields);
                }
                row
            };
            of(model, run).into_iter().map(row).collect()
        })
    }

    fn each(&self, of: impl Fn(&Summary, &Model) -> Vec<Record>) -> Vec<Record> {
        let runs = self.by_variant().into_iter().zip(self.subjects);
        let of_one = |(runs, subject): (&[Summary], &Subject<'_>)| {
            runs.iter().flat_map(|run| of(run, subject.model)).collect::<Vec<_>>()
        };
        runs.flat_map(of_one).collect()
    }
}

impl Document for RunDocument<'_> {
    fn text(&self, width: usize) -> String {
        let mut text = paragraph(self.title, style::HEADING, width);
        text.push_str(&paragraph(&self.sentence(), Style::new(), width));
        if let Some(solvers) = sentence::solvers(self.subjects) {
            text.push_str(&paragraph(&solvers, Style::new(), width));
        }
        text.push_str(&self.sheet().text(width));
        text.push('\n');
        text.push_str(&paragraph(&self.legend(), style::FAINT, width));
        text.push_str(&self.timelines(width));
        if let Some(parties) = self.parties() {
            for (what, sheet) in &parties.sheets {
                text.push_str(&format!("\n{}", paragraph(what, Style::new(), width)));
                text.push_str(&sheet.text(width));
            }
            text.push('\n');
            text.push_str(paragraph(&parties.legend, style::FAINT, width).trim_end());
            text.push('\n');
        }
        text
    }

    fn markdown(&self) -> String {
        let (title, sentence) = (escape(self.title), escape(&self.sentence()));
        let solvers = sentence::solvers(self.subjects);
        let solvers = solvers.map_or_else(String::new, |said| format!("{}\n\n", escape(&said)));
        let sheet = self.sheet().markdown();
        let legend = self.legend();
        let timelines = style::strip(&self.timelines(80));
        let parties = self.parties().map_or_else(String::new, |parties| {
            let sheets = parties.sheets.iter();
            let sheets = sheets
                .map(|(what, sheet)| format!("\n{}\n\n{}", escape(what), sheet.markdown()))
                .collect::<String>();
            format!("{sheets}\n{}\n", escape(&parties.legend))
        });
        format!(
            "# {title}\n\n{sentence}\n\n{solvers}{sheet}\n{legend}\n\n```text\n{timelines}```\n{parties}"
        )
    }

    fn rows(&self) -> Vec<Record> {
        match self.rows {
            Rows::Runs => self.records(),
            Rows::Services => self.flat("service", parties::services),
            Rows::Edges => self.flat("edge", parties::edges),
            Rows::Instances => self.flat("instance", parties::instances),
            Rows::Windows => self.each(windows::rows),
        }
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

fn of_run(run: &Summary, model: &Model) -> Record {
    let seconds = |span: Option<Span>| Value::from(span.map(Span::as_secs_f64));
    let (tally, assessment) = (&run.tally, &run.assessment);
    record([
        ("variant", run.variant.as_str().into()),
        ("seed", run.seed.into()),
        ("solver", model.solver.name().into()),
        ("step_s", seconds(model.solver.step())),
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
        ("hedges", tally.hedges.into()),
        ("transport_repeats", tally.repeats.into()),
        ("server_attempts", run.server_attempts.into()),
        ("timed_out", tally.timed_out.into()),
        ("denied", tally.denied.into()),
        ("held_back", tally.held_back.into()),
        ("breaker_openings", tally.breaker_openings.into()),
        ("ejections", tally.ejections.into()),
        ("rejected", tally.rejected.into()),
        ("failed_at_once", tally.failed_at_once.into()),
        ("shed", tally.shed.into()),
        ("started", tally.started.into()),
        ("completed", tally.completed.into()),
        ("wasted", tally.wasted.into()),
        ("executions", tally.executions.into()),
        ("duplicate_executions", tally.duplicates.into()),
        ("executed_more_than_once", tally.executed_again.into()),
        ("replayed", tally.replayed.into()),
        ("conflicts", tally.conflicts.into()),
        ("keys_expired", tally.keys_expired.into()),
        ("wasted_work_fraction", tally.wasted_work_fraction().into()),
        ("amplification", tally.amplification().into()),
        ("last_success_s", tally.last_success.map(Time::as_secs_f64).into()),
        ("latency_p50_s", seconds(run.latency_p50)),
        ("latency_p99_s", seconds(run.latency_p99)),
        ("events", tally.events.into()),
        ("services", Value::Record(parties::services(model, run))),
        ("edges", Value::Record(parties::edges(model, run))),
        ("instances", Value::Record(parties::instances(model, run))),
        ("timeline", Value::Records(windows::of_timeline(run))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::example;

    fn render(seeds: u64, look: impl Fn(&dyn Document) -> String) -> String {
        let variants = example::variants();
        let subjects = example::subjects(&variants);
        let runs = example::summaries(&subjects, seeds);
        let document = RunDocument {
            title: example::TITLE,
            subjects: &subjects,
            seeds: 1..1 + seeds,
            runs: &runs,
            rows: Rows::Runs,
        };
        look(&document)
    }

    #[test]
    fn one_seed_in_eighty_columns() {
        insta::assert_snapshot!(render(1, |document| style::strip(&document.text(80))));
    }

    #[test]
    fn several_seeds_in_eighty_columns() {
        insta::assert_snapshot!(render(3, |document| style::strip(&document.text(80))));
    }

    #[test]
    fn one_table_where_there_is_room() {
        insta::assert_snapshot!(render(1, |document| style::strip(&document.text(160))));
    }

    #[test]
    fn markdown() {
        insta::assert_snapshot!(render(1, |document| document.markdown()));
    }

    #[test]
    fn no_line_is_wider_than_asked_for() {
        use unicode_width::UnicodeWidthStr;
        for width in [50, 64, 80, 100, 132] {
            let text = render(3, |document| style::strip(&document.text(width)));
            let wide: Vec<&str> = text.lines().filter(|line| line.width() > width).collect();
            assert_eq!(wide, [""; 0], "{width}");
        }
    }

    #[test]
    fn csv_has_the_columns_of_the_json() {
        let csv = render(2, |document| document.csv());
        let json: serde_json::Value =
            serde_json::from_str(&render(2, |document| document.json())).unwrap();
        let run = json["runs"][7].as_object().unwrap();
        let names: Vec<&str> = run
            .keys()
            .map(String::as_str)
            .filter(|name| !run[*name].is_object() && !run[*name].is_array())
            .collect();
        let mut lines = csv.lines();
        assert_eq!(lines.next().unwrap(), names.join(","));
        assert_eq!(lines.count(), 8);
        let windows = run["timeline"].as_array().unwrap();
        assert_eq!(windows.len(), 30);
        let sum =
            |name: &str| windows.iter().map(|window| window[name].as_u64().unwrap()).sum::<u64>();
        assert_eq!(sum("arrivals"), run["requests"].as_u64().unwrap());
        assert_eq!(sum("goodput"), run["succeeded"].as_u64().unwrap());
        assert_eq!(sum("attempts"), run["attempts"].as_u64().unwrap());
    }
}
