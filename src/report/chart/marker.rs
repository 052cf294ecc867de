//! Marks that a legend repeats beside their meaning, drawn in both places by the same hand.

use super::canvas::{Canvas, Stroke};
use super::colour::Colour;
use super::geometry::Point;
use super::theme;

pub(super) const BACK_HEIGHT: f64 = 9.0;

/// A triangle that points up at the instant of recovery, its tip at `tip`.
pub(super) fn back(canvas: &mut Canvas<'_>, (x, y): Point) {
    let half = 5.5;
    let corners = [(x, y), (x + half, y + BACK_HEIGHT), (x - half, y + BACK_HEIGHT)];
    canvas.polygon(&corners, theme::WELL);
}

/// A line that stays visible over any colour.
pub(super) fn cased(canvas: &mut Canvas<'_>, points: &[Point], stroke: Stroke) {
    let Stroke(_, width) = stroke;
    canvas.line(points, Stroke(theme::PAPER, width + 4.0));
    canvas.line(points, stroke);
}

/// A dot with the interval that its quantity lies in, from the one height to the other.
pub(super) fn dot_in_interval(
    canvas: &mut Canvas<'_>,
    centre: Point,
    interval: [f64; 2],
    colour: Colour,
) {
    let (x, _) = centre;
    let bar = Stroke(colour, theme::MEDIUM);
    canvas.line(&[(x, interval[0]), (x, interval[1])], bar);
    for end in interval {
        canvas.line(&[(x - 4.0, end), (x + 4.0, end)], bar);
    }
    canvas.dot(centre, 6.5, theme::PAPER);
    canvas.dot(centre, 5.0, colour);
}

/// How long an arrow's head is, and half as wide as this.
const HEAD: f64 = 10.0;

/// A small triangle in the middle of the way from one point to another, pointing there; nothing where the
/// way is too short for it.
pub(super) fn arrow_head(canvas: &mut Canvas<'_>, from: Point, to: Point, colour: Colour) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt();
    if length >= 2.0 * HEAD {
        let share = 0.5 + HEAD / 2.0 / length;
        let tip = (from.0 + dx * share, from.1 + dy * share);
        arrow_tip(canvas, from, tip, colour);
    }
}

/// The head of an arrow that ends in `to`.
pub(super) fn arrow_tip(canvas: &mut Canvas<'_>, from: Point, to: Point, colour: Colour) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt();
    if length <= 0.0 {
        return;
    }
    let (along, across) = ((dx / length, dy / length), (-dy / length, dx / length));
    let back = HEAD.min(length);
    let foot = |aside: f64| {
        let x = to.0 - along.0 * back + across.0 * aside;
        let y = to.1 - along.1 * back + across.1 * aside;
        (x, y)
    };
    canvas.polygon(&[to, foot(HEAD / 2.0), foot(-HEAD / 2.0)], colour);
}

/// A ring on a line, at the instant from which all is well.
pub(super) fn ring(canvas: &mut Canvas<'_>, centre: Point, colour: Colour) {
    canvas.dot(centre, 6.0, colour);
    canvas.dot(centre, 3.2, theme::PAPER);
}
