//! What goes over each edge if every attempt fails and chance is unkind.

use super::{
    Action, Caller, Disturbance, Edge, ErrorCost, InnerCall, Model, Need, Notice, Sight, Trigger,
};
use crate::id::ServiceId;
use crate::policy::retry::{Failure, Hint};
use crate::policy::shedding::QueueTimer;
use crate::policy::transport::Repeats;
use crate::time::Span;
use crate::unit::Fraction;

/// What goes over one edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow<'m> {
    pub(super) edge: &'m Edge,
    /// Requests per second, on average over the run.
    pub(super) rate: f64,
    /// Requests in the whole run.
    pub(super) requests: f64,
    /// Attempts per request.
    pub(super) attempts: f64,
}

/// What comes to one service.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inflow {
    /// Attempts per second, on average over the run.
    pub(super) rate: f64,
    /// Attempts in the whole run.
    pub(super) sent: f64,
    /// The longest timeout of those who call.
    pub(super) timeout: Span,
}

/// All edges and services, by their positions.
#[derive(Clone, Debug)]
pub(super) struct Flows<'m> {
    pub(super) edges: Vec<Flow<'m>>,
    pub(super) services: Vec<Inflow>,
}

/// How many standard deviations chance is granted.
const UNKIND: f64 = 6.0;

/// As many as there can be where `expected` are expected.
pub(super) fn at_worst(expected: f64) -> f64 {
    expected + UNKIND * expected.sqrt() + UNKIND
}

impl<'m> Flows<'m> {
    /// Those of `model`: what comes to a service goes on to those that it calls, every attempt of it.
    pub(super) fn of(model: &'m Model) -> Self {
        let flow = |(_, _, edge): (_, Caller, &'m Edge)| Flow {
            edge,
            rate: 0.0,
            requests: 0.0,
            attempts: model.attempts_at_worst(edge),
        };
        let mut flows = Self {
            edges: model.edges().map(flow).collect(),
            services: vec![Inflow::default(); model.services.len()],
        };
        let sent = model.sent_at_start();
        for (index, (client, sent)) in model.clients.iter().zip(sent).enumerate() {
            let rate = client.arrivals.mean_rate(model.horizon);
            let at_start = f64::from(sent.fresh) + f64::from(sent.again);
            flows.set(index, rate, at_worst(rate * model.horizon.as_secs_f64()) + at_start);
        }
        let mut first_edges = Vec::with_capacity(model.services.len());
        let mut first = model.clients.len();
        for service in &model.services {
            first_edges.push(first);
            first += service.calls.list.len();
        }
        let order = model.callees_first().expect("services do not call each other in a circle");
        for id in order.into_iter().rev() {
            let Inflow { rate, sent, .. } = flows.services[id.index()];
            let list = &model.service(id).calls.list;
            for (index, call) in (first_edges[id.index()]..).zip(list) {
                let copies = f64::from(call.copies.get());
                let share = call.share.as_f64();
                let made = if call.share == Fraction::ONE { sent } else { at_worst(sent * share) };
                flows.set(index, rate * share * copies, made.min(sent) * copies);
            }
        }
        flows
    }

    fn set(&mut self, index: usize, rate: f64, requests: f64) {
        let flow = &mut self.edges[index];
        (flow.rate, flow.requests) = (rate, requests);
        let inflow = &mut self.services[flow.edge.to.index()];
        inflow.rate += rate * flow.attempts;
        inflow.sent += requests * flow.attempts;
        inflow.timeout = inflow.timeout.max(flow.edge.timeout.unwrap_or_default());
    }
}

impl Model {
    /// How many attempts of a request over `edge` can leave, those that its policy never hears of
    /// included.
    fn attempts_at_worst(&self, edge: &Edge) -> f64 {
        let tries = self.tries_at_worst(edge);
        let service = self.service(edge.to);
        match edge.transport.map(|transport| transport.repeats) {
            None | Some(Repeats::Never) => tries,
            Some(Repeats::OnReused) => 2.0 * tries,
            Some(Repeats::Transparent { pause }) => {
                let unseen = f64::from(u8::from(service.refusals.sight == Sight::Unseen));
                let unreachable = self.may_be_unreachable(edge.to);
                let longest =
                    edge.timeout.map_or(self.horizon, |timeout| timeout.min(self.horizon));
                let again = if unreachable { pause.times_in(longest) as f64 } else { 0.0 };
                tries * (1.0 + again) + unseen
            }
        }
    }

    /// How many attempts a request over `edge` can make: as many as its policy allows, and no more
    /// than the horizon has time for.
    fn tries_at_worst(&self, edge: &Edge) -> f64 {
        let within = |attempt, failure, hint| {
            edge.retry.attempts_within(self.horizon, attempt, failure, hint)
        };
        let timed_out =
            edge.timeout.map_or(1.0, |timeout| within(timeout, Failure::TimedOut, Hint::Absent));
        let service = self.service(edge.to);
        let at_once = |failure| match self.may_fail_at_once(edge, failure) {
            true if failure == service.errors.failure => {
                within(Span::ZERO, failure, service.errors.hint)
            }
            true => within(Span::ZERO, failure, Hint::Absent),
            false => 1.0,
        };
        let refused = match service.queue_timeout.map(|timeout| timeout.timer) {
            _ if service.may_refuse() => Some(service.refusals.cost.at_least()),
            Some(QueueTimer::After(length)) => Some(length),
            Some(QueueTimer::AtDeadline) | None => None,
        };
        let refused = refused.map_or(timed_out, |after| {
            timed_out.max(within(after, Failure::Refused, service.refusals.hint))
        });
        let tries = Failure::EACH.map(at_once).into_iter().fold(refused, f64::max);
        tries * edge.hedge.map_or(1.0, |hedge| 1.0 + f64::from(hedge.extra.get()))
    }

