//! Does it come back, and when?
//!
//! Goodput of each window is held against fresh demand in the same window. A control run, the same
//! world under the same seed without its triggers, tells a system that was pushed over from one that
//! never stood.

use std::fmt;

use crate::model::Model;
use crate::observe::{Recording, Timeline, Window};
use crate::time::{Span, Time};

/// What became of a system after its disturbance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Every window since the first trigger began was good.
    Unaffected,
    /// It failed, and came back by itself.
    Recovered,
    /// Not back by the horizon, but attempts stay below capacity and the backlog falls: slow, not
    /// stuck.
    Draining,
    /// The disturbance is over, demand is within capacity, the control run is well, and it does not
    /// come back.
    Metastable,
    /// The control run fails too: it needs no disturbance to fail.
    Overloaded,
    /// The last trigger ends too near the horizon to tell.
    Undecided,
}

impl Verdict {
    /// Every verdict there is.
    pub const ALL: [Self; 6] = [
        Self::Unaffected,
        Self::Recovered,
        Self::Draining,
        Self::Metastable,
        Self::Overloaded,
        Self::Undecided,
    ];

    /// Its name in scenario files and outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unaffected => "unaffected",
            Self::Recovered => "recovered",
            Self::Draining => "draining",
            Self::Metastable => "metastable",
            Self::Overloaded => "overloaded",
            Self::Undecided => "undecided",
        }
    }

    /// Whether the system is well at the end.
    pub const fn is_well(self) -> bool {
        match self {
            Self::Unaffected | Self::Recovered => true,
            Self::Draining | Self::Metastable | Self::Overloaded | Self::Undecided => false,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A verdict with its dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// What became of the system.
    pub verdict: Verdict,
    /// The start of the first window from which goodput holds; only if it recovered.
    pub back_at: Option<Time>,
    /// From the end of the last trigger to `back_at`; only if it recovered.
    pub recovery_time: Option<Span>,
    /// How often it was good again after the last trigger and then failed once more.
    pub relapses: u32,
    /// When the backlog would be gone at the pace of the last third; only if it is draining.
    pub empty_at: Option<Time>,
}

impl Assessment {
    const fn plain(verdict: Verdict, relapses: u32) -> Self {
        Self { verdict, back_at: None, recovery_time: None, relapses, empty_at: None }
    }
}

/// Windows in a row that must be good at the end of a run, and windows that must follow the last
/// trigger, before anything is said about it.
const ENOUGH_WINDOWS: usize = 3;

/// Judges `recording`, a run of `model`. `control` is called only where the verdict depends on it,
/// and runs the model without its triggers under the same seed.
pub fn assess(
    model: &Model,
    recording: &Recording,
    control: impl FnOnce() -> Recording,
) -> Assessment {
    let timeline = &recording.timeline;
    let Some((begins, ends)) = model.disturbed_between() else {
        return assess_undisturbed(model, timeline);
    };
    let windows = timeline.windows();
    let good: Vec<bool> = windows.iter().map(|window| is_good(model, window)).collect();
    let first = window_of(timeline, begins).min(good.len());
    let over = window_from(timeline, ends).min(good.len());
    let relapses = good[over..].windows(2).filter(|pair| pair[0] && !pair[1]).count() as u32;

    let Some(last_bad) = good.iter().rposition(|&good| !good).filter(|&bad| bad >= first) else {
        return Assessment::plain(Verdict::Unaffected, 0);
    };
    let back = match model.criterion.hold {
        Some(hold) => first_stretch(&good, over, hold as usize),
        None => Some(last_bad + 1).filter(|&back| good.len() - back >= ENOUGH_WINDOWS),
    };
    if let Some(back) = back.filter(|_| good.len() - over >= ENOUGH_WINDOWS) {
        let back_at = timeline.start(back);
        return Assessment {
            back_at: Some(back_at),
            recovery_time: Some(back_at.since(ends)),
            ..Assessment::plain(Verdict::Recovered, relapses)
        };
    }
    if !is_healthy(model, &control().timeline, first) {
        return Assessment::plain(Verdict::Overloaded, relapses);
    }
    if (Time::ZERO + model.horizon).since(ends) < settling_time(model) {
        return Assessment::plain(Verdict::Undecided, relapses);
    }
    match empty_at(model, timeline, over) {
        Some(empty_at) => Assessment {
            empty_at: Some(empty_at),
            ..Assessment::plain(Verdict::Draining, relapses)
        },
        None => Assessment::plain(Verdict::Metastable, relapses),
    }
}

/// Without a trigger the run is its own control.
fn assess_undisturbed(model: &Model, timeline: &Timeline) -> Assessment {
    let verdict =
        if is_healthy(model, timeline, 0) { Verdict::Unaffected } else { Verdict::Overloaded };
    Assessment::plain(verdict, 0)
}

fn is_good(model: &Model, window: &Window) -> bool {
    // goodput >= share x arrivals, in whole numbers.
    let missing = window.arrivals.saturating_sub(window.goodput);
    model.criterion.tolerated().covers(missing, window.arrivals)
}

/// A healthy run is good in nine of ten windows from `first` on, and not failing at its end.
fn is_healthy(model: &Model, timeline: &Timeline, first: usize) -> bool {
    let windows = &timeline.windows()[first.min(timeline.windows().len())..];
    let good: Vec<bool> = windows.iter().map(|window| is_good(model, window)).collect();
    let bad = good.iter().filter(|&&good| !good).count();
    let at_the_end = good.iter().rev().take(ENOUGH_WINDOWS);
    bad * 10 <= good.len() && (good.is_empty() || at_the_end.clone().any(|&good| good))
}

/// The window that contains `instant`.
fn window_of(timeline: &Timeline, instant: Time) -> usize {
    timeline.width().times_in(instant.since(Time::ZERO)) as usize
}

/// The first window that starts at or after `instant`.
fn window_from(timeline: &Timeline, instant: Time) -> usize {
    let window = window_of(timeline, instant);
    if timeline.start(window) < instant { window + 1 } else { window }
}

/// Where the first `length` good windows in a row from `from` on begin.
fn first_stretch(good: &[bool], from: usize, length: usize) -> Option<usize> {
    let length = length.max(1);
    let stretch =
        good.get(from..)?.windows(length).position(|stretch| stretch.iter().all(|&good| good))?;
    Some(from + stretch)
}

/// How long after the last trigger nothing can be said about a system that is not back: ten windows,
/// the length of the disturbance, or twice the longest life of a request, whichever is longest. A
/// request sent at the last moment of the trigger, and one that meets what it left, may both run
/// through all their attempts.
fn settling_time(model: &Model) -> Span {
    let lives = model.clients.iter().map(|client| {
        let retry = &client.edge.retry;
        let attempt = client.edge.timeout.unwrap_or_default() + retry.longest_wait();
        attempt.saturating_mul(1 + u64::from(retry.max_retries))
    });
    // An endless retry loop would make every verdict wait for ever.
    let life = lives.max().unwrap_or_default().min(Span::from_nanos(model.horizon.as_nanos() / 8));
    let disturbed =
        model.disturbed_between().map_or(Span::ZERO, |(begins, ends)| ends.since(begins));
    let disturbed = disturbed.min(Span::from_nanos(model.horizon.as_nanos() / 4));
    model.window.saturating_mul(10).max(life.saturating_mul(2)).max(disturbed)
}

/// When the backlog would be gone, if over the last third of the run it fell while fewer attempts
/// were sent than can be served.
fn empty_at(model: &Model, timeline: &Timeline, over: usize) -> Option<Time> {
    let windows = timeline.windows();
    let from = (windows.len() - windows.len() / 3).max(over);
    let third = windows.get(from..).filter(|third| third.len() >= 2)?;
    let (begin, end) = (third.first()?.queue, third.last()?.queue);
    let attempts: u64 = third.iter().map(|window| window.attempts).sum();
    let capacity: f64 = model.services.iter().map(|service| service.capacity().per_second()).sum();
    let seconds = timeline.width().as_secs_f64() * third.len() as f64;
    if begin <= end || attempts as f64 >= capacity * seconds {
        return None;
    }
    let windows_left = end as f64 * (third.len() - 1) as f64 / (begin - end) as f64;
    let left = Span::from_secs_f64(windows_left * timeline.width().as_secs_f64());
    Some(Time::ZERO + model.horizon + left)
}
