//! Every fact of a run, written down: for golden tests and for small runs read by eye.

use std::fmt;

use super::{CallId, Fact, Observer};
use crate::time::Time;

/// All facts in order, with requests numbered 0, 1, 2, … as they arrive: which [`CallId`] the engine
/// gives to a request depends on when it noticed that an old one may be reused, and is not part of
/// what happens. Memory grows with the number of facts: for small runs only.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    facts: Vec<(Time, Fact)>,
    numbers: Numbers,
}

/// The numbers of requests, in the order in which they arrive: which [`CallId`] the engine gives to one
/// depends on when it noticed that an old one may be reused. Memory grows with the requests that are alive.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// The number of the request that holds each id.
    numbers: Vec<u32>,
    arrived: u32,
}

impl Trace {
    /// What has happened so far.
    pub fn facts(&self) -> &[(Time, Fact)] {
        &self.facts
    }
}

impl Numbers {
    /// Puts the number of its request in the place of its id. Every fact of a run must pass, in order.
    pub fn number(&mut self, fact: &mut Fact) {
        let arrives = matches!(fact, Fact::Arrived { .. } | Fact::Called { .. });
        let Some(call) = fact.call_mut() else { return };
        let id = call.0 as usize;
        if arrives {
            self.numbers.resize(self.numbers.len().max(id + 1), 0);
            self.numbers[id] = self.arrived;
            self.arrived += 1;
        }
        *call = CallId(self.numbers[id]);
    }
}

impl PartialEq for Trace {
    fn eq(&self, other: &Self) -> bool {
        self.facts == other.facts
    }
}

impl Observer for Trace {
    fn observe(&mut self, now: Time, mut fact: Fact) {
        self.numbers.number(&mut fact);
        self.facts.push((now, fact));
    }

    fn finish(&mut self, _: Time) {}
}

/// One fact a line, instants in seconds.
impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (time, fact) in &self.facts {
            writeln!(f, "{:>12.6} {fact}", time.as_secs_f64())?;
        }
        Ok(())
    }
}
