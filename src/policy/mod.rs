//! How decisions are made. One room asks one question; one file gives one answer and keeps its
//! parameters, its state, its decision and its tests together. Time is an argument everywhere, and so
//! are random bits.
//!
//! A client asks, in this order: is it tried again ([`retry`]), does that fit into its time
//! ([`deadline`]), may it go ([`budget`], [`throttle`], [`breaker`]), is there a connection
//! ([`pool`]), and is a second copy worth it ([`hedge`]). What it is told about an attempt's end is
//! one type for all of them ([`outcome`]). A service asks whom to let in ([`admission`]) and what to
//! drop ([`shedding`]).

pub mod admission;
pub mod breaker;
pub mod budget;
pub mod deadline;
pub mod hedge;
pub mod outcome;
pub mod pool;
pub mod retry;
pub mod shedding;
pub mod throttle;
mod window;
