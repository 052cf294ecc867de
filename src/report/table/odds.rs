//! What `odds` tells: how often it collapses by chance alone, and how that was found out.

use anstyle::Style;

use super::figure::{count, seconds, three_digits};
use super::sheet::{Align, Cell, Column, Sheet, escape};
use super::value::{Record, Value, record};
use super::wrap::paragraph;
use super::{Document, json};
use crate::analysis::Interval;
use crate::experiment::{Answer, Collapse, Odds, Splitting};
use crate::report::terminal::style;

/// How likely a variant collapses by chance.
#[derive(Clone, Debug)]
pub struct OddsDocument<'a> {
    /// The story's title.
    pub title: &'a str,
    /// Which variant of it.
    pub variant: &'a str,
    /// What counts as a collapse.
    pub collapse: Collapse,
    /// What was found.
    pub found: &'a Answer,
}

const HOUR: f64 = 3_600.0;
const DAY: f64 = 86_400.0;

impl OddsDocument<'_> {
    /// What was found, in words.
    pub fn sentence(&self) -> String {
        let odds = self.found.odds();
        if odds.per_second > 0.0 {
            let Interval { low, high } = odds.interval;
            let often = every(1.0 / odds.per_second);
            let [shortest, longest] = [1.0 / high, 1.0 / low]
                .map(|length| if length.is_finite() { every(length) } else { "never".to_owned() });
            let chance = |name: &str, length: f64| {
                let (chance, Interval { low, high }) = odds.within(length);
                format!(
                    "within {name} with chance {} ({} to {})",
                    small(chance),
                    small(low),
                    small(high)
                )
            };
            return format!(
                "Undisturbed, it collapses by chance about once in {often} ({shortest} to {longest}): {}, {}.",
                chance("an hour", HOUR),
                chance("a day", DAY)
            );
        }
        match self.found {
            Answer::Plain(plain) if plain.watched_s <= 0.0 => {
                "It was never watched while it was well, and so nothing is known of its odds."
                    .to_owned()
            }
            Answer::Plain(plain) => {
                let bound = every(1.0 / plain.odds.interval.high);
                format!("It was not seen to collapse by chance: less than once in {bound} (95 %).")
            }
            Answer::Splitting(splitting) => match splitting.bound() {
                bound if splitting.too_rare => format!(
                    "Undisturbed, it collapses by chance less than once in about {}: so rarely does it get to the \
                     last of the heights that were looked at.",
                    every(1.0 / bound)
                ),
                bound if bound > 0.0 => format!(
                    "No clone was seen to collapse by chance: less than once in {} (95 %).",
                    every(1.0 / bound)
                ),
                _ => "It was not seen to leave its calm state by chance at all.".to_owned(),
            },
        }
    }

    fn about(&self) -> String {
        let collapse = match self.collapse {
            Collapse::Stays(length) => format!(
                "it stays away from calm, less than a quarter of a timeout's work waiting or being tried again, \
                 for {} s in a row",
                seconds(length.as_secs_f64())
            ),
            Collapse::Reaches(backlog_s) => {
                format!("{} s of work wait for a service", three_digits(backlog_s))
            }
        };
        let how = match self.found {
            Answer::Plain(plain) => format!(
                "{} plain runs of up to {} s, of which {} collapse",
                count(plain.runs as f64),
                seconds(plain.length.as_secs_f64()),
                count(plain.collapses as f64)
            ),
            Answer::Splitting(splitting) => format!(
                "splitting, {} clones over {} heights in {} repetitions",
                count(splitting.clones as f64),
                splitting.heights.len(),
                splitting.rates.len()
            ),
        };
        let interrupted = if self.is_interrupted() {
            "Interrupted: this is what was known by then. "
        } else {
            ""
        };
        format!(
            "{interrupted}“{}” without triggers. It counts as a collapse that {collapse}. Found by {how}; in brackets 95 % \
             intervals.",
            self.variant
        )
    }

    fn sheet(&self) -> Option<Sheet> {
        let splitting = match self.found {
            Answer::Plain(_) => return None,
            Answer::Splitting(splitting) => splitting,
        };
        let names = splitting.heights.iter().map(|height| three_digits(*height)).collect();
        let rates = rates(splitting);
        let column = |heading: &[&str], values: &[f64], spell: fn(f64) -> String| {
            let cells = values.iter().map(|value| Cell::new(spell(*value))).collect();
            Column::new(heading, Align::Right, 0, cells)
        };
        let columns = vec![
            column(&["crossed once in"], &rates, |rate| {
                if rate > 0.0 { every(1.0 / rate) } else { "–".to_owned() }
            }),
            column(&["and from there", "one further"], &splitting.shares, small),
        ];
        Some(Sheet::new("height s", names, columns))
    }

    fn records(&self) -> Vec<Record> {
        let splitting = match self.found {
            Answer::Plain(plain) => {
                return vec![record([
                    ("runs", plain.runs.into()),
                    ("length_s", plain.length.as_secs_f64().into()),
                    ("collapses", plain.collapses.into()),
                    ("watched_s", plain.watched_s.into()),
                ])];
            }
            Answer::Splitting(splitting) => splitting,
        };
        let rates = rates(splitting);
        let stage = |((height, share), rate): ((&f64, &f64), f64)| {
            record([
                ("height_s", (*height).into()),
                ("crossings_per_s", rate.into()),
                ("share_further", (*share).into()),
            ])
        };
        splitting.heights.iter().zip(&splitting.shares).zip(rates).map(stage).collect()
    }
}

