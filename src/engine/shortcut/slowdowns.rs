//! How much longer work takes that begins at an instant.

use crate::model::{Disturbance, Trigger};
use crate::time::{Span, Time};

/// The slowdowns of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Slowdowns(Vec<Slowdown>);

#[derive(Clone, Debug)]
struct Slowdown {
    begins: Time,
    ends: Time,
    factor: f64,
}

impl Slowdowns {
    pub(super) fn reset(&mut self, triggers: &[Trigger]) {
        self.0.clear();
        self.0.extend(triggers.iter().filter_map(|trigger| match trigger.disturbance {
            Disturbance::Slowdown { factor, .. } => {
                Some(Slowdown { begins: trigger.begins, ends: trigger.ends(), factor })
            }
            Disturbance::Stall { .. }
            | Disturbance::Surge { .. }
            | Disturbance::Outage(_)
            | Disturbance::Latency { .. }
            | Disturbance::ErrorShare { .. }
            | Disturbance::Loss { .. }
            | Disturbance::Flush { .. }
            | Disturbance::Capacity { .. } => None,
        }));
        // Factors are multiplied in the order in which they came.
        self.0.sort_by_key(|slowdown| slowdown.begins);
    }

    /// Whether there is none.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How long `work` takes that begins at `start`.
    pub(super) fn stretched(&self, work: Span, start: Time) -> Span {
        let on = |slowdown: &&Slowdown| slowdown.begins <= start && start < slowdown.ends;
        if !self.0.iter().any(|slowdown| on(&slowdown)) {
            return work;
        }
        let factor: f64 = self.0.iter().filter(on).map(|slowdown| slowdown.factor).product();
        Span::from_nanos_f64(work.as_nanos() as f64 * factor).max(Span::NANOSECOND)
    }
}
