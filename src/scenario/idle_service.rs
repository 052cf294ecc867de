//! Which keys of a service change nothing, given who calls it; and whether a fit fits.

use super::element::Quantiles;
use super::idle::Reason;
use super::idle_values::OUTLASTS;
use super::neighbours::Neighbours;
use super::reader::read;
use super::tree::Spot;
use super::trouble::Diagnostic;
use crate::model::{OnAbandon, Service};
use crate::policy::admission::Admission;
use crate::policy::discipline::Discipline;
use crate::policy::effect::Idempotency;
use crate::policy::limit::Limit;
use crate::policy::retry::Hint;
use crate::policy::shedding::{QueueTimer, Shedding};
use crate::time::Span;

/// Why a class changes nothing.
pub(super) const CLASS: Reason = Reason {
    what: "the service that this client calls treats all classes alike",
    help: "give the service discipline = \"priority\", weights, or a queue with headroom",
};

const PATIENT: Reason = Reason {
    what: "nobody who calls this service has a timeout, so nothing expires",
    help: "give the calls a timeout",
};

const ONE_CLASS: Reason = Reason {
    what: "all that comes to this service has the same class",
    help: "give the less important client class = 1",
};

const NOBODY_WAITS: Reason = Reason {
    what: "the limit lets in no more than there are workers, so nobody waits",
    help: "a higher limit, or none",
};

const ALWAYS_FITS: Reason = Reason {
    what: "the bound of the queue keeps fewer in flight than the limit allows",
    help: "a limit below workers + max_waiting, or no bound of the queue",
};

const LETS_ALL_IN: Reason = Reason {
    what: "this service lets everything in, so it refuses nothing",
    help: "give it a bound, such as queue = { max_waiting = 800 }",
};

const UNHEEDED: Reason = Reason {
    what: "nobody who calls this service heeds what it says about trying again",
    help: "give the retry of a caller guidance = \"minimum\"",
};

/// Why a client's guidance changes nothing.
pub(super) const UNGUIDED: Reason = Reason {
    what: "what is called here never says when to try again",
    help: "give the service refusals = { retry_after = \"2s\" }, or its errors a retry_after",
};

const NOT_MINDED: Reason = Reason {
    what: "nobody who calls this service sends again what its application has not seen",
    help: "give a caller transport = { repeats = { transparent = {} } }",
};

const ASKED_ONCE: Reason = Reason {
    what: "nobody who calls this service sends a request twice, so nothing is executed twice",
    help: "give a caller a retry",
};

const ONE_AT_A_TIME: Reason = Reason {
    what: "no attempt is sent while another one of its request may be served",
    help: "give a caller a timeout and a retry, or a hedge",
};

/// Beyond this share the 90th percentile of a fit is another one than was measured.
const FIT: f64 = 0.2;

/// Whether the service treats one class otherwise than another.
pub(super) const fn sees_classes(service: &Service) -> bool {
    matches!(service.discipline, Discipline::Priority | Discipline::Weighted(_))
        || matches!(service.admission, Admission::Headroom(_))
}

