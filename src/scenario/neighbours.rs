//! What holds at a service because of those that call it, and of those that it calls.

use super::idle_call::may_be_held_back;
use super::idle_service::sees_classes;
use crate::id::ServiceId;
use crate::model::{
    Action, Caller, Disturbance, Edge, InnerCall, Model, Need, Notice, OnAbandon, Outage, PassedOn,
    Service,
};
use crate::policy::Class;
use crate::policy::retry::{Guidance, Hint};
use crate::policy::transport::Repeats;
use crate::unit::Fraction;

/// All that is asked about one service.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    /// Whether requests of any client come to it.
    pub(super) is_reached: bool,
    /// Whether anybody may give up an attempt at it by the clock.
    pub(super) is_hurried: bool,
    /// Whether anybody may give one up, by the clock or because nobody needs it any more.
    pub(super) is_given_up: bool,
    /// Whether anybody who calls it heeds what it says about trying again.
    pub(super) is_heeded: bool,
    /// The classes of what comes to it.
    pub(super) classes: Vec<Class>,
    /// Whether an attempt at it may fail, other than by the clock of whoever calls.
    pub(super) may_fail: bool,
    /// Whether there may be times when nobody reaches it, and whoever calls is told.
    pub(super) may_be_gone: bool,
    /// Whether two attempts of one request may be at it at once.
    pub(super) may_be_crowded: bool,
    /// Whether anybody who calls it may send an attempt of a request again.
    pub(super) may_be_asked_again: bool,
    /// Whether the transport of anybody who calls it minds who refuses.
    pub(super) minds_sight: bool,
    /// Whether it may say "do not try again", for itself or for another.
    pub(super) may_say_never: bool,
    /// Whether classes mean anything to it, or to anything that it calls.
    pub(super) sees_classes: bool,
}

impl Neighbours {
    /// What whoever calls over the edge may do to it beside what the clock does.
    fn note(&mut self, edge: &Edge) {
        let repeats = edge.transport.map_or(Repeats::Never, |transport| transport.repeats);
        let retries = edge.retry.max_retries > 0;
        let hurried = is_hurried(edge) && retries;
        self.may_be_crowded |= hurried || edge.hedge.is_some();
        self.may_be_asked_again |= retries || edge.hedge.is_some() || repeats != Repeats::Never;
        self.minds_sight |= repeats != Repeats::Never;
    }
}

/// Of every service, by its position.
pub(super) fn neighbours(model: &Model) -> Vec<Neighbours> {
    let mut all = vec![Neighbours::default(); model.services.len()];
    // No valid model has a circle in it.
    let order = model.callees_first().unwrap_or_default();
    for id in &order {
        look_down(model, *id, &mut all);
    }
    for client in &model.clients {
        let called = &mut all[client.edge.to.index()];
        called.is_reached = true;
        called.classes.push(client.class);
        called.is_hurried |= is_hurried(&client.edge);
        called.note(&client.edge);
        called.is_heeded |= heeds(&client.edge);
    }
    for id in order.iter().rev() {
        look_up(model.service(*id), id.index(), &mut all);
    }
    all
}

/// Whether whoever calls over the edge gives up by the clock.
const fn is_hurried(edge: &Edge) -> bool {
    edge.timeout.is_some() || edge.deadline.is_some()
}

fn heeds(edge: &Edge) -> bool {
    edge.retry.max_retries > 0 && edge.retry.guidance != Guidance::Ignored
}

/// What a service knows of those that it calls, of which all is known.
fn look_down(model: &Model, id: ServiceId, all: &mut [Neighbours]) {
    let service = model.service(id);
    let (mut may_fail, mut sees, mut says_never) =
        (fails_itself(model, id), sees_classes(service), service.hints().contains(&Hint::Never));
    for call in &service.calls.list {
        let callee = &all[call.edge.to.index()];
        sees |= callee.sees_classes;
        if call.need == Need::Needed {
            may_fail |= call_may_fail(call, callee);
            says_never |= call.guidance == PassedOn::PassedOn && callee.may_say_never;
        }
    }
    let gone = model.triggers.iter().any(|trigger| {
        matches!(trigger.disturbance, Disturbance::Outage(outage)
            if outage.service == id && outage.clients == Notice::AtOnce)
    });
    let known = &mut all[id.index()];
    known.may_be_gone = gone || restarts(model, id, Some(Notice::AtOnce));
    (known.may_fail, known.sees_classes, known.may_say_never) = (may_fail, sees, says_never);
}