/// How often each height is crossed, per second.
fn rates(splitting: &Splitting) -> Vec<f64> {
    let rates = splitting.shares.iter().scan(splitting.flux, |rate, share| {
        let here = *rate;
        *rate *= share;
        Some(here)
    });
    rates.collect()
}

/// A length of time in the unit that people would take.
fn every(length_s: f64) -> String {
    const UNITS: [(f64, &str); 5] = [
        (31_557_600.0, "years"),
        (DAY, "days"),
        (HOUR, "hours"),
        (60.0, "minutes"),
        (0.0, "seconds"),
    ];
    let (unit, name) =
        UNITS.into_iter().find(|(unit, _)| length_s >= 2.0 * unit).unwrap_or(UNITS[4]);
    let value = length_s / if unit > 0.0 { unit } else { 1.0 };
    let is_plain = value == 0.0 || (0.001..1e7).contains(&value);
    format!("{} {name}", if is_plain { three_digits(value) } else { format!("{value:.2e}") })
}

/// A chance of any size.
fn small(chance: f64) -> String {
    match chance {
        0.0 => "0".to_owned(),
        chance if chance < 0.001 => format!("{chance:.1e}"),
        chance if chance > 0.999 && chance < 1.0 => "over 0.999".to_owned(),
        chance => three_digits(chance),
    }
}

fn chance(odds: Odds, length_s: f64) -> Value {
    let (value, Interval { low, high }) = odds.within(length_s);
    Value::Record(record([("value", value.into()), ("low", low.into()), ("high", high.into())]))
}

impl Document for OddsDocument<'_> {
    fn is_interrupted(&self) -> bool {
        match self.found {
            Answer::Plain(plain) => plain.interrupted,
            Answer::Splitting(splitting) => splitting.interrupted,
        }
    }

    fn text(&self, width: usize) -> String {
        let plain = |words: &str| paragraph(words, Style::new(), width);
        let sheet = self.sheet().map_or_else(String::new, |sheet| sheet.text(width));
        let heading = paragraph(self.title, style::HEADING, width);
        let text = format!("{heading}{}{}{sheet}", plain(&self.sentence()), plain(&self.about()));
        format!("{}\n", text.trim_end())
    }

    fn markdown(&self) -> String {
        let sheet = self.sheet().map_or_else(String::new, |sheet| sheet.markdown());
        let (title, says) = (escape(self.title), escape(&self.sentence()));
        let text = format!("# {title}\n\n{says}\n\n{}\n\n{sheet}", escape(&self.about()));
        format!("{}\n", text.trim_end())
    }

    fn rows(&self) -> Vec<Record> {
        self.records()
    }

    fn json(&self) -> String {
        let odds = self.found.odds();
        let (method, relative) = match self.found {
            Answer::Plain(_) => ("plain", Value::Nothing),
            Answer::Splitting(_) => ("splitting", odds.relative_error().into()),
        };
        let too_rare = match self.found {
            Answer::Plain(_) => false,
            Answer::Splitting(splitting) => splitting.too_rare,
        };
        let collapse = match self.collapse {
            Collapse::Stays(length) => ("stays_s", length.as_secs_f64().into()),
            Collapse::Reaches(backlog_s) => ("backlog_s", backlog_s.into()),
        };
        let details = match self.found {
            Answer::Plain(_) => "plain",
            Answer::Splitting(_) => "stages",
        };
        json::object(&record([
            ("scenario", self.title.into()),
            ("variant", self.variant.into()),
            ("says", self.sentence().as_str().into()),
            ("method", method.into()),
            ("too_rare", too_rare.into()),
            ("interrupted", self.is_interrupted().into()),
            ("collapse", Value::Record(record([collapse]))),
            ("per_second", odds.per_second.into()),
            ("per_second_low", odds.interval.low.into()),
            ("per_second_high", odds.interval.high.into()),
            ("relative_error", relative),
            ("chance_hour", chance(odds, HOUR)),
            ("chance_day", chance(odds, DAY)),
            (details, Value::Records(self.records())),
        ]))
    }
}
