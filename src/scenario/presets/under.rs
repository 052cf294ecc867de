//! Laying a preset under a call or a service: their own keys stand, the preset fills in the rest.

use std::borrow::Cow;

use super::Side;
use crate::scenario::nearest::did_you_mean;
use crate::scenario::source::Place;
use crate::scenario::tree::{Entry, Layer, Node, Value, quote};
use crate::scenario::trouble::Diagnostic;

/// Tables of which one key is a choice: a call that chose another one keeps it.
const CHOICES: [&str; 6] =
    ["retry", "budget", "throttle", "jitter", "guidance", "wait_after_refusal"];

/// The same of a service.
const SERVICE_CHOICES: [&str; 3] = ["limit", "shedding", "queue"];

/// Keys that exclude each other: a call that has one of them does not get the other.
const RIVALS: [(&str, &[&str]); 11] = [
    ("max_retries", &["max_attempts"]),
    ("max_attempts", &["max_retries", "max_hedges"]),
    ("max_hedges", &["max_attempts"]),
    ("window", &["window_calls"]),
    ("window_calls", &["window"]),
    ("permits", &["share", "decided_after"]),
    ("share", &["permits", "max_outstanding"]),
    ("decided_after", &["permits"]),
    ("minimum", &["max_outstanding"]),
    ("max_outstanding", &["share", "minimum"]),
    ("target_utilisation", &["target_queue", "target_concurrency", "thresholds"]),
];

/// The world with the presets of its calls and services written out.
///
/// # Errors
/// If somebody names a preset that there is not.
pub(in crate::scenario) fn fill(world: &Node) -> Result<Cow<'_, Node>, Vec<Diagnostic>> {
    lay(world, |_, _, _| {})
}

/// Every name of a preset in the world: the path at which it stands, the name, its place, and whether
/// anything of the preset counts. Nothing does where all of its keys are said otherwise.
pub(in crate::scenario) fn each(world: &Node, mut see: impl FnMut(&str, &str, Place, bool)) {
    // A world with a wrong name in it has been refused.
    let _ = lay(world, |path, (name, place), counts| {
        let path: Vec<String> = path.iter().copied().map(quote).collect();
        see(&format!("{}.preset", path.join(".")), name, place, counts);
    });
}

fn lay(
    world: &Node,
    mut see: impl FnMut(&[&str], (&str, Place), bool),
) -> Result<Cow<'_, Node>, Vec<Diagnostic>> {
    let mut filled = Cow::Borrowed(world);
    let mut wrong = Vec::new();
    for side in Side::ALL {
        let mut presets = None;
        for (path, preset) in side.naming(world) {
            let presets = presets.get_or_insert_with(|| side.tree());
            let own = entries_of(filled.to_mut(), &path);
            let named = names(preset);
            for (nth, &(name, place)) in named.iter().enumerate() {
                if named[..nth].iter().any(|(other, _)| *other == name) {
                    let message = format!("the preset `{name}` is named twice");
                    wrong.push(Diagnostic::error(place, message));
                    continue;
                }
                match called(side, presets, name, place) {
                    Ok(mut keys) => {
                        restamp(&mut keys, place, preset.layer);
                        let counts = lay_under(own, keys);
                        see(&path, (name, place), counts);
                    }
                    Err(diagnostic) => wrong.push(diagnostic),
                }
            }
        }
    }
    if wrong.is_empty() { Ok(filled) } else { Err(wrong) }
}

impl Side {
    const fn other(self) -> Self {
        match self {
            Self::Client => Self::Service,
            Self::Service => Self::Client,
        }
    }

    /// The tables that name a preset, each by its path, and what they name: the calls of clients and
    /// those between services, or services.
    fn naming(self, world: &Node) -> Vec<(Vec<&str>, &Entry)> {
        let tables = |kind: &str| world.entry(kind).map_or(&[][..], |entry| entry.node.entries());
        let services = tables("services").iter();
        match self {
            Self::Client => {
                let of_clients = tables("clients").iter().filter_map(|client| {
                    let call = client.node.entry("call")?;
                    Some((vec!["clients", &client.key, "call"], call.node.entry("preset")?))
                });
                let between_services = services.flat_map(|service| {
                    let calls = service.node.entry("calls");
                    let calls = calls.map_or(&[][..], |calls| calls.node.entries());
                    calls.iter().filter_map(|call| {
                        let path = vec!["services", &service.key, "calls", call.key.as_str()];
                        Some((path, call.node.entry("preset")?))
                    })
                });
                of_clients.chain(between_services).collect()
            }
            Self::Service => services
                .filter_map(|service| {
                    Some((vec!["services", service.key.as_str()], service.node.entry("preset")?))
                })
                .collect(),
        }
    }
}

