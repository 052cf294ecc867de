//! One run: its name and verdict, its rates, its waiting time.

use super::extent::{Extent, Lower, beyond};
use super::watched::Watched;
use crate::analysis::Verdict;
use crate::report::chart::canvas::{Canvas, Stroke};
use crate::report::chart::caption::Head;
use crate::report::chart::disturbance::{self, Disturbances};
use crate::report::chart::geometry::Area;
use crate::report::chart::legend::{Key, Mark};
use crate::report::chart::scale::Scale;
use crate::report::chart::ticks::{Ticks, number, short};
use crate::report::chart::{axis, font, marker, theme};

/// Sizes that depend on how many panels there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    columns: usize,
    rates: f64,
    waiting: f64,
}

/// Room for the names of the vertical axes, and for labels to the right of a plot.
const AXIS_NAME: f64 = 24.0;
const GUTTER: f64 = 84.0;
const BELOW_CAPTION: f64 = 8.0;
const BETWEEN_PLOTS: f64 = 22.0;

impl Layout {
    pub(super) fn new(columns: usize, panels: usize) -> Self {
        let (rates, waiting) = match (columns, panels) {
            (1, 0 | 1) => (360.0, 120.0),
            (1, _) => (230.0, 84.0),
            _ => (176.0, 72.0),
        };
        Self { columns, rates, waiting }
    }

    /// From the top of the upper plot to the bottom of the labels below the lower one.
    pub(super) fn height(self) -> f64 {
        self.rates + BETWEEN_PLOTS + self.waiting + axis::LABELS_BELOW
    }

    /// As many stretches as can be told apart.
    pub(super) fn stretches(self) -> usize {
        500 / self.columns
    }

    fn time_marks(self) -> u32 {
        if self.columns == 1 { 12 } else { 6 }
    }
}

/// A run laid out.
#[derive(Clone, Debug)]
pub(super) struct Panel<'a> {
    watched: &'a Watched<'a>,
    layout: Layout,
    head: Head,
    /// Where the panel begins.
    top: f64,
    left: f64,
    rates: Area,
    waiting: Area,
    time: Scale,
    disturbances: Disturbances,
}

impl<'a> Panel<'a> {
    /// `area` is the panel's, but its plots move down by what stands above them.
    pub(super) fn new(
        watched: &'a Watched<'a>,
        extent: &Extent,
        layout: Layout,
        area: Area,
    ) -> Self {
        let widest = extent
            .rates
            .marks()
            .chain(extent.below.marks())
            .map(|(_, label)| font::width(&label, theme::SMALL))
            .fold(0.0, f64::max);
        let left = area.left + AXIS_NAME + widest + 7.0;
        let width = area.left + area.width - GUTTER - left;
        let rates = Area { left, top: area.top, width, height: layout.rates };
        let waiting = Area { top: rates.bottom() + BETWEEN_PLOTS, height: layout.waiting, ..rates };
        let time = Scale { of: [0.0, extent.end], onto: [rates.left, rates.right()] };
        let mut acts = disturbance::triggers(&watched.model.triggers);
        acts.extend(disturbance::levers(watched.model, &watched.run.recording.pulls, |_| true));
        Self {
            watched,
            layout,
            head: Head::new(&watched.name, watched.model, watched.run, area.width),
            top: area.top,
            left: area.left,
            rates,
            waiting,
            time,
            disturbances: Disturbances::new(&acts, rates, time),
        }
    }

    /// How much room stands above the plots.
    pub(super) fn above(&self) -> f64 {
        self.head.height() + BELOW_CAPTION + self.disturbances.height()
    }

    /// With `above` pixels over the plots, so that the plots of a row stand side by side.
    pub(super) fn lowered(mut self, above: f64) -> Self {
        self.rates.top += above;
        self.waiting.top += above;
        self
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, extent: &Extent) {
        self.head.draw(canvas, (self.left, self.top));
        for plot in [self.rates, self.waiting] {
            self.disturbances.shade(canvas, plot);
        }
        self.disturbances.names(canvas, self.rates);
        self.rates(canvas, &extent.rates);
        self.below(canvas, extent);
        let time = Ticks::of_seconds(extent.end, self.layout.time_marks());
        axis::horizontal(canvas, self.rates, self.time, &time);
        axis::horizontal(canvas, self.waiting, self.time, &time);
        axis::labels_below(canvas, self.waiting, self.time, &time, "s");
        if let Some(back) = self.watched.run.assessment.back_at {
            let x = self.time.at(back.as_secs_f64());
            marker::back(canvas, (x, self.rates.bottom() + 5.0));
        }
    }

