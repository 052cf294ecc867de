//! What a service answers when it says no, and what its clients make of it: cases worked out by hand.

use metastable::engine::agenda::Lanes;
use metastable::law::Law;
use metastable::model::{Arrivals, Errors, Model, Refusals};
use metastable::observe::Fact;
use metastable::policy::admission::Admission;
use metastable::policy::deadline::{Misfit, Patience};
use metastable::policy::retry::{Backoff, Guidance, Hint, Retry};
use metastable::policy::throttle::{Again, AtEmpty, RateLimit, Throttle};
use metastable::time::{Span, Time};
use metastable::unit::Fraction;

use crate::worlds::{at_ms, immediately, ms, rate, stall, station, trace};

/// The instants of the facts that `which` picks.
fn instants(model: &Model, which: fn(&Fact) -> bool) -> Vec<Time> {
    let facts = trace::<Lanes>(model, 1).into_iter();
    facts.filter(|(_, fact)| which(fact)).map(|(now, _)| now).collect()
}

fn sent(fact: &Fact) -> bool {
    matches!(fact, Fact::Sent { .. })
}

fn failed(fact: &Fact) -> bool {
    matches!(fact, Fact::Failed { .. })
}

const fn volley(count: u32) -> Arrivals {
    Arrivals::Volley { count, begins: Time::ZERO, within: Span::ZERO }
}

/// A service that keeps its one worker in a stall and has no queue: it refuses whatever comes.
fn refusing(arrivals: Arrivals, hint: Hint, horizon: Span) -> Model {
    let mut model = station(1, Law::Fixed(ms(1)), arrivals, horizon);
    let service = model.clients[0].edge.to;
    model.triggers = vec![stall("for ever", service, Time::ZERO, horizon)];
    model.services[0].admission = Admission::Bounded { max_waiting: 0 };
    model.services[0].refusals = Refusals { hint };
    model
}

/// An error after 50 ms that says "try again in an hour", with a deadline of ten seconds and without
/// (psf/requests #4854: the hour was slept through).
#[test]
fn a_hint_of_an_hour() {
    let run = |guidance, deadline| {
        let mut model = station(1, Law::Fixed(ms(50)), volley(1), Span::from_secs(4_000));
        let hint = Hint::After(Span::from_secs(3_600));
        model.services[0].errors = Errors { share: Fraction::ONE, hint, ..Errors::NONE };
        let backoff = Backoff::fixed(Span::from_secs(1));
        model.clients[0].edge.retry = Retry { max_retries: 1, backoff, guidance, ..Retry::NEVER };
        model.clients[0].edge.deadline = deadline;
        (instants(&model, sent), instants(&model, failed))
    };
    let deadline =
        |misfit| Some(Patience { request: Some(Span::from_secs(10)), misfit, ..Patience::ENDLESS });
    let first = vec![Time::ZERO];
    let (at_once, asleep) = (deadline(Misfit::FailsAtOnce), deadline(Misfit::SleepsToDeadline));
    assert_eq!(run(Guidance::Minimum, at_once), (first.clone(), vec![at_ms(50)]));
    assert_eq!(run(Guidance::Minimum, asleep), (first.clone(), vec![at_ms(10_000)]));

    let minute = Span::from_secs(60);
    let again = |at| (vec![Time::ZERO, at_ms(at)], vec![at_ms(at + 50)]);
    assert_eq!(run(Guidance::Minimum, None), again(3_600_050));
    assert_eq!(run(Guidance::Replaces, None), again(3_600_050));
    assert_eq!(run(Guidance::MinimumUpTo(minute), None), again(60_050));
    assert_eq!(run(Guidance::AtMostLonger(ms(5_000)), None), again(6_050));
    assert_eq!(run(Guidance::Ignored, None), again(1_050));
    assert_eq!(run(Guidance::FailsBeyond(minute), None), (first, vec![at_ms(50)]));
}

/// kubernetes #34938: five per second for all, or for first attempts only. With eleven attempts a
/// second apart, five new requests a second come to 55 attempts.
#[test]
fn retries_pass_through_the_clients_own_limit_or_beside_it() {
    let per_second = |again| {
        let hint = Hint::After(Span::from_secs(1));
        let mut model = refusing(Arrivals::Even(rate(20.0)), hint, Span::from_secs(30));
        model.clients[0].edge.retry = Retry { guidance: Guidance::Minimum, ..immediately(10) };
        let limit = RateLimit::new(rate(5.0), 1, AtEmpty::Waits, again).expect("a limit");
        model.clients[0].edge.throttle = Some(Throttle::RateLimit(limit));
        let mut counts = vec![0; 30];
        for at in instants(&model, sent) {
            counts[(at.as_nanos() / 1_000_000_000) as usize] += 1;
        }
        counts
    };
    assert!(per_second(Again::Metered).iter().all(|&sent| sent == 5));
    let beside = per_second(Again::Passes);
    assert_eq!(beside[..3], [5, 10, 15]);
    assert!(beside[10..].iter().all(|&sent| sent == 55), "{beside:?}");
}

/// A refusal carries what the service says as an error does, over a network as well; what heeds it
/// asks no more.
#[test]
fn a_refusal_may_forbid_another_attempt() {
    let attempts = |guidance, latency| {
        let mut model = refusing(volley(1), Hint::Never, Span::from_secs(10));
        model.clients[0].edge.latency = latency;
        model.clients[0].edge.retry = Retry { guidance, ..immediately(3) };
        instants(&model, sent).len()
    };
    for latency in [None, Some(Law::Fixed(ms(20)))] {
        assert_eq!(attempts(Guidance::Ignored, latency.clone()), 4);
        assert_eq!(attempts(Guidance::Minimum, latency), 1);
    }
    // A client that fails by its own timeout has been told nothing.
    let mut model = refusing(volley(1), Hint::Never, Span::from_secs(10));
    model.services[0].admission = Admission::Unbounded;
    model.clients[0].edge.timeout = Some(ms(100));
    model.clients[0].edge.retry = Retry { guidance: Guidance::Minimum, ..immediately(3) };
    assert_eq!(instants(&model, sent).len(), 4);
}
