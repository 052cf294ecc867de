//! The scales that all panels share.

use super::watched::Watched;
use crate::report::chart::activity::Reach;
use crate::report::chart::series::Series;
use crate::report::chart::ticks::Ticks;

/// Capacity is shown up to this many times the demand, attempts up to this many times what is shown of
/// both, and waits up to this many timeouts, before the scale is cut: above it a reader only loses what
/// happens below.
const CUT: f64 = 4.0;

/// What the lower plot shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Lower {
    /// How long attempts wait, seconds.
    Waiting,
    /// How many requests are open, where nothing ever waits: who gives up on a service that never
    /// answers is then seen all the same.
    Open,
}

/// How far the axes reach.
#[derive(Clone, Debug)]
pub(in crate::report) struct Extent {
    /// The end of the time axis, seconds.
    pub end: f64,
    pub lower: Lower,
    /// The axis of rates, 1/s.
    pub rates: Ticks,
    /// The axis of the lower plot.
    pub below: Ticks,
}

impl Extent {
    pub(in crate::report) fn of(watched: &[Watched<'_>], reach: Reach) -> Self {
        let most = |quantity: &dyn Fn(&Watched<'_>) -> f64| {
            watched.iter().map(quantity).fold(0.0, f64::max)
        };
        let demand = most(&|run| run.demand.top().max(run.goodput.top()));
        let ceiling = |run: &Watched<'_>| run.ceiling.as_ref().map(|most| most.per_second);
        let is_near = |capacity: &f64| demand == 0.0 || *capacity <= CUT * demand;
        let base = most(&|run| ceiling(run).filter(is_near).unwrap_or(0.0)).max(demand);
        let attempts = most(&|run| run.attempts.usual_top());
        let waits = most(&|run| run.waiting.top());
        let timeout = most(&|run| run.timeouts.last().map_or(0.0, |(length, _)| *length));
        let rates = base.max(attempts.min(CUT * base));
        // A timeout line at the very top would read as the frame.
        let waits =
            if timeout > 0.0 { (1.2 * timeout).max(waits.min(CUT * timeout)) } else { waits };
        let open = most(&|run| run.open.top());
        let lower = if most(&|run| run.waiting.top()) == 0.0 && open > 0.0 {
            Lower::Open
        } else {
            Lower::Waiting
        };
        Self {
            end: reach.end,
            lower,
            rates: Ticks::over(rates, 4),
            below: match lower {
                Lower::Waiting => Ticks::over(waits, 3),
                Lower::Open => Ticks::over(open, 3),
            },
        }
    }
}

/// The greatest value of `series`, if it does not fit under `ticks`.
pub(in crate::report) fn beyond(series: &Series, ticks: &Ticks) -> Option<f64> {
    let top = series.0.iter().map(|stretch| stretch.mean).fold(0.0, f64::max);
    (top > ticks.top()).then_some(top)
}
