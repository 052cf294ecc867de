//! Many runs of one story: variants, seeds, grids.

mod expect;
mod run;
mod sweep;

pub use expect::{Bound, Expectation, Finding, Metric, SweepExpectation, SweepMetric};
pub use run::{Run, Workbench};
pub use sweep::{Cell, CellOutcome, Coordinate, sweep};
