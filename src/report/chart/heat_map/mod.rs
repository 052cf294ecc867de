//! Where the tipping point lies: a sweep over two axes as cells, over one as dots in their intervals.

mod dots;
mod sheet;
pub(in crate::report) mod table;
pub(in crate::report) mod tipping;

use std::fmt::Write as _;

use crate::experiment::CellOutcome;

use super::canvas::Stroke;
use super::document::Chart;
use super::geometry::Area;
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::theme;
use sheet::Sheet;
use table::Table;

/// Up to so many variants share a plot of dots.
const IN_ONE_PLOT: usize = 4;
/// Up to so many sheets stand side by side.
const SIDE_BY_SIDE: usize = 3;
const BETWEEN: f64 = 36.0;

/// The share of seeds that recover, over the axes of a sweep.
///
/// `axes` are the dotted paths of the axes, in the order of every cell's coordinates. Rows are the
/// first axis and columns the second; numbers grow to the right and upwards. Every variant, and
/// every value of a further axis, gets a sheet of its own. With one axis, shares are dots within
/// their 95 % Wilson intervals along it; many variants become rows instead. Without axes, variants
/// are rows too.
///
/// A cell shows how many seeds recovered and the median time from the trigger's end until goodput
/// was back, where there is room for it. Cells that were not run are left grey.
pub fn heat_map(title: &str, axes: &[String], cells: &[CellOutcome]) -> Chart {
    if axes.len() == 1 && table::variants(cells).len() <= IN_ONE_PLOT {
        return dots::draw(title, &axes[0], cells);
    }
    let tables = table::arrange(axes, cells);
    let side_by_side = columns(&tables);
    let room = theme::WIDTH - 2.0 * theme::MARGIN;
    let width = (room - BETWEEN * (side_by_side - 1) as f64) / side_by_side as f64;

    let tips = tables.iter().any(|table| !tipping::lines(table).is_empty());
    let gaps = tables.iter().any(|table| table.cells.iter().any(Option::is_none));
    let labelled = tables.iter().all(|table| Sheet::has_labels(table, width));
    let heading = Heading::new(title, &subtitle(cells, labelled), keys(cells, gaps, tips));
    let mut sheets = Vec::new();
    let mut top = heading.bottom();
    for row in tables.chunks(side_by_side) {
        let mut bottom = top;
        // Grids of a row stand side by side, whatever is above them.
        let names = row.iter().filter(|_| tables.len() > 1);
        let lines = names.map(|table| Sheet::name_lines(table, width)).max().unwrap_or(0);
        for (place, table) in row.iter().enumerate() {
            let left = theme::MARGIN + place as f64 * (width + BETWEEN);
            let sheet = Sheet::new(table, lines, Area { left, top, width, height: 0.0 });
            bottom = f64::max(bottom, sheet.bottom());
            sheets.push(sheet);
        }
        top = bottom + BETWEEN;
    }
    Chart::draw(title, top - BETWEEN + theme::MARGIN, |canvas| {
        heading.draw(canvas);
        for sheet in &sheets {
            sheet.draw(canvas);
        }
    })
}

/// As many sheets side by side as leave their cells readable.
fn columns(tables: &[Table<'_>]) -> usize {
    let most = tables.len().clamp(1, SIDE_BY_SIDE);
    let room = theme::WIDTH - 2.0 * theme::MARGIN;
    let widths = |columns: usize| (room - BETWEEN * (columns - 1) as f64) / columns as f64;
    (1..=most)
        .rev()
        .find(|&columns| tables.iter().all(|table| Sheet::has_labels(table, widths(columns))))
        .unwrap_or(1)
}

fn subtitle(cells: &[CellOutcome], labelled: bool) -> String {
    let fewest = cells.iter().map(CellOutcome::seeds).min();
    let most = cells.iter().map(CellOutcome::seeds).max();
    let (Some(fewest), Some(most)) = (fewest, most) else {
        return "no cells".to_owned();
    };
    let mut subtitle = match (fewest, most) {
        (1, 1) => "1 seed per cell".to_owned(),
        (a, b) if a == b => format!("{a} seeds per cell"),
        (a, b) => format!("{a} to {b} seeds per cell"),
    };
    if labelled {
        let _ = write!(
            subtitle,
            ": how many of them recover, and the median time from the trigger’s end until goodput is back"
        );
    }
    subtitle
}

fn keys(cells: &[CellOutcome], gaps: bool, tips: bool) -> Vec<Key> {
    let seeds = cells.iter().map(CellOutcome::seeds).max().unwrap_or(1);
    let mut keys = vec![Key::new(Mark::Ramp(seeds), "share of seeds that recover")];
    if gaps {
        keys.push(Key::new(Mark::Box(theme::NOTHING), "not run"));
    }
    if tips {
        let stroke = Stroke(theme::INK, theme::TIPPING);
        keys.push(Key::new(Mark::Cased(stroke), "tipping line: half of the seeds recover"));
    }
    keys
}
