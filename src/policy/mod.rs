//! How decisions are made. One room asks one question; one file gives one answer and keeps its
//! parameters, its state, its decision and its tests together. Time is an argument everywhere, and so
//! are random bits.
//!
//! A client asks, in this order: is it tried again ([`retry`]), does that fit into its time
//! ([`deadline`]), may it go ([`budget`], [`throttle`], [`breaker`]), is there a connection
//! ([`pool`]), and is a second copy worth it ([`hedge`]). Where a service has several instances, it
//! asks which of them gets the attempt ([`balancer`]), and which are not asked for a while
//! ([`ejection`]); and where it looks aside before it calls, whether what it wants is at hand
//! ([`cache`]). Beneath all of this the [`transport`] may send an attempt again. What a client is told
//! about an attempt's end is one type for all of them ([`outcome`]).
//!
//! An attempt meets the policies of a service in this order:
//!
//! 1. on arrival, [`admission`]: the rate limit, then the concurrency [`limit`], then, if it must
//!    wait, the bound of the queue;
//! 2. in the queue, [`discipline`]: who is next; and [`shedding::QueueTimer`]: who has waited enough;
//! 3. at pick-up, [`shedding`]: is it still worth serving?
//! 4. at the start, [`effect`]: has its work been done before; and [`slowdown`]: how much longer it
//!    takes in this state;
//! 5. at its end, the concurrency [`limit`] again: what the round trip teaches.
//!
//! How many workers a service has is asked now and then, whatever arrives ([`scaling`]).

pub mod admission;
pub mod balancer;
pub mod breaker;
pub mod budget;
pub mod cache;
mod class;
pub mod deadline;
pub mod discipline;
pub mod effect;
pub mod ejection;
pub mod hedge;
pub mod limit;
pub mod outcome;
pub mod pool;
pub mod retry;
pub mod scaling;
pub mod shedding;
pub mod slowdown;
pub mod throttle;
pub mod transport;
mod window;

pub use class::Class;