    fn rates(&self, canvas: &mut Canvas<'_>, ticks: &Ticks) {
        let (plot, x) = (self.rates, self.time);
        let y = Scale { of: [0.0, ticks.top()], onto: [plot.bottom(), plot.top] };
        axis::vertical(canvas, plot, y, ticks);
        axis::name_upwards(canvas, plot, self.left + 14.0, "per second");
        let run = self.watched;
        canvas.polygon(&run.goodput.filled(plot, x, y), theme::GOODPUT_FILL);
        if run.together > 1 {
            canvas.polygon(&run.goodput.envelope(x, y), theme::GOODPUT_BAND);
        }
        let mut labels = Vec::new();
        labels.extend(run.ceiling.as_ref().map(|ceiling| ceiling.draw(canvas, plot, x, y)));
        // Goodput comes last: where it meets the others, nothing is missing.
        canvas.lines(&run.attempts.lines(x, y), Stroke(theme::ATTEMPTS, theme::MEDIUM));
        canvas.lines(&run.demand.lines(x, y), Stroke(theme::DEMAND, theme::THIN));
        canvas.lines(&run.goodput.lines(x, y), Stroke(theme::GOODPUT, theme::STRONG));
        if let Some(most) = beyond(&run.attempts, ticks) {
            labels.push((plot.top, format!("↑ {}", number(most, 0)), theme::ATTEMPTS));
        }
        axis::labels_beside(canvas, plot, GUTTER - 8.0, &labels);
    }

    fn below(&self, canvas: &mut Canvas<'_>, extent: &Extent) {
        let (plot, x, ticks) = (self.waiting, self.time, &extent.below);
        let y = Scale { of: [0.0, ticks.top()], onto: [plot.bottom(), plot.top] };
        axis::vertical(canvas, plot, y, ticks);
        let run = self.watched;
        let (name, series, timeouts) = match extent.lower {
            Lower::Waiting => ("waiting, s", &run.waiting, run.timeouts.as_slice()),
            Lower::Open => ("open", &run.open, [].as_slice()),
        };
        axis::name_upwards(canvas, plot, self.left + 14.0, name);
        canvas.polygon(&series.filled(plot, x, y), theme::WAITING_FILL);
        canvas.lines(&series.lines(x, y), Stroke(theme::WAITING, theme::MEDIUM));
        let mut labels = Vec::new();
        for (length, label) in timeouts {
            let height = y.at(*length);
            canvas.dashes(
                (plot.left, height),
                (plot.right(), height),
                Stroke(theme::LIMIT, theme::MEDIUM),
            );
            labels.push((height, label.clone(), theme::LIMIT));
        }
        if let Some(most) = beyond(series, ticks) {
            let digits =
                if most < 10.0 { short((most * 10.0).round() / 10.0) } else { number(most, 0) };
            labels.push((plot.top, format!("↑ {digits} s"), theme::WAITING));
        }
        axis::labels_beside(canvas, plot, GUTTER - 8.0, &labels);
    }
}

/// The keys of what any of the panels shows. Capacity, timeout and triggers are named where they
/// are.
pub(super) fn keys(watched: &[Watched<'_>], extent: &Extent) -> Vec<Key> {
    let below = match extent.lower {
        Lower::Waiting => "waiting time",
        Lower::Open => "requests open: neither answered nor given up",
    };
    let mut keys = vec![
        Key::new(Mark::Line(Stroke(theme::DEMAND, theme::THIN)), "fresh demand"),
        Key::new(
            Mark::Filled(Stroke(theme::GOODPUT, theme::STRONG), theme::GOODPUT_FILL),
            "goodput: answered in time",
        ),
        Key::new(Mark::Line(Stroke(theme::ATTEMPTS, theme::MEDIUM)), "attempts sent"),
        Key::new(Mark::Filled(Stroke(theme::WAITING, theme::MEDIUM), theme::WAITING_FILL), below),
    ];
    if watched.iter().any(|run| run.verdict() == Verdict::Recovered) {
        keys.push(Key::new(Mark::Back, "back to normal"));
    }
    keys
}
