//! Why does it not come back, or why does it?
//!
//! Everything here is read off a run: what the disturbance left in the queues, from when on waiting was
//! longer than anybody's patience, how much of the work was for nobody, and how large demand had become
//! with everything that was tried again, against what the service can serve.

mod fates;
mod patience;
mod seat;

pub use fates::Fates;
pub use patience::Patience;
pub use seat::Hold;

use fates::fates;
use patience::patience;
use seat::{Whiles, holds, seat};

use std::ops::Range;

use crate::id::{EdgeId, ServiceId};
use crate::model::{Caller, Meanwhile, Model};
use crate::observe::{Link, Recording, Station, Window};
use crate::policy::slowdown::Slowdown;
use crate::time::{Span, Time};

/// What a run shows about the service at which it was decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Mechanism {
    /// The service: of all, the one that was asked for most in the while that decides, in proportion to
    /// what it could then serve.
    pub seat: ServiceId,
    /// Attempts per second that fresh requests alone bring it, with nothing tried again: what its clients
    /// ask for on average or, where caches answer some of it, what came before the disturbance, for as many fresh
    /// requests as there are on average.
    pub fresh: f64,
    /// In which stretch that was seen; none where it follows from what clients ask for.
    pub fresh_seen: Option<(Time, Time)>,
    /// Attempts per second that it can serve with the workers it begins with; where these are held by what
    /// it calls, for as long as they are while nothing is wrong.
    pub capacity: f64,
    /// How long one of its workers was busy with an attempt on average in the while that decides, seconds,
    /// where it is held by what the service calls.
    pub held_s: Option<f64>,
    /// What the disturbance left in its queue; none without a disturbance.
    pub left: Option<Left>,
    /// How long those who call it wait for an attempt; none if all wait for ever.
    pub patience: Option<Patience>,
    /// When attempts had waited for longer than the least of that, on average over a window; none if never.
    pub too_late: Option<TooLate>,
    /// The while that decides: from the end of the disturbance until it is back, or the last third of the
    /// run; where it is back while the disturbance goes on, from the beginning of that.
    pub end: Stretch,
    /// What became of requests and attempts meanwhile, everywhere.
    pub fates: Fates,
    /// Who is held up by it, and by how much.
    pub holds: Vec<Hold>,
    /// When the disturbance began; none without one.
    pub disturbed_from: Option<Time>,
    /// How a fresh request comes to it, from the client on: the way over which most attempts come.
    pub path: Vec<Hop>,
}

/// What waited at the end of the last trigger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// When the last trigger was over.
    pub at: Time,
    /// Attempts in the queue, at the end of the window in which it was.
    pub waiting: u64,
    /// How long the service needs for them if nothing else comes, seconds; none where they may wait for
    /// one of several instances, where workers come and go, or where work grows with what waits.
    pub work_s: Option<f64>,
}

/// The first window in which attempts waited for too long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooLate {
    /// When it began.
    pub from: Time,
    /// The mean wait of the attempts that a worker began in it, seconds.
    pub waited_s: f64,
}

/// What happened at the seat in a stretch of windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// When it began.
    pub from: Time,
    /// When it ended.
    pub to: Time,
    /// Attempts that came, per second.
    pub demand: f64,
    /// Attempts served in full, per second.
    pub served: f64,
    /// Attempts that it could serve, per second: what [`Mechanism::capacity`] says or, where an autoscaler had
    /// brought more workers than it began with, what it did serve if that was more.
    pub capacity: f64,
    /// The share of those that nobody waited for; 0 if none were served.
    pub wasted: f64,
    /// Mean wait of the attempts that a worker began, seconds; none if none was.
    pub waited_s: Option<f64>,
    /// Attempts in the queue at its end.
    pub waiting: u64,
    /// Fresh requests of all clients in it, for each that there are on average.
    pub arrivals: f64,
}

/// One edge on the way to the seat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hop {
    /// Which one.
    pub edge: EdgeId,
    /// Who calls over it.
    pub caller: Caller,
    /// Attempts per call in the while that decides.
    pub amplification: f64,
}

/// Below this share of attempts that are sent again, nothing is multiplied.
const MULTIPLIED: f64 = 0.03;

