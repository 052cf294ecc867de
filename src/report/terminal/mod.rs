//! What only a terminal needs: a verdict in words, timelines in one line each, a few colours.

mod fold;
pub(in crate::report) mod sentence;
pub(in crate::report) mod sparkline;
pub(in crate::report) mod style;

pub use fold::fold;
