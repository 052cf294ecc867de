//! Work in service stops where it is and goes on afterwards, or changes its speed.

use std::mem;

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
        self.for_busy_workers(station, |run, worker| {
            if run.world.workers[worker as usize].completion == FROZEN {
                let left = run.world.workers[worker as usize].completes.since(frozen_at);
                run.run_for(worker, left);
            }
        });
        self.read_answers(station);
    }

    /// What is left of the work in service takes longer by a factor.
    pub(super) fn stretch(&mut self, station: Station, factor: f64) {
        let health = &self.world.stations[station.index()].health;
        let stretched = |length: Span| Span::from_nanos_f64(length.as_nanos() as f64 * factor);
        let frozen_at = (health.freezes > 0).then_some(health.frozen_at);
        let from = frozen_at.unwrap_or(self.now);
        self.for_busy_workers(station, |run, worker| {
            let state = &mut run.world.workers[worker as usize];
            if state.completion == HELD {
                return;
            }
            let left = state.completes.since(from);
            let longer = stretched(left);
            state.work = state.work.saturating_sub(left) + longer;
            if frozen_at.is_some() {
                state.completes = from + longer;
            } else {
                run.run_for(worker, longer);
            }
        });
    }

    /// Does something about every worker with an attempt in hand, in the order in which they would be
    /// done.
    pub(super) fn for_busy_workers(
        &mut self,
        station: Station,
        mut act: impl FnMut(&mut Self, u32),
    ) {
        let mut busy = mem::take(&mut self.world.busy_workers);
        let range = self.world.stations[station.index()].workers.clone();
        let state = |worker: u32| &self.world.workers[worker as usize];
        busy.clear();
        busy.extend(range.filter(|&worker| state(worker).completion != IDLE));
        // With the worker there are no ties, and a sort without ties needs no memory.
        busy.sort_unstable_by_key(|&worker| (state(worker).completes, state(worker).began, worker));
        busy.iter().for_each(|&worker| act(self, worker));
        self.world.busy_workers = busy;
    }
}
