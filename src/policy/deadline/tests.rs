//! Whole requests against a service that never answers, decision by decision.

use super::*;
use crate::policy::retry::{
    Backoff, DoublingRange, Exponential, Failure, Guidance, Hint, Memory, Retry,
};
use crate::random::Sprout;
use proptest::prelude::*;

fn millis(n: u64) -> Span {
    Span::from_millis(n)
}

fn at(n: u64) -> Time {
    Time::ZERO + millis(n)
}

/// What a request that arrives at zero does against a service that never answers: when its attempts
/// leave, and when it fails.
fn against_silence(patience: &Patience, retry: &Retry, seed: u64) -> (Vec<Time>, Time) {
    let (mut memory, mut bits) = (Memory::default(), Sprout::new(seed, 0));
    let (mut left, mut now) = (Vec::new(), Time::ZERO);
    let mut next = patience.first_send(now);
    loop {
        match next {
            Decision::GiveUp => return (left, now),
            Decision::GiveUpAfter(wait) => return (left, now + wait),
            Decision::After(wait) => now += wait,
        }
        left.push(now);
        match patience.timer(Time::ZERO, now, now) {
            Timer::Never => panic!("waits for ever"),
            Timer::Request(ends) => return (left, ends),
            Timer::Attempt(ends) => now = ends,
        }
        let retries = left.len() as u32 - 1;
        next = retry.decide(retries, Failure::TimedOut, Hint::Absent, &mut memory, &mut bits);
        if let Decision::After(wait) = next {
            next = patience.fit(Time::ZERO, now, wait);
        }
    }
}

/// A checkout with a deadline of 800 ms. Attempts leave at 50 and 300 ms and end at 250 and 500; the
/// third would leave at 600 and need until 850.
#[test]
fn the_third_attempt_does_not_fit() {
    let patience = Patience {
        attempt: Some(millis(200)),
        request: Some(millis(800)),
        before_first: millis(50),
        reserve: millis(50),
        least: Least::WholeTimeout,
        ..Patience::ENDLESS
    };
    let doubling = Exponential::new(millis(50), 2.0, millis(400)).unwrap();
    let retry = Retry { max_retries: 2, backoff: doubling.into(), ..Retry::NEVER };
    assert_eq!(against_silence(&patience, &retry, 0), (vec![at(50), at(300)], at(500)));
    // With what is left the third would be cut off, and the request would end there.
    let eager = Patience { least: Least::Length(Span::ZERO), ..patience };
    let expected = (vec![at(50), at(300), at(600)], at(750));
    assert_eq!(against_silence(&eager, &retry, 0), expected);
    let runs_on = Patience { overrun: Overrun::RunsOn, ..eager };
    let expected = (vec![at(50), at(300), at(600)], at(800));
    assert_eq!(against_silence(&runs_on, &retry, 0), expected);
    // A Retry-After of 2 s with 150 ms left.
    assert_eq!(patience.fit(Time::ZERO, at(650), millis(2_000)), Decision::GiveUp);
}

/// Case C05: route timeout, per-try timeout and retries in [0, (2^n - 1) x 25) ms.
#[test]
fn a_route_timeout_spans_attempts_and_waits() {
    let backoff = Backoff::DoublingRange(DoublingRange::new(millis(25), millis(250)).unwrap());
    let envoy = |route, per_try, max_retries, seed| {
        let patience = Patience {
            attempt: Some(millis(per_try)),
            request: route,
            misfit: Misfit::SleepsToDeadline,
            ..Patience::ENDLESS
        };
        against_silence(&patience, &Retry { max_retries, backoff, ..Retry::NEVER }, seed)
    };
    for seed in 0..1_000 {
        let second = Some(millis(1_000));
        assert_eq!(envoy(second, 1_000, 3, seed), (vec![at(0)], at(1_000)));
        let (left, ended) = envoy(second, 300, 3, seed);
        assert!(left.len() == 3 || left.len() == 4, "{left:?}");
        assert_eq!(ended, at(1_000));
        let (left, ended) = envoy(None, 200, 1, seed);
        assert_eq!(left.len(), 2);
        assert!((at(400)..at(425)).contains(&ended), "{ended}");
    }
}

