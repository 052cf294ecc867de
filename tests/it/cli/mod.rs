//! The built command, as a shell sees it.

mod advise;
mod check;
mod engine;
mod explain;
mod fixture;
mod frontier;
mod plot;
mod refusals;
mod run;
mod streams;
mod sweep;
mod tip;
