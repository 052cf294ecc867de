//! There and back: goodput along one axis, a line for each way, and where it collapses and comes back.

use crate::analysis::median;
use crate::experiment::{Corner, Hysteresis, Traverse};

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::colour::Colour;
use super::document::Chart;
use super::geometry::{Area, Point};
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::scale::Scale;
use super::ticks::short;
use super::{axis, axis_name, font, marker, theme};

const HEIGHT: f64 = 400.0;
/// From the frame to the first and the last value.
const INSET: f64 = 44.0;
/// A line of words above the plot.
const ROW: f64 = 22.0;

/// One of the two ways.
#[derive(Clone, Debug)]
struct Way {
    colour: Colour,
    fill: Colour,
    /// The value, and the least, the middle and the greatest share there, in the order in which it leads.
    steps: Vec<(f64, [f64; 3])>,
}

impl Way {
    fn of(
        found: &Hysteresis,
        shares: impl Fn(&Traverse) -> &[Option<f64>],
        colour: Colour,
        fill: Colour,
        ascends: bool,
    ) -> Self {
        let step = |place: usize| {
            let here: Vec<f64> = found.traverses.iter().filter_map(|t| shares(t)[place]).collect();
            let low = here.iter().copied().reduce(f64::min)?;
            let high = here.iter().copied().reduce(f64::max)?;
            Some((found.number(place), [low, median(here)?, high]))
        };
        let mut steps: Vec<_> = (0..found.values.len()).filter_map(step).collect();
        if !ascends {
            steps.reverse();
        }
        Self { colour, fill, steps }
    }

    /// The way back begins where the way out ends.
    fn beginning_with(mut self, out: &Self) -> Self {
        if let (Some(turn), Some(first)) = (out.steps.last(), self.steps.first())
            && turn.0 != first.0
        {
            self.steps.insert(0, *turn);
        }
        self
    }

    fn draw_band(&self, canvas: &mut Canvas<'_>, x: Scale, y: Scale) {
        let edge = |nth: usize| {
            self.steps.iter().map(move |(value, band)| (x.at(*value), y.at(band[nth])))
        };
        let corners: Vec<Point> = edge(0).chain(edge(2).rev()).collect();
        if self.steps.len() > 1 {
            canvas.polygon(&corners, self.fill);
        }
    }

    fn draw_line(&self, canvas: &mut Canvas<'_>, x: Scale, y: Scale) {
        let line: Vec<Point> =
            self.steps.iter().map(|(value, band)| (x.at(*value), y.at(band[1]))).collect();
        canvas.line(&line, Stroke(self.colour, theme::STRONG));
        for (from, to) in line.iter().zip(line.iter().skip(1)) {
            marker::arrow_head(canvas, *from, *to, self.colour);
        }
        for point in line {
            canvas.dot(point, 3.5, self.colour);
        }
    }
}

