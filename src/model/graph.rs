//! What a service calls while it serves an attempt.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::num::NonZeroU16;

use super::{Client, Edge, Model};
use crate::id::{ClientId, EdgeId, ServiceId};
use crate::unit::Fraction;

/// The calls that a service makes for each attempt that a worker serves.
#[derive(Clone, Debug, PartialEq)]
pub struct Calls {
    /// The calls, by ascending [`step`](InnerCall::step).
    pub list: Vec<InnerCall>,
    /// Which share of the service's own work comes before the calls; the rest comes after them.
    pub work_before: Fraction,
    /// What the worker does meanwhile.
    pub meanwhile: Meanwhile,
}

/// A call from one service to another.
#[derive(Clone, Debug, PartialEq)]
pub struct InnerCall {
    /// Its name in the scenario; with that of the service it keys the random streams.
    pub name: String,
    /// Calls of one step leave together, and those of the next when all of them have ended.
    pub step: u16,
    /// What is called, and how.
    pub edge: Edge,
    /// For which share of attempts it is made.
    pub share: Fraction,
    /// How many such calls are made at once.
    pub copies: NonZeroU16,
    /// What its failure means to the attempt that it is made for.
    pub need: Need,
    /// Whether the time that is left to the attempt bounds the call as well.
    pub deadline: PassedOn,
    /// Whether the call is withdrawn when the attempt is.
    pub cancellation: PassedOn,
    /// Whether "do not try again" is told to whoever sent the attempt.
    pub guidance: PassedOn,
}

/// Who calls over an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A client.
    Client(ClientId),
    /// A service, with one of its calls by its position among them.
    Service(ServiceId, usize),
}

/// What a worker does while the calls that it has made are out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meanwhile {
    /// It waits: a thread for each attempt.
    #[default]
    HoldsWorker,
    /// It serves others: what is left of the own work is taken up, before anything that has not been
    /// begun, by the next worker that is free.
    FreesWorker,
}

/// What the failure of a call means to the attempt that it is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Need {
    /// The attempt fails at once.
    #[default]
    Needed,
    /// Nothing: the service goes on without it.
    BestEffort,
}

/// Whether something that came with an attempt, or with an answer, is handed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PassedOn {
    /// It ends here.
    #[default]
    Kept,
    /// It is.
    PassedOn,
}

impl Calls {
    /// None.
    pub const NONE: Self =
        Self { list: Vec::new(), work_before: Fraction::ONE, meanwhile: Meanwhile::HoldsWorker };
}

impl InnerCall {
    /// A call that is made for every attempt and needed, and that nothing is handed on with.
    pub fn new(name: &str, edge: Edge) -> Self {
        Self {
            name: name.to_owned(),
            step: 0,
            edge,
            share: Fraction::ONE,
            copies: NonZeroU16::MIN,
            need: Need::Needed,
            deadline: PassedOn::Kept,
            cancellation: PassedOn::Kept,
            guidance: PassedOn::Kept,
        }
    }

    /// How many such calls are made for an attempt, on average.
    pub fn mean_count(&self) -> f64 {
        self.share.as_f64() * f64::from(self.copies.get())
    }
}

impl Model {
    /// All services, each after everything that it calls.
    ///
    /// # Errors
    /// A cycle, each service of it called by the one before and the first by the last.
    pub fn callees_first(&self) -> Result<Vec<ServiceId>, Vec<ServiceId>> {
        let mut walk = Walk {
            model: self,
            marks: vec![Mark::New; self.services.len()],
            path: Vec::new(),
            order: Vec::with_capacity(self.services.len()),
        };
        (0..self.services.len()).try_for_each(|id| walk.visit(ServiceId(id as u16)))?;
        Ok(walk.order)
    }

    /// All services, each after everything that calls it; those at one depth by their positions.
    ///
    /// # Panics
    /// If services call each other in a circle, which no valid model has.
    pub fn callers_first(&self) -> Vec<ServiceId> {
        let order = self.callees_first().expect("services do not call each other in a circle");
        let mut depths = vec![0_u32; self.services.len()];
        for id in order.iter().rev() {
            let below = depths[id.index()] + 1;
            for call in &self.service(*id).calls.list {
                let depth = &mut depths[call.edge.to.index()];
                *depth = below.max(*depth);
            }
        }
        let mut order: Vec<ServiceId> = (0..).map(ServiceId).take(depths.len()).collect();
        order.sort_by_key(|id| depths[id.index()]);
        order
    }

    /// The positions of all edges, from the top: those of clients, then those of each service after those of
    /// its callers.
    pub fn edges_callers_first(&self) -> Vec<usize> {
        let services = self.callers_first();
        let depth = |caller: Caller| match caller {
            Caller::Client(_) => 0,
            Caller::Service(id, _) => {
                1 + services.iter().position(|other| *other == id).unwrap_or_default()
            }
        };
        let depths = self.edges().enumerate().map(|(nth, (_, caller, _))| (depth(caller), nth));
        let mut order: Vec<(usize, usize)> = depths.collect();
        order.sort_unstable();
        order.into_iter().map(|(_, nth)| nth).collect()
    }

