//! What brings a collapse back: a small plot per change, with the chance to recover along its parameter.

use crate::analysis::wilson;
use crate::experiment::{CurvePoint, Effect, End, Range, Tipping, Tried};
use crate::report::table::AdviceDocument;
use crate::report::table::figure::seconds;

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::colour::Colour;
use super::document::Chart;
use super::geometry::{Area, Point};
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::scale::Scale;
use super::ticks::between;
use super::{axis, font, marker, text, theme};

const COLUMNS: usize = 3;
const BETWEEN: f64 = 40.0;
const HEIGHT: f64 = 110.0;
/// Name and words above a plot.
const ABOVE: f64 = 46.0;
const BELOW: f64 = 44.0;
const PERCENT: f64 = 44.0;
const DOT: f64 = 3.0;
const SAFE: Colour = theme::LEVER;

/// A small plot per change that was tried, those that help first and best first.
///
/// Shown is the share of seeds that recover along the change's parameter, with the values shaded at which 95 % do; a
/// change without a parameter is a single share within its interval.
pub fn advice(document: &AdviceDocument<'_>) -> Chart {
    let AdviceDocument { title, variant, tried, .. } = document;
    let helps = tried.iter().filter(|tried| tried.cure().is_some()).count();
    let subtitle = format!(
        "“{variant}”: of {} changes, {helps} bring it back in 95 % of seeds; least price first",
        tried.len()
    );
    let heading = Heading::new(title, &subtitle, keys());
    let room = theme::WIDTH - 2.0 * theme::MARGIN - BETWEEN * (COLUMNS - 1) as f64;
    let width = room / COLUMNS as f64;
    let row_height = ABOVE + HEIGHT + BELOW;
    let rows = tried.len().div_ceil(COLUMNS);
    let bottom = heading.bottom() + row_height * rows as f64 + theme::MARGIN / 2.0;
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        for (nth, tried) in tried.iter().enumerate() {
            let (row, column) = (nth / COLUMNS, nth % COLUMNS);
            let left = theme::MARGIN + column as f64 * (width + BETWEEN);
            let top = heading.bottom() + row as f64 * row_height;
            draw(canvas, tried, Area { left, top, width, height: row_height });
        }
    })
}

fn keys() -> Vec<Key> {
    vec![
        Key::new(Mark::Line(Stroke(theme::GOODPUT, theme::STRONG)), "chance to recover"),
        Key::new(Mark::DotInInterval(theme::INK), "one that has no parameter, 95 % interval"),
        Key::new(Mark::Box(SAFE), "here 95 % of the seeds recover, proved"),
        Key::new(Mark::Dashes(Stroke(theme::LIMIT, theme::THIN)), "half of the seeds"),
    ]
}

/// What became of a change, in few words, and their colour.
fn words(tried: &Tried) -> (String, Colour) {
    match &tried.trial.effect {
        Effect::Helps(cure) => {
            let time = format!("back after {} s (median)", seconds(cure.recovery_time_s));
            (time, theme::WELL)
        }
        Effect::Never { runs, recovered } => {
            (format!("does not help: {recovered} of {runs} runs recover"), theme::UNWELL)
        }
        Effect::Unreliable { runs, recovered } => {
            (format!("not reliably: at best {recovered} of {runs}"), theme::UNWELL)
        }
    }
}

fn draw(canvas: &mut Canvas<'_>, tried: &Tried, area: Area) {
    let name = text::fit(&tried.name, theme::TEXT, area.width);
    let lettering = Lettering::new(theme::TEXT, theme::INK, Anchor::Start);
    canvas.text(&name, (area.left, area.top + 16.0), lettering);
    let (words, colour) = words(tried);
    let lettering = Lettering::new(theme::SMALL, colour, Anchor::Start);
    let fitted = text::fit(&words, theme::SMALL, area.width);
    canvas.text(&fitted, (area.left, area.top + 34.0), lettering);
    let plot = Area {
        left: area.left + PERCENT,
        top: area.top + ABOVE,
        width: area.width - PERCENT,
        height: HEIGHT,
    };
    // Dots at none and at all stay within the frame.
    let y = Scale { of: [0.0, 1.0], onto: [plot.bottom() - DOT - 1.0, plot.top + DOT + 1.0] };
    match (&tried.along, &tried.trial.found) {
        (Some((range, gentle)), Some(found)) => {
            shade(canvas, tried, *range, *gentle, plot);
            frame(canvas, plot, y);
            curve(canvas, found, plot, y);
            marks(canvas, tried, *range, plot);
        }
        (Some(_) | None, Some(_) | None) => {
            frame(canvas, plot, y);
            single(canvas, tried, plot, y);
        }
    }
}

