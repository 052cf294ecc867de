//! How fast do workers work, and how much is asked for, while which triggers act?

use crate::model::{Disturbance, Model, Trigger};
use crate::time::{Span, Time};

/// What holds between two instants at which a trigger begins or ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    /// Fresh demand, as a multiple of the usual.
    pub(super) surge: f64,
    /// How many workers there are.
    pub(super) workers: u32,
    /// The time that work takes, as a multiple of the usual.
    factor: f64,
    /// Work done per length of time, by all workers together; none in a stall.
    pub(super) speed: f64,
}

impl Pace {
    /// The work that all workers do in this length of time.
    pub(super) fn work_within(self, length: Span) -> Span {
        Span::from_nanos_f64(length.as_nanos() as f64 * self.speed)
    }

    /// How long one worker takes for this work.
    pub(super) fn lasts(self, work: Span) -> Span {
        Span::from_nanos_f64(work.as_nanos() as f64 * self.factor)
    }

    /// Overlapping triggers act as in the engine: of several numbers of workers the last to begin holds,
    /// slowdowns and thinned demand multiply, and surges add what each brings on top.
    fn while_acting<'t>(usual: u32, acting: impl Iterator<Item = &'t Trigger>) -> Self {
        let (mut stalled, mut factor, mut thinned, mut surplus) = (false, 1.0, 1.0, 0.0);
        let mut capacity = (Time::ZERO, usual);
        for trigger in acting {
            match trigger.disturbance {
                Disturbance::Stall { .. } => stalled = true,
                Disturbance::Slowdown { factor: by, .. } => factor *= by,
                Disturbance::Surge { factor: by, .. } if by > 1.0 => surplus += by - 1.0,
                Disturbance::Surge { factor: by, .. } => thinned *= by,
                Disturbance::Capacity { workers, .. } => {
                    if trigger.begins >= capacity.0 {
                        capacity = (trigger.begins, workers.get());
                    }
                }
                Disturbance::Outage(_)
                | Disturbance::Latency { .. }
                | Disturbance::ErrorShare { .. }
                | Disturbance::Loss { .. }
                | Disturbance::Flush { .. } => {}
            }
        }
        let workers = capacity.1;
        let speed = if stalled { 0.0 } else { f64::from(workers) / factor };
        Self { surge: (1.0 + surplus) * thinned, workers, factor, speed }
    }
}

/// A run cut where triggers begin and end.
#[derive(Clone, Debug)]
pub(super) struct Paces(Vec<(Time, Pace)>);

impl Paces {
    /// Of the only service and the only client of `model`.
    pub(super) fn of(model: &Model) -> Self {
        let triggers = &model.triggers;
        let mut cuts: Vec<Time> = std::iter::once(Time::ZERO)
            .chain(triggers.iter().flat_map(|trigger| [trigger.begins, trigger.ends()]))
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        let usual = model.services[0].workers.get();
        let pace = |at: Time| {
            let acting =
                triggers.iter().filter(|trigger| trigger.begins <= at && at < trigger.ends());
            (at, Pace::while_acting(usual, acting))
        };
        Self(cuts.into_iter().map(pace).collect())
    }

    /// What holds at an instant.
    pub(super) fn at(&self, now: Time) -> Pace {
        self.piece(now).0
    }

    /// What holds at an instant, and until when.
    pub(super) fn piece(&self, now: Time) -> (Pace, Time) {
        let next = self.0.partition_point(|(from, _)| *from <= now);
        let until = self.0.get(next).map_or(Time::NEVER, |(from, _)| *from);
        (self.0[next - 1].1, until)
    }
}
