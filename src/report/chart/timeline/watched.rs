//! What a panel shows of its run.

use crate::analysis::Verdict;
use crate::experiment::Run;
use crate::id::ServiceId;
use crate::model::Model;
use crate::observe::Window;
use crate::report::chart::activity::Reach;
use crate::report::chart::ceiling::Ceiling;
use crate::report::chart::series::{Series, windows_per_stretch};
use crate::report::chart::ticks::short;

/// A run in quantities that are drawn.
#[derive(Clone, Debug)]
pub(in crate::report) struct Watched<'a> {
    pub model: &'a Model,
    pub run: &'a Run,
    /// What the panel is called.
    pub name: String,
    /// How many windows make a stretch.
    pub together: usize,
    /// Fresh requests, 1/s.
    pub demand: Series,
    /// Requests answered in time, 1/s.
    pub goodput: Series,
    /// Attempts sent, 1/s.
    pub attempts: Series,
    /// Waiting time, seconds.
    pub waiting: Series,
    /// Requests that are open.
    pub open: Series,
    /// What bounds the service; none if several services share the windows.
    pub ceiling: Option<Ceiling>,
    /// What the clients wait for at most, seconds, with a label, shortest first.
    pub timeouts: Vec<(f64, String)>,
}

/// Every run, drawn in at most `most` stretches.
pub(in crate::report) fn all<'a>(runs: &[(&'a Model, &'a Run)], most: usize) -> Vec<Watched<'a>> {
    let one_seed = runs.windows(2).all(|pair| pair[0].1.seed == pair[1].1.seed);
    let windows = runs.iter().map(|(_, run)| run.recording.timeline.windows().len()).max();
    let together = windows_per_stretch(windows.unwrap_or(0), most);
    runs.iter()
        .map(|&(model, run)| {
            let name = if one_seed {
                run.variant.clone()
            } else {
                format!("{}, seed {}", run.variant, run.seed)
            };
            Watched::new(model, run, name, together)
        })
        .collect()
}

impl<'a> Watched<'a> {
    fn new(model: &'a Model, run: &'a Run, name: String, together: usize) -> Self {
        let series = |quantity: &dyn Fn(&Window, f64) -> f64| {
            Series::of(&run.recording.timeline, model.horizon, together, quantity)
        };
        let all: f64 = model.services.iter().map(|service| service.capacity().per_second()).sum();
        Self {
            model,
            run,
            name,
            together,
            demand: series(&|window, length| window.arrivals as f64 / length),
            goodput: series(&|window, length| window.goodput as f64 / length),
            attempts: series(&|window, length| window.attempts as f64 / length),
            waiting: series(&|window, _| waiting(window, all)),
            open: Series::of_open(&run.recording.timeline, model.horizon, together),
            ceiling: match model.services.as_slice() {
                [_] => Some(Ceiling::of(model, ServiceId(0))),
                _ => None,
            },
            timeouts: timeouts(model),
        }
    }

    pub(in crate::report) fn verdict(&self) -> Verdict {
        self.run.assessment.verdict
    }
}

/// The wait of those who were served; while nothing starts, the wait that has piled up.
fn waiting(window: &Window, capacity: f64) -> f64 {
    match window.started {
        0 if window.queue == 0 => 0.0,
        0 => window.queue as f64 / capacity,
        started => window.waited.as_secs_f64() / started as f64,
    }
}

fn timeouts(model: &Model) -> Vec<(f64, String)> {
    let mut lengths: Vec<f64> = model
        .clients
        .iter()
        .filter_map(|client| client.edge.timeout)
        .map(|timeout| timeout.as_secs_f64())
        .collect();
    lengths.sort_by(f64::total_cmp);
    lengths.dedup();
    match lengths.as_slice() {
        [one] => vec![(*one, "timeout".to_owned())],
        several => {
            several.iter().map(|&length| (length, format!("timeout {} s", short(length)))).collect()
        }
    }
}

/// What all panels have in common, in a sentence.
pub(in crate::report) fn subtitle(
    runs: &[(&Model, &Run)],
    watched: &[Watched<'_>],
    reach: Reach,
) -> String {
    let (Some((first, run)), Some(shown)) = (runs.first(), watched.first()) else {
        return "no runs".to_owned();
    };
    let mut parts = Vec::new();
    if runs.iter().all(|(_, other)| other.seed == run.seed) {
        parts.push(format!("seed {}", run.seed));
    }
    if runs.iter().all(|(model, _)| model.window == first.window) {
        parts.push(format!("windows of {} s", short(first.window.as_secs_f64())));
    }
    if shown.together > 1 {
        parts.push(format!("drawn as means of {} with a band over their goodput", shown.together));
    }
    parts.extend(reach.words());
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;

    #[test]
    fn those_who_started_tell_the_wait_and_the_backlog_where_none_did() {
        let check = |started, waited_s, queue, expected| {
            let window =
                Window { started, waited: Span::from_secs(waited_s), queue, ..Window::default() };
            assert_eq!(waiting(&window, 100.0), expected, "{window:?}");
        };
        check(4, 8, 1_000, 2.0);
        check(0, 0, 150, 1.5);
        check(0, 0, 0, 0.0);
    }
}
