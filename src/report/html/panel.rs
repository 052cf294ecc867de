//! A run as the page's scripts draw it.

use serde::{Serialize, Serializer};

use crate::analysis::Verdict;
use crate::experiment::Run;
use crate::model::Model;
use crate::report::chart::activity::Reach;
use crate::report::chart::caption;
use crate::report::chart::disturbance::{self, By};
use crate::report::chart::series::{Series, Stretch};
use crate::report::chart::timeline::extent::{Extent, Lower};
use crate::report::chart::timeline::watched::Watched;

/// A run with its verdict, in stretches of equal length.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Panel {
    verdict: &'static str,
    tone: &'static str,
    /// The verdict with its dates.
    said: String,
    /// When it was back, seconds.
    back: Option<Number>,
    /// How long a stretch is, seconds; the last one may be cut.
    step: Number,
    /// The end of the run, seconds.
    end: Number,
    /// How many windows make a stretch.
    together: usize,
    lines: Lines,
    ceiling: Option<(Number, String)>,
    timeouts: Vec<(Number, String)>,
    acts: Vec<Act>,
    extent: Reaches,
}

/// What is drawn, per stretch.
#[derive(Clone, Debug, Serialize)]
struct Lines {
    /// Fresh requests, 1/s.
    demand: Line,
    /// Requests answered in time, 1/s.
    goodput: Line,
    /// Attempts sent, 1/s.
    attempts: Line,
    /// Waiting time, seconds, or how many requests are open.
    below: Line,
    /// Attempts waiting at a window's end.
    queue: Line,
}

/// How far the axes of a run reach.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Reaches {
    /// Time, seconds.
    time: Number,
    /// Rates, 1/s.
    rates: Number,
    /// What stands below them.
    below: Number,
    /// Attempts waiting.
    queue: Number,
    #[serde(skip)]
    lower: Lower,
    /// The unit of what stands below the rates.
    unit: &'static str,
}

/// Something that happens to a run from outside: what, from and to (seconds), and whether an operator
/// does it.
#[derive(Clone, Debug, Serialize)]
struct Act(String, Number, Number, bool);

/// One value per stretch.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Line {
    /// As numbers of four digits.
    Numbers(Vec<Number>),
    /// As shares of the greatest, in 4,095ths, two digits to the base 64 each: what a small chart can
    /// show, in a third of the space.
    Codes { most: Number, codes: String },
}

/// A number with the digits that somebody might read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number(f64);

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// For the runs that a page is about.
    Full,
    /// For a timeline of a thousand.
    Compact,
}

impl Panel {
    pub(super) fn of(watched: &Watched<'_>, extent: &Extent, detail: Detail) -> Self {
        let Watched { model, run, .. } = *watched;
        let queue = queue(watched);
        let step = model.window.saturating_mul(watched.together as u64);
        let line = |series: &Series| Line::of(series, detail);
        let mut acts = disturbance::triggers(&model.triggers);
        acts.extend(disturbance::levers(model, &run.recording.pulls, |_| true));
        let act = |act: &disturbance::Act| {
            let [from, to] = act.span().map(Number);
            Act(act.words(), from, to, act.by() == By::Operator)
        };
        Self {
            verdict: run.assessment.verdict.name(),
            tone: tone(run.assessment.verdict),
            said: caption::of(model, run),
            back: run.assessment.back_at.map(|at| Number(at.as_secs_f64())),
            step: Number(step.as_secs_f64()),
            end: Number(model.horizon.as_secs_f64()),
            together: watched.together,
            lines: Lines {
                demand: line(&watched.demand),
                goodput: line(&watched.goodput),
                attempts: line(&watched.attempts),
                below: line(match extent.lower {
                    Lower::Waiting => &watched.waiting,
                    Lower::Open => &watched.open,
                }),
                queue: line(&queue),
            },
            ceiling: watched
                .ceiling
                .as_ref()
                .map(|most| (Number(most.per_second), most.name.clone())),
            timeouts: watched
                .timeouts
                .iter()
                .map(|(length, label)| (Number(*length), label.clone()))
                .collect(),
            acts: acts.iter().map(act).collect(),
            extent: Reaches::of(std::slice::from_ref(watched), extent),
        }
    }
}

