//! What is kept of a run when there are many.

use super::Run;
use crate::analysis::Assessment;
use crate::observe::{EdgeTotal, Instance, Pulls, ServiceTotal, Tally, Timeline};
use crate::time::Span;

/// A run without its histogram: a thousand of these fit where a dozen runs would.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Which variant of the story.
    pub variant: String,
    /// The seed that fixes every draw.
    pub seed: u64,
    /// What it means.
    pub assessment: Assessment,
    /// Counts over the whole run.
    pub tally: Tally,
    /// Attempts that came to services, as they count them.
    pub server_attempts: u64,
    /// The run in windows.
    pub timeline: Timeline,
    /// What each service saw, by its position.
    pub services: Vec<ServiceTotal>,
    /// What went over each edge, by its position.
    pub edges: Vec<EdgeTotal>,
    /// What each instance was sent, in the order of [`Model::instances`](crate::model::Model::instances).
    pub instances: Vec<Instance>,
    /// When an operator pulled which lever.
    pub pulls: Pulls,
    /// Median latency of successful requests; none without successes.
    pub latency_p50: Option<Span>,
    /// 99th percentile of the latency of successful requests; none without successes.
    pub latency_p99: Option<Span>,
}

impl From<Run> for Summary {
    fn from(run: Run) -> Self {
        let recording = run.recording;
        Self {
            variant: run.variant,
            seed: run.seed,
            assessment: run.assessment,
            server_attempts: recording.server_attempts(),
            tally: recording.tally,
            services: recording.services(),
            edges: recording.edges(),
            instances: recording.instances.seen().collect(),
            latency_p50: recording.latency.quantile(0.5),
            latency_p99: recording.latency.quantile(0.99),
            timeline: recording.timeline,
            pulls: recording.pulls,
        }
    }
}
