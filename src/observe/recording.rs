//! What is kept of a run unless someone asks for less or more.

use super::{
    Fact, Graph, Instances, Latency, Line, Link, Observer, Parties, Pulls, Share, Station, Tally,
    Timeline,
};
use crate::id::{ClientId, EdgeId, ServiceId};
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
    /// The run in windows, service by service and edge by edge.
    pub graph: Graph,
    /// What each instance was sent, where there are several.
    pub instances: Instances,
    /// Latencies of successful requests.
    pub latency: Latency,
    /// When an operator pulled which lever.
    pub pulls: Pulls,
}

impl Recording {
    /// An empty recording of a run of `model`.
    pub fn of(model: &Model) -> Self {
        Self {
            tally: Tally::default(),
            timeline: Timeline::new(model.window),
            parties: Parties::of(model),
            graph: Graph::of(model),
            instances: Instances::of(model),
            latency: Latency::new(),
            pulls: Pulls::default(),
        }
    }
}

impl Recording {
    /// What one client saw in the whole run.
    pub fn client(&self, id: ClientId) -> Share {
        if self.parties.clients().len() == 0 {
            let Tally { requests, succeeded, failed, attempts, .. } = self.tally;
            return Share { arrivals: requests, goodput: succeeded, failed, attempts };
        }
        self.parties.clients().map(|window| window[id.index()]).fold(
            Share::default(),
            |sum, share| Share {
                arrivals: sum.arrivals + share.arrivals,
                goodput: sum.goodput + share.goodput,
                failed: sum.failed + share.failed,
                attempts: sum.attempts + share.attempts,
            },
        )
    }

    /// Attempts that came to services, as they count them: those of clients and of services that call
    /// others, what was sent again beneath the policies of either, and not what was lost on the way.
    pub fn server_attempts(&self) -> u64 {
        let Tally { started, rejected, shed, left_unserved, .. } = self.tally;
        let waiting = self.timeline.windows().last().map_or(0, |window| window.queue);
        started + rejected + shed + left_unserved + waiting
    }

    /// What one service saw in the whole run. Where it is the only one, with one client, the time in
    /// service is that of the work.
    pub fn station(&self, id: ServiceId) -> Station {
        self.graph.station(id).unwrap_or_else(|| Station {
            attempts: self.server_attempts(),
            started: self.tally.started,
            completed: self.tally.completed,
            wasted: self.tally.wasted,
            rejected: self.tally.rejected,
            failed_at_once: self.tally.failed_at_once,
            shed: self.tally.shed,
            withdrawn: self.tally.withdrawn,
            lost: self.tally.lost_there,
            executions: self.tally.executions,
            duplicates: self.tally.duplicates,
            work: self.tally.work,
            wasted_work: self.tally.wasted_work,
            in_service: self.tally.work + self.tally.refusing_work,
            waited: self.tally.waited,
            queue: self.line(id).last,
            serving: self.tally.serving(),
        })
    }

    /// What went over one edge in the whole run.
    pub fn link(&self, id: EdgeId) -> Link {
        self.graph.link(id).unwrap_or(Link {
            requests: self.tally.requests,
            answered: self.tally.succeeded,
            failed: self.tally.failed,
            attempts: self.tally.attempts,
            retries: self.tally.retries,
            hedges: self.tally.hedges,
            repeats: self.tally.repeats,
            timed_out: self.tally.timed_out,
            refused: self.tally.rejected,
            failed_at_once: self.tally.failed_at_once,
            denied: self.tally.denied,
            held_back: self.tally.held_back,
            ejections: self.tally.ejections,
        })
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
        self.graph.observe(now, fact);
        self.instances.observe(now, fact);
        self.latency.observe(now, fact);
        self.pulls.observe(now, fact);
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
        self.graph.finish(horizon);
        self.instances.finish(horizon);
        self.latency.finish(horizon);
    }
}