/// Case B07 with a deadline: the request ends at 50 ms or at 10 s, never later.
#[test]
fn a_hint_beyond_the_deadline_fails_now_or_then() {
    let retry = Retry { max_retries: 3, guidance: Guidance::Minimum, ..Retry::NEVER };
    let hour = Hint::After(Span::from_secs(3_600));
    let (mut memory, mut bits) = (Memory::default(), Sprout::new(1, 0));
    let decision = retry.decide(0, Failure::Unavailable, hour, &mut memory, &mut bits);
    let Decision::After(wait) = decision else { panic!("{decision:?}") };
    let patience = Patience { request: Some(Span::from_secs(10)), ..Patience::ENDLESS };
    assert_eq!(patience.fit(Time::ZERO, at(50), wait), Decision::GiveUp);
    let sleeps = Patience { misfit: Misfit::SleepsToDeadline, ..patience };
    assert_eq!(sleeps.fit(Time::ZERO, at(50), wait), Decision::GiveUpAfter(millis(9_950)));
}

/// A client of 2,000 ms whose gateway uses 600 and whose first service uses 1,100.
#[test]
fn what_is_left_is_handed_on() {
    let patience = Patience { request: Some(millis(2_000)), ..Patience::ENDLESS };
    let left = |used| patience.left(Time::ZERO, at(used));
    assert_eq!([1_700, 1_800, 2_000, 2_100].map(left), [300, 200, 0, 0].map(|n| Some(millis(n))));
    assert_eq!(Patience::ENDLESS.left(Time::ZERO, at(1)), None);
}

#[test]
fn a_clock_from_ready_counts_the_wait_for_a_connection() {
    let patience = Patience { attempt: Some(millis(100)), ..Patience::ENDLESS };
    let timer = |clock| Patience { clock, ..patience }.timer(Time::ZERO, at(10), at(70));
    assert_eq!(timer(Clock::Dispatched), Timer::Attempt(at(170)));
    assert_eq!(timer(Clock::Ready), Timer::Attempt(at(110)));
    assert_eq!(Patience::ENDLESS.timer(Time::ZERO, at(10), at(70)), Timer::Never);
}

#[test]
fn a_reserve_longer_than_the_deadline_leaves_nothing() {
    let patience = Patience { request: Some(millis(10)), reserve: millis(20), ..Patience::ENDLESS };
    assert_eq!(patience.first_send(at(5)), Decision::GiveUp);
}

proptest! {
    /// Whatever the numbers, no attempt leaves at or after the cut-off, and a client that cuts ends
    /// by then.
    #[test]
    fn nothing_outlives_the_deadline(
        attempt in 1_u64..500, request in 1_u64..2_000, before in 0_u64..300, reserve in 0_u64..300,
        least in 0_u64..300, base in 0_u64..300, sleeps in any::<bool>(),
    ) {
        let misfit = if sleeps { Misfit::SleepsToDeadline } else { Misfit::FailsAtOnce };
        let patience = Patience {
            attempt: Some(millis(attempt)), request: Some(millis(request)),
            before_first: millis(before), reserve: millis(reserve),
            least: Least::Length(millis(least)), misfit, ..Patience::ENDLESS
        };
        let doubling = Exponential::new(millis(base), 2.0, millis(400)).unwrap();
        let retry = Retry { max_retries: Retry::UNLIMITED, backoff: doubling.into(), ..Retry::NEVER };
        let (left, ended) = against_silence(&patience, &retry, 0);
        let cut_off = patience.cut_off(Time::ZERO);
        prop_assert!(ended <= cut_off);
        prop_assert!(left.iter().all(|&at| at < cut_off && at + millis(least) <= cut_off));
        prop_assert!(!sleeps || ended == cut_off);
    }
}
