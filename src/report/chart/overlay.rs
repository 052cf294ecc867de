//! Who comes back, and when: the goodput of all runs over one another.

use crate::experiment::Run;
use crate::model::Model;

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::disturbance::{self, Disturbances};
use super::document::Chart;
use super::geometry::Area;
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::scale::Scale;
use super::series::{Series, windows_per_stretch};
use super::spread::spread;
use super::ticks::Ticks;
use super::{axis, caption, font, text, theme};

const PLOT_HEIGHT: f64 = 440.0;
/// From the ends of the lines to their labels.
const LEADER: f64 = theme::TICK + 22.0;
/// Between a label and the tick that repeats its line.
const OFF: f64 = 6.0;
const LABEL_LINES: f64 = 40.0;
const WIDEST_LABEL: f64 = 330.0;
const STRETCHES: usize = 400;

struct Line {
    name: String,
    verdict: String,
    goodput: Series,
    demand: Series,
    /// When it was back to normal, seconds.
    back: Option<f64>,
    stroke: Stroke,
    /// Its dashes and gaps, where others have its colour.
    pattern: &'static [f64],
}

/// The goodput of every run in one plot, each line named at its end, with the triggers shaded.
///
/// Fresh demand is drawn if it is the same for all. Triggers are those of every run, each once.
pub fn overlay(title: &str, runs: &[(&Model, &Run)]) -> Chart {
    let lines = lines(runs);
    let horizon = runs.iter().map(|(model, _)| model.horizon.as_secs_f64()).fold(0.0, f64::max);
    let top =
        lines.iter().map(|line| line.goodput.top().max(line.demand.top())).fold(0.0, f64::max);
    // The rings of those who come back at full speed need room below the names of the triggers.
    let rates = Ticks::over(1.04 * top, 6);
    let heading = Heading::new(title, &subtitle(runs), keys(&lines));
    if runs.is_empty() {
        return Chart::draw(title, heading.bottom() + theme::MARGIN, |canvas| heading.draw(canvas));
    }

    let labels = lines
        .iter()
        .map(|line| {
            font::width(&line.name, theme::TEXT).max(font::width(&line.verdict, theme::SMALL))
        })
        .fold(0.0, f64::max)
        .min(WIDEST_LABEL);
    let widest_mark =
        rates.marks().map(|(_, label)| font::width(&label, theme::SMALL)).fold(0.0, f64::max);
    let left = theme::MARGIN + 24.0 + widest_mark + 7.0;
    let height = PLOT_HEIGHT.max(LABEL_LINES * lines.len() as f64);
    let width = theme::WIDTH - theme::MARGIN - labels - LEADER - left;
    let mut plot = Area { left, top: heading.bottom(), width, height };
    let x = Scale { of: [0.0, horizon], onto: [plot.left, plot.right()] };
    let mut triggers: Vec<_> =
        runs.iter().flat_map(|(model, _)| &model.triggers).cloned().collect();
    triggers.sort_by(|a, b| (a.begins, a.lasts, &a.name).cmp(&(b.begins, b.lasts, &b.name)));
    triggers.dedup();
    let disturbances = Disturbances::new(&disturbance::triggers(&triggers), plot, x);
    plot.top += disturbances.height();
    let y = Scale { of: [0.0, rates.top()], onto: [plot.bottom(), plot.top] };

    let bottom = plot.bottom() + axis::LABELS_BELOW + theme::MARGIN - 8.0;
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        disturbances.shade(canvas, plot);
        disturbances.names(canvas, plot);
        axis::vertical(canvas, plot, y, &rates);
        axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, "goodput per second");
        let time = Ticks::of_seconds(horizon, 10);
        axis::horizontal(canvas, plot, x, &time);
        axis::labels_below(canvas, plot, x, &time, "s");
        draw_lines(canvas, &lines, x, y);
        draw_labels(canvas, &lines, plot, x, y);
    })
}

