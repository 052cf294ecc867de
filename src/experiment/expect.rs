//! What a story promises, and whether it holds.

use std::fmt;
use std::ops::Range;

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

impl Bound {
    /// The promise that `name` lies in the range: `retries = 10 to 12`, `retries >= 10`.
    fn of(self, name: &str) -> String {
        match (self.min.is_finite(), self.max.is_finite()) {
            (true, false) => format!("{name} >= {}", self.min),
            (false, true) => format!("{name} <= {}", self.max),
            (true, true) | (false, false) => format!("{name} = {self}"),
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
        /// Copies sent by clients of attempts that were still out.
        Hedges "hedges" |run| Some(run.recording.tally.hedges as f64),
        /// Attempts held back by a client's own throttle, breaker or pool.
        HeldBack "held_back" |run| Some(run.recording.tally.held_back as f64),
        /// How often circuit breakers opened.
        BreakerOpenings "breaker_openings" |run| Some(run.recording.tally.breaker_openings as f64),
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
    /// One number under several seeds against one range.
    fn numbers(name: &str, bound: Bound, seeds: Range<u64>, values: &[Option<f64>]) -> Self {
        let broken = breakers(seeds, values, |&value| bound.holds(value));
        let (some, all) = (values.iter().flatten().count(), values.len());
        let low = values.iter().flatten().copied().min_by(f64::total_cmp);
        let high = values.iter().flatten().copied().max_by(f64::total_cmp);
        let found = match low.zip(high) {
            None => "none".to_owned(),
            Some((low, high)) if some < all => {
                format!("{} in {some} of {all} seeds", Bound { min: low, max: high })
            }
            Some((low, high)) => Bound { min: low, max: high }.to_string(),
        };
        Self {
            held: broken.is_empty(),
            expected: bound.of(name),
            found: format!("{name} = {found}{}", blame(&broken, all)),
        }
    }

    /// The verdict under several seeds against the one that is promised.
    fn verdicts(expected: Verdict, seeds: Range<u64>, verdicts: &[Verdict]) -> Self {
        let broken = breakers(seeds, verdicts, |&verdict| verdict == expected);
        let counts = Verdict::ALL.iter().filter_map(|verdict| {
            let count = verdicts.iter().filter(|found| *found == verdict).count();
            (count > 0).then_some((verdict, count))
        });
        let found: Vec<String> = counts
            .map(|(verdict, count)| {
                if count == verdicts.len() {
                    verdict.to_string()
                } else {
                    format!("{verdict} in {count}")
                }
            })
            .collect();
        Self {
            held: broken.is_empty(),
            expected: format!("verdict = {expected}"),
            found: format!("verdict = {}{}", found.join(", "), blame(&broken, verdicts.len())),
        }
    }
}

/// The seeds under which a promise is broken.
fn breakers<T>(seeds: Range<u64>, values: &[T], holds: impl Fn(&T) -> bool) -> Vec<u64> {
    seeds.zip(values).filter(|(_, value)| !holds(value)).map(|(seed, _)| seed).collect()
}

/// Names the first few seeds that break a promise, unless there is only one to be looked at anyway.
fn blame(broken: &[u64], all: usize) -> String {
    const NAMED: usize = 5;
    if broken.is_empty() || all == 1 {
        return String::new();
    }
    let named: Vec<String> = broken.iter().take(NAMED).map(u64::to_string).collect();
    let more = broken.len().saturating_sub(NAMED);
    let seeds = if broken.len() == 1 { "seed" } else { "seeds" };
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(" (broken by {seeds} {}{rest})", named.join(", "))
}

impl Expectation {
    /// What `run` shows of the numbers that are asked about.
    pub(super) fn values(&self, run: &Run) -> Vec<Option<f64>> {
        self.metrics.iter().map(|(metric, _)| metric.of(run)).collect()
    }

    /// Holds every promise against the verdicts and [`Self::values`] of all runs, both in the order
    /// of `seeds`. One finding per promise: it is kept if every seed keeps it.
    pub(super) fn judge(
        &self,
        seeds: &Range<u64>,
        verdicts: &[Verdict],
        values: &[Vec<Option<f64>>],
    ) -> Vec<Finding> {
        let verdict =
            self.verdict.map(|expected| Finding::verdicts(expected, seeds.clone(), verdicts));
        let metrics = self.metrics.iter().enumerate().map(|(nth, &(metric, bound))| {
            let values: Vec<Option<f64>> = values.iter().map(|values| values[nth]).collect();
            Finding::numbers(metric.name(), bound, seeds.clone(), &values)
        });
        verdict.into_iter().chain(metrics).collect()
    }
}

impl SweepExpectation {
    /// Holds every promise against `cell`.
    pub(super) fn judge(&self, cell: &CellOutcome) -> Vec<Finding> {
        self.metrics
            .iter()
            .map(|&(metric, bound)| {
                Finding::numbers(metric.name(), bound, 0..1, &[metric.of(cell)])
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bound: Bound, values: &[Option<f64>], held: bool, found: &str) {
        let finding = Finding::numbers("retries", bound, 1..1 + values.len() as u64, values);
        assert_eq!((finding.held, finding.found.as_str()), (held, found));
    }

    #[test]
    fn every_seed_must_keep_a_promise() {
        let bound = Bound { min: 10.0, max: 12.5 };
        check(bound, &[Some(10.0)], true, "retries = 10");
        check(bound, &[Some(10.0), Some(12.5)], true, "retries = 10 to 12.5");
        check(bound, &[Some(9.0)], false, "retries = 9");
        check(bound, &[Some(11.0), Some(9.0)], false, "retries = 9 to 11 (broken by seed 2)");
        check(bound, &[None], false, "retries = none");
        check(bound, &[None, Some(11.0)], false, "retries = 11 in 1 of 2 seeds (broken by seed 1)");
        check(
            bound,
            &[None; 7],
            false,
            "retries = none (broken by seeds 1, 2, 3, 4, 5 and 2 more)",
        );
    }

    #[test]
    fn promises_are_short_to_read() {
        assert_eq!(Bound::exactly(3.0).of("shed"), "shed = 3");
        assert_eq!(Bound { min: 1.0, max: 2.5 }.of("shed"), "shed = 1 to 2.5");
        assert_eq!(Bound { min: 1.0, max: f64::INFINITY }.of("shed"), "shed >= 1");
        assert_eq!(Bound { min: f64::NEG_INFINITY, max: 1.0 }.of("shed"), "shed <= 1");
    }

    #[test]
    fn a_verdict_is_counted_over_seeds() {
        use Verdict::{Metastable, Recovered};
        let found = Finding::verdicts(Metastable, 3..6, &[Metastable, Recovered, Metastable]);
        assert!(!found.held);
        assert_eq!(found.found, "verdict = recovered in 1, metastable in 2 (broken by seed 4)");
        assert!(Finding::verdicts(Metastable, 3..5, &[Metastable, Metastable]).held);
    }
}
