//! What is kept of a run unless someone asks for less or more.

use super::{Fact, Latency, Line, Observer, Parties, Share, Tally, Timeline};
use crate::id::{ClientId, ServiceId};
use crate::model::Model;
use crate::time::Time;

/// Counts, timeline and latencies of a run. Its size depends on the number of windows, never on the
/// number of events.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Counts over the whole run.
    pub tally: Tally,
    /// The run in windows.
    pub timeline: Timeline,
    /// The run in windows, client by client and service by service.
    pub parties: Parties,
    /// Latencies of successful requests.
    pub latency: Latency,
}

impl Recording {
    /// An empty recording of a run of `model`.
    pub fn of(model: &Model) -> Self {
        Self {
            tally: Tally::default(),
            timeline: Timeline::new(model.window),
            parties: Parties::of(model),
            latency: Latency::new(),
        }
    }
}

impl Recording {
    /// What one client saw in the whole run.
    pub fn client(&self, id: ClientId) -> Share {
        if self.parties.clients().len() == 0 {
            let Tally { requests, succeeded, attempts, .. } = self.tally;
            return Share { arrivals: requests, goodput: succeeded, attempts };
        }
        self.parties.clients().map(|window| window[id.index()]).fold(
            Share::default(),
            |sum, share| Share {
                arrivals: sum.arrivals + share.arrivals,
                goodput: sum.goodput + share.goodput,
                attempts: sum.attempts + share.attempts,
            },
        )
    }

    /// How long one service's queue was.
    pub fn line(&self, id: ServiceId) -> Line {
        if self.parties.queues().len() == 0 {
            return self.timeline.windows().iter().map(|window| window.queue).collect();
        }
        self.parties.queues().map(|window| window[id.index()]).collect()
    }
}

impl Observer for Recording {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        self.tally.observe(now, fact);
        self.timeline.observe(now, fact);
        self.parties.observe(now, fact);
        self.latency.observe(now, fact);
    }

    fn observe_many(&mut self, now: Time, fact: Fact, times: u64) {
        self.tally.observe_many(now, fact, times);
        self.timeline.observe_many(now, fact, times);
        self.parties.observe_many(now, fact, times);
        self.latency.observe_many(now, fact, times);
    }

    fn finish(&mut self, horizon: Time) {
        self.tally.finish(horizon);
        self.timeline.finish(horizon);
        self.parties.finish(horizon);
        self.latency.finish(horizon);
    }
}
