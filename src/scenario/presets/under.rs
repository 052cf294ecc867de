//! Laying a preset under a call or a service: their own keys stand, the preset fills in the rest.

use std::borrow::Cow;

use super::Side;
use crate::scenario::nearest::did_you_mean;
use crate::scenario::source::Place;
use crate::scenario::tree::{Entry, Layer, Node, Spot, Value, quote};
use crate::scenario::trouble::Diagnostic;

/// Tables of which one key is a choice: a call that chose another one keeps it.
const CHOICES: [&str; 6] =
    ["retry", "budget", "throttle", "jitter", "guidance", "wait_after_refusal"];

/// The same of a service.
const SERVICE_CHOICES: [&str; 3] = ["limit", "shedding", "queue"];

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

/// The world with the presets of its calls and services written out.
///
/// # Errors
/// If somebody names a preset that there is not.
pub(in crate::scenario) fn fill(world: &Node) -> Result<Cow<'_, Node>, Vec<Diagnostic>> {
    lay(world, |_, _, _, _| {})
}

/// Every name of a preset in the world: the path at which it stands, the name, its place, and whether
/// anything of the preset counts. Nothing does where all of its keys are said otherwise.
pub(in crate::scenario) fn each(world: &Node, mut see: impl FnMut(&str, &str, Place, bool)) {
    // A world with a wrong name in it has been refused.
    let _ = lay(world, |owner, side: Side, (name, place), counts| {
        let path = format!("{}.{}.{}", side.table(), quote(owner), side.key());
        see(&path, name, place, counts);
    });
}

fn lay(
    world: &Node,
    mut see: impl FnMut(&str, Side, (&str, Place), bool),
) -> Result<Cow<'_, Node>, Vec<Diagnostic>> {
    let mut filled = Cow::Borrowed(world);
    let mut wrong = Vec::new();
    for side in Side::ALL {
        let owners =
            Spot::root(world).find(side.table()).map_or(&[][..], |spot| spot.node.entries());
        let named = owners.iter().filter_map(|owner| Some((owner, side.preset_of(owner)?)));
        let mut presets = None;
        for (owner, preset) in named {
            let presets = presets.get_or_insert_with(|| side.tree());
            let own = side.own(filled.to_mut(), &owner.key);
            for (name, place) in names(preset) {
                match called(side, presets, name, place) {
                    Ok(mut keys) => {
                        restamp(&mut keys, place, preset.layer);
                        let counts = lay_under(own, keys);
                        see(&owner.key, side, (name, place), counts);
                    }
                    Err(diagnostic) => wrong.push(diagnostic),
                }
            }
        }
    }
    if wrong.is_empty() { Ok(filled) } else { Err(wrong) }
}

impl Side {
    const fn table(self) -> &'static str {
        match self {
            Self::Client => "clients",
            Self::Service => "services",
        }
    }

    /// Where a preset is named, in the table of a client or a service.
    const fn key(self) -> &'static str {
        match self {
            Self::Client => "call.preset",
            Self::Service => "preset",
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::Client => Self::Service,
            Self::Service => Self::Client,
        }
    }

    /// What a client's call or a service names as its preset.
    fn preset_of(self, owner: &Entry) -> Option<&Entry> {
        match self {
            Self::Client => owner.node.entry("call")?.node.entry("preset"),
            Self::Service => owner.node.entry("preset"),
        }
    }

    /// The keys under which a preset is laid.
    fn own<'n>(self, world: &'n mut Node, name: &str) -> &'n mut Vec<Entry> {
        match self {
            Self::Client => entries_of(world, &[self.table(), name, "call"]),
            Self::Service => entries_of(world, &[self.table(), name]),
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
