//! A run in one line: goodput as a share of fresh demand, window by window.
//!
//! The share is taken against the demand of the same window and not against the mean: that is what the
//! verdict looks at, and it keeps the noise of arrivals out of a picture with eight steps.

use std::fmt::Write;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::style::{DOWN, FAINT, WELL, paint};
use crate::experiment::{Subject, Summary};
use crate::model::{Model, Trigger};
use crate::observe::Window;
use crate::report::table::figure::seconds;
use crate::report::table::wrap::{paragraph, wrap};
use crate::time::Time;

const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// No goodput, though there was demand: a dot that keeps the line readable.
const NOTHING: char = '·';
/// The trigger acts.
const MARK: char = '▔';
/// An operator pulls a lever.
const PULL: char = '▲';
const NARROWEST_NAME: usize = 16;
const WIDEST_NAME: usize = 30;
const GAP: usize = 2;
/// Columns from one label of the time axis to the next.
const TICK: usize = 10;

/// One line per run, levers and the trigger marked beneath, seconds below. `runs` in the order of `subjects`.
pub(in crate::report) fn timelines(
    subjects: &[Subject<'_>],
    runs: &[&Summary],
    width: usize,
) -> String {
    let windows = runs.iter().map(|run| run.timeline.windows().len()).max().unwrap_or(0);
    let widest =
        subjects.iter().map(|subject| subject.name.width()).max().unwrap_or(0).max("second".len());
    let room = width.saturating_sub(GAP + widest.min(NARROWEST_NAME)).max(TICK);
    let per_column = windows.div_ceil(room).max(1);
    let columns = windows.div_ceil(per_column);
    let names = width.saturating_sub(GAP + columns).clamp(1, widest.min(WIDEST_NAME));
    let mut text = paragraph(&caption(subjects, per_column), Style::new(), width);
    for (nth, (subject, run)) in subjects.iter().zip(runs).enumerate() {
        let bars = bars(subject.model, run, per_column);
        let name = wrap(subject.name, names);
        for (line, name) in name.iter().enumerate() {
            let bars = if line == 0 { bars.as_str() } else { "" };
            put(&mut text, name, names, bars);
        }
        let pulls = pulls(subject.model, run, per_column, columns);
        if !pulls.is_empty() {
            put(&mut text, "", names, &pulls);
        }
        let next = subjects.get(nth + 1).map(|subject| subject.model);
        let same = |part: fn(&Model) -> &[Trigger]| {
            next.is_some_and(|next| part(next) == part(subject.model))
        };
        if !same(|model| &model.triggers) {
            put(&mut text, "", names, &marks(subject.model, per_column, columns));
        }
        if next.is_none_or(|next| next.window != subject.model.window) {
            put(&mut text, "second", names, &axis(subject.model, per_column, columns));
        }
    }
    text
}

fn caption(subjects: &[Subject<'_>], per_column: usize) -> String {
    let width = subjects.first().map_or(0.0, |subject| subject.model.window.as_secs_f64());
    let width = seconds(width * per_column as f64);
    format!(
        "Goodput as a share of fresh demand: {} none, {} all; {width} s per column",
        NOTHING, STEPS[7]
    )
}

fn put(text: &mut String, name: &str, width: usize, rest: &str) {
    let blank = if rest.is_empty() { 0 } else { width + GAP - name.width().min(width) };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name}{}{rest}", " ".repeat(blank));
}

fn bars(model: &Model, run: &Summary, per_column: usize) -> String {
    let tolerated = model.criterion.tolerated();
    let mut text = String::new();
    let mut stretch = (String::new(), Style::new());
    for part in run.timeline.windows().chunks(per_column) {
        let sum = |field: fn(&Window) -> u64| part.iter().map(field).sum::<u64>();
        let (arrivals, goodput) = (sum(|window| window.arrivals), sum(|window| window.goodput));
        let good = tolerated.covers(arrivals.saturating_sub(goodput), arrivals);
        let style = if good { WELL } else { DOWN };
        if style != stretch.1 {
            text.push_str(&paint(&std::mem::take(&mut stretch.0), stretch.1));
            stretch.1 = style;
        }
        stretch.0.push(step(goodput, arrivals));
    }
    text.push_str(&paint(&stretch.0, stretch.1));
    text
}

/// The block that stands for a share; what is there is seen, however little, and a window without
/// demand is blank.
fn step(goodput: u64, arrivals: u64) -> char {
    if goodput == 0 {
        return if arrivals == 0 { ' ' } else { NOTHING };
    }
    let eighths = (8 * goodput + arrivals / 2).checked_div(arrivals).unwrap_or(8);
    STEPS[(eighths.clamp(1, 8) - 1) as usize]
}

/// Where triggers act.
fn marks(model: &Model, per_column: usize, columns: usize) -> String {
    let acts = model.triggers.iter();
    let acts = acts.map(|trigger| (trigger.begins, trigger.ends(), trigger.name.as_str()));
    row(model, acts, MARK, per_column, columns)
}

/// Where an operator pulled levers; nothing if none was pulled.
fn pulls(model: &Model, run: &Summary, per_column: usize, columns: usize) -> String {
    let pulls = run.pulls.iter().map(|(id, at)| (at, at, model.levers[id.index()].name.as_str()));
    row(model, pulls, PULL, per_column, columns)
}

/// Marks from each beginning to each end, with the names beside them on the side that has room.
fn row<'a>(
    model: &Model,
    acts: impl Iterator<Item = (Time, Time, &'a str)>,
    mark: char,
    per_column: usize,
    columns: usize,
) -> String {
    let column = model.window.as_nanos().saturating_mul(per_column as u64).max(1);
    let mut line = vec![' '; columns];
    let mut names: Vec<&str> = Vec::new();
    for (begins, ends, name) in acts {
        let first = (begins.as_nanos() / column) as usize;
        let last = (ends.as_nanos().div_ceil(column) as usize).max(first + 1);
        for place in line.iter_mut().take(last).skip(first) {
            *place = mark;
        }
        names.push(name);
    }
    let line: String = line.into_iter().collect();
    let names = names.join(", ");
    let (line, blank) = (line.trim_end(), line.width() - line.trim_start().width());
    if names.is_empty() {
        String::new()
    } else if line.width() + 1 + names.width() <= columns {
        format!("{line} {}", paint(&names, FAINT))
    } else if names.width() < blank {
        let before = " ".repeat(blank - 1 - names.width());
        format!("{before}{} {}", paint(&names, FAINT), line.trim_start())
    } else {
        line.to_owned()
    }
}

/// Seconds beneath the columns; the last label ends with the last column.
fn axis(model: &Model, per_column: usize, columns: usize) -> String {
    let column = model.window.as_secs_f64() * per_column as f64;
    let mut text = String::new();
    for tick in (0..=columns).step_by(TICK) {
        let label = seconds(tick as f64 * column);
        let at = tick.min(columns.saturating_sub(label.len()));
        if let Some(blank) = at.checked_sub(text.len()) {
            text.push_str(&" ".repeat(blank));
            text.push_str(&label);
        }
    }
    paint(&text, FAINT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_seen() {
        let check = |goodput, arrivals, expected| assert_eq!(step(goodput, arrivals), expected);
        check(0, 0, ' ');
        check(0, 700, NOTHING);
        check(1, 700, '▁');
        check(350, 700, '▄');
        check(699, 700, '█');
        check(2_000, 700, '█');
        check(5, 0, '█');
    }
}
