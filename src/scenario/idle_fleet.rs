//! Which keys about instances, and about workers that come and go, change nothing.

use super::idle::Reason;
use crate::model::{Disturbance, Model, Outage, Service, Trigger};
use crate::policy::balancer::Rule;

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
        keys = vec![(vec!["balancer"], None), (vec!["ejection"], nobody)];
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
    if let Some(scaling) = service.scaling {
        let by_thresholds = match scaling.rule {
            crate::policy::scaling::Rule::Thresholds { .. } => Some(BY_THRESHOLDS),
            crate::policy::scaling::Rule::Target { .. } => None,
        };
        let fixed = (scaling.min == scaling.max).then_some(NEVER_CHANGES);
        keys.push((vec!["autoscaling"], fixed));
        keys.push((vec!["autoscaling", "tolerance"], by_thresholds));
    }
    keys
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
