//! Where is it decided, and whom does that hold up?

use std::ops::Range;

use super::{capacity, demand, seen};
use crate::id::ServiceId;
use crate::model::{Caller, Meanwhile, Model, Subject};
use crate::observe::{Recording, Station};

/// So many times longer than usual is longer.
const LONGER: f64 = 1.5;

/// A service whose attempts take longer because of what it calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Which one.
    pub service: ServiceId,
    /// How long an attempt took from the start of its service to the end before the disturbance, on average,
    /// seconds.
    pub usual_s: f64,
    /// The same from the beginning of the disturbance to the end of the while that decides.
    pub then_s: f64,
    /// Attempts per second that its workers can serve while they are held for so long; none where it lets
    /// its workers go.
    pub capacity: Option<f64>,
}

/// The stretches, in windows, that a disturbed run is compared by.
#[derive(Clone, Debug)]
pub(super) struct Whiles {
    /// The one that decides.
    pub(super) end: Range<usize>,
    /// Before the disturbance; the whole run where there is none.
    pub(super) usual: Range<usize>,
    /// From the beginning of the disturbance to the end of the while that decides; none where the run begins
    /// with it, or without it.
    pub(super) disturbed: Option<Range<usize>>,
}

/// The service at which it is decided.
///
/// What is asked for more than its own work allows is short of capacity, and of such services the one that is
/// asked for most, in proportion. Where none is, whoever calls a service that is held up is held up with it,
/// and looks as busy: the one is meant below which nothing takes longer than usual. Where nothing does, it is
/// the one with the highest load.
pub(super) fn seat(model: &Model, recording: &Recording, whiles: &Whiles) -> Option<ServiceId> {
    let range = &whiles.end;
    let ids = || (0..model.services.len()).map(|index| ServiceId(index as u16));
    let own = |id: &ServiceId| {
        let service = model.service(*id);
        let most = service.capacity_of(service.most_workers()).per_second();
        demand(model, recording, *id, range) / most
    };
    let most_asked = ids().max_by(|a, b| own(a).total_cmp(&own(b)))?;
    if own(&most_asked) >= 1.0 {
        return Some(most_asked);
    }
    let delays: Vec<f64> =
        ids().map(|id| Stay::of(recording, id, whiles).map_or(0.0, Stay::delay)).collect();
    let delay = |id: &ServiceId| delays[id.index()];
    let slowest = ids().max_by(|a, b| delay(a).total_cmp(&delay(b)))?;
    if delay(&slowest) > 0.0 {
        return Some(deepest(model, recording, whiles, slowest, &delay));
    }
    let load = |id: &ServiceId| {
        demand(model, recording, *id, range) / capacity(model, recording, *id, range)
    };
    ids().max_by(|a, b| load(a).total_cmp(&load(b)))
}

/// From `first` on down, for as long as what it calls is why its attempts take longer, or is disturbed itself:
/// what is refused at once takes no longer than usual.
fn deepest(
    model: &Model,
    recording: &Recording,
    whiles: &Whiles,
    first: ServiceId,
    delay: &impl Fn(&ServiceId) -> f64,
) -> ServiceId {
    let is_disturbed = |id: &ServiceId| {
        let mut triggers = model.triggers.iter();
        triggers.any(|trigger| trigger.disturbance.subject() == Subject::Service(*id))
    };
    let mut seat = first;
    loop {
        let is_held_up = takes(model, recording, seat, whiles).is_some();
        let callees = model.service(seat).calls.list.iter().map(|call| call.edge.to);
        let next = callees
            .filter(|id| delay(id) > 0.0 && (is_held_up || is_disturbed(id)))
            .max_by(|a, b| delay(a).total_cmp(&delay(b)));
        match next {
            Some(next) => seat = next,
            None => return seat,
        }
    }
}

/// How long attempts stay at a service on average, seconds: their waits and what follows.
#[derive(Clone, Copy)]
struct Stay {
    usual: f64,
    then: f64,
}

impl Stay {
    fn of(recording: &Recording, id: ServiceId, whiles: &Whiles) -> Option<Self> {
        let all = seen(recording, id);
        let mean = |range: &Range<usize>| {
            let sum = sum(&all[range.clone()]);
            // Attempts that came and have not left stay for longer than those that have.
            let stayed = sum.waited.as_secs_f64() + sum.in_service.as_secs_f64();
            (sum.started > 0).then(|| stayed / sum.started as f64)
        };
        let disturbed = whiles.disturbed.as_ref()?;
        let usual = mean(&whiles.usual)?;
        // None was begun in all that time.
        let then = mean(disturbed).unwrap_or(f64::INFINITY);
        Some(Self { usual, then })
    }

    /// By how much longer, if that is much.
    fn delay(self) -> f64 {
        if self.then >= LONGER * self.usual { self.then - self.usual } else { 0.0 }
    }
}

/// How long attempts of a service that calls others took from the start of their service to its end, usually and
/// then, on average, seconds, if that is much longer; endlessly where none came to its end.
fn takes(
    model: &Model,
    recording: &Recording,
    id: ServiceId,
    whiles: &Whiles,
) -> Option<(f64, f64)> {
    if model.service(id).calls.list.is_empty() {
        return None;
    }
    let all = seen(recording, id);
    let mean = |range: &Range<usize>| {
        let sum = sum(&all[range.clone()]);
        (sum.completed > 0).then(|| sum.in_service.as_secs_f64() / sum.completed as f64)
    };
    let usual = mean(&whiles.usual)?;
    let then = mean(whiles.disturbed.as_ref()?).unwrap_or(f64::INFINITY);
    (then >= LONGER * usual).then_some((usual, then))
}

/// How a service is held up by what it calls, if it is and an attempt came to its end all the same.
fn hold(model: &Model, recording: &Recording, id: ServiceId, whiles: &Whiles) -> Option<Hold> {
    let (usual_s, then_s) = takes(model, recording, id, whiles)?;
    let service = model.service(id);
    let workers = f64::from(service.instances.get()) * f64::from(service.workers.get());
    let capacity = match service.calls.meanwhile {
        Meanwhile::HoldsWorker => Some(workers / then_s),
        Meanwhile::FreesWorker => None,
    };
    then_s.is_finite().then_some(Hold { service: id, usual_s, then_s, capacity })
}

/// Those who are held up by the seat, from it upwards: whoever calls it, and whoever calls them.
pub(super) fn holds(
    model: &Model,
    recording: &Recording,
    seat: ServiceId,
    whiles: &Whiles,
) -> Vec<Hold> {
    let mut above = vec![seat];
    let mut next = 0;
    while let Some(&to) = above.get(next) {
        next += 1;
        for (_, caller, edge) in model.edges() {
            if let Caller::Service(id, _) = caller
                && edge.to == to
                && !above.contains(&id)
            {
                above.push(id);
            }
        }
    }
    above.into_iter().skip(1).filter_map(|id| hold(model, recording, id, whiles)).collect()
}

fn sum(windows: &[Station]) -> Station {
    windows.iter().copied().fold(Station::default(), Station::and)
}
