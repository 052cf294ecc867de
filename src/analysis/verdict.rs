//! Does it come back, and when?
//!
//! Goodput of each window is held against fresh demand in the same window. A control run, the same
//! world under the same seed without its triggers, tells a system that was pushed over from one that
//! never stood.

use std::fmt;

use crate::model::{Action, Arrivals, Edge, InnerCall, Model, Pull, Service};
use crate::observe::{Recording, Share, Station, Timeline, Window};
use crate::time::{Span, Time};
use crate::unit::Fraction;

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
/// Windows before the first trigger that must all be good for the control run to be taken as well.
const ENOUGH_BEFORE: usize = 5;

/// Judges `recording`, a run of `model`. `control_fails` is called only where the verdict depends on it,
/// and tells of the model without its triggers under the same seed what [`control_fails`] does.
pub fn assess(
    model: &Model,
    recording: &Recording,
    control_fails: impl FnOnce() -> bool,
) -> Assessment {
    let Some(course) = Course::of(model, recording) else {
        return Assessment::plain(of_undisturbed(model, recording), 0);
    };
    let Course { good, over, ends, .. } = &course;
    let (timeline, over, ends) = (&recording.timeline, *over, *ends);
    let relapses = good[over..].windows(2).filter(|pair| pair[0] && !pair[1]).count() as u32;
    let back = match course.back(model) {
        Back::NeverAway => return Assessment::plain(Verdict::Unaffected, 0),
        Back::From(window) => Some(window),
        Back::Not => None,
    };
    let is_back = back.is_some();
    let overloaded = (!is_back && exceeds_capacity(model))
        || ((!is_back || !course.was_well()) && control_fails());
    match back {
        _ if overloaded => Assessment::plain(Verdict::Overloaded, relapses),
        Some(back) => Assessment {
            back_at: Some(timeline.start(back)),
            recovery_time: Some(timeline.start(back).since(ends)),
            ..Assessment::plain(Verdict::Recovered, relapses)
        },
        None if stayed_down_between_triggers(model, timeline, good) => {
            Assessment::plain(Verdict::Metastable, relapses)
        }
        None if (Time::ZERO + model.horizon).since(ends) < settling_time(model)
            || is_held_down_at_the_end(model) =>
        {
            Assessment::plain(Verdict::Undecided, relapses)
        }
        None => match empty_at(model, recording, over) {
            Some(empty_at) => Assessment {
                empty_at: Some(empty_at),
                ..Assessment::plain(Verdict::Draining, relapses)
            },
            None => Assessment::plain(Verdict::Metastable, relapses),
        },
    }
}

/// Whether `control`, a run of `model` without what disturbs it, fails too in the windows from the first
/// trigger on.
pub fn control_fails(model: &Model, control: &Recording) -> bool {
    let good = good_windows(model, control);
    let first = first_disturbed_window(model).unwrap_or(0).min(good.len());
    !is_healthy(&good[first..]) || !is_served(model, control, first)
}

/// The window in which the first trigger begins; none without triggers. Whatever else is disturbed, the
/// control run of the same world is judged alike from the same window on.
pub fn first_disturbed_window(model: &Model) -> Option<usize> {
    let (begins, _) = model.disturbed_between()?;
    Some(model.window.times_in(begins.since(Time::ZERO)) as usize)
}

/// Whether the run of `model` that `recording` tells of is well at its end, as [`assess`] would find:
/// unaffected or recovered. What is wrong with it otherwise is not asked, which saves most control runs.
pub fn ends_well(
    model: &Model,
    recording: &Recording,
    control_fails: impl FnOnce() -> bool,
) -> bool {
    let Some(course) = Course::of(model, recording) else {
        return of_undisturbed(model, recording).is_well();
    };
    match course.back(model) {
        Back::NeverAway => true,
        Back::From(_) => course.was_well() || !control_fails(),
        Back::Not => false,
    }
}

/// A disturbed run in windows.
struct Course {
    good: Vec<bool>,
    /// The window in which the first trigger begins.
    first: usize,
    /// The first window after the last trigger.
    over: usize,
    /// When the last trigger ends.
    ends: Time,
}

