//! A table of promises: metrics by name, and whatever else the table says.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};

use super::bound::Promise;
use super::world::Complaints;
use crate::experiment::{
    Bound, ClientMetric, EdgeMetric, InstanceMetric, Metric, ServiceMetric, SweepMetric,
};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// Numbers that can be promised, under names that are keys, so that a promise reads like the output
/// that it is about.
pub(super) trait Vocabulary: Copy + fmt::Debug + 'static {
    const ALL: &'static [Self];

    fn name(self) -> &'static str;

    /// What is counted, in a sentence.
    fn about(self) -> &'static str;
}

macro_rules! vocabularies {
    ($($metric:ty),*) => {
        $(impl Vocabulary for $metric {
            const ALL: &'static [Self] = <$metric>::ALL;

            fn name(self) -> &'static str {
                <$metric>::name(self)
            }

            fn about(self) -> &'static str {
                <$metric>::about(self)
            }
        })*
    };
}

vocabularies!(Metric, SweepMetric, ClientMetric, ServiceMetric, EdgeMetric, InstanceMetric);

/// What a table of promises says beside them.
pub(super) trait Terms: Default + JsonSchema {
    type Metric: Vocabulary;

    /// Every key that the table may have: those of the terms, then the names of the metrics.
    const KEYS: &'static [&'static str];

    /// Takes in the value of `key`, which is one of [`Self::KEYS`] and no metric's name.
    fn read<'de, A: MapAccess<'de>>(&mut self, _key: &str, map: &mut A) -> Result<(), A::Error> {
        map.next_value::<IgnoredAny>().map(drop)
    }
}

/// The keys of a table: its own, then the names of all metrics.
macro_rules! keys {
    ($own:expr, $metric:ty) => {{
        const OWN: &[&str] = &$own;
        const ALL: [&str; OWN.len() + <$metric>::ALL.len()] = {
            let mut keys = [""; OWN.len() + <$metric>::ALL.len()];
            let mut index = 0;
            while index < keys.len() {
                keys[index] = if index < OWN.len() {
                    OWN[index]
                } else {
                    <$metric>::ALL[index - OWN.len()].name()
                };
                index += 1;
            }
            keys
        };
        &ALL
    }};
}
pub(super) use keys;

/// Promises as they are written.
#[derive(Clone, Debug)]
pub(super) struct Promises<T: Terms> {
    pub(super) terms: T,
    metrics: Vec<(T::Metric, Promise)>,
}

impl<T: Terms> Promises<T> {
    pub(super) const fn is_empty(&self) -> bool {
        self.metrics.is_empty()
    }

    /// The ranges; those that are wrong are left out.
    pub(super) fn bounds(&self, spot: Spot<'_>, out: &mut Complaints) -> Vec<(T::Metric, Bound)> {
        let kept = self.metrics.iter().filter_map(|(metric, promise)| {
            let here = spot.at(metric.name());
            let bound = out.keep(promise.bound(here))?;
            out.keep(possible(bound, metric.name(), here)).map(|()| (*metric, bound))
        });
        kept.collect()
    }
}

/// That some run could keep the promise: no number of a run is below zero, and no share above one.
fn possible(bound: Bound, name: &str, spot: Spot<'_>) -> Result<(), Diagnostic> {
    if bound.max < 0.0 {
        let message = format!("no run keeps this promise: `{name}` is never below 0");
        return Err(Diagnostic::error(spot.value(), message));
    }
    let is_share = name.ends_with("_share") || name.ends_with("_fraction");
    if is_share && bound.min > 1.0 {
        let message = format!("no run keeps this promise: `{name}` is never above 1");
        return Err(Diagnostic::error(spot.value(), message)
            .help("a share is from 0 to 1: nine tenths are 0.9".to_owned()));
    }
    Ok(())
}

/// What can never be broken is no promise, and a check that holds without one says nothing.
pub(super) fn nothing_promised(spot: Spot<'_>, instead: &str) -> Diagnostic {
    Diagnostic::error(spot.key, "nothing is promised here").help(format!("promise {instead}"))
}

impl<T: Terms> Default for Promises<T> {
    fn default() -> Self {
        Self { terms: T::default(), metrics: Vec::new() }
    }
}

impl<T: Terms> JsonSchema for Promises<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let mut keys = match schema.remove("properties") {
            Some(serde_json::Value::Object(keys)) => keys,
            Some(_) | None => serde_json::Map::new(),
        };
        for metric in T::Metric::ALL {
            let mut promise = generator.subschema_for::<Promise>();
            promise.insert("description".to_owned(), metric.about().trim().into());
            keys.insert(metric.name().to_owned(), promise.to_value());
        }
        schema.insert("properties".to_owned(), keys.into());
        schema.insert("additionalProperties".to_owned(), false.into());
        schema
    }
}

impl<'de, T: Terms> Deserialize<'de> for Promises<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Reading { split: None, terms: PhantomData }.deserialize(deserializer)
    }
}

/// Reads a table of promises.
pub(super) struct Reading<'n, T> {
    /// The key that leads to the table, if it is the front of a name that should stand in quotes: a
    /// key that is none is then the rest of that name.
    pub(super) split: Option<&'n str>,
    pub(super) terms: PhantomData<T>,
}

impl<'de, T: Terms> DeserializeSeed<'de> for Reading<'_, T> {
    type Value = Promises<T>;

    fn deserialize<D: serde::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Terms> Visitor<'de> for Reading<'_, T> {
    type Value = Promises<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of promises")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Promises<T>, A::Error> {
        let mut promises = Promises::<T>::default();
        let key = Key { known: T::KEYS, split: self.split };
        while let Some(key) = map.next_key_seed(key)? {
            match T::Metric::ALL.iter().find(|metric| metric.name() == key) {
                Some(metric) => promises.metrics.push((*metric, map.next_value()?)),
                None => promises.terms.read(key, &mut map)?,
            }
        }
        Ok(promises)
    }
}

/// One of the keys, so that an unknown one is blamed where it stands.
#[derive(Clone, Copy)]
struct Key<'n> {
    known: &'static [&'static str],
    split: Option<&'n str>,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = &'static str;

    fn deserialize<D: serde::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(deserializer)?;
        let known = self.known.iter().find(|known| **known == key);
        known.copied().ok_or_else(|| match self.split {
            Some(front) => D::Error::custom(format!(
                "unknown key `{key}`\na dot within a name needs quotes around the name: \"{front}.{key}\""
            )),
            None => D::Error::unknown_field(&key, self.known),
        })
    }
}
