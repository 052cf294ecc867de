//! `call.loss = { replies = 0.2, clients_learn = "at_once" }`: what the network loses all the time.

use schemars::JsonSchema;
use serde::Deserialize;

use super::number::fraction;
use super::trigger::Notice;
use super::world::Complaints;
use crate::model;
use crate::scenario::tree::Spot;
use crate::unit::Fraction;

/// A network that loses, as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Loss {
    /// The share of attempts lost on the way to the service. Unit: share. Default: `0`.
    requests: Option<f64>,
    /// The share of answers lost on the way back. Unit: share. Default: `0`.
    replies: Option<f64>,
    /// Whether the client hears that the connection broke. Default: "never".
    clients_learn: Option<Notice>,
}

impl Loss {
    /// What it loses; none if anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<model::Loss> {
        let mut share = |share: Option<f64>, key| match share {
            None => Some(Fraction::ZERO),
            Some(share) => out.keep(fraction(share, "what is lost", spot.at(key))),
        };
        let (requests, replies) =
            (share(self.requests, "requests"), share(self.replies, "replies"));
        let clients = self.clients_learn.map_or(model::Notice::Never, Notice::notice);
        Some(model::Loss { requests: requests?, replies: replies?, clients })
    }
}
