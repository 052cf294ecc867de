//! The shore where documents go out.
pub mod table;
mod terminal;
