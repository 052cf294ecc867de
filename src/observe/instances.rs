//! What each instance of a service was sent, and what its callers made of it.

use super::{Ending, Fact, Observer};
use crate::id::{EdgeId, ServiceId};
use crate::model::Model;
use crate::time::{Span, Time};

/// What the callers of one instance saw of it in a whole run. Attempts are counted when they are sent to
/// it; what a transport sends again is none of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instance {
    /// Attempts sent to it.
    pub attempts: u64,
    /// Those that were answered with what was asked for.
    pub answered: u64,
    /// Those that failed: given up, refused, gone wrong.
    pub failed: u64,
    /// Those that nobody needed any more before they had ended.
    pub unneeded: u64,
    /// Those that are out now, and at the horizon in the end.
    pub outstanding: u64,
    /// The most that were out at once.
    pub most_outstanding: u64,
    /// How often a caller ejected it.
    pub ejections: u64,
    /// How long it was ejected, summed over the callers that keep books of their own: two that eject it
    /// for a minute each are two minutes.
    pub ejected: Span,
}

/// Every instance of every service that has several. Its size depends on their number alone; where no
/// service has several, nothing is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instances {
    watched: Vec<Watched>,
    /// By edge, the position of the first instance of what is called.
    firsts: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Watched {
    seen: Instance,
    /// How many callers have ejected it.
    ejected_by: u64,
    /// Up to when the time that it was ejected has been counted.
    since: Time,
}

impl Watched {
    fn catch_up(&mut self, now: Time) {
        let passed = now.since(self.since).saturating_mul(self.ejected_by);
        self.seen.ejected += passed;
        self.since = now;
    }

    fn settle(&mut self, end: Ending) {
        self.seen.outstanding -= 1;
        let count = match end {
            Ending::Answered => &mut self.seen.answered,
            Ending::Failed => &mut self.seen.failed,
            Ending::Unneeded => &mut self.seen.unneeded,
        };
        *count += 1;
    }
}

impl Instances {
    /// The instances of `model` that [`Model::instances`] lists, in its order.
    pub fn of(model: &Model) -> Self {
        let listed: Vec<(ServiceId, u16)> = model.instances().collect();
        if listed.is_empty() {
            return Self::default();
        }
        let first = |to: ServiceId| listed.iter().position(|(service, _)| *service == to);
        Self {
            watched: vec![Watched::default(); listed.len()],
            // An edge to a single instance has no facts about instances.
            firsts: model.edges().map(|(_, _, edge)| first(edge.to).unwrap_or(0)).collect(),
        }
    }

    /// What was seen of each, in the order of [`Model::instances`].
    pub fn seen(&self) -> impl ExactSizeIterator<Item = Instance> {
        self.watched.iter().map(|watched| watched.seen)
    }

    fn at(&mut self, edge: EdgeId, instance: u16) -> &mut Watched {
        &mut self.watched[self.firsts[edge.index()] + usize::from(instance)]
    }
}

impl Observer for Instances {
    #[inline(always)]
    fn observe(&mut self, now: Time, fact: Fact) {
        match fact {
            Fact::Routed { edge, instance, .. } => {
                let seen = &mut self.at(edge, instance).seen;
                seen.attempts += 1;
                seen.outstanding += 1;
                seen.most_outstanding = seen.most_outstanding.max(seen.outstanding);
            }
            Fact::Settled { edge, instance, end, .. } => self.at(edge, instance).settle(end),
            Fact::Ejected { edge, instance } => {
                let watched = self.at(edge, instance);
                watched.catch_up(now);
                watched.ejected_by += 1;
                watched.seen.ejections += 1;
            }
            Fact::Reinstated { edge, instance } => {
                let watched = self.at(edge, instance);
                watched.catch_up(now);
                watched.ejected_by -= 1;
            }
            Fact::Arrived { .. }
            | Fact::Called { .. }
            | Fact::Returned { .. }
            | Fact::Hit { .. }
            | Fact::Coalesced { .. }
            | Fact::Sent { .. }
            | Fact::Repeated { .. }
            | Fact::BudgetDenied { .. }
            | Fact::TimedOut { .. }
            | Fact::Succeeded { .. }
            | Fact::Failed { .. }
            | Fact::Refused { .. }
            | Fact::Queued { .. }
            | Fact::Shed { .. }
            | Fact::RefusalBegun { .. }
            | Fact::RefusalSaid { .. }
            | Fact::RefusalLost { .. }
            | Fact::Started { .. }
            | Fact::Completed { .. }
            | Fact::Executed { .. }
            | Fact::Replayed { .. }
            | Fact::Conflicted { .. }
            | Fact::KeyExpired { .. }
            | Fact::Blocked { .. }
            | Fact::LostOnTheWay { .. }
            | Fact::CameToNothing { .. }
            | Fact::Lost { .. }
            | Fact::Withdrawn { .. }
            | Fact::HeldBack { .. }
            | Fact::BreakerOpened { .. }
            | Fact::LeverPulled { .. }
            | Fact::LeverReleased { .. }
            | Fact::TriggerBegan { .. }
            | Fact::TriggerEnded { .. } => {}
        }
    }

    fn finish(&mut self, horizon: Time) {
        self.watched.iter_mut().for_each(|watched| watched.catch_up(horizon));
    }
}
