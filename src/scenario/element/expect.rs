//! `[expect]`: what every run of a variant promises.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Error, MapAccess, Visitor};

use super::bound::Promise;
use super::length::Length;
use super::promise::{Promises, Reading, Terms, keys, nothing_promised};
use super::sweep::check_seeds;
use super::world::Complaints;
use crate::analysis::Verdict;
use crate::experiment::{
    Across, Bound, ClientMetric, EdgeMetric, Expectation, InstanceMetric, Metric, Quantity,
    ServiceMetric,
};
use crate::id::{ClientId, EdgeId, ServiceId};
use crate::model::Model;
use crate::observe::Busiest;
use crate::scenario::nearest::did_you_mean;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// Promises of a run as they are written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(in crate::scenario) struct Expect(Promises<OfRun>);

/// What is said beside the numbers of the whole run.
#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(default, rename = "Promises")]
struct OfRun {
    /// Under how many seeds. Unit: seeds. Default: `1`.
    seeds: Option<i64>,
    /// What is held against the promise where there are several seeds. Default: `"each"`.
    across_seeds: AcrossSeeds,
    /// What becomes of it, under each seed.
    #[schemars(with = "Option<VerdictWord>")]
    verdict: Option<Verdict>,
    /// Promises of single clients, by name.
    clients: BTreeMap<String, Promises<OfClient>>,
    /// Promises of single services, by name.
    services: BTreeMap<String, Promises<OfService>>,
    /// Promises of single edges, by `"CALLER.CALLED"`.
    edges: Dotted<OfEdge>,
    /// Promises of single instances, by `"SERVICE.NUMBER"`.
    instances: Dotted<OfInstance>,
    /// The busiest of many short windows.
    busiest: Option<Rush>,
}

#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(rename = "PromisesOfClient")]
struct OfClient {}

#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(rename = "PromisesOfService")]
struct OfService {}

#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(rename = "PromisesOfEdge")]
struct OfEdge {}

#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(rename = "PromisesOfInstance")]
struct OfInstance {}

/// Promises by names of two parts: those of edges and of instances.
#[derive(Clone, Debug)]
struct Dotted<T: Terms>(BTreeMap<String, Promises<T>>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AcrossSeeds {
    /// The number of every seed.
    #[default]
    Each,
    /// The median over the seeds.
    Median,
}

/// The busiest of many short windows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rush {
    /// The width of the windows.
    width: Length,
    /// When the first of them begins. Default: `"0s"`.
    after: Option<Length>,
    /// The attempts sent in the busiest of them. Unit: attempts.
    attempts: Promise,
}

/// Every key there is.
pub(in crate::scenario) const PROMISE_KEYS: &[&str] = keys!(
    ["seeds", "across_seeds", "verdict", "clients", "services", "edges", "instances", "busiest"],
    Metric
);

impl Terms for OfRun {
    type Metric = Metric;
    const KEYS: &'static [&'static str] = PROMISE_KEYS;

    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "seeds" => self.seeds = Some(map.next_value()?),
            "across_seeds" => self.across_seeds = map.next_value()?,
            "verdict" => self.verdict = Some(map.next_value::<VerdictWord>()?.0),
            "clients" => self.clients = map.next_value()?,
            "services" => self.services = map.next_value()?,
            "edges" => self.edges = map.next_value()?,
            "instances" => self.instances = map.next_value()?,
            _ => self.busiest = Some(map.next_value()?),
        }
        Ok(())
    }
}

impl Terms for OfClient {
    type Metric = ClientMetric;
    const KEYS: &'static [&'static str] = keys!([], ClientMetric);
}

impl Terms for OfService {
    type Metric = ServiceMetric;
    const KEYS: &'static [&'static str] = keys!([], ServiceMetric);
}

impl Terms for OfEdge {
    type Metric = EdgeMetric;
    const KEYS: &'static [&'static str] = keys!([], EdgeMetric);
}

impl Terms for OfInstance {
    type Metric = InstanceMetric;
    const KEYS: &'static [&'static str] = keys!([], InstanceMetric);
}

impl<T: Terms> Default for Dotted<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

/// The words for verdicts.
const VERDICT_WORDS: [&str; Verdict::ALL.len()] = {
    let mut words = [""; Verdict::ALL.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = Verdict::ALL[index].name();
        index += 1;
    }
    words
};

