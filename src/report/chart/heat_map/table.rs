//! The cells of a sweep in rows and columns.

use crate::experiment::{CellOutcome, Coordinate};

/// Cells that share a variant and the values of all axes beyond the second.
#[derive(Clone, Debug)]
pub(in crate::report) struct Table<'a> {
    /// What sets it apart from the other tables.
    pub name: String,
    pub rows: Axis,
    pub columns: Axis,
    /// Row by row, the topmost first; none where nothing was run.
    pub cells: Vec<Option<&'a CellOutcome>>,
}

/// An axis of cells.
#[derive(Clone, Debug)]
pub(in crate::report) struct Axis {
    /// Its dotted path; none for an axis of variants, which says so by its labels.
    pub path: Option<String>,
    /// The labels along it.
    pub labels: Vec<String>,
    /// Whether they are numbers, so that something can be crossed between neighbours.
    pub ordered: bool,
}

impl Table<'_> {
    pub(in crate::report) fn cell(&self, row: usize, column: usize) -> Option<&CellOutcome> {
        self.cells[row * self.columns.labels.len() + column]
    }
}

/// The names of all variants, in order of appearance.
pub(in crate::report) fn variants(cells: &[CellOutcome]) -> Vec<&str> {
    distinct(cells.iter().map(|cell| cell.variant.as_str()))
}

/// A table per variant and per value of every axis beyond the second; with less than two axes, one
/// table whose rows are variants.
pub(in crate::report) fn arrange<'a>(axes: &[String], cells: &'a [CellOutcome]) -> Vec<Table<'a>> {
    match axes {
        [] => vec![table(
            String::new(),
            Axis::of_variants(cells),
            Axis { path: None, labels: vec![String::new()], ordered: false },
            cells.iter().map(|cell| ([cell.variant.as_str(), ""], cell)),
        )],
        [only] => vec![table(
            String::new(),
            Axis::of_variants(cells),
            Axis::of_values(only, cells, 0),
            cells.iter().map(|cell| ([cell.variant.as_str(), cell.at[0].label.as_str()], cell)),
        )],
        [first, second, further @ ..] => {
            let name = |cell: &CellOutcome| name(further, cell);
            distinct(cells.iter().map(name))
                .into_iter()
                .map(|of| {
                    let inside = cells.iter().filter(|cell| name(cell) == of);
                    let mut rows = Axis::of_values(first, cells, 0);
                    // Numbers grow upwards, as on any plot; words are read from the top.
                    if rows.ordered {
                        rows.labels.reverse();
                    }
                    table(
                        of.clone(),
                        rows,
                        Axis::of_values(second, cells, 1),
                        inside.map(|cell| {
                            ([cell.at[0].label.as_str(), cell.at[1].label.as_str()], cell)
                        }),
                    )
                })
                .collect()
        }
    }
}

/// The variant and the values of the axes beyond the second.
fn name(further: &[String], cell: &CellOutcome) -> String {
    let values =
        further.iter().zip(&cell.at[2..]).map(|(path, at)| format!("{path} = {}", at.label));
    std::iter::once(cell.variant.clone()).chain(values).collect::<Vec<_>>().join(", ")
}

fn table<'a>(
    name: String,
    rows: Axis,
    columns: Axis,
    cells: impl Iterator<Item = ([&'a str; 2], &'a CellOutcome)>,
) -> Table<'a> {
    let mut placed = vec![None; rows.labels.len() * columns.labels.len()];
    for ([row, column], cell) in cells {
        let place = |axis: &Axis, label| axis.labels.iter().position(|known| known == label);
        if let (Some(row), Some(column)) = (place(&rows, row), place(&columns, column)) {
            placed[row * columns.labels.len() + column] = Some(cell);
        }
    }
    Table { name, rows, columns, cells: placed }
}

impl Axis {
    fn of_variants(cells: &[CellOutcome]) -> Self {
        let labels = variants(cells).into_iter().map(str::to_owned).collect();
        Self { path: None, labels, ordered: false }
    }

    /// The values of axis number `axis`: numbers in order, words as they come.
    fn of_values(path: &str, cells: &[CellOutcome], axis: usize) -> Self {
        let mut values: Vec<&Coordinate> = Vec::new();
        for cell in cells {
            if !values.iter().any(|value| value.label == cell.at[axis].label) {
                values.push(&cell.at[axis]);
            }
        }
        let ordered = is_numeric(cells, axis);
        if ordered {
            values.sort_by(|a, b| a.number.unwrap_or(0.0).total_cmp(&b.number.unwrap_or(0.0)));
        }
        let labels = values.into_iter().map(|value| value.label.clone()).collect();
        Self { path: Some(path.to_owned()), labels, ordered }
    }
}

pub(in crate::report) fn is_numeric(cells: &[CellOutcome], axis: usize) -> bool {
    cells.iter().all(|cell| cell.at[axis].number.is_some())
}

fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut seen, value| {
        if !seen.contains(&value) {
            seen.push(value);
        }
        seen
    })
}
