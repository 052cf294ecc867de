//! Where everybody stands: callers above what they call, clients in the first row.

use crate::id::ServiceId;
use crate::model::{Caller, Model};

/// A picture of more calls than this is not read.
const MOST_CALLS: usize = 60;

/// More boxes than this do not stand beside each other.
const WIDEST_ROW: usize = 6;
/// How often rows are put in order by their neighbours, down and up again.
const SWEEPS: usize = 4;

/// What has a place in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A client, by its position.
    Client(usize),
    /// A service, by its position.
    Service(usize),
    /// An edge passes between boxes on its way further down.
    Passage,
}

/// Rows of places, from the top, and the places that each edge connects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub places: Vec<Place>,
    /// Positions in `places`, from left to right.
    pub rows: Vec<Vec<usize>>,
    /// Of each edge that requests can come to, its position in the model, and the places from its caller
    /// through passages to what is called, a row apart each.
    pub paths: Vec<(usize, Vec<usize>)>,
    /// How many calls are left out, because there are too many for a picture.
    missing: usize,
}

impl Plan {
    /// Of everything in `model` that requests of a client can come to; where that is too much for a
    /// picture, of as many calls as there is room for, from the top.
    pub(super) fn of(model: &Model) -> Self {
        let (kept, missing) = kept(model);
        let row_of = rows_of_services(model, &kept);
        let mut plan = Self { places: Vec::new(), rows: Vec::new(), paths: Vec::new(), missing };
        let clients: Vec<usize> =
            (0..model.clients.len()).map(|id| plan.put(0, Place::Client(id))).collect();
        let mut services = vec![0; model.services.len()];
        for (id, row) in row_of.iter().enumerate().filter_map(|(id, row)| Some((id, (*row)?))) {
            services[id] = plan.put(row, Place::Service(id));
        }
        for (nth, (_, caller, edge)) in model.edges().enumerate().filter(|(nth, _)| kept[*nth]) {
            let (from, above) = match caller {
                Caller::Client(id) => (clients[id.index()], 0),
                Caller::Service(id, _) => match row_of[id.index()] {
                    Some(row) => (services[id.index()], row),
                    None => continue,
                },
            };
            let below = row_of[edge.to.index()].unwrap_or(above + 1);
            let mut path = vec![from];
            path.extend((above + 1..below).map(|row| plan.put(row, Place::Passage)));
            path.push(services[edge.to.index()]);
            plan.paths.push((nth, path));
        }
        plan.arrange();
        plan
    }

    /// What is said where calls are left out.
    pub(super) fn left_out(&self) -> Option<String> {
        match self.missing {
            0 => None,
            1 => Some("One call is left out, of those furthest from the clients.".to_owned()),
            n => Some(format!("{n} calls are left out, those furthest from the clients.")),
        }
    }

    fn put(&mut self, row: usize, place: Place) -> usize {
        self.places.push(place);
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Vec::new());
        }
        self.rows[row].push(self.places.len() - 1);
        self.places.len() - 1
    }

    /// Puts each place near the middle of those it is connected with, so that few lines cross.
    fn arrange(&mut self) {
        let mut up = vec![Vec::new(); self.places.len()];
        let mut down = vec![Vec::new(); self.places.len()];
        for (_, path) in &self.paths {
            for pair in path.windows(2) {
                up[pair[1]].push(pair[0]);
                down[pair[0]].push(pair[1]);
            }
        }
        for sweep in 0..SWEEPS {
            let downwards = sweep % 2 == 0;
            for step in 1..self.rows.len() {
                let (row, fixed, near) = if downwards {
                    (step, step - 1, &up)
                } else {
                    (self.rows.len() - 1 - step, self.rows.len() - step, &down)
                };
                let places = spots(&self.rows[fixed]);
                let own = spots(&self.rows[row]);
                let middle = |place: usize| {
                    let found: Vec<f64> =
                        near[place].iter().filter_map(|other| spot_of(&places, *other)).collect();
                    if found.is_empty() {
                        return spot_of(&own, place).unwrap_or(0.5);
                    }
                    found.iter().sum::<f64>() / found.len() as f64
                };
                let mut wanted: Vec<(f64, usize)> =
                    self.rows[row].iter().map(|&place| (middle(place), place)).collect();
                wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.rows[row] = wanted.into_iter().map(|(_, place)| place).collect();
            }
        }
    }
}

/// The places of a row and where they stand, from 0 on the left to 1.
fn spots(row: &[usize]) -> Vec<(usize, f64)> {
    let count = row.len() as f64;
    row.iter().enumerate().map(|(nth, &place)| (place, (nth as f64 + 0.5) / count)).collect()
}

fn spot_of(spots: &[(usize, f64)], place: usize) -> Option<f64> {
    spots.iter().find(|(other, _)| *other == place).map(|(_, spot)| *spot)
}

/// The row of each service beneath all that call it; none of those that nobody reaches. A row that is too
/// wide goes on in the next one, and pushes down what its services call.
fn rows_of_services(model: &Model, kept: &[bool]) -> Vec<Option<usize>> {
    let mut rows: Vec<Option<usize>> = vec![None; model.services.len()];
    for (client, _) in model.clients.iter().zip(kept).filter(|(_, kept)| **kept) {
        rows[client.edge.to.index()] = Some(1);
    }
    let calls_of = calls_by_service(model);
    let mut taken: Vec<usize> = Vec::new();
    for id in model.callers_first() {
        let Some(mut row) = rows[id.index()] else { continue };
        while taken.get(row).is_some_and(|taken| *taken >= WIDEST_ROW) {
            row += 1;
        }
        taken.resize(taken.len().max(row + 1), 0);
        taken[row] += 1;
        rows[id.index()] = Some(row);
        for &(_, to) in calls_of[id.index()].iter().filter(|(nth, _)| kept[*nth]) {
            let below = &mut rows[to.index()];
            *below = Some(below.unwrap_or(0).max(row + 1));
        }
    }
    rows
}

