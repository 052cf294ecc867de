//! The written world into a model: names to ids, words to policies, and whether it all fits.

use super::budget::check_paths;
use super::cache::check_flushes;
use super::document::{Document, Tie};
use super::inner_call::check_calls;
use super::instances::check_instances;
use super::number::thousands;
use super::people::People;
use super::pool::check_pools;
use super::solver;
use super::start::check_start;
use super::too_large::too_large;
use crate::id::ServiceId;
use crate::model::{self, Model};
use crate::scenario::source::Place;
use crate::scenario::tree::{Change, Layer, Node, Path, Spot, apply};
use crate::scenario::trouble::Diagnostic;
use crate::scenario::version;
use crate::time::Span;

/// Mistakes as they are found; building goes on, so that one look shows them all.
#[derive(Debug, Default)]
pub(in crate::scenario) struct Complaints(Vec<Diagnostic>);

impl Complaints {
    /// The value, or none and a complaint.
    pub(in crate::scenario) fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.0.push(diagnostic)).ok()
    }

    pub(in crate::scenario) fn add(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// The value, or none and several complaints.
    pub(in crate::scenario) fn keep_all<T>(
        &mut self,
        result: Result<T, Vec<Diagnostic>>,
    ) -> Option<T> {
        result.map_err(|diagnostics| self.0.extend(diagnostics)).ok()
    }

    /// How many there are so far.
    pub(in crate::scenario) const fn count(&self) -> usize {
        self.0.len()
    }

    pub(in crate::scenario) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::scenario) fn into_inner(self) -> Vec<Diagnostic> {
        self.0
    }
}

/// Positions of services are 16 bits wide; so are those of everything that has a name.
const MOST_NAMES: usize = 10_000;
/// Names stand in tables and charts.
const LONGEST_NAME: usize = 80;

impl Document {
    /// The model of the world at `spot`; `written` is the same one with its presets not yet written
    /// out, which is what levers change.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(in crate::scenario) fn model(
        &self,
        spot: Spot<'_>,
        written: &Node,
    ) -> Result<Model, Vec<Diagnostic>> {
        let mut out = Complaints::default();
        let model = self.build(spot, written, &mut out);
        let model = model.filter(|_| out.is_empty()).and_then(|model| {
            out.keep(model.fits().map_err(|limit| too_large(limit, &model, spot)))?;
            solver::check(&model, spot, &mut out);
            Some(model)
        });
        model.filter(|_| out.is_empty()).ok_or_else(|| out.into_inner())
    }

    fn build(&self, spot: Spot<'_>, written: &Node, out: &mut Complaints) -> Option<Model> {
        for (kind, empty) in
            [("services", self.services.is_empty()), ("clients", self.clients.is_empty())]
        {
            out.keep(check_names(kind, empty, spot));
        }
        for kind in ["triggers", "levers"] {
            out.keep(check_names(kind, false, spot));
        }
        if self.services.is_empty() {
            return None;
        }
        let horizon = out.keep(self.horizon.above_zero(spot.at("horizon"), ""));
        let window = match &self.window {
            None => Some(USUAL_WINDOW),
            Some(window) => out.keep(window.above_zero(spot.at("window"), "")),
        };
        if let (Some(horizon), Some(window)) = (horizon, window) {
            out.keep(whole_windows(horizon, window, spot));
        }
        let solver = out.keep(self.solver.build(spot.at("solver")));
        let criterion = self.criterion.build(spot.at("criterion"), window, horizon, out);

        let names: Vec<&str> = self.services.keys().map(String::as_str).collect();
        let here = spot.at("services");
        let services: Vec<Option<model::Service>> = self
            .services
            .iter()
            .map(|(name, service)| service.build(name, here.at(name), &names, out))
            .collect();
        let callers: Vec<&str> = self.clients.keys().map(String::as_str).collect();
        let people =
            People { services: &names, clients: &callers, built: &[], built_services: &services };

        let here = spot.at("clients");
        let clients: Vec<Option<model::Client>> = self
            .clients
            .iter()
            .map(|(name, client)| {
                let spot = here.at(name);
                let to = out.keep(people.service(&client.calls, spot.at("calls")));
                let called = to.and_then(|to| services[to.index()].as_ref());
                // A client of nothing is still read to its end for other mistakes.
                client.build(name, spot, to.unwrap_or(ServiceId(0)), called, out)
            })
            .collect();
        let people = People { built: &clients, ..people };
        let start = self.start.build(spot.at("start"), out);
        let here = spot.at("triggers");
        let triggers: Vec<Option<Vec<model::Trigger>>> = self
            .triggers
            .iter()
            .map(|(name, trigger)| trigger.build(name, here.at(name), horizon, &people, out))
            .collect();
        let here = spot.at("levers");
        let change = |set: Spot<'_>| changed(written, set);
        let levers: Vec<Option<model::Lever>> = self
            .levers
            .iter()
            .map(|(name, lever)| lever.build(name, here.at(name), horizon, &people, change, out))
            .collect();
        let triggers: Vec<Vec<model::Trigger>> = triggers.into_iter().collect::<Option<_>>()?;
        let model = Model {
            services: services.into_iter().collect::<Option<_>>()?,
            clients: clients.into_iter().collect::<Option<_>>()?,
            start: start?,
            triggers: triggers.into_iter().flatten().collect(),
            levers: levers.into_iter().collect::<Option<_>>()?,
            tie: match self.tie {
                Tie::CompletionWins => model::Tie::CompletionWins,
                Tie::TimerWins => model::Tie::TimerWins,
            },
            horizon: horizon?,
            window: window?,
            criterion: criterion?,
            solver: solver?,
        };
        out.keep(check_calls(&model, spot))?;
        out.keep(check_instances(&model, spot))?;
        out.keep(check_flushes(&model, spot))?;
        out.keep(check_pools(&model, spot))?;
        out.keep(check_paths(&model, spot))?;
        out.keep(check_start(&model, spot))?;
        Some(model)
    }
}