    /// Whether any service calls another.
    pub fn is_graph(&self) -> bool {
        self.services.iter().any(|service| !service.calls.list.is_empty())
    }

    /// Every edge with whoever calls over it: those of the clients, and then those of the services, by
    /// their positions.
    pub fn edges(&self) -> impl Iterator<Item = (EdgeId, Caller, &Edge)> {
        let of_clients = (0..).zip(&self.clients).map(|(id, client)| {
            let id = ClientId(id);
            (EdgeId::from(id), Caller::Client(id), &client.edge)
        });
        let calls = (0..).zip(&self.services).flat_map(|(id, service)| {
            let nth = 0..service.calls.list.len();
            nth.map(move |nth| (Caller::Service(ServiceId(id), nth), &service.calls.list[nth].edge))
        });
        let between_services = (self.clients.len()..)
            .zip(calls)
            .map(|(index, (caller, edge))| (EdgeId::between_services(index), caller, edge));
        of_clients.chain(between_services)
    }

    /// What each edge is called, by its position: whoever calls, a dot, and what is called, or the name of
    /// the call where a service calls. A name with dots in it stands in quotes; and where a client and a
    /// service would give two edges one name, the path in a scenario file tells them apart.
    pub fn edge_names(&self) -> Vec<String> {
        let ends = |caller, edge: &Edge| match caller {
            Caller::Client(id) => {
                let client = &self.clients[id.index()];
                ("clients", client.name.as_str(), self.service(edge.to).name.as_str())
            }
            Caller::Service(id, nth) => {
                let service = self.service(id);
                ("services", service.name.as_str(), service.calls.list[nth].name.as_str())
            }
        };
        let ends: Vec<_> = self.edges().map(|(_, caller, edge)| ends(caller, edge)).collect();
        let mut times: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        for &(_, caller, called) in &ends {
            *times.entry((caller, called)).or_default() += 1;
        }
        let name = |(kind, caller, called)| match (times[&(caller, called)], kind) {
            (1, _) => format!("{}.{}", undotted(caller), undotted(called)),
            (_, "clients") => format!("clients.{}.call", undotted(caller)),
            (_, _) => format!("services.{}.calls.{}", undotted(caller), undotted(called)),
        };
        ends.into_iter().map(name).collect()
    }

    /// Every instance of every service that has several, counted from 0, one service after the other.
    pub fn instances(&self) -> impl Iterator<Item = (ServiceId, u16)> {
        let several = (0..).map(ServiceId).zip(&self.services);
        let several = several.filter(|(_, service)| service.instances.get() > 1);
        several.flat_map(|(id, service)| (0..service.instances.get()).map(move |nth| (id, nth)))
    }

    /// What each of [`Model::instances`] is called: its service, a dot, and its number counted from 1,
    /// as in a scenario file.
    pub fn instance_names(&self) -> Vec<String> {
        let name = |(id, nth): (ServiceId, u16)| {
            format!("{}.{}", undotted(&self.service(id).name), u32::from(nth) + 1)
        };
        self.instances().map(name).collect()
    }

    /// The call that `caller` makes; none if a client calls.
    pub fn inner_call(&self, caller: Caller) -> Option<&InnerCall> {
        match caller {
            Caller::Client(_) => None,
            Caller::Service(id, nth) => self.service(id).calls.list.get(nth),
        }
    }

    /// How many calls a request of the client needs over each edge, by their positions, with nothing retried
    /// and all caches warm.
    ///
    /// # Panics
    /// If services call each other in a circle, which no valid model has.
    pub fn calls_needed(&self, by: ClientId) -> Vec<f64> {
        let client = &self.clients[by.index()];
        let mut visits = vec![0.0; self.services.len()];
        let mut first_edges = vec![self.clients.len(); self.services.len()];
        for id in 1..self.services.len() {
            first_edges[id] = first_edges[id - 1] + self.services[id - 1].calls.list.len();
        }
        let mut needed = vec![0.0; self.edges().count()];
        needed[by.index()] = client.edge.least_misses();
        visits[client.edge.to.index()] = needed[by.index()];
        let order = self.callees_first().expect("services do not call each other in a circle");
        for id in order.into_iter().rev() {
            let calls = &self.service(id).calls.list;
            for (edge, call) in (first_edges[id.index()]..).zip(calls) {
                needed[edge] = visits[id.index()] * call.mean_count() * call.edge.least_misses();
                visits[call.edge.to.index()] += needed[edge];
            }
        }
        needed
    }

    /// Attempts per second at each service that come of fresh requests alone, with nothing retried and
    /// all caches warm, on average over the run.
    ///
    /// # Panics
    /// If services call each other in a circle, which no valid model has.
    pub fn demand_by_service(&self) -> Vec<f64> {
        self.demand_of(|_| true)
    }

