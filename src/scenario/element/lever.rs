//! `[levers.NAME]`: what an operator does about it, and when.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::any::Any;
use super::length::Length;
use super::number::{fraction, whole};
use super::people::People;
use super::trigger::{Notice, check_begin};
use super::world::Complaints;
use crate::model::{self, Action, Condition, Model, Pull};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::{Span, Time};

/// A lever as it is written: one kind, named by its table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::scenario) enum Lever {
    /// A share of a client's fresh requests fails before anything is sent.
    Block(Block),
    /// Everything that waits for a service is dropped, once.
    DropQueue(DropQueue),
    /// A service loses its queue and its work, and is gone for a while.
    Restart(Restart),
    /// Values change from then on.
    Change(Change),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Block {
    /// Whose requests.
    client: String,
    /// Which share of fresh requests. Unit: share. Default: `1`.
    share: Option<f64>,
    /// For how long.
    lasts: Length,
    /// When. This or `once`.
    at: Option<Length>,
    /// At the first window in which this has held. This or `at`.
    once: Option<Once>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct DropQueue {
    /// Whose queue.
    service: String,
    /// When. This or `once`.
    at: Option<Length>,
    /// At the first window in which this has held. This or `at`.
    once: Option<Once>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Restart {
    /// Which service.
    service: String,
    /// How long it is gone.
    takes: Length,
    /// Whether those whose attempts are lost hear of it. Default: `"at_once"`.
    #[serde(default)]
    clients_learn: Notice,
    /// When. This or `once`.
    at: Option<Length>,
    /// At the first window in which this has held. This or `at`.
    once: Option<Once>,
}

/// The world as it would be if paths had other values.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Change {
    /// Paths into services and clients, in quotes, and the values to put there.
    #[allow(dead_code, reason = "read as a tree, where the places are")]
    set: Any,
    /// When. This or `once`.
    at: Option<Length>,
    /// At the first window in which this has held. This or `at`.
    once: Option<Once>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Once {
    /// A queue is longer than a number.
    queue_above: Option<QueueAbove>,
    /// Goodput is below a share of demand.
    goodput_below: Option<GoodputBelow>,
    /// For how long it must have held. Default: `"0s"`.
    held: Option<Length>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QueueAbove {
    /// Whose queue.
    service: String,
    /// More attempts than this wait. Unit: attempts.
    waiting: i64,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GoodputBelow {
    /// Whose goodput.
    client: String,
    /// Less than this share of its demand is answered in time. Unit: share.
    share: f64,
}

impl Lever {
    /// The lever; none if anything is wrong with it. `change` builds the world that a `set` leads to.
    pub(super) fn build(
        &self,
        name: &str,
        spot: Spot<'_>,
        horizon: Option<Span>,
        people: &People<'_>,
        change: impl FnOnce(Spot<'_>) -> Result<Model, Vec<Diagnostic>>,
        out: &mut Complaints,
    ) -> Option<model::Lever> {
        let (kind, at, once) = match self {
            Self::Block(lever) => ("block", &lever.at, &lever.once),
            Self::DropQueue(lever) => ("drop_queue", &lever.at, &lever.once),
            Self::Restart(lever) => ("restart", &lever.at, &lever.once),
            Self::Change(lever) => ("change", &lever.at, &lever.once),
        };
        let spot = spot.at(kind);
        let pulled = pull(at.as_ref(), once.as_ref(), spot, horizon, people, out);
        let action = match self {
            Self::Block(block) => {
                let client = out.keep(people.client(&block.client, spot.at("client")));
                let share = block.share.unwrap_or(1.0);
                let share = out.keep(fraction(share, "the share", spot.at("share")));
                let lasts = out.keep(block.lasts.above_zero(spot.at("lasts"), ""));
                Action::Block { client: client?, share: share?, lasts: lasts? }
            }
            Self::DropQueue(drop) => {
                let service = out.keep(people.service(&drop.service, spot.at("service")))?;
                Action::DropQueue { service }
            }
            Self::Restart(restart) => {
                let service = out.keep(people.service(&restart.service, spot.at("service")));
                let instead = "to lose the queue alone, write drop_queue = { .. }";
                let takes = out.keep(restart.takes.above_zero(spot.at("takes"), instead));
                let clients = restart.clients_learn.notice();
                Action::Restart { service: service?, takes: takes?, clients }
            }
            Self::Change(_) => Action::Change(Arc::new(out.keep_all(change(spot.at("set")))?)),
        };
        Some(model::Lever { name: name.to_owned(), pulled: pulled?, action })
    }
}

fn pull(
    at: Option<&Length>,
    once: Option<&Once>,
    spot: Spot<'_>,
    horizon: Option<Span>,
    people: &People<'_>,
    out: &mut Complaints,
) -> Option<Pull> {
    match (at, once) {
        (Some(at), None) => {
            let instant = out.keep(at.span(spot.at("at")))?;
            out.keep(check_begin(instant, horizon, spot.at("at")))?;
            Some(Pull::At(Time::ZERO + instant))
        }
        (None, Some(once)) => once.build(spot.at("once"), people, out),
        (Some(_), Some(_)) => {
            out.add(
                Diagnostic::error(
                    spot.at("once").key,
                    "a lever is pulled `at` an instant or `once` a condition holds, not both",
                )
                .other(spot.at("at").key, ""),
            );
            None
        }
        (None, None) => {
            out.add(Diagnostic::error(spot.key, "this lever is never pulled: `at` or `once` is missing").help(
                "add at = \"30s\", or once = { goodput_below = { client = \"..\", share = 0.5 }, held = \"10s\" }".to_owned(),
            ));
            None
        }
    }
}

impl Once {
    fn build(&self, spot: Spot<'_>, people: &People<'_>, out: &mut Complaints) -> Option<Pull> {
        let held = match &self.held {
            None => Some(Span::ZERO),
            Some(held) => out.keep(held.span(spot.at("held"))),
        };
        let condition = match (&self.queue_above, &self.goodput_below) {
            (Some(above), None) => {
                let spot = spot.at("queue_above");
                let service = out.keep(people.service(&above.service, spot.at("service")));
                let waiting =
                    whole(above.waiting, 0, u32::MAX, "the number waiting", spot.at("waiting"));
                let waiting = out.keep(waiting);
                Condition::QueueAbove { service: service?, waiting: waiting?.into() }
            }
            (None, Some(below)) => {
                let spot = spot.at("goodput_below");
                let client = out.keep(people.client(&below.client, spot.at("client")));
                let share = out.keep(fraction(below.share, "the share", spot.at("share")));
                Condition::GoodputBelow { client: client?, share: share? }
            }
            (Some(_), Some(_)) | (None, None) => {
                out.add(Diagnostic::error(
                    spot.key,
                    "`once` names one condition: `queue_above` or `goodput_below`",
                ));
                return None;
            }
        };
        Some(Pull::Once { condition, held: held? })
    }
}
