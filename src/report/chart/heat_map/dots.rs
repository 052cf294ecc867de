//! One axis: shares as dots within their intervals, a line per variant.

use crate::experiment::CellOutcome;
use crate::report::chart::canvas::{Anchor, Canvas, Lettering, Stroke};
use crate::report::chart::colour::Colour;
use crate::report::chart::document::Chart;
use crate::report::chart::geometry::{Area, Point};
use crate::report::chart::heading::Heading;
use crate::report::chart::legend::{Key, Mark};
use crate::report::chart::scale::Scale;
use crate::report::chart::{axis, axis_name, font, marker, text, theme};

use super::{subtitle, table};

const HEIGHT: f64 = 380.0;
/// Between the dots of two variants at the same value.
const BESIDE: f64 = 12.0;
/// From the frame to the first and the last value.
const INSET: f64 = 44.0;

/// Where values lie along the axis.
struct Places {
    /// Label and pixel of every value.
    values: Vec<(String, f64)>,
}

pub(super) fn draw(title: &str, path: &str, cells: &[CellOutcome]) -> Chart {
    let variants = table::variants(cells);
    let about = format!("{}, bars are 95 % intervals", subtitle(cells, false));
    let heading = Heading::new(title, &about, keys(&variants));
    let left = theme::MARGIN + 24.0 + font::width("100 %", theme::SMALL) + 7.0;
    let width = theme::WIDTH - theme::MARGIN - left;
    let plot = Area { left, top: heading.bottom() + 8.0, width, height: HEIGHT };
    let y = Scale { of: [0.0, 1.0], onto: [plot.bottom(), plot.top] };
    let places = Places::new(cells, plot);

    let bottom = plot.bottom() + axis::LABELS_BELOW + axis_name::HEIGHT + theme::MARGIN;
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        frame(canvas, plot, y);
        places.draw(canvas, plot);
        axis_name::draw(
            canvas,
            path,
            (plot.right(), plot.bottom() + axis::LABELS_BELOW),
            plot.width,
            Anchor::End,
        );
        for (index, variant) in variants.iter().enumerate() {
            let aside = (index as f64 - (variants.len() - 1) as f64 / 2.0) * BESIDE;
            let shown: Vec<(Point, [f64; 2])> = cells
                .iter()
                .filter(|cell| cell.variant == *variant)
                .map(|cell| {
                    let interval = cell.interval();
                    let x = places.of(&cell.at[0].label) + aside;
                    ((x, y.at(cell.recovered_share())), [y.at(interval.low), y.at(interval.high)])
                })
                .collect();
            let mut line: Vec<Point> = shown.iter().map(|(dot, _)| *dot).collect();
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            let colour = colour(index);
            canvas.line(&line, Stroke(colour, theme::THIN));
            for (dot, interval) in shown {
                marker::dot_in_interval(canvas, dot, interval, colour);
            }
        }
    })
}

/// Direct labels would have to reach back across the intervals of the last value: the variants are
/// in the legend.
fn keys(variants: &[&str]) -> Vec<Key> {
    let mut keys: Vec<Key> = (0..)
        .zip(variants)
        .map(|(index, name)| Key::new(Mark::DotInInterval(colour(index)), *name))
        .collect();
    keys.push(Key::new(
        Mark::Dashes(Stroke(theme::LIMIT, theme::MEDIUM)),
        "tipping point: half of the seeds",
    ));
    keys
}

const fn colour(variant: usize) -> Colour {
    theme::SERIES[variant % theme::SERIES.len()]
}

fn frame(canvas: &mut Canvas<'_>, plot: Area, y: Scale) {
    let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
    for percent in [0, 25, 50, 75, 100] {
        let height = y.at(f64::from(percent) / 100.0);
        canvas
            .line(&[(plot.left, height), (plot.right(), height)], Stroke(theme::GRID, theme::THIN));
        canvas.text_beside(&format!("{percent} %"), (plot.left - 7.0, height), lettering);
    }
    let half = y.at(0.5);
    canvas.dashes((plot.left, half), (plot.right(), half), Stroke(theme::LIMIT, theme::MEDIUM));
    axis::baseline(canvas, plot);
    axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, "seeds that recover");
}

impl Places {
    /// Numbers lie where they belong on a straight scale, words side by side.
    fn new(cells: &[CellOutcome], plot: Area) -> Self {
        let numeric = table::is_numeric(cells, 0);
        let mut values: Vec<(String, f64)> = Vec::new();
        for cell in cells {
            let at = &cell.at[0];
            if !values.iter().any(|(label, _)| *label == at.label) {
                let number = if numeric { at.number.unwrap_or(0.0) } else { values.len() as f64 };
                values.push((at.label.clone(), number));
            }
        }
        values.sort_by(|a, b| a.1.total_cmp(&b.1));
        let first = values.first().map_or(0.0, |(_, number)| *number);
        let last = values.last().map_or(0.0, |(_, number)| *number);
        let onto = if last > first {
            [plot.left + INSET, plot.right() - INSET]
        } else {
            [plot.middle().0; 2]
        };
        let x = Scale { of: [first, last], onto };
        Self { values: values.into_iter().map(|(label, number)| (label, x.at(number))).collect() }
    }

    fn of(&self, label: &str) -> f64 {
        self.values.iter().find(|(known, _)| known == label).map_or(0.0, |(_, x)| *x)
    }

    /// A mark at every value, and its label unless it would touch the one before.
    fn draw(&self, canvas: &mut Canvas<'_>, plot: Area) {
        let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Middle);
        let mut free = plot.left - INSET;
        for (label, x) in &self.values {
            canvas.line(
                &[(*x, plot.bottom()), (*x, plot.bottom() + 4.0)],
                Stroke(theme::AXIS, theme::THIN),
            );
            let label = text::fit(label, theme::SMALL, 160.0);
            let half = font::width(&label, theme::SMALL) / 2.0;
            if x - half >= free {
                canvas.text(&label, (*x, plot.bottom() + 19.0), lettering);
                free = x + half + 8.0;
            }
        }
    }
}
