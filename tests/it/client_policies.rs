//! Client policies at work in the engine: cases whose answer follows from the rule alone.

use metastable::engine::agenda::Lanes;
use metastable::law::Law;
use metastable::model::{Arrivals, Errors, Model};

use metastable::observe::{Fact, Tally};
use metastable::policy::breaker::{
    Breaker, Ends, Evaluated, HalfOpen, Limit, Position, Results, Window,
};
use metastable::policy::budget::{
    Budget, Charged, Concurrency, Deposits, RefundableQuota, Rule, SlidingWindow, TokenThreshold,
};
use metastable::policy::outcome::{Failure, Failures};
use metastable::policy::retry::{
    Backoff, Decorrelated, Exponential, Growth, Jitter, Retry, Spread,
};
use metastable::time::{Span, Time};
use metastable::unit::Fraction;

use crate::worlds::{at_ms, immediately, ms, rate, stall, station, told, trace, watch};

/// `requests` even arrivals in the first second at a service that never answers.
fn silence(requests: u32, retry: Retry, budget: Option<Rule>) -> Model {
    let arrivals = Arrivals::Even(rate(f64::from(requests)));
    let mut model = station(1, Law::Fixed(ms(1)), arrivals, Span::from_secs(1_000));
    let service = model.clients[0].edge.to;
    model.triggers = vec![stall("for ever", service, Time::ZERO, Span::from_secs(2_000))];
    model.clients[0].edge.timeout = Some(ms(100));
    model.clients[0].edge.retry = retry;
    model.clients[0].edge.budget = budget.map(Budget::from);
    model
}

/// Of `model`, what its first `requests` requests do: the horizon ends it while they all have failed.
fn sent(mut model: Model, until: Span) -> Tally {
    model.horizon = until;
    watch::<Lanes, _>(&model, 1, Tally::default())
}

/// A quota of 500 pays for 50 retries after timeouts, and for nothing more in an outage.
#[test]
fn a_quota_bounds_the_retries_of_an_outage() {
    let quota = Rule::RefundableQuota(RefundableQuota::AWS_STANDARD);
    let tally = sent(silence(1_000, immediately(2), Some(quota)), Span::from_secs(1));
    assert_eq!((tally.requests, tally.attempts), (1_000, 1_050));
}

/// A full bucket of ten allows four retries, whoever asks.
#[test]
fn a_token_bucket_bounds_the_retries_of_an_outage() {
    let bucket = Rule::TokenThreshold(TokenThreshold {
        max_tokens: 10,
        ratio_thousandths: 100,
        counted: Failures::ALL,
    });
    let tally = sent(silence(1_000, immediately(4), Some(bucket)), Span::from_secs(1));
    assert_eq!((tally.requests, tally.retries), (1_000, 4));
}

/// Three retries are outstanding at once, each for the 100 ms of its timeout: 10 a second each from
/// the first timeout at 100 ms on. Their wait counts too where they are charged when decided.
#[test]
fn places_are_held_until_the_retry_ends() {
    let backoff = Backoff::fixed(ms(200));
    let retry = Retry { max_retries: 1, backoff, ..Retry::NEVER };
    let retries = |charged| {
        let mut model = silence(1_000, retry, None);
        let rule = Rule::Concurrency(Concurrency::at_most(3));
        model.clients[0].edge.budget = Some(Budget { charged, ..Budget::from(rule) });
        sent(model, ms(3_150)).retries
    };
    // Asked for from 300 ms on, once in a millisecond: three at 300, 301 and 302 ms, and again every
    // 100 ms up to 3100.
    assert_eq!(retries(Charged::AtDispatch), 3 * 29);
    // Granted from 100 ms on, every 300 ms; sent 200 ms after that, up to 3000 + 2.
    assert_eq!(retries(Charged::AtDecision), 3 * 10);
}