fn place(range: Range, value: f64, plot: Area) -> f64 {
    plot.left + range.share_of(value).clamp(0.0, 1.0) * plot.width
}

/// The values from the one that was proved on, away from where the change is small.
fn shade(canvas: &mut Canvas<'_>, tried: &Tried, range: Range, gentle: End, plot: Area) {
    let Some(value) = tried.cure().and_then(|cure| cure.value) else { return };
    let x = place(range, value, plot);
    // Beyond another border it may be otherwise: only what lies before that is shaded.
    let points = tried.trial.found.iter().flat_map(|found| &found.points);
    let others: Vec<f64> = points.map(|point| place(range, point.tips_at.value, plot)).collect();
    let (left, right) = match gentle {
        End::Low => {
            let next = others.iter().copied().filter(|other| *other > x);
            (x, next.fold(plot.right(), f64::min))
        }
        End::High => {
            let next = others.iter().copied().filter(|other| *other < x);
            (next.fold(plot.left, f64::max), x)
        }
    };
    canvas.fill(Area { left, width: (right - left).max(2.0), ..plot }, SAFE);
}

fn frame(canvas: &mut Canvas<'_>, plot: Area, y: Scale) {
    let lettering = Lettering::new(theme::PATH, theme::MUTED, Anchor::End);
    for percent in [0, 100] {
        let height = y.at(f64::from(percent) / 100.0);
        let line = [(plot.left, height), (plot.right(), height)];
        canvas.line(&line, Stroke(theme::GRID, theme::THIN));
        canvas.text_beside(&format!("{percent} %"), (plot.left - 6.0, height), lettering);
    }
    let half = y.at(0.5);
    canvas.dashes((plot.left, half), (plot.right(), half), Stroke(theme::LIMIT, theme::THIN));
    axis::baseline(canvas, plot);
}

/// The curve around each border, level between them.
fn curve(canvas: &mut Canvas<'_>, found: &Tipping, plot: Area, y: Scale) {
    let level = |well: bool| y.at(f64::from(u8::from(well)));
    let mut line: Vec<Point> = vec![(plot.left, level(found.recovers_below()))];
    let of = |point: &CurvePoint| (place(found.range, point.at, plot), y.at(point.share.value));
    line.extend(found.points.iter().flat_map(|point| point.curve.iter().map(of)));
    line.push((plot.right(), level(found.recovers_above())));
    canvas.line(&line, Stroke(theme::GOODPUT, theme::STRONG));
    for answers in &found.tried {
        let share = answers.recovered as f64 / answers.runs as f64;
        let colour = if share > 0.5 { theme::WELL } else { theme::UNWELL };
        let centre = (place(found.range, answers.at, plot), y.at(share));
        canvas.dot(centre, DOT, colour);
    }
}

/// Round values below the axis, as many as do not touch, and the parameter's name at the end.
fn marks(canvas: &mut Canvas<'_>, tried: &Tried, range: Range, plot: Area) {
    let lettering = Lettering::new(theme::PATH, theme::MUTED, Anchor::Middle);
    let unit = if tried.is_length { " s" } else { "" };
    let mut free = f64::NEG_INFINITY;
    for (value, label) in between(range.from, range.to, range.logarithmic) {
        let (x, label) = (place(range, value, plot), format!("{label}{unit}"));
        let half = font::width(&label, theme::PATH) / 2.0;
        if x - half >= free {
            let mark = [(x, plot.bottom()), (x, plot.bottom() + 3.0)];
            canvas.line(&mark, Stroke(theme::AXIS, theme::THIN));
            canvas.text(&label, (x, plot.bottom() + 15.0), lettering);
            free = x + half + 8.0;
        }
    }
    let name = tried.parameter.unwrap_or_default();
    let lettering = Lettering::new(theme::PATH, theme::INK, Anchor::End);
    canvas.text(name, (plot.right(), plot.bottom() + 31.0), lettering);
}

/// The share of a change without a parameter.
fn single(canvas: &mut Canvas<'_>, tried: &Tried, plot: Area, y: Scale) {
    let (runs, recovered) = match &tried.trial.effect {
        Effect::Helps(cure) => (cure.proved, cure.recovered),
        Effect::Never { runs, recovered } | Effect::Unreliable { runs, recovered } => {
            (*runs, *recovered)
        }
    };
    let interval = wilson(recovered, runs);
    let (x, _) = plot.middle();
    let centre = (x, y.at(recovered as f64 / runs as f64));
    marker::dot_in_interval(canvas, centre, [y.at(interval.low), y.at(interval.high)], theme::INK);
}
