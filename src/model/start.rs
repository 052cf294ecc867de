//! What there is when a run begins.

use super::{Arrivals, Client, Model};
use crate::id::ServiceId;
use crate::policy::retry::Retry;
use crate::time::Span;

/// What there is when a run begins, beside idle workers: as if something had just happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// So much work for the busiest service: as many requests of each client as fresh demand brings while it
    /// works for that long, all sent at the start, at one instant. Zero for none.
    pub backlog: Span,
    /// So many requests, of all clients who try again, whose first attempt is lost and given up at the start;
    /// each is tried again, at even distances over the timeout of its client (over a window, where it has
    /// none).
    pub retries: u32,
}

impl Start {
    /// Nothing but idle workers.
    pub const EMPTY: Self = Self { backlog: Span::ZERO, retries: 0 };

    /// Whether there is nothing.
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }
}

/// What one client has sent when a run begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Requests that have just been sent.
    pub fresh: u32,
    /// Requests that come again.
    pub again: u32,
}

impl Model {
    /// The load of the busiest service: fresh demand over capacity, of those clients whose demand has a rate
    /// that is not their answers'; zero where there is none.
    pub fn highest_load(&self) -> f64 {
        let demand = self.demand_of(has_a_rate);
        let loads = self.services.iter().zip(demand);
        loads.map(|(service, demand)| demand / service.capacity().per_second()).fold(0.0, f64::max)
    }

    /// The service of the highest load, as for [`Self::highest_load`]; none if none has any.
    pub fn busiest(&self) -> Option<ServiceId> {
        let demand = self.demand_of(has_a_rate);
        let loads = self.services.iter().zip(demand);
        let loads = loads.map(|(service, demand)| demand / service.capacity().per_second());
        let loaded = loads.enumerate().filter(|(_, load)| *load > 0.0);
        let (nth, _) = loaded.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        Some(ServiceId(nth as u16))
    }

    /// What each client has sent when the run begins, by its position.
    pub fn sent_at_start(&self) -> Vec<Sent> {
        let rate = |client: &Client| {
            if has_a_rate(client) { client.arrivals.mean_rate(self.horizon) } else { 0.0 }
        };
        let retries = |client: &Client| if tries_again(client) { rate(client) } else { 0.0 };
        let load = self.highest_load();
        let seconds = self.start.backlog.as_secs_f64();
        let all: f64 = self.clients.iter().map(retries).sum();
        // Rounded as sums, so that what the clients have sent together is right.
        let (mut so_far, mut again_so_far) = (0.0, 0.0);
        let step = |sum: &mut f64, more: f64| {
            let before = sum.round();
            *sum += more;
            (sum.round() - before) as u32
        };
        let sent = self.clients.iter().map(|client| {
            let fresh = if load > 0.0 { rate(client) * seconds / load } else { 0.0 };
            let share = if all > 0.0 { retries(client) / all } else { 0.0 };
            Sent {
                fresh: step(&mut so_far, fresh),
                again: step(&mut again_so_far, share * f64::from(self.start.retries)),
            }
        });
        sent.collect()
    }
}

/// Whether demand has a rate of its own.
pub(super) const fn has_a_rate(client: &Client) -> bool {
    match client.arrivals {
        Arrivals::Poisson(_)
        | Arrivals::Even(_)
        | Arrivals::Bursts(_)
        | Arrivals::Profile(_)
        | Arrivals::Replay(_) => true,
        Arrivals::Volley { .. } | Arrivals::Users(_) => false,
    }
}

/// Whether what a client's first attempt has failed of may be tried again, if it is a timeout.
fn tries_again(client: &Client) -> bool {
    let Retry { max_retries, on, .. } = client.edge.retry;
    max_retries > 0 && on.contains(crate::policy::outcome::Failure::TimedOut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::model::{Edge, Service};
    use crate::unit::Rate;

    fn model(start: Start) -> Model {
        let work = Law::Fixed(Span::from_millis(10));
        let client = |name, rate, max_retries| {
            let retry = Retry { max_retries, ..Retry::NEVER };
            let edge = Edge { retry, ..Edge::new(ServiceId(0)) };
            Client::new(name, Arrivals::Poisson(Rate::new(rate).unwrap()), edge)
        };
        Model {
            services: vec![Service::new("api", 10.try_into().unwrap(), work)],
            clients: vec![client("a", 400.0, 3), client("b", 100.0, 0), client("c", 300.0, 1)],
            start,
            ..Model::empty(Span::from_secs(60), Span::from_secs(1))
        }
    }

    #[test]
    fn a_backlog_is_shared_by_demand_and_keeps_the_service_busy_for_so_long() {
        let of = |backlog, retries| model(Start { backlog, retries }).sent_at_start();
        let sent = of(Span::from_secs(2), 7);
        assert_eq!(sent.iter().map(|sent| sent.fresh).collect::<Vec<_>>(), [1_000, 250, 750]);
        // Whoever does not try again has nothing under way that was tried before.
        assert_eq!(sent.iter().map(|sent| sent.again).collect::<Vec<_>>(), [4, 0, 3]);
        assert_eq!(of(Span::ZERO, 0), [Sent::default(); 3]);
    }
}
