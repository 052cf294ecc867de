//! What could be changed about a collapse, as changes of the scenario: single values, and families with one
//! parameter.

use super::presets::fill;
use super::tree::{Node, quote};
use super::{Alteration, Story, Trouble};
use crate::experiment::{End, Range};
use crate::model::{Arrivals, Client, Edge, InnerCall, Model, Service};
use crate::time::Span;

/// A change of a scenario, or a family of changes along one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// What is done, in words.
    pub name: String,
    /// Along what its parameter goes; none for a change without one.
    pub along: Option<Parameter>,
    /// The overrides that make it so; `{}` stands for the parameter.
    templates: Vec<String>,
    /// What was typed for it, as an argument of which option; what is wrong with it is told of that.
    typed: Option<(String, String)>,
}

/// The parameter of a remedy.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// What it is called, in words.
    pub name: &'static str,
    /// Which values it may have.
    pub range: Range,
    /// At which end the change is the smallest.
    pub gentle: End,
    /// Whether it is a length of time.
    pub is_length: bool,
}

/// How many times the base the cap of a back-off is: the third retry is the last that doubles.
const CAP: f64 = 4.0;
/// What a refused client waits in a family that makes a service refuse.
const WAIT_AFTER_REFUSAL: &str = "100ms";
/// How long a restart takes.
const RESTART: f64 = 5.0;

impl Remedy {
    fn fixed(name: String, templates: &[String]) -> Self {
        Self { name, along: None, templates: templates.to_vec(), typed: None }
    }

    fn along(name: String, parameter: Parameter, templates: &[String]) -> Self {
        Self { name, along: Some(parameter), templates: templates.to_vec(), typed: None }
    }

    /// The overrides, each written `PATH=VALUE`, with `value` for the parameter.
    pub fn changes(&self, value: f64) -> Vec<String> {
        let label = |value: f64| match &self.along {
            Some(Parameter { is_length: true, .. }) => Span::from_secs_f64(value).to_string(),
            Some(_) | None => value.to_string(),
        };
        let filled = |template: &String| {
            template.replace("{}", &label(value)).replace("{cap}", &label(CAP * value))
        };
        self.templates.iter().map(filled).collect()
    }

    /// The world of the variant called `variant` with the change made.
    ///
    /// # Errors
    /// The change makes no world of this variant.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn model(&self, story: &Story, variant: &str, value: f64) -> Result<Model, Trouble> {
        let alteration = |text: &String| match &self.typed {
            Some((option, typed)) => Alteration::default().and_typed(text, (option, typed)),
            None => Alteration::new(text, &self.name),
        };
        let alterations: Vec<Alteration> = self.changes(value).iter().map(alteration).collect();
        story.altered(variant, &alterations)
    }
}

impl Story {
    /// What could be changed in the variant called `variant`: at each client, at each service that one calls, at
    /// the busiest service that others call for them, and in all calls between services at once. Left out is what
    /// makes no world of it, and what changes nothing.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn remedies(&self, variant: &str) -> Vec<Remedy> {
        let version = self.version(variant);
        // What cannot be filled has made no model either.
        let Ok(filled) = fill(&version.tree) else { return Vec::new() };
        let model = &version.model;
        let mut remedies = Vec::new();
        for client in &model.clients {
            remedies.extend(at_client(client, &version.tree, &filled));
        }
        let mut called: Vec<_> = model.clients.iter().map(|client| client.edge.to).collect();
        called.extend(model.busiest());
        called.sort_unstable();
        called.dedup();
        for service in called {
            let clients: Vec<&Client> =
                model.clients.iter().filter(|client| client.edge.to == service).collect();
            let callers = inner_calls(model).filter(|(_, call)| call.edge.to == service).collect();
            remedies.extend(at_service(model.service(service), &clients, callers));
        }
        remedies.extend(between_services(model));
        let ends = |remedy: &Remedy| match &remedy.along {
            Some(Parameter { range, .. }) => vec![range.from, range.to],
            None => vec![0.0],
        };
        remedies.retain(|remedy| {
            let worlds = ends(remedy).into_iter().map(|end| remedy.model(self, variant, end));
            let worlds: Result<Vec<Model>, Trouble> = worlds.collect();
            worlds.is_ok_and(|worlds| worlds.iter().any(|world| world != model))
        });
        remedies
    }

    /// The variant called `variant`, run for at least so many seconds, since somebody typed `from` as an argument
    /// of an option.
    ///
    /// # Errors
    /// No world of it lasts so long.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn lasting(&self, variant: &str, least: f64, from: (&str, &str)) -> Result<Model, Trouble> {
        let text = horizon(&self.version(variant).model, least);
        self.altered(variant, &[Alteration::default().and_typed(&text, from)])
    }

    /// What an operator could do at `at`, in seconds, about a collapse of the variant called `variant`, if
    /// `backlog` seconds of work wait then. Somebody typed `from` as an argument of an option to have that time.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn ways_out(
        &self,
        variant: &str,
        at: f64,
        backlog: f64,
        (option, typed): (&str, &str),
    ) -> Vec<Remedy> {
        let model = &self.version(variant).model;
        let windows = |count: f64| count * model.window.as_secs_f64();
        let lever = |nth: usize| format!("levers.\"advice {nth}\"");
        let block = |share: f64, longest: f64| {
            let blocks = model.clients.iter().enumerate().map(|(nth, client)| {
                format!(
                    "{}={{block={{client={:?},share={share:?},at=\"{}s\",lasts=\"{{}}\"}}}}",
                    lever(nth),
                    client.name,
                    at
                )
            });
            let mut templates: Vec<String> = blocks.collect();
            templates.push(horizon(model, at + longest + windows(30.0)));
            templates
        };
        let lasts = |longest: f64| Parameter {
            name: "for",
            range: Range {
                from: windows(1.0),
                to: longest.ceil(),
                logarithmic: false,
                whole: false,
            },
            gentle: End::Low,
            is_length: true,
        };
        let at_all_services = |action: &dyn Fn(&str) -> String| {
            let levers = model
                .services
                .iter()
                .enumerate()
                .map(|(nth, service)| format!("{}={{{}}}", lever(nth), action(&service.name)));
            let mut templates: Vec<String> = levers.collect();
            templates.push(horizon(model, at + windows(60.0)));
            templates
        };
        let (all, half) = (1.5 * backlog + windows(20.0), 4.0 * backlog + windows(20.0));
        let drop = at_all_services(&|name| format!("drop_queue={{service={name:?},at=\"{at}s\"}}"));
        let restart = at_all_services(&|name| {
            format!("restart={{service={name:?},takes=\"{RESTART}s\",at=\"{at}s\"}}")
        });
        let typed = Some((option.to_owned(), typed.to_owned()));
        [
            Remedy::along("block all requests".to_owned(), lasts(all), &block(1.0, all)),
            Remedy::along("block half of them".to_owned(), lasts(half), &block(0.5, half)),
            Remedy::fixed("drop the queue".to_owned(), &drop),
            Remedy::fixed(format!("restart, in {RESTART} s"), &restart),
        ]
        .map(|remedy| Remedy { typed: typed.clone(), ..remedy })
        .to_vec()
    }
}

