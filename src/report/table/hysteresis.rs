//! What `hysteresis` tells: where it collapses, where it comes back, and a row per value.

use anstyle::Style;

use super::figure::seconds;
use super::sheet::{Align, Cell, Column, Sheet, escape};
use super::spread::{Spelling, spread};
use super::value::{Record, Value, record};
use super::wrap::paragraph;
use super::{Document, grid, json};
use crate::analysis::Interval;
use crate::experiment::{Corner, Hysteresis, Traverse};
use crate::report::terminal::style;

/// A parameter that was moved there and back.
#[derive(Clone, Debug)]
pub struct HysteresisDocument<'a> {
    /// The story's title.
    pub title: &'a str,
    /// Which variant of it.
    pub variant: &'a str,
    /// The dotted path of the axis.
    pub axis: &'a str,
    /// What was found.
    pub found: &'a Hysteresis,
}

type Way = fn(&Traverse) -> &[Option<f64>];
const OUT: Way = |traverse| &traverse.out;
const BACK: Way = |traverse| &traverse.back;

impl HysteresisDocument<'_> {
    /// Every share that was seen at a value on one of the ways.
    fn shares(&self, place: usize, way: Way) -> impl Iterator<Item = f64> {
        self.found.traverses.iter().filter_map(move |traverse| way(traverse)[place])
    }

    fn ways(&self) -> [&'static str; 2] {
        if self.found.rising { ["up", "down"] } else { ["down", "up"] }
    }

    /// What was found, in words.
    pub fn sentence(&self) -> String {
        let found = self.found;
        let [out, back] = self.ways();
        let (collapses, returns) = found.counts();
        let seeds = found.traverses.len();
        let end = |place: Option<usize>| {
            let place = place.unwrap_or(0);
            found.values.get(place).map_or("", |value| &value.label)
        };
        let last = found.values.len().checked_sub(1);
        let (start, end) =
            if found.rising { (end(None), end(last)) } else { (end(last), end(None)) };
        let Some(collapse) = found.collapse() else {
            let some = if collapses == 0 {
                String::new()
            } else {
                format!(" under most seeds (under {collapses} of {seeds} it does)")
            };
            return format!("On the way {out} to {end} it does not collapse{some}.");
        };
        let collapsed = format!("On the way {out} it collapses at {}", self.told(collapse));
        let Some(comeback) = found.comeback() else {
            let some = if returns == 0 {
                String::new()
            } else {
                format!(" under most seeds (under {returns} of {collapses} it does)")
            };
            return format!(
                "{collapsed}; on the way back {back} to {start} it does not come back{some}."
            );
        };
        let width = (collapse.middle - comeback.middle).abs();
        let [low, high] =
            [collapse.middle.min(comeback.middle), collapse.middle.max(comeback.middle)];
        let within =
            (0..found.values.len()).filter(|&place| (low..=high).contains(&found.number(place)));
        // At the value between two neighbours of the cliff it may be either way by chance.
        if within.count() <= 3 {
            return format!(
                "{collapsed}; on the way back {back} it comes back at {}. A loop, if there is any, is too narrow \
                 for these steps.{}",
                self.told(comeback),
                self.still_draining()
            );
        }
        format!(
            "{collapsed}; on the way back {back} it comes back only at {}. The loop is {} wide: within it \
             both states hold, and which one is a matter of history.{}",
            self.told(comeback),
            self.number(width),
            self.still_draining()
        )
    }

    /// Of the values that were left before what waited was worked off.
    fn still_draining(&self) -> String {
        let places = 0..self.found.values.len();
        let left: Vec<usize> = places.filter(|&place| self.draining(place) > 0).collect();
        let (Some(&first), Some(&last)) = (left.first(), left.last()) else { return String::new() };
        let label = |place: usize| &self.found.values[place].label;
        let which = if first == last {
            format!("At {}", label(first))
        } else {
            let (from, to) = if self.found.rising { (last, first) } else { (first, last) };
            format!("From {} to {}", label(from), label(to))
        };
        let good = self.found.good_again().map_or_else(String::new, |corner| {
            format!("; goodput was good again at {}", self.told(corner))
        });
        format!(" {which} the backlog was still falling when the value was left{good}.")
    }

    /// How many seeds left a value on the way back while the backlog still fell.
    fn draining(&self, place: usize) -> usize {
        self.found.traverses.iter().filter(|traverse| traverse.draining[place]).count()
    }

    /// A value of the axis: with as many decimals as its steps have, and one more for what lies between two.
    fn number(&self, value: f64) -> String {
        let decimals = |number: f64| number.to_string().split_once('.').map_or(0, |(_, d)| d.len());
        let numbers = self.found.values.iter().filter_map(|value| value.number);
        let digits = numbers.map(decimals).max().unwrap_or(0) + 1;
        let text = format!("{value:.digits$}");
        let is_length = self.found.values.iter().any(|value| value.label.parse::<f64>().is_err());
        let unit = if is_length { " s" } else { "" };
        format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
    }

    /// `0.95 (0.9 to 1)`.
    fn told(&self, corner: Corner) -> String {
        let Corner { middle, interval: Interval { low, high } } = corner;
        let number = |value: f64| match value {
            f64::INFINITY | f64::NEG_INFINITY => "beyond the range".to_owned(),
            value => self.number(value),
        };
        if low == high {
            self.number(middle)
        } else {
            format!("{} ({} to {})", self.number(middle), number(low), number(high))
        }
    }

    fn about(&self) -> String {
        let Hysteresis { traverses, runs, interrupted, .. } = self.found;
        let seeds = traverses.len();
        let runs = match (runs, seeds) {
            (1, 1) => "1 run".to_owned(),
            (runs, 1) => format!("{runs} runs of 1 seed"),
            (runs, seeds) => format!("{runs} runs of {seeds} seeds"),
        };
        let interrupted = if *interrupted {
            "Interrupted: this is what is known of the seeds that had been there and back. "
        } else {
            ""
        };
        format!(
            "{interrupted}{} of “{}” in steps within one run, each held for {} s or longer, without triggers; {runs}. \
             Goodput as a share of fresh demand in the last half of a step: the median, the least and the \
             greatest. From {:.0} % on it counts as good.",
            self.axis,
            self.variant,
            seconds(self.found.hold.as_secs_f64()),
            self.found.good * 100.0
        )
    }

    fn sheet(&self) -> Sheet {
        let places = 0..self.found.values.len();
        let column = |heading: &str, cell: &dyn Fn(usize) -> Cell| {
            let heading = ["goodput %", heading];
            Column::new(&heading, Align::Right, 0, places.clone().map(cell).collect())
        };
        let back_cell = |place| {
            let cell = spread(Spelling::Percent, self.shares(place, BACK));
            match self.draining(place) {
                0 => cell,
                seeds if seeds == self.shares(place, BACK).count() => {
                    cell.and("still draining", style::FAINT)
                }
                seeds => cell.and(format!("{seeds} still draining"), style::FAINT),
            }
        };
        let [out, back] = self.ways();
        let names = self.found.values.iter().map(|value| value.label.clone()).collect();
        let columns = vec![
            column(&format!("on the way {out}"), &|place| {
                spread(Spelling::Percent, self.shares(place, OUT))
            }),
            column(&format!("on the way {back}"), &back_cell),
        ];
        Sheet::new(grid::short(self.axis), names, columns)
    }

    fn records(&self) -> Vec<Record> {
        let record_of = |place: usize| {
            let value = &self.found.values[place];
            let mut fields: Record = vec![
                ("value".to_owned(), value.label.as_str().into()),
                ("number".to_owned(), value.number.into()),
            ];
            for (name, way) in [("out", OUT), ("back", BACK)] {
                let shares: Vec<f64> = self.shares(place, way).collect();
                let low = shares.iter().copied().reduce(f64::min);
                let high = shares.iter().copied().reduce(f64::max);
                let middle = crate::analysis::median(shares.iter().copied());
                fields.push((format!("{name}_seeds"), (shares.len() as u64).into()));
                fields.push((format!("{name}_goodput_share"), middle.into()));
                fields.push((format!("{name}_goodput_share_low"), low.into()));
                fields.push((format!("{name}_goodput_share_high"), high.into()));
            }
            fields.push(("draining_seeds".to_owned(), (self.draining(place) as u64).into()));
            fields
        };
        (0..self.found.values.len()).map(record_of).collect()
    }
}

