//! What `sweep` tells: a grid or a row per cell for people, a record per cell for programs.

use anstyle::Style;

use super::figure::seconds;
use super::grid::{self, grid};
use super::sheet::{Align, Cell, Column, Sheet, escape};
use super::value::{Record, Value, record};
use super::wrap::paragraph;
use super::{Document, json};
use crate::analysis::Verdict;
use crate::experiment::{CellOutcome, Coordinate};
use crate::report::terminal::style::{self, FAINT, paint};

/// The cells of a sweep.
#[derive(Clone, Debug)]
pub struct SweepDocument<'a> {
    /// The story's title.
    pub title: &'a str,
    /// The dotted path of each axis.
    pub axes: &'a [String],
    /// The cells: variants outermost, the last axis innermost.
    pub cells: &'a [CellOutcome],
    /// Whether people get a row per cell even where a grid says it shorter.
    pub long: bool,
    /// Whether runs could end once their verdict was known, which is told then.
    pub early_stop: bool,
}

impl<'a> SweepDocument<'a> {
    fn variants(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.cells.iter().map(|cell| cell.variant.as_str()).collect();
        names.dedup();
        names
    }

    fn of_variant(&self, name: &str) -> Vec<&'a CellOutcome> {
        self.cells.iter().filter(|cell| cell.variant == name).collect()
    }

    /// How many cells came to what.
    pub(in crate::report) fn sentence(&self) -> String {
        let count =
            |is: fn(&CellOutcome) -> bool| self.cells.iter().filter(|cell| is(cell)).count();
        let all = count(|cell| cell.recovered() == cell.seeds());
        let none = count(|cell| cell.recovered() == 0);
        let (cells, some) = (self.cells.len(), self.cells.len() - all - none);
        let seeds = self.cells.first().map_or(0, CellOutcome::seeds);
        let mut sentence = if seeds == 1 {
            format!("Of {cells} cells, {all} are well at the end and {none} are not")
        } else {
            format!(
                "Of {cells} cells, {all} are well at the end under each of {seeds} seeds, {some} under \
                 some, {none} under none"
            )
        };
        let overloaded =
            count(|cell| cell.verdicts.iter().all(|verdict| *verdict == Verdict::Overloaded));
        if overloaded > 0 {
            sentence.push_str(&format!("; {overloaded} of these are overloaded even undisturbed"));
        }
        let draining = count(|cell| cell.draining() > 0);
        if draining > 0 {
            sentence.push_str(&format!("; in {draining} a seed still drains at the end (~)"));
        }
        sentence.push('.');
        if self.early_stop {
            let cut_short: u64 = self.cells.iter().map(|cell| cell.cut_short).sum();
            let runs: u64 = self.cells.iter().map(CellOutcome::seeds).sum();
            sentence.push_str(&format!(
                " Early stop: {cut_short} of {runs} runs were not played to their end."
            ));
        }
        sentence
    }

    /// One grid per variant, under its name where there are several; empty unless there are two axes.
    fn grids(&self, width: usize) -> Vec<(Option<&'a str>, Sheet)> {
        let variants = self.variants();
        let several = variants.len() > 1;
        let of = |name: &&'a str| {
            let grid = grid(self.axes, &self.of_variant(name), width)?;
            Some((several.then_some(*name), grid))
        };
        variants.iter().filter_map(of).collect()
    }

    fn key(&self) -> String {
        let (rows, columns) = (&self.axes[0], &self.axes[1]);
        format!(
            "Rows {rows}, columns {columns}; how many seeds are well at the end, and the median time \
             to get there."
        )
    }

    /// A row per cell, with the 95 % interval of its share.
    fn sheet(&self) -> Sheet {
        let several = self.variants().len() > 1;
        let column = |heading: &[&str], of: &dyn Fn(&CellOutcome) -> Cell| {
            Column::new(heading, Align::Right, 0, self.cells.iter().map(of).collect())
        };
        let label =
            |cell: &CellOutcome, axis: usize| cell.at.get(axis).map_or("", |c| &c.label).to_owned();
        let (heading, names, own_axes) = if several || self.axes.is_empty() {
            ("variant", self.cells.iter().map(|cell| cell.variant.clone()).collect(), 0)
        } else {
            (grid::short(&self.axes[0]), self.cells.iter().map(|cell| label(cell, 0)).collect(), 1)
        };
        let axes = self.axes.iter().enumerate().skip(own_axes);
        let mut columns: Vec<Column> = axes
            .map(|(nth, axis)| column(&[grid::short(axis)], &|cell| Cell::new(label(cell, nth))))
            .collect();
        columns.push(column(&["recovered"], &|cell| {
            let (share, style) = grid::recovered(cell);
            Cell::styled(share, style)
        }));
        columns
            .push(column(&["share"], &|cell| Cell::new(format!("{:.2}", cell.recovered_share()))));
        columns.push(column(&["95 %", "interval"], &|cell| {
            let interval = cell.interval();
            Cell::styled(format!("{:.2}–{:.2}", interval.low, interval.high), FAINT)
        }));
        columns.push(column(&["median recovery", "time s"], &|cell| {
            cell.median_recovery_time_s.map_or_else(Cell::none, |time| Cell::new(seconds(time)))
        }));
        Sheet::new(heading, names, columns)
    }

    fn records(&self) -> Vec<Record> {
        let of = |cell| {
            let mut fields = of_cell(self.axes, cell);
            if self.early_stop {
                fields.push(("seeds_cut_short".to_owned(), cell.cut_short.into()));
            }
            fields
        };
        self.cells.iter().map(of).collect()
    }
}