    /// The same of some clients alone.
    ///
    /// # Panics
    /// Like [`demand_by_service`](Self::demand_by_service).
    pub fn demand_of(&self, counts: impl Fn(&Client) -> bool) -> Vec<f64> {
        let mut demand = vec![0.0; self.services.len()];
        for client in self.clients.iter().filter(|client| counts(client)) {
            let rate = client.arrivals.mean_rate(self.horizon);
            demand[client.edge.to.index()] += rate * client.edge.least_misses();
        }
        let order = self.callees_first().expect("services do not call each other in a circle");
        for id in order.into_iter().rev() {
            for call in &self.service(id).calls.list {
                demand[call.edge.to.index()] +=
                    demand[id.index()] * call.mean_count() * call.edge.least_misses();
            }
        }
        demand
    }
}

/// The name as one part of a dotted one.
fn undotted(name: &str) -> Cow<'_, str> {
    if name.contains('.') { Cow::Owned(format!("\"{name}\"")) } else { Cow::Borrowed(name) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    OnPath,
    Done,
}

/// A walk in depth over who calls whom.
struct Walk<'m> {
    model: &'m Model,
    marks: Vec<Mark>,
    path: Vec<ServiceId>,
    order: Vec<ServiceId>,
}

impl Walk<'_> {
    fn visit(&mut self, id: ServiceId) -> Result<(), Vec<ServiceId>> {
        match self.marks[id.index()] {
            Mark::Done => return Ok(()),
            Mark::OnPath => {
                let begins = self.path.iter().position(|&other| other == id).unwrap_or(0);
                return Err(self.path[begins..].to_vec());
            }
            Mark::New => {}
        }
        self.marks[id.index()] = Mark::OnPath;
        self.path.push(id);
        for call in &self.model.service(id).calls.list {
            self.visit(call.edge.to)?;
        }
        self.path.pop();
        self.marks[id.index()] = Mark::Done;
        self.order.push(id);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::model::{Arrivals, Service};
    use crate::time::Span;
    use crate::unit::Rate;

    /// Services 0, 1, 2, …, which call these.
    fn graph(calls: &[&[u16]]) -> Model {
        let service = |(id, callees): (usize, &&[u16])| {
            let law = Law::Fixed(Span::from_millis(1));
            let mut service = Service::new(&format!("{id}"), 1.try_into().unwrap(), law);
            let call = |&to: &u16| InnerCall::new(&format!("{to}"), Edge::new(ServiceId(to)));
            service.calls.list = callees.iter().map(call).collect();
            service
        };
        Model {
            services: calls.iter().enumerate().map(service).collect(),
            ..Model::empty(Span::from_secs(10), Span::from_secs(1))
        }
    }

    fn ids(ids: &[u16]) -> Vec<ServiceId> {
        ids.iter().copied().map(ServiceId).collect()
    }

    #[test]
    fn callees_come_first_and_cycles_are_shown() {
        assert_eq!(graph(&[&[1, 2], &[2], &[]]).callees_first(), Ok(ids(&[2, 1, 0])));
        assert_eq!(graph(&[&[1], &[2], &[1]]).callees_first(), Err(ids(&[1, 2])));
        assert_eq!(graph(&[&[0]]).callees_first(), Err(ids(&[0])));
    }

    #[test]
    fn callers_come_first_and_those_at_one_depth_in_their_order() {
        assert_eq!(graph(&[&[], &[3, 2], &[], &[0], &[]]).callers_first(), ids(&[1, 4, 2, 3, 0]));
    }

    #[test]
    fn edges_have_names_that_tell_them_apart() {
        let mut model = graph(&[&[1], &[]]);
        let arrivals = Arrivals::Poisson(Rate::new(10.0).unwrap());
        let client = |name: &str| Client::new(name, arrivals.clone(), Edge::new(ServiceId(1)));
        model.clients = vec![client("web"), client("a.b")];
        assert_eq!(model.edge_names(), ["web.1", "\"a.b\".1", "0.1"]);
        model.clients[0].name = "0".to_owned();
        assert_eq!(model.edge_names(), ["clients.0.call", "\"a.b\".1", "services.0.calls.1"]);
    }

    #[test]
    fn demand_multiplies_along_paths() {
        let mut model = graph(&[&[1, 2], &[2], &[]]);
        let arrivals = Arrivals::Poisson(Rate::new(10.0).unwrap());
        model.clients = vec![Client::new("web", arrivals, Edge::new(ServiceId(0)))];
        assert_eq!(model.demand_by_service(), [10.0, 10.0, 20.0]);
        model.services[0].calls.list[0].share = Fraction::new(0.5).unwrap();
        model.services[1].calls.list[0].copies = 4.try_into().unwrap();
        assert_eq!(model.demand_by_service(), [10.0, 5.0, 30.0]);
        assert_eq!(model.calls_needed(ClientId(0)), [1.0, 0.5, 1.0, 2.0]);
    }
}
