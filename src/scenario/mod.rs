//! The shore where files come in: one TOML file tells a story.
//!
//! ```toml
//! title = "Three immediate retries keep a stalled service down"
//! horizon = "60s"
//!
//! [services.api]
//! workers = 10
//! service_time = "10ms"
//!
//! [clients.web]
//! calls = "api"
//! load = 0.7
//! call.timeout = "1s"
//! call.retry.immediate = { max_retries = 3 }
//!
//! [triggers.gc]
//! stall = { service = "api", begins = "10s", lasts = "2s" }
//!
//! [variants."no retries"]
//! "clients.web.call.retry" = { never = {} }
//!
//! [sweep.axes]
//! "clients.web.load" = { from = 0.1, to = 0.9, step = 0.1 }
//!
//! [expect]
//! verdict = "metastable"
//! ```
//!
//! # Paths
//! Everything has a dotted path, and that path works in a variant, on an axis and in an override. It
//! is spelled as TOML spells dotted keys; within a variant or the axes it is one key, and so stands in
//! quotes. Its value takes the place of all that stood there, or is added.
//!
//! Later layers win: the file, the overrides, a variant, the axes; of overrides of one path the last. Of keys that exclude
//! each other (`load` and `arrival_rate`, two kinds of `retry`) the one that the later layer named
//! counts; within one layer, naming both is a mistake. What is derived, such as the rate that a `load`
//! comes to, is derived after all layers.
//!
//! # The way of a file
//! `source` (text and places in it), `tree` (TOML in which everything knows its place, and overlays
//! on it), `data` (files of measured numbers), `presets`
//! (what a call names instead of saying), `reader` (the tree into the types of the grammar, by serde), `element` (the grammar, word
//! by word, and what it means), `version` and `grid` (variants and cells), [`Story`]. Every mistake on
//! the way becomes a diagnostic of [`Trouble`], and reading goes on where it can.

mod alter;
mod data;
mod dial;
mod element;
mod file;
mod grid;
mod idle;
mod idle_call;
mod idle_fleet;
mod idle_graph;
mod idle_service;
mod idle_values;
mod load;
mod nearest;
mod neighbours;
mod noise;
mod pick;
mod presets;
mod reader;
mod remedy;
mod schema;
mod source;
mod story;
mod tree;
mod trouble;
mod version;

pub use alter::Alteration;
pub use dial::Dial;
pub use element::length;
pub use load::LARGEST_SEED;
pub use pick::UnknownVariant;
pub use presets::{Preset, Side};
pub use remedy::{Parameter, Remedy};
pub use schema::{reference, schema};
pub use story::{Story, Sweep, Variant};
pub use trouble::Trouble;
