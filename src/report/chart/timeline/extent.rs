//! The scales that all panels share.

use super::watched::Watched;
use crate::report::chart::series::Series;
use crate::report::chart::ticks::Ticks;

/// Capacity is shown up to this many times the demand, attempts up to this many times what is shown of
/// both, and waits up to this many timeouts, before the scale is cut: above it a reader only loses what
/// happens below.
const CUT: f64 = 4.0;

/// How far the axes reach.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    /// The end of the time axis, seconds.
    pub horizon: f64,
    /// The axis of rates, 1/s.
    pub rates: Ticks,
    /// The axis of waiting, seconds.
    pub waiting: Ticks,
}

impl Extent {
    pub(super) fn of(watched: &[Watched<'_>]) -> Self {
        let most = |quantity: &dyn Fn(&Watched<'_>) -> f64| {
            watched.iter().map(quantity).fold(0.0, f64::max)
        };
        let demand = most(&|run| run.demand.top().max(run.goodput.top()));
        let is_near = |capacity: &f64| demand == 0.0 || *capacity <= CUT * demand;
        let base = most(&|run| run.capacity.filter(is_near).unwrap_or(0.0)).max(demand);
        let attempts = most(&|run| run.attempts.usual_top());
        let waits = most(&|run| run.waiting.top());
        let timeout = most(&|run| run.timeouts.last().map_or(0.0, |(length, _)| *length));
        let rates = base.max(attempts.min(CUT * base));
        // A timeout line at the very top would read as the frame.
        let waits =
            if timeout > 0.0 { (1.2 * timeout).max(waits.min(CUT * timeout)) } else { waits };
        Self {
            horizon: most(&|run| run.model.horizon.as_secs_f64()),
            rates: Ticks::over(rates, 4),
            waiting: Ticks::over(waits, 3),
        }
    }
}

/// The greatest value of `series`, if it does not fit under `ticks`.
pub(super) fn beyond(series: &Series, ticks: &Ticks) -> Option<f64> {
    let top = series.0.iter().map(|stretch| stretch.mean).fold(0.0, f64::max);
    (top > ticks.top()).then_some(top)
}
