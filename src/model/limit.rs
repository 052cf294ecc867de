//! How large a run may be, judged before it starts.

use super::Model;
use crate::policy::admission::Admission;

/// The largest number of events a run may be expected to need: minutes of work.
pub const MAX_EVENTS: f64 = 2e10;
/// The largest number of attempts that may be in flight at once at worst: about 3 GiB, and within
/// the event key's room for slots.
pub const MAX_IN_FLIGHT: f64 = (1_u64 << 25) as f64;
/// The largest number of windows in a timeline.
pub const MAX_WINDOWS: u64 = 1_000_000;

/// Why a model is too large to be run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TooLarge {
    /// It would need more than [`MAX_EVENTS`] events.
    Events(f64),
    /// More than [`MAX_IN_FLIGHT`] attempts could be in flight at once.
    InFlight(f64),
    /// Its timeline would have more than [`MAX_WINDOWS`] windows.
    Windows(u64),
}

impl Model {
    /// Whether a run stays within the limits, by the worst case in which every attempt fails.
    ///
    /// # Errors
    /// The limit that would be passed, with the number that passes it.
    pub fn fits(&self) -> Result<(), TooLarge> {
        let windows = self.horizon.as_nanos().div_ceil(self.window.as_nanos().max(1));
        if windows > MAX_WINDOWS {
            return Err(TooLarge::Windows(windows));
        }
        let horizon = self.horizon.as_secs_f64();
        let (mut events, mut in_flight) = (0.0, 0.0);
        for client in &self.clients {
            let rate = client.arrivals.rate().per_second();
            let retry = &client.edge.retry;
            let attempts = 1.0 + f64::from(retry.max_retries);
            // A request cannot make more attempts than its timeouts leave time for.
            let fastest = match client.edge.timeout {
                Some(timeout) => timeout.as_secs_f64(),
                None => horizon,
            };
            let service = self.service(client.edge.to);
            let refusing = matches!(service.admission, Admission::Bounded { .. });
            let possible = if refusing { attempts } else { attempts.min(1.0 + horizon / fastest) };
            events += rate * horizon * (1.0 + 2.0 * possible);
            // Beyond capacity the queue grows for the whole run; within it, only while disturbed.
            let capacity = service.capacity().per_second();
            let excess = (rate * possible - capacity).max(0.0) * horizon;
            let disturbed: f64 =
                self.triggers.iter().map(|t| t.lasts.as_secs_f64().min(horizon)).sum();
            let patience =
                possible * (fastest.min(horizon) + retry.longest_wait().as_secs_f64().min(horizon));
            let queued = match service.admission {
                Admission::Unbounded => excess + rate * possible * disturbed,
                Admission::Bounded { max_waiting } => f64::from(max_waiting),
            };
            let open = (rate * patience).min(rate * horizon);
            in_flight += queued.min(rate * possible * horizon) + open;
        }
        if events > MAX_EVENTS || events.is_nan() {
            return Err(TooLarge::Events(events));
        }
        if in_flight > MAX_IN_FLIGHT || in_flight.is_nan() {
            return Err(TooLarge::InFlight(in_flight));
        }
        Ok(())
    }
}
