//! The shore where files come in.

mod story;

pub use story::{Story, Sweep, Variant};
