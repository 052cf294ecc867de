//! The chance to recover along one parameter: the curve in its band, the runs it was learnt from, and the
//! place where it tips.

use crate::analysis::{Answers, wilson};
use crate::experiment::{Range, Tipping, TippingPoint};
use crate::report::table::TipOf;
use crate::report::table::figure::decimal;

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::colour::Colour;
use super::document::Chart;
use super::geometry::{Area, Point};
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::scale::Scale;
use super::ticks::between;
use super::{axis, axis_name, font, marker, text, theme};

const HEIGHT: f64 = 300.0;
const NAME: f64 = 46.0;
const BETWEEN: f64 = 26.0;
/// Room at the top and at the bottom of a plot for the strokes of single runs.
const RUNS: f64 = 14.0;
/// The runs are gathered into so many stretches.
const STRETCHES: usize = 14;
/// Fewer runs than these make no dot: their interval would cover the plot.
const FEWEST: u64 = 5;
const CURVE: Colour = theme::GOODPUT;
const BAND: Colour = theme::GOODPUT_FILL;

/// The chance to recover along the parameter at the dotted path `axis`, a plot per variant beneath each
/// other. `is_length` says that its values are lengths of time.
///
/// Shown is the stretch where the chance changes; where it does not, the whole range.
pub fn tip(title: &str, axis: &str, is_length: bool, found: &[TipOf<'_>]) -> Chart {
    let shown = shown(found);
    let unit = if is_length { " s" } else { "" };
    let heading = Heading::new(title, &subtitle(axis, found), keys());
    let left = theme::MARGIN + 24.0 + font::width("100 %", theme::SMALL) + 7.0;
    let width = theme::WIDTH - theme::MARGIN - left;
    let plots: Vec<Area> = (0..found.len())
        .map(|nth| {
            let top = heading.bottom() + NAME + nth as f64 * (NAME + HEIGHT + BETWEEN);
            Area { left, top, width, height: HEIGHT }
        })
        .collect();
    let bottom = plots.last().map_or(heading.bottom(), |plot| plot.bottom());
    let height = bottom + axis::LABELS_BELOW + axis_name::HEIGHT + theme::MARGIN;
    Chart::draw(title, height, |canvas| {
        heading.draw(canvas);
        for (of, plot) in found.iter().zip(&plots) {
            Panel { of, plot: *plot, shown, unit }.draw(canvas);
        }
        if let Some(plot) = plots.last() {
            let at = (plot.right(), plot.bottom() + axis::LABELS_BELOW);
            axis_name::draw(canvas, axis, at, plot.width, Anchor::End);
        }
    })
}

/// The values at both ends of the plots, and how they lie between.
fn shown(found: &[TipOf<'_>]) -> Range {
    let ranges = found.iter().map(|of| of.tipping.range);
    let whole = ranges.reduce(|a, b| Range { from: a.from.min(b.from), to: a.to.max(b.to), ..a });
    let whole = whole.unwrap_or(Range { from: 0.0, to: 1.0, logarithmic: false, whole: false });
    let curves = found.iter().flat_map(|of| of.tipping.points.iter().map(|point| &point.curve));
    let at: Vec<f64> = curves.flatten().map(|point| point.at).collect();
    let (from, to) = (
        at.iter().copied().fold(f64::INFINITY, f64::min),
        at.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    if from < to { Range { from, to, ..whole } } else { whole }
}

fn subtitle(axis: &str, found: &[TipOf<'_>]) -> String {
    let axis = axis_name::in_words(axis);
    let runs: u64 = found.iter().map(|of| of.tipping.runs).sum();
    let tips: usize = found.iter().map(|of| of.tipping.points.len()).sum();
    let what = match (tips, found.len()) {
        (0, _) => "it tips nowhere in this range".to_owned(),
        (1, 1) => "one border between recovery and collapse".to_owned(),
        (tips, 1) => format!("{tips} borders between recovery and collapse"),
        (_, variants) => format!("where each of {variants} variants tips"),
    };
    format!("Chance to recover along “{axis}”: {what}; {runs} runs")
}

fn keys() -> Vec<Key> {
    vec![
        Key::new(
            Mark::Filled(Stroke(CURVE, theme::STRONG), BAND),
            "chance to recover, and its 95 % band",
        ),
        Key::new(
            Mark::DotInInterval(theme::INK),
            "share of the runs nearby, and its 95 % interval",
        ),
        Key::new(Mark::Line(Stroke(theme::WELL, theme::MEDIUM)), "a run that recovers"),
        Key::new(Mark::Line(Stroke(theme::UNWELL, theme::MEDIUM)), "one that does not"),
        Key::new(Mark::Box(theme::TRIGGER), "95 % interval of the tipping point"),
    ]
}

struct Panel<'a> {
    of: &'a TipOf<'a>,
    plot: Area,
    shown: Range,
    unit: &'a str,
}

impl Panel<'_> {
    fn x(&self, value: f64) -> f64 {
        let share = self.shown.share_of(value).clamp(0.0, 1.0);
        self.plot.left + share * self.plot.width
    }

    fn y(&self) -> Scale {
        Scale { of: [0.0, 1.0], onto: [self.plot.bottom() - RUNS, self.plot.top + RUNS] }
    }

    fn draw(&self, canvas: &mut Canvas<'_>) {
        let Tipping { points, tried, .. } = &self.of.tipping;
        let name = text::fit(self.of.variant, theme::HEADING, self.plot.width);
        let lettering = Lettering::new(theme::HEADING, theme::INK, Anchor::Start);
        canvas.text(&name, (self.plot.left, self.plot.top - 28.0), lettering);
        for point in points {
            self.shade(canvas, point);
        }
        self.frame(canvas);
        for point in points {
            self.curve(canvas, point);
        }
        let tried: Vec<&Answers> =
            tried.iter().filter(|a| (self.shown.from..=self.shown.to).contains(&a.at)).collect();
        self.single_runs(canvas, &tried);
        self.gathered(canvas, &tried);
        for point in points {
            self.label(canvas, point);
        }
    }

    /// The interval of the tipping point.
    fn shade(&self, canvas: &mut Canvas<'_>, point: &TippingPoint) {
        let interval = point.tips_at.interval;
        let (from, to) = (self.x(interval.low), self.x(interval.high));
        let (left, width) = (from.min(to), (to - from).abs().max(2.0));
        canvas.fill(Area { left, width, ..self.plot }, theme::TRIGGER);
    }

    fn frame(&self, canvas: &mut Canvas<'_>) {
        let (plot, y) = (self.plot, self.y());
        let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
        for percent in [0, 25, 50, 75, 100] {
            let height = y.at(f64::from(percent) / 100.0);
            let line = [(plot.left, height), (plot.right(), height)];
            canvas.line(&line, Stroke(theme::GRID, theme::THIN));
            canvas.text_beside(&format!("{percent} %"), (plot.left - 7.0, height), lettering);
        }
        let half = y.at(0.5);
        let limit = Stroke(theme::LIMIT, theme::MEDIUM);
        canvas.dashes((plot.left, half), (plot.right(), half), limit);
        axis::baseline(canvas, plot);
        axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, "seeds that recover");
        let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Middle);
        for (value, label) in between(self.shown.from, self.shown.to, self.shown.logarithmic) {
            let x = self.x(value);
            let mark = [(x, plot.bottom()), (x, plot.bottom() + 4.0)];
            canvas.line(&mark, Stroke(theme::AXIS, theme::THIN));
            canvas.text(&format!("{label}{}", self.unit), (x, plot.bottom() + 19.0), lettering);
        }
    }

    fn curve(&self, canvas: &mut Canvas<'_>, point: &TippingPoint) {
        let y = self.y();
        let line = |of: &dyn Fn(&crate::experiment::CurvePoint) -> f64| -> Vec<Point> {
            point.curve.iter().map(|at| (self.x(at.at), y.at(of(at)))).collect()
        };
        let mut band = line(&|at| at.share.interval.low);
        band.extend(line(&|at| at.share.interval.high).into_iter().rev());
        canvas.polygon(&band, BAND);
        canvas.line(&line(&|at| at.share.value), Stroke(CURVE, theme::STRONG));
    }

    /// A stroke per value: at the top what recovered there, at the bottom what did not.
    fn single_runs(&self, canvas: &mut Canvas<'_>, tried: &[&Answers]) {
        let Area { top, .. } = self.plot;
        let bottom = self.plot.bottom();
        for answers in tried {
            let x = self.x(answers.at);
            if answers.recovered > 0 {
                let stroke = Stroke(theme::WELL, theme::THIN);
                canvas.line(&[(x, top), (x, top + RUNS - 5.0)], stroke);
            }
            if answers.recovered < answers.runs {
                let stroke = Stroke(theme::UNWELL, theme::THIN);
                canvas.line(&[(x, bottom - RUNS + 5.0), (x, bottom)], stroke);
            }
        }
    }

    /// The share of the runs of each stretch, where there are enough of them.
    fn gathered(&self, canvas: &mut Canvas<'_>, tried: &[&Answers]) {
        let y = self.y();
        for stretch in 0..STRETCHES {
            let own = tried.iter().filter(|answers| {
                let share = self.shown.share_of(answers.at).clamp(0.0, 1.0);
                ((share * STRETCHES as f64) as usize).min(STRETCHES - 1) == stretch
            });
            let (mut runs, mut recovered, mut sum) = (0, 0, 0.0);
            for answers in own {
                runs += answers.runs;
                recovered += answers.recovered;
                sum += answers.runs as f64 * self.x(answers.at);
            }
            if runs >= FEWEST {
                let interval = wilson(recovered, runs);
                let centre = (sum / runs as f64, y.at(recovered as f64 / runs as f64));
                let interval = [y.at(interval.low), y.at(interval.high)];
                marker::dot_in_interval(canvas, centre, interval, theme::INK);
            }
        }
    }

    /// The value above the place where it tips.
    fn label(&self, canvas: &mut Canvas<'_>, point: &TippingPoint) {
        let found = point.tips_at;
        let width = found.interval.high - found.interval.low;
        let label = format!(
            "{}{} [{}–{}]",
            decimal(found.value, width),
            self.unit,
            decimal(found.interval.low, width),
            decimal(found.interval.high, width)
        );
        let half = font::width(&label, theme::SMALL) / 2.0;
        let x = self.x(found.value).clamp(self.plot.left + half, self.plot.right() - half);
        let lettering = Lettering::new(theme::SMALL, theme::TRIGGER_INK, Anchor::Middle);
        canvas.text(&label, (x, self.plot.top - 7.0), lettering);
    }
}
