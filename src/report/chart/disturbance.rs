//! When triggers act, and what an operator does: a shade over the data and names above it.

use crate::experiment::Run;
use crate::id::LeverId;
use crate::model::{Action, Disturbance, Model, Trigger};
use crate::observe::Pulls;
use crate::time::{Span, Time};

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::colour::Colour;
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
/// The width of what has none.
const STROKE: f64 = 1.5;
/// Between two names on a row.
const APART: f64 = 12.0;

/// What happens to a run from outside, with the names in rows such that none covers another.
#[derive(Clone, Debug)]
pub(super) struct Disturbances {
    shown: Vec<Shown>,
    rows: usize,
}

/// Something that happens to a run from outside.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Act {
    name: String,
    /// What it does: `2 s stall`.
    does: String,
    /// Seconds.
    from: f64,
    to: f64,
    by: By,
}

/// Whose doing it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum By {
    /// The story's.
    Trigger,
    /// Somebody's who wants to help.
    Operator,
}

impl Act {
    /// From when to when, seconds.
    pub(in crate::report) const fn span(&self) -> [f64; 2] {
        [self.from, self.to]
    }

    /// Whose doing it is.
    pub(in crate::report) const fn by(&self) -> By {
        self.by
    }

    /// `gc: 2 s stall`, and the kind alone where the name says the same.
    pub(in crate::report) fn words(&self) -> String {
        let says_the_same = self.does.split(' ').any(|word| word == self.name);
        if says_the_same { self.does.clone() } else { format!("{}: {}", self.name, self.does) }
    }
}

impl By {
    const fn shade(self) -> Colour {
        match self {
            Self::Trigger => theme::TRIGGER,
            Self::Operator => theme::LEVER,
        }
    }

    const fn ink(self) -> Colour {
        match self {
            Self::Trigger => theme::TRIGGER_INK,
            Self::Operator => theme::LEVER_INK,
        }
    }
}

/// What the triggers do.
pub(in crate::report) fn triggers(triggers: &[Trigger]) -> Vec<Act> {
    let act = |trigger: &Trigger| {
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
        Act {
            name: trigger.name.clone(),
            does: does(trigger.lasts, kind),
            from: trigger.begins.as_secs_f64(),
            to: trigger.ends().as_secs_f64(),
            by: By::Trigger,
        }
    };
    triggers.iter().map(act).collect()
}

/// What an operator did in a run of `model`, as far as it is `shown`.
pub(in crate::report) fn levers(
    model: &Model,
    pulls: &Pulls,
    shown: impl Fn(&Action) -> bool,
) -> Vec<Act> {
    let act = |(id, at): (LeverId, Time)| {
        let lever = &model.levers[id.index()];
        let (lasts, kind) = match &lever.action {
            Action::Block { lasts, .. } => (*lasts, "block"),
            Action::DropQueue { .. } => (Span::ZERO, "drop of the queue"),
            Action::Restart { takes, .. } => (*takes, "restart"),
            Action::Change(_) => (Span::ZERO, "change"),
        };
        let ends = (at + lasts).min(Time::ZERO + model.horizon);
        Act {
            name: lever.name.clone(),
            does: does(lasts, kind),
            from: at.as_secs_f64(),
            to: ends.as_secs_f64(),
            by: By::Operator,
        }
    };
    pulls.iter().filter(|(id, _)| shown(&model.levers[id.index()].action)).map(act).collect()
}

/// What an operator did in every one of `runs`, at the same instants.
pub(super) fn levers_of_all(runs: &[(&Model, &Run)]) -> Vec<Act> {
    let mut each = runs.iter().map(|(model, run)| levers(model, &run.recording.pulls, |_| true));
    let first = each.next().unwrap_or_default();
    each.fold(first, |mut shared, acts| {
        shared.retain(|act| acts.contains(act));
        shared
    })
}

fn does(lasts: Span, kind: &str) -> String {
    match lasts {
        Span::ZERO => kind.to_owned(),
        lasts => format!("{} s {kind}", short(lasts.as_secs_f64())),
    }
}

/// `gc: 2 s stall`; the name alone where there is no room for more, and without it where it says
/// the same.
fn words(act: &Act, room: f64) -> String {
    let words = act.words();
    let words = if font::width(&words, theme::SMALL) <= room { words } else { act.name.clone() };
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
    by: By,
}

impl Disturbances {
    /// `acts` along the time axis `x`, their names within `plot`.
    pub(super) fn new(acts: &[Act], plot: Area, x: Scale) -> Self {
        let mut shown: Vec<Shown> = acts
            .iter()
            .map(|act| {
                let (from, to) = (x.at(act.from), x.at(act.to));
                let name = words(act, LONGEST.min(plot.width));
                let width = font::width(&name, theme::SMALL);
                let left =
                    (f64::midpoint(from, to) - width / 2.0).clamp(plot.left, plot.right() - width);
                Shown { from, to, name, left, row: 0, by: act.by }
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

    /// Shades `plot`. What is too short for a shade to be seen is a stroke in the colour of its name.
    pub(super) fn shade(&self, canvas: &mut Canvas<'_>, plot: Area) {
        for act in &self.shown {
            let width = act.to - act.from;
            let (width, colour) =
                if width < STROKE { (STROKE, act.by.ink()) } else { (width, act.by.shade()) };
            canvas.fill(Area { left: act.from, width, ..plot }, colour);
        }
    }

    /// Writes the names above `plot`, with a tie to the shade from rows further up.
    pub(super) fn names(&self, canvas: &mut Canvas<'_>, plot: Area) {
        // All ties before all names: a tie passes behind the name of another, and not through it.
        for trigger in self.shown.iter().filter(|trigger| trigger.row > 0) {
            let tie: [Point; 2] =
                [(trigger.from, plot.top), (trigger.from, baseline(plot, trigger.row) + 3.0)];
            canvas.line(&tie, Stroke(trigger.by.ink(), theme::THIN));
        }
        for trigger in &self.shown {
            let lettering = Lettering::new(theme::SMALL, trigger.by.ink(), Anchor::Start);
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