impl Mechanism {
    /// Attempts at the seat in the while that decides for each that its fresh requests alone would have
    /// brought; none where next to nothing was sent again.
    pub fn amplification(&self) -> Option<f64> {
        let alone = self.fresh * self.end.arrivals;
        (alone > 0.0 && self.is_multiplied()).then(|| self.end.demand / alone)
    }

    /// Whether enough was sent again to matter.
    pub fn is_multiplied(&self) -> bool {
        self.fates.again >= MULTIPLIED
    }
}

/// Reads the mechanism off `recording`, a run of `model` that is back at `back`, if it is; none of a run
/// without a finished window.
pub fn mechanism(model: &Model, recording: &Recording, back: Option<Time>) -> Option<Mechanism> {
    let windows = recording.timeline.windows().len();
    let last = windows.checked_sub(1)?;
    let disturbed = model.disturbed_between();
    let before = disturbed.map_or(windows, |(begins, _)| {
        // What begins with a window belongs to it.
        (model.window.times_in(begins.since(Time::ZERO)) as usize).min(windows)
    });
    let over = disturbed.map_or(0, |(_, ends)| window_at(model, ends));
    let range = match back {
        Some(back) if window_at(model, back) < over => before.min(last)..window_at(model, back) + 1,
        Some(back) => {
            let from = (over + 1).min(last);
            from..window_at(model, back).clamp(from, last) + 1
        }
        None => (windows - windows / 3).max(over + 1).min(last)..windows,
    };
    let usual = 0..if before == 0 { windows } else { before };
    let is_known = 0 < before && before < range.end && disturbed.is_some();
    let whiles = Whiles {
        disturbed: is_known.then_some(before..range.end),
        end: range.clone(),
        usual: usual.clone(),
    };
    let seat = seat(model, recording, &whiles)?;
    let capacity = capacity(model, recording, seat, &usual);
    let service = model.service(seat);
    // Work that grows with what waits has no length beforehand.
    let has_a_length = service.instances.get() == 1
        && service.scaling.is_none()
        && service.slowdown == Slowdown::None;
    let seen = seen(recording, seat);
    let patience = patience(model, seat);
    let is_cached = model.edges().any(|(_, _, edge)| edge.cache.is_some());
    let fresh = match arrivals(model, recording, &usual) {
        arrivals if is_cached && arrivals > 0.0 => {
            demand(model, recording, seat, &usual) / arrivals
        }
        _ => model.demand_by_service()[seat.index()],
    };
    Some(Mechanism {
        seat,
        fresh,
        fresh_seen: is_cached.then(|| (at(model, usual.start), at(model, usual.end))),
        capacity,
        held_s: held(model, recording, seat, &range),
        left: disturbed.map(|(_, at)| {
            let waiting = seen[over.min(windows - 1)].queue;
            Left { at, waiting, work_s: has_a_length.then(|| waiting as f64 / capacity) }
        }),
        patience,
        too_late: patience.and_then(|patience| too_late(model, &seen, patience.least)),
        path: path(model, recording, seat, &range),
        fates: fates(model, recording, seat, &range),
        holds: holds(model, recording, seat, &whiles),
        disturbed_from: disturbed.map(|(begins, _)| begins),
        end: stretch(model, recording, &seen, range, (seat, capacity)),
    })
}

/// Attempts per second that come to a service in some windows.
fn demand(model: &Model, recording: &Recording, id: ServiceId, range: &Range<usize>) -> f64 {
    let seen = seen(recording, id);
    let attempts: u64 = seen[range.clone()].iter().map(|station| station.attempts).sum();
    attempts as f64 / (model.window.as_secs_f64() * range.len() as f64)
}

/// Fresh requests of all clients in some windows, for each that there are on average.
fn arrivals(model: &Model, recording: &Recording, range: &Range<usize>) -> f64 {
    let windows = &recording.timeline.windows()[range.clone()];
    let arrivals: u64 = windows.iter().map(|window| window.arrivals).sum();
    let seconds = model.window.as_secs_f64() * range.len() as f64;
    arrivals as f64 / (model.fresh_demand() * seconds)
}

/// When a window begins.
fn at(model: &Model, window: usize) -> Time {
    Time::ZERO + model.window.saturating_mul(window as u64)
}

