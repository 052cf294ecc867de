//! The built command, as a shell sees it.

mod basin;
mod check;
mod engine;
mod explain;
mod fixture;
mod hysteresis;
mod odds;
mod plot;
mod refusals;
mod run;
mod streams;
mod sweep;
mod tip;
mod tools;
