//! The built command, as a shell sees it.

mod advise;
mod basin;
mod check;
mod engine;
mod explain;
pub(crate) mod fixture;
mod frontier;
mod hysteresis;
mod odds;
mod outputs;
mod parquet;
mod plot;
mod refusals;
mod run;
mod streams;
mod sweep;
mod terminal;
mod tip;
mod tools;
mod trace_interrupted;
