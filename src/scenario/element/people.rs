//! The names that triggers and levers may use.

use super::number::positive;
use crate::id::{ClientId, EdgeId, ServiceId};
use crate::model::{self, Arrivals, Caller, Model};
use crate::scenario::nearest::did_you_mean;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// Who there is, by name and in the order of ids; what could not be built is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct People<'a> {
    pub(super) services: &'a [&'a str],
    pub(super) clients: &'a [&'a str],
    pub(super) built: &'a [Option<model::Client>],
    pub(super) built_services: &'a [Option<model::Service>],
}

impl People<'_> {
    pub(super) fn service(&self, name: &str, spot: Spot<'_>) -> Result<ServiceId, Diagnostic> {
        find(self.services, "service", name, spot).map(ServiceId)
    }

    pub(super) fn client(&self, name: &str, spot: Spot<'_>) -> Result<ClientId, Diagnostic> {
        find(self.clients, "client", name, spot).map(ClientId)
    }

    /// The instance of a service that people call by this number, counted from 1; counted from 0. None if
    /// the service could not be built.
    pub(super) fn instance(
        &self,
        number: i64,
        service: ServiceId,
        spot: Spot<'_>,
    ) -> Result<Option<u16>, Diagnostic> {
        let Some(service) = &self.built_services[service.index()] else { return Ok(None) };
        let count = service.instances.get();
        let index = u16::try_from(number).ok().and_then(|number| number.checked_sub(1));
        if let Some(index) = index.filter(|index| *index < count) {
            return Ok(Some(index));
        }
        let message = match count {
            1 => format!("`{}` is a single instance", service.name),
            count => format!("`{}` has instances 1 to {count}", service.name),
        };
        Err(Diagnostic::error(spot.value(), message))
    }

    /// The edge that a trigger names: a client's, or that of one call of a service. None if whoever calls
    /// over it could not be built.
    pub(super) fn edge(
        &self,
        named: NamedEdge<'_>,
        spot: Spot<'_>,
    ) -> Result<Option<EdgeId>, Diagnostic> {
        match (named.client, named.service, named.call) {
            (Some(client), None, None) => {
                self.client(client, spot.at("client")).map(|client| Some(client.into()))
            }
            (None, Some(service), Some(call)) => {
                let caller = self.service(service, spot.at("service"))?;
                self.inner_edge(caller, call, spot.at("call"))
            }
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) => Err(Diagnostic::error(
                spot.at("client").key,
                "a trigger disturbs one edge: that of a `client`, or that of a `call` of a `service`",
            )
            .help("keep one of the two, and write a second trigger".to_owned())),
            (None, Some(_), None) => Err(Diagnostic::error(
                spot.at("service").key,
                "which of the calls of this service is disturbed? `call` is missing",
            )
            .help("add call = \"the name of one of its calls\"".to_owned())),
            (None, None, Some(_)) => Err(Diagnostic::error(
                spot.at("call").key,
                "whose call is disturbed? `service` is missing",
            )
            .help("add service = \"the name of the service that makes this call\"".to_owned())),
            (None, None, None) => {
                Err(Diagnostic::error(spot.key, "this disturbs nothing: `client` is missing").help(
                    "add client = \"the name of a client\", or service = \"..\" and call = \"..\" for a \
                     call between services"
                        .to_owned(),
                ))
            }
        }
    }

    fn inner_edge(
        &self,
        caller: ServiceId,
        call: &str,
        spot: Spot<'_>,
    ) -> Result<Option<EdgeId>, Diagnostic> {
        let mut before = self.clients.len();
        for service in &self.built_services[..caller.index()] {
            let Some(service) = service else { return Ok(None) };
            before += service.calls.list.len();
        }
        let Some(service) = &self.built_services[caller.index()] else { return Ok(None) };
        let list = &service.calls.list;
        if let Some(nth) = list.iter().position(|known| known.name == call) {
            return Ok(
                (before + nth < EdgeId::MOST).then(|| EdgeId::between_services(before + nth))
            );
        }
        let known = list.iter().map(|known| known.name.as_str());
        let help = did_you_mean(call, known, "its calls are")
            .or_else(|| Some("this service calls nobody".to_owned()));
        let message = format!("`{}` has no call `{call}`", service.name);
        Err(Diagnostic::error(spot.value(), message).help(help))
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

/// Where the call of `caller` is written, in the world at `spot`; none if nothing is said about it.
pub(super) fn call_of<'t>(caller: Caller, model: &Model, spot: Spot<'t>) -> Option<Spot<'t>> {
    match caller {
        Caller::Client(id) => spot.at("clients").at(&model.clients[id.index()].name).find("call"),
        Caller::Service(id, nth) => {
            let service = model.service(id);
            let calls = spot.at("services").at(&service.name).find("calls")?;
            calls.find(&service.calls.list[nth].name)
        }
    }
}

/// How a trigger names an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedEdge<'a> {
    pub(super) client: Option<&'a str>,
    pub(super) service: Option<&'a str>,
    pub(super) call: Option<&'a str>,
}

/// The service that the call `name` goes to: the one `to` names, or the one of that name.
pub(super) fn service_called(
    name: &str,
    to: Option<&str>,
    services: &[&str],
    spot: Spot<'_>,
) -> Result<ServiceId, Diagnostic> {
    match to {
        Some(to) => find(services, "service", to, spot.at("to")).map(ServiceId),
        None => find(services, "service", name, spot).map(ServiceId).map_err(|diagnostic| {
            diagnostic.moved_to(spot.key).note(
                "a call goes to the service that it is named after, unless it has `to = \"..\"`",
            )
        }),
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
