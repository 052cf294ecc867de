//! A scenario as it is written: a tree in which everything knows its place.

mod argument;
mod overlay;
mod path;
mod syntax;

pub(super) use crate::experiment::key as quote;
pub(super) use argument::parse_argument;
pub(super) use overlay::{Change, Layer, apply, collision};
pub(super) use path::Path;
pub(super) use syntax::{parse_document, parse_value};

use super::data::Measured;
use super::source::Place;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Integer(i128),
    /// A number and how it is spelled: a grid counts in the decimals that were written.
    Float(f64, String),
    Bool(bool),
    Date,
    List(Vec<Node>),
    /// A file by its name, and the numbers in it.
    Measured(String, Measured),
    /// In the order of the text, names unique.
    Table(Vec<Entry>),
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_place: Place,
    /// The last layer that named this key, or something below it. Where two keys exclude each
    /// other, the later layer has the say.
    pub(super) layer: Layer,
    pub(super) node: Node,
}

/// A node with the key that leads to it: where a message about it points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'t> {
    pub(super) key: Place,
    pub(super) layer: Layer,
    pub(super) node: &'t Node,
}

impl Node {
    pub(super) const fn table(place: Place) -> Self {
        Self { place, value: Value::Table(Vec::new()) }
    }

    /// The entries of a table; of anything else, none.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Table(entries) => entries,
            Value::Text(_)
            | Value::Integer(_)
            | Value::Float(..)
            | Value::Bool(_)
            | Value::Date
            | Value::Measured(..)
            | Value::List(_) => &[],
        }
    }

    /// The text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) | Value::Measured(text, _) => Some(text),
            Value::Integer(_)
            | Value::Float(..)
            | Value::Bool(_)
            | Value::Date
            | Value::List(_)
            | Value::Table(_) => None,
        }
    }

    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// Says of everything below that `layer` wrote it.
    fn stamp(&mut self, layer: Layer) {
        if let Value::Table(entries) = &mut self.value {
            for entry in entries {
                entry.layer = layer;
                entry.node.stamp(layer);
            }
        }
    }

    /// Takes an entry out of a table.
    pub(super) fn remove(&mut self, key: &str) -> Option<Entry> {
        let Value::Table(entries) = &mut self.value else {
            return None;
        };
        let index = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.remove(index))
    }

    /// Everything directly within: the values of a table, the items of a list.
    fn children(&self) -> Box<dyn Iterator<Item = &Node> + '_> {
        match &self.value {
            Value::Table(entries) => Box::new(entries.iter().map(|entry| &entry.node)),
            Value::List(items) => Box::new(items.iter()),
            Value::Text(_)
            | Value::Integer(_)
            | Value::Float(..)
            | Value::Bool(_)
            | Value::Date
            | Value::Measured(..) => Box::new(std::iter::empty()),
        }
    }

    /// The dotted path of the key at `place`, if it is below this node.
    pub(super) fn path_of(&self, place: Place) -> Option<String> {
        for entry in self.entries() {
            if entry.key_place == place {
                return Some(quote(&entry.key));
            }
            if let Some(rest) = entry.node.path_of(place) {
                return Some(format!("{}.{rest}", quote(&entry.key)));
            }
        }
        self.children().find_map(|child| child.path_of(place))
    }

    /// Removes what stands at `place`, a key or a value, wherever it is below this node, which `key`
    /// leads to; returns the key of what it was removed from.
    pub(super) fn prune(&mut self, place: Place, key: Place) -> Option<Place> {
        match &mut self.value {
            Value::Table(entries) => {
                let here = |entry: &Entry| entry.key_place == place || entry.node.place == place;
                if let Some(index) = entries.iter().position(here) {
                    entries.remove(index);
                    return Some(key);
                }
                entries.iter_mut().find_map(|entry| entry.node.prune(place, entry.key_place))
            }
            Value::List(items) => {
                if let Some(index) = items.iter().position(|item| item.place == place) {
                    items.remove(index);
                    return Some(key);
                }
                items.iter_mut().find_map(|item| item.prune(place, key))
            }
            Value::Text(_)
            | Value::Integer(_)
            | Value::Float(..)
            | Value::Bool(_)
            | Value::Date
            | Value::Measured(..) => None,
        }
    }
}

impl<'t> Spot<'t> {
    /// The root of a scenario; what is missing there is missing at the start of the file.
    pub(super) const fn root(node: &'t Node) -> Self {
        Self { key: Place::START, layer: 0, node }
    }

    pub(super) const fn of(entry: &'t Entry) -> Self {
        Self { key: entry.key_place, layer: entry.layer, node: &entry.node }
    }

    /// What `key` leads to; itself where the key is left out, so that a message about a default
    /// points to what holds it.
    pub(super) fn at(self, key: &str) -> Self {
        self.find(key).unwrap_or(self)
    }

    pub(super) fn find(self, key: &str) -> Option<Self> {
        self.node.entry(key).map(Self::of)
    }

    /// The items of a list; of anything else, none.
    pub(super) fn items(self) -> &'t [Node] {
        match &self.node.value {
            Value::List(items) => items,
            Value::Text(_)
            | Value::Integer(_)
            | Value::Float(..)
            | Value::Bool(_)
            | Value::Date
            | Value::Measured(..)
            | Value::Table(_) => &[],
        }
    }

    /// The place of an item of a list.
    pub(super) fn item(self, index: usize) -> Place {
        self.items().get(index).map_or(self.node.place, |item| item.place)
    }

    /// An item of a list, or the list itself if it has no such item.
    pub(super) fn nth(self, index: usize) -> Self {
        self.items().get(index).map_or(self, |node| Self { node, ..self })
    }

    pub(super) const fn value(self) -> Place {
        self.node.place
    }
}
