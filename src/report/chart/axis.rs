//! The frame in which data is read: grid lines, marks and their labels.

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::colour::Colour;
use super::geometry::Area;
use super::scale::Scale;
use super::spread::spread;
use super::ticks::Ticks;
use super::{text, theme};

const LABEL: Lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Middle);
/// From an axis to its labels.
const OFF: f64 = 7.0;
/// How high a row of labels below an axis is.
pub(super) const LABELS_BELOW: f64 = 24.0;

/// Grid lines across `plot` at the marks of a vertical axis, and their labels to its left.
pub(super) fn vertical(canvas: &mut Canvas<'_>, plot: Area, scale: Scale, ticks: &Ticks) {
    for (value, label) in ticks.marks() {
        let y = scale.at(value);
        canvas.line(&[(plot.left, y), (plot.right(), y)], Stroke(theme::GRID, theme::THIN));
        let lettering = Lettering { anchor: Anchor::End, ..LABEL };
        canvas.text_beside(&label, (plot.left - OFF, y), lettering);
    }
}

/// The line below `plot` with the marks of a horizontal axis.
pub(super) fn horizontal(canvas: &mut Canvas<'_>, plot: Area, scale: Scale, ticks: &Ticks) {
    baseline(canvas, plot);
    for (value, _) in ticks.marks() {
        let x = scale.at(value);
        canvas.line(
            &[(x, plot.bottom()), (x, plot.bottom() + 4.0)],
            Stroke(theme::AXIS, theme::THIN),
        );
    }
}

/// The labels of a horizontal axis, the first of them with the axis' unit.
pub(super) fn labels_below(
    canvas: &mut Canvas<'_>,
    plot: Area,
    scale: Scale,
    ticks: &Ticks,
    unit: &str,
) {
    let last = ticks.marks().count() - 1;
    for (index, (value, label)) in ticks.marks().enumerate() {
        let text = if index == last { format!("{label} {unit}") } else { label.clone() };
        let half = super::font::width(&label, theme::SMALL) / 2.0;
        // The unit hangs to the right of a label that stays centred on its mark.
        let at = (scale.at(value) - half, plot.bottom() + 4.0 + 15.0);
        canvas.text(&text, at, Lettering { anchor: Anchor::Start, ..LABEL });
    }
}

pub(super) fn baseline(canvas: &mut Canvas<'_>, plot: Area) {
    let ends = [(plot.left, plot.bottom()), (plot.right(), plot.bottom())];
    canvas.line(&ends, Stroke(theme::AXIS, theme::THIN));
}

/// The name of a vertical axis, reading upwards at `x`.
pub(super) fn name_upwards(canvas: &mut Canvas<'_>, plot: Area, x: f64, name: &str) {
    let (_, middle) = plot.middle();
    canvas.text_upwards(name, (x, middle), LABEL);
}

/// Labels in the `room` to the right of `plot`, each beside the height it names.
pub(super) fn labels_beside(
    canvas: &mut Canvas<'_>,
    plot: Area,
    room: f64,
    labels: &[(f64, String, Colour)],
) {
    let wanted: Vec<f64> = labels.iter().map(|(height, ..)| *height).collect();
    let heights = spread(&wanted, theme::SMALL + 3.0, [plot.top, plot.bottom()]);
    for ((_, label, colour), height) in labels.iter().zip(heights) {
        let label = text::fit(label, theme::SMALL, room);
        let lettering = Lettering::new(theme::SMALL, *colour, Anchor::Start);
        canvas.text_beside(&label, (plot.right() + 8.0, height), lettering);
    }
}
