//! Where a run is, in two numbers: how much work waits, and how many requests are tried again.

use super::{CallId, Fact, Observer, Place, Sending};
use crate::model::{Model, Service};
use crate::time::{Span, Time};

/// A place in the plane of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// How long the service that is worst off would work on what waits for it, seconds.
    pub backlog_s: f64,
    /// Open requests of clients of which an attempt has failed: their next one is out, or they wait for it.
    pub retrying: u64,
}

/// Where a run is now.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Attempts per second that each service can serve, and how many wait for it.
    lines: Vec<(f64, u64)>,
    /// Whether the request with this number has failed once.
    marks: Vec<bool>,
    retrying: u64,
}

impl Standing {
    /// A run of `model` before anything has happened.
    pub fn of(model: &Model) -> Self {
        let line = |service: &Service| (service.capacity().per_second(), 0);
        let lines = model.services.iter().map(line).collect();
        Self { lines, marks: Vec::new(), retrying: 0 }
    }

    /// Where it is.
    pub fn point(&self) -> Point {
        let seconds = |&(capacity, waiting): &(f64, u64)| waiting as f64 / capacity;
        let backlog_s = self.lines.iter().map(seconds).fold(0.0, f64::max);
        Point { backlog_s, retrying: self.retrying }
    }

    /// `fact` happens.
    pub fn follow(&mut self, fact: Fact) {
        match fact {
            Fact::Queued { service, .. } => self.lines[service.index()].1 += 1,
            Fact::Started { service, from_queue, .. } => {
                self.lines[service.index()].1 -= u64::from(from_queue);
            }
            Fact::Shed { service, dropped, .. } => {
                self.lines[service.index()].1 -= u64::from(dropped.is_from_queue());
            }
            Fact::Lost { service, place, .. } | Fact::Withdrawn { service, place, .. } => {
                self.lines[service.index()].1 -= u64::from(place == Place::Queue);
            }
            Fact::TimedOut { edge, call, .. }
            | Fact::Refused { edge, call, .. }
            | Fact::Sent { edge, call, kind: Sending::Retry, .. }
                if !edge.is_between_services() =>
            {
                self.mark(call, true);
            }
            Fact::Arrived { call, .. }
            | Fact::Succeeded { call, .. }
            | Fact::Failed { call, .. } => {
                self.mark(call, false);
            }
            Fact::TimedOut { .. }
            | Fact::Refused { .. }
            | Fact::Sent { .. }
            | Fact::Called { .. }
            | Fact::Returned { .. }
            | Fact::Hit { .. }
            | Fact::Coalesced { .. }
            | Fact::Repeated { .. }
            | Fact::BudgetDenied { .. }
            | Fact::RefusalBegun { .. }
            | Fact::RefusalSaid { .. }
            | Fact::RefusalLost { .. }
            | Fact::Completed { .. }
            | Fact::Executed { .. }
            | Fact::Replayed { .. }
            | Fact::Conflicted { .. }
            | Fact::KeyExpired { .. }
            | Fact::Blocked { .. }
            | Fact::LostOnTheWay { .. }
            | Fact::CameToNothing { .. }
            | Fact::HeldBack { .. }
            | Fact::BreakerOpened { .. }
            | Fact::Routed { .. }
            | Fact::Settled { .. }
            | Fact::Ejected { .. }
            | Fact::Reinstated { .. }
            | Fact::TriggerBegan { .. }
            | Fact::TriggerEnded { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. } => {}
        }
    }

    fn mark(&mut self, call: CallId, tries_again: bool) {
        let place = call.0 as usize;
        if place >= self.marks.len() {
            if !tries_again {
                return;
            }
            self.marks.resize(place + 1, false);
        }
        let mark = &mut self.marks[place];
        self.retrying = self.retrying + u64::from(tries_again) - u64::from(*mark);
        *mark = tries_again;
    }
}

/// Where a run is at even instants, the first of them when the very start is over.
#[derive(Clone, Debug)]
pub struct Phase {
    standing: Standing,
    every: Span,
    next: Time,
    points: Vec<Point>,
}

impl Phase {
    /// A run of `model`, looked at once in `every`, which is above zero.
    pub fn of(model: &Model, every: Span) -> Self {
        let next = Time::ZERO + Span::NANOSECOND;
        Self { standing: Standing::of(model), every, next, points: Vec::new() }
    }

    /// Where it was at each of the instants.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    fn look(&mut self, now: Time) {
        while self.next <= now {
            self.points.push(self.standing.point());
            self.next += self.every;
        }
    }
}

impl Observer for Phase {
    fn observe(&mut self, now: Time, fact: Fact) {
        self.look(now);
        self.standing.follow(fact);
    }

    fn finish(&mut self, horizon: Time) {
        self.look(horizon);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{ClientId, EdgeId, ServiceId};
    use crate::law::Law;

    #[test]
    fn waiting_and_trying_again_by_hand() {
        let work = Law::Fixed(Span::from_millis(100));
        let model = Model {
            services: vec![Service::new("api", 2.try_into().unwrap(), work)],
            ..Model::empty(Span::from_secs(9), Span::from_secs(1))
        };
        let (service, client, edge) = (ServiceId(0), ClientId(0), EdgeId::from(ClientId(0)));
        let [first, second] = [CallId(0), CallId(1)];
        let mut phase = Phase::of(&model, Span::from_secs(1));
        let at = |secs| Time::ZERO + Span::from_secs(secs);
        for (secs, fact) in [
            (0, Fact::Arrived { client, call: first }),
            (0, Fact::Queued { service, call: first, attempt: 0 }),
            (2, Fact::Queued { service, call: second, attempt: 0 }),
            (2, Fact::TimedOut { edge, call: second, attempt: 0 }),
            (2, Fact::TimedOut { edge, call: second, attempt: 1 }),
            (3, Fact::Succeeded { client, call: second, latency: Span::ZERO }),
        ] {
            phase.observe(at(secs), fact);
        }
        phase.finish(at(4));
        // 20 a second can be served, so that each is worth 50 ms.
        let expected = [(0.05, 0), (0.05, 0), (0.1, 1), (0.1, 0)];
        let found: Vec<_> =
            phase.points().iter().map(|point| (point.backlog_s, point.retrying)).collect();
        assert_eq!(found, expected);
    }
}
