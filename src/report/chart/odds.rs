//! How often each height of backlog is reached by chance, down to the collapse: rates over nine decades and
//! more, so the scale is logarithmic.

use crate::experiment::{Splitting, decade};

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::document::Chart;
use super::geometry::{Area, Point};
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::scale::Scale;
use super::ticks::Ticks;
use super::{axis, font, marker, theme};

const HEIGHT: f64 = 400.0;
/// Room beyond the last height, for the collapse.
const ASIDE: f64 = 150.0;
const HOUR: f64 = 3_600.0;

/// How often heights are crossed, and how often it collapses. `says` is what a reader should see.
pub fn odds(title: &str, says: &str, found: &Splitting) -> Chart {
    let keys = vec![
        Key::new(
            Mark::Line(Stroke(theme::SERIES[0], theme::STRONG)),
            "crossings of a height, per hour",
        ),
        Key::new(Mark::DotInInterval(theme::UNWELL), "collapses per hour, 95 % interval"),
    ];
    let heading = Heading::new(title, says, keys);
    let crossings = crossings(found);
    let rate = found.odds.per_second * HOUR;
    let rates = crossings.iter().map(|(_, rate)| *rate).filter(|rate| *rate > 0.0);
    let low = found.odds.interval.low * HOUR;
    let least = rates.clone().chain([rate, low]).filter(|rate| *rate > 0.0).fold(1.0, f64::min);
    let most = rates.fold(1.0, f64::max);
    let decades = [decade(least).floor(), decade(most).ceil()];
    let left = theme::MARGIN + 24.0 + font::width("10^-10", theme::SMALL) + 7.0;
    let width = theme::WIDTH - theme::MARGIN - left;
    let plot = Area { left, top: heading.bottom() + 8.0, width, height: HEIGHT };
    let y = Scale { of: decades, onto: [plot.bottom(), plot.top] };
    let top = crossings.last().map_or(1.0, |(height, _)| *height);
    let x = Scale { of: [0.0, top], onto: [plot.left, plot.right() - ASIDE] };
    let place = |height: f64, rate: f64| (x.at(height), y.at(decade(rate)));
    let bottom = plot.bottom() + axis::LABELS_BELOW + 22.0 + theme::MARGIN;
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        frame(canvas, plot, y, decades);
        let seconds = Ticks::of_seconds(top, 8);
        axis::horizontal(canvas, plot, x, &seconds);
        axis::labels_below(canvas, plot, x, &seconds, "s");
        let name = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
        let below = (plot.right(), plot.bottom() + axis::LABELS_BELOW + 18.0);
        canvas.text("work that waits or comes again, seconds of it", below, name);
        let line: Vec<Point> = crossings
            .iter()
            .filter(|(_, rate)| *rate > 0.0)
            .map(|(height, rate)| place(*height, *rate))
            .collect();
        canvas.line(&line, Stroke(theme::SERIES[0], theme::STRONG));
        for point in &line {
            canvas.dot(*point, 3.5, theme::SERIES[0]);
        }
        if rate > 0.0 {
            let at = (plot.right() - ASIDE / 2.0, y.at(decade(rate)));
            let high = found.odds.interval.high * HOUR;
            let interval = [low, high].map(|end| y.at(decade(end.max(f64::MIN_POSITIVE))));
            if let Some(last) = line.last() {
                canvas.dashes(*last, at, Stroke(theme::MUTED, theme::THIN));
            }
            marker::dot_in_interval(canvas, at, interval, theme::UNWELL);
            let words = Lettering::new(theme::TEXT, theme::INK, Anchor::Start);
            canvas.text_beside("collapse", (at.0 + 12.0, at.1), words);
        }
    })
}

/// Each height, and how often it is crossed in an hour.
fn crossings(found: &Splitting) -> Vec<(f64, f64)> {
    let mut rate = found.flux * HOUR;
    let pairs = found.heights.iter().zip(&found.shares);
    pairs
        .map(|(height, share)| {
            let here = rate;
            rate *= share;
            (*height, here)
        })
        .collect()
}

fn frame(canvas: &mut Canvas<'_>, plot: Area, y: Scale, [first, last]: [f64; 2]) {
    // Every so many decades, so that there are at most ten lines.
    let step = ((last - first) / 10.0).ceil().max(1.0) as usize;
    for decade in (first as i32..=last as i32).step_by(step) {
        let height = y.at(f64::from(decade));
        let ends = [(plot.left, height), (plot.right(), height)];
        canvas.line(&ends, Stroke(theme::GRID, theme::THIN));
        let label = match decade {
            0 => "1".to_owned(),
            _ => format!("10^{decade}"),
        };
        let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
        canvas.text_beside(&label, (plot.left - 7.0, height), lettering);
    }
    axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, "per hour");
    axis::baseline(canvas, plot);
}
