//! What is written and changes nothing: in no variant and in no cell.

use std::collections::{BTreeMap, BTreeSet};

use super::idle_call::{GivesUp, Instances, call_keys, may_ask_budget, may_be_held_back};
use super::idle_fleet::{fleet_keys, scaling_keys, trigger_key};
use super::idle_graph::{calling_keys, inner_keys};
use super::idle_service::{
    CLASS, UNGUIDED, fit_warning, gives_hints, idempotency_keys, refusal_keys, service_keys,
};
use super::idle_values::{
    call_values, ejection_counts, instances_of, lever_values, service_values, trigger_values,
};
use super::neighbours::{Neighbours, is_called, may_drop_calls, neighbours};
use super::noise::Noise;
use super::presets;
use super::source::Place;
use super::tree::{Node, Spot, quote};
use super::trouble::Diagnostic;
use crate::id::{ClientId, ServiceId};
use crate::model::{Arrivals, Caller, Client, Edge, Model, PassedOn, Service, Solver, Subject};
use crate::policy::retry::Backoff;
use crate::time::{Span, Time};

/// Keys by path, over all worlds seen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Idle {
    keys: BTreeMap<(String, Question), Key>,
    /// By version of the story.
    noise: BTreeMap<String, Noise>,
    /// With the version that each is about.
    others: Vec<(String, Diagnostic)>,
    /// The version that is being looked at.
    version: String,
}

/// What is known of a key.
#[derive(Clone, Debug)]
struct Key {
    /// None once the answer was good somewhere.
    diagnostic: Option<Diagnostic>,
    /// The versions that have it.
    versions: BTreeSet<String>,
}

/// What is asked about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    /// Does it change anything?
    Effect,
    /// Is there time left after it?
    Aftermath,
    /// Can anybody be answered within it?
    Chance,
    /// Is it ever called? Policies that nobody can ever ask are a mistake, not an oversight.
    Use,
}

/// Why the answer is no.
#[derive(Clone, Copy)]
pub(super) struct Reason {
    pub(super) what: &'static str,
    pub(super) help: &'static str,
}

impl Idle {
    /// Looks at one world: the version that it is of, its name, the model and the tree that it was
    /// built from.
    pub(super) fn see(
        &mut self,
        version: &str,
        name: impl Fn() -> String,
        tree: &Node,
        model: &Model,
    ) {
        version.clone_into(&mut self.version);
        let root = Spot::root(tree);
        let all = neighbours(model);
        if let Some(seed) = root.find("seed") {
            let reason = (model.solver != Solver::Events).then_some(NO_CHANCE);
            self.note("seed", Question::Effect, seed.key, reason);
        }
        for (id, client) in (0..).map(ClientId).zip(&model.clients) {
            self.see_client(root, id, client, model, &all);
        }
        for (index, service) in model.services.iter().enumerate() {
            // A model has no more services than ids.
            let id = ServiceId(index as u16);
            self.see_service(root, service, &all[index], model.horizon);
            if all[index].is_reached {
                let spot = root.at("services").at(&service.name);
                let path = format!("services.{}", quote(&service.name));
                self.note_all(&path, spot, ejection_counts(model, id));
                self.note_all(&path, spot, scaling_keys(service, model.horizon));
                self.see_calls(root, id, model, &all);
            }
        }
        for trigger in &model.triggers {
            let idles = match trigger.disturbance.subject() {
                Subject::Service(service) => !all[service.index()].is_reached,
                Subject::Edge(edge) => {
                    let known = model.edges().find(|(id, _, _)| *id == edge);
                    known.is_some_and(|(_, caller, _)| !is_called(caller, &all))
                }
                Subject::Client(_) => false,
            };
            let spot = root.at("triggers").at(&trigger.name);
            let path = format!("triggers.{}", quote(&trigger.name));
            self.note(
                &path,
                Question::Effect,
                spot.key,
                idles.then_some(Reason {
                    what: "no request of any client comes to what this disturbs",
                    help: "disturb what requests of a client pass through",
                }),
            );
            let keys = trigger_key(trigger, model).into_iter();
            self.note_all(&path, spot, keys.chain(trigger_values(trigger, model)));
            let ends_too_late = trigger.ends() >= Time::ZERO + model.horizon;
            self.note(
                &path,
                Question::Aftermath,
                spot.key,
                ends_too_late.then_some(Reason {
                    what: "nothing can be said about what comes after it",
                    help: "a longer horizon",
                }),
            );
        }
        for lever in &model.levers {
            let spot = root.at("levers").at(&lever.name);
            if let Some(set) = spot.find("change").and_then(|change| change.find("set")) {
                let path = format!("levers.{}.change.set", quote(&lever.name));
                self.note(&path, Question::Effect, set.key, lever_values(lever, model));
            }
        }
        presets::each(tree, |path, preset, place, counts| {
            let path = format!("{path} = \"{preset}\"");
            self.note(&path, Question::Effect, place, (!counts).then_some(OVERRULED));
        });
        self.noise.entry(version.to_owned()).or_default().see(name, root, model);
    }

