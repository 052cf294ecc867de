//! What a scenario file means: models, promises and a grid, with every name and overlay resolved.

use crate::experiment::{Cell, Expectation, SweepExpectation};
use crate::model::Model;

/// A scenario file, understood.
#[derive(Clone, Debug)]
pub struct Story {
    /// Its title.
    pub title: String,
    /// The first seed.
    pub seed: u64,
    /// The scenario as written, then its variants in the order of the file.
    pub variants: Vec<Variant>,
    /// The grid, if the file has one.
    pub sweep: Option<Sweep>,
}

/// One version of the story.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its world.
    pub model: Model,
    /// What it promises, if anything.
    pub expect: Option<Expectation>,
}

/// A grid over the axes of a scenario, for every variant.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The dotted path of each axis.
    pub axes: Vec<String>,
    /// How many seeds each cell is run under.
    pub seeds: u64,
    /// Every cell: variants outermost, the last axis innermost.
    pub cells: Vec<Cell>,
    /// What the cells promise.
    pub expect: Vec<SweepExpectation>,
}