/// The override that makes a run of `model` last at least so many seconds: whole windows, and no less than it
/// does.
fn horizon(model: &Model, least: f64) -> String {
    let window = model.window.as_secs_f64();
    let windows = (least / window).ceil().max(1.0);
    let least = model.window.saturating_mul(windows as u64);
    format!("horizon=\"{}\"", least.max(model.horizon))
}

fn at_client(client: &Client, written: &Node, filled: &Node) -> Vec<Remedy> {
    let name = &client.name;
    let path = format!("clients.{}", quote(name));
    let number = |node: &Node, keys: &[&str]| -> Option<f64> {
        let found = keys.iter().try_fold(node, |node, key| Some(&node.entry(key)?.node))?;
        super::dial::plain(found)
    };
    let linear = |from: f64, to: f64| Range { from, to, logarithmic: false, whole: false };
    let parameter = |name, range, gentle, is_length| Parameter { name, range, gentle, is_length };
    let mut remedies = Vec::new();
    for key in ["load", "arrival_rate"] {
        if let Some(now) = number(filled, &["clients", name, key]) {
            remedies.push(Remedy::along(
                format!("{name}: shed load"),
                parameter(
                    if key == "load" { "load" } else { "rate" },
                    linear(now / 20.0, now),
                    End::High,
                    false,
                ),
                &[format!("{path}.{key}={{}}")],
            ));
        }
    }
    let retries = client.edge.retry.max_retries;
    let kinds = written
        .entry("clients")
        .and_then(|clients| clients.node.entry(name))
        .and_then(|client| client.node.entry("call"))
        .and_then(|call| call.node.entry("retry"))
        .map_or(&[][..], |retry| retry.node.entries());
    if let ([kind], 1..) = (kinds, retries)
        && kind.node.entry("max_retries").is_some()
    {
        let range = Range { from: 0.0, to: f64::from(retries), logarithmic: false, whole: true };
        remedies.push(Remedy::along(
            format!("{name}: fewer retries"),
            parameter("retries", range, End::High, false),
            &[format!("{path}.call.retry.{}.max_retries={{}}", quote(&kind.key))],
        ));
    }
    if retries > 0 {
        let ratios = Range { from: 0.001, to: 1.0, logarithmic: true, whole: false };
        remedies.push(Remedy::along(
            format!("{name}: retry budget"),
            parameter("ratio", ratios, End::High, false),
            &[format!("{path}.call.budget={{sliding_window={{ratio={{}},window=\"10s\"}}}}")],
        ));
        let waits = Range { from: 0.01, to: 10.0, logarithmic: true, whole: false };
        let backoff = |jitter: &str| {
            format!(
                "{path}.call.retry={{exponential={{max_retries={retries},base=\"{{}}\",factor=2,cap=\"{{cap}}\"{jitter}}}}}"
            )
        };
        remedies.push(Remedy::along(
            format!("{name}: back-off with full jitter"),
            parameter("base", waits, End::Low, true),
            &[backoff(",jitter=\"full\"")],
        ));
    }
    if let Some(timeout) = client.edge.timeout.map(Span::as_secs_f64) {
        let template = [format!("{path}.call.timeout={{}}")];
        let range = |from: f64, to: f64| Range { from, to, logarithmic: true, whole: false };
        remedies.push(Remedy::along(
            format!("{name}: longer timeout"),
            parameter("timeout", range(timeout, 10.0 * timeout), End::Low, true),
            &template,
        ));
        remedies.push(Remedy::along(
            format!("{name}: shorter timeout"),
            parameter("timeout", range(timeout / 10.0, timeout), End::High, true),
            &template,
        ));
    }
    let open = Range { from: 0.5, to: 60.0, logarithmic: true, whole: false };
    remedies.push(Remedy::along(
        format!("{name}: circuit breaker"),
        parameter("open", open, End::Low, true),
        &[format!("{path}.call.breaker={{open=\"{{}}\"}}")],
    ));
    remedies
}

