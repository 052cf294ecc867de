//! The tipping line of two parameters: a curve in its mixed zone, with recovery on one side of it.

use crate::analysis::{Estimate, Side};
use crate::experiment::{Along, Frontier, Range};
use crate::report::table::FrontierDocument;

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::colour::Colour;
use super::document::Chart;
use super::geometry::{Area, Point};
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::ticks::between;
use super::{axis, axis_name, marker, theme};

const HEIGHT: f64 = 520.0;
const LEFT: f64 = 84.0;
/// What recovers, what does not, and what lies between: the ends and the middle of the ramp of shares.
const WELL: Colour = theme::SHARE[4];
const UNWELL: Colour = theme::SHARE[0];
const MIXED: Colour = theme::SHARE[2];

/// A place of the line: its column, the line's height, and the mixed zone around it.
struct Place {
    x: f64,
    at: Estimate,
    mixed: [f64; 2],
}

/// The tipping line of a frontier, with the regions on both sides of it.
///
/// Columns in which nothing tips are filled to their full height. Between columns the line is straight.
pub fn frontier(document: &FrontierDocument<'_>) -> Chart {
    let FrontierDocument { title, variant, x, y, frontier, .. } = document;
    let subtitle = format!(
        "“{variant}”: which side of the tipping line of two parameters recovers; {} runs",
        frontier.runs
    );
    let heading = Heading::new(title, &subtitle, keys(has_gaps(frontier)));
    let left = theme::MARGIN + LEFT;
    let width = theme::WIDTH - theme::MARGIN - left;
    let top = heading.bottom() + axis_name::HEIGHT + 6.0;
    let plot = Area { left, top, width, height: HEIGHT };
    let bottom = plot.bottom() + axis::LABELS_BELOW + axis_name::HEIGHT + theme::MARGIN;
    let panel = Panel { frontier, plot };
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        let above = (theme::MARGIN, plot.top - axis_name::HEIGHT - 4.0);
        axis_name::draw(canvas, y.path, above, plot.width, Anchor::Start);
        panel.regions(canvas);
        panel.frame(canvas, [x.unit(), y.unit()]);
        panel.line(canvas);
        let below = (plot.right(), plot.bottom() + axis::LABELS_BELOW);
        axis_name::draw(canvas, x.path, below, plot.width, Anchor::End);
    })
}

/// Whether a column with a line stands beside one without: what is between them is not known.
fn has_gaps(frontier: &Frontier) -> bool {
    let tips = |along: Along| match along {
        Along::Tips { .. } => true,
        Along::Recovers | Along::Collapses => false,
    };
    frontier.columns.windows(2).any(|pair| tips(pair[0].along) != tips(pair[1].along))
}

fn keys(gaps: bool) -> Vec<Key> {
    let stroke = Stroke(theme::INK, theme::TIPPING);
    let mut keys = vec![
        Key::new(Mark::Cased(stroke), "tipping line: half of the seeds recover"),
        Key::new(Mark::DotInInterval(theme::INK), "where it was found, 95 % interval"),
        Key::new(Mark::Box(WELL), "recovers"),
        Key::new(Mark::Box(MIXED), "mixed: from 90 % to 10 % recover"),
        Key::new(Mark::Box(UNWELL), "does not"),
    ];
    if gaps {
        keys.push(Key::new(Mark::Box(theme::NOTHING), "not looked at"));
    }
    keys
}

struct Panel<'a> {
    frontier: &'a Frontier,
    plot: Area,
}

impl Panel<'_> {
    fn x(&self, value: f64) -> f64 {
        let share = self.frontier.x.share_of(value).clamp(0.0, 1.0);
        self.plot.left + share * self.plot.width
    }

    fn y(&self, value: f64) -> f64 {
        let share = self.frontier.y.share_of(value).clamp(0.0, 1.0);
        self.plot.bottom() - share * self.plot.height
    }

    /// The line in pieces: it is broken where a column has none.
    fn pieces(&self) -> Vec<Vec<Place>> {
        let mut pieces: Vec<Vec<Place>> = vec![Vec::new()];
        for column in &self.frontier.columns {
            match column.along {
                Along::Tips { at, mixed } => {
                    let place = Place { x: self.x(column.at), at, mixed };
                    pieces.last_mut().expect("there is a piece").push(place);
                }
                Along::Recovers | Along::Collapses => pieces.push(Vec::new()),
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    fn regions(&self, canvas: &mut Canvas<'_>) {
        canvas.fill(self.plot, theme::NOTHING);
        let (top, bottom) = (self.plot.top, self.plot.bottom());
        let (above, below) = match self.frontier.side {
            Some(Side::Above) => (WELL, UNWELL),
            Some(Side::Below) | None => (UNWELL, WELL),
        };
        for piece in self.pieces() {
            let line = |of: &dyn Fn(&Place) -> f64| -> Vec<Point> {
                piece.iter().map(|place| (place.x, of(place))).collect()
            };
            let region = |mut edge: Vec<Point>, other: Vec<Point>| {
                edge.extend(other.into_iter().rev());
                edge
            };
            let upper = line(&|place| self.y(place.mixed[1]));
            let lower = line(&|place| self.y(place.mixed[0]));
            canvas.polygon(&region(line(&|_| top), upper.clone()), above);
            canvas.polygon(&region(lower.clone(), line(&|_| bottom)), below);
            canvas.polygon(&region(upper, lower), MIXED);
        }
        // What has no line is one region, as wide as half the way to its neighbours.
        let columns = &self.frontier.columns;
        for (nth, column) in columns.iter().enumerate() {
            let colour = match column.along {
                Along::Tips { .. } => continue,
                Along::Recovers => WELL,
                Along::Collapses => UNWELL,
            };
            let middle = |other: usize| f64::midpoint(self.x(columns[other].at), self.x(column.at));
            let from = if nth == 0 { self.plot.left } else { middle(nth - 1) };
            let to = if nth + 1 == columns.len() { self.plot.right() } else { middle(nth + 1) };
            canvas.fill(Area { left: from, width: to - from, ..self.plot }, colour);
        }
    }

    fn frame(&self, canvas: &mut Canvas<'_>, [x_unit, y_unit]: [&str; 2]) {
        let plot = self.plot;
        let marks = |range: Range| between(range.from, range.to, range.logarithmic);
        let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
        for (value, label) in marks(self.frontier.y) {
            let y = self.y(value);
            canvas.line(&[(plot.left - 4.0, y), (plot.left, y)], Stroke(theme::AXIS, theme::THIN));
            canvas.text_beside(&format!("{label}{y_unit}"), (plot.left - 8.0, y), lettering);
        }
        axis::baseline(canvas, plot);
        let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Middle);
        for (value, label) in marks(self.frontier.x) {
            let x = self.x(value);
            let mark = [(x, plot.bottom()), (x, plot.bottom() + 4.0)];
            canvas.line(&mark, Stroke(theme::AXIS, theme::THIN));
            canvas.text(&format!("{label}{x_unit}"), (x, plot.bottom() + 19.0), lettering);
        }
    }

    fn line(&self, canvas: &mut Canvas<'_>) {
        for piece in self.pieces() {
            let points: Vec<Point> =
                piece.iter().map(|place| (place.x, self.y(place.at.value))).collect();
            marker::cased(canvas, &points, Stroke(theme::INK, theme::TIPPING));
            for place in &piece {
                let interval = place.at.interval;
                let ends = [self.y(interval.low), self.y(interval.high)];
                marker::dot_in_interval(
                    canvas,
                    (place.x, self.y(place.at.value)),
                    ends,
                    theme::INK,
                );
            }
        }
    }
}
