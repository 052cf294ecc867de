//! One table as coloured cells.

use crate::experiment::CellOutcome;
use crate::report::chart::canvas::{Anchor, Canvas, Lettering, Stroke};
use crate::report::chart::geometry::{Area, Point};
use crate::report::chart::ticks::short;
use crate::report::chart::{axis_name, font, marker, ramp, text, theme};

use super::table::Table;
use super::tipping;

const WIDEST: f64 = 190.0;
const HIGHEST: f64 = 70.0;
/// Cells at least so large hold both lines of text.
const ROOM_FOR_TEXT: [f64; 2] = [46.0, 40.0];
/// Cells at least so high hold one line.
const ROOM_FOR_A_LINE: f64 = 22.0;
/// Cells at least so large stand apart.
const ROOM_FOR_GAPS: f64 = 14.0;
/// A name of this many lines says enough; what is longer ends in an ellipsis.
const MOST_LINES: usize = 4;
const NAME_LINE: f64 = 24.0;
const BELOW_NAME: f64 = 8.0;
const LABELS: f64 = 26.0;
/// Between two lines of a label.
const LINE: f64 = 18.0;
const WIDEST_LABEL: f64 = 300.0;

/// A table laid out.
#[derive(Clone, Debug)]
pub(super) struct Sheet<'a> {
    table: &'a Table<'a>,
    /// Lines above it for its name; 0 if it needs none.
    name_lines: usize,
    area: Area,
    grid: Area,
}

impl<'a> Sheet<'a> {
    /// How many lines the name of `table` takes on a sheet so wide.
    pub(super) fn name_lines(table: &Table<'_>, width: f64) -> usize {
        text::wrap(&table.name, theme::HEADING, width, MOST_LINES).len()
    }

    /// A sheet from the top of `area` down, as wide as it, with so many lines for its name; its height
    /// follows from the table.
    pub(super) fn new(table: &'a Table<'a>, name_lines: usize, area: Area) -> Self {
        let labels = label_width(table, area.width);
        let (width, height) = cell_size(table, area.width);
        let rows = table.rows.labels.len() as f64;
        let columns = table.columns.labels.len() as f64;
        let name = if name_lines > 0 { NAME_LINE * name_lines as f64 + BELOW_NAME } else { 0.0 };
        let above = name + name_height(table.rows.path.as_ref());
        let grid = Area {
            left: area.left + labels,
            top: area.top + above,
            width: width * columns,
            height: height * rows,
        };
        Self { table, name_lines, area, grid }
    }

    /// Whether the cells of `table` on a sheet so wide have room for their text.
    pub(super) fn has_labels(table: &Table<'_>, width: f64) -> bool {
        let (width, height) = cell_size(table, width);
        width >= ROOM_FOR_TEXT[0] && height >= ROOM_FOR_TEXT[1]
    }

    pub(super) fn bottom(&self) -> f64 {
        self.grid.bottom() + LABELS + name_height(self.table.columns.path.as_ref())
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        if self.name_lines > 0 {
            let lettering = Lettering::new(theme::HEADING, theme::INK, Anchor::Start);
            let name =
                text::wrap(&self.table.name, lettering.size, self.area.width, self.name_lines);
            for (line, words) in name.iter().enumerate() {
                let baseline = self.area.top + 19.0 + NAME_LINE * line as f64;
                canvas.text(words, (self.area.left, baseline), lettering);
            }
        }
        for row in 0..self.table.rows.labels.len() {
            for column in 0..self.table.columns.labels.len() {
                self.draw_cell(canvas, row, column);
            }
        }
        for line in tipping::lines(self.table) {
            let points: Vec<Point> =
                line.iter().map(|&(row, column)| self.corner(row, column)).collect();
            marker::cased(canvas, &points, Stroke(theme::INK, theme::TIPPING));
        }
        self.draw_row_labels(canvas);
        self.draw_column_labels(canvas);
    }

    fn cell(&self) -> (f64, f64) {
        (
            self.grid.width / self.table.columns.labels.len() as f64,
            self.grid.height / self.table.rows.labels.len() as f64,
        )
    }

    fn corner(&self, row: usize, column: usize) -> Point {
        let (width, height) = self.cell();
        (self.grid.left + column as f64 * width, self.grid.top + row as f64 * height)
    }

