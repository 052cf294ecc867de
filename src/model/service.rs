//! A service: workers behind one queue.

use std::num::{NonZeroU16, NonZeroU32};

use super::graph::Calls;
use super::trigger::Notice;
use crate::law::Law;
use crate::policy::admission::{Admission, RateLimit, Rejection};
use crate::policy::balancer::Balancer;
use crate::policy::discipline::Discipline;
use crate::policy::effect::{Idempotency, Meanwhile};
use crate::policy::ejection::Ejection;
use crate::policy::limit::Limit;
use crate::policy::retry::{Failure, Hint};
use crate::policy::scaling::Scaling;
use crate::policy::shedding::{QueueTimer, Shedding};
use crate::policy::slowdown::Slowdown;
use crate::time::Span;
use crate::unit::{Fraction, Rate};

/// A queue and the workers that serve it, each one attempt at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Its name in the scenario; keys its random streams.
    pub name: String,
    /// How many instances of it there are, each with workers and a queue of its own.
    pub instances: NonZeroU16,
    /// How an attempt finds one of several instances.
    pub balancer: Balancer,
    /// Which of several instances are not asked for a while; none asks all of them.
    pub ejection: Option<Ejection>,
    /// How many attempts are served at once; by each instance.
    pub workers: NonZeroU32,
    /// How long one worker works on one attempt.
    pub service_time: Law,
    /// When the work of an attempt is drawn.
    pub work: WorkDraw,
    /// Who may wait.
    pub admission: Admission,
    /// What is dropped when a worker picks it up.
    pub shedding: Shedding,
    /// Attempts that are answered with a failure.
    pub errors: Errors,
    /// What those hear that are not let in.
    pub refusals: Refusals,
    /// Which of those that wait is next.
    pub discipline: Discipline,
    /// How work depends on the state of the service, on top of its law.
    pub slowdown: Slowdown,
    /// How many attempts it may have at once, waiting or in service; none for no limit.
    pub limit: Option<Limit>,
    /// How many attempts it lets in per second; none for no limit.
    pub rate_limit: Option<RateLimit>,
    /// By the clock, which attempts leave the queue; none for those that may wait for ever.
    pub queue_timeout: Option<QueueTimeout>,
    /// What it does about attempts that their clients have given up.
    pub on_abandon: OnAbandon,
    /// What makes workers come and go; none leaves them as they are.
    pub scaling: Option<Scaling>,
    /// What it calls while it serves an attempt.
    pub calls: Calls,
    /// What it means to serve an attempt twice; none for an operation of which nobody counts how often it
    /// was executed. All instances know of each other's executions. No lever changes it.
    pub effect: Option<Effect>,
}

/// An operation that should be executed once for each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What keeps it from being executed again.
    pub idempotency: Idempotency,
    /// How long a worker takes to answer without executing anything; at least a nanosecond, so that nobody
    /// asks again without end at one instant.
    pub answer_takes: Span,
}

/// What a service does about an attempt that its client has given up. It hears of it at once, however
/// long the network takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnAbandon {
    /// Nothing: the attempt is served in full, for nobody.
    #[default]
    Ignores,
    /// It leaves the queue; what a worker has begun is finished.
    LeavesQueue,
    /// It leaves the queue, and a worker drops it.
    StopsWork,
}

/// Whether the attempts of one request bring the same work. Both are fixed when the request is born,
/// so that every variant of a story sees the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkDraw {
    /// Each attempt draws anew: what varies is the service.
    PerAttempt,
    /// Every attempt of a request brings the same: what varies is the request.
    PerRequest,
}

/// Attempts that a service answers with a failure for reasons of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    /// Which share of attempts.
    pub share: Fraction,
    /// Before or after the work.
    pub cost: ErrorCost,
    /// What the client is told.
    pub failure: Failure,
    /// What it is told about trying again.
    pub hint: Hint,
}

