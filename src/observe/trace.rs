//! Every fact of a run, written down: for golden tests and for small runs read by eye.

use super::{Fact, Observer};
use crate::time::Time;

/// All facts in order. Memory grows with their number: for small runs only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace(pub Vec<(Time, Fact)>);

impl Observer for Trace {
    fn observe(&mut self, now: Time, fact: Fact) {
        self.0.push((now, fact));
    }

    fn finish(&mut self, _: Time) {}
}
