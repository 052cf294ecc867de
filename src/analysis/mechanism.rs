//! Why does it not come back, or why does it?
//!
//! Everything here is read off a run: what the disturbance left in the queues, from when on waiting was
//! longer than anybody's patience, how much of the work was for nobody, and how large demand had become
//! with everything that was tried again, against what the service can serve.

use std::ops::Range;

use crate::id::{EdgeId, ServiceId};
use crate::model::{Caller, Edge, Model};
use crate::observe::{Link, Recording, Station, Window};
use crate::time::{Span, Time};

/// What a run shows about the service at which it was decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Mechanism {
    /// The service: of all, the one that was asked for most in the while that decides, in proportion to
    /// what it can serve.
    pub seat: ServiceId,
    /// Attempts per second that fresh requests alone bring it, with nothing retried and caches warm.
    pub fresh: f64,
    /// Attempts per second that it can serve.
    pub capacity: f64,
    /// What the disturbance left in its queue; none without a disturbance.
    pub left: Option<Left>,
    /// The least time that anybody who calls it waits for an attempt; none if all wait for ever.
    pub patience: Option<Span>,
    /// From when on attempts waited for longer than that, on average over a window; none if never.
    pub too_late: Option<TooLate>,
    /// The while that decides: from the end of the disturbance until it is back, or the last third of the
    /// run.
    pub end: Stretch,
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
    /// How long the service needs for them if nothing else comes, seconds.
    pub work_s: f64,
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
    /// Attempts that came, per second.
    pub demand: f64,
    /// Attempts served in full, per second.
    pub served: f64,
    /// The share of those that nobody waited for; 0 if none were served.
    pub wasted: f64,
    /// Attempts that clients and callers held back on their own side, per second, everywhere.
    pub held_back: f64,
    /// How much longer the queue was at its end than at its beginning, in attempts.
    pub growth: f64,
    /// Attempts in the queue at its end.
    pub waiting: u64,
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

impl Mechanism {
    /// Attempts at the seat in the while that decides for each that fresh requests alone would bring.
    pub fn amplification(&self) -> Option<f64> {
        (self.fresh > 0.0).then(|| self.end.demand / self.fresh)
    }
}

/// Reads the mechanism off `recording`, a run of `model` that is back at `back`, if it is; none of a run
/// without a finished window.
pub fn mechanism(model: &Model, recording: &Recording, back: Option<Time>) -> Option<Mechanism> {
    let windows = recording.timeline.windows().len();
    let last = windows.checked_sub(1)?;
    let over = model.disturbed_between().map_or(0, |(_, ends)| window_at(model, ends));
    let range = match back {
        Some(back) => {
            let from = (over + 1).min(last);
            from..window_at(model, back).clamp(from, last) + 1
        }
        None => (windows - windows / 3).max(over + 1).min(last)..windows,
    };
    let ids = (0..model.services.len()).map(|index| ServiceId(index as u16));
    let load = |id: &ServiceId| {
        let seen = seen(recording, *id);
        let attempts: u64 = seen[range.clone()].iter().map(|station| station.attempts).sum();
        attempts as f64 / model.service(*id).capacity().per_second()
    };
    let seat = ids.max_by(|a, b| load(a).total_cmp(&load(b)))?;
    let capacity = model.service(seat).capacity_of(model.service(seat).most_workers());
    let seen = seen(recording, seat);
    let patience = patience(model, seat);
    Some(Mechanism {
        seat,
        fresh: model.demand_by_service()[seat.index()],
        capacity: capacity.per_second(),
        left: model.disturbed_between().map(|(_, at)| {
            let waiting = seen[over.min(windows - 1)].queue;
            Left { at, waiting, work_s: waiting as f64 / capacity.per_second() }
        }),
        patience,
        too_late: patience.and_then(|patience| too_late(model, &seen, patience)),
        path: path(model, recording, seat, &range),
        end: stretch(model, recording, &seen, range),
    })
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
    let of_window = |window: &Window| Station {
        attempts: window.attempts,
        started: window.started,
        completed: window.throughput,
        wasted: window.wasted,
        rejected: window.rejected,
        shed: window.shed,
        waited: window.waited,
        queue: window.queue,
        ..Station::default()
    };
    recording.timeline.windows().iter().map(of_window).collect()
}

fn patience(model: &Model, seat: ServiceId) -> Option<Span> {
    let of_edge = |edge: &Edge| {
        let request = edge.deadline.and_then(|deadline| deadline.request);
        edge.timeout.into_iter().chain(request).min()
    };
    model
        .edges()
        .filter(|(_, _, edge)| edge.to == seat)
        .filter_map(|(.., edge)| of_edge(edge))
        .min()
}

fn too_late(model: &Model, seen: &[Station], patience: Span) -> Option<TooLate> {
    let waited = |station: &Station| station.waiting_mean_s();
    let index = seen
        .iter()
        .position(|station| waited(station).is_some_and(|wait| wait > patience.as_secs_f64()))?;
    let from = Time::ZERO + model.window.saturating_mul(index as u64);
    Some(TooLate { from, waited_s: waited(&seen[index])? })
}

fn stretch(model: &Model, recording: &Recording, seen: &[Station], range: Range<usize>) -> Stretch {
    let from = range.start;
    let sum = seen[range.clone()].iter().copied().fold(Station::default(), Station::and);
    let seconds = model.window.as_secs_f64() * range.len() as f64;
    let held_back: u64 = if recording.graph.is_none() {
        // Of a single edge only the whole run is known.
        recording.tally.held_back
    } else {
        recording
            .graph
            .links()
            .skip(from)
            .take(range.len())
            .flatten()
            .map(|link| link.held_back)
            .sum()
    };
    let held_for = if recording.graph.is_none() { model.horizon.as_secs_f64() } else { seconds };
    let before = from.checked_sub(1).map_or(0, |before| seen[before].queue);
    Stretch {
        from: Time::ZERO + model.window.saturating_mul(from as u64),
        demand: sum.attempts as f64 / seconds,
        served: sum.completed as f64 / seconds,
        wasted: if sum.completed == 0 { 0.0 } else { sum.wasted as f64 / sum.completed as f64 },
        held_back: held_back as f64 / held_for,
        growth: sum.queue as f64 - before as f64,
        waiting: sum.queue,
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
