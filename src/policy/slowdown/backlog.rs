//! How much longer does work take when many wait?
//!
//! Whose memory it is: nobody's.
//!
//! What waits holds memory, and memory under pressure is paid for by everyone: garbage collection,
//! page cache, scans of a table that grows. A straight line beyond a threshold is the simplest curve
//! with that shape, and two measurements fix it.

use super::{Flaw, coefficient};

/// A line that begins at a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backlog {
    slope: f64,
    threshold: u32,
}

impl Backlog {
    /// With `slope` added for each one waiting beyond `threshold`, as a share of the work in an empty
    /// queue: 0.001 doubles the work at 1,000 beyond it.
    ///
    /// # Errors
    /// [`Flaw::Coefficient`] if the slope is negative or not finite.
    pub fn new(slope: f64, threshold: u32) -> Result<Self, Flaw> {
        Ok(Self { slope: coefficient(slope)?, threshold })
    }

    /// 1 + slope x (waiting - threshold), from the threshold on.
    #[inline]
    pub fn factor(&self, waiting: usize) -> f64 {
        1.0 + self.slope * waiting.saturating_sub(self.threshold as usize) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_begins_at_the_threshold() {
        let law = Backlog::new(0.01, 100).unwrap();
        assert_eq!([0, 100, 150, 300].map(|waiting| law.factor(waiting)), [1.0, 1.0, 1.5, 3.0]);
    }
}
