//! What a story promises, and whether it holds.

use std::fmt;

use super::{CellOutcome, Run};
use crate::analysis::Verdict;

/// A range that a number must lie in, ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// At least this.
    pub min: f64,
    /// At most this.
    pub max: f64,
}

impl Bound {
    /// Exactly `value`.
    pub const fn exactly(value: f64) -> Self {
        Self { min: value, max: value }
    }

    /// Whether `value` lies in the range; nothing lies in no range.
    pub fn holds(self, value: Option<f64>) -> bool {
        value.is_some_and(|value| (self.min..=self.max).contains(&value))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min.is_finite(), self.max.is_finite()) {
            _ if self.min == self.max => write!(f, "{}", self.min),
            (true, true) => write!(f, "{} to {}", self.min, self.max),
            (true, false) => write!(f, "at least {}", self.min),
            (false, true) => write!(f, "at most {}", self.max),
            (false, false) => f.write_str("anything"),
        }
    }
}

macro_rules! metrics {
    ($(#[$about:meta])* $name:ident of $of:ty { $($(#[$doc:meta])* $variant:ident $key:literal $value:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every metric there is.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in scenario files and outputs.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $key,)* }
            }

            /// Its value, or none where there is none.
            pub fn of(self, of: &$of) -> Option<f64> {
                let value: fn(&$of) -> Option<f64> = match self { $(Self::$variant => $value,)* };
                value(of)
            }
        }
    };
}

metrics! {
    /// A number of a run that can be promised. The names are those of `run --format json`.
    Metric of Run {
        /// Start of the first good window after the disturbance, seconds.
        BackAt "back_at_s" |run| run.assessment.back_at.map(|at| at.as_secs_f64()),
        /// Time from the end of the last trigger to `back_at_s`, seconds.
        RecoveryTime "recovery_time_s" |run| run.assessment.recovery_time.map(|time| time.as_secs_f64()),
        /// Relapses after the last trigger.
        Relapses "relapses" |run| Some(f64::from(run.assessment.relapses)),
        /// Fresh requests.
        Requests "requests" |run| Some(run.recording.tally.requests as f64),
        /// Requests answered in time.
        Succeeded "succeeded" |run| Some(run.recording.tally.succeeded as f64),
        /// Requests failed for good.
        Failed "failed" |run| Some(run.recording.tally.failed as f64),
        /// Requests open at the horizon.
        Censored "censored" |run| Some(run.recording.tally.censored() as f64),
        /// Attempts sent by clients.
        Attempts "attempts" |run| Some(run.recording.tally.attempts as f64),
        /// Retries sent by clients.
        Retries "retries" |run| Some(run.recording.tally.retries as f64),
        /// Attempts given up by clients.
        TimedOut "timed_out" |run| Some(run.recording.tally.timed_out as f64),
        /// Retries held back by a budget.
        Denied "denied" |run| Some(run.recording.tally.denied as f64),
        /// Attempts refused on arrival.
        Rejected "rejected" |run| Some(run.recording.tally.rejected as f64),
        /// Attempts dropped at pick-up.
        Shed "shed" |run| Some(run.recording.tally.shed as f64),
        /// Share of work done for nobody.
        WastedWork "wasted_work_fraction" |run| Some(run.recording.tally.wasted_work_fraction()),
        /// Attempts per request.
        Amplification "amplification" |run| Some(run.recording.tally.amplification()),
        /// Median latency of successful requests, seconds.
        LatencyP50 "latency_p50_s" |run| run.recording.latency.quantile(0.5).map(|l| l.as_secs_f64()),
        /// 99th percentile of the latency of successful requests, seconds.
        LatencyP99 "latency_p99_s" |run| run.recording.latency.quantile(0.99).map(|l| l.as_secs_f64()),
    }
}

metrics! {
    /// A number of a sweep's cell that can be promised. The names are those of `sweep --format json`.
    SweepMetric of CellOutcome {
        /// Seeds that were well at the end.
        Recovered "recovered" |cell| Some(cell.recovered() as f64),
        /// Share of seeds that were well at the end.
        RecoveredShare "recovered_share" |cell| Some(cell.recovered_share()),
        /// Median recovery time, seconds.
        MedianRecoveryTime "median_recovery_time_s" |cell| cell.median_recovery_time_s,
    }
}

/// What a variant promises of every run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectation {
    /// How many seeds are tried; each must hold.
    pub seeds: u64,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// Numbers and their ranges.
    pub metrics: Vec<(Metric, Bound)>,
}

/// What a sweep promises of some of its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepExpectation {
    /// How many seeds are tried, if not as many as the sweep runs.
    pub seeds: Option<u64>,
    /// Which cells, by their indices in the order of the sweep.
    pub cells: Vec<usize>,
    /// Numbers and their ranges.
    pub metrics: Vec<(SweepMetric, Bound)>,
}

/// One promise beside what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether it was kept.
    pub held: bool,
    /// The promise, as `name = range`.
    pub expected: String,
    /// What was found, as `name = value`.
    pub found: String,
}

impl Finding {
    fn number(name: &str, bound: Bound, value: Option<f64>) -> Self {
        let found = value.map_or_else(|| "none".to_owned(), |value| value.to_string());
        Self {
            held: bound.holds(value),
            expected: format!("{name} = {bound}"),
            found: format!("{name} = {found}"),
        }
    }
}

impl Expectation {
    /// Holds every promise against `run`.
    pub fn judge(&self, run: &Run) -> Vec<Finding> {
        let verdict = self.verdict.map(|expected| Finding {
            held: expected == run.assessment.verdict,
            expected: format!("verdict = {expected}"),
            found: format!("verdict = {}", run.assessment.verdict),
        });
        let metrics = self
            .metrics
            .iter()
            .map(|&(metric, bound)| Finding::number(metric.name(), bound, metric.of(run)));
        verdict.into_iter().chain(metrics).collect()
    }
}

impl SweepExpectation {
    /// Holds every promise against `cell`.
    pub fn judge(&self, cell: &CellOutcome) -> Vec<Finding> {
        self.metrics
            .iter()
            .map(|&(metric, bound)| Finding::number(metric.name(), bound, metric.of(cell)))
            .collect()
    }
}
