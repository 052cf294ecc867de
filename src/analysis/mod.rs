//! What a run means.

mod estimate;
mod mechanism;
mod verdict;

pub use estimate::{Interval, median, wilson};
pub use mechanism::{Fates, Hop, Left, Mechanism, Stretch, TooLate, mechanism};
pub use verdict::{
    Assessment, Verdict, assess, control_fails, exceeds_capacity, first_disturbed_window,
    settled_from,
};