/// What a run sets up once: who there is, whom they call, how an instance is found, how workers come and
/// go, how a queue is kept, and what is executed once. The rate of arrivals may change, their process may not.
const LASTING: [(&str, &str); 9] = [
    ("clients", "calls"),
    ("clients", "arrivals"),
    ("clients", "instances"),
    ("services", "discipline"),
    ("services", "instances"),
    ("services", "balancer"),
    ("services", "ejection"),
    ("services", "autoscaling"),
    ("services", "effect"),
];
/// What a run sets up once about a call between services.
const LASTING_OF_CALLS: [&str; 4] = ["to", "step", "copies", "passes_deadline"];

/// The world as it is `written` with the changes of a lever laid over it, and without levers: what a lever
/// leads to is not changed by another one.
fn changed(written: &Node, set: Spot<'_>) -> Result<Model, Vec<Diagnostic>> {
    let mut tree = written.clone();
    tree.remove("levers");
    tree.remove("start");
    tree.remove("solver");
    let mut out = Complaints::default();
    if set.node.entries().is_empty() {
        out.add(
            Diagnostic::error(set.key, "this lever changes nothing")
                .help("write set = { \"clients.web.call.retry\" = { never = {} } }".to_owned()),
        );
    }
    for entry in set.node.entries() {
        let Some(path) = out.keep(Path::of_key(&entry.key, entry.key_place)) else { continue };
        let first = path.first();
        if path.segments().len() < 3 || !["services", "clients"].contains(&first.name.as_str()) {
            out.add(
                Diagnostic::error(
                    entry.key_place,
                    "a lever changes something about a service or a client",
                )
                .help("write a path such as \"clients.web.call.retry\", in quotes".to_owned()),
            );
            continue;
        }
        let key = path.segments()[2].name.as_str();
        if (first.name.as_str(), key) == ("services", "calls") {
            if let Some(diagnostic) = lasts_of_calls(&path, entry.key_place) {
                out.add(diagnostic);
                continue;
            }
        } else if LASTING.contains(&(first.name.as_str(), key)) {
            let message = format!("a lever cannot change `{key}`: it holds for the whole run");
            out.add(
                Diagnostic::error(entry.key_place, message)
                    .help("make it a variant instead".to_owned()),
            );
            continue;
        }
        out.keep(apply(&mut tree, &Change { path, node: entry.node.clone() }, Layer::MAX));
    }
    if !out.is_empty() {
        return Err(out.into_inner());
    }
    version::model(&tree)
}

/// What is wrong with a lever's path into the calls of a service, if anything: what is called, and in
/// which order, holds for the whole run.
fn lasts_of_calls(path: &Path, place: Place) -> Option<Diagnostic> {
    let key = match path.segments() {
        [_, _, _, _, key, ..] if LASTING_OF_CALLS.contains(&key.name.as_str()) => &key.name,
        [_, _, _, _, _, ..] => return None,
        _ => {
            let message =
                "a lever cannot change whom a service calls: that holds for the whole run";
            return Some(Diagnostic::error(place, message).help(
                "change a key of one call, such as \"services.checkout.calls.payment.timeout\", or \
                 make it a variant instead"
                    .to_owned(),
            ));
        }
    };
    let message = format!("a lever cannot change `{key}` of a call: it holds for the whole run");
    Some(Diagnostic::error(place, message).help("make it a variant instead".to_owned()))
}

/// The window where a scenario does not give one.
const USUAL_WINDOW: Span = Span::from_secs(1);

fn check_names(kind: &str, empty: bool, spot: Spot<'_>) -> Result<(), Diagnostic> {
    let here = spot.at(kind);
    if empty {
        return Err(Diagnostic::error(here.key, format!("the scenario has no {kind}"))
            .help(format!("add a table [{kind}.NAME]")));
    }
    let entries = spot.find(kind).map_or(&[][..], |here| here.node.entries());
    if entries.len() > MOST_NAMES {
        let most = thousands(MOST_NAMES as u64);
        return Err(Diagnostic::error(here.key, format!("there can be at most {most} {kind}")));
    }
    let wrong = entries.iter().find_map(|entry| Some((entry, check_name(&entry.key)?)));
    wrong.map_or(Ok(()), |(entry, message)| Err(Diagnostic::error(entry.key_place, message)))
}

/// What is wrong with a name, if anything: dots, quotes and any script are welcome.
pub(in crate::scenario) fn check_name(name: &str) -> Option<String> {
    if name.trim().is_empty() {
        Some("this name is empty".to_owned())
    } else if name.chars().any(char::is_control) {
        Some("a name cannot have control characters in it".to_owned())
    } else if name.chars().count() > LONGEST_NAME {
        Some(format!("a name can have at most {LONGEST_NAME} characters"))
    } else {
        None
    }
}

fn whole_windows(horizon: Span, window: Span, spot: Spot<'_>) -> Result<(), Diagnostic> {
    let (whole, rest) =
        (horizon.as_nanos() / window.as_nanos(), horizon.as_nanos() % window.as_nanos());
    if rest == 0 {
        return Ok(());
    }
    let near = Span::from_nanos(window.as_nanos().saturating_mul(whole.max(1)));
    Err(Diagnostic::error(
        spot.at("horizon").value(),
        format!("the horizon of {horizon} is not a whole number of windows of {window}"),
    )
    .help(format!("write horizon = \"{near}\", or another window")))
}