fn corner(corner: Option<Corner>) -> Value {
    corner.map_or(Value::Nothing, |Corner { middle, interval }| {
        Value::Record(record([
            ("value", middle.into()),
            ("low", interval.low.into()),
            ("high", interval.high.into()),
        ]))
    })
}

impl Document for HysteresisDocument<'_> {
    fn is_interrupted(&self) -> bool {
        self.found.interrupted
    }

    fn text(&self, width: usize) -> String {
        let plain = |words: &str| paragraph(words, Style::new(), width);
        let heading = paragraph(self.title, style::HEADING, width);
        format!(
            "{heading}{}{}{}",
            plain(&self.sentence()),
            plain(&self.about()),
            self.sheet().text(width)
        )
    }

    fn markdown(&self) -> String {
        let (title, says) = (escape(self.title), escape(&self.sentence()));
        format!("# {title}\n\n{says}\n\n{}\n\n{}", escape(&self.about()), self.sheet().markdown())
    }

    fn rows(&self) -> Vec<Record> {
        self.records()
    }

    fn json(&self) -> String {
        let found = self.found;
        let (collapses, returns) = found.counts();
        let width = found.collapse().zip(found.comeback());
        let width = width.map(|(collapse, comeback)| (collapse.middle - comeback.middle).abs());
        json::object(&record([
            ("scenario", self.title.into()),
            ("variant", self.variant.into()),
            ("axis", self.axis.into()),
            ("says", self.sentence().as_str().into()),
            ("seeds", (found.traverses.len() as u64).into()),
            ("runs", found.runs.into()),
            ("interrupted", self.is_interrupted().into()),
            ("hold_s", found.hold.as_secs_f64().into()),
            ("rising", found.rising.into()),
            ("collapsed_seeds", (collapses as u64).into()),
            ("returned_seeds", (returns as u64).into()),
            ("collapse", corner(found.collapse())),
            ("comeback", corner(found.comeback())),
            ("good_again", corner(found.good_again())),
            ("width", width.into()),
            ("values", Value::Records(self.records())),
        ]))
    }
}
