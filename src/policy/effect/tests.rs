//! What is done once, what twice, and what nobody does.

use super::*;
use crate::random::{Bits, Purpose, Stream};
use proptest::prelude::*;

fn ms(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

fn keys(meanwhile: Meanwhile) -> Idempotency {
    Idempotency::Keys { meanwhile, retention: None }
}

fn execution(answer: Answer) -> Execution {
    match answer {
        Answer::Execute(execution) => execution,
        Answer::Replay | Answer::Conflict | Answer::WaitsFor(_) => panic!("{answer:?}"),
    }
}

fn replays(desk: &mut Desk) -> Vec<Who> {
    std::iter::from_fn(|| desk.next_replay()).collect()
}

/// Lab L7: payments one after another, each reply lost with probability 0.2, at most 5 attempts. How
/// many attempts there were, and what was done.
fn payments(idempotency: Idempotency) -> (u64, Counts) {
    let mut bits = Stream::new(1, Purpose::Requests, "payments");
    let (mut desk, mut attempts) = (idempotency.open(), 0);
    for payment in 0..1_000 {
        let mut operation = Operation::default();
        for _ in 0..5 {
            attempts += 1;
            match desk.ask(ms(attempts), payment, 0) {
                Answer::Execute(execution) => {
                    let next = desk.ended(ms(attempts), execution, End::Executed, &mut operation);
                    assert_eq!(next, Next::Nobody);
                }
                Answer::Replay => {}
                answer @ (Answer::Conflict | Answer::WaitsFor(_)) => panic!("{answer:?}"),
            }
            if bits.uniform() >= 0.2 {
                break;
            }
        }
    }
    (attempts, desk.counts())
}

#[test]
fn lost_replies_execute_twice_unless_there_is_a_key() {
    let (attempts, bare) = payments(Idempotency::None);
    assert!(attempts.abs_diff(1_250) <= 62, "{attempts}");
    assert_eq!(bare.executions, attempts);
    assert_eq!(bare.duplicates, attempts - 1_000);
    assert!(bare.repeated.abs_diff(200) <= 30, "{bare:?}");
    for meanwhile in [Meanwhile::Conflicts, Meanwhile::Executes, Meanwhile::Waits] {
        let once = Counts { executions: 1_000, ..Counts::default() };
        assert_eq!(payments(keys(meanwhile)), (attempts, once));
    }
}

/// Two attempts, the second while the first is at it; a third when both are done.
#[test]
fn a_second_attempt_meets_the_first() {
    let meet = |idempotency: Idempotency| {
        let (mut desk, mut operation) = (idempotency.open(), Operation::default());
        let first = execution(desk.ask(ms(0), 7, 1));
        let second = desk.ask(ms(10), 7, 2);
        let next = desk.ended(ms(20), first, End::Executed, &mut operation);
        if let Answer::Execute(second) = second {
            let _ = desk.ended(ms(30), second, End::Executed, &mut operation);
        }
        let third = desk.ask(ms(40), 7, 3);
        (second, next, replays(&mut desk), third, operation.executions)
    };
    let (second, next, _, third, executions) = meet(keys(Meanwhile::Conflicts));
    assert_eq!((second, next, third), (Answer::Conflict, Next::Nobody, Answer::Replay));
    assert_eq!(executions, 1);
    let (second, next, replayed, third, executions) = meet(keys(Meanwhile::Waits));
    assert!(matches!(second, Answer::WaitsFor(_)));
    assert_eq!((next, replayed, third), (Next::Replays, vec![2], Answer::Replay));
    assert_eq!(executions, 1);
    let (second, next, _, third, executions) = meet(keys(Meanwhile::Executes));
    assert!(matches!(second, Answer::Execute(_)));
    assert_eq!((next, third, executions), (Next::Nobody, Answer::Replay, 2));
    let (second, _, _, third, executions) = meet(Idempotency::None);
    assert!(matches!((second, third), (Answer::Execute(_), Answer::Execute(_))));
    assert_eq!(executions, 2);
}

/// What was begun and undone locks nothing; whoever waits is at it next, in turn, and who has left is
/// passed over.
#[test]
fn what_is_undone_is_done_by_the_next() {
    let mut operation = Operation::default();
    let mut desk = keys(Meanwhile::Conflicts).open();
    let first = execution(desk.ask(ms(0), 7, 1));
    assert_eq!(desk.ended(ms(1), first, End::Undone, &mut operation), Next::Nobody);
    assert_eq!(desk.keys(), 0);
    execution(desk.ask(ms(2), 7, 2));
    let mut desk = keys(Meanwhile::Waits).open();
    let first = execution(desk.ask(ms(0), 7, 1));
    let places = [2, 3, 4].map(|who| match desk.ask(ms(1), 7, who) {
        Answer::WaitsFor(place) => place,
        answer @ (Answer::Execute(_) | Answer::Replay | Answer::Conflict) => panic!("{answer:?}"),
    });
    desk.leave(places[0]);
    let next = desk.ended(ms(2), first, End::Undone, &mut operation);
    let Next::Executes(3, heir) = next else { panic!("{next:?}") };
    // The first one's end is told twice, and changes nothing.
    assert_eq!(desk.ended(ms(3), first, End::Undone, &mut operation), Next::Nobody);
    assert_eq!(desk.ended(ms(4), heir, End::Executed, &mut operation), Next::Replays);
    assert_eq!(replays(&mut desk), [4]);
    assert_eq!(operation.executions, 1);
}

/// A key that is kept for a second: at its end the operation is as good as new, and a retry executes
/// it again.
#[test]
fn keys_expire() {
    let retention = Some(Span::from_secs(1));
    let mut desk = Idempotency::Keys { meanwhile: Meanwhile::Executes, retention }.open();
    let mut operation = Operation::default();
    let (first, second) = (desk.ask(ms(0), 7, 1), desk.ask(ms(0), 7, 2));
    let _ = desk.ended(ms(100), execution(first), End::Executed, &mut operation);
    // Stored anew, it is kept from then on.
    let _ = desk.ended(ms(500), execution(second), End::Executed, &mut operation);
    assert_eq!(desk.ask(ms(1_499), 7, 3), Answer::Replay);
    assert_eq!(desk.counts().expired, 0);
    let again = execution(desk.ask(ms(1_500), 7, 4));
    let _ = desk.ended(ms(1_600), again, End::Executed, &mut operation);
    let expected = Counts { executions: 3, duplicates: 2, repeated: 1, expired: 1 };
    assert_eq!((desk.counts(), desk.keys()), (expected, 1));
}

proptest! {
    /// While keys are kept for ever, nothing is executed twice that was locked or waited for; all who
    /// wait are answered, execute, or have left; and counts add up.
    #[test]
    fn nothing_is_executed_twice(
        waits in any::<bool>(), steps in prop::collection::vec((0_u64..4, 0_u8..9), 1..300),
    ) {
        let meanwhile = if waits { Meanwhile::Waits } else { Meanwhile::Conflicts };
        let mut desk = keys(meanwhile).open();
        let mut operations = [Operation::default(); 4];
        let mut running: [Option<Execution>; 4] = [None; 4];
        let mut lines: [Vec<(Who, Place)>; 4] = Default::default();
        for (who, (key, step)) in (0..).zip(steps) {
            let of = key as usize;
            match (step, running[of]) {
                (0, Some(execution)) => {
                    let next = desk.ended(ms(1), execution, End::Executed, &mut operations[of]);
                    let line: Vec<Who> = lines[of].drain(..).map(|(who, _)| who).collect();
                    prop_assert_eq!(next == Next::Replays, !line.is_empty());
                    prop_assert_eq!(replays(&mut desk), line);
                    running[of] = None;
                }
                (1 | 2, Some(execution)) => {
                    let next = desk.ended(ms(1), execution, End::Undone, &mut operations[of]);
                    running[of] = match next {
                        Next::Executes(who, heir) => {
                            prop_assert_eq!(lines[of].remove(0).0, who);
                            Some(heir)
                        }
                        Next::Nobody => {
                            prop_assert!(lines[of].is_empty());
                            None
                        }
                        Next::Replays => unreachable!("nothing is stored"),
                    };
                }
                (3, _) => if let Some((_, place)) = lines[of].pop() {
                    desk.leave(place);
                },
                (_, running_now) => match desk.ask(ms(1), key, who) {
                    Answer::Execute(execution) => {
                        prop_assert!(running_now.is_none() && operations[of].executions == 0);
                        running[of] = Some(execution);
                    }
                    Answer::Replay => prop_assert_eq!(operations[of].executions, 1),
                    Answer::Conflict => prop_assert!(!waits && running_now.is_some()),
                    Answer::WaitsFor(place) => {
                        prop_assert!(waits && running_now.is_some());
                        lines[of].push((who, place));
                    }
                },
            }
        }
        let executed = operations.iter().map(|operation| u64::from(operation.executions)).sum();
        let expected = Counts { executions: executed, ..Counts::default() };
        prop_assert!(desk.counts() == expected && executed <= 4);
    }
}