/// One name, or several of which the first has the say; anything else is the grammar's to refuse.
fn names(preset: &Entry) -> Vec<(&str, Place)> {
    let items = match &preset.node.value {
        Value::List(items) => items.as_slice(),
        Value::Text(_)
        | Value::Integer(_)
        | Value::Float(..)
        | Value::Bool(_)
        | Value::Date
        | Value::Measured(..)
        | Value::Table(_) => std::slice::from_ref(&preset.node),
    };
    items.iter().filter_map(|item| Some((item.text()?, item.place))).collect()
}

/// The keys of the preset called `name`.
fn called(side: Side, presets: &Node, name: &str, place: Place) -> Result<Vec<Entry>, Diagnostic> {
    if let Some(preset) = presets.entry(name) {
        return Ok(side.laid(preset));
    }
    let other = side.other();
    if other.tree().entry(name).is_some() {
        let message = match side {
            Side::Client => format!("`{name}` is a preset of services"),
            Side::Service => format!("`{name}` is a preset of clients"),
        };
        let help = format!("it is named as {} = \"{name}\"", other.path());
        return Err(Diagnostic::error(place, message).help(help));
    }
    let known = presets.entries().iter().map(|entry| entry.key.as_str());
    let help = did_you_mean(name, known, "there are");
    Err(Diagnostic::error(place, format!("there is no preset `{name}`"))
        .help(help)
        .note("`metastable presets` lists them with what they do"))
}

/// The entries of the table at a path that exists.
fn entries_of<'n>(node: &'n mut Node, path: &[&str]) -> &'n mut Vec<Entry> {
    let Value::Table(entries) = &mut node.value else {
        unreachable!("a preset was found in it, so it is a table");
    };
    let Some((first, rest)) = path.split_first() else { return entries };
    let entry = entries.iter_mut().find(|entry| entry.key == *first);
    entries_of(&mut entry.expect("a preset was found below it").node, rest)
}

/// Makes a preset's keys stand where it is named.
fn restamp(entries: &mut [Entry], place: Place, layer: Layer) {
    for entry in entries {
        (entry.key_place, entry.layer, entry.node.place) = (place, layer, place);
        match &mut entry.node.value {
            Value::Table(inner) => restamp(inner, place, layer),
            Value::List(items) => items.iter_mut().for_each(|item| item.place = place),
            Value::Text(_)
            | Value::Integer(_)
            | Value::Float(..)
            | Value::Bool(_)
            | Value::Date
            | Value::Measured(..) => {}
        }
    }
}

/// Adds what `own` does not say itself, or said in an earlier layer than the one that names the
/// preset; whether there was any such thing.
fn lay_under(own: &mut Vec<Entry>, preset: Vec<Entry>) -> bool {
    let mut counts = false;
    for entry in preset {
        let rivals =
            RIVALS.iter().find(|(key, _)| *key == entry.key).map_or(&[][..], |(_, rivals)| rivals);
        let is_rival = |own: &Entry| rivals.contains(&own.key.as_str());
        if own.iter().any(|own| is_rival(own) && own.layer >= entry.layer) {
            continue;
        }
        own.retain(|own| !is_rival(own));
        counts |= match own.iter_mut().find(|own| own.key == entry.key) {
            None => {
                own.push(entry);
                true
            }
            Some(own) => merge(own, entry),
        };
    }
    counts
}

fn merge(own: &mut Entry, preset: Entry) -> bool {
    let stands = own.layer >= preset.layer;
    match (&mut own.node.value, preset.node.value) {
        (Value::Table(inner), Value::Table(entries)) => {
            let key = own.key.as_str();
            if CHOICES.contains(&key) || SERVICE_CHOICES.contains(&key) {
                let other = |own: &Entry| entries.iter().all(|entry| entry.key != own.key);
                if inner.iter().any(|own| other(own) && own.layer >= preset.layer) {
                    return false;
                }
                inner.retain(|own| !other(own));
            }
            lay_under(inner, entries)
        }
        (value, new) if !stands => {
            *value = new;
            own.node.place = preset.node.place;
            (own.key_place, own.layer) = (preset.key_place, preset.layer);
            true
        }
        (_, _) => false,
    }
}
