//! What became of requests and attempts in a while?

use std::ops::Range;

use crate::id::{ClientId, EdgeId, ServiceId};
use crate::model::Model;
use crate::observe::{Link, Recording};

/// What became of requests and attempts in a while.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fates {
    /// The share of the clients' requests that failed, of those that ended.
    pub failed: f64,
    /// The share of attempts that were sent because others had failed, or as copies.
    pub again: f64,
    /// The share of attempts that were sent as copies of others that were still out.
    pub hedged: f64,
    /// The share of attempts on the way to the seat that transports sent again beneath their policies, of all
    /// that were sent there, these included.
    pub repeated: f64,
    /// Requests of clients that ended.
    pub ended: u64,
    /// The share of attempts that were given up.
    pub timed_out: f64,
    /// The share of attempts that were refused.
    pub refused: f64,
    /// The share of attempts that were turned away with a failure, and not because there was no room.
    pub failed_at_once: f64,
    /// Attempts held back on their caller's own side, for each that was sent.
    pub held_back: f64,
    /// The edge over which most of these would have gone; none where none was held back.
    pub held_at: Option<EdgeId>,
}

/// What went over the edges in some windows, the clients' and the others'.
pub(super) fn fates(
    model: &Model,
    recording: &Recording,
    seat: ServiceId,
    range: &Range<usize>,
) -> Fates {
    let mut held: Vec<(EdgeId, u64)> = Vec::new();
    let (mut clients, mut all, mut seats) = (Link::default(), Link::default(), Link::default());
    let to_seat: Vec<bool> = model.edges().map(|(_, _, edge)| edge.to == seat).collect();
    if recording.graph.is_none() {
        for window in &recording.timeline.windows()[range.clone()] {
            clients = clients.and(window.into());
        }
        // Of a single edge only the whole run is known.
        let tally = recording.tally;
        let share = clients.attempts as f64 / (tally.attempts.max(1)) as f64;
        clients.held_back = (tally.held_back as f64 * share) as u64;
        held.push((EdgeId::from(ClientId(0)), clients.held_back));
        (all, seats) = (clients, clients);
    } else {
        for window in recording.graph.links().skip(range.start).take(range.len()) {
            for (index, link) in window.iter().enumerate() {
                let edge = recording.graph.edge(index);
                all = all.and(*link);
                if !edge.is_between_services() {
                    clients = clients.and(*link);
                }
                if to_seat[index] {
                    seats = seats.and(*link);
                }
                match held.get_mut(index) {
                    Some((_, count)) => *count += link.held_back,
                    None => held.push((edge, link.held_back)),
                }
            }
        }
    }
    let of = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    // What was sent before the while began may be given up in it.
    let share = |part: u64, whole: u64| of(part, whole).min(1.0);
    Fates {
        failed: of(clients.failed, clients.failed + clients.answered),
        again: share(all.retries + all.hedges + all.repeats, all.attempts),
        hedged: share(all.hedges, all.attempts),
        repeated: of(seats.repeats, seats.attempts + seats.repeats),
        ended: clients.failed + clients.answered,
        timed_out: share(all.timed_out, all.attempts),
        refused: share(all.refused - all.failed_at_once, all.attempts),
        failed_at_once: share(all.failed_at_once, all.attempts),
        held_back: of(all.held_back, all.attempts.max(1)),
        held_at: held
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .max_by_key(|(_, count)| *count)
            .map(|(edge, _)| edge),
    }
}
