//! What a run means.

mod estimate;
pub mod markov;
mod mechanism;
mod verdict;

pub use estimate::{Interval, mean_interval, median, median_interval, poisson_interval, wilson};
pub use mechanism::{Fates, Hop, Left, Mechanism, Stretch, TooLate, mechanism};
pub use verdict::{Assessment, Verdict, assess, exceeds_capacity};