/// The keys that may have no effect, and why if so.
pub(super) fn service_keys(
    service: &Service,
    known: &Neighbours,
    horizon: Span,
) -> [(&'static str, Option<Reason>); 6] {
    let patient = !known.is_hurried;
    let one_class = known.classes.windows(2).all(|pair| pair[0] == pair[1]);
    let fixed = match service.limit {
        Some(Limit::Fixed(max)) => Some(max.get()),
        Some(Limit::Aimd(_) | Limit::Vegas(_) | Limit::Gradient2(_) | Limit::EnvoyGradient(_))
        | None => None,
    };
    let nobody_waits = fixed.is_some_and(|max| max <= service.workers.get());
    let shedding = match service.shedding {
        Shedding::Expired | Shedding::Unfinishable | Shedding::UnfinishableOnAverage => {
            patient.then_some(PATIENT)
        }
        Shedding::Never | Shedding::FollyCodel(_) | Shedding::Codel(_) => None,
    };
    let discipline = match service.discipline {
        Discipline::Fifo => None,
        Discipline::EarliestDeadline => patient.then_some(PATIENT),
        Discipline::Priority | Discipline::Weighted(_) => one_class.then_some(ONE_CLASS),
        Discipline::Lifo | Discipline::AdaptiveLifo(_) | Discipline::Random => {
            nobody_waits.then_some(NOBODY_WAITS)
        }
    };
    let on_abandon = match service.on_abandon {
        OnAbandon::Ignores => None,
        OnAbandon::LeavesQueue | OnAbandon::StopsWork => (!known.is_given_up).then_some(PATIENT),
    };
    let queue_timeout = match service.queue_timeout.map(|timeout| timeout.timer) {
        Some(_) if nobody_waits => Some(NOBODY_WAITS),
        Some(QueueTimer::AtDeadline) => patient.then_some(PATIENT),
        Some(QueueTimer::After(length)) => (length >= horizon).then_some(OUTLASTS),
        None => None,
    };
    let (queue, limit) = match service.admission {
        Admission::Unbounded => (None, None),
        Admission::Bounded { .. } | Admission::BoundedWork { .. } | Admission::Headroom(_)
            if nobody_waits =>
        {
            (Some(NOBODY_WAITS), None)
        }
        Admission::Bounded { max_waiting } => {
            let room = service.workers.get().saturating_add(max_waiting);
            (None, fixed.filter(|max| *max >= room).map(|_| ALWAYS_FITS))
        }
        Admission::BoundedWork { .. } | Admission::Headroom(_) => (None, None),
    };
    [
        ("shedding", shedding),
        ("discipline", discipline),
        ("on_abandon", on_abandon),
        ("queue", queue),
        ("limit", limit),
        ("queue_timeout", queue_timeout),
    ]
}

/// The keys of how it says no that may have no effect, and why if so.
pub(super) fn refusal_keys(
    service: &Service,
    known: &Neighbours,
) -> [(&'static str, &'static str, Option<Reason>); 6] {
    let unheeded = (!known.is_heeded).then_some(UNHEEDED);
    let says_nothing = (!service.may_say_no()).then_some(LETS_ALL_IN);
    let free = (!service.may_refuse()).then_some(LETS_ALL_IN);
    [
        ("refusals", "retry_after", says_nothing.or(unheeded)),
        ("refusals", "takes", free),
        ("refusals", "by", free),
        ("refusals", "unseen", free.or((!known.minds_sight).then_some(NOT_MINDED))),
        ("effect", "keys", (!known.may_be_asked_again).then_some(ASKED_ONCE)),
        ("errors", "retry_after", unheeded),
    ]
}

/// The keys of what keeps an operation from being executed twice that may have no effect, and why if so.
pub(super) fn idempotency_keys(
    service: &Service,
    known: &Neighbours,
    horizon: Span,
) -> [(Vec<&'static str>, Option<Reason>); 2] {
    let kept = match service.effect.map(|effect| effect.idempotency) {
        Some(Idempotency::Keys { retention, .. }) => retention,
        Some(Idempotency::None) | None => None,
    };
    let outlasts = kept.is_some_and(|kept| kept >= horizon).then_some(OUTLASTS);
    let alone = (!known.may_be_crowded).then_some(ONE_AT_A_TIME);
    [(vec!["effect", "keys", "meanwhile"], alone), (vec!["effect", "keys", "retention"], outlasts)]
}

/// Whether the service ever says something about trying again.
pub(super) fn gives_hints(service: &Service) -> bool {
    service.may_say_no() && service.refusals.hint != Hint::Absent
        || service.errors.hint != Hint::Absent
}

/// A warning if a service time is fitted to quantiles that no such law has.
pub(super) fn fit_warning(service: Spot<'_>, path: &str) -> Option<Diagnostic> {
    let spot = service.find("service_time")?.find("quantiles")?;
    let fit = read::<Quantiles>(spot).ok()?.fit(spot).ok()?;
    let p90 = fit.p90()?;
    let off = p90.fitted.as_secs_f64() / p90.measured.as_secs_f64() - 1.0;
    (off.abs() > FIT).then(|| {
        let message = format!("the fit of `{path}.service_time` is a rough one");
        Diagnostic::warning(spot.at("p90").value(), message)
            .label(format!("a lognormal law through p50 and p99 has {} here", millis(p90.fitted)))
            .note(format!("the mean of the fit is {}", millis(fit.law().mean())))
            .help("a mixture, or { empirical = { values = [..] } }, follows any shape".to_owned())
    })
}

fn millis(length: Span) -> String {
    format!("{:.1} ms", length.as_secs_f64() * 1e3)
}
