//! The circuit itself: closed, open or half-open, and nothing else.

use super::tally::{Recent, Tally};
use super::{Breaker, Cancelled, Ends, Evaluated, Results, Slow, Stay, StayEnd, Trials, Window};
use crate::policy::outcome::Outcome;
use crate::policy::window::Counts;
use crate::random::Bits;
use crate::time::{Span, Time};

/// What a breaker remembers during a run.
#[derive(Clone, Debug)]
pub struct Circuit {
    breaker: Breaker,
    phase: Phase,
    /// How often the phase has changed.
    generation: u32,
    /// How often it has opened since it last was closed.
    openings: u32,
    /// How often it has opened at all.
    times_opened: u64,
    recent: Recent,
    /// The next instant at which a circuit decides that decides at intervals.
    next_look: Time,
}

/// In which state a circuit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Everything passes.
    Closed,
    /// Nothing does.
    Open,
    /// Trials do.
    HalfOpen,
}

/// Whether an attempt is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It is, and whoever lets it go keeps the ticket for its result.
    Passes(Ticket),
    /// It is not.
    Rejected,
}

/// When an attempt was let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    generation: u32,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Closed,
    Open { until: Time },
    HalfOpen { since: Time, admitted: u32, results: Tally },
}

impl Circuit {
    pub(super) fn new(breaker: Breaker) -> Self {
        let next_look = match breaker.evaluated {
            Evaluated::AtEachResult => Time::NEVER,
            Evaluated::Every(interval) => Time::ZERO + interval,
        };
        let recent = Recent::new(breaker.window);
        Self {
            breaker,
            phase: Phase::Closed,
            generation: 0,
            openings: 0,
            times_opened: 0,
            recent,
            next_look,
        }
    }

    /// Whether an attempt may pass.
    #[inline]
    pub fn ask(&mut self, now: Time, bits: &mut impl Bits) -> Passage {
        self.catch_up(now);
        if self.is_over(now) {
            self.enter(Phase::HalfOpen { since: now, admitted: 0, results: Tally::default() });
        }
        let passes = match &mut self.phase {
            Phase::Closed => true,
            Phase::Open { .. } => false,
            Phase::HalfOpen { admitted, .. } => {
                let passes = match self.breaker.half_open.trials {
                    Trials::Permits(permits) => *admitted < permits.get(),
                    Trials::Share { share, .. } => bits.uniform() < share.as_f64(),
                };
                *admitted += u32::from(passes);
                passes
            }
        };
        if passes {
            Passage::Passes(Ticket { generation: self.generation })
        } else {
            Passage::Rejected
        }
    }

    /// An attempt that was let through with this ticket has ended, `took` after it left.
    #[inline]
    pub fn report(&mut self, now: Time, ticket: Ticket, outcome: Outcome, took: Span) {
        self.catch_up(now);
        if ticket.generation != self.generation && self.breaker.results == Results::Tagged {
            return;
        }
        let failed = match outcome {
            Outcome::Succeeded => false,
            Outcome::Failed(failure) => self.breaker.counted.contains(failure),
        };
        let is_slow = |slow: Slow| took > slow.longer_than;
        let call = Tally::of(failed, self.breaker.slow.is_some_and(is_slow));
        match &mut self.phase {
            Phase::Closed => {
                self.recent.record(now, call);
                if self.breaker.evaluated == Evaluated::AtEachResult {
                    self.decide_closed(now);
                }
            }
            // Nothing was let through: whatever comes now is from before.
            Phase::Open { .. } => {}
            Phase::HalfOpen { results, .. } => {
                *results = results.plus(call);
                let results = *results;
                self.decide_half_open(now, results);
            }
        }
    }

    /// An attempt that was let through with this ticket has ended without a result.
    pub fn cancelled(&mut self, now: Time, ticket: Ticket) {
        self.catch_up(now);
        if let Phase::HalfOpen { admitted, .. } = &mut self.phase
            && ticket.generation == self.generation
            && self.breaker.half_open.cancelled == Cancelled::Returned
        {
            *admitted -= 1;
        }
    }

    /// How often it has opened, as far as it has been asked and told.
    pub const fn times_opened(&self) -> u64 {
        self.times_opened
    }

    /// In which state it is at `now`, as an attempt would meet it.
    pub fn state(&mut self, now: Time) -> State {
        self.catch_up(now);
        match self.phase {
            Phase::Closed => State::Closed,
            Phase::Open { .. } if self.is_over(now) => State::HalfOpen,
            Phase::Open { .. } => State::Open,
            Phase::HalfOpen { .. } => State::HalfOpen,
        }
    }

    /// Whether it is open and need not be any longer.
    fn is_over(&self, now: Time) -> bool {
        match (self.phase, self.breaker.ends) {
            (Phase::Open { until }, Ends::AtTheInstant) => now >= until,
            (Phase::Open { until }, Ends::AfterTheInstant) => now > until,
            (Phase::Closed | Phase::HalfOpen { .. }, _) => false,
        }
    }

    /// Does what was due since the last question.
    #[inline]
    fn catch_up(&mut self, now: Time) {
        if now >= self.next_look {
            self.look(now);
        }
        if let (Phase::HalfOpen { since, .. }, Some(stay)) =
            (self.phase, self.breaker.half_open.longest)
        {
            self.end_stay(now, since, stay);
        }
    }

    fn look(&mut self, now: Time) {
        let Evaluated::Every(interval) = self.breaker.evaluated else { return };
        let interval = interval.as_nanos().max(1);
        while self.next_look <= now {
            let at = self.next_look;
            if matches!(self.phase, Phase::Closed) {
                self.decide_closed(at);
            }
            // Between calls the window only forgets, so only looks after that may differ: a dozen
            // steps bring any circuit up to date, however long it was left alone.
            let changes = self.recent.next_change(at).as_nanos().min(now.as_nanos() + 1);
            let next = changes.max(at.as_nanos() + 1).div_ceil(interval).saturating_mul(interval);
            self.next_look = Time::from_nanos(next);
        }
    }

    fn end_stay(&mut self, now: Time, since: Time, stay: Stay) {
        let ends = since + stay.longest;
        if now < ends {
            return;
        }
        match stay.then {
            StayEnd::Opens => self.open(ends),
            StayEnd::Renews => {
                self.enter(Phase::HalfOpen { since: now, admitted: 0, results: Tally::default() });
            }
        }
    }

    fn decide_closed(&mut self, now: Time) {
        let total = self.recent.total(now);
        let minimum = match self.breaker.window {
            Window::Count(size) => self.breaker.minimum_calls.min(size.get()),
            Window::Time(_) => self.breaker.minimum_calls,
        };
        if total.calls >= u64::from(minimum.max(1)) && total.is_too_bad(&self.breaker) {
            self.open(now);
        }
    }

    fn decide_half_open(&mut self, now: Time, results: Tally) {
        let decided_after = match self.breaker.half_open.trials {
            Trials::Permits(permits) => permits,
            Trials::Share { decided_after, .. } => decided_after,
        };
        if results.calls < u64::from(decided_after.get()) {
            return;
        }
        if results.is_too_bad(&self.breaker) {
            self.open(now);
        } else {
            self.openings = 0;
            self.recent.clear();
            self.enter(Phase::Closed);
        }
    }

    fn open(&mut self, now: Time) {
        let until = now + self.breaker.open.wait(self.openings);
        self.openings = self.openings.saturating_add(1);
        self.times_opened += 1;
        self.enter(Phase::Open { until });
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.generation = self.generation.wrapping_add(1);
    }
}