    fn draw_cell(&self, canvas: &mut Canvas<'_>, row: usize, column: usize) {
        let (width, height) = self.cell();
        let (left, top) = self.corner(row, column);
        // Without gaps, cells overlap those that are drawn after them: where two only touched, the
        // paper would shine through.
        let gap: f64 = if width.min(height) >= ROOM_FOR_GAPS { 1.0 } else { -0.5 };
        let area = Area {
            left: left + gap.max(0.0),
            top: top + gap.max(0.0),
            width: (width - 2.0 * gap).min(self.grid.right() - left),
            height: (height - 2.0 * gap).min(self.grid.bottom() - top),
        };
        let Some(cell) = self.table.cell(row, column) else {
            canvas.fill(area, theme::NOTHING);
            return;
        };
        let colour = ramp::colour(cell.recovered_share());
        canvas.fill(area, colour);
        if height < ROOM_FOR_A_LINE {
            return;
        }
        let ink = colour.best_of([theme::INK, theme::PAPER]);
        let (x, y) = area.middle();
        let (count, time) = words(cell);
        let fits = |text: &str, size| font::width(text, size) <= width - 6.0;
        let lettering = Lettering::new(theme::TEXT, ink, Anchor::Middle);
        let two_lines = height >= ROOM_FOR_TEXT[1] && fits(&count, theme::TEXT);
        match time.filter(|time| two_lines && fits(time, theme::SMALL)) {
            Some(time) => {
                canvas.text_beside(&count, (x, y - 9.0), lettering);
                canvas.text_beside(
                    &time,
                    (x, y + 10.0),
                    Lettering { size: theme::SMALL, ..lettering },
                );
            }
            None if fits(&count, theme::TEXT) => canvas.text_beside(&count, (x, y), lettering),
            None if fits(&count, theme::PATH) => {
                canvas.text_beside(&count, (x, y), Lettering { size: theme::PATH, ..lettering });
            }
            None => {}
        }
    }

    fn draw_row_labels(&self, canvas: &mut Canvas<'_>) {
        let (_, height) = self.cell();
        let every = (16.0 / height).ceil().max(1.0) as usize;
        let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
        let room = self.grid.left - self.area.left - 10.0;
        for (row, label) in self.table.rows.labels.iter().enumerate().rev().step_by(every) {
            let (left, top) = self.corner(row, 0);
            let most = (height / LINE).floor().max(1.0) as usize;
            let lines = text::wrap(label, theme::SMALL, room, most);
            let first = top + (height - LINE * (lines.len() - 1) as f64) / 2.0;
            for (place, line) in lines.iter().enumerate() {
                canvas.text_beside(line, (left - 10.0, first + LINE * place as f64), lettering);
            }
        }
        if let Some(path) = &self.table.rows.path {
            let top = self.grid.top - name_height(Some(path));
            axis_name::draw(canvas, path, (self.area.left, top), self.area.width, Anchor::Start);
        }
    }

    fn draw_column_labels(&self, canvas: &mut Canvas<'_>) {
        let (width, _) = self.cell();
        let labels = &self.table.columns.labels;
        let widest =
            labels.iter().map(|label| font::width(label, theme::SMALL)).fold(0.0, f64::max);
        // Numbers are thinned out, words are cut: who sees two numbers knows the one between.
        let needed = if self.table.columns.ordered { widest + 6.0 } else { 24.0 };
        let every = (needed / width).ceil().max(1.0) as usize;
        let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Middle);
        for (column, label) in labels.iter().enumerate().step_by(every) {
            let (left, _) = self.corner(0, column);
            let label = text::fit(label, theme::SMALL, width * every as f64 - 6.0);
            canvas.text(&label, (left + width / 2.0, self.grid.bottom() + 18.0), lettering);
        }
        if let Some(path) = &self.table.columns.path {
            let at = (self.grid.right(), self.grid.bottom() + LABELS);
            let room = self.grid.right() - self.area.left;
            axis_name::draw(canvas, path, at, room, Anchor::End);
        }
    }
}

/// `4/5` and `+2 s`.
fn words(cell: &CellOutcome) -> (String, Option<String>) {
    let time = cell.median_recovery_time_s.map(|time| {
        let rounded =
            if time < 10.0 { (time * 100.0).round() / 100.0 } else { (time * 10.0).round() / 10.0 };
        format!("+{} s", short(rounded))
    });
    (format!("{}/{}", cell.recovered(), cell.seeds()), time)
}

fn label_width(table: &Table<'_>, room: f64) -> f64 {
    let widest =
        table.rows.labels.iter().map(|label| font::width(label, theme::SMALL)).fold(0.0, f64::max);
    widest.min(WIDEST_LABEL).min(room / 3.0) + 10.0
}

fn cell_size(table: &Table<'_>, room: f64) -> (f64, f64) {
    let room = room - label_width(table, room);
    let width = (room / table.columns.labels.len().max(1) as f64).min(WIDEST);
    // Small cells are square: a large grid is then a picture, not a table.
    let height = if width < ROOM_FOR_TEXT[0] {
        width
    } else {
        (width * 0.7).clamp(ROOM_FOR_TEXT[1], HIGHEST)
    };
    (width, height)
}

fn name_height(path: Option<&String>) -> f64 {
    if path.is_some() { axis_name::HEIGHT + 4.0 } else { 0.0 }
}