impl Document for SweepDocument<'_> {
    fn text(&self, width: usize) -> String {
        let plain = |words: &str| paragraph(words, Style::new(), width);
        let mut text = paragraph(self.title, style::HEADING, width);
        text.push_str(&plain(&self.sentence()));
        let grids = self.grids(width);
        if !grids.is_empty() {
            text.push_str(&plain(&self.key()));
        }
        let rows = grids.is_empty() || self.long;
        for (nth, (name, grid)) in grids.iter().enumerate() {
            if nth > 0 {
                text.push('\n');
            }
            if let Some(name) = name {
                text.push_str(&format!("{}\n", paint(name, style::HEADING)));
            }
            text.push_str(&grid.text(width));
        }
        if rows {
            if !grids.is_empty() {
                text.push('\n');
            }
            text.push_str(&self.sheet().text(width));
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n{}\n\n", escape(self.title), self.sentence());
        let grids = self.grids(usize::MAX);
        if !grids.is_empty() {
            text.push_str(&format!("{}\n\n", self.key()));
        }
        for (name, grid) in &grids {
            if let Some(name) = name {
                text.push_str(&format!("## {}\n\n", escape(name)));
            }
            text.push_str(&format!("{}\n", grid.markdown()));
        }
        if grids.is_empty() || self.long {
            text.push_str(&self.sheet().markdown());
        }
        format!("{}\n", text.trim_end())
    }

    fn rows(&self) -> Vec<Record> {
        self.records()
    }

    fn json(&self) -> String {
        json::object(&record([
            ("scenario", self.title.into()),
            ("axes", Value::Texts(self.axes.to_vec())),
            ("cells", Value::Records(self.records())),
        ]))
    }
}

fn of_cell(axes: &[String], cell: &CellOutcome) -> Record {
    let count = |verdict| cell.verdicts.iter().filter(|found| **found == verdict).count() as u64;
    let interval = cell.interval();
    let mut fields: Record = vec![("variant".to_owned(), cell.variant.as_str().into())];
    for (axis, at) in axes.iter().zip(&cell.at) {
        fields.extend(coordinate(axis, at));
    }
    fields.extend(record([
        ("seeds", cell.seeds().into()),
        ("recovered", cell.recovered().into()),
        ("recovered_share", cell.recovered_share().into()),
        ("recovered_share_low", interval.low.into()),
        ("recovered_share_high", interval.high.into()),
        ("median_recovery_time_s", cell.median_recovery_time_s.into()),
        ("seeds_unaffected", count(Verdict::Unaffected).into()),
        ("seeds_draining", count(Verdict::Draining).into()),
        ("seeds_metastable", count(Verdict::Metastable).into()),
        ("seeds_overloaded", count(Verdict::Overloaded).into()),
        ("seeds_undecided", count(Verdict::Undecided).into()),
    ]));
    fields
}

/// Where a cell lies on an axis: as the scenario writes it, and a length also in seconds, since
/// `"1.25s"` is no number to a program.
fn coordinate(axis: &str, at: &Coordinate) -> Record {
    let as_written = at.label.parse::<f64>().ok().filter(|number| Some(*number) == at.number);
    match (as_written, at.number) {
        (Some(number), _) => vec![(axis.to_owned(), number.into())],
        (None, Some(seconds)) => {
            vec![(axis.to_owned(), at.label.as_str().into()), (format!("{axis}_s"), seconds.into())]
        }
        (None, None) => vec![(axis.to_owned(), at.label.as_str().into())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::example;

    fn render(
        variants: &[(&str, u32)],
        long: bool,
        look: impl Fn(&dyn Document) -> String,
    ) -> String {
        let cells = example::outcomes(&example::cells(variants));
        look(&SweepDocument {
            title: example::TITLE,
            axes: &example::axes(),
            cells: &cells,
            long,
            early_stop: false,
        })
    }

    #[test]
    fn a_grid_per_variant() {
        let variants = [("3 retries", 3), ("no retries", 0)];
        insta::assert_snapshot!(render(&variants, false, |document| style::strip(
            &document.text(80)
        )));
    }

    #[test]
    fn cells_of_two_lines_where_one_is_too_wide() {
        let variants = [("3 retries", 3)];
        insta::assert_snapshot!(render(&variants, false, |document| style::strip(
            &document.text(30)
        )));
    }

    #[test]
    fn markdown_with_a_row_per_cell() {
        insta::assert_snapshot!(render(&[("3 retries", 3)], true, |document| document.markdown()));
    }

    #[test]
    fn one_axis_has_no_grid() {
        let cells = example::outcomes(&example::cells(&[("3 retries", 3)])[..3]);
        let axes = &example::axes()[..1];
        let document = SweepDocument {
            title: example::TITLE,
            axes,
            cells: &cells,
            long: false,
            early_stop: false,
        };
        insta::assert_snapshot!(style::strip(&document.text(80)));
    }

    #[test]
    fn json_names_and_csv_columns() {
        let json = render(&[("3 retries", 3)], false, |document| document.json());
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["axes"], serde_json::json!(example::axes()));
        let cell = json["cells"][1].as_object().unwrap();
        assert_eq!(cell["clients.web.load"], 0.5);
        assert_eq!(cell["triggers.gc.stall.lasts"], "1.25s");
        assert_eq!(cell["triggers.gc.stall.lasts_s"], 1.25);
        let names: Vec<&str> = cell.keys().map(String::as_str).collect();
        let csv = render(&[("3 retries", 3)], false, |document| document.csv());
        assert_eq!(csv.lines().next().unwrap(), names.join(","));
        assert_eq!(csv.lines().count(), 7);
    }
}