/// Goodput as a share of fresh demand along the axis at the dotted `path`, on the way out and on the way
/// back. `says` is what a reader should see.
pub fn hysteresis(title: &str, path: &str, says: &str, found: &Hysteresis) -> Chart {
    let out = Way::of(found, |t| &t.out, theme::SERIES[0], theme::GOODPUT_FILL, found.rising);
    let back = Way::of(found, |t| &t.back, theme::SERIES[1], theme::SHARE[1], !found.rising);
    let back = back.beginning_with(&out);
    let [there, again] = if found.rising { ["up", "down"] } else { ["down", "up"] };
    let keys = vec![
        Key::new(Mark::Line(Stroke(out.colour, theme::STRONG)), format!("on the way {there}")),
        Key::new(
            Mark::Line(Stroke(back.colour, theme::STRONG)),
            format!("on the way back {again}"),
        ),
        Key::new(Mark::Box(theme::NOTHING), "pale: from the least seed to the greatest"),
        Key::new(Mark::Dashes(Stroke(theme::LIMIT, theme::THIN)), "good from here on"),
    ];
    let heading = Heading::new(title, says, keys);
    let corners = [
        found.collapse().map(|corner| (corner, "collapses", out.colour)),
        found.comeback().map(|corner| (corner, "comes back", back.colour)),
    ];
    let corners: Vec<(Corner, &str, Colour)> = corners.into_iter().flatten().collect();
    let rows = ROW * corners.len() as f64;
    let left = theme::MARGIN + 24.0 + font::width("100 %", theme::SMALL) + 7.0;
    let width = theme::WIDTH - theme::MARGIN - left;
    let plot = Area { left, top: heading.bottom() + rows + 8.0, width, height: HEIGHT };
    let y = Scale { of: [0.0, 1.0], onto: [plot.bottom(), plot.top] };
    let ends = [found.number(0), found.number(found.values.len().saturating_sub(1))];
    let x = Scale { of: ends, onto: [plot.left + INSET, plot.right() - INSET] };
    let bottom = plot.bottom() + axis::LABELS_BELOW + axis_name::HEIGHT + theme::MARGIN;
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        frame(canvas, plot, y);
        let good = y.at(found.good);
        let limit = Stroke(theme::LIMIT, theme::THIN);
        canvas.dashes((plot.left, good), (plot.right(), good), limit);
        values(canvas, plot, x, found);
        let below = (plot.right(), plot.bottom() + axis::LABELS_BELOW);
        axis_name::draw(canvas, path, below, plot.width, Anchor::End);
        for (row, (corner, words, colour)) in corners.iter().enumerate() {
            let middle = heading.bottom() + ROW * (row as f64 + 0.5);
            draw_corner(canvas, plot, x.at(corner.middle), middle, *colour, &said(*corner, words));
        }
        back.draw_band(canvas, x, y);
        out.draw_band(canvas, x, y);
        back.draw_line(canvas, x, y);
        out.draw_line(canvas, x, y);
    })
}

fn said(corner: Corner, words: &str) -> String {
    format!("{words} at {}", short(corner.middle))
}

/// A line down from words above the plot, on the side of it where there is room for them.
fn draw_corner(canvas: &mut Canvas<'_>, plot: Area, x: f64, row: f64, ink: Colour, words: &str) {
    canvas.dashes((x, row), (x, plot.bottom()), Stroke(ink, theme::THIN));
    let (middle, _) = plot.middle();
    let (side, anchor) = if x > middle { (-8.0, Anchor::End) } else { (8.0, Anchor::Start) };
    canvas.text_beside(words, (x + side, row), Lettering::new(theme::TEXT, theme::INK, anchor));
}

fn frame(canvas: &mut Canvas<'_>, plot: Area, y: Scale) {
    for percent in [0_u32, 25, 50, 75, 100] {
        let height = y.at(f64::from(percent) / 100.0);
        let ends = [(plot.left, height), (plot.right(), height)];
        canvas.line(&ends, Stroke(theme::GRID, theme::THIN));
        let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
        canvas.text_beside(&format!("{percent} %"), (plot.left - 7.0, height), lettering);
    }
    axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, "goodput, share of fresh demand");
    axis::baseline(canvas, plot);
}

/// The values below the plot, as many as there is room for.
fn values(canvas: &mut Canvas<'_>, plot: Area, x: Scale, found: &Hysteresis) {
    let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Middle);
    let mut free = f64::NEG_INFINITY;
    for (place, value) in found.values.iter().enumerate() {
        let at = x.at(found.number(place));
        let foot = [(at, plot.bottom()), (at, plot.bottom() + 4.0)];
        canvas.line(&foot, Stroke(theme::AXIS, theme::THIN));
        let half = font::width(&value.label, theme::SMALL) / 2.0;
        if at - half > free {
            canvas.text(&value.label, (at, plot.bottom() + 19.0), lettering);
            free = at + half + 10.0;
        }
    }
}