impl Expect {
    /// The promises about runs of `model`, with one seed where none is given.
    pub(in crate::scenario) fn build(
        &self,
        spot: Spot<'_>,
        model: &Model,
        out: &mut Complaints,
    ) -> Option<Expectation> {
        let terms = &self.0.terms;
        let seeds = match terms.seeds {
            None => Some(1),
            Some(seeds) => out.keep(check_seeds(seeds, spot.at("seeds"))),
        };
        let across = out.keep(terms.across(seeds, spot));
        let parties = terms.clients.len()
            + terms.services.len()
            + terms.edges.0.len()
            + terms.instances.0.len();
        let is_bare = self.0.is_empty() && terms.verdict.is_none() && terms.busiest.is_none();
        let empty: Vec<Spot<'_>> = terms.empty_tables(spot).collect();
        for &here in &empty {
            out.add(nothing_promised(here, "a number of one of them, by its name"));
        }
        if is_bare && parties == 0 && empty.is_empty() {
            let instead = "a verdict or a number, such as retries = { max = 100 }";
            out.add(nothing_promised(spot, instead));
        }
        let mut metrics: Vec<(Quantity, Bound)> = Vec::new();
        for (metric, bound) in self.0.bounds(spot, out) {
            if let Some(verdict) = terms.verdict.filter(|verdict| never_returns(*verdict, metric)) {
                let message = format!("a run that is {verdict} has no `{}`", metric.name());
                out.add(
                    Diagnostic::error(spot.at(metric.name()).key, message)
                        .help("this number exists only if the verdict is \"recovered\"".to_owned()),
                );
                continue;
            }
            metrics.push((metric.into(), bound));
        }
        let known: Vec<&str> = model.clients.iter().map(|client| client.name.as_str()).collect();
        let here = spot.at("clients");
        for (nth, name, promises) in named(&terms.clients, &known, "client", here, out) {
            let id = ClientId(nth as u16);
            let client = |metric| Quantity::Client { id, name: name.to_owned(), metric };
            let bounds = promises.bounds(here.at(name), out);
            metrics.extend(bounds.into_iter().map(|(metric, bound)| (client(metric), bound)));
        }
        let known: Vec<&str> = model.services.iter().map(|service| service.name.as_str()).collect();
        let here = spot.at("services");
        for (nth, name, promises) in named(&terms.services, &known, "service", here, out) {
            let id = ServiceId(nth as u16);
            let service = |metric| Quantity::Service { id, name: name.to_owned(), metric };
            let bounds = promises.bounds(here.at(name), out);
            metrics.extend(bounds.into_iter().map(|(metric, bound)| (service(metric), bound)));
        }
        let names = model.edge_names();
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let ids: Vec<EdgeId> = model.edges().map(|(id, ..)| id).collect();
        let here = spot.at("edges");
        for (nth, name, promises) in named(&terms.edges.0, &known, "edge", here, out) {
            let id = ids[nth];
            let edge = |metric| Quantity::Edge { id, name: name.to_owned(), metric };
            let bounds = promises.bounds(here.at(name), out);
            metrics.extend(bounds.into_iter().map(|(metric, bound)| (edge(metric), bound)));
        }
        let names = model.instance_names();
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let here = spot.at("instances");
        for (nth, name, promises) in named(&terms.instances.0, &known, "instance", here, out) {
            let instance = |metric| Quantity::Instance { nth, name: name.to_owned(), metric };
            let bounds = promises.bounds(here.at(name), out);
            metrics.extend(bounds.into_iter().map(|(metric, bound)| (instance(metric), bound)));
        }
        if let Some(rush) = &terms.busiest {
            metrics.extend(rush.build(spot.at("busiest"), model.horizon, out));
        }
        Some(Expectation { seeds: seeds?, verdict: terms.verdict, across: across?, metrics })
    }
}

