//! When levers were pulled: an alert decides that during the run.

use super::{Fact, Observer};
use crate::id::LeverId;
use crate::time::Time;

/// The levers that were pulled, in order, each with its instant: each at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pulls(Vec<(LeverId, Time)>);

impl Pulls {
    /// Each lever that was pulled, and when.
    pub fn iter(&self) -> impl Iterator<Item = (LeverId, Time)> {
        self.0.iter().copied()
    }
}

impl Observer for Pulls {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        if let Fact::LeverPulled { lever } = fact {
            self.0.push((lever, now));
        }
    }

    fn observe_many(&mut self, now: Time, fact: Fact, _: u64) {
        self.observe(now, fact);
    }

    fn finish(&mut self, _: Time) {}
}
