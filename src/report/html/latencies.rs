//! How long the requests that succeeded took, up to the rarest.

use super::panel::Number;
use crate::experiment::Run;
use crate::observe::Latency;
use crate::report::chart::theme;

/// Shares within a power of ten, evenly apart on a logarithmic scale.
const WITHIN_TEN: [f64; 10] = [1.0, 0.8, 0.63, 0.5, 0.4, 0.32, 0.25, 0.2, 0.16, 0.125];
/// Rarer than one in a hundred thousand is rarer than any run can tell.
const POWERS: [f64; 5] = [1.0, 0.1, 0.01, 0.001, 0.000_1];

/// Points of a curve: a share of the requests that succeeded, and the milliseconds that no more than that
/// share took longer than. The last point is the slowest of all. Empty without successes.
pub(super) fn curve(run: &Run) -> Vec<(Number, Number)> {
    let succeeded = run.recording.tally.succeeded;
    let one = 1.0 / succeeded as f64;
    let shares = POWERS.into_iter().flat_map(|power| WITHIN_TEN.map(|share| share * power));
    let shares = shares.take_while(|share| *share > one).chain([one]);
    let point = |share: f64| {
        let latency = quantile(&run.recording.latency, share)?;
        Some((Number::from(share), Number::from(latency)))
    };
    if succeeded == 0 { Vec::new() } else { shares.filter_map(point).collect() }
}

fn quantile(latency: &Latency, share: f64) -> Option<f64> {
    latency.quantile(1.0 - share).map(|length| length.as_secs_f64() * 1e3)
}

/// The dashes of every series, told apart also where colours are not.
pub(super) fn dashes() -> Vec<Vec<f64>> {
    theme::PATTERNS.iter().map(|pattern| pattern.to_vec()).collect()
}
