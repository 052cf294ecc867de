//! What `advise` tells: what brings a collapse back, at which price, and what an operator can do.

use anstyle::Style;

use super::figure::{seconds, thousands};
use super::sheet::{Align, Cell, Column, Sheet, escape};
use super::value::{Record, Value, record};
use super::wrap::paragraph;
use super::{Document, json};
use crate::experiment::{Cure, Effect, End, Health, Tried};
use crate::report::terminal::style::{self, FAINT};

/// What an operator finds who acts at some time, and what helps then.
#[derive(Clone, Debug)]
pub struct WayOut {
    /// Seconds from the end of the last trigger.
    pub after_s: f64,
    /// What waits then, in seconds of work.
    pub backlog_s: f64,
    /// What was tried.
    pub tried: Vec<Tried>,
}

/// The advice for one variant.
#[derive(Clone, Copy, Debug)]
pub struct AdviceDocument<'a> {
    /// The story's title.
    pub title: &'a str,
    /// The scenario file, as it was named.
    pub file: &'a str,
    /// The variant's name.
    pub variant: &'a str,
    /// Whether it collapses at all.
    pub needs_help: bool,
    /// What it does while nothing is wrong.
    pub before: Health,
    /// Changes to the scenario, ranked.
    pub tried: &'a [Tried],
    /// What an operator can do, by how late it is.
    pub ways_out: &'a [WayOut],
    /// How many seconds a run goes on after the last trigger.
    pub left_s: f64,
    /// Runs, and control runs, that no single change took: those that told what it does unchanged, and prices.
    pub others: [u64; 2],
    /// Of something that was stopped, how many changes were not tried.
    pub interrupted: Option<usize>,
}

/// A recovery that takes this part of the time that is left depends on how much that is.
const LONG: f64 = 0.25;

