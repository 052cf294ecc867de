//! A table of promises: metrics by name, and whatever else the table says.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};

use super::bound::Promise;
use super::world::Complaints;
use crate::experiment::{Bound, ClientMetric, EdgeMetric, Metric, ServiceMetric, SweepMetric};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// Numbers that can be promised, under names that are keys, so that a promise reads like the output
/// that it is about.
pub(super) trait Vocabulary: Copy + fmt::Debug + 'static {
    const ALL: &'static [Self];

    fn name(self) -> &'static str;
}

macro_rules! vocabularies {
    ($($metric:ty),*) => {
        $(impl Vocabulary for $metric {
            const ALL: &'static [Self] = <$metric>::ALL;

            fn name(self) -> &'static str {
                <$metric>::name(self)
            }
        })*
    };
}

vocabularies!(Metric, SweepMetric, ClientMetric, ServiceMetric, EdgeMetric);

/// What a table of promises says beside them.
pub(super) trait Terms: Default {
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

/// That some run could keep the promise: no number of a run is below zero.
fn possible(bound: Bound, name: &str, spot: Spot<'_>) -> Result<(), Diagnostic> {
    if bound.max < 0.0 {
        let message = format!("no run keeps this promise: `{name}` is never below 0");
        return Err(Diagnostic::error(spot.value(), message));
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

impl<'de, T: Terms> Deserialize<'de> for Promises<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table<T>(PhantomData<T>);
        impl<'de, T: Terms> Visitor<'de> for Table<T> {
            type Value = Promises<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of promises")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Promises<T>, A::Error> {
                let mut promises = Promises::<T>::default();
                while let Some(Key(key, ..)) = map.next_key::<Key<T>>()? {
                    match T::Metric::ALL.iter().find(|metric| metric.name() == key) {
                        Some(metric) => promises.metrics.push((*metric, map.next_value()?)),
                        None => promises.terms.read(key, &mut map)?,
                    }
                }
                Ok(promises)
            }
        }
        deserializer.deserialize_map(Table(PhantomData))
    }
}

/// One of the keys, so that an unknown one is blamed where it stands.
struct Key<T>(&'static str, PhantomData<T>);

impl<'de, T: Terms> Deserialize<'de> for Key<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        let known = T::KEYS.iter().find(|known| **known == key);
        known
            .map(|known| Self(known, PhantomData))
            .ok_or_else(|| D::Error::unknown_field(&key, T::KEYS))
    }
}
