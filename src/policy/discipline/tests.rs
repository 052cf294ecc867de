//! Every waiting room against a plain list that is searched anew for each answer.

use proptest::prelude::*;

use super::*;
use crate::random::{Purpose, Stream};
use crate::time::Span;

/// One that waits, as the list has it, in order of arrival.
#[derive(Clone, Copy, Debug)]
struct Listed {
    waiting: Waiting,
    urgency: Urgency,
    ticket: Ticket,
}

/// Whom the discipline picks of a list that is not empty, where a list can tell.
fn choice(discipline: &Discipline, list: &[Listed], now: Time) -> Option<usize> {
    let last = list.len() - 1;
    let first_with = |key: &dyn Fn(&Listed) -> u64| {
        let least = list.iter().map(key).min();
        list.iter().position(|listed| Some(key(listed)) == least)
    };
    match discipline {
        Discipline::Fifo => Some(0),
        Discipline::Lifo => Some(last),
        Discipline::AdaptiveLifo(crowded) => {
            let age = now.since(list[0].waiting.since);
            let crowded = *crowded == Crowded::longer_than(5) && list.len() > 5
                || *crowded == Crowded::older_than(Span::from_millis(40))
                    && age > Span::from_millis(40);
            Some(if crowded { last } else { 0 })
        }
        Discipline::EarliestDeadline => first_with(&|listed| listed.urgency.deadline.as_nanos()),
        Discipline::Priority => first_with(&|listed| listed.urgency.class.rank() as u64),
        Discipline::Weighted(_) | Discipline::Random => None,
    }
}

fn every_discipline() -> [Discipline; 8] {
    [
        Discipline::Fifo,
        Discipline::Lifo,
        Discipline::AdaptiveLifo(Crowded::longer_than(5)),
        Discipline::AdaptiveLifo(Crowded::older_than(Span::from_millis(40))),
        Discipline::EarliestDeadline,
        Discipline::Priority,
        Discipline::Weighted(Weights::new(&[3, 1].map(|weight| weight.try_into().unwrap()))),
        Discipline::Random,
    ]
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Push {
        deadline_ms: u64,
        rank: u8,
    },
    Pick,
    /// Of one that waits.
    Remove(usize),
    /// Of one that has left.
    RemoveAgain(usize),
    Clear,
}

fn step() -> impl Strategy<Value = (u64, Step)> {
    let step = prop_oneof![
        40 => (0..100_u64, 0..16_u8)
            .prop_map(|(deadline_ms, rank)| Step::Push { deadline_ms, rank }),
        25 => Just(Step::Pick),
        15 => any::<usize>().prop_map(Step::Remove),
        5 => any::<usize>().prop_map(Step::RemoveAgain),
        1 => Just(Step::Clear),
    ];
    (0..5_u64, step)
}

proptest! {
    #[test]
    fn a_room_is_a_list(steps in prop::collection::vec(step(), 1..300), seed in any::<u64>()) {
        for discipline in every_discipline() {
            let mut room = discipline.open();
            let mut bits = Stream::new(seed, Purpose::Service, "room");
            let mut list: Vec<Listed> = Vec::new();
            let mut gone: Vec<Ticket> = Vec::new();
            let mut now = Time::ZERO;
            for (call, &(millis, step)) in steps.iter().enumerate() {
                now += Span::from_millis(millis);
                match step {
                    Step::Push { deadline_ms, rank } => {
                        let waiting = Waiting { since: now, call: call as u32, attempt: 0 };
                        let deadline = now + Span::from_millis(deadline_ms);
                        let urgency = Urgency { deadline, class: Class::new(rank).unwrap() };
                        let ticket = room.push(waiting, urgency);
                        list.push(Listed { waiting, urgency, ticket });
                    }
                    Step::Pick => {
                        let picked = room.pick(now, &mut bits);
                        prop_assert_eq!(picked.is_some(), !list.is_empty(), "{:?}", discipline);
                        if let Some(picked) = picked {
                            let place = list.iter().position(|listed| listed.waiting == picked);
                            prop_assert!(place.is_some(), "{discipline:?}: {picked:?}");
                            let place = place.unwrap();
                            let expected = choice(&discipline, &list, now).unwrap_or(place);
                            prop_assert_eq!(place, expected, "{:?}", discipline);
                            gone.push(list.remove(place).ticket);
                        }
                    }
                    Step::Remove(which) if !list.is_empty() => {
                        let listed = list.remove(which % list.len());
                        prop_assert_eq!(room.remove(listed.ticket), Some(listed.waiting));
                        gone.push(listed.ticket);
                    }
                    Step::RemoveAgain(which) if !gone.is_empty() => {
                        prop_assert_eq!(room.remove(gone[which % gone.len()]), None);
                    }
                    Step::Remove(_) | Step::RemoveAgain(_) => {}
                    Step::Clear => {
                        room.clear();
                        gone.extend(list.drain(..).map(|listed| listed.ticket));
                    }
                }
                prop_assert_eq!(room.len(), list.len());
                prop_assert_eq!(room.is_empty(), list.is_empty());
                let oldest = list.first().map(|listed| &listed.waiting);
                prop_assert_eq!(room.oldest(), oldest, "{:?}", discipline);
                let mut found = Vec::new();
                room.for_each(|waiting| found.push(*waiting));
                let listed: Vec<Waiting> = list.iter().map(|listed| listed.waiting).collect();
                prop_assert_eq!(found, listed, "{:?}", discipline);
            }
        }
    }
}

/// A waiting attempt costs the ring what it cost the queue before there were disciplines.
#[test]
fn a_place_in_the_ring_is_small() {
    assert_eq!(size_of::<Waiting>(), 16);
}

/// A room that is used again gives the same picks and the same tickets.
#[test]
fn a_cleared_room_is_like_new() {
    for discipline in every_discipline() {
        let play = |room: &mut WaitingRoom| {
            let mut bits = Stream::new(9, Purpose::Service, "room");
            let mut picked = Vec::new();
            for call in 0..200_u32 {
                let since = Time::ZERO + Span::from_millis(u64::from(call));
                let class = Class::new((call % 5) as u8).unwrap();
                let deadline = since + Span::from_millis(u64::from(call * 7 % 31));
                let waiting = Waiting { since, call, attempt: 0 };
                let ticket = room.push(waiting, Urgency { deadline, class });
                match call % 3 {
                    0 => picked.push(room.pick(since, &mut bits)),
                    1 if call % 4 == 0 => picked.push(room.remove(ticket)),
                    _ => {}
                }
            }
            picked
        };
        let mut room = discipline.open();
        let first = play(&mut room);
        room.clear();
        assert_eq!(play(&mut room), first, "{discipline:?}");
    }
}
