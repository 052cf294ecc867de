//! How a run is worked out.

use crate::time::Span;

/// What works a run out. The model is the same; what is seen of it is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Event by event: each attempt has instants of its own, to the nanosecond.
    #[default]
    Events,
    /// In steps of equal length, above zero: all that comes within a step is one number, and stays
    /// together. It costs nothing per attempt, can do little, and is only as true as its step is short.
    Stepped {
        /// How long a step is.
        step: Span,
    },
}

impl Solver {
    /// Its name in scenario files and outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Stepped { .. } => "stepped",
        }
    }

    /// The length of its steps; none if it has none.
    pub const fn step(self) -> Option<Span> {
        match self {
            Self::Events => None,
            Self::Stepped { step } => Some(step),
        }
    }
}
