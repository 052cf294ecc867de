//! The shore where documents go out.

pub mod chart;
pub mod file;
pub mod html;
pub mod table;
pub mod terminal;
