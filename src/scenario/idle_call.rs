//! Which keys of a call change nothing, given what stands beside them.

use super::idle::Reason;
use crate::model::{Edge, LateAnswers, Service, Sight};
use crate::policy::budget::Metered;
use crate::policy::cache::{Coalescing, Contents};
use crate::policy::deadline::{Least, Overrun};
use crate::policy::discipline::Discipline;
use crate::policy::hedge::{Delay, Hedge, OnFailure};
use crate::policy::outcome::{Failure, Failures};
use crate::policy::pool::Pool;
use crate::policy::shedding::Shedding;
use crate::policy::transport::Repeats;
use crate::time::Span;

const AFTER_FAILURE: Reason = Reason {
    what: "a copy is sent only after a failure, so it never waits and is never one of two",
    help: "give the hedge a delay: delay = \"100ms\"",
};

const ALL_FATAL: Reason =
    Reason { what: "every failure ends the try", help: "name fewer kinds of failure in `fatal`" };

const TOO_LATE: Reason = Reason {
    what: "no attempt is out for so long",
    help: "write a delay below the timeout and the deadline, or \"after_failure\"",
};

const NO_ACQUIRE_TIMEOUT: Reason = Reason {
    what: "this pool has no acquire timeout that it could be about",
    help: "add acquire_timeout = \"30s\"",
};

const NEVER_DEAD: Reason = Reason {
    what: "no connection of this pool is ever dead, so nobody waits for one twice",
    help: "add dead = { share = 0.1, reconnect = \"100ms\" }",
};

const WAITS_NO_TIME: Reason = Reason {
    what: "a connection is opened in no time, so whoever may wait for it has it at once",
    help: "write max_waiting = 0, or leave `cold_start` out",
};

const NO_TIMEOUT: Reason =
    Reason { what: "this call has no timeout", help: "add timeout = \"1s\"" };

const NEVER_HELD_UP: Reason = Reason {
    what: "an attempt leaves as soon as it is ready: nobody waits for a connection here",
    help: "give the call a pool with a line: pool = { size = 10 }",
};

const NO_HEDGE: Reason = Reason {
    what: "no hedges are sent here",
    help: "give the call some: hedge = { delay = \"100ms\", max_hedges = 1 }",
};

const NOTHING_TO_SHARE: Reason = Reason {
    what: "this call has nothing to share: no budget, throttle, breaker, pool, cache, percentile of \
           hedging, balancer or connections that are kept",
    help: "give it one of them, or leave `scope` out",
};

const ONE_ATTEMPT: Reason = Reason {
    what: "nothing is sent twice here, so inside and outside the retry are one place",
    help: "give the call a retry: retry = { immediate = { max_retries = 3 } }",
};

const SINGLE: Reason = Reason {
    what: "this client is a single instance, which shares with nobody",
    help: "add instances = 10 to the client",
};

const SINGLE_SERVICE: Reason = Reason {
    what: "this service is a single instance, which shares with nobody",
    help: "add instances = 10 to the service",
};

const BY_RATIO: Reason = Reason {
    what: "this cache is known by its hit ratio alone, and has no keys",
    help: "write keys = 10_000 instead of `hit_ratio` and `fills`",
};

const BY_KEYS: Reason = Reason {
    what: "this cache knows its keys, so its hit ratio comes out of them",
    help: "write hit_ratio = 0.9 instead of `keys`",
};

const ALL_FIT: Reason = Reason {
    what: "there are no more keys than these, so all of them fit",
    help: "write fewer than there are `keys`, or leave it out",
};

const NEVER_LATE: Reason = Reason {
    what: "nobody gives up a fetch here, so none comes late",
    help: "give the call a timeout",
};

const NEVER_GIVEN_UP: Reason = Reason {
    what: "a fetch that is detached belongs to nobody who could give it up",
    help: "leave it out, or write coalescing = \"leader\"",
};

const NEVER_TOO_LATE: Reason = Reason {
    what: "no request goes on here when an attempt of it has been given up, so no answer is late for one",
    help: "give the call a timeout and a retry: retry = { immediate = { max_retries = 3 } }",
};

pub(super) const OUTLIVES_ATTEMPT: Reason = Reason {
    what: "the only attempt of a request is given up before that, and the request with it",
    help: "write a deadline below the timeout, or give the call a retry",
};

const DOES_NOTHING: Reason = Reason {
    what: "no connection is kept and nothing is sent again here",
    help: "add repeats = \"on_reused\" or keep_alive = {}, or leave it out",
};

const NEVER_REUSED: Reason = Reason {
    what: "every attempt has a connection of its own, so none leaves on one that carried an answer",
    help: "add keep_alive = {}",
};

const NOTHING_TO_REPEAT: Reason = Reason {
    what: "what is called is always reached, and its application sees everything that reaches it",
    help: "give the service refusals = { unseen = true } and a bound, or an outage",
};

