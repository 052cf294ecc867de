//! What `frontier` tells: the tipping line of two parameters, column by column.

use anstyle::Style;

use super::figure::{decimal, thousands};
use super::sheet::{Align, Cell, Column as Rows, Sheet, escape};
use super::value::{Record, Value, record};
use super::wrap::paragraph;
use super::{Document, grid, json};
use crate::analysis::{Estimate, Side};
use crate::experiment::{Along, Column, Frontier};
use crate::report::terminal::style::{self, FAINT};

/// An axis of the frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis<'a> {
    /// Its dotted path.
    pub path: &'a str,
    /// Whether it is a length of time.
    pub is_length: bool,
}

/// The tipping line of two parameters.
#[derive(Clone, Copy, Debug)]
pub struct FrontierDocument<'a> {
    /// The story's title.
    pub title: &'a str,
    /// The variant's name.
    pub variant: &'a str,
    /// The parameter whose values are columns.
    pub x: Axis<'a>,
    /// The parameter that tips in each of them.
    pub y: Axis<'a>,
    /// The line.
    pub frontier: &'a Frontier,
    /// Runs that a grid of the same resolution would take.
    pub grid_runs: u64,
}

impl Axis<'_> {
    pub(in crate::report) const fn unit(self) -> &'static str {
        if self.is_length { " s" } else { "" }
    }

    fn named(self, name: &str) -> String {
        if self.is_length { format!("{name}_s") } else { name.to_owned() }
    }
}

impl FrontierDocument<'_> {
    fn tips(&self) -> impl Iterator<Item = (f64, Estimate)> {
        self.frontier.columns.iter().filter_map(|column| match column.along {
            Along::Tips { at, .. } => Some((column.at, at)),
            Along::Recovers | Along::Collapses => None,
        })
    }

    fn sentence(&self) -> String {
        let Self { variant, x, y, .. } = self;
        let (from, to) = (self.frontier.y.from, self.frontier.y.to);
        let tips: Vec<(f64, Estimate)> = self.tips().collect();
        let (Some((first, at_first)), Some((last, at_last))) = (tips.first(), tips.last()) else {
            return format!(
                "“{variant}” tips nowhere along {} between {from} and {to}{}, at no value of {}.",
                y.path,
                y.unit(),
                x.path
            );
        };
        let value = |at: &Estimate| format!("{}{}", self.tips_at(at), y.unit());
        let side = match self.frontier.side {
            Some(Side::Above) => "above",
            Some(Side::Below) | None => "below",
        };
        format!(
            "“{variant}” tips {} {} = {} where {} is {first}{}, and {0} {} where it is {last}{}; {side} \
             the line it recovers more often than not.{}",
            if self.frontier.y.whole { "between" } else { "at" },
            y.path,
            value(at_first),
            x.path,
            x.unit(),
            value(at_last),
            x.unit(),
            self.outside()
        )
    }

    /// Where it tips: between two whole numbers, where there is nothing else.
    fn tips_at(&self, at: &Estimate) -> String {
        if self.frontier.y.whole {
            let below = at.value.floor();
            return format!("{below} and {}", below + 1.0);
        }
        decimal(at.value, at.interval.high - at.interval.low)
    }

    /// From one value to another, in as many digits as tell them apart.
    fn stretch(&self, from: f64, to: f64) -> String {
        if self.frontier.y.whole {
            return format!("{}–{}", from.floor(), to.ceil());
        }
        format!("{}–{}", decimal(from, to - from), decimal(to, to - from))
    }

    /// Of the columns in which nothing tips.
    fn outside(&self) -> String {
        let of = |along: Along| -> Vec<String> {
            let columns = self.frontier.columns.iter().filter(|column| column.along == along);
            columns.map(|column| column.at.to_string()).collect()
        };
        let told = |at: &[String], what: &str| match at {
            [] => String::new(),
            [only] => format!(" At {only} {what} along the whole range."),
            [first, .., last] => {
                format!(
                    " At {} values from {first} to {last} {what} along the whole range.",
                    at.len()
                )
            }
        };
        let recovers = told(&of(Along::Recovers), "it recovers");
        recovers + &told(&of(Along::Collapses), "it does not recover")
    }

    fn cost(&self) -> String {
        let Frontier { runs, controls, cut_short, interrupted, .. } = self.frontier;
        let cut = if *interrupted {
            " Interrupted: this is what was known by then, and not all columns."
        } else if *cut_short {
            " The runs were used up before every bend was looked at: more --runs follow it closer."
        } else {
            ""
        };
        format!(
            "It took {} runs, and {} control runs besides; a grid as fine, with five seeds in each cell, \
             would take {}.{cut}",
            thousands(*runs),
            thousands(*controls),
            thousands(self.grid_runs)
        )
    }

    fn sheet(&self) -> Sheet {
        let columns = &self.frontier.columns;
        let names = columns.iter().map(|column| column.at.to_string()).collect();
        let cells = |of: &dyn Fn(&Estimate, [f64; 2]) -> Cell, else_words: bool| {
            let cell = |column: &Column| match column.along {
                Along::Tips { at, mixed } => of(&at, mixed),
                Along::Recovers if else_words => Cell::styled("recovers", style::WELL),
                Along::Collapses if else_words => Cell::styled("collapses", style::DOWN),
                Along::Recovers | Along::Collapses => Cell::none(),
            };
            columns.iter().map(cell).collect::<Vec<_>>()
        };
        let unit = self.y.unit();
        let between = if self.frontier.y.whole { "between" } else { "at" };
        let tips = format!("{} tips {between}{unit}", grid::short(self.y.path));
        let of_tips = |at: &Estimate, _: [f64; 2]| Cell::new(self.tips_at(at));
        let of_interval = |at: &Estimate, _: [f64; 2]| {
            Cell::styled(self.stretch(at.interval.low, at.interval.high), FAINT)
        };
        let of_mixed = |_: &Estimate, [from, to]: [f64; 2]| Cell::new(self.stretch(from, to));
        Sheet::new(
            format!("{}{}", grid::short(self.x.path), self.x.unit()),
            names,
            vec![
                Rows::new(&[&tips], Align::Right, 0, cells(&of_tips, true)),
                Rows::new(&["95 % interval"], Align::Right, 0, cells(&of_interval, false)),
                Rows::new(&["mixed zone"], Align::Right, 0, cells(&of_mixed, false)),
            ],
        )
    }

    fn records(&self) -> Vec<Record> {
        let of = |column: &Column| {
            let (along, tips, mixed) = match column.along {
                Along::Tips { at, mixed } => ("tips", Some(at), Some(mixed)),
                Along::Recovers => ("recovers", None, None),
                Along::Collapses => ("collapses", None, None),
            };
            let y = self.y;
            let mut fields = record([("variant", self.variant.into())]);
            fields.push((self.x.named("x"), column.at.into()));
            fields.push(("along_y".to_owned(), along.into()));
            let estimate = |of: fn(&Estimate) -> f64| Value::from(tips.as_ref().map(of));
            fields.push((y.named("tips_at"), estimate(|e| e.value)));
            fields.push((y.named("tips_at_low"), estimate(|e| e.interval.low)));
            fields.push((y.named("tips_at_high"), estimate(|e| e.interval.high)));
            fields.push((y.named("mixed_from"), mixed.map(|[from, _]| from).into()));
            fields.push((y.named("mixed_to"), mixed.map(|[_, to]| to).into()));
            fields
        };
        self.frontier.columns.iter().map(of).collect()
    }
}

