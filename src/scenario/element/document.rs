//! A whole scenario file as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::client::Client;
use super::criterion::Criterion;
use super::expect::Expect;
use super::length::Length;
use super::service::Service;
use super::sweep::Sweep;
use super::trigger::Trigger;
use super::variant::Variant;

/// The root of the grammar. Names are sorted, so that the order of tables in a file means nothing.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Document {
    pub(in crate::scenario) title: String,
    pub(in crate::scenario) base: Option<String>,
    pub(in crate::scenario) seed: Option<u64>,
    pub(super) horizon: Length,
    pub(super) window: Option<Length>,
    #[serde(default)]
    pub(super) criterion: Criterion,
    #[serde(default)]
    pub(super) services: BTreeMap<String, Service>,
    #[serde(default)]
    pub(super) clients: BTreeMap<String, Client>,
    #[serde(default)]
    pub(super) triggers: BTreeMap<String, Trigger>,
    #[serde(default)]
    pub(in crate::scenario) variants: BTreeMap<String, Variant>,
    pub(in crate::scenario) sweep: Option<Sweep>,
    pub(in crate::scenario) expect: Option<Expect>,
}

/// What a variant or an axis may change: the world, not the story about it.
pub(in crate::scenario) const WORLD_KEYS: [&str; 6] =
    ["horizon", "window", "criterion", "services", "clients", "triggers"];