/// Whether a call to `callee` may fail for whoever makes it.
pub(super) fn call_may_fail(call: &InnerCall, callee: &Neighbours) -> bool {
    is_hurried(&call.edge)
        || call.deadline == PassedOn::PassedOn
        || may_be_held_back(&call.edge)
        || call.edge.may_break()
        || callee.may_fail
}

/// What those that a service calls know of it, of which all is known.
fn look_up(service: &Service, index: usize, all: &mut [Neighbours]) {
    let caller = std::mem::take(&mut all[index]);
    for call in &service.calls.list {
        let called = &mut all[call.edge.to.index()];
        let hurried =
            is_hurried(&call.edge) || call.deadline == PassedOn::PassedOn && caller.is_hurried;
        called.is_reached |= caller.is_reached;
        called.is_hurried |= hurried;
        called.note(&call.edge);
        called.is_given_up |= call.cancellation == PassedOn::PassedOn;
        called.is_heeded |= heeds(&call.edge) || call.guidance == PassedOn::PassedOn;
        called.classes.extend(&caller.classes);
        called.classes.sort();
        called.classes.dedup();
    }
    all[index] = caller;
    all[index].is_given_up |= all[index].is_hurried;
}

/// Whether the service may fail an attempt whatever becomes of its calls.
fn fails_itself(model: &Model, id: ServiceId) -> bool {
    let service = model.service(id);
    let by_trigger = model.triggers.iter().any(|trigger| match trigger.disturbance {
        Disturbance::Outage(Outage { service, .. }) | Disturbance::ErrorShare { service, .. } => {
            service == id
        }
        Disturbance::Stall { .. }
        | Disturbance::Slowdown { .. }
        | Disturbance::Surge { .. }
        | Disturbance::Latency { .. }
        | Disturbance::Loss { .. }
        | Disturbance::Flush { .. }
        | Disturbance::Capacity { .. } => false,
    });
    service.may_say_no()
        || service.may_conflict()
        || service.errors.share != Fraction::ZERO
        || by_trigger
        || restarts(model, id, Some(Notice::AtOnce))
}

/// Whether an operator may restart the service, telling clients so, or either way.
fn restarts(model: &Model, id: ServiceId, notice: Option<Notice>) -> bool {
    model.levers.iter().any(|lever| match lever.action {
        Action::Restart { service, clients, .. } => {
            service == id && notice.is_none_or(|notice| notice == clients)
        }
        Action::Block { .. } | Action::DropQueue { .. } | Action::Change(_) => false,
    })
}

/// Whether an attempt at the service may end while calls that were made for it are out.
pub(super) fn may_drop_calls(model: &Model, id: ServiceId, all: &[Neighbours]) -> bool {
    let service = model.service(id);
    let list = &service.calls.list;
    let withdrawn = service.on_abandon == OnAbandon::StopsWork && all[id.index()].is_given_up;
    let together = |call: &InnerCall| {
        call.copies.get() > 1 || list.iter().filter(|other| other.step == call.step).count() > 1
    };
    let by_failure = list.iter().any(|call| {
        let fails = call_may_fail(call, &all[call.edge.to.index()]);
        call.need == Need::Needed && fails && together(call)
    });
    let gone = model.triggers.iter().any(|trigger| {
        matches!(trigger.disturbance, Disturbance::Outage(outage) if outage.service == id)
    });
    withdrawn || by_failure || gone || restarts(model, id, None)
}

/// Whether whoever calls is ever called.
pub(super) fn is_called(caller: Caller, all: &[Neighbours]) -> bool {
    match caller {
        Caller::Client(_) => true,
        Caller::Service(id, _) => all[id.index()].is_reached,
    }
}
