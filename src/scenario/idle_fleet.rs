//! Which keys about instances, and about workers that come and go, change nothing.

use super::idle::Reason;
use super::idle_values::OUTLASTS;
use crate::model::{Disturbance, Model, Outage, Service, Trigger};
use crate::policy::balancer::Rule;
use crate::policy::ejection::Evidence;
use crate::policy::scaling::Rule as Law;
use crate::time::Span;

const SINGLE: Reason = Reason {
    what: "this service is a single instance, so there is nothing to choose from",
    help: "write instances = 4",
};

const NOT_IN_TURN: Reason =
    Reason { what: "this rule begins with nobody", help: "write rule = \"round_robin\"" };

const NO_DRAWS: Reason =
    Reason { what: "this rule does not draw two", help: "write rule = \"two_choices\"" };

const NO_TIES: Reason = Reason {
    what: "this rule does not ask who has the fewest",
    help: "write rule = \"least_outstanding\"",
};

const NO_RING: Reason =
    Reason { what: "this rule has no ring", help: "write rule = \"consistent_hash\"" };

const NOBODY_UNHEALTHY: Reason = Reason {
    what: "without ejection every instance counts as healthy",
    help: "give the service ejection = {}",
};

const BY_THRESHOLDS: Reason = Reason {
    what: "thresholds have no target that it could be about",
    help: "write target_utilisation = 0.7 instead of `thresholds`",
};

const NEVER_CHANGES: Reason = Reason {
    what: "there are always as many workers as there may be at least and at most",
    help: "write a `max` above `min`",
};

const NOBODY_EJECTED: Reason = Reason {
    what: "one of so few instances is more than the share that may be ejected, so none ever is",
    help: "write a higher `most`, or counting = \"always_one\" (Envoy's always_eject_one_host)",
};

const TOO_FEW_TO_COMPARE: Reason = Reason {
    what: "this service has fewer instances than must be compared before one is judged",
    help: "write fewer as its `instances`, or give the service more instances",
};

const NEVER_FEWER: Reason = Reason {
    what: "no threshold takes workers away, so there are never fewer",
    help: "give the thresholds a `below`",
};

const NO_CACHE: Reason =
    Reason { what: "there is no cache that could be emptied", help: "leave the trigger out" };

const ALL_THERE_IS: Reason = Reason {
    what: "this service is a single instance, so this is about all of it anyway",
    help: "leave it out, or give the service instances = 4",
};

type Keys = Vec<&'static str>;

/// The keys of a service that may have no effect, and why if so.
pub(super) fn fleet_keys(service: &Service) -> Vec<(Keys, Option<Reason>)> {
    let single = (service.instances.get() == 1).then_some(SINGLE);
    let mut keys = vec![(vec!["balancer"], single), (vec!["ejection"], single)];
    let few = u64::from(service.instances.get());
    if let Some(ejection) = service.ejection.filter(|_| single.is_none()) {
        let nobody = (!ejection.may_eject_one_of(few)).then_some(NOBODY_EJECTED);
        let too_few = |evidence: Evidence| {
            (u64::from(evidence.instances) > few).then_some(TOO_FEW_TO_COMPARE)
        };
        let rate = ejection.success_rate.and_then(|rate| too_few(rate.evidence));
        let share = ejection.failure_share.and_then(|share| too_few(share.evidence));
        let judged = (ejection.success_rate.is_some() && rate.is_none())
            || (ejection.failure_share.is_some() && share.is_none())
            || ejection.consecutive.is_some();
        let unjudged = (!judged).then_some(rate.or(share)).flatten();
        keys = vec![
            (vec!["balancer"], None),
            (vec!["ejection"], nobody.or(unjudged)),
            (vec!["ejection", "success_rate"], rate.filter(|_| judged)),
            (vec!["ejection", "failure_share"], share.filter(|_| judged)),
        ];
    }
    if single.is_none() {
        let rule = service.balancer.rule;
        let unless = |is_so: bool, reason: Reason| (!is_so).then_some(reason);
        keys.extend([
            (vec!["balancer", "start"], unless(matches!(rule, Rule::RoundRobin(_)), NOT_IN_TURN)),
            (vec!["balancer", "draws"], unless(matches!(rule, Rule::TwoChoices(_)), NO_DRAWS)),
            (vec!["balancer", "ties"], unless(matches!(rule, Rule::LeastOutstanding(_)), NO_TIES)),
            (
                vec!["balancer", "places"],
                unless(matches!(rule, Rule::ConsistentHash { .. }), NO_RING),
            ),
            (vec!["balancer", "panic_below"], unless(service.ejection.is_some(), NOBODY_UNHEALTHY)),
        ]);
    }
    keys
}

/// The keys of an autoscaler that may have no effect, and why if so.
pub(super) fn scaling_keys(service: &Service, horizon: Span) -> Vec<(Keys, Option<Reason>)> {
    let Some(scaling) = service.scaling else { return Vec::new() };
    let (by_thresholds, never_fewer) = match scaling.rule {
        Law::Thresholds { below, .. } => {
            (Some(BY_THRESHOLDS), below.is_none().then_some(NEVER_FEWER))
        }
        Law::Target { .. } => (None, None),
    };
    let fixed = (scaling.min == scaling.max).then_some(NEVER_CHANGES);
    let looks_too_late = (scaling.every >= horizon).then_some(OUTLASTS);
    let starts_too_late = (scaling.start_up >= horizon).then_some(OUTLASTS);
    vec![
        (vec!["autoscaling"], fixed.or(looks_too_late)),
        (vec!["autoscaling", "tolerance"], by_thresholds),
        (vec!["autoscaling", "start_up"], starts_too_late),
        (vec!["autoscaling", "thresholds", "remove"], never_fewer),
        (vec!["autoscaling", "down"], never_fewer),
        (vec!["autoscaling", "min"], never_fewer),
    ]
}

/// The key of a trigger that may have no effect, and why if so.
pub(super) fn trigger_key(trigger: &Trigger, model: &Model) -> Option<(Keys, Option<Reason>)> {
    let of = |kind, service| {
        let single = model.service(service).instances.get() == 1;
        let is_all = single && trigger.instance.is_some();
        Some((vec![kind, "instance"], is_all.then_some(ALL_THERE_IS)))
    };
    match trigger.disturbance {
        Disturbance::Flush { edge } => {
            let known = model.edges().find(|(id, _, _)| *id == edge);
            let none = known.is_some_and(|(_, _, edge)| edge.cache.is_none());
            Some((vec!["flush"], none.then_some(NO_CACHE)))
        }
        Disturbance::Stall { service } => of("stall", service),
        Disturbance::Slowdown { service, .. } => of("slowdown", service),
        Disturbance::Outage(Outage { service, .. }) => of("outage", service),
        Disturbance::ErrorShare { service, .. } => of("errors", service),
        Disturbance::Capacity { service, .. } => of("capacity", service),
        Disturbance::Surge { .. } | Disturbance::Latency { .. } | Disturbance::Loss { .. } => None,
    }
}
