//! Many runs of one story: variants, seeds, grids, and what they promise.

mod advise;
mod basin;
mod batch;
mod check;
mod controls;
mod expect;
mod frontier;
mod hysteresis;
mod meter;
mod metric;
mod odds;
mod replicate;
mod run;
mod summary;
mod sweep;
mod tip;

pub use advise::{
    Advisor, Cure, Effect, End, FEWEST_TO_ADVISE, HEALTHY_SEEDS, Health, Trial, Tried, rank,
};
pub use basin::{Arrow, Basin, Brink, NoBasin, Reach, basin, basin_runs};
pub use batch::Way;
pub use check::{Claim, Promised, Ran, check};
pub use expect::{Across, Bound, Expectation, Finding, SweepExpectation};
pub use frontier::{Along, Column, Frontier, FrontierSearch};
pub use hysteresis::{Corner, Hysteresis, NoRamp, Traverse, hysteresis};
pub use metric::{
    ClientMetric, EdgeMetric, InstanceMetric, Metric, Quantity, ServiceMetric, SweepMetric, key,
};
pub use odds::{
    Answer, Collapse, Effort, FEWEST_REPETITIONS, How, NoOdds, Odds, Plain, Splitting, calm_model,
    decade, odds, plain, splitting, usual_collapse,
};
pub use replicate::replicate;
pub use run::{Engine, Run, Subject, Workbench};
pub use summary::Summary;
pub use sweep::{Cell, CellOutcome, Coordinate, Done, sweep, sweep_keeping};
pub use tip::{CurvePoint, Halt, Range, TipSearch, Tipping, TippingPoint};