/// Of each service the positions of its calls among all edges, and what they call.
fn calls_by_service(model: &Model) -> Vec<Vec<(usize, ServiceId)>> {
    let mut calls = vec![Vec::new(); model.services.len()];
    for (nth, (_, caller, edge)) in model.edges().enumerate() {
        match caller {
            Caller::Client(_) => {}
            Caller::Service(id, _) => calls[id.index()].push((nth, edge.to)),
        }
    }
    calls
}

/// Which edges are shown, by their positions, and how many are left out that requests can come to. Callers
/// come first, so that whatever is shown hangs together.
fn kept(model: &Model) -> (Vec<bool>, usize) {
    let calls_of = calls_by_service(model);
    let mut is_reached = vec![false; model.services.len()];
    let mut order: Vec<usize> = Vec::new();
    for (nth, client) in model.clients.iter().enumerate() {
        order.push(nth);
        is_reached[client.edge.to.index()] = true;
    }
    for id in model.callers_first() {
        if is_reached[id.index()] {
            for &(nth, to) in &calls_of[id.index()] {
                order.push(nth);
                is_reached[to.index()] = true;
            }
        }
    }
    let missing = order.len().saturating_sub(MOST_CALLS);
    order.truncate(MOST_CALLS);
    let mut kept = vec![false; model.edges().count()];
    order.into_iter().for_each(|nth| kept[nth] = true);
    (kept, missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ServiceId;
    use crate::law::Law;
    use crate::model::{Arrivals, Client, Edge, InnerCall, Service};
    use crate::time::Span;
    use crate::unit::Rate;

    /// Services 0, 1, 2, …, which call these; a client calls each of `tops`.
    fn model(calls: &[&[u16]], tops: &[u16]) -> Model {
        let service = |(id, callees): (usize, &&[u16])| {
            let law = Law::Fixed(Span::from_millis(1));
            let mut service = Service::new(&format!("{id}"), 1.try_into().unwrap(), law);
            let call = |&to: &u16| InnerCall::new(&format!("{to}"), Edge::new(ServiceId(to)));
            service.calls.list = callees.iter().map(call).collect();
            service
        };
        let arrivals = Arrivals::Even(Rate::new(1.0).unwrap());
        let client = |&to: &u16| Client::new("web", arrivals.clone(), Edge::new(ServiceId(to)));
        Model {
            services: calls.iter().enumerate().map(service).collect(),
            clients: tops.iter().map(client).collect(),
            ..Model::empty(Span::from_secs(10), Span::from_secs(1))
        }
    }

    fn shown(plan: &Plan) -> Vec<Vec<Place>> {
        plan.rows.iter().map(|row| row.iter().map(|place| plan.places[*place]).collect()).collect()
    }

    #[test]
    fn callers_stand_above_what_they_call() {
        use Place::{Client, Passage, Service};
        // The first calls the last by way of the second, and directly; nobody comes to the third.
        let plan = Plan::of(&model(&[&[1, 3], &[3], &[3], &[]], &[0]));
        let rows = shown(&plan);
        assert_eq!(rows[..2], [vec![Client(0)], vec![Service(0)]]);
        assert!(rows[2].contains(&Service(1)) && rows[2].contains(&Passage), "{rows:?}");
        assert_eq!(rows[3..], [vec![Service(3)]]);
        let lengths: Vec<(usize, usize)> =
            plan.paths.iter().map(|(nth, path)| (*nth, path.len())).collect();
        assert_eq!(lengths, [(0, 2), (1, 2), (2, 3), (3, 2)]);
    }

    /// Eight services that all call ten others: 81 calls with that of the client.
    #[test]
    fn too_many_calls_are_cut_off_below() {
        let below: Vec<u16> = (9..19).collect();
        let top: Vec<u16> = (1..9).collect();
        let mut calls: Vec<&[u16]> = vec![&top];
        calls.extend([below.as_slice(); 8]);
        calls.extend([&[][..]; 10]);
        let plan = Plan::of(&model(&calls, &[0]));
        assert_eq!((plan.paths.len(), plan.missing), (60, 1 + 8 + 80 - 60));
        let said = plan.left_out().unwrap();
        assert_eq!(said, "29 calls are left out, those furthest from the clients.");
        // Nothing stands without a line to it.
        let ends: Vec<usize> = plan.paths.iter().flat_map(|(_, path)| path.clone()).collect();
        assert!((0..plan.places.len()).all(|place| ends.contains(&place)));
        let few = Plan::of(&model(&[&[1], &[]], &[0]));
        assert_eq!((few.left_out(), few.missing), (None, 0));
    }

    #[test]
    fn lines_that_need_not_cross_do_not() {
        let plan = Plan::of(&model(&[&[3], &[2], &[], &[]], &[0, 1]));
        let rows = shown(&plan);
        assert_eq!(rows[2], [Place::Service(3), Place::Service(2)]);
    }

    #[test]
    fn a_wide_row_goes_on_below() {
        let fan: Vec<u16> = (1..=8).collect();
        let mut calls: Vec<&[u16]> = vec![&fan];
        calls.extend([&[][..]; 8]);
        let plan = Plan::of(&model(&calls, &[0]));
        let boxes = |row: &[Place]| row.iter().filter(|place| **place != Place::Passage).count();
        assert_eq!(shown(&plan).iter().map(|row| boxes(row)).collect::<Vec<_>>(), [1, 1, 6, 2]);
    }
}
