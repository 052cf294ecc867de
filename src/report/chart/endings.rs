//! Lines that are named where they end: room for the names, and the leaders from one to the other.

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::geometry::{Area, Point};
use super::spread::spread;
use super::{font, text, theme};

/// From the ends of the lines to their names.
const LEADER: f64 = theme::TICK + 22.0;
/// Between a name and the tick that repeats its line.
const OFF: f64 = 6.0;
/// The height of a name with what is said beneath it.
pub(super) const HEIGHT: f64 = 40.0;
const WIDEST: f64 = 330.0;

/// How a line looks: its colour and width, and its dashes where others have its colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub stroke: Stroke,
    pub pattern: &'static [f64],
}

/// A name of a line, and what is said beneath it; both fit into the room there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    name: String,
    beneath: String,
}

impl Look {
    /// Of the line at `index`: beyond the last colour they begin again, in dashes.
    pub(super) fn of(index: usize) -> Self {
        let colour = theme::SERIES[index % theme::SERIES.len()];
        let pattern = theme::PATTERNS[index / theme::SERIES.len() % theme::PATTERNS.len()];
        Self { stroke: Stroke(colour, theme::STRONG), pattern }
    }
}

impl Name {
    pub(super) fn new(name: &str, beneath: &str) -> Self {
        Self {
            name: text::fit(name, theme::TEXT, WIDEST),
            beneath: text::fit(beneath, theme::SMALL, WIDEST),
        }
    }

    fn width(&self) -> f64 {
        font::width(&self.name, theme::TEXT).max(font::width(&self.beneath, theme::SMALL))
    }
}

/// The room that names and their leaders need to the right of a plot.
pub(super) fn room<'a>(names: impl IntoIterator<Item = &'a Name>) -> f64 {
    LEADER + names.into_iter().map(Name::width).fold(0.0, f64::max)
}

/// Names every line beside `plot`, from the point where it ends, and nothing over another.
pub(super) fn draw(canvas: &mut Canvas<'_>, plot: Area, lines: &[(&Name, Look, Point)]) {
    let wanted: Vec<f64> = lines.iter().map(|(_, _, end)| end.1).collect();
    let half = HEIGHT / 2.0;
    let heights = spread(&wanted, HEIGHT, [plot.top + half - 8.0, plot.bottom() - half + 12.0]);
    for ((name, look, end), height) in lines.iter().zip(heights) {
        let left = plot.right() + LEADER;
        let turn = left - OFF - theme::TICK;
        let beside = (plot.right() + 4.0, end.1);
        if end.0 < plot.right() {
            // A line that ends before the others has no quantity from there on.
            canvas.dot(*end, 4.0, look.stroke.0);
        } else {
            canvas.line(&[*end, beside], look.stroke);
        }
        // Begun anew at the tick: there it is compared.
        canvas.patterned(&[beside, (turn, height)], look.stroke, look.pattern);
        canvas.patterned(&[(turn, height), (left - OFF, height)], look.stroke, look.pattern);
        let ink = Lettering::new(theme::TEXT, theme::INK, Anchor::Start);
        canvas.text(&name.name, (left, height - 2.0), ink);
        let muted = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Start);
        canvas.text(&name.beneath, (left, height + 15.0), muted);
    }
}
