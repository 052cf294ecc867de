//! `[start]`: what there is when a run begins.

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::whole;
use super::world::Complaints;
use crate::model::{self, Model, Sent};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// The start as it is written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    /// So much work for the busiest service is sent at the very start. Default: `"0s"`.
    backlog: Option<Length>,
    /// So many requests have just been given up and are tried again. Unit: requests. Default: `0`.
    retries: Option<i64>,
}

/// The most retries under way at the start.
const MOST_RETRIES: u32 = 10_000_000;

impl Start {
    /// The start; none if anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<model::Start> {
        let backlog = match &self.backlog {
            None => Some(Span::ZERO),
            Some(backlog) => out.keep(backlog.span(spot.at("backlog"))),
        };
        let retries = self.retries.unwrap_or(0);
        let retries =
            out.keep(whole(retries, 0, MOST_RETRIES, "the number of retries", spot.at("retries")));
        Some(model::Start { backlog: backlog?, retries: retries? })
    }
}

/// That there is somebody who can have sent what is under way at the start.
pub(super) fn check_start(model: &Model, spot: Spot<'_>) -> Result<(), Diagnostic> {
    let spot = spot.at("start");
    let sent = model.sent_at_start();
    let nobody = |of: fn(&Sent) -> u32| sent.iter().all(|sent| of(sent) == 0);
    if !model.start.backlog.is_zero() && nobody(|sent| sent.fresh) {
        let message = "nobody can have sent this backlog: no client has a rate";
        return Err(Diagnostic::error(spot.at("backlog").value(), message).help(
            "a closed loop and a volley have none; give a client `load` or `arrival_rate`"
                .to_owned(),
        ));
    }
    if model.start.retries > 0 && nobody(|sent| sent.again) {
        let message = "nobody can have sent these retries: no client tries again after a timeout";
        return Err(Diagnostic::error(spot.at("retries").value(), message)
            .help("give a client `call.retry`, or leave this out".to_owned()));
    }
    Ok(())
}
