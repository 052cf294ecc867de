//! What a run means.

mod estimate;
mod verdict;

pub use estimate::{Interval, median, wilson};
pub use verdict::{Assessment, Verdict, assess, exceeds_capacity};
