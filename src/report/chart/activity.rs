//! Which requests are open, and until when anything happens.

use crate::experiment::Run;
use crate::model::Model;
use crate::observe::{Timeline, Window};

use super::ticks::{Ticks, short};

/// The axis is cut if nothing happens in this share of the run, or more, at its end.
const WORTH_A_CUT: f64 = 1.0 / 3.0;

/// How many requests are open at the end of every window: arrived, and neither answered nor failed.
pub(super) fn open_requests(timeline: &Timeline) -> Vec<u64> {
    let mut open = 0_u64;
    let after = |window: &Window| {
        open = (open + window.arrivals).saturating_sub(window.goodput + window.failed);
        open
    };
    timeline.windows().iter().map(after).collect()
}

/// How far the time axis of some runs goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::report) struct Reach {
    /// The end of the axis, seconds.
    pub end: f64,
    /// When the last thing happens and when the longest run ends, seconds, if the axis does not show
    /// all that is between.
    cut: Option<[f64; 2]>,
}

impl Reach {
    /// The horizon, unless nothing happens for long before it: a wave of a second must not be a
    /// stroke at the edge of an empty minute.
    pub(in crate::report) fn of(runs: &[(&Model, &Run)]) -> Self {
        let most = |of: fn(&Model, &Run) -> f64| {
            runs.iter().map(|(model, run)| of(model, run)).fold(0.0, f64::max)
        };
        let horizon = most(|model, _| model.horizon.as_secs_f64());
        let last = most(last);
        let end = Ticks::over(1.05 * last, 10).top();
        if last == 0.0 || end > (1.0 - WORTH_A_CUT) * horizon {
            return Self { end: horizon, cut: None };
        }
        Self { end, cut: Some([last, horizon]) }
    }

    /// What a reader must know of what is not shown.
    pub(in crate::report) fn words(&self) -> Option<String> {
        let [last, horizon] = self.cut?.map(short);
        Some(format!("nothing happens from second {last} to the end at second {horizon}"))
    }
}

/// The end of the last window of a run in which anything happens, is open or is planned.
fn last(model: &Model, run: &Run) -> f64 {
    let timeline = &run.recording.timeline;
    let is_quiet = |(window, open): (&Window, u64)| open == 0 && *window == Window::default();
    let windows = timeline.windows().iter().zip(open_requests(timeline));
    let quiet = windows.rev().take_while(|seen| is_quiet(*seen)).count();
    let busy = timeline.windows().len() - quiet;
    let busy = timeline.width().saturating_mul(busy as u64).min(model.horizon).as_secs_f64();
    let planned = model.triggers.iter().map(|trigger| trigger.ends().as_secs_f64());
    let pulled = run.recording.pulls.iter().map(|(_, at)| at.as_secs_f64());
    planned.chain(pulled).fold(busy, f64::max)
}
