//! Tables, lists and choices, entry by entry.

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};

use super::{Fault, Reader};
use crate::scenario::source::Place;
use crate::scenario::tree::{Entry, Node, Spot};

/// The entries of a table.
pub(super) struct Pairs<'t> {
    entries: std::slice::Iter<'t, Entry>,
    value: Option<&'t Entry>,
}

impl<'t> Pairs<'t> {
    pub(super) fn new(entries: &'t [Entry]) -> Self {
        Self { entries: entries.iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for Pairs<'_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        let Some(entry) = self.entries.next() else {
            return Ok(None);
        };
        self.value = Some(entry);
        let key: StrDeserializer<'_, Fault> = entry.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|fault| fault.at_key(entry.key_place))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let Some(entry) = self.value.take() else {
            return Err(Fault::custom("a value was asked for before its key"));
        };
        seed.deserialize(Reader::new(Spot::of(entry)))
            .map_err(|fault| fault.at_value(entry.node.place))
    }
}

/// The items of a list.
pub(super) struct Items<'t> {
    items: std::slice::Iter<'t, Node>,
    key: Place,
}

impl<'t> Items<'t> {
    pub(super) fn new(items: &'t [Node], key: Place) -> Self {
        Self { items: items.iter(), key }
    }
}

impl<'de, 't> SeqAccess<'de> for Items<'t> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        let reader = |node| Reader { node, key: self.key };
        let read = |node: &'t Node| {
            seed.deserialize(reader(node)).map_err(|fault| fault.at_value(node.place))
        };
        self.items.next().map(read).transpose()
    }
}

/// A choice as it is written.
pub(super) enum Choice<'t> {
    /// `shedding = "never"`.
    Word { word: &'t str, place: Place },
    /// `retry = { never = {} }`.
    Table(&'t Entry),
}

impl<'de, 't> EnumAccess<'de> for Choice<'t> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        let (name, place) = match &self {
            Self::Word { word, place } => (*word, *place),
            Self::Table(entry) => (entry.key.as_str(), entry.key_place),
        };
        let name: StrDeserializer<'_, Fault> = name.into_deserializer();
        let value = seed.deserialize(name).map_err(|fault| fault.at_key(place))?;
        Ok((value, self))
    }
}

impl<'t> Choice<'t> {
    /// The value under the chosen name.
    fn value(self, content: &str) -> Result<Reader<'t>, Fault> {
        match self {
            Self::Word { word, place } => Err(Fault::word_for_table(word, content).at_value(place)),
            Self::Table(entry) => Ok(Reader::new(Spot::of(entry))),
        }
    }
}

impl<'de> VariantAccess<'de> for Choice<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self {
            Self::Word { .. } => Ok(()),
            Self::Table(entry) => Err(Fault::table_for_word(&entry.key).at_key(entry.key_place)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(self.value("..")?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Fault> {
        Err(Fault::invalid_type(Unexpected::TupleVariant, &visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let content = if fields.is_empty() { "{}" } else { "{ .. }" };
        serde::Deserializer::deserialize_struct(self.value(content)?, "", fields, visitor)
    }
}
