//! Which keys about calls between services change nothing, given what stands around them.

use super::idle::Reason;
use super::neighbours::{Neighbours, call_may_fail, may_drop_calls};
use crate::id::ServiceId;
use crate::model::{InnerCall, Model, Need};

const NO_CALLS: Reason = Reason {
    what: "this service calls nobody",
    help: "give it a call: calls.payment = { timeout = \"1s\" }",
};

const NO_ORDER: Reason = Reason {
    what: "all calls of this service stand in the same step, so they leave together anyway",
    help: "write step = 2 for those that wait for the others",
};

const CANNOT_FAIL: Reason = Reason {
    what: "this call cannot fail, so nothing depends on it",
    help: "give the call a timeout, or what is called a bound",
};

const NO_DEADLINE: Reason = Reason {
    what: "nobody who calls this service gives up by the clock, so there is no deadline to pass on",
    help: "give the call of its client a timeout or a deadline",
};

const NEVER_CANCELLED: Reason = Reason {
    what: "no attempt at this service ends while its calls are out, so none is cancelled",
    help: "give the service on_abandon = \"stops_work\", and those who call it a timeout",
};

const NOT_TOLD: Reason = Reason {
    what: "what is called never says \"do not try again\"",
    help: "give it refusals = { retry_after = \"never\" }",
};

const NOT_NEEDED: Reason = Reason {
    what: "this call is not needed, so its failure is nobody's but its own",
    help: "write needed = true, or leave this out",
};

const UNHEEDED: Reason = Reason {
    what: "nobody who calls this service heeds what it is told about trying again",
    help: "give the retry of a caller guidance = \"minimum\"",
};

/// The keys of a service beside its calls that may have no effect, and why if so.
pub(super) fn calling_keys(calls: &[InnerCall]) -> [(&'static str, Option<Reason>); 2] {
    let none = calls.is_empty().then_some(NO_CALLS);
    [("work_before_calls", none), ("while_calling", none)]
}

/// The keys of a call between services that may have no effect, and why if so.
pub(super) fn inner_keys(
    model: &Model,
    caller: ServiceId,
    call: &InnerCall,
    all: &[Neighbours],
) -> [(&'static str, Option<Reason>); 5] {
    let list = &model.service(caller).calls.list;
    let (above, below) = (&all[caller.index()], &all[call.edge.to.index()]);
    let no_order = list.iter().all(|other| other.step == call.step);
    let not_told = !below.may_say_never;
    let not_needed = call.need == Need::BestEffort;
    let guidance = not_told
        .then_some(NOT_TOLD)
        .or_else(|| not_needed.then_some(NOT_NEEDED))
        .or_else(|| (!above.is_heeded).then_some(UNHEEDED));
    [
        ("step", no_order.then_some(NO_ORDER)),
        ("needed", (!call_may_fail(call, below)).then_some(CANNOT_FAIL)),
        ("passes_deadline", (!above.is_hurried).then_some(NO_DEADLINE)),
        ("passes_cancellation", (!may_drop_calls(model, caller, all)).then_some(NEVER_CANCELLED)),
        ("passes_guidance", guidance),
    ]
}
