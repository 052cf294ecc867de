//! Which instance of a service an attempt goes to, where there are several.

use super::Run;
use super::agenda::Agenda;
use super::books::memory_index;
use super::client::edge_at;
use super::flights::Flight;
use super::state::Station;
use crate::id::EdgeId;
use crate::model::Service;
use crate::observe::{CallId, Ending, Fact, Observer};
use crate::policy::balancer::{Fleet, Pick, Picker, Standing};
use crate::policy::ejection::{Change, Ejection, Verdict, Watch};
use crate::policy::outcome::Outcome;
use crate::random::{Bits, Stream};
use crate::time::Time;

/// What a caller knows of the instances that it calls.
#[derive(Clone, Debug)]
pub(super) struct Front {
    picker: Picker,
    fleet: Fleet,
    outliers: Option<Outliers>,
}

/// What it knows of those that fail.
#[derive(Clone, Debug)]
struct Outliers {
    watch: Watch,
    policy: Ejection,
    next_sweep: Time,
}

impl Front {
    /// In front of a service with several instances, of which nothing is known yet; none in front of
    /// one.
    pub(super) fn open(service: &Service, bits: &mut impl Bits) -> Option<Self> {
        let instances = u32::from(service.instances.get());
        (instances > 1).then(|| Self {
            picker: service.balancer.open(instances, bits),
            fleet: Fleet::new(instances),
            outliers: service.ejection.map(|policy| Outliers {
                watch: policy.open(instances),
                policy,
                next_sweep: policy.next_sweep(Time::ZERO),
            }),
        })
    }

    /// The instances that are not asked at the moment.
    pub(super) fn ejected(&self) -> impl Iterator<Item = u16> {
        let instances = 0..self.fleet.instances();
        let ejected = instances.filter(|&nth| self.fleet.standing(nth) == Standing::Unhealthy);
        ejected.map(|nth| nth as u16)
    }

    fn pick(
        &mut self,
        now: Time,
        key: u64,
        bits: &mut impl Bits,
        tell: impl FnMut(u32, Change),
    ) -> Option<u16> {
        self.catch_up(now, bits, tell);
        match self.picker.pick(&self.fleet, key, bits) {
            Pick::Instance(instance) => {
                self.fleet.sent(instance);
                Some(instance as u16)
            }
            Pick::Nobody => None,
        }
    }

    /// Does what was due since the last question: nobody sees a sweep but who is sent somewhere.
    fn catch_up(&mut self, now: Time, bits: &mut impl Bits, mut tell: impl FnMut(u32, Change)) {
        let Some(outliers) = &mut self.outliers else { return };
        while outliers.next_sweep <= now {
            let fleet = &mut self.fleet;
            outliers.watch.sweep(outliers.next_sweep, bits, |instance, change| {
                fleet.set(
                    instance,
                    match change {
                        Change::Ejected => Standing::Unhealthy,
                        Change::Returned => Standing::Healthy,
                    },
                );
                tell(instance, change);
            });
            outliers.next_sweep = outliers.policy.next_sweep(outliers.next_sweep);
        }
    }

    fn ended(
        &mut self,
        now: Time,
        instance: u16,
        outcome: Option<Outcome>,
        bits: &mut impl Bits,
        mut tell: impl FnMut(u32, Change),
    ) {
        self.catch_up(now, bits, &mut tell);
        let instance = u32::from(instance);
        self.fleet.ended(instance);
        let (Some(outliers), Some(outcome)) = (&mut self.outliers, outcome) else { return };
        match outliers.watch.report(now, instance, outcome, bits) {
            Verdict::Stays => {}
            Verdict::Ejected => {
                self.fleet.set(instance, Standing::Unhealthy);
                tell(instance, Change::Ejected);
            }
        }
    }
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// Finds an instance for an attempt that is about to leave; none if nobody may be asked.
    pub(super) fn find_instance(&mut self, flight: u32) -> Option<Station> {
        let now = self.now;
        let Flight { call, attempt, .. } = *self.world.calls.flights.get(flight);
        let edge = self.world.calls.edge(call);
        let first = self.world.edges[edge.index()].to;
        let key = self.world.calls.key(call);
        let Some((front, bits, observer)) = self.front(call) else { return Some(first) };
        let instance = front
            .pick(now, key, bits, |instance, change| tell(observer, now, edge, instance, change))?;
        observer.observe(now, Fact::Routed { edge, call: CallId(call), attempt, instance });
        let state = self.world.calls.flights.get_mut(flight);
        state.instance = Some(instance);
        Some(Station(first.0 + instance))
    }

    /// An attempt has ended for its client; without an outcome, because nobody needs it any more.
    pub(super) fn tell_front(&mut self, flight: u32, outcome: Option<Outcome>) {
        let now = self.now;
        let state = self.world.calls.flights.get_mut(flight);
        let Some(instance) = state.instance.take() else { return };
        let Flight { call, attempt, .. } = *state;
        let edge = self.world.calls.edge(call);
        let Some((front, bits, observer)) = self.front(call) else { return };
        let end = match outcome {
            Some(Outcome::Succeeded) => Ending::Answered,
            Some(Outcome::Failed(_)) => Ending::Failed,
            None => Ending::Unneeded,
        };
        observer.observe(now, Fact::Settled { edge, call: CallId(call), attempt, instance, end });
        front.ended(now, instance, outcome, bits, |instance, change| {
            tell(observer, now, edge, instance, change);
        });
    }

    /// An attempt that is out counts for a memory that was opened since it left.
    pub(super) fn count_in(&mut self, flight: u32) {
        let Flight { call, instance: Some(instance), .. } = *self.world.calls.flights.get(flight)
        else {
            return;
        };
        if let Some((front, ..)) = self.front(call) {
            front.fleet.sent(u32::from(instance));
        }
    }

    /// What whoever has made a request knows of the instances that it calls, if there are several; with
    /// its random bits, and with whoever is told.
    fn front(&mut self, call: u32) -> Option<(&mut Front, &mut Stream, &mut O)> {
        let edge = self.world.calls.edge(call).index();
        let scope = edge_at(self.model, self.world.edges[edge].owner).scope;
        let index = memory_index(scope, self.world.calls.instance(call));
        let state = &mut self.world.edges[edge];
        let front = state.memories[index].front.as_mut()?;
        Some((front, &mut state.jitter, self.observer))
    }
}

/// Tells what has changed about an instance for whoever calls over `edge`.
#[cold]
fn tell(observer: &mut impl Observer, now: Time, edge: EdgeId, instance: u32, change: Change) {
    let instance = instance as u16;
    observer.observe(
        now,
        match change {
            Change::Ejected => Fact::Ejected { edge, instance },
            Change::Returned => Fact::Reinstated { edge, instance },
        },
    );
}
