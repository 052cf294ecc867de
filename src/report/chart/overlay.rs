//! Who comes back, and when: the goodput of all runs over one another.

use crate::experiment::Run;
use crate::model::Model;

use super::activity::Reach;
use super::canvas::{Canvas, Stroke};
use super::disturbance::{self, Disturbances};
use super::document::Chart;
use super::endings::{Look, Name};
use super::geometry::{Area, Point};
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::scale::Scale;
use super::series::{Series, windows_per_stretch};
use super::ticks::Ticks;
use super::{axis, caption, endings, font, theme};

const PLOT_HEIGHT: f64 = 440.0;
const STRETCHES: usize = 400;

struct Line {
    name: Name,
    /// Goodput, 1/s, or how many requests are open.
    shown: Series,
    demand: Series,
    /// When it was back to normal, seconds.
    back: Option<f64>,
    look: Look,
}

impl Line {
    /// Where it ends in the plot.
    fn end(&self, plot: Area, x: Scale, y: Scale) -> Point {
        let last = self.shown.0.last();
        last.map_or((plot.right(), plot.bottom()), |last| (x.at(last.to), y.at(last.mean)))
    }
}

/// What the lines show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Goodput,
    /// How many requests are open, where none is ever answered: lines of goodput would all be zero.
    Open,
}

/// The goodput of every run in one plot, each line named at its end, with the triggers shaded.
///
/// Fresh demand is drawn if it is the same for all. Triggers are those of every run, each once; of what
/// an operator did, only what was done in all of them at once. Where no run answers anything, the lines
/// show how many requests are open. The time axis ends early where nothing happens any more.
pub fn overlay(title: &str, runs: &[(&Model, &Run)]) -> Chart {
    let is_answered = |run: &Run| run.recording.timeline.windows().iter().any(|w| w.goodput > 0);
    let what =
        if runs.iter().any(|(_, run)| is_answered(run)) { Shown::Goodput } else { Shown::Open };
    let lines = lines(runs, what);
    let reach = Reach::of(runs);
    let demand = common_demand(&lines, what).map_or(0.0, Series::top);
    let top = lines.iter().map(|line| line.shown.top()).fold(demand, f64::max);
    // The rings of those who come back at full speed need room below the names of the triggers.
    let rates = Ticks::over(1.04 * top, 6);
    let heading = Heading::new(title, &subtitle(runs, what, reach), keys(&lines, what));
    if runs.is_empty() {
        return Chart::draw(title, heading.bottom() + theme::MARGIN, |canvas| heading.draw(canvas));
    }

    let widest_mark =
        rates.marks().map(|(_, label)| font::width(&label, theme::SMALL)).fold(0.0, f64::max);
    let left = theme::MARGIN + 24.0 + widest_mark + 7.0;
    let height = PLOT_HEIGHT.max(endings::HEIGHT * lines.len() as f64);
    let width =
        theme::WIDTH - theme::MARGIN - endings::room(lines.iter().map(|line| &line.name)) - left;
    let mut plot = Area { left, top: heading.bottom(), width, height };
    let x = Scale { of: [0.0, reach.end], onto: [plot.left, plot.right()] };
    let mut triggers: Vec<_> =
        runs.iter().flat_map(|(model, _)| &model.triggers).cloned().collect();
    triggers.sort_by(|a, b| (a.begins, a.lasts, &a.name).cmp(&(b.begins, b.lasts, &b.name)));
    triggers.dedup();
    let mut acts = disturbance::triggers(&triggers);
    acts.extend(disturbance::levers_of_all(runs));
    let disturbances = Disturbances::new(&acts, plot, x);
    plot.top += disturbances.height();
    let y = Scale { of: [0.0, rates.top()], onto: [plot.bottom(), plot.top] };

    let bottom = plot.bottom() + axis::LABELS_BELOW + theme::MARGIN - 8.0;
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        disturbances.shade(canvas, plot);
        disturbances.names(canvas, plot);
        axis::vertical(canvas, plot, y, &rates);
        axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, what.axis());
        let time = Ticks::of_seconds(reach.end, 10);
        axis::horizontal(canvas, plot, x, &time);
        axis::labels_below(canvas, plot, x, &time, "s");
        draw_lines(canvas, &lines, what, x, y);
        let named = lines.iter().map(|line| (&line.name, line.look, line.end(plot, x, y)));
        endings::draw(canvas, plot, &named.collect::<Vec<_>>());
    })
}

