//! A service: workers behind one queue.

use std::num::NonZeroU32;

use crate::law::Law;
use crate::policy::admission::Admission;
use crate::policy::shedding::Shedding;
use crate::unit::Rate;

/// A FIFO queue and the workers that serve it, each one attempt at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Its name in the scenario; keys its random streams.
    pub name: String,
    /// How many attempts are served at once.
    pub workers: NonZeroU32,
    /// How long one worker works on one attempt.
    pub service_time: Law,
    /// Who may wait.
    pub admission: Admission,
    /// What is dropped when a worker picks it up.
    pub shedding: Shedding,
}

impl Service {
    /// Attempts per second that it completes when every worker is busy: workers / mean work.
    ///
    /// # Panics
    /// If the mean work is zero, which no valid law has.
    pub fn capacity(&self) -> Rate {
        let per_second = f64::from(self.workers.get()) / self.service_time.mean().as_secs_f64();
        Rate::new(per_second).expect("a law of work has a mean above zero")
    }
}