fn lines(runs: &[(&Model, &Run)]) -> Vec<Line> {
    let windows = runs.iter().map(|(_, run)| run.recording.timeline.windows().len()).max();
    let together = windows_per_stretch(windows.unwrap_or(0), STRETCHES);
    let one_seed = same(runs, |_, run| run.seed);
    let lines = runs.iter().enumerate().map(|(index, &(model, run))| {
        let timeline = &run.recording.timeline;
        let seed = if one_seed { String::new() } else { format!(", seed {}", run.seed) };
        // Beyond the last colour they begin again, in dashes.
        let colour = theme::SERIES[index % theme::SERIES.len()];
        let pattern = theme::PATTERNS[index / theme::SERIES.len() % theme::PATTERNS.len()];
        Line {
            name: text::fit(&format!("{}{seed}", run.variant), theme::TEXT, WIDEST_LABEL),
            verdict: text::fit(&caption::short(model, run), theme::SMALL, WIDEST_LABEL),
            goodput: Series::of(timeline, model.horizon, together, |window, length| {
                window.goodput as f64 / length
            }),
            demand: Series::of(timeline, model.horizon, together, |window, length| {
                window.arrivals as f64 / length
            }),
            back: run.assessment.back_at.map(|at| at.as_secs_f64()),
            stroke: Stroke(colour, theme::STRONG),
            pattern,
        }
    });
    lines.collect()
}

fn same<T: PartialEq>(runs: &[(&Model, &Run)], of: impl Fn(&Model, &Run) -> T) -> bool {
    runs.windows(2).all(|pair| of(pair[0].0, pair[0].1) == of(pair[1].0, pair[1].1))
}

fn common_demand(lines: &[Line]) -> Option<&Series> {
    let first = &lines.first()?.demand;
    lines.iter().all(|line| line.demand == *first).then_some(first)
}

fn subtitle(runs: &[(&Model, &Run)]) -> String {
    match runs.first() {
        None => "no runs".to_owned(),
        Some((_, run)) if same(runs, |_, run| run.seed) => {
            format!("Requests answered in time, seed {}", run.seed)
        }
        Some(_) => "Requests answered in time".to_owned(),
    }
}

fn keys(lines: &[Line]) -> Vec<Key> {
    let mut keys = Vec::new();
    if common_demand(lines).is_some() {
        keys.push(Key::new(Mark::Line(Stroke(theme::DEMAND, theme::THIN)), "fresh demand"));
    }
    if lines.iter().any(|line| line.back.is_some()) {
        keys.push(Key::new(Mark::Ring, "back to normal"));
    }
    keys
}

fn draw_lines(canvas: &mut Canvas<'_>, lines: &[Line], x: Scale, y: Scale) {
    if let Some(demand) = common_demand(lines) {
        canvas.lines(&demand.lines(x, y), Stroke(theme::DEMAND, theme::THIN));
    }
    // The first is the scenario as written: it lies on top of those that are unbroken. Between the
    // dashes of the others is room for whatever is beneath.
    let (broken, whole): (Vec<&Line>, Vec<&Line>) =
        lines.iter().rev().partition(|line| !line.pattern.is_empty());
    for line in whole.into_iter().chain(broken) {
        for piece in line.goodput.lines(x, y) {
            canvas.patterned(&piece, line.stroke, line.pattern);
        }
    }
    for line in lines.iter().rev() {
        let Some(back) = line.back else { continue };
        let reached = line.goodput.0.iter().find(|stretch| stretch.to > back);
        let height = y.at(reached.map_or(0.0, |stretch| stretch.mean));
        super::marker::ring(canvas, (x.at(back), height), line.stroke.0);
    }
}

fn draw_labels(canvas: &mut Canvas<'_>, lines: &[Line], plot: Area, x: Scale, y: Scale) {
    let ends: Vec<(f64, f64)> = lines
        .iter()
        .map(|line| {
            line.goodput
                .0
                .last()
                .map_or((plot.right(), plot.bottom()), |last| (x.at(last.to), y.at(last.mean)))
        })
        .collect();
    let wanted: Vec<f64> = ends.iter().map(|(_, height)| *height).collect();
    let half = LABEL_LINES / 2.0;
    let heights =
        spread(&wanted, LABEL_LINES, [plot.top + half - 8.0, plot.bottom() - half + 12.0]);
    for ((line, end), height) in lines.iter().zip(ends).zip(heights) {
        let left = plot.right() + LEADER;
        let turn = left - OFF - theme::TICK;
        // Begun anew at the tick: there it is compared.
        let leader = [end, (plot.right() + 4.0, end.1), (turn, height)];
        canvas.patterned(&leader, line.stroke, line.pattern);
        canvas.patterned(&[(turn, height), (left - OFF, height)], line.stroke, line.pattern);
        let name = Lettering::new(theme::TEXT, theme::INK, Anchor::Start);
        canvas.text(&line.name, (left, height - 2.0), name);
        canvas.text(
            &line.verdict,
            (left, height + 15.0),
            Lettering::new(theme::SMALL, theme::MUTED, Anchor::Start),
        );
    }
}
