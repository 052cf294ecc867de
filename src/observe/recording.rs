//! What is kept of a run unless someone asks for less or more.

use super::{Fact, Latency, Observer, Tally, Timeline};
use crate::time::{Span, Time};

/// Counts, timeline and latencies of a run. Its size depends on the number of windows, never on the
/// number of events.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Counts over the whole run.
    pub tally: Tally,
    /// The run in windows.
    pub timeline: Timeline,
    /// Latencies of successful requests.
    pub latency: Latency,
}

impl Recording {
    /// An empty recording with windows of `width`.
    pub fn new(width: Span) -> Self {
        Self { tally: Tally::default(), timeline: Timeline::new(width), latency: Latency::new() }
    }
}

impl Observer for Recording {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        self.tally.observe(now, fact);
        self.timeline.observe(now, fact);
        self.latency.observe(now, fact);
    }

    fn finish(&mut self, horizon: Time) {
        self.tally.finish(horizon);
        self.timeline.finish(horizon);
        self.latency.finish(horizon);
    }
}
