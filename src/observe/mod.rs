//! What is seen of a run. The engine tells an [`Observer`] every [`Fact`], once, in order; observers
//! count, time and write down, and never act.

mod busiest;
mod fact;
mod graph;
mod instances;
mod latency;
mod link;
mod parties;
mod phase;
mod pulls;
mod recording;
mod roll;
mod scattered;
mod station;
mod tally;
mod timeline;
mod totals;
mod trace;

pub use busiest::{Busiest, BusiestCount};
pub use fact::{CallId, Dropped, Ending, Fact, Guard, Place, Sending};
pub use graph::Graph;
pub use instances::{Instance, Instances};
pub use latency::Latency;
pub use link::Link;
pub use parties::{Line, Parties, Share};
pub use phase::{Phase, Point, Standing};
pub use pulls::Pulls;
pub use recording::Recording;
pub use scattered::Scattered;
pub use station::Station;
pub use tally::Tally;
pub use timeline::{Timeline, Window};
pub use totals::{EdgeTotal, ServiceTotal};
pub use trace::{Numbers, Trace};

use crate::time::Time;

/// Someone who watches a run.
pub trait Observer {
    /// `fact` happens at `now`. Instants never go back.
    fn observe(&mut self, now: Time, fact: Fact);

    /// The same happens at `now` to `times` requests at once: what a solver tells that counts and does
    /// not follow each. Whoever counts too can do so in one step.
    fn observe_many(&mut self, now: Time, fact: Fact, times: u64) {
        (0..times).for_each(|_| self.observe(now, fact));
    }

    /// The run is cut at `horizon`; nothing at or after it happens.
    fn finish(&mut self, horizon: Time);
}

/// Sees nothing: for timing the engine alone.
impl Observer for () {
    #[inline(always)]
    fn observe(&mut self, _: Time, _: Fact) {}
    fn observe_many(&mut self, _: Time, _: Fact, _: u64) {}
    fn finish(&mut self, _: Time) {}
}

/// Two who watch the same run.
impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        self.0.observe(now, fact);
        self.1.observe(now, fact);
    }
    fn observe_many(&mut self, now: Time, fact: Fact, times: u64) {
        self.0.observe_many(now, fact, times);
        self.1.observe_many(now, fact, times);
    }
    fn finish(&mut self, horizon: Time) {
        self.0.finish(horizon);
        self.1.finish(horizon);
    }
}

/// As many as there are.
impl<O: Observer> Observer for Vec<O> {
    #[inline]
    fn observe(&mut self, now: Time, fact: Fact) {
        self.iter_mut().for_each(|observer| observer.observe(now, fact));
    }
    fn observe_many(&mut self, now: Time, fact: Fact, times: u64) {
        self.iter_mut().for_each(|observer| observer.observe_many(now, fact, times));
    }
    fn finish(&mut self, horizon: Time) {
        self.iter_mut().for_each(|observer| observer.finish(horizon));
    }
}

impl<O: Observer> Observer for &mut O {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        (**self).observe(now, fact);
    }
    fn observe_many(&mut self, now: Time, fact: Fact, times: u64) {
        (**self).observe_many(now, fact, times);
    }
    fn finish(&mut self, horizon: Time) {
        (**self).finish(horizon);
    }
}
