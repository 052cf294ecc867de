//! Every fact of a run, a line each: for eyes, and for programs.

use std::io::{self, Write};
use std::ops::Range;

use super::json;
use super::value::{Record, Value, record};
use crate::id::{ClientId, EdgeId, LeverId, ServiceId, TriggerId};
use crate::model::Model;
use crate::observe::{CallId, Dropped, Ending, Fact, Guard, Numbers, Observer, Place, Sending};
use crate::time::{Span, Time};

/// How a line of a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// The instant in seconds, what happens, and to whom.
    Text,
    /// A JSON object: `at_s`, `fact`, and whatever the fact tells, by name.
    Json,
}

/// Writes down what happens as it happens, so that nothing grows with the length of a run but what is
/// written. Requests are numbered from 0 as they arrive, those that services make among them.
#[derive(Debug)]
pub struct Scribe<'m, W> {
    model: &'m Model,
    edges: Vec<String>,
    lines: Lines,
    within: Range<Time>,
    numbers: Numbers,
    out: W,
    /// Once something could not be written, nothing more is.
    failed: Option<io::Error>,
}

impl<'m, W: Write> Scribe<'m, W> {
    /// Writes the facts of a run of `model` that happen `within` these instants to `out`.
    pub fn new(model: &'m Model, lines: Lines, within: Range<Time>, out: W) -> Self {
        let edges = model.edge_names();
        let numbers = Numbers::default();
        Self { model, edges, lines, within, numbers, out, failed: None }
    }

    /// Ends it.
    ///
    /// # Errors
    /// Something could not be written.
    pub fn close(mut self) -> io::Result<()> {
        self.failed.map_or_else(|| self.out.flush(), Err)
    }

    fn line(&self, now: Time, fact: Fact) -> String {
        let (what, fields) = self.told(fact);
        let at = now.as_secs_f64();
        match self.lines {
            Lines::Text => {
                let fields: Vec<String> = fields
                    .iter()
                    .filter(|(_, value)| *value != Value::Nothing)
                    .map(|(name, value)| format!("{name} {}", value.words()))
                    .collect();
                format!("{at:>12.6} {:<18} {}\n", what.replace('_', " "), fields.join(", "))
            }
            Lines::Json => {
                let mut line = record([("at_s", at.into()), ("fact", what.into())]);
                line.extend(fields);
                json::object(&line)
            }
        }
    }

    /// What kind of fact it is, and what it tells.
    fn told(&self, fact: Fact) -> (&'static str, Record) {
        match fact {
            Fact::Arrived { client, call } => {
                ("arrived", record([self.client(client), request(call)]))
            }
            Fact::Called { edge, call } => ("called", record([self.edge(edge), request(call)])),
            Fact::Returned { edge, call, answered } => (
                "returned",
                record([self.edge(edge), request(call), ("answered", answered.into())]),
            ),
            Fact::Hit { edge, call } => ("cache_hit", record([self.edge(edge), request(call)])),
            Fact::Coalesced { edge, call } => {
                ("coalesced", record([self.edge(edge), request(call)]))
            }
            Fact::Sent { edge, call, attempt, kind } => {
                let why = match kind {
                    Sending::First => "first",
                    Sending::Retry => "retry",
                    Sending::Hedge => "hedge",
                };
                ("sent", self.over(edge, call, attempt, [("kind", why.into())]))
            }
            Fact::Repeated { edge, call, attempt } => {
                ("repeated", self.over(edge, call, attempt, []))
            }
            Fact::BudgetDenied { edge, call } => {
                ("budget_denied", record([self.edge(edge), request(call)]))
            }
            Fact::TimedOut { edge, call, attempt } => {
                ("timed_out", self.over(edge, call, attempt, []))
            }
            Fact::Succeeded { client, call, latency } => {
                let latency = seconds("latency_s", latency);
                ("succeeded", record([self.client(client), request(call), latency]))
            }
            Fact::Failed { client, call } => {
                ("failed", record([self.client(client), request(call)]))
            }
            Fact::Refused { service, edge, call, attempt, failure } => {
                let more = [self.edge(edge), ("failure", failure.name().into())];
                ("refused", self.at(service, call, attempt, more))
            }
            Fact::Queued { service, call, attempt } => {
                ("queued", self.at(service, call, attempt, []))
            }
            Fact::Shed { service, call, attempt, dropped } => {
                let when = match dropped {
                    Dropped::OnArrival => "on_arrival",
                    Dropped::AtPickUp => "at_pick_up",
                    Dropped::ByTimer => "by_timer",
                };
                ("shed", self.at(service, call, attempt, [("when", when.into())]))
            }
            Fact::RefusalBegun { service, call, attempt } => {
                ("refusal_begun", self.at(service, call, attempt, []))
            }
            Fact::RefusalSaid { service, call, attempt, work } => {
                ("refusal_said", self.at(service, call, attempt, [seconds("work_s", work)]))
            }
            Fact::RefusalLost { service, call, attempt, place } => {
                ("refusal_lost", self.at(service, call, attempt, [from(place)]))
            }
            Fact::Started { service, call, attempt, waited, from_queue: _ } => {
                ("started", self.at(service, call, attempt, [seconds("waited_s", waited)]))
            }
            Fact::Completed { service, call, attempt, work, useful } => {
                let fields = [seconds("work_s", work), ("useful", useful.into())];
                ("completed", self.at(service, call, attempt, fields))
            }
            Fact::Executed { service, call, attempt, before } => {
                let before = ("times_before", u64::from(before).into());
                ("executed", self.at(service, call, attempt, [before]))
            }
            Fact::Replayed { service, call, attempt } => {
                ("replayed", self.at(service, call, attempt, []))
            }
            Fact::Conflicted { service, call, attempt } => {
                ("conflicted", self.at(service, call, attempt, []))
            }
            Fact::KeyExpired { service } => ("key_expired", record([self.service(service)])),
            Fact::Blocked { client, call } => {
                ("blocked", record([self.client(client), request(call)]))
            }
            Fact::LostOnTheWay { edge, call, attempt } => {
                ("lost_on_the_way", self.over(edge, call, attempt, []))
            }
            Fact::CameToNothing { edge, call, attempt, work } => {
                ("came_to_nothing", self.over(edge, call, attempt, [seconds("work_s", work)]))
            }
            Fact::Lost { service, call, attempt, place } => {
                ("lost", self.at(service, call, attempt, [from(place)]))
            }
            Fact::Withdrawn { service, call, attempt, place } => {
                ("withdrawn", self.at(service, call, attempt, [from(place)]))
            }
            Fact::HeldBack { edge, call, attempt, guard } => {
                let by = match guard {
                    Guard::Throttle => "throttle",
                    Guard::Breaker => "breaker",
                    Guard::Pool => "pool",
                    Guard::Balancer => "balancer",
                    Guard::Cache => "cache",
                };
                ("held_back", self.over(edge, call, attempt, [("by", by.into())]))
            }
            Fact::Routed { edge, call, attempt, instance } => {
                ("routed", self.over(edge, call, attempt, [number(instance)]))
            }
            Fact::Settled { edge, call, attempt, instance, end } => {
                let end = match end {
                    Ending::Answered => "answered",
                    Ending::Failed => "failed",
                    Ending::Unneeded => "unneeded",
                };
                let fields = [number(instance), ("end", end.into())];
                ("settled", self.over(edge, call, attempt, fields))
            }
            Fact::Ejected { edge, instance } => {
                ("ejected", record([self.edge(edge), number(instance)]))
            }
            Fact::Reinstated { edge, instance } => {
                ("reinstated", record([self.edge(edge), number(instance)]))
            }
            Fact::BreakerOpened { edge } => ("breaker_opened", record([self.edge(edge)])),
            Fact::LeverPulled { lever } => ("lever_pulled", record([self.lever(lever)])),
            Fact::LeverReleased { lever } => ("lever_released", record([self.lever(lever)])),
            Fact::TriggerBegan { trigger } => ("trigger_began", record([self.trigger(trigger)])),
            Fact::TriggerEnded { trigger } => ("trigger_ended", record([self.trigger(trigger)])),
        }
    }

