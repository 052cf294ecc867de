//! The numbers that can be promised, by the names that they have in outputs.

use super::{CellOutcome, Run};
use crate::id::{ClientId, EdgeId, ServiceId};
use crate::observe::{Busiest, BusiestCount, EdgeTotal, Instance, ServiceTotal, Share};

macro_rules! metrics {
    ($(#[$about:meta])* $name:ident of $of:ty { $(#[doc = $doc:literal] $variant:ident $key:literal $value:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $(#[doc = $doc] $variant,)* }

        impl $name {
            /// Every metric there is.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in scenario files and outputs.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $key,)* }
            }

            /// What it counts, with its unit, in a sentence.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $doc.trim_ascii(),)* }
            }

            /// Its value, or none where there is none.
            pub fn of(self, of: &$of) -> Option<f64> {
                let value: fn(&$of) -> Option<f64> = match self { $(Self::$variant => $value,)* };
                value(of)
            }
        }
    };
}

metrics! {
    /// A number of a run that can be promised. The names are those of `run --format json`.
    Metric of Run {
        /// Start of the first good window after the disturbance, seconds.
        BackAt "back_at_s" |run| run.assessment.back_at.map(|at| at.as_secs_f64()),
        /// Time from the end of the last trigger to `back_at_s`, seconds.
        RecoveryTime "recovery_time_s" |run| run.assessment.recovery_time.map(|time| time.as_secs_f64()),
        /// Relapses after the last trigger.
        Relapses "relapses" |run| Some(f64::from(run.assessment.relapses)),
        /// Fresh requests.
        Requests "requests" |run| Some(run.recording.tally.requests as f64),
        /// Requests answered in time.
        Succeeded "succeeded" |run| Some(run.recording.tally.succeeded as f64),
        /// Requests failed for good.
        Failed "failed" |run| Some(run.recording.tally.failed as f64),
        /// Requests open at the horizon.
        Censored "censored" |run| Some(run.recording.tally.censored() as f64),
        /// Attempts sent by clients.
        Attempts "attempts" |run| Some(run.recording.tally.attempts as f64),
        /// Retries sent by clients.
        Retries "retries" |run| Some(run.recording.tally.retries as f64),
        /// Copies sent by clients of attempts that were still out.
        Hedges "hedges" |run| Some(run.recording.tally.hedges as f64),
        /// Attempts sent again by clients' transports, beneath all policies.
        TransportRepeats "transport_repeats" |run| Some(run.recording.tally.repeats as f64),
        /// Attempts that came to services.
        ServerAttempts "server_attempts" |run| Some(run.recording.server_attempts() as f64),
        /// Operations executed.
        Executions "executions" |run| Some(run.recording.tally.executions as f64),
        /// Operations executed although they had been before.
        Duplicates "duplicate_executions" |run| Some(run.recording.tally.duplicates as f64),
        /// Requests for which an operation was executed more than once.
        ExecutedAgain "executed_more_than_once" |run| Some(run.recording.tally.executed_again as f64),
        /// Attempts answered with what an earlier one had come to.
        Replayed "replayed" |run| Some(run.recording.tally.replayed as f64),
        /// Attempts turned away because another one of the same request was being served.
        Conflicts "conflicts" |run| Some(run.recording.tally.conflicts as f64),
        /// Idempotency keys that services had forgotten.
        KeysExpired "keys_expired" |run| Some(run.recording.tally.keys_expired as f64),
        /// Attempts held back by a client's own throttle, breaker or pool.
        HeldBack "held_back" |run| Some(run.recording.tally.held_back as f64),
        /// How often circuit breakers opened.
        BreakerOpenings "breaker_openings" |run| Some(run.recording.tally.breaker_openings as f64),
        /// How often callers ejected an instance.
        Ejections "ejections" |run| Some(run.recording.tally.ejections as f64),
        /// Attempts given up by clients.
        TimedOut "timed_out" |run| Some(run.recording.tally.timed_out as f64),
        /// Retries held back by a budget.
        Denied "denied" |run| Some(run.recording.tally.denied as f64),
        /// Attempts turned away on arrival.
        Rejected "rejected" |run| Some(run.recording.tally.rejected as f64),
        /// Those of them that were told that they had failed, and not that there is no room.
        FailedAtOnce "failed_at_once" |run| Some(run.recording.tally.failed_at_once as f64),
        /// Attempts dropped at pick-up.
        Shed "shed" |run| Some(run.recording.tally.shed as f64),
        /// Share of work done for nobody.
        WastedWork "wasted_work_fraction" |run| Some(run.recording.tally.wasted_work_fraction()),
        /// Attempts per request.
        Amplification "amplification" |run| Some(run.recording.tally.amplification()),
        /// When the last request was answered in time, seconds.
        LastSuccess "last_success_s" |run| run.recording.tally.last_success.map(|at| at.as_secs_f64()),
        /// Median latency of successful requests, seconds.
        LatencyP50 "latency_p50_s" |run| run.recording.latency.quantile(0.5).map(|l| l.as_secs_f64()),
        /// 99th percentile of the latency of successful requests, seconds.
        LatencyP99 "latency_p99_s" |run| run.recording.latency.quantile(0.99).map(|l| l.as_secs_f64()),
    }
}