/// When a disturbed run was good again for good, or for as long as is asked.
enum Back {
    NeverAway,
    From(usize),
    Not,
}

impl Course {
    /// None if nothing disturbs the run.
    fn of(model: &Model, recording: &Recording) -> Option<Self> {
        let (begins, ends) = model.disturbed_between()?;
        let (timeline, good) = (&recording.timeline, good_windows(model, recording));
        let first = window_of(timeline, begins).min(good.len());
        let over = window_from(timeline, ends).min(good.len());
        Some(Self { good, first, over, ends })
    }

    fn back(&self, model: &Model) -> Back {
        let Self { good, first, over, .. } = self;
        let last_bad = good.iter().rposition(|&good| !good).filter(|bad| bad >= first);
        let Some(last_bad) = last_bad else { return Back::NeverAway };
        let back = match model.criterion.hold {
            Some(hold) => first_stretch(good, *over, hold as usize),
            None => Some(last_bad + 1).filter(|&back| good.len() - back >= ENOUGH_WINDOWS),
        };
        back.filter(|_| good.len() - over >= ENOUGH_WINDOWS).map_or(Back::Not, Back::From)
    }

    /// Up to the trigger a run and its control are the same. Where every window of a fair number was
    /// good, the control is well without being run.
    fn was_well(&self) -> bool {
        self.first >= ENOUGH_BEFORE && self.good[..self.first].iter().all(|&good| good)
    }
}

/// Without a trigger the run is its own control.
fn of_undisturbed(model: &Model, recording: &Recording) -> Verdict {
    let good = good_windows(model, recording);
    let well = is_healthy(&good) && is_served(model, recording, 0) && !exceeds_capacity(model);
    if well { Verdict::Unaffected } else { Verdict::Overloaded }
}

/// Whether an operator still keeps requests or attempts out when the run ends, or has done so in the
/// last windows: what fails then says nothing about what happens afterwards.
fn is_held_down_at_the_end(model: &Model) -> bool {
    let judged = model.window.saturating_mul(ENOUGH_WINDOWS as u64);
    model.levers.iter().any(|lever| {
        let lasts = match &lever.action {
            Action::Block { lasts, .. } => *lasts,
            Action::Restart { takes, .. } => *takes,
            Action::DropQueue { .. } | Action::Change(_) => return false,
        };
        match lever.pulled {
            Pull::At(at) => at + lasts + judged > Time::ZERO + model.horizon,
            Pull::Once { .. } => false,
        }
    })
}

/// Which windows were good: for every client, goodput was the share of fresh demand that is asked for.
fn good_windows(model: &Model, recording: &Recording) -> Vec<bool> {
    let mut judges: Vec<Judge> =
        model.clients.iter().map(|client| Judge::of(model, &client.arrivals)).collect();
    if recording.parties.clients().len() > 0 {
        let mut all_good = |clients: &[Share]| {
            let judged = judges.iter_mut().zip(clients).map(|(judge, seen)| judge.is_good(*seen));
            // Counted to the end: each of them has to see every window.
            judged.filter(|good| !good).count() == 0
        };
        return recording.parties.clients().map(&mut all_good).collect();
    }
    let Some(judge) = judges.first_mut() else { return Vec::new() };
    let seen = |window: &Window| {
        let Window { arrivals, goodput, failed, attempts, .. } = *window;
        Share { arrivals, goodput, failed, attempts }
    };
    recording.timeline.windows().iter().map(|window| judge.is_good(seen(window))).collect()
}

/// Looks at the windows of one client, one after the other.
struct Judge {
    tolerated: Fraction,
    waits_for_answers: bool,
    /// Requests without an end.
    open: u64,
    was_good: bool,
}

impl Judge {
    fn of(model: &Model, arrivals: &Arrivals) -> Self {
        Self {
            tolerated: model.criterion.tolerated(),
            waits_for_answers: matches!(arrivals, Arrivals::Users(_)),
            open: 0,
            was_good: true,
        }
    }

