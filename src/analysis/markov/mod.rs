//! What chains of Markov come to, worked out and not simulated: the yardstick for the engine wherever
//! everything random is exponential.
//!
//! A [`Chain`] has finitely many states and knows what it does in the long run, how long it takes from
//! one state to others, and how likely it gets there in time. [`birth_death`] has the closed forms of
//! the simplest of them; [`RetrialQueue`] is one worker with a short queue whose clients come again, and
//! the smallest model there is that has a good state, a bad one, and rare ways between the two.

pub mod birth_death;
mod chain;
mod retrial;

pub use chain::Chain;
pub use retrial::{Crowd, RetrialQueue, Solution, Sources};