    /// Whether an operator may restart the service, and its clients are told.
    fn may_restart(&self, id: ServiceId) -> bool {
        self.levers.iter().any(|lever| match lever.action {
            Action::Restart { service, clients, .. } => service == id && clients == Notice::AtOnce,
            Action::Block { .. } | Action::DropQueue { .. } | Action::Change(_) => false,
        })
    }

    /// Whether the service may be gone, and whoever calls it is told at once.
    fn may_be_unreachable(&self, id: ServiceId) -> bool {
        let gone = self.triggers.iter().any(|trigger| {
            matches!(trigger.disturbance, Disturbance::Outage(outage)
                if outage.service == id && outage.clients == Notice::AtOnce)
        });
        gone || self.may_restart(id)
    }

    /// Whether an attempt over `edge` may fail in this way the moment it is ready, but for refusals.
    fn may_fail_at_once(&self, edge: &Edge, failure: Failure) -> bool {
        let service = self.service(edge.to);
        let by_trigger = |trigger: &Trigger| match trigger.disturbance {
            Disturbance::ErrorShare { service: of, .. } => {
                of == edge.to && failure == service.errors.failure
            }
            Disturbance::Outage(_)
            | Disturbance::Stall { .. }
            | Disturbance::Slowdown { .. }
            | Disturbance::Surge { .. }
            | Disturbance::Latency { .. }
            | Disturbance::Loss { .. }
            | Disturbance::Flush { .. }
            | Disturbance::Capacity { .. } => false,
        };
        let by_errors = service.errors.cost == ErrorCost::Nothing
            && service.errors.share != Fraction::ZERO
            && failure == service.errors.failure;
        // Own work can be as short as a nanosecond, and a call can fail before it leaves.
        let by_calls = failure == Failure::Error
            && service.calls.list.iter().any(|call| call.need == Need::Needed);
        let held_back = edge.breaker.is_some() || edge.throttle.is_some() || edge.pool.is_some();
        let locked = failure == Failure::Error && service.may_conflict();
        failure == Failure::Unavailable && (held_back || self.may_be_unreachable(edge.to))
            || failure == Failure::Reset && edge.may_break()
            || locked
            || by_errors
            || by_calls
            || self.triggers.iter().any(by_trigger)
    }

    /// How long all calls of a service can take together, in seconds; none if for ever.
    pub(super) fn calls_last_at_most(&self, id: ServiceId) -> Option<f64> {
        let list = &self.service(id).calls.list;
        let longest = |step: &[InnerCall]| {
            let patiences = step.iter().map(|call| self.patience(&call.edge));
            patiences.reduce(|one, other| Some(one?.max(other?))).unwrap_or(Some(0.0))
        };
        list.chunk_by(|call, next| call.step == next.step).map(longest).sum()
    }

    /// How long a request over `edge` can stay open, in seconds; none if for ever.
    pub(super) fn patience(&self, edge: &Edge) -> Option<f64> {
        let attempt = edge.timeout? + edge.retry.longest_wait(&self.service(edge.to).hints());
        Some(self.tries_at_worst(edge) * attempt.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::model::{Arrivals, Client, Service};
    use crate::unit::Rate;

    #[test]
    fn attempts_multiply_along_paths() {
        let service =
            |name| Service::new(name, 1.try_into().unwrap(), Law::Fixed(Span::from_millis(1)));
        let retried = |to| {
            let mut edge = Edge::new(ServiceId(to));
            edge.timeout = Some(Span::from_secs(1));
            edge.retry.max_retries = 2;
            edge
        };
        let mut model = Model {
            services: vec![service("a"), service("b")],
            clients: vec![Client::new(
                "web",
                Arrivals::Poisson(Rate::new(10.0).unwrap()),
                retried(0),
            )],
            ..Model::empty(Span::from_secs(100), Span::from_secs(1))
        };
        let call = InnerCall { copies: 2.try_into().unwrap(), ..InnerCall::new("b", retried(1)) };
        model.services[0].calls.list = vec![call];
        let flows = Flows::of(&model);
        assert_eq!(flows.services[0].rate, 30.0);
        assert_eq!(flows.services[1].rate, 180.0);
        assert_eq!(flows.services[1].sent, 18.0 * at_worst(1_000.0));
        // A worker may be held as long as three attempts may take.
        assert_eq!(model.calls_last_at_most(ServiceId(0)), Some(3.0));
        model.services[0].calls.list[0].edge.timeout = None;
        assert_eq!(model.calls_last_at_most(ServiceId(0)), None);
    }
}