    /// Whether the next window was good. While users wait for answers they ask for nothing more, so that a
    /// window in which nothing was asked and nothing answered is like the one before if anybody waits, and
    /// bad if anybody was turned away.
    fn is_good(&mut self, seen: Share) -> bool {
        let Share { arrivals, goodput, failed, attempts: _ } = seen;
        self.open = (self.open + arrivals).saturating_sub(goodput + failed);
        let is_silent = self.waits_for_answers && arrivals == 0 && goodput == 0;
        self.was_good = match failed {
            0 if is_silent && self.open > 0 => self.was_good,
            1.. if is_silent => false,
            // goodput >= share x arrivals, in whole numbers.
            _ => self.tolerated.covers(arrivals.saturating_sub(goodput), arrivals),
        };
        self.was_good
    }
}

/// A healthy run is good in nine of ten windows, and not failing at its end.
fn is_healthy(good: &[bool]) -> bool {
    let bad = good.iter().filter(|&&good| !good).count();
    let mut at_the_end = good.iter().rev().take(ENOUGH_WINDOWS);
    bad * 10 <= good.len() && (good.is_empty() || at_the_end.any(|&good| good))
}

/// Whether every client got, from window number `from` on, what it gets at the least in a healthy run
/// with even demand: the share that is asked for, in nine of ten windows. Demand that comes in a few
/// windows and is met in none of them leaves nine of ten windows good, for nothing was asked in them.
fn is_served(model: &Model, recording: &Recording, from: usize) -> bool {
    let is_enough = |(arrivals, goodput): (u64, u64)| {
        let asked = (arrivals * 9).div_ceil(10);
        model.criterion.tolerated().covers(asked.saturating_sub(goodput), asked)
    };
    let sum = |sum: (u64, u64), arrivals, goodput| (sum.0 + arrivals, sum.1 + goodput);
    if recording.parties.clients().len() > 0 {
        let mut sums = vec![(0, 0); model.clients.len()];
        for clients in recording.parties.clients().skip(from) {
            for (so_far, client) in sums.iter_mut().zip(clients) {
                *so_far = sum(*so_far, client.arrivals, client.goodput);
            }
        }
        return sums.into_iter().all(is_enough);
    }
    let windows = recording.timeline.windows().iter().skip(from);
    is_enough(windows.fold((0, 0), |so_far, window| sum(so_far, window.arrivals, window.goodput)))
}

/// Whether some service gets more fresh requests than it can serve, whatever else happens. The demand
/// of a closed loop is no more than its answers allow, and that of a volley has no rate: it would be
/// as high as the horizon is near.
pub fn exceeds_capacity(model: &Model) -> bool {
    let demand = model.demand_of(|client| has_a_rate(&client.arrivals));
    let services = model.services.iter().zip(demand);
    services.into_iter().any(|(service, demand)| demand > at_most(service))
}

/// Attempts per second that the service can serve once it has as many workers as it may have.
fn at_most(service: &Service) -> f64 {
    service.capacity_of(service.most_workers()).per_second()
}

const fn has_a_rate(arrivals: &Arrivals) -> bool {
    match arrivals {
        Arrivals::Poisson(_)
        | Arrivals::Even(_)
        | Arrivals::Bursts(_)
        | Arrivals::Profile(_)
        | Arrivals::Replay(_) => true,
        Arrivals::Volley { .. } | Arrivals::Users(_) => false,
    }
}

/// Whether, between two triggers, it was left alone for long enough to come back and did not.
fn stayed_down_between_triggers(model: &Model, timeline: &Timeline, good: &[bool]) -> bool {
    let settling = settling_time(model);
    model.triggers.iter().any(|trigger| {
        let ends = trigger.ends();
        let others = model.triggers.iter();
        let acts_on = others.clone().any(|other| other.begins <= ends && other.ends() > ends);
        let next = others.map(|other| other.begins).filter(|begins| *begins > ends).min();
        next.is_some_and(|next| {
            let last = window_of(timeline, next).min(good.len());
            let before = last.saturating_sub(ENOUGH_WINDOWS);
            let down = good[before..last].iter().all(|&good| !good) && before < last;
            !acts_on && next.since(ends) >= settling && down
        })
    })
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
    // An endless retry loop would make every verdict wait for ever.
    let life = longest_life_of_all(model).min(Span::from_nanos(model.horizon.as_nanos() / 8));
    let disturbed =
        model.disturbed_between().map_or(Span::ZERO, |(begins, ends)| ends.since(begins));
    let disturbed = disturbed.min(Span::from_nanos(model.horizon.as_nanos() / 4));
    model.window.saturating_mul(10).max(life.saturating_mul(2)).max(disturbed)
}

