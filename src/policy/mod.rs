//! How decisions are made. One room asks one question; one file gives one answer and keeps its
//! parameters, its state, its decision and its tests together. Time is an argument everywhere.

pub mod admission;
pub mod budget;
pub mod retry;
pub mod shedding;
