//! When triggers act: a shade over the data and their names above it.

use crate::model::{Disturbance, Trigger};
use crate::time::Span;

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::geometry::{Area, Point};
use super::scale::Scale;
use super::ticks::short;
use super::{font, text, theme};

/// Height of a row of names.
pub(super) const ROW: f64 = 19.0;
/// No name is longer than this.
const LONGEST: f64 = 220.0;
/// Between the paper behind two names, one above the other.
const APART_UP: f64 = 2.0;
/// Between two names on a row.
const APART: f64 = 12.0;

/// The triggers of a run, with their names in rows such that none covers another.
#[derive(Clone, Debug)]
pub(super) struct Disturbances {
    shown: Vec<Shown>,
    rows: usize,
}

/// `gc: 2 s stall`; the name alone where there is no room for more.
fn words(trigger: &Trigger, room: f64) -> String {
    let kind = match trigger.disturbance {
        Disturbance::Stall { .. } => "stall",
        Disturbance::Slowdown { .. } => "slowdown",
        Disturbance::Surge { .. } => "surge",
        Disturbance::Outage(_) => "outage",
        Disturbance::Latency { .. } => "latency",
        Disturbance::ErrorShare { .. } => "errors",
        Disturbance::Loss { .. } => "loss",
        Disturbance::Flush { .. } => "cache flush",
        Disturbance::Capacity { .. } => "capacity change",
    };
    let lasts = match trigger.lasts {
        Span::ZERO => String::new(),
        lasts => format!("{} s ", short(lasts.as_secs_f64())),
    };
    let words = format!("{}: {lasts}{kind}", trigger.name);
    let words =
        if font::width(&words, theme::SMALL) <= room { words } else { trigger.name.clone() };
    text::fit(&words, theme::SMALL, room)
}

#[derive(Clone, Debug)]
struct Shown {
    from: f64,
    to: f64,
    name: String,
    /// Where the name begins.
    left: f64,
    row: usize,
}

impl Disturbances {
    /// `triggers` along the time axis `x`, their names within `plot`.
    pub(super) fn new(triggers: &[Trigger], plot: Area, x: Scale) -> Self {
        let mut shown: Vec<Shown> = triggers
            .iter()
            .map(|trigger| {
                let (from, to) =
                    (x.at(trigger.begins.as_secs_f64()), x.at(trigger.ends().as_secs_f64()));
                let name = words(trigger, LONGEST.min(plot.width));
                let width = font::width(&name, theme::SMALL);
                let left =
                    (f64::midpoint(from, to) - width / 2.0).clamp(plot.left, plot.right() - width);
                Shown { from, to, name, left, row: 0 }
            })
            .collect();
        shown.sort_by(|a, b| a.left.total_cmp(&b.left));
        let mut ends: Vec<f64> = Vec::new();
        for trigger in &mut shown {
            let row =
                ends.iter().position(|&end| end + APART <= trigger.left).unwrap_or(ends.len());
            ends.resize(ends.len().max(row + 1), 0.0);
            ends[row] = trigger.left + font::width(&trigger.name, theme::SMALL);
            trigger.row = row;
        }
        Self { shown, rows: ends.len() }
    }

    /// How much room the names need above a plot.
    pub(super) fn height(&self) -> f64 {
        self.rows as f64 * ROW
    }

    /// Shades `plot`. A trigger too short to be seen is still shown, a pixel and a half wide.
    pub(super) fn shade(&self, canvas: &mut Canvas<'_>, plot: Area) {
        for trigger in &self.shown {
            let width = (trigger.to - trigger.from).max(1.5);
            canvas.fill(Area { left: trigger.from, width, ..plot }, theme::TRIGGER);
        }
    }

    /// Writes the names above `plot`, with a tie to the shade from rows further up.
    pub(super) fn names(&self, canvas: &mut Canvas<'_>, plot: Area) {
        // All ties before all names: a tie passes behind the name of another, and not through it.
        for trigger in self.shown.iter().filter(|trigger| trigger.row > 0) {
            let tie: [Point; 2] =
                [(trigger.from, plot.top), (trigger.from, baseline(plot, trigger.row) + 3.0)];
            canvas.line(&tie, Stroke(theme::TRIGGER, theme::THIN));
        }
        for trigger in &self.shown {
            let lettering = Lettering::new(theme::SMALL, theme::TRIGGER_INK, Anchor::Start);
            let at = (trigger.left, baseline(plot, trigger.row));
            let width = font::width(&trigger.name, theme::SMALL);
            let behind =
                Area { left: at.0, top: at.1 - theme::SMALL, width, height: ROW - APART_UP };
            canvas.fill(behind, theme::PAPER);
            canvas.text(&trigger.name, at, lettering);
        }
    }
}

fn baseline(plot: Area, row: usize) -> f64 {
    plot.top - 6.0 - row as f64 * ROW
}
