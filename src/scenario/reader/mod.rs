//! A tree into the types of the grammar, by serde, with every error at the characters it is about.

mod access;
mod fault;
mod recover;

pub(super) use fault::Fault;
pub(super) use recover::read;

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use self::access::{Choice, Items, Pairs};
use super::source::Place;
use super::tree::{Entry, Node, Spot, Value};

/// Reads one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'t> {
    node: &'t Node,
    /// The key that leads to it: what is missing in a table is missing there.
    key: Place,
}

impl<'t> Reader<'t> {
    pub(super) const fn new(spot: Spot<'t>) -> Self {
        Self { node: spot.node, key: spot.key }
    }

    /// The fault, at this node unless it already has a place.
    fn blame(self, fault: Fault) -> Fault {
        fault.in_table(self.key).at_value(self.node.place)
    }

    /// What was found here, for a message.
    fn found(self) -> Unexpected<'t> {
        match &self.node.value {
            Value::Text(text) | Value::Measured(text, _) => Unexpected::Str(text),
            Value::Integer(value) => match i64::try_from(*value) {
                Ok(value) => Unexpected::Signed(value),
                Err(_) => Unexpected::Other("a number that is too large"),
            },
            Value::Float(value, _) => Unexpected::Float(*value),
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Date => Unexpected::Other("a date"),
            Value::List(_) => Unexpected::Seq,
            Value::Table(_) => Unexpected::Map,
        }
    }
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let result = match &self.node.value {
            Value::Text(text) | Value::Measured(text, _) => visitor.visit_str(text),
            Value::Integer(value) => {
                if let Ok(value) = i64::try_from(*value) {
                    visitor.visit_i64(value)
                } else if let Ok(value) = u64::try_from(*value) {
                    visitor.visit_u64(value)
                } else {
                    Err(Fault::invalid_value(self.found(), &visitor))
                }
            }
            Value::Float(value, _) => visitor.visit_f64(*value),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Date => Err(Fault::invalid_type(self.found(), &visitor)),
            Value::List(items) => visitor.visit_seq(Items::new(items, self.key)),
            Value::Table(entries) => visitor.visit_map(Pairs::new(entries)),
        };
        result.map_err(|fault| self.blame(fault))
    }

    /// A number may be written without a decimal point, however large.
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if let Value::Integer(value) = self.node.value {
            return visitor.visit_f64(value as f64).map_err(|fault| self.blame(fault));
        }
        self.deserialize_any(visitor)
    }

    /// A table and nothing else: serde would take a list for the values of the keys in their order.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.node.value {
            Value::Table(_) => self.deserialize_any(visitor),
            Value::Text(_)
            | Value::Integer(_)
            | Value::Float(..)
            | Value::Bool(_)
            | Value::Date
            | Value::Measured(..)
            | Value::List(_) => Err(self.blame(Fault::no_table(self.found(), keys))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    /// One of several words, or one of several tables under its name. Where an overlay has added a
    /// second name, the overlay's counts.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let choice = match &self.node.value {
            Value::Text(word) | Value::Measured(word, _) => {
                Ok(Choice::Word { word, place: self.node.place })
            }
            Value::Table(entries) => self.only(entries, words).map(Choice::Table),
            Value::Integer(_)
            | Value::Float(..)
            | Value::Bool(_)
            | Value::Date
            | Value::List(_) => Err(Fault::no_choice(self.found(), &visitor, words)),
        };
        choice.and_then(|choice| visitor.visit_enum(choice)).map_err(|fault| self.blame(fault))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier
    }
}

impl<'t> Reader<'t> {
    /// The one entry of a table that stands for a choice.
    fn only(
        self,
        entries: &'t [Entry],
        words: &'static [&'static str],
    ) -> Result<&'t Entry, Fault> {
        let latest = entries.iter().map(|entry| entry.layer).max();
        let mut chosen = entries.iter().filter(|entry| Some(entry.layer) == latest);
        let Some(first) = chosen.next() else {
            return Err(Fault::nothing_chosen(words));
        };
        let rest: Vec<&Entry> = chosen.collect();
        for entry in std::iter::once(first).chain(rest.iter().copied()) {
            if !words.contains(&entry.key.as_str()) {
                return Err(Fault::unknown_variant(&entry.key, words).at_key(entry.key_place));
            }
        }
        match rest.first() {
            Some(second) => Err(Fault::two_chosen(first, second)),
            None => Ok(first),
        }
    }
}