const NO_DIFFERENCE: Reason = Reason {
    what: "no connection is closed under an attempt, and nothing depends on which one it has",
    help: "add server_idle_timeout = \"5s\", or repeats = \"on_reused\" beside it",
};

const LOSES_NOTHING: Reason =
    Reason { what: "nothing is lost here", help: "add replies = 0.01 or requests = 0.01" };

/// How many there are of whoever calls.
#[derive(Clone, Copy)]
pub(super) enum Instances {
    /// Instances of a client.
    Client(u16),
    /// Instances of a service, and whether it may give up what it calls for with whoever called it.
    Service(u16, GivesUp),
}

/// Whether a service may give up what it calls for with whoever called it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GivesUp {
    Never,
    Maybe,
}

/// Whether a call can fail before it leaves the client.
pub(super) const fn may_be_held_back(edge: &Edge) -> bool {
    edge.breaker.is_some()
        || edge.throttle.is_some()
        || matches!(
            edge.pool,
            Some(Pool { max_waiting: Some(_), .. } | Pool { acquire_timeout: Some(_), .. })
        )
}

/// Whether anything ever asks the call's budget.
pub(super) fn may_ask_budget(edge: &Edge) -> bool {
    let hedges = edge.budget.map(|budget| budget.hedges) == Some(Metered::Metered);
    edge.retry.max_retries > 0 || (hedges && edge.hedge.is_some())
}

/// The keys of a call that may have no effect, and why if so.
pub(super) fn call_keys(
    edge: &Edge,
    instances: Instances,
    called: &Service,
    may_be_gone: bool,
) -> Vec<(Vec<&'static str>, Option<Reason>)> {
    let mut keys = vec![
        (vec!["scope"], scope(edge, instances, called)),
        (vec!["timeout_from"], timeout_from(edge)),
    ];
    for kind in ["sliding_window", "token_threshold", "refundable_quota", "concurrency", "path"] {
        keys.push((vec!["budget", kind, "hedges"], edge.hedge.is_none().then_some(NO_HEDGE)));
    }
    if let Some(hedge) = &edge.hedge {
        let one_at_a_time = (hedge.delay == Delay::AfterFailureOnly).then_some(AFTER_FAILURE);
        let all_fatal = (hedge.fatal == Failures::ALL).then_some(ALL_FATAL);
        keys.push((vec!["hedge", "on_failure"], one_at_a_time.or(all_fatal)));
        keys.push((vec!["hedge", "losers"], one_at_a_time));
        keys.push((vec!["hedge", "delay"], too_late(edge, hedge).then_some(TOO_LATE)));
    }
    if edge.breaker.is_some() {
        let once = edge.retry.max_retries == 0 && edge.hedge.is_none() && edge.throttle.is_none();
        keys.push((vec!["breaker", "position"], once.then_some(ONE_ATTEMPT)));
    }
    if let Some(pool) = &edge.pool {
        let untimed = pool.acquire_timeout.is_none().then_some(NO_ACQUIRE_TIMEOUT);
        let lives = pool.dead.is_none().then_some(NEVER_DEAD);
        keys.push((vec!["pool", "clock"], untimed.or(lives)));
        let may_wait = (pool.max_waiting != Some(0)).then_some(WAITS_NO_TIME);
        keys.push((vec!["pool", "cold_start"], may_wait));
    }
    if edge.cache.is_some() {
        keys.extend(cache_keys(edge, instances));
    }
    keys.extend(transport_keys(edge, may_be_gone, called));
    if edge.late_answers == LateAnswers::Accepted {
        let goes_on = edge.retry.max_retries > 0 || edge.hedge.is_some();
        let is_late = edge.timeout.is_some() && goes_on;
        keys.push((vec!["late_answers"], (!is_late).then_some(NEVER_TOO_LATE)));
    }
    if let Some(deadline) = edge.deadline {
        let untimed = deadline.least == Least::WholeTimeout && edge.timeout.is_none();
        keys.push((vec!["deadline", "least"], untimed.then_some(NO_TIMEOUT)));
    }
    keys.push((vec!["loss"], (!edge.loss.loses()).then_some(LOSES_NOTHING)));
    keys
}

/// `may_be_gone` tells whether nobody may be there to be reached.
fn transport_keys(
    edge: &Edge,
    may_be_gone: bool,
    called: &Service,
) -> Vec<(Vec<&'static str>, Option<Reason>)> {
    let Some(transport) = edge.transport else { return Vec::new() };
    let kept = transport.keep_alive;
    let repeats = match transport.repeats {
        Repeats::Never => None,
        Repeats::OnReused => kept.is_none().then_some(NEVER_REUSED),
        Repeats::Transparent { .. } => {
            let unseen = called.may_say_no() && called.refusals.sight == Sight::Unseen;
            (!unseen && !may_be_gone).then_some(NOTHING_TO_REPEAT)
        }
    };
    let nothing = kept.is_none() && transport.repeats == Repeats::Never;
    let dies = kept.is_some_and(|kept| kept.server_closes.is_some());
    let no_difference = !dies && transport.repeats != Repeats::OnReused;
    vec![
        (vec!["transport"], nothing.then_some(DOES_NOTHING)),
        (vec!["transport", "repeats"], repeats),
        (vec!["transport", "keep_alive"], no_difference.then_some(NO_DIFFERENCE)),
    ]
}