impl OfRun {
    /// The tables of parties that are written and name nobody.
    fn empty_tables<'t>(&self, spot: Spot<'t>) -> impl Iterator<Item = Spot<'t>> {
        let tables = [
            ("clients", self.clients.is_empty()),
            ("services", self.services.is_empty()),
            ("edges", self.edges.0.is_empty()),
            ("instances", self.instances.0.is_empty()),
        ];
        let empty = tables.into_iter().filter(|(_, is_empty)| *is_empty);
        empty.filter_map(move |(key, _)| spot.find(key))
    }

    fn across(&self, seeds: Option<u64>, spot: Spot<'_>) -> Result<Across, Diagnostic> {
        match self.across_seeds {
            AcrossSeeds::Each => Ok(Across::Each),
            AcrossSeeds::Median if seeds == Some(1) => {
                let spot = spot.at("across_seeds");
                Err(Diagnostic::error(spot.value(), "the median of a single seed is that seed")
                    .help("add seeds = 5".to_owned()))
            }
            AcrossSeeds::Median => Ok(Across::Median),
        }
    }
}

impl Rush {
    fn build(
        &self,
        spot: Spot<'_>,
        horizon: Span,
        out: &mut Complaints,
    ) -> Option<(Quantity, Bound)> {
        let width = out.keep(self.width.above_zero(spot.at("width"), ""));
        let here = spot.at("after");
        let after = self.after.as_ref().map_or(Ok(Span::ZERO), |after| after.span(here));
        let after = out.keep(after.and_then(|after| {
            if after >= horizon {
                let message = format!("the run is over after {horizon}");
                return Err(Diagnostic::error(here.value(), message));
            }
            Ok(after)
        }));
        let bound = out.keep(self.attempts.bound(spot.at("attempts")));
        Some((Quantity::Busiest(Busiest { width: width?, after: after? }), bound?))
    }
}

impl<T: Terms> JsonSchema for Dotted<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, Promises<T>>::json_schema(generator)
    }
}

impl<'de, T: Terms> Deserialize<'de> for Dotted<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ByName(PhantomData))
    }
}

struct ByName<T>(PhantomData<T>);

impl<'de, T: Terms> Visitor<'de> for ByName<T> {
    type Value = Dotted<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Dotted<T>, A::Error> {
        let mut dotted = Dotted::default();
        while let Some(name) = map.next_key::<String>()? {
            // The name of every one has a dot in it: a key without one is the first part alone.
            let split = (!name.contains('.')).then_some(name.as_str());
            let promises = map.next_value_seed(Reading { split, terms: PhantomData })?;
            dotted.0.insert(name, promises);
        }
        Ok(dotted)
    }
}

/// The promises about those who exist, with their positions.
fn named<'p, T: Terms>(
    promised: &'p BTreeMap<String, Promises<T>>,
    known: &[&str],
    kind: &str,
    spot: Spot<'_>,
    out: &mut Complaints,
) -> Vec<(usize, &'p str, &'p Promises<T>)> {
    let mut found = Vec::new();
    for (name, promises) in promised {
        let here = spot.at(name);
        let Some(nth) = known.iter().position(|known| known == name) else {
            let message = format!("there is no {kind} `{name}`");
            let all = format!("the {kind}s here are");
            // Without a single one, a fleet is what is missing: there is always a client.
            let help = did_you_mean(name, known.iter().copied(), &all)
                .or_else(|| Some("only services of several `instances` have any".to_owned()));
            out.add(Diagnostic::error(here.key, message).help(help));
            continue;
        };
        if promises.is_empty() {
            let first = T::KEYS.first().copied().unwrap_or_default();
            out.add(nothing_promised(
                here,
                &format!("a number, such as {first} = {{ max = 100 }}"),
            ));
        }
        found.push((nth, name.as_str(), promises));
    }
    found
}

/// Whether `metric` is the date of something that does not happen under `verdict`.
const fn never_returns(verdict: Verdict, metric: Metric) -> bool {
    matches!(metric, Metric::BackAt | Metric::RecoveryTime)
        && !matches!(verdict, Verdict::Recovered)
}

struct VerdictWord(Verdict);

impl JsonSchema for VerdictWord {
    fn schema_name() -> Cow<'static, str> {
        "Verdict".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": VERDICT_WORDS })
    }
}

impl<'de> Deserialize<'de> for VerdictWord {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.name() == word);
        verdict.map(Self).ok_or_else(|| D::Error::unknown_variant(&word, &VERDICT_WORDS))
    }
}
