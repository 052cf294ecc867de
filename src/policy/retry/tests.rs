//! What requests are told that always fail, and the fingerprints of known clients.

use super::*;
use crate::random::Sprout;
use crate::unit::Fraction;

fn millis(n: u64) -> Span {
    Span::from_millis(n)
}

fn exponential(base_ms: u64, cap_ms: u64) -> Exponential {
    Exponential::new(millis(base_ms), 2.0, millis(cap_ms)).unwrap()
}

/// What a request that always fails with `failure` is told, until it gives up or `most` decisions.
fn told(retry: &Retry, failure: Failure, hint: Hint, most: u32) -> Vec<Decision> {
    let (mut memory, mut bits) = (Memory::default(), Sprout::new(7, 0));
    let mut decisions = Vec::new();
    for retries in 0..most {
        let decision = retry.decide(retries, failure, hint, &mut memory, &mut bits);
        decisions.push(decision);
        match decision {
            Decision::After(_) => {}
            Decision::GiveUp | Decision::GiveUpAfter(_) => break,
        }
    }
    decisions
}

/// When the attempts of a request leave that always fails at once, in milliseconds.
fn attempts_ms(retry: &Retry, most: u32) -> Vec<u64> {
    let mut at = vec![0];
    for decision in told(retry, Failure::Error, Hint::Absent, most) {
        if let Decision::After(wait) = decision {
            at.push(at[at.len() - 1] + wait.as_nanos() / 1_000_000);
        }
    }
    at
}

#[test]
fn three_retries_are_four_attempts() {
    let retry = Retry { max_retries: 3, ..Retry::NEVER };
    let again = Decision::After(Span::ZERO);
    let expected = [again, again, again, Decision::GiveUp];
    assert_eq!(told(&retry, Failure::TimedOut, Hint::Absent, 9), expected);
}

#[test]
fn a_refusal_may_have_its_own_wait() {
    let retry = Retry {
        max_retries: 1,
        first: First::AtOnce,
        after_refusal: Some(Backoff::fixed(millis(100))),
        ..Retry::NEVER
    };
    let first = |failure| told(&retry, failure, Hint::Absent, 9)[0];
    assert_eq!(first(Failure::Refused), Decision::After(millis(100)));
    assert_eq!(first(Failure::TimedOut), Decision::After(Span::ZERO));
}

#[test]
fn only_the_chosen_failures_are_retried() {
    let on = Failures::of(&[Failure::Unavailable, Failure::Reset]);
    let retry = Retry { max_retries: 1, on, ..Retry::NEVER };
    let retried =
        Failure::EACH.map(|kind| told(&retry, kind, Hint::Absent, 9)[0] != Decision::GiveUp);
    assert_eq!(retried, [false, false, false, true, true]);
}

/// The fingerprints of clients that draw nothing.
#[test]
fn fingerprints_of_known_clients() {
    let resilience4j =
        Retry { max_retries: 2, backoff: Backoff::fixed(millis(500)), ..Retry::NEVER };
    assert_eq!(attempts_ms(&resilience4j, 9), [0, 500, 1_000]);
    let polly = Retry { max_retries: 3, backoff: Backoff::fixed(millis(2_000)), ..Retry::NEVER };
    assert_eq!(attempts_ms(&polly, 9), [0, 2_000, 4_000, 6_000]);
    let urllib3 = Retry {
        max_retries: 5,
        first: First::AtOnce,
        backoff: exponential(100, 120_000).into(),
        ..Retry::NEVER
    };
    assert_eq!(attempts_ms(&urllib3, 9), [0, 0, 200, 600, 1_400, 3_000]);
    let spring = Retry { max_retries: 2, backoff: exponential(100, 30_000).into(), ..Retry::NEVER };
    assert_eq!(attempts_ms(&spring, 9), [0, 100, 300]);
    let kafka = Retry {
        max_retries: Retry::UNLIMITED,
        backoff: exponential(100, 1_000).into(),
        ..Retry::NEVER
    };
    let before_delivery_timeout = attempts_ms(&kafka, 200).into_iter().filter(|&at| at < 120_000);
    assert_eq!(before_delivery_timeout.count(), 123);
}

