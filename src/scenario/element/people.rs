//! The names that triggers and levers may use.

use super::number::positive;
use crate::id::{ClientId, ServiceId};
use crate::model::{self, Arrivals};
use crate::scenario::nearest::did_you_mean;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// Who there is, by name and in the order of ids; a client that could not be built is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct People<'a> {
    pub(super) services: &'a [&'a str],
    pub(super) clients: &'a [&'a str],
    pub(super) built: &'a [Option<model::Client>],
}

impl People<'_> {
    pub(super) fn service(&self, name: &str, spot: Spot<'_>) -> Result<ServiceId, Diagnostic> {
        find(self.services, "service", name, spot).map(ServiceId)
    }

    pub(super) fn client(&self, name: &str, spot: Spot<'_>) -> Result<ClientId, Diagnostic> {
        find(self.clients, "client", name, spot).map(ClientId)
    }

    /// The factor of a surge in the demand of a client, which must have a demand that can surge.
    pub(super) fn surge(
        &self,
        factor: f64,
        client: Option<ClientId>,
        spot: Spot<'_>,
        largest: f64,
    ) -> Result<f64, Diagnostic> {
        if factor == 0.0 {
            return Ok(factor);
        }
        let factor = positive(factor, largest, "factor", spot.at("factor"))?;
        let built = client.and_then(|client| self.built[client.index()].as_ref());
        match built.map(|client| &client.arrivals) {
            None | Some(Arrivals::Poisson(_) | Arrivals::Even(_) | Arrivals::Profile(_)) => {
                Ok(factor)
            }
            Some(
                Arrivals::Bursts(_)
                | Arrivals::Volley { .. }
                | Arrivals::Replay(_)
                | Arrivals::Users(_),
            ) if factor <= 1.0 => Ok(factor),
            Some(
                Arrivals::Bursts(_)
                | Arrivals::Volley { .. }
                | Arrivals::Replay(_)
                | Arrivals::Users(_),
            ) => Err(Diagnostic::error(
                spot.at("client").value(),
                "the demand of this client is not a rate that can be multiplied",
            )
            .help(
                "let another client surge, with arrivals = \"poisson\", \"even\" or a profile"
                    .to_owned(),
            )),
        }
    }
}

fn find(names: &[&str], kind: &str, name: &str, spot: Spot<'_>) -> Result<u16, Diagnostic> {
    // `check_names` keeps positions within 16 bits.
    names.iter().position(|known| *known == name).map(|index| index as u16).ok_or_else(|| {
        let known = format!("the {kind}s here are");
        let help = did_you_mean(name, names.iter().copied(), &known);
        Diagnostic::error(spot.value(), format!("there is no {kind} `{name}`")).help(help)
    })
}