impl AdviceDocument<'_> {
    fn helps(&self) -> Vec<(&Tried, &Cure)> {
        self.tried.iter().filter_map(|tried| Some((tried, tried.cure()?))).collect()
    }

    fn sentence(&self) -> String {
        let Self { variant, .. } = self;
        if !self.needs_help {
            return format!("“{variant}” comes back by itself: there is nothing to advise.");
        }
        let interrupted = match self.interrupted {
            None => String::new(),
            Some(0) => "Interrupted: this is what was known by then. ".to_owned(),
            Some(left) => format!(
                "Interrupted: this is what was known by then, and {left} changes were not tried. "
            ),
        };
        interrupted + &self.found()
    }

    fn found(&self) -> String {
        let Self { variant, .. } = self;
        let helps = self.helps();
        let (count, all) = (helps.len(), self.tried.len());
        let Some((best, cure)) = helps.first() else {
            return format!("Of {all} changes none brings “{variant}” back in 95 % of seeds.");
        };
        format!(
            "Of {all} changes, {count} bring “{variant}” back in 95 % of seeds. At the least price: {}{}. \
             Proved by running it: {} of {} seeds come back, {} s after the disturbance (median).",
            best.name,
            value(best).map_or_else(String::new, |value| format!(", {value}")),
            cure.recovered,
            cure.proved,
            seconds(cure.recovery_time_s)
        )
    }

    /// The command that runs the best change.
    fn command(&self) -> Option<String> {
        let (best, _) = *self.helps().first()?;
        let sets: String =
            best.changes.iter().map(|change| format!(" \\\n    --set '{change}'")).collect();
        let (file, variant) = (self.file, self.variant);
        Some(format!("metastable run {file} --variant '{variant}'{sets}"))
    }

    /// What more has to be set where one value is not all of a change.
    fn several_changes(&self) -> Vec<String> {
        let several = self.helps().into_iter().skip(1).filter(|(tried, _)| tried.changes.len() > 1);
        let set = |changes: &[String]| {
            changes.iter().map(|change| format!(" --set '{change}'")).collect::<String>()
        };
        several.map(|(tried, _)| format!("{}:{}", tried.name, set(&tried.changes))).collect()
    }

    /// Of thresholds that are those of this horizon, since what is slower than it does not count as recovery.
    fn slow(&self) -> Option<String> {
        let slow = self.helps().into_iter().filter(|(tried, cure)| {
            tried.along.is_some() && cure.recovery_time_s > LONG * self.left_s
        });
        let slow: Vec<String> = slow
            .map(|(tried, cure)| {
                format!("{} takes {} s", tried.name, seconds(cure.recovery_time_s))
            })
            .collect();
        (!slow.is_empty()).then(|| {
            format!(
                "A threshold depends on the horizon where recovery takes long. Of the {} s between the \
                 disturbance and the horizon, {}; with a longer horizon the threshold may be milder.",
                seconds(self.left_s),
                slow.join(", ")
            )
        })
    }

    fn cost(&self) -> String {
        let all = || self.tried.iter().chain(self.ways_out.iter().flat_map(|way| &way.tried));
        let [other_runs, other_controls] = self.others;
        let runs = other_runs + all().map(|tried| tried.trial.runs).sum::<u64>();
        let controls = other_controls + all().map(|tried| tried.trial.controls).sum::<u64>();
        format!(
            "It took {} runs, and {} control runs besides.",
            thousands(runs),
            thousands(controls)
        )
    }

    fn cures(&self) -> Sheet {
        let helps = self.helps();
        let column = |heading: &[&str], of: &dyn Fn(&Tried, &Cure) -> Cell| {
            let cells = helps.iter().map(|(tried, cure)| of(tried, cure)).collect();
            Column::new(heading, Align::Right, 0, cells)
        };
        let names = helps.iter().map(|(tried, _)| tried.name.clone()).collect();
        let columns = vec![
            column(&["from"], &|tried, _| value(tried).map_or_else(Cell::none, Cell::new)),
            column(&["seeds", "back"], &|_, cure| {
                Cell::styled(format!("{}/{}", cure.recovered, cure.proved), FAINT)
            }),
            column(&["recovery", "time s"], &|_, cure| Cell::new(seconds(cure.recovery_time_s))),
            column(&["goodput", "lost"], &|tried, _| {
                tried.goodput_lost(&self.before).map_or_else(Cell::none, |lost| {
                    Cell::new(if lost < 0.002 {
                        "0 %".to_owned()
                    } else {
                        format!("{:.1} %", 100.0 * lost)
                    })
                })
            }),
            column(&["p99", "added ms"], &|tried, _| {
                tried.p99_added_s(&self.before).map_or_else(Cell::none, |added| {
                    let added = (added * 1e3).round();
                    // No zero has a sign.
                    Cell::new(if added == 0.0 { "0".to_owned() } else { format!("{added:+}") })
                })
            }),
        ];
        Sheet::new("what helps, least price first", names, columns)
    }

    fn failures(&self) -> Option<Sheet> {
        let failed: Vec<&Tried> =
            self.tried.iter().filter(|tried| tried.cure().is_none()).collect();
        if failed.is_empty() {
            return None;
        }
        let cells = failed.iter().map(|tried| Cell::styled(evidence(tried), FAINT)).collect();
        let names = failed.iter().map(|tried| tried.name.clone()).collect();
        let column = Column::new(&["evidence"], Align::Left, 0, cells);
        Some(Sheet::new("what does not, at any value", names, vec![column]))
    }

    fn operator(&self) -> Option<Sheet> {
        let first = self.ways_out.first()?;
        let names = self.ways_out.iter().map(|way| format!("{} s", way.after_s)).collect();
        let backlog = self.ways_out.iter().map(|way| Cell::new(format!("{:.1}", way.backlog_s)));
        let mut columns =
            vec![Column::new(&["waiting, s", "of work"], Align::Right, 0, backlog.collect())];
        for (nth, tried) in first.tried.iter().enumerate() {
            let cells = self.ways_out.iter().map(|way| {
                let tried = &way.tried[nth];
                match &tried.trial.effect {
                    Effect::Helps(cure) => match cure.value {
                        Some(value) => Cell::styled(format!("{value} s"), style::WELL),
                        None => Cell::styled(
                            format!("{}/{} back", cure.recovered, cure.proved),
                            style::WELL,
                        ),
                    },
                    Effect::Never { recovered, runs } | Effect::Unreliable { recovered, runs } => {
                        Cell::styled(format!("no: {recovered}/{runs}"), style::DOWN)
                    }
                }
            });
            let (head, tail) = two_lines(&tried.name);
            columns.push(Column::new(&[&head, &tail], Align::Right, 0, cells.collect()));
        }
        Some(Sheet::new("an operator acts after", names, columns))
    }

    fn record_of(&self, tried: &Tried) -> Record {
        let cure = tried.cure();
        let (runs, recovered) = match &tried.trial.effect {
            Effect::Helps(cure) => (cure.proved, cure.recovered),
            Effect::Never { runs, recovered } | Effect::Unreliable { runs, recovered } => {
                (*runs, *recovered)
            }
        };
        let tips = cure.and_then(|cure| cure.tips_at);
        let mut fields = record([
            ("change", tried.name.as_str().into()),
            ("effect", effect(&tried.trial.effect).into()),
            ("parameter", tried.parameter.into()),
            ("value", cure.and_then(|cure| cure.value).into()),
            // Rows of one table have one heading: the unit is a column.
            ("unit", (if tried.is_length { "s" } else { "" }).into()),
            ("tips_at", tips.map(|tips| tips.value).into()),
            ("tips_at_low", tips.map(|tips| tips.interval.low).into()),
            ("tips_at_high", tips.map(|tips| tips.interval.high).into()),
            ("seeds", runs.into()),
            ("recovered", recovered.into()),
            ("recovery_time_s", cure.map(|cure| cure.recovery_time_s).into()),
            ("goodput_lost_share", tried.goodput_lost(&self.before).into()),
            ("p99_added_s", tried.p99_added_s(&self.before).into()),
            ("runs", tried.trial.runs.into()),
            ("controls", tried.trial.controls.into()),
        ]);
        fields.push(("set".to_owned(), Value::Texts(tried.changes.clone())));
        fields
    }
}