impl Document for FrontierDocument<'_> {
    fn is_interrupted(&self) -> bool {
        self.frontier.interrupted
    }

    fn text(&self, width: usize) -> String {
        let plain = |words: &str| paragraph(words, Style::new(), width);
        let mut text = paragraph(self.title, style::HEADING, width);
        text.push_str(&plain(&self.sentence()));
        text.push_str(&self.sheet().text(width));
        text.push('\n');
        text.push_str(&plain(&self.cost()));
        format!("{}\n", text.trim_end())
    }

    fn markdown(&self) -> String {
        format!(
            "# {}\n\n{}\n\n{}\n{}\n",
            escape(self.title),
            escape(&self.sentence()),
            self.sheet().markdown(),
            self.cost()
        )
    }

    fn rows(&self) -> Vec<Record> {
        self.records()
    }

    fn json(&self) -> String {
        let recovers = self.frontier.side.map(|side| match side {
            Side::Below => "below",
            Side::Above => "above",
        });
        json::object(&record([
            ("scenario", self.title.into()),
            ("variant", self.variant.into()),
            ("x", self.x.path.into()),
            ("y", self.y.path.into()),
            ("recovers", recovers.into()),
            ("runs", self.frontier.runs.into()),
            ("controls", self.frontier.controls.into()),
            ("grid_runs", self.grid_runs.into()),
            ("cut_short", self.frontier.cut_short.into()),
            ("interrupted", self.is_interrupted().into()),
            ("columns", Value::Records(self.records())),
        ]))
    }
}