metrics! {
    /// A number of a sweep's cell that can be promised. The names are those of `sweep --format json`.
    SweepMetric of CellOutcome {
        /// Seeds that were well at the end.
        Recovered "recovered" |cell| Some(cell.recovered() as f64),
        /// Share of seeds that were well at the end.
        RecoveredShare "recovered_share" |cell| Some(cell.recovered_share()),
        /// Median recovery time, seconds.
        MedianRecoveryTime "median_recovery_time_s" |cell| cell.median_recovery_time_s,
    }
}

metrics! {
    /// A number of one client that can be promised.
    ClientMetric of Share {
        /// Its fresh requests.
        Requests "requests" |share| Some(share.arrivals as f64),
        /// Its requests answered in time.
        Succeeded "succeeded" |share| Some(share.goodput as f64),
        /// The share of its requests that were answered in time; none without requests.
        SucceededShare "succeeded_share" |share| per_request(share, share.goodput),
        /// Attempts that it sent.
        Attempts "attempts" |share| Some(share.attempts as f64),
        /// Attempts per request; none without requests.
        Amplification "amplification" |share| per_request(share, share.attempts),
    }
}

metrics! {
    /// A number of one service that can be promised. The names are those of `run --format json`.
    ServiceMetric of ServiceTotal {
        /// Attempts that arrived.
        Attempts "attempts" |service| Some(service.seen.attempts as f64),
        /// Attempts answered in time.
        Answered "answered" |service| Some(service.seen.answered() as f64),
        /// Attempts that a worker began to serve.
        Started "started" |service| Some(service.seen.started as f64),
        /// Attempts served in full.
        Completed "completed" |service| Some(service.seen.completed as f64),
        /// Attempts served in full for nobody.
        Wasted "wasted" |service| Some(service.seen.wasted as f64),
        /// Attempts turned away on arrival.
        Rejected "rejected" |service| Some(service.seen.rejected as f64),
        /// Those of them that were told that they had failed, and not that there is no room.
        FailedAtOnce "failed_at_once" |service| Some(service.seen.failed_at_once as f64),
        /// Attempts dropped that had been let in.
        Shed "shed" |service| Some(service.seen.shed as f64),
        /// Attempts dropped because their callers had given them up.
        Withdrawn "withdrawn" |service| Some(service.seen.withdrawn as f64),
        /// Attempts lost in an outage or a restart.
        Lost "lost" |service| Some(service.seen.lost as f64),
        /// Work on attempts served in full, seconds.
        Work "work_s" |service| Some(service.seen.work.as_secs_f64()),
        /// The part of it that was for nobody, seconds.
        WastedWork "wasted_work_s" |service| Some(service.seen.wasted_work.as_secs_f64()),
        /// The same as a share.
        WastedWorkFraction "wasted_work_fraction" |service| Some(service.seen.wasted_work_fraction()),
        /// Time that attempts spent between the start of their service and its end, seconds.
        InService "in_service_s" |service| Some(service.seen.in_service.as_secs_f64()),
        /// Total waiting time of the attempts started, seconds.
        Waited "waited_s" |service| Some(service.seen.waited.as_secs_f64()),
        /// Mean wait of the attempts started, seconds; none if none was.
        WaitingMean "waiting_mean_s" |service| service.seen.waiting_mean_s(),
        /// The mean of the queues at the ends of windows, attempts.
        MeanQueue "mean_queue" |service| Some(service.line.mean()),
        /// The longest queue at the end of a window, attempts.
        LongestQueue "longest_queue" |service| Some(service.line.longest as f64),
        /// The queue at the horizon, attempts.
        LastQueue "last_queue" |service| Some(service.line.last as f64),
        /// Attempts being served at the horizon.
        LastServing "last_serving" |service| Some(service.seen.serving as f64),
        /// Operations executed.
        Executions "executions" |service| Some(service.seen.executions as f64),
        /// Those of them that had been executed before.
        Duplicates "duplicate_executions" |service| Some(service.seen.duplicates as f64),
    }
}

