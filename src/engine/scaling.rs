//! Services whose workers come and go by what is measured.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::state::Station;
use crate::observe::Observer;
use crate::policy::scaling::{Autoscaler, Measure, Order, Reading, Scaling};
use crate::time::Time;

/// What a scaled service remembers.
#[derive(Clone, Debug)]
pub(super) struct Scaler {
    policy: Scaling,
    autoscaler: Autoscaler,
    /// Workers that have started.
    pub(super) started: u32,
    /// Workers busy since the last look, integrated over time, up to `seen`.
    busy_area: f64,
    seen: Time,
    looked: Time,
}

impl Scaler {
    pub(super) fn open(policy: Scaling, workers: u32) -> Self {
        Self {
            policy,
            autoscaler: policy.open(workers),
            started: workers,
            busy_area: 0.0,
            seen: Time::ZERO,
            looked: Time::ZERO,
        }
    }

    /// So many workers have been busy up to `now`.
    pub(super) fn see(&mut self, now: Time, busy: u32) {
        self.busy_area += f64::from(busy) * now.since(self.seen).as_secs_f64();
        self.seen = now;
    }

    /// The mean number of busy workers since the last look.
    fn mean_busy(&mut self, now: Time) -> f64 {
        let passed = now.since(self.looked).as_secs_f64();
        self.looked = now;
        std::mem::take(&mut self.busy_area) / passed.max(f64::MIN_POSITIVE)
    }
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    pub(super) fn schedule_scalers(&mut self) {
        for station in 0..self.world.stations.len() as u16 {
            self.schedule_look(Station(station));
        }
    }

    fn schedule_look(&mut self, station: Station) {
        if let Some(scaler) = &self.world.stations[station.index()].scaler {
            let wait = scaler.policy.next_look(self.now).since(self.now);
            let event = Event::ScalerLooks { station: u32::from(station.0) };
            self.schedule(wait, event, Lane::NONE);
        }
    }

    /// An autoscaler measures, and orders what follows.
    pub(super) fn scaler_looks(&mut self, station: Station) {
        self.schedule_look(station);
        let now = self.now;
        let state = &mut self.world.stations[station.index()];
        let (busy, waiting, inside) = (state.busy, state.queue.len() as u32, state.in_flight());
        let Some(scaler) = &mut state.scaler else { return };
        scaler.see(now, busy);
        let mean_busy = scaler.mean_busy(now);
        let total = match scaler.policy.measure {
            Measure::Busy => mean_busy,
            Measure::Waiting => f64::from(waiting),
            Measure::Inside => f64::from(inside),
        };
        let reading = Reading { ready: scaler.started, total };
        match scaler.autoscaler.look(now, reading) {
            Order::Stay => {}
            Order::Start { ready, .. } => {
                let event = Event::WorkersStart { station: u32::from(station.0) };
                self.schedule(ready.since(now), event, Lane::NONE);
            }
            Order::Stop { ready, .. } => {
                scaler.started -= ready.min(scaler.started);
                self.review_capacity(station);
            }
        }
    }

    /// Workers that were ordered count from now on.
    pub(super) fn workers_start(&mut self, station: Station) {
        let now = self.now;
        let Some(scaler) = &mut self.world.stations[station.index()].scaler else { return };
        scaler.started += scaler.autoscaler.arrived(now);
        self.review_capacity(station);
    }
}