    /// Adds a warning about a version that does not depend on other worlds.
    pub(super) fn add(&mut self, version: &str, diagnostic: Diagnostic) {
        self.others.push((version.to_owned(), diagnostic));
    }

    /// What is refused after all worlds.
    pub(super) fn errors(&self) -> Vec<Diagnostic> {
        let unused = self.keys.iter().filter(|((_, question), _)| *question == Question::Use);
        unused.filter_map(|(_, key)| key.diagnostic.clone()).collect()
    }

    /// What to warn of after all worlds, as far as it is about one of `versions`.
    pub(super) fn warnings(&self, versions: &[&str]) -> Vec<Diagnostic> {
        let about = |version: &String| versions.contains(&version.as_str());
        let keys = self.keys.values().filter(|key| key.versions.iter().any(about));
        let keys = keys.filter_map(|key| key.diagnostic.clone());
        let noise = self.noise.iter().filter(|(version, _)| about(version));
        let noise = Noise::warning(noise.map(|(_, noise)| noise));
        let others = self.others.iter().filter(|(version, _)| about(version));
        keys.chain(noise).chain(others.map(|(_, diagnostic)| diagnostic.clone())).collect()
    }

    /// The keys of a client that stand beside its call.
    fn see_client(
        &mut self,
        root: Spot<'_>,
        id: ClientId,
        client: &Client,
        model: &Model,
        all: &[Neighbours],
    ) {
        let path = format!("clients.{}", quote(&client.name));
        let spot = root.at("clients").at(&client.name);
        let called = &all[client.edge.to.index()];
        if let Some(class) = spot.find("class") {
            let reason = (!called.sees_classes).then_some(CLASS);
            self.note(&format!("{path}.class"), Question::Effect, class.key, reason);
        }
        if let Some(instances) = spot.find("instances") {
            let path = format!("{path}.instances");
            self.note(&path, Question::Effect, instances.key, instances_of(client));
        }
        if let Arrivals::Replay(instants) = &client.arrivals
            && let Some(replay) = spot.at("arrivals").find("replay")
        {
            let late = instants.iter().any(|at| *at >= Time::ZERO + model.horizon);
            let reason = late.then_some(TOO_LATE);
            let path = format!("{path}.arrivals.replay");
            self.note(&path, Question::Effect, replay.key, reason);
        }
        if let Some(call) = spot.find("call") {
            let path = format!("{path}.call");
            let service = model.service(client.edge.to);
            let instances = Instances::Client(client.instance_count());
            self.see_call(&path, call, &client.edge, service, called);
            self.see_company(&path, call, &client.edge, instances, service, called);
            let id = Caller::Client(id);
            self.note_all(&path, call, call_values(&client.edge, id, model));
        }
    }

