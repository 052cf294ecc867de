//! Why it comes back or does not, in sentences with the numbers of the run.

mod parts;
mod told;
mod why;

use anstyle::Style;

use super::figure::seconds;
use super::value::{Record, Value, record};
use super::wrap::paragraph;
use super::{Document, json};
use told::Told;

use crate::analysis::{Mechanism, Verdict, mechanism};
use crate::experiment::{Run, Subject, Summary};
use crate::model::Model;
use crate::report::table::sheet::escape;
use crate::report::terminal::{sentence, style};

/// The story of one run, and what the other variants of its file came to.
#[derive(Clone, Debug)]
pub struct ExplainDocument<'a> {
    /// The story's title.
    pub title: &'a str,
    /// Whose story it is, and then the others.
    pub subjects: &'a [Subject<'a>],
    /// A run of each.
    pub runs: &'a [Run],
}

/// A step of the story: what it is about, and the sentence.
#[derive(Clone, Debug)]
pub(in crate::report) struct Step {
    pub(in crate::report) about: &'static str,
    pub(in crate::report) says: String,
}

impl ExplainDocument<'_> {
    fn first(&self) -> Option<(&Model, &Run, Mechanism)> {
        let (subject, run) = (self.subjects.first()?, self.runs.first()?);
        let back = run.assessment.back_at;
        Some((subject.model, run, mechanism(subject.model, &run.recording, back)?))
    }

    fn verdict(&self) -> String {
        let Some(run) = self.runs.first() else { return String::new() };
        let seeds = run.seed..run.seed + 1;
        let summaries = [Summary::from(run.clone())];
        sentence::verdict(&self.subjects[..1], &seeds, &[&summaries])
    }

    /// The story, step by step; empty where there is none to tell.
    pub(in crate::report) fn steps(&self) -> Vec<Step> {
        let Some((model, run, found)) = self.first() else { return Vec::new() };
        let verdict = run.assessment.verdict;
        let told = Told { model, run, found: &found, verdict };
        let steps = [
            ("Load", told.load()),
            ("Disturbance", told.disturbance()),
            ("Operator", told.operator()),
            ("Held up", told.held_up()),
            ("Too late", told.too_late()),
            ("For nobody", told.for_nobody()),
            (told.sent_again(), told.retries()),
            ("Outside", told.outside()),
            ("Instances", told.instance()),
            ("Errors", told.errors()),
            ("Failures", told.failures()),
            ("Executed", told.executed()),
            ("Why", told.why()),
            ("What ends it", self.remedies(verdict)),
        ];
        let kept = steps.into_iter().filter_map(|(about, says)| Some(Step { about, says: says? }));
        kept.collect()
    }

    /// Which of the other variants are well at the end, where this one is not.
    fn remedies(&self, verdict: Verdict) -> Option<String> {
        if verdict.is_well() || self.runs.len() < 2 {
            return None;
        }
        let others = || self.runs.iter().skip(1);
        let well: Vec<String> = others()
            .filter(|run| run.assessment.verdict.is_well())
            .map(|run| match run.assessment.back_at {
                Some(at) => format!("“{}” (at second {})", run.variant, seconds(at.as_secs_f64())),
                None => format!("“{}” (never affected)", run.variant),
            })
            .collect();
        let not: Vec<String> = others()
            .filter(|run| !run.assessment.verdict.is_well())
            .map(|run| format!("“{}”", run.variant))
            .collect();
        let says = match (&well[..], &not[..]) {
            ([], _) => "Of the variants in this file, none.".to_owned(),
            (_, []) => format!("Of the variants in this file, all: {}.", well.join(", ")),
            _ => format!(
                "Of the variants in this file: {}. Not: {}.",
                well.join(", "),
                not.join(", ")
            ),
        };
        Some(says)
    }

    fn records(&self) -> Vec<Record> {
        let pairs = self.subjects.iter().zip(self.runs);
        pairs.filter_map(|(subject, run)| of_run(subject.model, run)).collect()
    }
}

fn of_run(model: &Model, run: &Run) -> Option<Record> {
    let found = mechanism(model, &run.recording, run.assessment.back_at)?;
    let seat = model.service(found.seat).name.as_str();
    let number = |value: Option<f64>| value.map_or(Value::Nothing, Value::from);
    let left = found.left;
    Some(record([
        ("variant", run.variant.as_str().into()),
        ("seed", run.seed.into()),
        ("verdict", run.assessment.verdict.name().into()),
        ("service", seat.into()),
        ("fresh_per_s", found.fresh.into()),
        ("capacity_per_s", found.capacity.into()),
        ("disturbance_ends_s", number(left.map(|left| left.at.as_secs_f64()))),
        ("left_waiting", left.map_or(Value::Nothing, |left| left.waiting.into())),
        ("left_work_s", number(left.and_then(|left| left.work_s))),
        ("patience_s", number(found.patience.map(|patience| patience.least.as_secs_f64()))),
        ("longest_patience_s", number(found.patience.map(|patience| patience.most.as_secs_f64()))),
        ("too_late_from_s", number(found.too_late.map(|late| late.from.as_secs_f64()))),
        ("waited_s", number(found.too_late.map(|late| late.waited_s))),
        ("held_s", number(found.held_s)),
        ("from_s", found.end.from.as_secs_f64().into()),
        ("to_s", found.end.to.as_secs_f64().into()),
        ("demand_per_s", found.end.demand.into()),
        ("served_per_s", found.end.served.into()),
        ("wasted_share", found.end.wasted.into()),
        ("sent_again_share", found.fates.again.into()),
        ("failed_share", found.fates.failed.into()),
        ("held_back_share", found.fates.held_back.into()),
        ("amplification", number(found.amplification())),
    ]))
}

impl Document for ExplainDocument<'_> {
    fn text(&self, width: usize) -> String {
        let mut text = paragraph(self.title, style::HEADING, width);
        text.push_str(&paragraph(&self.verdict(), Style::new(), width));
        for Step { about, says } in self.steps() {
            text.push_str(&paragraph(&format!("{about}. {says}"), Style::new(), width));
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n{}\n", escape(self.title), escape(&self.verdict()));
        for (nth, Step { about, says }) in self.steps().into_iter().enumerate() {
            text.push_str(&format!("\n{}. **{about}.** {}", nth + 1, escape(&says)));
        }
        text.push('\n');
        text
    }

    fn rows(&self) -> Vec<Record> {
        self.records()
    }

    fn json(&self) -> String {
        let says = |step: Step| {
            record([("about", step.about.into()), ("says", step.says.as_str().into())])
        };
        let steps: Vec<Record> = self.steps().into_iter().map(says).collect();
        json::object(&record([
            ("title", self.title.into()),
            ("verdict", self.verdict().as_str().into()),
            ("steps", Value::Records(steps)),
            ("variants", Value::Records(self.records())),
        ]))
    }
}
