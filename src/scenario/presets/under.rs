//! Laying a preset under a call: the call's own keys stand, the preset fills in the rest.

use std::borrow::Cow;

use super::tree;
use crate::scenario::nearest::did_you_mean;
use crate::scenario::source::Place;
use crate::scenario::tree::{Entry, Layer, Node, Value};
use crate::scenario::trouble::Diagnostic;

/// Tables of which one key is a choice: a call that chose another one keeps it.
const CHOICES: [&str; 6] =
    ["retry", "budget", "throttle", "jitter", "guidance", "wait_after_refusal"];

/// Keys that exclude each other: a call that has one of them does not get the other.
const RIVALS: [(&str, &[&str]); 10] = [
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
];

/// The world with the presets of its calls written out.
///
/// # Errors
/// If a call names a preset that there is not.
pub(in crate::scenario) fn fill(world: &Node) -> Result<Cow<'_, Node>, Vec<Diagnostic>> {
    let naming = naming(world);
    if naming.is_empty() {
        return Ok(Cow::Borrowed(world));
    }
    let presets = tree();
    let mut filled = world.clone();
    let mut wrong = Vec::new();
    for (path, preset) in naming {
        let call = entries_of(&mut filled, &path);
        for (name, place) in names(preset) {
            match called(&presets, name, place) {
                Ok(keys) => {
                    let mut keys = keys.to_vec();
                    restamp(&mut keys, place, preset.layer);
                    lay_under(call, keys);
                }
                Err(diagnostic) => wrong.push(diagnostic),
            }
        }
    }
    if wrong.is_empty() { Ok(Cow::Owned(filled)) } else { Err(wrong) }
}

/// The calls that name a preset, of clients and between services: the path of each, and what it names.
fn naming(world: &Node) -> Vec<(Vec<&str>, &Entry)> {
    let tables = |kind: &str| world.entry(kind).map_or(&[][..], |entry| entry.node.entries());
    let of_clients = tables("clients").iter().filter_map(|client| {
        let call = client.node.entry("call")?;
        Some((vec!["clients", &client.key, "call"], call.node.entry("preset")?))
    });
    let between_services = tables("services").iter().flat_map(|service| {
        let calls = service.node.entry("calls").map_or(&[][..], |calls| calls.node.entries());
        calls.iter().filter_map(|call| {
            let path = vec!["services", service.key.as_str(), "calls", call.key.as_str()];
            Some((path, call.node.entry("preset")?))
        })
    });
    of_clients.chain(between_services).collect()
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
fn called<'p>(presets: &'p Node, name: &str, place: Place) -> Result<&'p [Entry], Diagnostic> {
    let preset = presets.entry(name).and_then(|preset| preset.node.entry("call"));
    preset.map(|call| call.node.entries()).ok_or_else(|| {
        let known = presets.entries().iter().map(|entry| entry.key.as_str());
        let help = did_you_mean(name, known, "there are");
        Diagnostic::error(place, format!("there is no preset `{name}`"))
            .help(help)
            .note("`metastable presets` lists them with what they do")
    })
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
/// preset.
fn lay_under(own: &mut Vec<Entry>, preset: Vec<Entry>) {
    for entry in preset {
        let rivals =
            RIVALS.iter().find(|(key, _)| *key == entry.key).map_or(&[][..], |(_, rivals)| rivals);
        let is_rival = |own: &Entry| rivals.contains(&own.key.as_str());
        if own.iter().any(|own| is_rival(own) && own.layer >= entry.layer) {
            continue;
        }
        own.retain(|own| !is_rival(own));
        match own.iter_mut().find(|own| own.key == entry.key) {
            None => own.push(entry),
            Some(own) => merge(own, entry),
        }
    }
}

fn merge(own: &mut Entry, preset: Entry) {
    let stands = own.layer >= preset.layer;
    match (&mut own.node.value, preset.node.value) {
        (Value::Table(inner), Value::Table(entries)) => {
            if CHOICES.contains(&own.key.as_str()) {
                let other = |own: &Entry| entries.iter().all(|entry| entry.key != own.key);
                if inner.iter().any(|own| other(own) && own.layer >= preset.layer) {
                    return;
                }
                inner.retain(|own| !other(own));
            }
            lay_under(inner, entries);
        }
        (value, new) if !stands => {
            *value = new;
            own.node.place = preset.node.place;
            (own.key_place, own.layer) = (preset.key_place, preset.layer);
        }
        (_, _) => {}
    }
}
