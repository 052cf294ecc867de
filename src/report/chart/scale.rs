//! From a quantity to a place along an axis.

/// A straight scale. Quantities beyond its ends are drawn at the end: a chart never leaves its
/// frame, and says so where it matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// The quantities at both ends.
    pub of: [f64; 2],
    /// The pixels at both ends.
    pub onto: [f64; 2],
}

impl Scale {
    pub(super) fn at(self, quantity: f64) -> f64 {
        let [first, last] = self.of;
        let [from, to] = self.onto;
        let share = if last > first { (quantity - first) / (last - first) } else { 0.0 };
        from + share.clamp(0.0, 1.0) * (to - from)
    }
}
