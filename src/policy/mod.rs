//! How decisions are made. One room asks one question; one file gives one answer and keeps its
//! parameters, its state, its decision and its tests together. Time is an argument everywhere.
//!
//! An attempt meets the policies of a service in this order:
//!
//! 1. on arrival, [`admission`]: the rate limit, then the concurrency [`limit`], then, if it must
//!    wait, the bound of the queue;
//! 2. in the queue, [`discipline`]: who is next; and [`shedding::QueueTimer`]: who has waited enough;
//! 3. at pick-up, [`shedding`]: is it still worth serving?
//! 4. at the start, [`slowdown`]: how much longer its work takes in this state;
//! 5. at its end, the concurrency [`limit`] again: what the round trip teaches.

pub mod admission;
pub mod budget;
mod class;
pub mod discipline;
pub mod limit;
pub mod retry;
pub mod shedding;
pub mod slowdown;

pub use class::Class;
