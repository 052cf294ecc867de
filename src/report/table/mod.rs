//! Results as tables, in four formats from one source.

mod advice;
mod basin;
mod cells;
mod csv;
#[cfg(test)]
mod example;
mod explanation;
pub(super) mod figure;
mod frontier;
mod grid;
mod hysteresis;
mod json;
mod junit;
mod odds;
mod parquet;
mod parties;
mod promises;
mod runs;
pub(super) mod sheet;
mod spread;
mod tip;
mod tip_records;
mod trace;
mod value;
mod windows;
pub(super) mod wrap;

pub use advice::{AdviceDocument, WayOut};
pub use basin::BasinDocument;
pub use cells::SweepDocument;
pub use explanation::ExplainDocument;
pub use frontier::{Axis, FrontierDocument};
pub use hysteresis::HysteresisDocument;
pub use odds::OddsDocument;
pub use promises::{CheckDocument, Checked, Kept};
pub use runs::{Rows, RunDocument};
pub use tip::{TipDocument, TipOf, TipRows};
pub use trace::{Lines, Scribe};
pub use value::{Record, Value};

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people at a terminal; contains styles, which whoever prints may take out.
    Text,
    /// For pull requests and notes.
    Markdown,
    /// For spreadsheets and data frames, every digit.
    Csv,
    /// For programs, every digit.
    Json,
}

/// A result that can be written in every format.
pub trait Document {
    /// For people, at most `width` columns wide where possible.
    fn text(&self, width: usize) -> String;
    /// As Markdown.
    fn markdown(&self) -> String;
    /// The rows of the one table that CSV and Parquet hold; the columns are the names of the JSON.
    fn rows(&self) -> Vec<Record>;
    /// The columns where there are no rows.
    fn header(&self) -> &[&str] {
        &[]
    }
    /// As JSON.
    fn json(&self) -> String;
    /// Whether it tells of less than all, because somebody wanted the work to stop.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// As CSV.
    fn csv(&self) -> String {
        csv::table(self.header(), &self.rows())
    }

    /// As a Parquet file.
    fn parquet(&self) -> Vec<u8> {
        parquet::file(self.header(), &self.rows())
    }

    /// In `format`; only text heeds `width`.
    fn render(&self, format: Format, width: usize) -> String {
        match format {
            Format::Text => self.text(width),
            Format::Markdown => self.markdown(),
            Format::Csv => self.csv(),
            Format::Json => self.json(),
        }
    }
}