    /// The calls of a service, and what stands beside them.
    fn see_calls(&mut self, root: Spot<'_>, id: ServiceId, model: &Model, all: &[Neighbours]) {
        let caller = model.service(id);
        let spot = root.at("services").at(&caller.name);
        let path = format!("services.{}", quote(&caller.name));
        for (key, reason) in calling_keys(&caller.calls.list) {
            if let Some(found) = spot.find(key) {
                self.note(&format!("{path}.{key}"), Question::Effect, found.key, reason);
            }
        }
        for (nth, call) in caller.calls.list.iter().enumerate() {
            let hurried = call.deadline == PassedOn::PassedOn && all[id.index()].is_hurried;
            let gives_up = match hurried || may_drop_calls(model, id, all) {
                true => GivesUp::Maybe,
                false => GivesUp::Never,
            };
            let instances = Instances::Service(caller.instances.get(), gives_up);
            let spot = spot.at("calls").at(&call.name);
            let path = format!("{path}.calls.{}", quote(&call.name));
            let (service, called) = (model.service(call.edge.to), &all[call.edge.to.index()]);
            self.see_call(&path, spot, &call.edge, service, called);
            self.see_company(&path, spot, &call.edge, instances, service, called);
            let by = Caller::Service(id, nth);
            self.note_all(&path, spot, call_values(&call.edge, by, model));
            for (key, reason) in inner_keys(model, id, call, all) {
                if let Some(found) = spot.find(key) {
                    self.note(&format!("{path}.{key}"), Question::Effect, found.key, reason);
                }
            }
        }
    }

    fn see_call(
        &mut self,
        path: &str,
        call: Spot<'_>,
        edge: &Edge,
        service: &Service,
        called: &Neighbours,
    ) {
        let never_refused = !service.may_say_no();
        let never_retries = edge.retry.max_retries == 0;
        let never_fails = !called.may_fail
            && edge.timeout.is_none()
            && !may_be_held_back(edge)
            && !edge.may_break();
        if let Some(wait) = call.find("wait_after_refusal") {
            let reason = if never_retries {
                Some(Reason { what: "nothing is retried here, so nobody waits", help: RETRY })
            } else {
                never_refused.then_some(Reason {
                    what: "nothing bounds what is called here, so it never refuses",
                    help: "give the service a bound: queue = { max_waiting = 800 }",
                })
            };
            self.note(&format!("{path}.wait_after_refusal"), Question::Effect, wait.key, reason);
        }
        if let (Some(timeout), Some(work)) = (edge.timeout, service.service_time.constant())
            && let Some(spot) = call.find("timeout")
        {
            let reason = Reason {
                what: "the service works longer on every attempt, so none can be answered in time",
                help: "give the call a timeout above the service time",
            };
            let path = format!("{path}.timeout");
            // A cache may answer in no time, or be filled by answers that come late.
            let hopeless = timeout < work && edge.cache.is_none();
            self.note(&path, Question::Chance, spot.key, hopeless.then_some(reason));
        }
        if let Some(budget) = call.find("budget").filter(|_| edge.budget.is_some()) {
            let reason = Reason {
                what: "nothing is retried here, so there is nothing to budget",
                help: RETRY,
            };
            self.note(
                &format!("{path}.budget"),
                Question::Effect,
                budget.key,
                (!may_ask_budget(edge)).then_some(reason),
            );
        }
        if let Some(retry) = call.find("retry").filter(|_| !never_retries) {
            let reason = Reason {
                what: "no call can fail: it has no timeout, and nothing bounds the queue of the service",
                help: "give the call a timeout, or the service a bound",
            };
            self.note(
                &format!("{path}.retry"),
                Question::Effect,
                retry.key,
                never_fails.then_some(reason),
            );
        }
    }

    /// Keys that need another one beside them, in the same policy or the same client.
    fn see_company(
        &mut self,
        path: &str,
        call: Spot<'_>,
        edge: &Edge,
        instances: Instances,
        service: &Service,
        called: &Neighbours,
    ) {
        for kind in call.find("retry").map_or(&[][..], |retry| retry.node.entries()) {
            if let Some(guidance) = Spot::of(kind).find("guidance") {
                let guided = gives_hints(service) || called.may_say_never;
                let reason = (!guided).then_some(UNGUIDED);
                let path = format!("{path}.retry.{}.guidance", kind.key);
                self.note(&path, Question::Effect, guidance.key, reason);
            }
        }
        for kind in ["linear", "exponential"] {
            let policy = call.find("retry").and_then(|retry| retry.find(kind));
            let Some(order) = policy.and_then(|policy| policy.find("jitter_before_cap")) else {
                continue;
            };
            let reason = Reason {
                what: "there is no jitter that could come before the cap",
                help: "add jitter = \"full\"",
            };
            let steady = matches!(edge.retry.backoff, Backoff::Steady(_));
            let path = format!("{path}.retry.{kind}.jitter_before_cap");
            self.note(&path, Question::Effect, order.key, steady.then_some(reason));
        }
        self.note_all(path, call, call_keys(edge, instances, service, called.may_be_gone));
    }

