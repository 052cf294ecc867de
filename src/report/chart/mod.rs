//! Charts: one chart, one file, and one theme for all of them.
//!
//! A chart is a function from results to a [`Chart`], which is an SVG document and can be made a PNG.
//! The same results give the same bytes of both on any machine: nothing of the system is asked for,
//! and the only font is the bundled one.

pub(in crate::report) mod activity;
mod advice;
mod amplification;
mod axis;
mod axis_name;
mod basin;
mod canvas;
pub(in crate::report) mod caption;
mod ceiling;
pub(in crate::report) mod colour;
pub(in crate::report) mod disturbance;
mod document;
mod endings;
pub(in crate::report) mod font;
mod frontier;
mod geometry;
mod graph;
mod heading;
pub(in crate::report) mod heat_map;
mod hysteresis;
pub(in crate::report) mod latency;
mod legend;
mod marker;
mod odds;
mod operator;
mod overlay;
pub(in crate::report) mod ramp;
mod scale;
pub(in crate::report) mod series;
mod services;
mod spread;
mod text;
pub(in crate::report) mod theme;
pub(in crate::report) mod ticks;
pub(in crate::report) mod timeline;
mod tip;

#[cfg(test)]
mod looks;
#[cfg(test)]
mod looks_of_states;
#[cfg(test)]
mod said;

pub use advice::advice;
pub use amplification::amplification;
pub use basin::basin;
pub use document::{Chart, PngError};
pub use frontier::frontier;
pub use graph::graph;
pub use heat_map::heat_map;
pub use hysteresis::hysteresis;
pub use latency::latency;
pub use odds::odds;
pub use operator::operator;
pub use overlay::overlay;
pub use services::services;
pub use timeline::timeline;
pub use tip::tip;
