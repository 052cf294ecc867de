//! What a run means.

mod estimate;
pub mod markov;
mod mechanism;
mod threshold;
mod verdict;

pub use estimate::{Interval, mean_interval, median, median_interval, poisson_interval, wilson};
pub use mechanism::{Fates, Hold, Hop, Left, Mechanism, Patience, Stretch, TooLate, mechanism};
pub use threshold::{Answers, Estimate, Side, Threshold};
pub use verdict::{
    Assessment, Verdict, assess, control_fails, ends_well, exceeds_capacity,
    first_disturbed_window, settled_from,
};