fn lines(runs: &[(&Model, &Run)], what: Shown) -> Vec<Line> {
    let windows = runs.iter().map(|(_, run)| run.recording.timeline.windows().len()).max();
    let together = windows_per_stretch(windows.unwrap_or(0), STRETCHES);
    let one_seed = same(runs, |_, run| run.seed);
    let lines = runs.iter().enumerate().map(|(index, &(model, run))| {
        let timeline = &run.recording.timeline;
        let seed = if one_seed { String::new() } else { format!(", seed {}", run.seed) };
        Line {
            name: Name::new(&format!("{}{seed}", run.variant), &caption::short(model, run)),
            shown: match what {
                Shown::Goodput => {
                    Series::of(timeline, model.horizon, together, |window, length| {
                        window.goodput as f64 / length
                    })
                }
                Shown::Open => Series::of_open(timeline, model.horizon, together),
            },
            demand: Series::of(timeline, model.horizon, together, |window, length| {
                window.arrivals as f64 / length
            }),
            back: run.assessment.back_at.map(|at| at.as_secs_f64()),
            look: Look::of(index),
        }
    });
    lines.collect()
}

fn same<T: PartialEq>(runs: &[(&Model, &Run)], of: impl Fn(&Model, &Run) -> T) -> bool {
    runs.windows(2).all(|pair| of(pair[0].0, pair[0].1) == of(pair[1].0, pair[1].1))
}

fn common_demand(lines: &[Line], what: Shown) -> Option<&Series> {
    if what == Shown::Open {
        return None;
    }
    let first = &lines.first()?.demand;
    lines.iter().all(|line| line.demand == *first).then_some(first)
}

impl Shown {
    const fn axis(self) -> &'static str {
        match self {
            Self::Goodput => "goodput per second",
            Self::Open => "open requests",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Goodput => "Requests answered in time",
            Self::Open => "No request is answered: how many are still open",
        }
    }
}

fn subtitle(runs: &[(&Model, &Run)], what: Shown, reach: Reach) -> String {
    let Some((_, first)) = runs.first() else {
        return "no runs".to_owned();
    };
    let mut parts = vec![what.words().to_owned()];
    if same(runs, |_, run| run.seed) {
        parts.push(format!("seed {}", first.seed));
    }
    parts.extend(reach.words());
    parts.join(", ")
}

fn keys(lines: &[Line], what: Shown) -> Vec<Key> {
    let mut keys = Vec::new();
    if common_demand(lines, what).is_some() {
        keys.push(Key::new(Mark::Line(Stroke(theme::DEMAND, theme::THIN)), "fresh demand"));
    }
    if lines.iter().any(|line| line.back.is_some()) {
        keys.push(Key::new(Mark::Ring, "back to normal"));
    }
    keys
}

fn draw_lines(canvas: &mut Canvas<'_>, lines: &[Line], what: Shown, x: Scale, y: Scale) {
    if let Some(demand) = common_demand(lines, what) {
        canvas.lines(&demand.lines(x, y), Stroke(theme::DEMAND, theme::THIN));
    }
    // The first is the scenario as written: it lies on top of those that are unbroken. Between the
    // dashes of the others is room for whatever is beneath.
    let (broken, whole): (Vec<&Line>, Vec<&Line>) =
        lines.iter().rev().partition(|line| !line.look.pattern.is_empty());
    for line in whole.into_iter().chain(broken) {
        for piece in line.shown.lines(x, y) {
            canvas.patterned(&piece, line.look.stroke, line.look.pattern);
        }
    }
    for line in lines.iter().rev() {
        let Some(back) = line.back else { continue };
        let reached = line.shown.0.iter().find(|stretch| stretch.to > back);
        let height = y.at(reached.map_or(0.0, |stretch| stretch.mean));
        super::marker::ring(canvas, (x.at(back), height), line.look.stroke.0);
    }
}