/// In an outage nothing succeeds, so what successes pay for dries up, down to the reserve.
#[test]
fn a_budget_of_successes_dries_up() {
    let rule = Rule::SlidingWindow(SlidingWindow {
        ratio: Fraction::new(0.2).unwrap(),
        window: Span::from_secs(10),
        deposits: Deposits::Successes,
        minimum_per_second: 1,
    });
    let tally = sent(silence(100, immediately(3), Some(rule)), Span::from_secs(9));
    assert_eq!(tally.retries, 10);
}

/// Checks at 0, 1, 3, 7, 15 and 31 s, each timing out at once, and the failure at 63 s.
#[test]
fn a_request_may_end_in_a_wait() {
    let seconds = Span::from_secs;
    let doubling = Exponential::new(seconds(1), 2.0, seconds(60)).unwrap().stopping_at_cap();
    let retry = Retry { max_retries: Retry::UNLIMITED, backoff: doubling.into(), ..Retry::NEVER };
    let mut model = silence(1, retry, None);
    model.clients[0].arrivals = Arrivals::Even(rate(0.001));
    model.clients[0].edge.timeout = Some(Span::NANOSECOND);
    let (mut attempts, mut failed) = (Vec::new(), Vec::new());
    for (at, fact) in trace::<Lanes>(&model, 1) {
        let at = at.as_nanos() / 1_000_000_000;
        if matches!(fact, Fact::Sent { .. }) {
            attempts.push(at);
        } else if matches!(fact, Fact::Failed { .. }) {
            failed.push(at);
        }
    }
    assert_eq!((attempts, failed), (vec![0, 1, 3, 7, 15, 31], vec![63]));
}

#[test]
fn what_is_not_retryable_fails_at_once() {
    let on = Failures::of(&[Failure::Refused]);
    let tally = sent(silence(10, Retry { on, ..immediately(3) }, None), Span::from_secs(1));
    assert_eq!((tally.attempts, tally.retries), (10, 0));
}

/// The jitter of a client is a stream of its own: it changes nobody's arrivals, and another seed
/// draws other waits.
#[test]
fn jitter_draws_from_its_own_stream() {
    let doubling = Exponential::new(ms(50), 2.0, ms(1_000)).unwrap();
    let laws = [
        Backoff::Jittered(Growth::Exponential(doubling), Jitter::after_cap(Spread::Full)),
        Backoff::Decorrelated(Decorrelated { base: ms(50), cap: ms(1_000) }),
    ];
    for backoff in laws {
        let run = |backoff, seed| {
            let retry = Retry { max_retries: 3, backoff, ..Retry::NEVER };
            let mut model = silence(20, retry, None);
            model.clients[0].arrivals = Arrivals::Poisson(rate(20.0));
            model.horizon = Span::from_secs(5);
            let facts = trace::<Lanes>(&model, seed);
            let times = |first: bool| -> Vec<Time> {
                let chosen = facts.iter().filter(|(_, fact)| {
                    matches!(fact, Fact::Sent { attempt, .. } if (*attempt == 0) == first)
                });
                chosen.map(|(at, _)| *at).collect()
            };
            (times(true), times(false))
        };
        let (steady, jittered) = (run(doubling.into(), 1), run(backoff, 1));
        assert_eq!(steady.0, jittered.0, "{backoff:?}");
        assert_ne!(steady.1, jittered.1, "{backoff:?}");
        assert_eq!(jittered, run(backoff, 1));
        assert!(jittered.1.iter().all(|&at| at > at_ms(0)));
    }
}

