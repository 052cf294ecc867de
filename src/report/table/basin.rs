//! What `basin` tells: how large a backlog tips it, with how many retries under way.

use anstyle::Style;

use super::figure::{count, seconds, three_digits};
use super::sheet::{Align, Cell, Column, Sheet, escape};
use super::value::{Record, Value, record};
use super::wrap::paragraph;
use super::{Document, json};
use crate::analysis::Interval;
use crate::experiment::{Arrow, Basin, Brink};
use crate::observe::Point;
use crate::report::terminal::style;

/// The basin of a variant's good state.
#[derive(Clone, Debug)]
pub struct BasinDocument<'a> {
    /// The story's title.
    pub title: &'a str,
    /// Which variant of it.
    pub variant: &'a str,
    /// What was found.
    pub found: &'a Basin,
}

impl BasinDocument<'_> {
    /// What was found, in words.
    pub fn sentence(&self) -> String {
        let Basin { tipping, boundary, tipping_retries, .. } = self.found;
        let of_retries = tipping_retries.as_ref().and_then(|brink| Some((brink, brink.middle()?)));
        let retries = match of_retries {
            None => String::new(),
            Some((tipping_retries, middle)) => format!(
                " With nothing waiting, {} retries{} under way do the same.",
                count(middle),
                within(tipping_retries, count)
            ),
        };
        let Some(middle) = tipping.middle() else {
            let most = seconds(tipping.most);
            return format!(
                "No backlog of up to {most} s of work tips it: undisturbed, it works that off.{retries}"
            );
        };
        let half = boundary.iter().find_map(|(retries, tipping)| {
            let here = tipping.middle().filter(|_| *retries > 0)?;
            Some(format!(
                " With {} retries under way, {} s are enough.",
                count(f64::from(*retries)),
                three_digits(here)
            ))
        });
        format!(
            "A backlog of {} s of work{} tips it; a smaller one is worked off.{}{retries}",
            three_digits(middle),
            within(tipping, three_digits),
            half.unwrap_or_default()
        )
    }

    fn about(&self) -> String {
        let Basin { tipping, runs, interrupted, .. } = self.found;
        let interrupted = if *interrupted {
            "Interrupted: this is what was known by then, of the seeds and retries in the table. "
        } else {
            ""
        };
        format!(
            "{interrupted}“{}” without triggers, begun with work that waits and requests that are tried again; medians and \
             95 % intervals over {} seeds, with retries under way over fewer, in {} runs.",
            self.variant,
            tipping.thresholds.len(),
            count(*runs as f64)
        )
    }

    fn sheet(&self) -> Sheet {
        let boundary = &self.found.boundary;
        let cell = |tipping: &Brink| match tipping.middle() {
            None => Cell::new("none found"),
            Some(middle) => {
                Cell::new(three_digits(middle)).and(range(tipping, three_digits), style::FAINT)
            }
        };
        let names = boundary.iter().map(|(retries, _)| count(f64::from(*retries))).collect();
        let cells = boundary.iter().map(|(_, tipping)| cell(tipping)).collect();
        let seeds = |tipping: &Brink| Cell::new(tipping.thresholds.len().to_string());
        let seeds = boundary.iter().map(|(_, tipping)| seeds(tipping)).collect();
        let columns = vec![
            Column::new(&["tipping backlog", "s of work"], Align::Right, 0, cells),
            Column::new(&["seeds"], Align::Right, 0, seeds),
        ];
        Sheet::new("retries", names, columns)
    }

    fn records(&self) -> Vec<Record> {
        let of = |(retries, tipping): &(u32, Brink)| {
            let mut fields: Record = vec![("retries".to_owned(), u64::from(*retries).into())];
            fields.extend(tipping_fields("tipping_backlog_s", tipping));
            fields
        };
        self.found.boundary.iter().map(of).collect()
    }
}

/// ` (1.02 to 1.08)`; nothing where there is no spread.
fn within(tipping: &Brink, number: fn(f64) -> String) -> String {
    let range = range(tipping, number);
    if range.is_empty() { range } else { format!(" ({range})") }
}

fn range(tipping: &Brink, number: fn(f64) -> String) -> String {
    let Some(Interval { low, high }) = tipping.interval() else { return String::new() };
    let (low, high) = (number(low), if high.is_finite() { number(high) } else { "any".to_owned() });
    if low == high { String::new() } else { format!("{low} to {high}") }
}

fn tipping_fields(name: &str, tipping: &Brink) -> Record {
    let interval = tipping.interval();
    let of = |end: fn(Interval) -> f64| interval.map(end);
    vec![
        (name.to_owned(), tipping.middle().into()),
        (format!("{name}_low"), of(|interval| interval.low).into()),
        (format!("{name}_high"), of(|interval| interval.high).into()),
        ("seeds".to_owned(), (tipping.thresholds.len() as u64).into()),
        ("largest_tried".to_owned(), tipping.most.into()),
    ]
}

impl Document for BasinDocument<'_> {
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
        let arrow = |arrow: &Arrow| {
            record([
                ("backlog_s", arrow.at.0.into()),
                ("retrying", arrow.at.1.into()),
                ("backlog_s_per_s", arrow.per_second.0.into()),
                ("retrying_per_s", arrow.per_second.1.into()),
                ("seen", u64::from(arrow.seen).into()),
            ])
        };
        let every = found.every.as_secs_f64();
        let step = |(nth, point): (usize, &Point)| {
            record([
                ("at_s", (nth as f64 * every).into()),
                ("backlog_s", point.backlog_s.into()),
                ("retrying", point.retrying.into()),
            ])
        };
        let tipping = tipping_fields("value", &found.tipping);
        let tipping_retries = found.tipping_retries.as_ref();
        let tipping_retries = tipping_retries
            .map_or(Value::Nothing, |brink| Value::Record(tipping_fields("value", brink)));
        let trajectory = found.trajectory.iter().enumerate().map(step).collect();
        json::object(&record([
            ("scenario", self.title.into()),
            ("variant", self.variant.into()),
            ("says", self.sentence().as_str().into()),
            ("runs", found.runs.into()),
            ("interrupted", self.is_interrupted().into()),
            ("tipping_backlog_s", Value::Record(tipping)),
            ("tipping_retries", tipping_retries),
            ("boundary", Value::Records(self.records())),
            ("drift", Value::Records(found.drift.iter().map(arrow).collect())),
            ("trajectory", Value::Records(trajectory)),
        ]))
    }
}