/// How long one worker of a service is busy with an attempt on average in some windows, seconds, where it
/// is held by what the service calls; none where it is not, or has served nothing.
fn held(model: &Model, recording: &Recording, id: ServiceId, range: &Range<usize>) -> Option<f64> {
    let calls = &model.service(id).calls;
    if calls.list.is_empty() || calls.meanwhile == Meanwhile::FreesWorker {
        return None;
    }
    let sum =
        seen(recording, id)[range.clone()].iter().copied().fold(Station::default(), Station::and);
    (sum.completed > 0).then(|| sum.in_service.as_secs_f64() / sum.completed as f64)
}

/// Attempts per second that a service can serve in some windows with the workers it begins with.
fn capacity(model: &Model, recording: &Recording, id: ServiceId, range: &Range<usize>) -> f64 {
    let service = model.service(id);
    match held(model, recording, id, range) {
        Some(held) if held > 0.0 => {
            f64::from(service.instances.get()) * f64::from(service.workers.get()) / held
        }
        Some(_) | None => service.capacity().per_second(),
    }
}

/// The window in which the last moment before `instant` lies.
fn window_at(model: &Model, instant: Time) -> usize {
    let nanos = instant.since(Time::ZERO).as_nanos().saturating_sub(1);
    model.window.times_in(Span::from_nanos(nanos)) as usize
}

/// What a service saw in each finished window.
fn seen(recording: &Recording, id: ServiceId) -> Vec<Station> {
    if !recording.graph.is_none() {
        return recording.graph.stations().map(|window| window[id.index()]).collect();
    }
    recording.timeline.windows().iter().map(Station::from).collect()
}

fn too_late(model: &Model, seen: &[Station], patience: Span) -> Option<TooLate> {
    let waited = |station: &Station| station.waiting_mean_s();
    let index = seen
        .iter()
        .position(|station| waited(station).is_some_and(|wait| wait > patience.as_secs_f64()))?;
    let from = Time::ZERO + model.window.saturating_mul(index as u64);
    Some(TooLate { from, waited_s: waited(&seen[index])? })
}

fn stretch(
    model: &Model,
    recording: &Recording,
    seen: &[Station],
    range: Range<usize>,
    (seat, capacity): (ServiceId, f64),
) -> Stretch {
    let from = range.start;
    let sum = seen[range.clone()].iter().copied().fold(Station::default(), Station::and);
    let seconds = model.window.as_secs_f64() * range.len() as f64;
    let served = sum.completed as f64 / seconds;
    Stretch {
        from: at(model, from),
        to: at(model, range.end),
        demand: sum.attempts as f64 / seconds,
        served,
        capacity: match model.service(seat).scaling {
            Some(_) => capacity.max(served),
            None => capacity,
        },
        // An answer that is lost on its way is wasted when it is lost, which may be a window after the one
        // in which it was served.
        wasted: match sum.completed {
            0 => 0.0,
            completed => (sum.wasted as f64 / completed as f64).min(1.0),
        },
        waited_s: sum.waiting_mean_s(),
        waiting: sum.queue,
        arrivals: arrivals(model, recording, &range),
    }
}

/// From the seat upwards, always over the edge that brings most attempts.
fn path(model: &Model, recording: &Recording, seat: ServiceId, range: &Range<usize>) -> Vec<Hop> {
    let sum = |edge: EdgeId| -> Link {
        if recording.graph.is_none() {
            let windows = &recording.timeline.windows()[range.clone()];
            let count = |of: fn(&Window) -> u64| windows.iter().map(of).sum();
            return Link {
                requests: count(|window| window.arrivals),
                attempts: count(|window| window.attempts),
                ..Link::default()
            };
        }
        let windows = recording.graph.links().skip(range.start).take(range.len());
        let links = windows.map(|window| window[edge.index()]);
        links.fold(Link::default(), Link::and)
    };
    let mut hops = Vec::new();
    let mut to = seat;
    while let Some((edge, caller, _)) = model
        .edges()
        .filter(|(_, _, edge)| edge.to == to)
        .max_by_key(|(id, _, _)| (sum(*id).attempts, std::cmp::Reverse(id.index())))
    {
        hops.push(Hop { edge, caller, amplification: sum(edge).amplification().unwrap_or(1.0) });
        match caller {
            Caller::Client(_) => break,
            Caller::Service(id, _) => to = id,
        }
    }
    hops.reverse();
    hops
}