/// Everything fails, each request has three attempts, and two failures in a row open the breaker for
/// ten seconds. Inside the retry it opens at the second attempt, and each rejection is retried.
/// Outside, it opens when the second request has failed with all its attempts, and a rejected request
/// tries nothing.
#[test]
fn a_breaker_inside_or_outside_the_retry() {
    let run = |position| {
        let arrivals = Arrivals::Even(rate(1.0));
        let mut model = station(1, Law::Fixed(ms(1)), arrivals, Span::from_secs(6));
        model.services[0].errors = Errors { share: Fraction::ONE, ..Errors::NONE };
        model.clients[0].edge.retry = immediately(2);
        model.clients[0].edge.breaker = Some(Breaker {
            position,
            window: Window::Count(2.try_into().unwrap()),
            counted: Failures::ALL,
            failed: Some(Limit::at_least(Fraction::ONE)),
            slow: None,
            minimum_calls: 2,
            open: Exponential::new(Span::from_secs(10), 1.0, Span::from_secs(10)).unwrap(),
            ends: Ends::AtTheInstant,
            half_open: HalfOpen::permits(1.try_into().unwrap()),
            results: Results::Tagged,
            evaluated: Evaluated::AtEachResult,
        });
        let tally = watch::<Lanes, _>(&model, 1, Tally::default());
        assert_eq!((tally.requests, tally.failed), (6, 6));
        [tally.attempts, tally.held_back, tally.breaker_openings]
    };
    assert_eq!(run(Position::InsideRetry), [2, 1 + 5 * 3, 1]);
    assert_eq!(run(Position::OutsideRetry), [6, 4, 1]);
}

/// Outside the retry, a request that succeeds at its third attempt is a success to the breaker.
#[test]
fn what_a_retry_has_mended_is_no_failure_outside_it() {
    let run = |position| {
        let arrivals = Arrivals::Even(rate(20.0));
        let mut model = station(1, Law::Fixed(ms(1)), arrivals, Span::from_secs(60));
        let half = Fraction::new(0.5).unwrap();
        model.services[0].errors = Errors { share: half, ..Errors::NONE };
        model.clients[0].edge.retry = immediately(9);
        model.clients[0].edge.breaker = Some(Breaker {
            position,
            window: Window::Count(20.try_into().unwrap()),
            counted: Failures::ALL,
            failed: Some(Limit::at_least(half)),
            slow: None,
            minimum_calls: 20,
            open: Exponential::new(ms(500), 1.0, ms(500)).unwrap(),
            ends: Ends::AtTheInstant,
            half_open: HalfOpen::permits(5.try_into().unwrap()),
            results: Results::Tagged,
            evaluated: Evaluated::AtEachResult,
        });
        watch::<Lanes, _>(&model, 1, Tally::default())
    };
    let (inside, outside) = (run(Position::InsideRetry), run(Position::OutsideRetry));
    assert!(inside.breaker_openings > 10, "{inside:?}");
    assert_eq!(outside.breaker_openings, 0);
    assert!(outside.succeeded > inside.succeeded);
}

/// An attempt is withdrawn at 40 ms, and with it two calls: the first, which is out, gives its connection to the
/// second at the very instant at which that has waited long enough. If it is found dead there, the second
/// call falls with the attempt and not before it.
#[test]
fn a_dead_connection_at_the_end_of_a_wait() {
    let instants = (0..40).map(|secs| format!("\"{secs}s\"")).collect::<Vec<_>>().join(", ");
    let client =
        format!("arrivals = {{ replay = {{ at = [{instants}] }} }}\ncall.timeout = \"40ms\"");
    let service = "workers = 1\nservice_time = \"15ms\"\non_abandon = \"stops_work\"";
    let inner = "[services.api.calls.inner]\ncopies = 2\npasses_cancellation = true\n\
                 pool = { size = 1, acquire_timeout = \"25ms\", DEAD }\n\
                 [services.inner]\nworkers = 10\nservice_time = \"900ms\"";
    let dead = "dead = { share = 0.5, reconnect = \"1ms\" }";
    let tally = watch::<Lanes, _>(
        &told("40s", service, &client, &inner.replace("DEAD", dead)),
        1,
        Tally::default(),
    );
    assert_eq!((tally.requests, tally.failed, tally.withdrawn), (40, 40, 40));
}
