//! The shore where files come in: one TOML file tells a story.
//!
//! The way of a file: `source` (text and places in it), `tree` (TOML in which everything knows its
//! place, and overlays on it by dotted path), `reader` (tree into the types of the grammar, by
//! serde), `element` (the grammar, word by word, and what it means), `version` and `grid` (variants
//! and cells), [`Story`]. Every mistake on the way becomes a diagnostic of [`Trouble`].

mod element;
mod grid;
mod idle;
mod load;
mod nearest;
mod noise;
mod pick;
mod reader;
mod source;
mod story;
mod tree;
mod trouble;
mod version;

pub use pick::UnknownVariant;
pub use story::{Story, Sweep, Variant};
pub use trouble::Trouble;
