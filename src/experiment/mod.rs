//! Many runs of one story: variants, seeds, grids, and what they promise.

mod advise;
mod batch;
mod check;
mod controls;
mod expect;
mod frontier;
mod metric;
mod replicate;
mod run;
mod summary;
mod sweep;
mod tip;

pub use advise::{Advisor, Cure, Effect, End, Health, Trial, Tried, rank};
pub use batch::Way;
pub use check::{Claim, Promised, check};
pub use expect::{Across, Bound, Expectation, Finding, SweepExpectation};
pub use frontier::{Along, Column, Frontier, FrontierSearch};
pub use metric::{ClientMetric, EdgeMetric, Metric, Quantity, ServiceMetric, SweepMetric};
pub use replicate::replicate;
pub use run::{Engine, Run, Subject, Workbench};
pub use summary::Summary;
pub use sweep::{Cell, CellOutcome, Coordinate, sweep};
pub use tip::{CurvePoint, Halt, Range, TipSearch, Tipping, TippingPoint};
