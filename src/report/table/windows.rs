//! A run, window by window.

use super::value::{Record, record};
use crate::experiment::Summary;
use crate::model::Model;
use crate::observe::Window;
use crate::time::Time;

/// The windows of a run, each with the run it belongs to.
pub(super) fn rows(run: &Summary, _: &Model) -> Vec<Record> {
    let row = |window: Record| {
        let mut row = record([("variant", run.variant.as_str().into()), ("seed", run.seed.into())]);
        row.extend(window);
        row
    };
    of_timeline(run).into_iter().map(row).collect()
}

/// The same without it.
pub(super) fn of_timeline(run: &Summary) -> Vec<Record> {
    let windows = run.timeline.windows().iter().enumerate();
    windows.map(|(nth, window)| of_window(run.timeline.start(nth), *window)).collect()
}

/// Taken apart by name, so that a new field of [`Window`] asks to be written here.
fn of_window(start: Time, window: Window) -> Record {
    let Window {
        arrivals,
        goodput,
        failed,
        attempts,
        retries,
        hedges,
        repeats,
        timed_out,
        rejected,
        failed_at_once,
        shed,
        throughput,
        wasted,
        started,
        waited,
        queue,
    } = window;
    let waiting_mean = (started > 0).then(|| waited.as_secs_f64() / started as f64);
    record([
        ("start_s", start.as_secs_f64().into()),
        ("arrivals", arrivals.into()),
        ("goodput", goodput.into()),
        ("failed", failed.into()),
        ("attempts", attempts.into()),
        ("retries", retries.into()),
        ("hedges", hedges.into()),
        ("transport_repeats", repeats.into()),
        ("timed_out", timed_out.into()),
        ("rejected", rejected.into()),
        ("failed_at_once", failed_at_once.into()),
        ("shed", shed.into()),
        ("throughput", throughput.into()),
        ("wasted", wasted.into()),
        ("started", started.into()),
        ("waited_s", waited.as_secs_f64().into()),
        ("waiting_mean_s", waiting_mean.into()),
        ("queue", queue.into()),
    ])
}
