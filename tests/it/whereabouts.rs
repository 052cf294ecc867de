//! Where every attempt of a run is, as far as the facts tell.

use std::collections::{HashMap, HashSet};

use metastable::id::{EdgeId, ServiceId};
use metastable::model::{Caller, Model};
use metastable::observe::{CallId, Fact, Instance, Place, Recording};

/// Where an attempt is, as far as the facts tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whereabouts {
    OnTheWay,
    Queue,
    Worker,
    Gone,
}

/// Every attempt is in one place at a time and ends once; every request ends at most once.
#[derive(Default)]
pub(crate) struct Watch {
    /// Refusals that workers are saying.
    begun: HashSet<(CallId, u32)>,
    /// How often the operation of each request was executed.
    executions: HashMap<CallId, u32>,
    pub(crate) attempts: HashMap<(CallId, u32), Whereabouts>,
    /// Whether each request has ended, and how many attempts it has sent.
    pub(crate) requests: HashMap<CallId, (bool, u32)>,
    pub(crate) made_by_services: HashSet<CallId>,
    /// The attempt that has been given an instance and must leave for it at once.
    routed: Option<(CallId, u32)>,
    /// How many attempts of a request are out to an instance, as their sender sees it. Not by their numbers:
    /// what a transport sends again gets a new one.
    instances: HashMap<(CallId, u16), u32>,
    /// How many of those who call over an edge have ejected an instance.
    ejected_by: HashMap<(EdgeId, u16), u32>,
}

impl Watch {
    fn go(&mut self, call: CallId, attempt: u32, from: &[Whereabouts], to: Whereabouts) {
        let place = self.attempts.get_mut(&(call, attempt)).expect("it has been sent");
        assert!(from.contains(place), "{call:?} {attempt}: from {place:?} to {to:?}");
        *place = to;
    }

    pub(crate) fn see(&mut self, fact: Fact) {
        use Whereabouts::{Gone, OnTheWay, Queue, Worker};
        if let Some(leaving) = self.routed.take() {
            let Fact::Sent { call, attempt, .. } = fact else {
                panic!("{leaving:?} has an instance and stays: {fact:?}")
            };
            assert_eq!((call, attempt), leaving);
        }
        match fact {
            Fact::Routed { call, attempt, instance, .. } => {
                *self.instances.entry((call, instance)).or_default() += 1;
                self.routed = Some((call, attempt));
            }
            Fact::Settled { call, instance, .. } => {
                let out = self.instances.get_mut(&(call, instance)).expect("it was sent there");
                *out = out.checked_sub(1).expect("it ends once");
            }
            Fact::Ejected { edge, instance } => {
                *self.ejected_by.entry((edge, instance)).or_default() += 1;
            }
            Fact::Reinstated { edge, instance } => {
                let by = self.ejected_by.get_mut(&(edge, instance)).expect("it was ejected");
                *by = by.checked_sub(1).expect("it was ejected as often");
            }
            Fact::Arrived { call, .. } => {
                assert_eq!(self.requests.insert(call, (false, 0)), None);
            }
            Fact::Called { call, .. } => {
                assert_eq!(self.requests.insert(call, (false, 0)), None);
                self.made_by_services.insert(call);
            }
            Fact::Returned { call, .. } => {
                let (ended, _) = self.requests.get_mut(&call).expect("it has been made");
                assert!(!*ended, "{call:?} ends twice");
                *ended = true;
            }
            Fact::Sent { call, attempt, .. } => {
                let (ended, sent) = self.requests.get_mut(&call).expect("it has arrived");
                // Numbers are given in the order in which attempts are ready, and one that has waited
                // for a fetch or a turn may leave after a later one.
                assert!(!*ended, "{call:?}");
                *sent = attempt + 1;
                assert_eq!(self.attempts.insert((call, attempt), OnTheWay), None);
            }
            Fact::Repeated { call, attempt, .. } => {
                assert!(!self.requests[&call].0, "{call:?}");
                assert_eq!(self.attempts.insert((call, attempt), OnTheWay), None);
            }
            Fact::Executed { call, attempt, before, .. } => {
                assert_eq!(self.attempts[&(call, attempt)], Worker);
                let executions = self.executions.entry(call).or_default();
                assert_eq!(*executions, before);
                *executions += 1;
            }
            Fact::Replayed { call, attempt, .. } => {
                assert_eq!(self.attempts[&(call, attempt)], Worker);
                assert!(self.executions.contains_key(&call), "nothing to replay");
            }
            Fact::Conflicted { call, attempt, .. } => {
                assert_eq!(self.attempts[&(call, attempt)], Worker);
            }
            Fact::Succeeded { call, .. } | Fact::Failed { call, .. } => {
                let (ended, _) = self.requests.get_mut(&call).expect("it has arrived");
                assert!(!*ended, "{call:?} ends twice");
                *ended = true;
            }
            Fact::Refused { call, attempt, .. } => self.go(call, attempt, &[OnTheWay], Gone),
            Fact::Queued { call, attempt, .. } => self.go(call, attempt, &[OnTheWay], Queue),
            Fact::Started { call, attempt, from_queue, .. } => {
                let from = if from_queue { Queue } else { OnTheWay };
                self.go(call, attempt, &[from], Worker);
            }
            Fact::Shed { call, attempt, dropped, .. } => {
                let from = if dropped.is_from_queue() { Queue } else { OnTheWay };
                self.go(call, attempt, &[from], Gone);
            }
            // Each is said once or lost, by the worker that has begun it or before.
            Fact::RefusalBegun { call, attempt, .. } => {
                assert!(self.begun.insert((call, attempt)), "begun twice");
            }
            Fact::RefusalSaid { call, attempt, .. }
            | Fact::RefusalLost { call, attempt, place: Place::Worker, .. } => {
                assert!(self.begun.remove(&(call, attempt)), "said and not begun");
            }
            Fact::RefusalLost { call, attempt, place: Place::Queue, .. } => {
                assert!(!self.begun.contains(&(call, attempt)));
            }
            Fact::Withdrawn { call, attempt, place, .. } => {
                let from = match place {
                    Place::Queue => Queue,
                    Place::Worker => Worker,
                };
                self.go(call, attempt, &[from], Gone);
            }
            Fact::Completed { call, attempt, .. } => self.go(call, attempt, &[Worker], Gone),
            Fact::Lost { call, attempt, place, .. } => {
                let from = match place {
                    Place::Queue => Queue,
                    Place::Worker => Worker,
                };
                self.go(call, attempt, &[from], Gone);
            }
            // An attempt is lost on its way there, or its answer on the way back.
            Fact::LostOnTheWay { call, attempt, .. } => {
                self.go(call, attempt, &[OnTheWay, Gone], Gone);
            }
            Fact::BudgetDenied { .. }
            | Fact::Hit { .. }
            | Fact::Coalesced { .. }
            | Fact::HeldBack { .. }
            | Fact::BreakerOpened { .. }
            | Fact::KeyExpired { .. }
            | Fact::TimedOut { .. }
            | Fact::Blocked { .. }
            | Fact::CameToNothing { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. }
            | Fact::TriggerBegan { .. }
            | Fact::TriggerEnded { .. } => {}
        }
    }

