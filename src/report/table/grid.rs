//! A sweep over two axes as a grid: rows the first axis, columns the second.

use anstyle::Style;

use super::figure::seconds;
use super::sheet::{Align, Cell, Column, Sheet};
use crate::experiment::{CellOutcome, Coordinate};
use crate::report::terminal::style::{DOWN, FAINT, UNSURE, WELL};

/// The grid of one variant's cells; none unless they lie on two axes.
///
/// A cell says how many of its seeds are well at the end and after which median time. It does so in
/// one line if all columns then fit into `width`, and in two otherwise.
pub(super) fn grid(axes: &[String], cells: &[&CellOutcome], width: usize) -> Option<Sheet> {
    let [rows_axis, _] = axes else { return None };
    let wide = sheet(short(rows_axis), cells, Shape::OneLine);
    if wide.is_one_table(width) {
        Some(wide)
    } else {
        Some(sheet(short(rows_axis), cells, Shape::TwoLines))
    }
}

/// The last word of a dotted path.
pub(super) fn short(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

#[derive(Clone, Copy)]
enum Shape {
    OneLine,
    TwoLines,
}

fn sheet(heading: &str, cells: &[&CellOutcome], shape: Shape) -> Sheet {
    let (rows, columns) = (labels(cells, 0), labels(cells, 1));
    let column = |label: &&str| {
        let cell = |row: &&str| {
            let is_here =
                |cell: &&&CellOutcome| label_of(cell, 0) == *row && label_of(cell, 1) == *label;
            cells.iter().find(is_here).map_or_else(Cell::none, |outcome| of(outcome, shape))
        };
        Column::new(&[label], Align::Right, 0, rows.iter().map(cell).collect())
    };
    let columns = columns.iter().map(column).collect();
    Sheet::new(heading, rows.iter().map(|&label| label.to_owned()).collect(), columns)
}

/// The values on an axis, in the order in which they appear.
fn labels<'a>(cells: &[&'a CellOutcome], axis: usize) -> Vec<&'a str> {
    let mut labels = Vec::new();
    for cell in cells {
        let label = label_of(cell, axis);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}

fn label_of(cell: &CellOutcome, axis: usize) -> &str {
    cell.at.get(axis).map_or("", |coordinate: &Coordinate| coordinate.label.as_str())
}

fn of(outcome: &CellOutcome, shape: Shape) -> Cell {
    let (share, style) = recovered(outcome);
    match (outcome.median_recovery_time_s.map(seconds), shape) {
        (None, _) => Cell::styled(share, style),
        (Some(time), Shape::OneLine) => Cell::styled(format!("{share} +{time} s"), style),
        (Some(time), Shape::TwoLines) => {
            Cell::styled(share, style).and(format!("+{time} s"), FAINT)
        }
    }
}

/// How many of a cell's seeds are well at the end, and behind a tilde how many were still draining, in
/// the colour of the answer.
pub(super) fn recovered(outcome: &CellOutcome) -> (String, Style) {
    let (recovered, seeds) = (outcome.recovered(), outcome.seeds());
    let draining = outcome.draining();
    let style = if recovered == seeds {
        WELL
    } else if recovered == 0 && draining == 0 {
        DOWN
    } else {
        UNSURE
    };
    let slow = if draining > 0 { format!(" ~{draining}") } else { String::new() };
    (format!("{recovered}/{seeds}{slow}"), style)
}
