//! How long does a client wait, for one attempt and for the whole request?
//!
//! Whose memory it is: nobody's; the request carries the instant of its arrival.
//!
//! Asked at these moments:
//!
//! * a request arrives: [`Patience::first_send`] says when its first attempt leaves, if at all;
//! * an attempt waits for a connection: [`Patience::timer_in_line`] says for how long at most;
//! * an attempt leaves: [`Patience::timer`] says when the client stops waiting for it, and whether
//!   the attempt or the whole request ends there;
//! * a retry has been decided with its wait: [`Patience::fit`] says whether it still makes sense;
//! * a call goes on to another service: [`Patience::left`] is the time to hand on with it.
//!
//! An attempt timeout that is not shorter than the deadline never fires, since the deadline is there
//! first and nothing is retried after it: Envoy documents this as ignoring the per-try timeout (PR
//! #10082), and it needs no option of its own here.

use super::retry::Decision;
use crate::time::{Span, Time};

/// A client's patience.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How long it waits for one attempt; none waits for ever.
    pub attempt: Option<Span>,
    /// From when an attempt's wait counts.
    pub clock: Clock,
    /// How long a request may take from its arrival; none takes what it takes.
    pub request: Option<Span>,
    /// What of the request's time is spent before the first attempt leaves.
    pub before_first: Span,
    /// What of the request's time is kept for handing the answer on: attempts end this much before
    /// the deadline.
    pub reserve: Span,
    /// The least time an attempt must have left for it to be worth sending.
    pub least: Least,
    /// What happens to an attempt that is out when the deadline comes.
    pub overrun: Overrun,
    /// What happens when the next wait leaves too little time.
    pub misfit: Misfit,
}

/// From when an attempt's wait counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// From when it leaves the client; a wait for a connection does not count.
    #[default]
    Dispatched,
    /// From when it was ready to leave; a wait for a connection counts.
    Ready,
}

/// The least time an attempt must have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Least {
    /// This much; zero sends anything that can leave before the deadline.
    Length(Span),
    /// The whole timeout of an attempt; without a timeout, any time at all.
    WholeTimeout,
}

/// What happens to an attempt that is out when the deadline comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overrun {
    /// It is given up, and the request with it.
    #[default]
    Cut,
    /// It runs to its own timeout: the client looks at the deadline only between attempts.
    RunsOn,
}

/// What happens when the next wait leaves too little time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Misfit {
    /// The request fails at once.
    #[default]
    FailsAtOnce,
    /// The request sleeps until it may wait no longer, and then fails. Users are kept for nothing:
    /// 100 requests a second that could fail after 50 ms and sleep to 10 s are 1,000 users instead
    /// of 5.
    SleepsToDeadline,
}

/// When a client stops waiting for an attempt, and what ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// It never does.
    Never,
    /// The attempt times out then; it may be retried.
    Attempt(Time),
    /// The request fails then; nothing is retried.
    Request(Time),
}

impl Patience {
    /// Waits for ever.
    pub const ENDLESS: Self = Self {
        attempt: None,
        clock: Clock::Dispatched,
        request: None,
        before_first: Span::ZERO,
        reserve: Span::ZERO,
        least: Least::Length(Span::ZERO),
        overrun: Overrun::Cut,
        misfit: Misfit::FailsAtOnce,
    };

    /// The same for a request that has this much time at most.
    #[must_use]
    pub fn within(self, length: Span) -> Self {
        let request = self.request.map_or(length, |own| own.min(length));
        Self { request: Some(request), ..self }
    }

    /// The instant past which nothing is of use to a request that arrived at `born`: its deadline
    /// less the reserve. [`Time::NEVER`] without a deadline.
    pub fn cut_off(&self, born: Time) -> Time {
        match self.request {
            Some(length) if length > self.reserve => born + (length - self.reserve),
            Some(_) => born,
            None => Time::NEVER,
        }
    }

    /// What becomes of a request that arrives at `born`: [`Decision::After`] how long its first
    /// attempt leaves, or how it fails without one.
    pub fn first_send(&self, born: Time) -> Decision {
        self.fit(born, born, self.before_first)
    }

    /// When the client stops waiting for an attempt of a request that arrived at `born`, which was
    /// ready to leave at `ready` and left at `dispatched`.
    #[inline]
    pub fn timer(&self, born: Time, ready: Time, dispatched: Time) -> Timer {
        let since = match self.clock {
            Clock::Dispatched => dispatched,
            Clock::Ready => ready,
        };
        let times_out = self.attempt.map_or(Time::NEVER, |timeout| since + timeout);
        let cut_off = match self.overrun {
            Overrun::Cut => self.cut_off(born),
            Overrun::RunsOn => Time::NEVER,
        };
        if times_out < cut_off {
            Timer::Attempt(times_out)
        } else if cut_off < Time::NEVER {
            Timer::Request(cut_off)
        } else {
            Timer::Never
        }
    }

    /// When the client stops waiting with an attempt in line for a connection, which was ready to
    /// leave at `ready`: what does not count there does not end it there.
    pub fn timer_in_line(&self, born: Time, ready: Time) -> Timer {
        match self.clock {
            Clock::Ready => self.timer(born, ready, ready),
            Clock::Dispatched => Self { attempt: None, ..*self }.timer(born, ready, ready),
        }
    }

    /// What becomes of a request that arrived at `born` and would send its next attempt `wait` from
    /// `now`.
    #[inline]
    pub fn fit(&self, born: Time, now: Time, wait: Span) -> Decision {
        let cut_off = self.cut_off(born);
        if cut_off == Time::NEVER || now + wait + self.least() <= cut_off {
            return Decision::After(wait);
        }
        match self.misfit {
            Misfit::FailsAtOnce => Decision::GiveUp,
            Misfit::SleepsToDeadline => Decision::GiveUpAfter(cut_off.since(now)),
        }
    }

    /// What an attempt must have left when it leaves: what leaves at the very instant of the deadline
    /// has no time at all.
    fn least(&self) -> Span {
        let least = match self.least {
            Least::Length(length) => length,
            Least::WholeTimeout => self.attempt.unwrap_or(Span::ZERO),
        };
        least.max(Span::NANOSECOND)
    }

    /// How long an attempt that is ready at `now` may be held up and still be worth sending; none if
    /// for any time.
    pub fn slack(&self, born: Time, now: Time) -> Option<Span> {
        let cut_off = self.cut_off(born);
        (cut_off < Time::NEVER).then(|| cut_off.since(now).saturating_sub(self.least()))
    }

    /// The time that is left at `now` to whoever is called for a request that arrived at `born`:
    /// zero if it is not worth starting, none without a deadline.
    pub fn left(&self, born: Time, now: Time) -> Option<Span> {
        let cut_off = self.cut_off(born);
        (cut_off < Time::NEVER).then(|| cut_off.since(now))
    }
}

#[cfg(test)]
mod tests;
