//! Where every attempt of a run is, as far as the facts tell.

use std::collections::{HashMap, HashSet};

use metastable::observe::{CallId, Fact, Place};

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
}

impl Watch {
    fn go(&mut self, call: CallId, attempt: u32, from: &[Whereabouts], to: Whereabouts) {
        let place = self.attempts.get_mut(&(call, attempt)).expect("it has been sent");
        assert!(from.contains(place), "{call:?} {attempt}: from {place:?} to {to:?}");
        *place = to;
    }

    pub(crate) fn see(&mut self, fact: Fact) {
        use Whereabouts::{Gone, OnTheWay, Queue, Worker};
        match fact {
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

    /// The most often that the operation of any request was executed.
    pub(crate) fn most_executions(&self) -> u32 {
        self.executions.values().copied().max().unwrap_or(0)
    }
}