fn cache_keys(edge: &Edge, instances: Instances) -> Vec<(Vec<&'static str>, Option<Reason>)> {
    let keys = match edge.cache.map(|cache| cache.contents) {
        Some(Contents::Keys(keys)) => Some(keys),
        Some(Contents::HitRatio(_)) | None => None,
    };
    let by_ratio = keys.is_none().then_some(BY_RATIO);
    let by_keys = keys.is_some().then_some(BY_KEYS);
    let all_fit = keys.is_some_and(|keys| keys.capacity.is_some_and(|most| most >= keys.count));
    let detached = keys.is_some_and(|keys| keys.coalescing == Coalescing::Detached);
    let patient = edge.timeout.is_none() && edge.deadline.is_none() && edge.hedge.is_none();
    let never_late = match instances {
        Instances::Client(_) => patient.then_some(NEVER_LATE),
        Instances::Service(_, gives_up) => {
            (patient && gives_up == GivesUp::Never).then_some(NEVER_LATE)
        }
    };
    let late_fills = detached.then_some(NEVER_GIVEN_UP).or(never_late);
    vec![
        (vec!["cache", "popularity"], by_ratio),
        (vec!["cache", "time_to_live"], by_ratio),
        (vec!["cache", "coalescing"], by_ratio),
        (vec!["cache", "capacity"], by_ratio.or(all_fit.then_some(ALL_FIT))),
        (vec!["cache", "fills"], by_keys),
        (vec!["cache", "course"], by_keys),
        (vec!["cache", "late_fills"], late_fills),
    ]
}

fn scope(edge: &Edge, instances: Instances, called: &Service) -> Option<Reason> {
    let learns = matches!(edge.hedge, Some(Hedge { delay: Delay::Percentile(_), .. }));
    let finds = called.instances.get() > 1;
    let keeps = edge.transport.is_some_and(|transport| transport.keep_alive.is_some());
    let forgetful = edge.budget.is_none()
        && edge.throttle.is_none()
        && edge.breaker.is_none()
        && edge.pool.is_none()
        && edge.cache.is_none()
        && !keeps
        && !finds
        && !learns;
    if forgetful {
        return Some(NOTHING_TO_SHARE);
    }
    match instances {
        Instances::Client(count) => (count == 1).then_some(SINGLE),
        Instances::Service(count, _) => (count == 1).then_some(SINGLE_SERVICE),
    }
}

/// Whether the deadline of a request is later than the end of its only attempt, and nobody else sees it.
pub(super) fn outlives_attempt(edge: &Edge, called: &Service) -> bool {
    let (Some(timeout), Some(deadline)) = (edge.timeout, edge.deadline) else { return false };
    let is_alone = edge.retry.max_retries == 0
        && edge.hedge.is_none()
        && edge.pool.is_none()
        && edge.throttle.is_none()
        && edge.cache.is_none()
        && edge.transport.is_none();
    let is_seen = !called.calls.list.is_empty()
        || called.shedding != Shedding::Never
        || called.discipline == Discipline::EarliestDeadline
        || called.queue_timeout.is_some();
    let is_plain = deadline.before_first.is_zero()
        && deadline.reserve.is_zero()
        && deadline.least == Least::Length(Span::ZERO);
    is_alone && !is_seen && is_plain && deadline.request.is_some_and(|request| timeout < request)
}

fn timeout_from(edge: &Edge) -> Option<Reason> {
    if edge.timeout.is_none() {
        return Some(NO_TIMEOUT);
    }
    let waits = edge.pool.is_some_and(|pool| pool.max_waiting != Some(0));
    (!waits).then_some(NEVER_HELD_UP)
}

/// Whether every try has ended, or gone on to its next copy, before a fixed delay is over.
fn too_late(edge: &Edge, hedge: &Hedge) -> bool {
    let delay = match hedge.delay {
        Delay::Fixed(delay) => delay,
        Delay::Percentile(_) | Delay::AfterFailureOnly => return false,
    };
    let timeout_decides =
        hedge.on_failure == OnFailure::SendsNext || hedge.fatal.contains(Failure::TimedOut);
    let timed_out = timeout_decides && edge.timeout.is_some_and(|timeout| delay > timeout);
    let patience = edge.patience();
    let cut =
        patience.overrun == Overrun::Cut && patience.request.is_some_and(|request| delay > request);
    timed_out || cut
}
