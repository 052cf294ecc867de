//! The phase portrait: backlog against retries, where states lead, the boundary between the two sides, and
//! the way of the scenario's own run.

use crate::experiment::{Arrow, Basin, Brink};
use crate::observe;

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::document::Chart;
use super::geometry::{Area, Point};
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::scale::Scale;
use super::ticks::{Ticks, short};
use super::{axis, font, marker, theme};

const HEIGHT: f64 = 520.0;
/// The longest arrow, and the shortest one that shows where it points.
const LONGEST: f64 = 52.0;
const SHORTEST: f64 = 9.0;
/// From one dot on the way of the run to the next, in looks.
const DOTS: usize = 4;

/// The portrait of what was found. `says` is what a reader should see.
pub fn basin(title: &str, says: &str, found: &Basin) -> Chart {
    let heading = Heading::new(title, says, keys(found));
    let ticks = Ticks::over(found.reach.retries.max(1.0), 6);
    let widest =
        ticks.marks().map(|(_, label)| font::width(&label, theme::SMALL)).fold(0.0, f64::max);
    let left = theme::MARGIN + 24.0 + widest + 7.0;
    let width = theme::WIDTH - theme::MARGIN - left;
    let plot = Area { left, top: heading.bottom() + 8.0, width, height: HEIGHT };
    let x = Scale { of: [0.0, found.reach.backlog_s], onto: [plot.left, plot.right()] };
    let y = Scale { of: [0.0, ticks.top()], onto: [plot.bottom(), plot.top] };
    let bottom = plot.bottom() + axis::LABELS_BELOW + 22.0 + theme::MARGIN;
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        let border = border(found, x, y);
        if !border.is_empty() {
            let corner = (plot.left, plot.bottom());
            canvas.polygon(&[&[corner], &border[..]].concat(), theme::GOODPUT_FILL);
        }
        axis::vertical(canvas, plot, y, &ticks);
        axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, "requests being tried again");
        let seconds = Ticks::of_seconds(found.reach.backlog_s, 10);
        axis::horizontal(canvas, plot, x, &seconds);
        axis::labels_below(canvas, plot, x, &seconds, "s");
        let name = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
        let below = (plot.right(), plot.bottom() + axis::LABELS_BELOW + 18.0);
        canvas.text("backlog of the busiest service, seconds of its work", below, name);
        draw_drift(canvas, &found.drift, x, y);
        if border.len() > 1 {
            marker::cased(canvas, &border, Stroke(theme::INK, theme::STRONG));
        }
        draw_intervals(canvas, found, x, y);
        draw_way(canvas, found, x, y);
    })
}

fn keys(found: &Basin) -> Vec<Key> {
    let mut keys = vec![Key::new(
        Mark::Line(Stroke(theme::MUTED, theme::MEDIUM)),
        "where it leads from there, the longer the faster",
    )];
    if found.tipping.middle().is_some() {
        keys.push(Key::new(Mark::Box(theme::GOODPUT_FILL), "comes back"));
        keys.push(Key::new(Mark::Cased(Stroke(theme::INK, theme::STRONG)), "tips from here on"));
    }
    if !found.trajectory.is_empty() {
        let stroke = Stroke(theme::ATTEMPTS, theme::STRONG);
        let apart = short(found.every.as_secs_f64() * DOTS as f64);
        let way = format!("the scenario's own run from the ring on, a dot every {apart} s");
        keys.push(Key::new(Mark::Line(stroke), way));
    }
    keys
}

/// The boundary from the axis of retries to that of the backlog.
fn border(found: &Basin, x: Scale, y: Scale) -> Vec<Point> {
    let mut border: Vec<Point> = Vec::new();
    if found.tipping.middle().is_none() {
        return border;
    }
    match found.tipping_retries.as_ref().and_then(Brink::middle) {
        Some(retries) => border.push((x.at(0.0), y.at(retries))),
        // Retries alone do not tip it: the boundary goes up as far as it is known.
        None => {
            let known = found.boundary.iter().rev().find_map(|(_, tipping)| tipping.middle());
            border.extend([(x.at(0.0), y.onto[1]), (x.at(known.unwrap_or(0.0)), y.onto[1])]);
        }
    }
    for (retries, tipping) in found.boundary.iter().rev() {
        border.extend(tipping.middle().map(|here| (x.at(here), y.at(f64::from(*retries)))));
    }
    border
}

fn draw_intervals(canvas: &mut Canvas<'_>, found: &Basin, x: Scale, y: Scale) {
    let stroke = Stroke(theme::INK, theme::MEDIUM);
    for (retries, tipping) in &found.boundary {
        let (Some(middle), Some(interval)) = (tipping.middle(), tipping.interval()) else {
            continue;
        };
        let height = y.at(f64::from(*retries));
        let ends = [interval.low, interval.high.min(x.of[1])].map(|end| x.at(end));
        canvas.line(&[(ends[0], height), (ends[1], height)], stroke);
        for end in ends {
            canvas.line(&[(end, height - 4.0), (end, height + 4.0)], stroke);
        }
        canvas.dot((x.at(middle), height), 4.0, theme::INK);
    }
}

/// Arrows as long as the drift is fast, up to the fastest; by the square root, so that the slow ones are seen.
fn draw_drift(canvas: &mut Canvas<'_>, drift: &[Arrow], x: Scale, y: Scale) {
    let per = |scale: Scale| (scale.onto[1] - scale.onto[0]) / (scale.of[1] - scale.of[0]);
    let step = |arrow: &Arrow| (arrow.per_second.0 * per(x), arrow.per_second.1 * per(y));
    let length = |(dx, dy): Point| (dx * dx + dy * dy).sqrt();
    let fastest = drift.iter().map(|arrow| length(step(arrow))).fold(0.0, f64::max);
    for arrow in drift {
        let by = step(arrow);
        let long = length(by);
        if long <= 0.0 {
            continue;
        }
        let drawn = (LONGEST * (long / fastest).sqrt()).max(SHORTEST);
        let from = (x.at(arrow.at.0), y.at(arrow.at.1));
        let to = (from.0 + by.0 / long * drawn, from.1 + by.1 / long * drawn);
        // Whatever leads out of the frame is drawn up to it.
        let inside =
            |value: f64, [one, other]: [f64; 2]| value.clamp(one.min(other), one.max(other));
        let to = (inside(to.0, x.onto), inside(to.1, y.onto));
        canvas.line(&[from, to], Stroke(theme::MUTED, theme::MEDIUM));
        marker::arrow_tip(canvas, from, to, theme::MUTED);
    }
}

/// The way of the scenario's run, as far as it stays within the frame: a ring where it begins, and a dot at
/// every fourth look.
fn draw_way(canvas: &mut Canvas<'_>, found: &Basin, x: Scale, y: Scale) {
    let is_inside =
        |point: &observe::Point| point.backlog_s <= x.of[1] && point.retrying as f64 <= y.of[1];
    let place = |point: &observe::Point| (x.at(point.backlog_s), y.at(point.retrying as f64));
    let stroke = Stroke(theme::ATTEMPTS, theme::STRONG);
    for piece in found.trajectory.split(|point| !is_inside(point)) {
        let line: Vec<Point> = piece.iter().map(place).collect();
        canvas.line(&line, stroke);
    }
    for point in found.trajectory.iter().step_by(DOTS).filter(|point| is_inside(point)) {
        canvas.dot(place(point), 3.0, theme::ATTEMPTS);
    }
    if let Some(first) = found.trajectory.first() {
        marker::ring(canvas, place(first), theme::ATTEMPTS);
    }
}