/// Every call from one service to another, with its path.
fn inner_calls(model: &Model) -> impl Iterator<Item = (String, &InnerCall)> {
    model.services.iter().flat_map(|service| {
        service.calls.list.iter().map(|call| {
            (format!("services.{}.calls.{}", quote(&service.name), quote(&call.name)), call)
        })
    })
}

/// Changes of all calls between services that are tried again: a single one of several layers hardly ever helps.
fn between_services(model: &Model) -> Vec<Remedy> {
    let again = inner_calls(model).filter(|(_, call)| call.edge.retry.max_retries > 0);
    let paths: Vec<String> = again.map(|(path, _)| path).collect();
    if paths.is_empty() {
        return Vec::new();
    }
    let each = |change: &str| -> Vec<String> {
        paths.iter().map(|path| format!("{path}.{change}")).collect()
    };
    let ratio = Parameter {
        name: "ratio",
        range: Range { from: 0.001, to: 1.0, logarithmic: true, whole: false },
        gentle: End::High,
        is_length: false,
    };
    vec![
        Remedy::fixed("between services: no retries".to_owned(), &each("retry={never={}}")),
        Remedy::along(
            "between services: retry budget".to_owned(),
            ratio,
            &each("budget={sliding_window={ratio={},window=\"10s\"}}"),
        ),
    ]
}

fn at_service(
    service: &Service,
    clients: &[&Client],
    callers: Vec<(String, &InnerCall)>,
) -> Vec<Remedy> {
    let (name, workers) = (&service.name, f64::from(service.workers.get()));
    let path = format!("services.{}", quote(name));
    // Every call to it, by the path at which its policies stand.
    let of_clients = clients
        .iter()
        .map(|client| (format!("clients.{}.call", quote(&client.name)), &client.edge));
    let of_services = callers.into_iter().map(|(path, call)| (path, &call.edge));
    let edges: Vec<(String, &Edge)> = of_clients.chain(of_services).collect();
    let mut remedies = Vec::new();
    for (word, meaning) in [
        ("expired", "drop what has expired"),
        ("unfinishable", "drop what cannot finish"),
        ("folly_codel", "CoDel"),
    ] {
        let value = if word == "folly_codel" {
            "{folly_codel={ }}".to_owned()
        } else {
            format!("{word:?}")
        };
        remedies.push(Remedy::fixed(
            format!("{name}: {meaning}"),
            &[format!("{path}.shedding={value}")],
        ));
    }
    let longest = edges.iter().filter_map(|(_, edge)| edge.timeout).max();
    if let Some(timeout) = longest.map(Span::as_secs_f64) {
        let mut templates = vec![format!("{path}.queue={{max_work=\"{{}}\"}}")];
        let waits = edges.iter().filter(|(_, edge)| edge.retry.max_retries > 0);
        templates.extend(
            waits.map(|(path, _)| format!("{path}.wait_after_refusal=\"{WAIT_AFTER_REFUSAL}\"")),
        );
        let range =
            Range { from: timeout / 20.0, to: 2.0 * timeout, logarithmic: false, whole: false };
        remedies.push(Remedy::along(
            format!("{name}: cap the queue"),
            Parameter { name: "work", range, gentle: End::High, is_length: true },
            &templates,
        ));
    }
    let range = Range {
        from: workers,
        to: (4.0 * workers).max(workers + 4.0),
        logarithmic: false,
        whole: true,
    };
    // A load is a share of the capacity, and would grow with it.
    let mut templates = vec![format!("{path}.workers={{}}")];
    for client in clients {
        if let Arrivals::Poisson(rate) | Arrivals::Even(rate) = client.arrivals {
            let (client, rate) = (quote(&client.name), rate.per_second());
            templates.push(format!("clients.{client}.arrival_rate={rate}"));
        }
    }
    remedies.push(Remedy::along(
        format!("{name}: more workers"),
        Parameter { name: "workers", range, gentle: End::Low, is_length: false },
        &templates,
    ));
    remedies
}
