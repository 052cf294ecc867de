//! A number of every run of a variant, as a column: the number itself under one seed; its median,
//! and the smallest and largest beneath it, under several.

use super::figure::{count, seconds, short_count, three_digits};
use super::sheet::{Align, Cell, Column};
use crate::analysis::median;
use crate::experiment::Summary;
use crate::report::terminal::style::FAINT;

/// How a number is spelled.
#[derive(Clone, Copy)]
pub(super) enum Spelling {
    /// A count.
    Count,
    /// Seconds to the hundredth.
    Seconds,
    /// Seconds, in milliseconds.
    Millis,
    /// Two decimals.
    Ratio,
    /// A share, in percent.
    Percent,
    /// Three significant digits.
    Rounded,
}

impl Spelling {
    fn one(self, value: f64) -> String {
        match self {
            Self::Count => count(value),
            Self::Seconds => seconds(value),
            Self::Millis => three_digits(value * 1e3),
            Self::Ratio => format!("{value:.2}"),
            Self::Percent => format!("{:.1}", value * 100.0),
            Self::Rounded => three_digits(value),
        }
    }

    fn range(self, low: f64, high: f64) -> String {
        let one = |value| match self {
            Self::Count => short_count(value),
            Self::Seconds | Self::Millis | Self::Ratio | Self::Percent | Self::Rounded => {
                self.one(value)
            }
        };
        let (low, high) = (one(low), one(high));
        if low == high { low } else { format!("{low}–{high}") }
    }
}

/// What a column shows of a run.
pub(super) struct Figure {
    pub(super) heading: &'static [&'static str],
    pub(super) group: u8,
    pub(super) spelling: Spelling,
    pub(super) of: fn(&Summary) -> Option<f64>,
}

impl Figure {
    /// The column over `variants`, the runs of each under every seed.
    pub(super) fn column(&self, variants: &[&[Summary]]) -> Column {
        let cells = variants.iter().map(|runs| self.cell(runs)).collect();
        Column::new(self.heading, Align::Right, self.group, cells)
    }

    fn cell(&self, runs: &[Summary]) -> Cell {
        spread(self.spelling, runs.iter().filter_map(self.of))
    }
}

/// The median of `values`, and the least and the greatest beneath it where they differ.
pub(super) fn spread(spelling: Spelling, values: impl Iterator<Item = f64>) -> Cell {
    let values: Vec<f64> = values.collect();
    let Some(middle) = median(values.iter().copied()) else {
        return Cell::none();
    };
    let cell = Cell::new(spelling.one(middle));
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low < high { cell.and(spelling.range(low, high), FAINT) } else { cell }
}
