//! Laying changes over a tree.

use super::path::Segment;
use super::{Entry, Node, Path, Value};
use crate::scenario::nearest::did_you_mean;
use crate::scenario::source::Place;
use crate::scenario::trouble::Diagnostic;

/// Which overlay wrote something: 0 is the file itself, later overlays have larger numbers.
pub(in crate::scenario) type Layer = u16;

/// A value for a path.
#[derive(Clone, Debug)]
pub(in crate::scenario) struct Change {
    pub(in crate::scenario) path: Path,
    pub(in crate::scenario) node: Node,
}

/// Tables whose keys are names of things, not words of the grammar.
const NAMED: [&str; 5] = ["services", "clients", "triggers", "levers", "variants"];

/// Puts the change's value in the place of whatever stands at its path, or adds it.
///
/// # Errors
/// If the path leads into something named that does not exist: `clients.wbe.load` would otherwise
/// make a new client of which nothing but the load is known. Wrong words of the grammar are left
/// to the reader of the tree, who knows the right ones.
pub(in crate::scenario) fn apply(
    root: &mut Node,
    change: &Change,
    layer: Layer,
) -> Result<(), Diagnostic> {
    let segments = change.path.segments();
    let mut here = root;
    let mut place = Place::START;
    for (depth, segment) in segments.iter().enumerate() {
        let last = depth + 1 == segments.len();
        let kind = kind_of_names(segments, depth);
        let entries = as_table(here, place);
        let found = entries.iter().position(|entry| entry.key == segment.name);
        if let Some(kinds) = kind
            && found.is_none()
            && !last
        {
            let kind = kinds.trim_end_matches('s');
            let message = format!("there is no {kind} `{}`", segment.name);
            let known = entries.iter().map(|entry| entry.key.as_str());
            let help = did_you_mean(&segment.name, known, &format!("the {kinds} here are"));
            return Err(Diagnostic::error(segment.place, message).help(help));
        }
        let index = found.unwrap_or_else(|| {
            entries.push(Entry {
                key: segment.name.clone(),
                key_place: segment.place,
                layer,
                node: Node::table(segment.place),
            });
            entries.len() - 1
        });
        let entry = &mut entries[index];
        entry.layer = layer;
        if last {
            entry.key_place = segment.place;
            entry.node = change.node.clone();
            entry.node.stamp(layer);
            return Ok(());
        }
        here = &mut entry.node;
        place = segment.place;
    }
    Ok(())
}

/// What is named at this depth of a path, in the plural; none where words of the grammar stand.
fn kind_of_names(segments: &[Segment], depth: usize) -> Option<&str> {
    let table = |index: usize| segments[index].name.as_str();
    match depth {
        1 => Some(table(0)).filter(|kinds| NAMED.contains(kinds)),
        3 => Some(table(2)).filter(|kinds| table(0) == "services" && *kinds == "calls"),
        _ => None,
    }
}

/// The entries of `node`, which becomes an empty table at `place` if it is something else: where
/// the grammar wants that other thing, the reader will say so, and where it takes either (a service
/// time is a length or a table) the overlay's choice counts.
fn as_table(node: &mut Node, place: Place) -> &mut Vec<Entry> {
    if !matches!(node.value, Value::Table(_)) {
        *node = Node::table(place);
    }
    match &mut node.value {
        Value::Table(entries) => entries,
        Value::Text(_)
        | Value::Integer(_)
        | Value::Float(..)
        | Value::Bool(_)
        | Value::Date
        | Value::Measured(..)
        | Value::List(_) => unreachable!("it has just been made a table"),
    }
}

/// The first two changes of which one would undo the other, or depend on which comes first.
pub(in crate::scenario) fn collision(changes: &[Change]) -> Option<Diagnostic> {
    changes.iter().enumerate().find_map(|(index, later)| {
        let earlier = changes[..index].iter().find(|earlier| earlier.path.overlaps(&later.path))?;
        let (inner, outer) = if earlier.path.segments().len() > later.path.segments().len() {
            (earlier, later)
        } else {
            (later, earlier)
        };
        Some(
            Diagnostic::error(
                inner.path.place(),
                "this path lies within another one that is changed here too",
            )
            .other(outer.path.place(), "the other one")
            .help(format!(
                "write the change of `{}` into the value of `{}`",
                inner.path, outer.path
            )),
        )
    })
}
