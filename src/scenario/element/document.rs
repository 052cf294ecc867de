//! A whole scenario file as it is written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::client::Client;
use super::criterion::Criterion;
use super::expect::Expect;
use super::length::Length;
use super::lever::Lever;
use super::service::Service;
use super::solver::Solver;
use super::start::Start;
use super::sweep::Sweep;
use super::trigger::Trigger;
use super::variant::Variant;

/// The root of the grammar. Names are sorted, so that the order of tables in a file means nothing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Document {
    /// What this scenario shows; stands above tables and charts.
    pub(in crate::scenario) title: String,
    /// What the scenario as written is called, beside its variants. Default: `"base"`.
    pub(in crate::scenario) base: Option<String>,
    /// The first seed. Unit: seed. Default: `1`.
    pub(in crate::scenario) seed: Option<u64>,
    /// How long a run lasts; a whole number of windows.
    pub(super) horizon: Length,
    /// The width of the windows in which goodput is held against demand. Default: `"1s"`.
    pub(super) window: Option<Length>,
    /// What makes a window good.
    #[serde(default)]
    pub(super) criterion: Criterion,
    /// The services, by name.
    #[serde(default)]
    pub(super) services: BTreeMap<String, Service>,
    /// The clients, by name.
    #[serde(default)]
    pub(super) clients: BTreeMap<String, Client>,
    /// What there is when a run begins.
    #[serde(default)]
    pub(super) start: Start,
    /// The disturbances, by name.
    #[serde(default)]
    pub(super) triggers: BTreeMap<String, Trigger>,
    /// What an operator does, by name.
    #[serde(default)]
    pub(super) levers: BTreeMap<String, Lever>,
    /// What comes first when a completion and a client's timer fall on one instant. Default:
    /// `"completion_wins"`.
    #[serde(default)]
    pub(super) tie: Tie,
    /// How a run is worked out. Default: `"events"`.
    #[serde(default)]
    pub(super) solver: Solver,
    /// Versions of the scenario, by name: dotted paths in quotes, the values to put there, and
    /// `expect`.
    #[serde(default)]
    pub(in crate::scenario) variants: BTreeMap<String, Variant>,
    /// A grid of cells.
    pub(in crate::scenario) sweep: Option<Sweep>,
    /// What every run of the scenario as written promises.
    pub(in crate::scenario) expect: Option<Expect>,
}

/// The keys of the root: a table above them in the file would swallow them.
pub(in crate::scenario) const ROOT_KEYS: [&str; 16] = [
    "title",
    "base",
    "seed",
    "horizon",
    "window",
    "criterion",
    "services",
    "clients",
    "start",
    "triggers",
    "levers",
    "tie",
    "solver",
    "variants",
    "sweep",
    "expect",
];

/// What comes first when a completion and a client's timer fall on one instant.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tie {
    /// The completion: an answer at the very instant of the timeout is in time.
    #[default]
    CompletionWins,
    /// The timer.
    TimerWins,
}

/// What a variant or an axis may change: the world, not the story about it.
pub(in crate::scenario) const WORLD_KEYS: [&str; 10] = [
    "horizon",
    "window",
    "criterion",
    "tie",
    "services",
    "clients",
    "start",
    "triggers",
    "levers",
    "solver",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::reader::read;
    use crate::scenario::source::SourceId;
    use crate::scenario::tree::{Spot, parse_document};
    use crate::scenario::trouble::Diagnostic;

    #[test]
    fn the_keys_of_the_root_are_those_that_it_reads() {
        let tree = parse_document("zzz = 1", SourceId::FILE).unwrap();
        let found = read::<Document>(Spot::root(&tree)).unwrap_err();
        let all = ROOT_KEYS.map(|key| format!("`{key}`")).join(", ");
        let place = SourceId::FILE.place(0..3);
        let expected = Diagnostic::error(place, "unknown key `zzz`");
        assert!(
            found[0].repeats(&expected) && format!("{:?}", found[0]).contains(&all),
            "{found:?}"
        );
    }
}
