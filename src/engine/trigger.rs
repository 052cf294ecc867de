//! What triggers do to the world.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use crate::id::TriggerId;
use crate::model::Disturbance;
use crate::observe::{Fact, Observer};
use crate::time::Time;

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    pub(super) fn schedule_triggers(&mut self) {
        for (index, trigger) in self.model.triggers.iter().enumerate() {
            let index = index as u32;
            let begins = trigger.begins.since(Time::ZERO);
            self.schedule(begins, Event::TriggerBegins { trigger: index }, Lane::NONE);
            self.schedule(
                begins + trigger.lasts,
                Event::TriggerEnds { trigger: index },
                Lane::NONE,
            );
        }
    }

    pub(super) fn begin_trigger(&mut self, trigger: u32) {
        let fact = Fact::TriggerBegan { trigger: TriggerId(trigger as u16) };
        self.observer.observe(self.now, fact);
        match self.model.triggers[trigger as usize].disturbance {
            Disturbance::Stall { service } => self.freeze(service),
        }
    }

    pub(super) fn end_trigger(&mut self, trigger: u32) {
        let fact = Fact::TriggerEnded { trigger: TriggerId(trigger as u16) };
        self.observer.observe(self.now, fact);
        match self.model.triggers[trigger as usize].disturbance {
            Disturbance::Stall { service } => self.thaw(service),
        }
    }
}
