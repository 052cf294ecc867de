//! Why it comes back or does not, in sentences with the numbers of the run.

use anstyle::Style;

use super::figure::{count, seconds, three_digits};
use super::value::{Record, Value, record};
use super::wrap::paragraph;
use super::{Document, csv, json};
use crate::analysis::{Hop, Mechanism, Verdict, exceeds_capacity, mechanism};
use crate::experiment::{Run, Subject, Summary};
use crate::model::{Caller, Model};
use crate::policy::slowdown::Slowdown;
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
struct Step {
    about: &'static str,
    says: String,
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

    fn steps(&self) -> Vec<Step> {
        let Some((model, run, found)) = self.first() else { return Vec::new() };
        let verdict = run.assessment.verdict;
        let told = Told { model, found: &found, verdict };
        let steps = [
            ("Load", told.load()),
            ("Disturbance", told.disturbance()),
            ("Too late", told.too_late()),
            ("For nobody", told.for_nobody()),
            ("Retries", told.retries()),
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

/// What there is to tell of one run.
struct Told<'a> {
    model: &'a Model,
    found: &'a Mechanism,
    verdict: Verdict,
}

impl Told<'_> {
    fn seat(&self) -> &str {
        &self.model.service(self.found.seat).name
    }

    fn load(&self) -> Option<String> {
        let Mechanism { fresh, capacity, .. } = *self.found;
        Some(format!(
            "Fresh requests alone bring “{}” {} attempts a second, of {} that it can serve: a load of \
             {:.2}.",
            self.seat(),
            count(fresh),
            count(capacity),
            fresh / capacity
        ))
    }

    fn disturbance(&self) -> Option<String> {
        let left = self.found.left?;
        let names: Vec<&str> =
            self.model.triggers.iter().map(|trigger| trigger.name.as_str()).collect();
        let mut distinct: Vec<String> = Vec::new();
        for name in names {
            let name = format!("“{name}”");
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        }
        let ends = if distinct.len() == 1 { "is" } else { "are" };
        let when = format!(
            "When {} {ends} over, at second {},",
            distinct.join(" and "),
            seconds(left.at.as_secs_f64())
        );
        Some(match left.waiting {
            0 => format!("{when} nobody waits for “{}”.", self.seat()),
            waiting => format!(
                "{when} {} attempts wait for “{}”: {} s of its work.",
                count(waiting as f64),
                self.seat(),
                three_digits(left.work_s)
            ),
        })
    }

    fn too_late(&self) -> Option<String> {
        let (late, patience) = (self.found.too_late?, self.found.patience?);
        Some(format!(
            "From second {} on, attempts have waited {} s on average when their turn comes; whoever sent \
             them gives up after {} s.",
            seconds(late.from.as_secs_f64()),
            three_digits(late.waited_s),
            seconds(patience.as_secs_f64())
        ))
    }

    fn for_nobody(&self) -> Option<String> {
        let end = self.found.end;
        (end.wasted >= 0.005).then(|| {
            format!(
                "{}, {:.0} % of what it serves is for nobody.",
                self.meanwhile(),
                100.0 * end.wasted
            )
        })
    }

    fn meanwhile(&self) -> String {
        let from = seconds(self.found.end.from.as_secs_f64());
        if self.verdict.is_well() {
            format!("From second {from} until it is back")
        } else {
            format!("From second {from} to the end")
        }
    }

    fn retries(&self) -> Option<String> {
        let Mechanism { capacity, end, path, .. } = self.found;
        let times = self.found.amplification().filter(|times| *times >= 1.05)?;
        let way = match &path[..] {
            [] | [_] => String::new(),
            hops => format!(" On the way there, attempts for each call: {}.", self.way(hops)),
        };
        Some(format!(
            "For each attempt that fresh requests alone would bring, {} come to “{}”: {} a second, {} times \
             what it can serve.{way}",
            three_digits(times),
            self.seat(),
            count(end.demand),
            three_digits(end.demand / capacity)
        ))
    }

    fn way(&self, hops: &[Hop]) -> String {
        let step = |hop: &Hop| {
            let (_, _, edge) = self.model.edges().find(|(id, ..)| *id == hop.edge)?;
            let from = match hop.caller {
                Caller::Client(id) => &self.model.clients[id.index()].name,
                Caller::Service(id, _) => &self.model.service(id).name,
            };
            let to = &self.model.service(edge.to).name;
            Some(format!("“{from}” to “{to}” {}", three_digits(hop.amplification)))
        };
        hops.iter().filter_map(step).collect::<Vec<_>>().join(", ")
    }

    fn why(&self) -> Option<String> {
        let Mechanism { fresh, capacity, end, .. } = *self.found;
        let slows = self.model.service(self.found.seat).slowdown != Slowdown::None;
        let served = count(end.served);
        let spare = capacity - end.demand;
        Some(match self.verdict {
            Verdict::Overloaded if exceeds_capacity(self.model) => {
                "Fresh requests alone ask for more than can be served. No policy of clients mends that: \
                 more capacity does, or less demand."
                    .to_owned()
            }
            Verdict::Overloaded => "It fails without the disturbance as well.".to_owned(),
            Verdict::Undecided => {
                "The disturbance ends too near the end of the run to tell; a longer horizon does.".to_owned()
            }
            Verdict::Unaffected => "What the disturbance left was gone before it mattered.".to_owned(),
            Verdict::Recovered if spare > 0.0 => format!(
                "Demand with all retries stays {} attempts a second below what can be served, so the \
                 queue drains.",
                count(spare)
            ),
            Verdict::Recovered => {
                "Demand with all retries is above what is served, but not all of it waits: what is \
                 refused, dropped or answered in time leaves no work behind, and the queue empties."
                    .to_owned()
            }
            Verdict::Draining => format!(
                "The queue shrinks, slowly: {} attempts wait at the end of the run.",
                count(end.waiting as f64)
            ),
            Verdict::Metastable if slows && end.served < 0.9 * fresh => format!(
                "Its work grows with what it has in hand: it serves {served} a second, fewer than come, \
                 so what it has in hand stays as much. The loop needs no disturbance to go on."
            ),
            Verdict::Metastable if end.demand < 0.5 * capacity && end.held_back > 0.0 => format!(
                "The service is not busy: it serves {served} of {} a second. Clients hold {} attempts a \
                 second back on their own side, by breaker, throttle or pool, and do not let go.",
                count(capacity),
                count(end.held_back)
            ),
            Verdict::Metastable if end.demand > capacity => format!(
                "Late answers are tried again, what is tried again keeps the queue full, and a full queue \
                 makes answers late. The loop needs no disturbance to go on. It ends only if what \
                 arrives falls below {} a second: {} attempts for each fresh request at the most.",
                count(capacity),
                three_digits(capacity / fresh)
            ),
            Verdict::Metastable => format!(
                "It serves {served} a second and stays behind: {} attempts still wait at the end, {} \
                 more than at second {}.",
                count(end.waiting as f64),
                count(end.growth.max(0.0)),
                seconds(end.from.as_secs_f64())
            ),
        })
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
        ("left_work_s", number(left.map(|left| left.work_s))),
        ("patience_s", number(found.patience.map(|patience| patience.as_secs_f64()))),
        ("too_late_from_s", number(found.too_late.map(|late| late.from.as_secs_f64()))),
        ("waited_s", number(found.too_late.map(|late| late.waited_s))),
        ("from_s", found.end.from.as_secs_f64().into()),
        ("demand_per_s", found.end.demand.into()),
        ("served_per_s", found.end.served.into()),
        ("wasted_share", found.end.wasted.into()),
        ("held_back_per_s", found.end.held_back.into()),
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

    fn csv(&self) -> String {
        csv::table(&[], &self.records())
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
