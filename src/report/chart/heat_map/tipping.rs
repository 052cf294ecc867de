//! Where the share of seeds that recover crosses one half: the borders between cells on either side.

use std::collections::{BTreeMap, BTreeSet};

use super::table::Table;

/// A corner where cells meet: rows above it, columns to its left.
pub(super) type Corner = (usize, usize);

/// The borders as lines from corner to corner, each as long as it can be. Only along numbers is
/// anything crossed: words and variants stand beside each other in no order. Cells that were not
/// run have no border: nothing is known of them.
pub(super) fn lines(table: &Table<'_>) -> Vec<Vec<Corner>> {
    let mut neighbours: BTreeMap<Corner, BTreeSet<Corner>> = BTreeMap::new();
    for (a, b) in borders(table) {
        neighbours.entry(a).or_default().insert(b);
        neighbours.entry(b).or_default().insert(a);
    }
    let mut lines = Vec::new();
    // A line begins where an odd number of borders meet, if there is such a corner; what is left
    // then is rings.
    while let Some(start) = start(&neighbours) {
        let mut line = vec![start];
        let mut at = start;
        while let Some(next) = neighbours.get(&at).and_then(|ways| ways.first().copied()) {
            for (from, to) in [(at, next), (next, at)] {
                let ways = neighbours.get_mut(&from).expect("a border has two ends");
                ways.remove(&to);
                if ways.is_empty() {
                    neighbours.remove(&from);
                }
            }
            line.push(next);
            at = next;
        }
        lines.push(line);
    }
    lines
}

fn start(neighbours: &BTreeMap<Corner, BTreeSet<Corner>>) -> Option<Corner> {
    let odd = neighbours.iter().find(|(_, ways)| ways.len() % 2 == 1);
    odd.or_else(|| neighbours.iter().next()).map(|(&corner, _)| corner)
}

fn borders(table: &Table<'_>) -> Vec<(Corner, Corner)> {
    let (rows, columns) = (table.rows.labels.len(), table.columns.labels.len());
    let well =
        |row, column| table.cell(row, column).map(|cell| 2 * cell.recovered() >= cell.seeds());
    let differ = |a: Option<bool>, b: Option<bool>| matches!((a, b), (Some(a), Some(b)) if a != b);
    let mut borders = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            if table.columns.ordered
                && column + 1 < columns
                && differ(well(row, column), well(row, column + 1))
            {
                borders.push(((row, column + 1), (row + 1, column + 1)));
            }
            if table.rows.ordered
                && row + 1 < rows
                && differ(well(row, column), well(row + 1, column))
            {
                borders.push(((row + 1, column), (row + 1, column + 1)));
            }
        }
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::super::table::arrange;
    use super::*;
    use crate::analysis::Verdict;
    use crate::experiment::{CellOutcome, Coordinate};

    /// A sweep drawn as rows of `1` (recovers), `0` (does not) and `.` (not run), topmost first.
    fn check(drawing: &[&str], expected: &[&[Corner]]) {
        let place = |place: usize, sign: f64| Coordinate {
            label: place.to_string(),
            number: Some(sign * place as f64),
        };
        let mut cells = Vec::new();
        for (row, line) in drawing.iter().enumerate() {
            for (column, c) in line.chars().enumerate() {
                let verdict = match c {
                    '1' => Verdict::Recovered,
                    '0' => Verdict::Metastable,
                    _ => continue,
                };
                cells.push(CellOutcome {
                    variant: "base".to_owned(),
                    // Rows grow upwards.
                    at: vec![place(row, -1.0), place(column, 1.0)],
                    verdicts: vec![verdict],
                    median_recovery_time_s: None,
                    cut_short: 0,
                });
            }
        }
        let axes = ["a".to_owned(), "b".to_owned()];
        assert_eq!(lines(&arrange(&axes, &cells)[0]), expected, "{drawing:?}");
    }

    #[test]
    fn one_line_parts_the_wells_from_the_others() {
        check(&["11", "11"], &[]);
        check(&["10", "10"], &[&[(0, 1), (1, 1), (2, 1)]]);
        check(&["110", "100"], &[&[(0, 2), (1, 2), (1, 1), (2, 1)]]);
    }

    #[test]
    fn an_island_has_a_closed_line() {
        check(&["000", "010", "000"], &[&[(1, 1), (1, 2), (2, 2), (2, 1), (1, 1)]]);
    }

    #[test]
    fn no_line_runs_along_what_was_not_run() {
        check(&["1.0", "110"], &[&[(1, 2), (2, 2)]]);
    }
    #[test]
    fn nothing_is_crossed_between_words() {
        let word = |label: &str| Coordinate { label: label.to_owned(), number: None };
        let number = |number: f64| Coordinate { label: number.to_string(), number: Some(number) };
        let cell = |row, column, verdict| CellOutcome {
            variant: "base".to_owned(),
            at: vec![word(row), number(column)],
            verdicts: vec![verdict],
            median_recovery_time_s: None,
            cut_short: 0,
        };
        let cells = [
            cell("never", 1.0, Verdict::Recovered),
            cell("never", 2.0, Verdict::Recovered),
            cell("immediate", 1.0, Verdict::Recovered),
            cell("immediate", 2.0, Verdict::Metastable),
        ];
        let axes = ["a".to_owned(), "b".to_owned()];
        assert_eq!(lines(&arrange(&axes, &cells)[0]), [[(1, 1), (2, 1)]]);
    }
}
