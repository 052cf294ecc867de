//! `[triggers.NAME]`: what disturbs the system, when, and for how long.

use serde::Deserialize;

use super::length::Length;
use super::world::Complaints;
use crate::id::ServiceId;
use crate::model::{self, Disturbance};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::{Span, Time};

/// A trigger as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::scenario) enum Trigger {
    Stall(Stall),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Stall {
    service: String,
    begins: Length,
    lasts: Length,
}

impl Trigger {
    /// The trigger; none if anything is wrong with it. `find` knows the services.
    pub(super) fn build(
        &self,
        name: &str,
        spot: Spot<'_>,
        horizon: Option<Span>,
        find: impl Fn(&str, Spot<'_>) -> Result<ServiceId, Diagnostic>,
        out: &mut Complaints,
    ) -> Option<model::Trigger> {
        let Self::Stall(stall) = self;
        let spot = spot.at("stall");
        let service = out.keep(find(&stall.service, spot.at("service")));
        let begins = out.keep(stall.begins.span(spot.at("begins")));
        let lasts = out.keep(
            stall.lasts.above_zero(spot.at("lasts"), "without a stall, leave the trigger out"),
        );
        let (service, begins, lasts) = (service?, begins?, lasts?);
        if horizon.is_some_and(|horizon| begins >= horizon) {
            let horizon = horizon.unwrap_or_default();
            out.add(
                Diagnostic::error(
                    spot.at("begins").value(),
                    format!("this begins when the run is over: the horizon is {horizon}"),
                )
                .help("an earlier beginning, or a longer horizon".to_owned()),
            );
            return None;
        }
        Some(model::Trigger {
            name: name.to_owned(),
            begins: Time::ZERO + begins,
            lasts,
            disturbance: Disturbance::Stall { service },
        })
    }
}
