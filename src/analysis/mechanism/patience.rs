//! How long do those who call a service wait for it?

use crate::id::ServiceId;
use crate::model::{Caller, Edge, Model, PassedOn};
use crate::time::Span;

/// How long those who call a service wait for an attempt before they give it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Whoever waits shortest.
    pub least: Span,
    /// Whoever waits longest, of those who do not wait for ever.
    pub most: Span,
}

/// How long those who call `seat` wait; none if all of them wait for ever.
pub(super) fn patience(model: &Model, seat: ServiceId) -> Option<Patience> {
    let edges = model.edges().filter(|(_, _, edge)| edge.to == seat);
    let waits = edges.filter_map(|(_, caller, edge)| of_edge(model, caller, edge));
    waits
        .map(|span| Patience { least: span, most: span })
        .reduce(|a, b| Patience { least: a.least.min(b.least), most: a.most.max(b.most) })
}

/// How long an attempt over one edge is waited for at the most. A deadline that a service hands on to what it
/// calls bounds this as well: it is no later than that of whoever calls the service.
fn of_edge(model: &Model, caller: Caller, edge: &Edge) -> Option<Span> {
    let request = edge.deadline.and_then(|deadline| deadline.request);
    let handed_on = match caller {
        Caller::Client(_) => None,
        Caller::Service(id, _) => {
            let call = model.inner_call(caller);
            let hands_on = call.is_some_and(|call| call.deadline == PassedOn::PassedOn);
            // Whoever may wait longest still gives up by then.
            hands_on.then(|| longest(model, id)).flatten()
        }
    };
    edge.timeout.into_iter().chain(request).chain(handed_on).min()
}

/// The longest that anybody waits for a service; none if somebody waits for ever.
fn longest(model: &Model, id: ServiceId) -> Option<Span> {
    let edges = model.edges().filter(|(_, _, edge)| edge.to == id);
    let waits = edges.map(|(_, caller, edge)| of_edge(model, caller, edge));
    waits.reduce(|a, b| Some(a?.max(b?))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::model::{Arrivals, Client, InnerCall, Service};
    use crate::unit::Rate;

    /// Half a second from the client, five seconds from service to service.
    fn chain(passed: PassedOn) -> Model {
        let edge = |to, millis| {
            let mut edge = Edge::new(ServiceId(to));
            edge.timeout = Some(Span::from_millis(millis));
            edge
        };
        let service =
            |name| Service::new(name, 1.try_into().unwrap(), Law::Fixed(Span::from_millis(1)));
        let rate = Arrivals::Poisson(Rate::new(10.0).unwrap());
        let mut model = Model {
            services: vec![service("a"), service("b"), service("c")],
            clients: vec![Client::new("web", rate, edge(0, 500))],
            ..Model::empty(Span::from_secs(100), Span::from_secs(1))
        };
        let call =
            |to, millis| InnerCall { deadline: passed, ..InnerCall::new("next", edge(to, millis)) };
        model.services[0].calls.list = vec![call(1, 5_000), call(2, 200)];
        model.services[1].calls.list = vec![call(2, 5_000)];
        model
    }

    #[test]
    fn a_deadline_that_is_handed_on_is_waited_for_and_no_longer() {
        let of = |passed, seat| {
            let found = patience(&chain(passed), ServiceId(seat)).expect("everybody gives up");
            [found.least, found.most].map(|span| span.as_nanos() / 1_000_000)
        };
        assert_eq!(of(PassedOn::Kept, 1), [5_000, 5_000]);
        assert_eq!(of(PassedOn::Kept, 2), [200, 5_000]);
        assert_eq!(of(PassedOn::PassedOn, 1), [500, 500]);
        assert_eq!(of(PassedOn::PassedOn, 2), [200, 500]);
    }
}