impl Reaches {
    /// What stands below the rates.
    pub(super) const fn lower(self) -> Lower {
        self.lower
    }

    pub(super) fn of(watched: &[Watched<'_>], extent: &Extent) -> Self {
        let queue = watched.iter().map(|run| queue(run).top()).fold(0.0, f64::max);
        Self {
            time: Number(extent.end),
            rates: Number(extent.rates.top()),
            below: Number(extent.below.top()),
            queue: Number(queue),
            lower: extent.lower,
            unit: match extent.lower {
                Lower::Waiting => "s",
                Lower::Open => "",
            },
        }
    }
}

/// How many attempts wait at the end of every window.
fn queue(watched: &Watched<'_>) -> Series {
    let timeline = &watched.run.recording.timeline;
    Series::of(timeline, watched.model.horizon, watched.together, |window, _| window.queue as f64)
}

/// What the axes of these runs have in common.
pub(super) fn extent(watched: &[Watched<'_>], runs: &[(&Model, &Run)]) -> Extent {
    Extent::of(watched, Reach::of(runs))
}

/// The class of a verdict.
pub(super) const fn tone(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Unaffected | Verdict::Recovered => "well",
        Verdict::Metastable | Verdict::Overloaded => "unwell",
        Verdict::Draining | Verdict::Undecided => "unsure",
    }
}

impl Line {
    fn of(series: &Series, detail: Detail) -> Self {
        let mean = |stretch: &Stretch| stretch.mean;
        match detail {
            Detail::Full => Self::Numbers(series.0.iter().map(mean).map(Number).collect()),
            Detail::Compact => {
                let most = series.0.iter().map(mean).fold(0.0, f64::max);
                let codes = match most {
                    0.0 => String::new(),
                    _ => series.0.iter().flat_map(|stretch| code(stretch.mean / most)).collect(),
                };
                Self::Codes { most: Number(most), codes }
            }
        }
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const GREATEST: f64 = 4_095.0;

/// A share from 0 to 1. What is more than nothing is never written as nothing.
fn code(share: f64) -> [char; 2] {
    let least = if share > 0.0 { 1.0 } else { 0.0 };
    let code = (share * GREATEST).round().clamp(least, GREATEST) as usize;
    [code / 64, code % 64].map(|digit| char::from(DIGITS[digit]))
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = four_digits(self.0);
        // Whole numbers without their `.0`: most are, and there are many.
        if value.fract() == 0.0 && value.abs() < 1e15 {
            serializer.serialize_i64(value as i64)
        } else {
            serializer.serialize_f64(value)
        }
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

/// `value` to four significant digits, and whole where it has more before the point.
fn four_digits(value: f64) -> f64 {
    if value.abs() >= 1_000.0 {
        return value.round();
    }
    // Through the shortest text, so that it is written as it is meant: 0.1 and not 0.1000000001.
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_that_somebody_might_read() {
        let check = |value: f64, expected: &str| {
            assert_eq!(serde_json::to_string(&Number(value)).unwrap(), expected);
        };
        check(0.0, "0");
        check(700.0, "700");
        check(2_799.4, "2799");
        check(1_234_567.8, "1234568");
        check(0.1 + 0.2, "0.3");
        check(1.234_56, "1.235");
        check(0.000_012_345_6, "0.00001235");
        check(f64::INFINITY, "null");
    }

    #[test]
    fn codes_keep_nothing_and_the_greatest_apart_from_all_else() {
        assert_eq!(code(0.0), ['A', 'A']);
        assert_eq!(code(1e-9), ['A', 'B']);
        assert_eq!(code(1.0), ['_', '_']);
        assert_eq!(code(0.5), ['g', 'A']);
        let stretch = |mean| Stretch { from: 0.0, to: 1.0, mean, low: mean, high: mean };
        let line = |means: &[f64]| {
            let series = Series(means.iter().copied().map(stretch).collect());
            serde_json::to_string(&Line::of(&series, Detail::Compact)).unwrap()
        };
        assert_eq!(line(&[0.0, 700.0, 350.0]), r#"{"most":700,"codes":"AA__gA"}"#);
        assert_eq!(line(&[0.0, 0.0]), r#"{"most":0,"codes":""}"#);
    }
}