    fn client(&self, id: ClientId) -> (&'static str, Value) {
        ("client", self.model.clients[id.index()].name.as_str().into())
    }

    fn service(&self, id: ServiceId) -> (&'static str, Value) {
        ("service", self.model.service(id).name.as_str().into())
    }

    fn edge(&self, id: EdgeId) -> (&'static str, Value) {
        ("edge", self.edges[id.index()].as_str().into())
    }

    fn lever(&self, id: LeverId) -> (&'static str, Value) {
        ("lever", self.model.levers[id.index()].name.as_str().into())
    }

    fn trigger(&self, id: TriggerId) -> (&'static str, Value) {
        ("trigger", self.model.triggers[id.index()].name.as_str().into())
    }

    /// What is said of an attempt on its caller's side.
    fn over<const N: usize>(
        &self,
        edge: EdgeId,
        call: CallId,
        attempt: u32,
        more: [(&str, Value); N],
    ) -> Record {
        let mut fields =
            record([self.edge(edge), request(call), ("attempt", u64::from(attempt).into())]);
        fields.extend(record(more));
        fields
    }

    /// What is said of an attempt at its service.
    fn at<const N: usize>(
        &self,
        service: ServiceId,
        call: CallId,
        attempt: u32,
        more: [(&str, Value); N],
    ) -> Record {
        let mut fields =
            record([self.service(service), request(call), ("attempt", u64::from(attempt).into())]);
        fields.extend(record(more));
        fields
    }
}

fn request(CallId(number): CallId) -> (&'static str, Value) {
    ("request", u64::from(number).into())
}

fn seconds(name: &'static str, length: Span) -> (&'static str, Value) {
    (name, length.as_secs_f64().into())
}

fn from(place: Place) -> (&'static str, Value) {
    let place = match place {
        Place::Queue => "queue",
        Place::Worker => "worker",
    };
    ("from", place.into())
}

/// As in a scenario file: from 1.
fn number(instance: u16) -> (&'static str, Value) {
    ("instance", (u64::from(instance) + 1).into())
}

impl<W: Write> Observer for Scribe<'_, W> {
    fn observe(&mut self, now: Time, mut fact: Fact) {
        self.numbers.number(&mut fact);
        if self.failed.is_none() && self.within.contains(&now) {
            let line = self.line(now, fact);
            self.failed = self.out.write_all(line.as_bytes()).err();
        }
    }

    fn finish(&mut self, _: Time) {}
}