/// Case B09: checks at 0, 1, 3, 7, 15 and 31 s, then a sleep of 32 s, and no seventh check.
#[test]
fn kubernetes_stops_where_the_cap_is_reached() {
    let stops = Retry {
        max_retries: Retry::UNLIMITED,
        backoff: exponential(1_000, 60_000).stopping_at_cap().into(),
        ..Retry::NEVER
    };
    assert_eq!(attempts_ms(&stops, 99), [0, 1_000, 3_000, 7_000, 15_000, 31_000]);
    let last = told(&stops, Failure::Error, Hint::Absent, 99).pop();
    assert_eq!(last, Some(Decision::GiveUpAfter(Span::from_secs(32))));
    let holds = Retry { backoff: exponential(1_000, 60_000).into(), ..stops };
    assert_eq!(attempts_ms(&holds, 8)[6..], [63_000, 123_000, 183_000]);
}

/// Case B07 without a deadline: when the second attempt leaves after a `Retry-After` of an hour.
#[test]
fn an_hour_is_an_hour_only_to_who_believes_it() {
    let retry = |guidance| Retry { max_retries: 3, guidance, ..Retry::NEVER };
    let hour = Hint::After(Span::from_secs(3_600));
    let first = |guidance| told(&retry(guidance), Failure::Unavailable, hour, 1)[0];
    assert_eq!(first(Guidance::Minimum), Decision::After(Span::from_secs(3_600)));
    assert_eq!(
        first(Guidance::MinimumUpTo(Span::from_secs(60))),
        Decision::After(Span::from_secs(60))
    );
    assert_eq!(first(Guidance::Ignored), Decision::After(Span::ZERO));
    assert_eq!(first(Guidance::FailsBeyond(Span::from_secs(60))), Decision::GiveUp);
}

/// Kubernetes' reflector: 800 ms doubling to 30 s, each stretched by up to its own length.
#[test]
fn a_stretched_wait_passes_the_cap() {
    let jitter = Jitter::after_cap(Spread::Stretch(Fraction::ONE));
    let reflector = Retry {
        max_retries: Retry::UNLIMITED,
        backoff: Backoff::Jittered(Growth::Exponential(exponential(800, 30_000)), jitter),
        ..Retry::NEVER
    };
    let waits = told(&reflector, Failure::Error, Hint::Absent, 100);
    let bounds = [(800, 1_600), (1_600, 3_200), (3_200, 6_400)];
    for (decision, (least, most)) in waits.iter().zip(bounds) {
        let Decision::After(wait) = decision else { panic!("{decision:?}") };
        assert!((millis(least)..=millis(most)).contains(wait), "{wait}");
    }
    let long = |decision: &Decision| matches!(decision, Decision::After(wait) if *wait > Span::from_secs(45));
    assert!(waits[10..].iter().any(long));
    assert_eq!(reflector.longest_wait(&[]), Span::from_secs(60));
}

/// Two hundred clients that retry a refusal until they are served, from 5 ms up to 2 s: time bounds
/// their attempts. Nothing bounds those of one that does not wait.
#[test]
fn time_bounds_the_attempts_of_unlimited_retries() {
    let told = |retry: Retry, hint| {
        retry.attempts_within(Span::from_secs(60), Span::ZERO, Failure::Refused, hint)
    };
    let within = |retry| told(retry, Hint::Absent);
    let growth = Growth::Exponential(exponential(5, 2_000));
    let unlimited = Retry { max_retries: Retry::UNLIMITED, ..Retry::NEVER };
    let jittered = |spread| Retry {
        backoff: Backoff::Jittered(growth, Jitter::after_cap(spread)),
        ..unlimited
    };
    let steady = Retry { backoff: Backoff::Steady(growth), ..unlimited };
    assert_eq!(within(steady), 12_001.0);
    assert_eq!(within(Retry { first: First::AtOnce, ..steady }), 12_002.0);
    assert_eq!(within(jittered(Spread::Full)), 48_001.0);
    assert_eq!(within(Retry { max_retries: 3, ..steady }), 4.0);
    assert_eq!(within(Retry { on: Failures::NONE, ..steady }), 1.0);
    assert_eq!(within(unlimited), 1.0 + f64::from(u32::MAX));
    assert_eq!(within(Retry { max_retries: 0, ..unlimited }), 1.0);
    // But a service that says how long to stay away does, if it is heeded.
    let heeding = Retry { guidance: Guidance::Minimum, ..unlimited };
    let second = Hint::After(Span::from_secs(1));
    assert_eq!(told(heeding, second), 61.0);
    assert_eq!(told(unlimited, second), within(unlimited));
    assert_eq!(told(heeding, Hint::Never), 1.0);
    assert_eq!(heeding.longest_wait(&[Hint::Never, second]), Span::from_secs(1));
}