/// How a service refuses an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// What it costs, and whom.
    pub cost: Rejection,
    /// What the client is told about trying again.
    pub hint: Hint,
    /// Who says it.
    pub sight: Sight,
}

/// Whether the application has seen an attempt that is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sight {
    /// It refuses it itself.
    #[default]
    Seen,
    /// Its library does, before anybody has seen it (HTTP/2's `REFUSED_STREAM`): whoever sent it may be
    /// sure that nothing was done.
    Unseen,
}

/// How attempts leave a queue by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueTimeout {
    /// When.
    pub timer: QueueTimer,
    /// Whether their clients are told: that they are refused, with the hint of a refusal, free of
    /// cost.
    pub clients: Notice,
}

/// What a failing attempt costs the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCost {
    /// Nothing: it fails on arrival.
    Nothing,
    /// As much as a success: it fails after its work.
    FullWork,
}

impl Errors {
    /// None.
    pub const NONE: Self = Self {
        share: Fraction::ZERO,
        cost: ErrorCost::FullWork,
        failure: Failure::Error,
        hint: Hint::Absent,
    };
}

impl Service {
    /// A service that lets everything in, sheds nothing and fails nothing.
    pub fn new(name: &str, workers: NonZeroU32, service_time: Law) -> Self {
        Self {
            name: name.to_owned(),
            instances: NonZeroU16::MIN,
            balancer: Balancer::IN_TURN,
            ejection: None,
            workers,
            service_time,
            work: WorkDraw::PerAttempt,
            admission: Admission::Unbounded,
            shedding: Shedding::Never,
            errors: Errors::NONE,
            refusals: Refusals::default(),
            discipline: Discipline::Fifo,
            slowdown: Slowdown::None,
            limit: None,
            rate_limit: None,
            queue_timeout: None,
            on_abandon: OnAbandon::Ignores,
            scaling: None,
            calls: Calls::NONE,
            effect: None,
        }
    }

    /// Whether a client may hear that it is refused, on arrival or by the clock.
    pub fn may_say_no(&self) -> bool {
        let tells = |timeout: QueueTimeout| timeout.clients == Notice::AtOnce;
        self.may_refuse() || self.queue_timeout.is_some_and(tells)
    }

    /// Whether it may refuse an attempt on arrival.
    pub const fn may_refuse(&self) -> bool {
        !matches!(self.admission, Admission::Unbounded)
            || self.limit.is_some()
            || self.rate_limit.is_some()
    }

    /// Whether it may fail an attempt because another one of its request is being served.
    pub fn may_conflict(&self) -> bool {
        let idempotency = self.effect.map(|effect| effect.idempotency);
        matches!(idempotency, Some(Idempotency::Keys { meanwhile: Meanwhile::Conflicts, .. }))
    }

    /// What it may say about trying again.
    pub const fn hints(&self) -> [Hint; 2] {
        [self.errors.hint, self.refusals.hint]
    }

    /// The most workers that each instance has of its own accord.
    pub fn most_workers(&self) -> NonZeroU32 {
        self.scaling.map_or(self.workers, |scaling| self.workers.max(scaling.max))
    }

    /// The fewest workers that each instance has of its own accord.
    pub fn fewest_workers(&self) -> NonZeroU32 {
        self.scaling.map_or(self.workers, |scaling| self.workers.min(scaling.min))
    }

    /// Attempts per second that it completes when every worker that it begins with is busy, of
    /// every instance: workers / mean work.
    ///
    /// # Panics
    /// If the mean work is zero, which no valid law has.
    pub fn capacity(&self) -> Rate {
        self.capacity_of(self.workers)
    }

    /// The same if each instance has so many workers.
    ///
    /// # Panics
    /// Like [`capacity`](Self::capacity).
    pub fn capacity_of(&self, workers: NonZeroU32) -> Rate {
        let workers = f64::from(self.instances.get()) * f64::from(workers.get());
        let per_second = workers / self.service_time.mean().as_secs_f64();
        Rate::new(per_second).expect("a law of work has a mean above zero")
    }
}