/// How long any request can go on.
fn longest_life_of_all(model: &Model) -> Span {
    let below = lives_below(model);
    let lives = model.clients.iter().map(|client| longest_life(model, &client.edge, &below));
    lives.max().unwrap_or_default()
}

/// When the last trigger ends, and when the last request that it has met does; none without triggers,
/// and where somebody does something about it.
pub fn settled_from(model: &Model) -> Option<(Time, Time)> {
    let (_, over) = model.disturbed_between().filter(|_| model.levers.is_empty())?;
    Some((over, over + longest_life_of_all(model)))
}

/// How long a request over `edge` can go on, with what it has set going further down, of which `below`
/// tells by service.
fn longest_life(model: &Model, edge: &Edge, below: &[Span]) -> Span {
    let retry = &edge.retry;
    let attempt = edge.timeout.unwrap_or(below[edge.to.index()])
        + retry.longest_wait(&model.service(edge.to).hints());
    attempt.saturating_mul(1 + u64::from(retry.max_retries)) + below[edge.to.index()]
}

/// How long the calls of each service can go on, one step after the other.
fn lives_below(model: &Model) -> Vec<Span> {
    let mut below = vec![Span::ZERO; model.services.len()];
    for id in model.callees_first().expect("services do not call each other in a circle") {
        let steps = model.service(id).calls.list.chunk_by(|call, next| call.step == next.step);
        let longest = |step: &[InnerCall]| {
            step.iter().map(|call| longest_life(model, &call.edge, &below)).max()
        };
        let sum = steps.filter_map(longest).fold(Span::ZERO, |sum, life| sum + life);
        below[id.index()] = sum;
    }
    below
}

/// When the backlog would be gone, if over the last third of the run it fell, and at every service
/// where anybody waits fewer attempts arrived than can be served.
fn empty_at(model: &Model, recording: &Recording, over: usize) -> Option<Time> {
    let timeline = &recording.timeline;
    let count = timeline.windows().len();
    let from = (count - count / 3).max(over);
    let length = count.checked_sub(from).filter(|&length| length >= 2)?;
    let seconds = timeline.width().as_secs_f64() * length as f64;
    let mut latest = None;
    for (index, service) in model.services.iter().enumerate() {
        let (begin, end, attempts) = last_windows(recording, index, from);
        if end == 0 {
            continue;
        }
        if begin <= end || attempts as f64 >= at_most(service) * seconds {
            return None;
        }
        let windows_left = end as f64 * (length - 1) as f64 / (begin - end) as f64;
        let left = Span::from_secs_f64(windows_left * timeline.width().as_secs_f64());
        latest = latest.max(Some(Time::ZERO + model.horizon + left));
    }
    latest
}

/// How many waited for a service at the ends of window number `from` and of the last one, and how many
/// attempts came to it in these windows and between.
fn last_windows(recording: &Recording, service: usize, from: usize) -> (u64, u64, u64) {
    let graph = &recording.graph;
    if graph.is_none() {
        let windows = &recording.timeline.windows()[from..];
        let queue = |window: Option<&Window>| window.map_or(0, |window| window.queue);
        let attempts = windows.iter().map(|window| window.attempts + window.repeats).sum();
        return (queue(windows.first()), queue(windows.last()), attempts);
    }
    let mut windows = graph.stations().skip(from).map(|stations| stations[service]);
    let Some(first) = windows.next() else { return (0, 0, 0) };
    let all = windows.fold(first, Station::and);
    (first.queue, all.queue, all.attempts)
}