    fn see_service(
        &mut self,
        root: Spot<'_>,
        service: &Service,
        known: &Neighbours,
        horizon: Span,
    ) {
        let spot = root.at("services").at(&service.name);
        let path = format!("services.{}", quote(&service.name));
        let reason = Reason {
            what: "no request of any client comes to this service",
            help: "name it in the `calls` of a client, or of a service that a client calls",
        };
        self.note(&path, Question::Effect, spot.key, (!known.is_reached).then_some(reason));
        for call in &service.calls.list {
            let path = format!("{path}.calls.{}", quote(&call.name));
            let place = spot.at("calls").at(&call.name).key;
            self.note(&path, Question::Use, place, (!known.is_reached).then_some(UNCALLED));
        }
        if !known.is_reached {
            return;
        }
        for (key, reason) in service_keys(service, known, horizon) {
            if let Some(found) = spot.find(key) {
                self.note(&format!("{path}.{key}"), Question::Effect, found.key, reason);
            }
        }
        self.note_all(&path, spot, fleet_keys(service).into_iter().chain(service_values(service)));
        for (table, key, reason) in refusal_keys(service, known) {
            if let Some(found) = spot.find(table).and_then(|table| table.find(key)) {
                self.note(&format!("{path}.{table}.{key}"), Question::Effect, found.key, reason);
            }
        }
        self.note_all(&path, spot, idempotency_keys(service, known, horizon));
        if let Some(warning) = fit_warning(spot, &path)
            && !self
                .others
                .iter()
                .any(|(version, known)| *version == self.version && known.repeats(&warning))
        {
            self.others.push((self.version.clone(), warning));
        }
    }

    /// Notes what is said about keys of the table at `spot`, as far as they are there.
    fn note_all(
        &mut self,
        path: &str,
        spot: Spot<'_>,
        keys: impl IntoIterator<Item = (Vec<&'static str>, Option<Reason>)>,
    ) {
        for (keys, reason) in keys {
            if let Some(found) = keys.iter().try_fold(spot, |spot, key| spot.find(key)) {
                let path = format!("{path}.{}", keys.join("."));
                self.note(&path, Question::Effect, found.key, reason);
            }
        }
    }

    /// Keeps the first reason, until the key has an effect somewhere.
    fn note(&mut self, path: &str, question: Question, place: Place, reason: Option<Reason>) {
        let key = (path.to_owned(), question);
        let diagnostic = reason.map(|reason| {
            let diagnostic = match question {
                Question::Effect => Diagnostic::warning(place, format!("`{path}` has no effect")),
                Question::Aftermath => {
                    Diagnostic::warning(place, format!("`{path}` lasts to the end of the run"))
                }
                Question::Chance => {
                    Diagnostic::warning(place, format!("`{path}` is shorter than the work"))
                }
                Question::Use => Diagnostic::error(place, format!("`{path}` is never made")),
            };
            diagnostic.label(reason.what).help(reason.help.to_owned())
        });
        let version = self.version.clone();
        let known = self
            .keys
            .entry(key)
            .or_insert_with(|| Key { diagnostic: diagnostic.clone(), versions: BTreeSet::new() });
        if diagnostic.is_none() {
            known.diagnostic = None;
        }
        known.versions.insert(version);
    }
}

const UNCALLED: Reason = Reason {
    what: "no request of any client comes to the service that would make this call",
    help: "name that service in the `calls` of a client, or of a service that a client calls; or leave its \
           calls out",
};

const OVERRULED: Reason = Reason {
    what: "all that this preset says is said otherwise beside it",
    help: "leave it out, or the keys that stand beside it",
};

const NO_CHANCE: Reason = Reason {
    what: "there is no chance in the stepped solver, so every seed is the same run",
    help: "leave it out, or the `solver`",
};

const TOO_LATE: Reason = Reason {
    what: "the run is over before the last of these requests comes",
    help: "instants count from the start of the run",
};

const RETRY: &str = "give the call a retry: retry = { immediate = { max_retries = 3 } }";
