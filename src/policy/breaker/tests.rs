//! The cases and the invariants of the circuit, without an engine.

use super::*;
use crate::policy::outcome::{Failure, Outcome};
use crate::random::Sprout;
use crate::time::Time;
use proptest::prelude::*;

const FAILED: Outcome = Outcome::Failed(Failure::Error);
const QUICK: Span = Span::from_millis(1);

fn millis(n: u64) -> Span {
    Span::from_millis(n)
}

fn at(n: u64) -> Time {
    Time::ZERO + millis(n)
}

fn count(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

fn percent(n: u32) -> Limit {
    Limit::at_least(Fraction::new(f64::from(n) / 100.0).unwrap())
}

fn always(length_ms: u64) -> Exponential {
    Exponential::new(millis(length_ms), 1.0, millis(length_ms)).unwrap()
}

fn breaker(window: Window, minimum_calls: u32, failed: Limit) -> Breaker {
    Breaker {
        position: Position::InsideRetry,
        window,
        counted: Failures::ALL,
        failed: Some(failed),
        slow: None,
        minimum_calls,
        open: always(5_000),
        ends: Ends::AtTheInstant,
        half_open: HalfOpen::permits(count(1)),
        results: Results::Tagged,
        evaluated: Evaluated::AtEachResult,
    }
}

fn hystrix() -> Breaker {
    Breaker {
        position: Position::InsideRetry,
        ends: Ends::AfterTheInstant,
        ..breaker(Window::Time(Span::from_secs(10)), 20, percent(50))
    }
}

fn polly() -> Breaker {
    breaker(Window::Time(Span::from_secs(30)), 100, percent(10))
}

/// Asks with bits that no breaker without a share looks at.
fn ask(circuit: &mut Circuit, now: Time) -> Option<Ticket> {
    match circuit.ask(now, &mut Sprout::new(0, 0)) {
        Passage::Passes(ticket) => Some(ticket),
        Passage::Rejected => None,
    }
}

fn tickets(circuit: &mut Circuit, now: Time, asking: u32) -> Vec<Ticket> {
    (0..asking).filter_map(|_| ask(circuit, now)).collect()
}

/// A call that ends at once, if it passes.
fn call(circuit: &mut Circuit, now: Time, outcome: Outcome) -> bool {
    let ticket = ask(circuit, now);
    ticket.inspect(|&ticket| circuit.report(now, ticket, outcome, QUICK)).is_some()
}

/// A circuit that opened at the start of the run.
fn opened(breaker: Breaker) -> Circuit {
    let mut circuit = breaker.open();
    while circuit.state(Time::ZERO) != State::Open {
        assert!(call(&mut circuit, Time::ZERO, FAILED));
    }
    circuit
}

/// Case D01: a thousand attempts at the instant at which the open time ends.
#[test]
fn half_open_lets_through_so_many_and_no_more() {
    let mut circuit = opened(polly());
    assert_eq!(tickets(&mut circuit, at(4_999), 1).len(), 0);
    let trials = tickets(&mut circuit, at(5_000), 1_000);
    assert_eq!(trials.len(), 1);
    circuit.report(at(6_000), trials[0], Outcome::Succeeded, millis(1_000));
    assert_eq!(circuit.state(at(6_000)), State::Closed);

    let ten = breaker(Window::Count(count(100)), 100, percent(50));
    let mut circuit = opened(Breaker { half_open: HalfOpen::permits(count(10)), ..ten });
    let trials = tickets(&mut circuit, at(5_000), 1_000);
    assert_eq!(trials.len(), 10);
    for trial in trials {
        assert_eq!(circuit.state(at(6_000)), State::HalfOpen);
        circuit.report(at(6_000), trial, Outcome::Succeeded, millis(1_000));
    }
    assert_eq!(circuit.state(at(6_000)), State::Closed);

    let mut circuit = opened(hystrix());
    assert_eq!(tickets(&mut circuit, at(5_000), 1_000).len(), 0);
    assert_eq!(tickets(&mut circuit, at(5_001), 1_000).len(), 1);
}

/// Case D03: eight of ten trials fail, two are cancelled.
#[test]
fn a_cancelled_trial_gives_its_permit_back() {
    for (cancelled, expected) in [(Cancelled::Returned, 2), (Cancelled::Lost, 0)] {
        let half_open = HalfOpen { cancelled, ..HalfOpen::permits(count(10)) };
        let ten = breaker(Window::Count(count(100)), 100, percent(50));
        let mut circuit = opened(Breaker { half_open, ..ten });
        let trials = tickets(&mut circuit, at(5_000), 10);
        for &trial in &trials[..8] {
            circuit.report(at(5_100), trial, FAILED, QUICK);
        }
        trials[8..].iter().for_each(|&trial| circuit.cancelled(at(5_100), trial));
        let further = tickets(&mut circuit, at(5_200), 1_000);
        assert_eq!(further.len(), expected, "{cancelled:?}");
        for &trial in &further {
            assert_eq!(circuit.state(at(5_300)), State::HalfOpen);
            circuit.report(at(5_300), trial, FAILED, QUICK);
        }
        let state = if expected > 0 { State::Open } else { State::HalfOpen };
        assert_eq!(circuit.state(at(5_300)), state);
    }
}

/// At which call, counted from one, a circuit opens whose calls all fail, `every` apart.
fn opens_at(breaker: Breaker, every: Span, calls: u32) -> Option<u32> {
    let mut circuit = breaker.open();
    let mut now = Time::ZERO;
    for number in 1..=calls {
        assert!(call(&mut circuit, now, FAILED));
        if circuit.state(now) == State::Open {
            return Some(number);
        }
        now += every;
    }
    None
}

/// Case D05.
#[test]
fn a_minimum_of_calls_is_reached_or_not() {
    let time = |secs| Window::Time(Span::from_secs(secs));
    assert_eq!(opens_at(breaker(time(20), 5, percent(100)), millis(400), 99), Some(5));
    assert_eq!(opens_at(breaker(time(2), 100, percent(50)), millis(25), 2_400), None);
    let small = Window::Count(count(10));
    assert_eq!(opens_at(breaker(small, 100, percent(20)), millis(1), 99), Some(10));
    assert_eq!(opens_at(hystrix(), Span::from_secs_f64(1.0 / 1.8), 1_080), None);
}

/// Case D09: the same hundred failing calls a second, through a hundred circuits, ten or one.
#[test]
fn many_small_circuits_never_open() {
    assert_eq!(opens_at(polly(), millis(1_000), 10_000), None);
    assert_eq!(opens_at(polly(), millis(100), 10_000), Some(100));
    assert_eq!(opens_at(polly(), millis(10), 10_000), Some(100));
}

/// Case D07: 100 calls a second to a backend that accepts one in 50 ms. How often the circuit opens
/// in a minute, and what gets through.
fn flapping(evaluated: Evaluated) -> (u32, u32) {
    let mut circuit = Breaker { evaluated, ..hystrix() }.open();
    let (mut openings, mut goodput) = (0, 0);
    let (mut accepts_from, mut was_open) = (Time::ZERO, false);
    for now in (0..6_000).map(|n| at(n * 10)) {
        let is_open = circuit.state(now) == State::Open;
        openings += u32::from(is_open && !was_open);
        was_open = is_open;
        let Some(ticket) = ask(&mut circuit, now) else { continue };
        let accepted = now >= accepts_from;
        if accepted {
            accepts_from = now + millis(50);
            goodput += 1;
        }
        let outcome = if accepted { Outcome::Succeeded } else { FAILED };
        circuit.report(now, ticket, outcome, QUICK);
    }
    assert_eq!(circuit.times_opened(), u64::from(openings));
    (openings, goodput)
}

#[test]
fn one_good_probe_closes_a_circuit_too_early() {
    assert_eq!(flapping(Evaluated::AtEachResult), (12, 59));
    assert_eq!(flapping(Evaluated::Every(millis(500))), (11, 110));
}

#[test]
fn a_limit_itself_is_too_much_or_not() {
    let of = |comparison| {
        let failed = Limit { comparison, ..percent(50) };
        let mut circuit = breaker(Window::Count(count(2)), 2, failed).open();
        call(&mut circuit, at(0), Outcome::Succeeded);
        call(&mut circuit, at(1), FAILED);
        circuit.state(at(1))
    };
    assert_eq!(of(Comparison::AtLeast), State::Open);
    assert_eq!(of(Comparison::MoreThan), State::Closed);
}

#[test]
fn slow_calls_open_it_though_they_succeed() {
    let slow = Slow { longer_than: millis(100), limit: percent(100) };
    let rule = breaker(Window::Count(count(3)), 3, percent(50));
    let mut circuit = Breaker { failed: None, slow: Some(slow), ..rule }.open();
    for took in [100, 101, 101] {
        let ticket = ask(&mut circuit, at(0)).unwrap();
        circuit.report(at(0), ticket, Outcome::Succeeded, millis(took));
    }
    assert_eq!(circuit.state(at(0)), State::Closed, "100 ms are not longer than 100 ms");
    let ticket = ask(&mut circuit, at(0)).unwrap();
    circuit.report(at(0), ticket, Outcome::Succeeded, millis(101));
    assert_eq!(circuit.state(at(0)), State::Open);
}

#[test]
fn what_is_not_counted_is_good() {
    let counted = Failures::of(&[Failure::TimedOut]);
    let rule = Breaker { counted, ..breaker(Window::Count(count(2)), 2, percent(50)) };
    let mut circuit = rule.open();
    (0..9).for_each(|_| assert!(call(&mut circuit, at(0), FAILED)));
    assert_eq!(circuit.state(at(0)), State::Closed);
}

#[test]
fn each_opening_in_a_row_is_longer() {
    let open = Exponential::new(millis(1_000), 2.0, millis(3_000)).unwrap();
    let mut circuit = opened(Breaker { open, ..polly() });
    for (from, until) in [(0, 1_000), (1_000, 3_000), (3_000, 6_000), (6_000, 9_000)] {
        assert_eq!(circuit.state(at(until - 1)), State::Open, "{from}");
        assert!(call(&mut circuit, at(until), FAILED));
    }
    assert!(call(&mut circuit, at(12_000), Outcome::Succeeded));
    (0..100).for_each(|_| assert!(call(&mut circuit, at(20_000), FAILED)));
    assert_eq!(circuit.state(at(20_999)), State::Open);
    assert_eq!(circuit.state(at(21_000)), State::HalfOpen, "closing begins the row anew");
}

#[test]
fn a_late_result_counts_only_where_results_carry_no_tag() {
    for (results, expected) in
        [(Results::Tagged, State::HalfOpen), (Results::Untagged, State::Closed)]
    {
        let mut circuit = Breaker { results, ..polly() }.open();
        let early = ask(&mut circuit, at(0)).unwrap();
        (0..100).for_each(|_| assert!(call(&mut circuit, at(1), FAILED)));
        assert!(ask(&mut circuit, at(5_001)).is_some());
        circuit.report(at(5_002), early, Outcome::Succeeded, millis(5_002));
        assert_eq!(circuit.state(at(5_002)), expected, "{results:?}");
    }
}

#[test]
fn half_open_ends_without_results_if_it_must() {
    let longest = |then| Some(Stay { longest: millis(2_000), then });
    let circuit = |longest| {
        let half_open = HalfOpen { longest, ..HalfOpen::permits(count(1)) };
        let mut circuit = opened(Breaker { half_open, ..polly() });
        assert!(ask(&mut circuit, at(5_000)).is_some());
        assert!(ask(&mut circuit, at(6_999)).is_none());
        circuit
    };
    let mut opens = circuit(longest(StayEnd::Opens));
    assert_eq!(opens.state(at(7_000)), State::Open);
    assert_eq!(opens.state(at(11_999)), State::Open);
    assert!(ask(&mut opens, at(12_000)).is_some());
    let mut renews = circuit(longest(StayEnd::Renews));
    assert_eq!(tickets(&mut renews, at(7_000), 9).len(), 1);
    assert!(ask(&mut circuit(None), at(1_000_000)).is_none());
}

/// Five in a hundred pass, and it decides after twenty results.
#[test]
fn a_share_of_attempts_is_a_trial() {
    let share = Fraction::new(0.05).unwrap();
    let trials = Trials::Share { share, decided_after: count(20) };
    let half_open = HalfOpen { trials, ..HalfOpen::permits(count(1)) };
    let mut circuit = opened(Breaker { half_open, ..polly() });
    let mut bits = Sprout::new(1, 0);
    let mut passed = Vec::new();
    for _ in 0..10_000 {
        match circuit.ask(at(5_000), &mut bits) {
            Passage::Passes(ticket) => passed.push(ticket),
            Passage::Rejected => {}
        }
    }
    assert!((430..570).contains(&passed.len()), "{}", passed.len());
    for ticket in &passed[..20] {
        assert_eq!(circuit.state(at(5_000)), State::HalfOpen);
        circuit.report(at(5_000), *ticket, Outcome::Succeeded, QUICK);
    }
    assert_eq!(circuit.state(at(5_000)), State::Closed);
}

/// Looks that nobody asked for are taken when they were due, however long ago.
#[test]
fn an_idle_circuit_catches_up() {
    let every = Breaker { evaluated: Evaluated::Every(millis(500)), ..hystrix() };
    let mut circuit = every.open();
    (0..25).for_each(|_| assert!(call(&mut circuit, at(499), FAILED)));
    assert!(call(&mut circuit, at(499), FAILED));
    // It opened at 500 ms, and its open time ran from there.
    assert_eq!(circuit.clone().state(at(5_500)), State::Open);
    assert_eq!(circuit.clone().state(at(5_501)), State::HalfOpen);
    // Good calls leave the window before the bad ones: it opens with nobody calling.
    let mut circuit = every.open();
    (0..30).for_each(|_| assert!(call(&mut circuit, at(100), Outcome::Succeeded)));
    (0..25).for_each(|_| assert!(call(&mut circuit, at(5_100), FAILED)));
    assert_eq!(circuit.clone().state(at(9_999)), State::Closed);
    assert_eq!(circuit.clone().state(at(14_000)), State::Open);
    assert_eq!(circuit.state(at(15_001)), State::HalfOpen);
}

proptest! {
    /// Whatever happens: a closed circuit lets everything through, an open one nothing, and of one
    /// half-open spell no more trials are out or have ended than there are permits.
    #[test]
    fn a_circuit_keeps_to_its_three_states(
        permits in 1_u32..5, untagged in any::<bool>(), stays in prop::option::of(1_u64..2_000),
        timed in any::<bool>(), every in prop::option::of(1_u64..700),
        steps in prop::collection::vec((0_u64..400, 0_u8..4, any::<bool>()), 1..300),
    ) {
        let half_open = HalfOpen {
            longest: stays.map(|n| Stay { longest: millis(n), then: StayEnd::Opens }),
            ..HalfOpen::permits(count(permits))
        };
        let window = if timed { Window::Time(millis(3_000)) } else { Window::Count(count(7)) };
        let mut circuit = Breaker {
            half_open,
            results: if untagged { Results::Untagged } else { Results::Tagged },
            evaluated: every.map_or(Evaluated::AtEachResult, |n| Evaluated::Every(millis(n))),
            open: Exponential::new(millis(300), 2.0, millis(1_000)).unwrap(),
            ..breaker(window, 4, percent(50))
        }.open();
        let (mut now, mut out) = (Time::ZERO, Vec::new());
        let (mut spell, mut trials) = (None, 0);
        for (gap, step, good) in steps {
            now += millis(gap);
            match step {
                0 | 1 => {
                    let state = circuit.state(now);
                    let ticket = ask(&mut circuit, now);
                    match state {
                        State::Closed => prop_assert!(ticket.is_some()),
                        State::Open => prop_assert!(ticket.is_none()),
                        State::HalfOpen => if let Some(ticket) = ticket {
                            if spell != Some(ticket) {
                                (spell, trials) = (Some(ticket), 0);
                            }
                            trials += 1;
                            prop_assert!(trials <= permits);
                        },
                    }
                    out.extend(ticket);
                }
                2 => if let Some(ticket) = out.pop() {
                    circuit.report(now, ticket, if good { Outcome::Succeeded } else { FAILED }, QUICK);
                },
                _ => if !out.is_empty() {
                    let ticket = out.remove(0);
                    let half_open = circuit.state(now) == State::HalfOpen;
                    circuit.cancelled(now, ticket);
                    trials -= u32::from(half_open && spell == Some(ticket));
                },
            }
        }
    }
}
