//! Work in service stops where it is and goes on afterwards, or changes its speed.

use super::Run;
use super::agenda::Agenda;
use super::state::{FROZEN, HELD, IDLE, Station};
use crate::observe::Observer;
use crate::time::Span;

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// Nothing starts at the service until as many openings as closings.
    pub(super) fn close(&mut self, station: Station) {
        self.world.stations[station.index()].health.closures += 1;
    }

    /// Takes one closing back.
    pub(super) fn open(&mut self, station: Station) {
        self.world.stations[station.index()].health.closures -= 1;
        self.expect_hand_over(station);
    }

    /// Work in service stops where it is.
    pub(super) fn freeze(&mut self, station: Station) {
        let state = &mut self.world.stations[station.index()];
        state.health.freezes += 1;
        if state.health.freezes > 1 {
            return;
        }
        state.health.frozen_at = self.now;
        for worker in &mut self.world.workers[state.worker_range()] {
            if worker.completion != IDLE && worker.completion != HELD {
                worker.completion = FROZEN;
            }
        }
    }

    /// Work in service goes on where it stopped, unless something else keeps it frozen.
    pub(super) fn thaw(&mut self, station: Station) {
        let state = &mut self.world.stations[station.index()];
        state.health.freezes -= 1;
        if state.health.freezes > 0 {
            return;
        }
        let frozen_at = state.health.frozen_at;
        for worker in self.busy_workers(station) {
            if self.world.workers[worker as usize].completion == FROZEN {
                let left = self.world.workers[worker as usize].completes.since(frozen_at);
                self.run_for(worker, left);
            }
        }
        self.read_answers(station);
    }

    /// What is left of the work in service takes longer by a factor.
    pub(super) fn stretch(&mut self, station: Station, factor: f64) {
        let health = &self.world.stations[station.index()].health;
        let stretched = |length: Span| Span::from_nanos_f64(length.as_nanos() as f64 * factor);
        let frozen_at = (health.freezes > 0).then_some(health.frozen_at);
        let from = frozen_at.unwrap_or(self.now);
        for worker in self.busy_workers(station) {
            let state = &mut self.world.workers[worker as usize];
            if state.completion == HELD {
                continue;
            }
            let left = state.completes.since(from);
            let longer = stretched(left);
            state.work = state.work.saturating_sub(left) + longer;
            if frozen_at.is_some() {
                state.completes = from + longer;
            } else {
                self.run_for(worker, longer);
            }
        }
    }

    /// The workers with an attempt in hand, in the order in which they will be done.
    pub(super) fn busy_workers(&self, station: Station) -> Vec<u32> {
        let range = self.world.stations[station.index()].workers.clone();
        let state = |worker: u32| &self.world.workers[worker as usize];
        let mut busy: Vec<u32> = range.filter(|&worker| state(worker).completion != IDLE).collect();
        busy.sort_by_key(|&worker| (state(worker).completes, state(worker).began));
        busy
    }
}