metrics! {
    /// A number of one edge, counted by whoever calls, that can be promised. The names are those of
    /// `run --format json`.
    EdgeMetric of EdgeTotal {
        /// Calls made over it: fresh requests of a client, or requests that a service makes.
        Requests "requests" |edge| Some(edge.link.requests as f64),
        /// Those of them that were answered in time.
        Succeeded "succeeded" |edge| Some(edge.link.answered as f64),
        /// Those of them that failed for good.
        Failed "failed" |edge| Some(edge.link.failed as f64),
        /// Attempts sent.
        Attempts "attempts" |edge| Some(edge.link.attempts as f64),
        /// Attempts sent because the one before had failed.
        Retries "retries" |edge| Some(edge.link.retries as f64),
        /// Attempts sent while the one before was still out.
        Hedges "hedges" |edge| Some(edge.link.hedges as f64),
        /// Attempts that the transport sent again, which nobody counts as attempts.
        TransportRepeats "transport_repeats" |edge| Some(edge.link.repeats as f64),
        /// Attempts given up.
        TimedOut "timed_out" |edge| Some(edge.link.timed_out as f64),
        /// Attempts turned away on arrival.
        Rejected "rejected" |edge| Some(edge.link.refused as f64),
        /// Those of them that were told that they had failed, and not that there is no room.
        FailedAtOnce "failed_at_once" |edge| Some(edge.link.failed_at_once as f64),
        /// Retries held back by a budget.
        Denied "denied" |edge| Some(edge.link.denied as f64),
        /// Attempts held back by a throttle, breaker or pool.
        HeldBack "held_back" |edge| Some(edge.link.held_back as f64),
        /// How often the caller ejected an instance.
        Ejections "ejections" |edge| Some(edge.link.ejections as f64),
        /// Attempts per call; none without calls.
        Amplification "amplification" |edge| edge.link.amplification(),
        /// Attempts per fresh request of the clients above; none without them.
        AttemptsPerFreshRequest "attempts_per_fresh_request" |edge| edge.attempts_per_fresh_request(),
    }
}

metrics! {
    /// A number of one of several instances, counted by whoever calls it, that can be promised. The names
    /// are those of `run --format json`.
    InstanceMetric of Instance {
        /// Attempts sent to it.
        Attempts "attempts" |instance| Some(instance.attempts as f64),
        /// Those that were answered with what was asked for.
        Answered "answered" |instance| Some(instance.answered as f64),
        /// Those that failed.
        Failed "failed" |instance| Some(instance.failed as f64),
        /// Those that nobody needed any more before they had ended.
        Unneeded "unneeded" |instance| Some(instance.unneeded as f64),
        /// Those that were out at the horizon.
        Outstanding "outstanding" |instance| Some(instance.outstanding as f64),
        /// The most that were out at once.
        MostOutstanding "most_outstanding" |instance| Some(instance.most_outstanding as f64),
        /// How often a caller ejected it.
        Ejections "ejections" |instance| Some(instance.ejections as f64),
        /// How long it was ejected, summed over callers, seconds.
        Ejected "ejected_s" |instance| Some(instance.ejected.as_secs_f64()),
    }
}

/// A name as it is spelled in a dotted path of a scenario: in quotes where it needs them.
pub fn key(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(is_plain) {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for letter in name.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

fn per_request(share: &Share, count: u64) -> Option<f64> {
    (share.arrivals > 0).then(|| count as f64 / share.arrivals as f64)
}

/// A number of a run that can be promised, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The whole run's.
    Whole(Metric),
    /// A client's.
    Client {
        /// Which.
        id: ClientId,
        /// What it is called.
        name: String,
        /// What of it.
        metric: ClientMetric,
    },
    /// A service's.
    Service {
        /// Which.
        id: ServiceId,
        /// What it is called.
        name: String,
        /// What of it.
        metric: ServiceMetric,
    },
    /// An edge's.
    Edge {
        /// Which.
        id: EdgeId,
        /// What it is called.
        name: String,
        /// What of it.
        metric: EdgeMetric,
    },
    /// An instance's, of a service that has several.
    Instance {
        /// Its position among all of [`Model::instances`](crate::model::Model::instances).
        nth: usize,
        /// What it is called.
        name: String,
        /// What of it.
        metric: InstanceMetric,
    },
    /// The attempts sent in the busiest of many short windows, which nothing counts unless it is
    /// promised.
    Busiest(Busiest),
}

impl From<Metric> for Quantity {
    fn from(metric: Metric) -> Self {
        Self::Whole(metric)
    }
}

impl Quantity {
    /// Its name in a finding.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Whole(metric) => metric.name().to_owned(),
            Self::Client { name, metric, .. } => {
                format!("clients.{}.{}", key(name), metric.name())
            }
            Self::Service { name, metric, .. } => {
                format!("services.{}.{}", key(name), metric.name())
            }
            Self::Edge { name, metric, .. } => format!("edges.{}.{}", key(name), metric.name()),
            Self::Instance { name, metric, .. } => {
                format!("instances.{}.{}", key(name), metric.name())
            }
            Self::Busiest(busiest) => {
                format!("attempts in the busiest {} from {} on", busiest.width, busiest.after)
            }
        }
    }

    /// Its value, or none where there is none; `busiest` are the counters that watched the run.
    pub(super) fn of(&self, run: &Run, busiest: &[BusiestCount]) -> Option<f64> {
        match self {
            Self::Whole(metric) => metric.of(run),
            Self::Client { id, metric, .. } => metric.of(&run.recording.client(*id)),
            Self::Service { id, metric, .. } => metric.of(&run.recording.service(*id)),
            Self::Edge { id, metric, .. } => {
                run.recording.edges().get(id.index()).and_then(|edge| metric.of(edge))
            }
            Self::Instance { nth, metric, .. } => {
                run.recording.instances.seen().nth(*nth).and_then(|seen| metric.of(&seen))
            }
            Self::Busiest(asked) => {
                let count = busiest.iter().find(|count| count.busiest() == *asked);
                count.map(|count| count.most() as f64)
            }
        }
    }
}