impl Document for AdviceDocument<'_> {
    fn is_interrupted(&self) -> bool {
        self.interrupted.is_some()
    }

    fn text(&self, width: usize) -> String {
        let plain = |words: &str| paragraph(words, Style::new(), width);
        let mut text = paragraph(self.title, style::HEADING, width);
        text.push_str(&plain(&self.sentence()));
        if !self.needs_help {
            return format!("{}\n", text.trim_end());
        }
        if let Some(command) = self.command() {
            // A command is copied, and so is never broken.
            text.push_str(&format!("  {command}\n\n"));
        }
        if !self.helps().is_empty() {
            text.push_str(&self.cures().text(width));
            text.push('\n');
            for note in self.several_changes().iter().chain(&self.slow()) {
                text.push_str(&plain(note));
            }
        }
        for sheet in [self.failures(), self.operator()].into_iter().flatten() {
            text.push_str(&sheet.text(width));
            text.push('\n');
        }
        text.push_str(&plain(&self.cost()));
        format!("{}\n", text.trim_end())
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n{}\n\n", escape(self.title), escape(&self.sentence()));
        if !self.needs_help {
            return format!("{}\n", text.trim_end());
        }
        if let Some(command) = self.command() {
            text.push_str(&format!("```sh\n{command}\n```\n\n"));
        }
        let cures = (!self.helps().is_empty()).then(|| self.cures());
        for sheet in [cures, self.failures(), self.operator()].into_iter().flatten() {
            text.push_str(&format!("{}\n", sheet.markdown()));
        }
        if let Some(slow) = self.slow() {
            text.push_str(&format!("{}\n\n", escape(&slow)));
        }
        text.push_str(&format!("{}\n", self.cost()));
        text
    }

    fn rows(&self) -> Vec<Record> {
        self.tried.iter().map(|tried| self.record_of(tried)).collect()
    }

    fn json(&self) -> String {
        let all = |tried: &[Tried]| -> Value {
            Value::Records(tried.iter().map(|tried| self.record_of(tried)).collect())
        };
        let way = |way: &WayOut| {
            record([
                ("after_s", way.after_s.into()),
                ("backlog_s", way.backlog_s.into()),
                ("actions", all(&way.tried)),
            ])
        };
        json::object(&record([
            ("scenario", self.title.into()),
            ("variant", self.variant.into()),
            ("needs_help", self.needs_help.into()),
            ("interrupted", self.is_interrupted().into()),
            ("left_s", self.left_s.into()),
            ("goodput_per_s", self.before.goodput_per_s.into()),
            ("p99_s", self.before.p99_s.into()),
            ("changes", all(self.tried)),
            ("operator", Value::Records(self.ways_out.iter().map(way).collect())),
        ]))
    }
}

const fn effect(effect: &Effect) -> &'static str {
    match effect {
        Effect::Helps(_) => "helps",
        Effect::Never { .. } => "never",
        Effect::Unreliable { .. } => "unreliable",
    }
}

/// `load ≤ 0.31`: what the parameter must be.
fn value(tried: &Tried) -> Option<String> {
    let value = tried.cure()?.value?;
    let (_, gentle) = tried.along?;
    let sign = match gentle {
        End::Low => "≥",
        End::High => "≤",
    };
    let unit = if tried.is_length { " s" } else { "" };
    Some(format!("{} {sign} {value}{unit}", tried.parameter?))
}

fn evidence(tried: &Tried) -> String {
    let along = tried.along.zip(tried.parameter).map_or_else(String::new, |((range, _), name)| {
        let unit = if tried.is_length { " s" } else { "" };
        format!(", {name} {} to {}{unit}", range.from, range.to)
    });
    match &tried.trial.effect {
        Effect::Helps(_) => String::new(),
        Effect::Never { runs, recovered } => format!("{recovered} of {runs} runs come back{along}"),
        Effect::Unreliable { runs, recovered } => {
            format!("at best {recovered} of {runs} come back{along}")
        }
    }
}

/// A name as a heading of two lines.
fn two_lines(name: &str) -> (String, String) {
    let half = name.len() / 2;
    let gaps = name.match_indices(' ').map(|(at, _)| at);
    match gaps.min_by_key(|at| at.abs_diff(half)) {
        Some(at) => (name[..at].to_owned(), name[at + 1..].to_owned()),
        None => (String::new(), name.to_owned()),
    }
}