    /// What observers say of instances agrees with what they say of edges, and with these books.
    pub(crate) fn agrees_about_instances(&self, model: &Model, recording: &Recording) {
        let edges = recording.edges();
        let seen: Vec<Instance> = recording.instances.seen().collect();
        for (id, service) in (0..).map(ServiceId).zip(&model.services) {
            let of_service = model.instances().zip(&seen).filter(|((other, _), _)| *other == id);
            let of_service: Vec<&Instance> = of_service.map(|(_, seen)| seen).collect();
            let callers = model.edges().filter(|(_, _, edge)| edge.to == id);
            let links = callers.map(|(edge, _, _)| edges[edge.index()].link);
            let (sent, ejections) =
                links.fold((0, 0), |sum, link| (sum.0 + link.attempts, sum.1 + link.ejections));
            let several = service.instances.get() > 1;
            let counted: u64 = of_service.iter().map(|seen| seen.attempts).sum();
            assert_eq!(counted, if several { sent } else { 0 });
            assert_eq!(ejections, of_service.iter().map(|seen| seen.ejections).sum::<u64>());
            assert!(several && service.ejection.is_some() || ejections == 0);
        }
        for seen in &seen {
            let ended = seen.answered + seen.failed + seen.unneeded;
            assert_eq!(seen.attempts, ended + seen.outstanding, "{seen:?}");
            assert!(seen.most_outstanding >= seen.outstanding);
            assert_eq!(seen.ejections == 0, seen.ejected.is_zero(), "{seen:?}");
        }
        let outstanding: u64 = seen.iter().map(|seen| seen.outstanding).sum();
        assert_eq!(outstanding, self.instances.values().map(|out| u64::from(*out)).sum::<u64>());
        assert_eq!(recording.tally.ejections, seen.iter().map(|seen| seen.ejections).sum::<u64>());
        // Each instance of a caller may have books of its own, from the start or since a lever was pulled.
        let callers = |&(edge, _): &(EdgeId, u16)| {
            let (_, caller, _) = model.edges().find(|(id, ..)| *id == edge).expect("an edge");
            match caller {
                Caller::Client(id) => model.clients[id.index()].instance_count(),
                Caller::Service(id, _) => model.service(id).instances.get(),
            }
        };
        for (of, by) in &self.ejected_by {
            assert!(*by <= u32::from(callers(of)), "{of:?} by {by}");
        }
    }

    /// The most often that the operation of any request was executed.
    pub(crate) fn most_executions(&self) -> u32 {
        self.executions.values().copied().max().unwrap_or(0)
    }
}
