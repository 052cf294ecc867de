//! Which instance of a service an attempt goes to, where there are several.

use super::Run;
use super::agenda::Agenda;
use super::flights::Flight;
use super::state::Station;
use crate::model::Service;
use crate::observe::Observer;
use crate::policy::balancer::{Fleet, Pick, Picker, Standing};
use crate::policy::ejection::{Change, Ejection, Verdict, Watch};
use crate::policy::outcome::Outcome;
use crate::random::Bits;
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

    fn pick(&mut self, now: Time, key: u64, bits: &mut impl Bits) -> Option<u16> {
        self.catch_up(now, bits);
        match self.picker.pick(&self.fleet, key, bits) {
            Pick::Instance(instance) => {
                self.fleet.sent(instance);
                Some(instance as u16)
            }
            Pick::Nobody => None,
        }
    }

    /// Does what was due since the last question: nobody sees a sweep but who is sent somewhere.
    fn catch_up(&mut self, now: Time, bits: &mut impl Bits) {
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
            });
            outliers.next_sweep = outliers.policy.next_sweep(outliers.next_sweep);
        }
    }

    fn ended(&mut self, now: Time, instance: u16, outcome: Option<Outcome>, bits: &mut impl Bits) {
        self.catch_up(now, bits);
        let instance = u32::from(instance);
        self.fleet.ended(instance);
        let (Some(outliers), Some(outcome)) = (&mut self.outliers, outcome) else { return };
        match outliers.watch.report(now, instance, outcome, bits) {
            Verdict::Stays => {}
            Verdict::Ejected => self.fleet.set(instance, Standing::Unhealthy),
        }
    }
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// Finds an instance for an attempt that is about to leave; none if nobody may be asked.
    pub(super) fn find_instance(&mut self, flight: u32) -> Option<Station> {
        let now = self.now;
        let Flight { call, .. } = *self.world.calls.flights.get(flight);
        let first = self.world.edges[self.world.calls.edge(call).index()].to;
        let key = self.world.calls.key(call);
        let (memory, bits) = self.memory_and_bits(call);
        let Some(front) = &mut memory.front else { return Some(first) };
        let instance = front.pick(now, key, bits)?;
        let state = self.world.calls.flights.get_mut(flight);
        state.instance = Some(instance);
        Some(Station(first.0 + instance))
    }

    /// An attempt has ended for its client; without an outcome, because nobody needs it any more.
    pub(super) fn tell_front(&mut self, flight: u32, outcome: Option<Outcome>) {
        let now = self.now;
        let Flight { call, instance: Some(instance), .. } = *self.world.calls.flights.get(flight)
        else {
            return;
        };
        let (memory, bits) = self.memory_and_bits(call);
        if let Some(front) = &mut memory.front {
            front.ended(now, instance, outcome, bits);
        }
        self.world.calls.flights.get_mut(flight).instance = None;
    }
}
