//! What a story promises, and whether it holds.

use std::fmt;
use std::ops::Range;

use super::{CellOutcome, Quantity, Run, SweepMetric};
use crate::analysis::{Verdict, median};
use crate::observe::BusiestCount;

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

/// What a variant promises of every run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectation {
    /// How many seeds are tried.
    pub seeds: u64,
    /// The verdict, under each seed.
    pub verdict: Option<Verdict>,
    /// What of the seeds must lie in a range.
    pub across: Across,
    /// Numbers and their ranges.
    pub metrics: Vec<(Quantity, Bound)>,
}

/// What of a number under several seeds must lie in its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Across {
    /// The number under each seed.
    #[default]
    Each,
    /// The median over the seeds; a number that one of them does not have has none.
    Median,
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

    /// The median of one number under several seeds against one range.
    fn medians(name: &str, bound: Bound, values: &[Option<f64>]) -> Self {
        let name = format!("median {name}");
        let found: Option<Vec<f64>> = values.iter().copied().collect();
        let Some(found) = found else {
            let (none, all) = (values.iter().filter(|value| value.is_none()).count(), values.len());
            let found = format!("{name} = none, since {none} of {all} seeds have none");
            return Self { held: false, expected: bound.of(&name), found };
        };
        let middle = median(found.iter().copied());
        let said = middle.map_or_else(|| "none".to_owned(), |middle| middle.to_string());
        let low = found.iter().copied().fold(f64::INFINITY, f64::min);
        let high = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (range, all) = (Bound { min: low, max: high }, found.len());
        Self {
            held: bound.holds(middle),
            expected: bound.of(&name),
            found: format!("{name} = {said} ({range} over {all} seeds)"),
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
    /// Who must watch a run for what is promised of it beside what is always recorded.
    pub(super) fn watchers(&self) -> Vec<BusiestCount> {
        let asked = self.metrics.iter().filter_map(|(quantity, _)| match quantity {
            Quantity::Busiest(busiest) => Some(BusiestCount::new(*busiest)),
            Quantity::Whole(_)
            | Quantity::Client { .. }
            | Quantity::Service { .. }
            | Quantity::Edge { .. }
            | Quantity::Instance { .. } => None,
        });
        asked.collect()
    }

    /// What `run` and those who watched it show of the numbers that are asked about.
    pub(super) fn values(&self, run: &Run, watchers: &[BusiestCount]) -> Vec<Option<f64>> {
        self.metrics.iter().map(|(quantity, _)| quantity.of(run, watchers)).collect()
    }

    /// Holds every promise against the verdicts and [`Self::values`] of all runs, both in the order
    /// of `seeds`. One finding per promise.
    pub(super) fn judge(
        &self,
        seeds: &Range<u64>,
        verdicts: &[Verdict],
        values: &[Vec<Option<f64>>],
    ) -> Vec<Finding> {
        let verdict =
            self.verdict.map(|expected| Finding::verdicts(expected, seeds.clone(), verdicts));
        let metrics = self.metrics.iter().enumerate().map(|(nth, (quantity, bound))| {
            let values: Vec<Option<f64>> = values.iter().map(|values| values[nth]).collect();
            match self.across {
                Across::Each => Finding::numbers(&quantity.name(), *bound, seeds.clone(), &values),
                Across::Median => Finding::medians(&quantity.name(), *bound, &values),
            }
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
    fn a_median_forgives_the_outermost() {
        let bound = Bound { min: 10.0, max: 12.0 };
        let check = |values: &[Option<f64>], held, found: &str| {
            let finding = Finding::medians("retries", bound, values);
            assert_eq!((finding.held, finding.found.as_str()), (held, found));
            assert_eq!(finding.expected, "median retries = 10 to 12");
        };
        check(
            &[Some(99.0), Some(1.0), Some(11.0)],
            true,
            "median retries = 11 (1 to 99 over 3 seeds)",
        );
        check(
            &[Some(99.0), Some(13.0), Some(11.0)],
            false,
            "median retries = 13 (11 to 99 over 3 seeds)",
        );
        check(
            &[Some(11.0), None, Some(11.0)],
            false,
            "median retries = none, since 1 of 3 seeds have none",
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
