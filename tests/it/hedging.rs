//! Several copies of one attempt, and connections that there are only so many of.

use metastable::engine::agenda::Lanes;
use metastable::law::Law;
use metastable::model::{Arrivals, Errors, Model, OnAbandon};
use metastable::observe::{Fact, Guard, Sending, Tally};
use metastable::policy::budget::{Budget, Rule, TokenThreshold};
use metastable::policy::deadline::{Clock, Misfit, Patience};
use metastable::policy::hedge::{Delay, Hedge, Losers, OnFailure, Percentile};
use metastable::policy::outcome::{Failure, Failures};
use metastable::policy::pool::{AcquireClock, ColdStart, Pool};
use metastable::policy::throttle::{Again, AtEmpty, RateLimit, Throttle};
use metastable::time::{Span, Time};
use metastable::unit::Fraction;

use crate::closed_form::erlang_b;
use crate::theory::agrees;
use crate::worlds::{at_ms, immediately, ms, rate, station, trace, watch};

fn hedge_after(delay: Span, extra: u32) -> Hedge {
    Hedge {
        delay: Delay::Fixed(delay),
        extra: extra.try_into().expect("some"),
        on_failure: OnFailure::SendsNext,
        fatal: Failures::NONE,
        losers: Losers::Cancelled,
    }
}

fn pool(size: u32, max_waiting: Option<u32>, acquire_timeout: Option<Span>) -> Pool {
    let size = size.try_into().expect("some");
    let (clock, cold_start) = (AcquireClock::WholeWait, ColdStart::IsFree);
    Pool { size, max_waiting, acquire_timeout, clock, cold_start, dead: None }
}

/// Requests at these instants at a service of `workers` workers of `work`.
fn at(instants: &[u64], workers: u32, work: Span) -> Model {
    let instants: Vec<Time> = instants.iter().map(|&millis| at_ms(millis)).collect();
    station(workers, Law::Fixed(work), Arrivals::Replay(instants.into()), Span::from_secs(60))
}

fn sent(model: &Model) -> Vec<(Time, u32, Sending)> {
    let facts = trace::<Lanes>(model, 1).into_iter();
    let sent = |(now, fact)| {
        if let Fact::Sent { attempt, kind, .. } = fact { Some((now, attempt, kind)) } else { None }
    };
    facts.filter_map(sent).collect()
}

fn ended(model: &Model) -> Vec<(Time, bool)> {
    let facts = trace::<Lanes>(model, 1).into_iter();
    let succeeds = |fact| matches!(fact, Fact::Succeeded { .. });
    let ends = |fact| succeeds(fact) || matches!(fact, Fact::Failed { .. });
    facts.filter(|(_, fact)| ends(*fact)).map(|(now, fact)| (now, succeeds(fact))).collect()
}

/// One copy every 100 ms while the first is out, and no more than there may be.
#[test]
fn copies_leave_one_after_the_other() {
    let mut model = at(&[0], 5, ms(1_000));
    model.clients[0].edge.hedge = Some(hedge_after(ms(100), 2));
    let hedge = Sending::Hedge;
    let expected = [(at_ms(0), 0, Sending::First), (at_ms(100), 1, hedge), (at_ms(200), 2, hedge)];
    assert_eq!(sent(&model), expected);
    assert_eq!(ended(&model), [(at_ms(1_000), true)]);
    let tally = watch::<Lanes, _>(&model, 1, Tally::default());
    assert_eq!((tally.attempts, tally.retries, tally.hedges), (3, 0, 2));
    // Nobody waits for the copies: the service does not know, and finishes them.
    assert_eq!((tally.completed, tally.wasted), (3, 2));
    model.services[0].on_abandon = OnAbandon::StopsWork;
    let tally = watch::<Lanes, _>(&model, 1, Tally::default());
    assert_eq!((tally.completed, tally.withdrawn), (1, 2));
    // Losers that run on are not withdrawn.
    let hedge = Hedge { losers: Losers::RunOn, ..hedge_after(ms(100), 2) };
    model.clients[0].edge.hedge = Some(hedge);
    let tally = watch::<Lanes, _>(&model, 1, Tally::default());
    assert_eq!((tally.completed, tally.withdrawn, tally.wasted), (3, 0, 2));
}

/// With no delay all copies leave together, and the first answer counts.
#[test]
fn without_a_delay_all_leave_at_once() {
    let mut model = at(&[0], 5, ms(50));
    model.clients[0].edge.hedge = Some(hedge_after(ms(0), 3));
    assert!(sent(&model).iter().all(|(now, ..)| *now == at_ms(0)));
    assert_eq!(sent(&model).len(), 4);
    assert_eq!(ended(&model), [(at_ms(50), true)]);
}

/// Every copy has a timeout of its own; the try fails with the last of them, and a retry is a new try.
#[test]
fn a_retry_is_a_new_try() {
    let mut model = at(&[0], 10, ms(1_000));
    let edge = &mut model.clients[0].edge;
    edge.timeout = Some(ms(300));
    edge.retry = immediately(1);
    edge.hedge = Some(hedge_after(ms(100), 1));
    let (first, retry, hedge) = (Sending::First, Sending::Retry, Sending::Hedge);
    let expected = [
        (at_ms(0), 0, first),
        (at_ms(100), 1, hedge),
        (at_ms(400), 2, retry),
        (at_ms(500), 3, hedge),
    ];
    assert_eq!(sent(&model), expected);
    assert_eq!(ended(&model), [(at_ms(800), false)]);
    // The deadline of the request ends all of it.
    let patience = Patience { request: Some(ms(450)), ..Patience::ENDLESS };
    model.clients[0].edge.deadline = Some(patience);
    assert_eq!(sent(&model), expected[..3]);
    assert_eq!(ended(&model), [(at_ms(450), false)]);
}

/// A failed copy sends the next at once; a fatal failure ends the try whatever is out.
#[test]
fn a_failure_sends_the_next_copy_or_none() {
    let mut model = at(&[0], 10, ms(40));
    model.services[0].errors = Errors { share: Fraction::ONE, ..Errors::NONE };
    model.clients[0].edge.hedge = Some(hedge_after(ms(100), 2));
    let instants = |model: &Model| sent(model).iter().map(|(now, ..)| *now).collect::<Vec<_>>();
    assert_eq!(instants(&model), [0, 40, 80].map(at_ms));
    assert_eq!(ended(&model), [(at_ms(120), false)]);
    let waits = Hedge { on_failure: OnFailure::Waits, ..hedge_after(ms(100), 2) };
    model.clients[0].edge.hedge = Some(waits);
    assert_eq!(instants(&model), [0, 100, 200].map(at_ms));
    assert_eq!(ended(&model), [(at_ms(240), false)]);
    let only = Hedge { delay: Delay::AfterFailureOnly, ..waits };
    model.clients[0].edge.hedge = Some(only);
    assert_eq!(instants(&model), [0, 40, 80].map(at_ms));
    let fatal = Hedge { fatal: Failures::of(&[Failure::Error]), ..hedge_after(ms(10), 2) };
    model.clients[0].edge.hedge = Some(fatal);
    assert_eq!(instants(&model), [0, 10, 20].map(at_ms));
    assert_eq!(ended(&model), [(at_ms(40), false)]);
}

/// Case A15: the budget denies every hedge, and the request fails with its only attempt instead of
/// waiting for its deadline of 15 s.
#[test]
fn a_throttled_hedge_does_not_hang() {
    let mut model = at(&[0], 1, ms(4));
    model.services[0].errors =
        Errors { share: Fraction::ONE, failure: Failure::Unavailable, ..Errors::NONE };
    let edge = &mut model.clients[0].edge;
    edge.hedge = Some(hedge_after(ms(1_000), 2));
    edge.deadline = Some(Patience { request: Some(ms(15_000)), ..Patience::ENDLESS });
    // After one failure, 1 of 2 tokens is left, which is not more than half.
    let rule = TokenThreshold { max_tokens: 2, ratio_thousandths: 100, counted: Failures::ALL };
    edge.budget = Some(Budget::from(Rule::TokenThreshold(rule)));
    assert_eq!(sent(&model).len(), 1);
    assert_eq!(ended(&model), [(at_ms(4), false)]);
}

/// A delay at the 95th percentile hedges one attempt in twenty.
#[test]
fn a_percentile_hedges_its_complement() {
    let percentile = Percentile {
        share: Fraction::new(0.95).expect("a share"),
        samples: 1_000.try_into().expect("a thousand"),
        minimum: 100,
        until_then: Span::from_secs(1),
    };
    let law = Law::Exponential { mean: ms(10) };
    let arrivals = Arrivals::Even(rate(1_000.0));
    let mut model = station(1_000, law, arrivals, Span::from_secs(100));
    let hedge = Hedge { delay: Delay::Percentile(percentile), ..hedge_after(ms(0), 1) };
    model.clients[0].edge.hedge = Some(hedge);
    let tally = watch::<Lanes, _>(&model, 1, Tally::default());
    let share = tally.hedges as f64 / tally.requests as f64;
    assert!((0.047..0.053).contains(&share), "{share}");
    assert_eq!(tally.attempts, tally.requests + tally.hedges);
}

/// Connections are handed on in the order of the line, and whoever waits too long fails.
#[test]
fn a_pool_makes_attempts_wait() {
    let mut model = at(&[0, 0, 0, 0], 10, ms(100));
    model.clients[0].edge.pool = Some(pool(1, None, None));
    let ends = |millis: [u64; 4]| millis.map(|at| (at_ms(at), true));
    assert_eq!(ended(&model), ends([100, 200, 300, 400]));
    model.clients[0].edge.pool = Some(pool(2, None, None));
    assert_eq!(ended(&model), ends([100, 100, 200, 200]));
    model.clients[0].edge.pool = Some(pool(1, None, Some(ms(150))));
    let (good, bad) = (true, false);
    let expected = [(at_ms(100), good), (at_ms(150), bad), (at_ms(150), bad), (at_ms(200), good)];
    assert_eq!(ended(&model), expected);
    let tally = watch::<Lanes, _>(&model, 1, Tally::default());
    assert_eq!((tally.attempts, tally.held_back), (2, 2));
    // A bulkhead lets nobody wait.
    model.clients[0].edge.pool = Some(pool(3, Some(0), None));
    let expected = [(at_ms(0), bad), (at_ms(100), good), (at_ms(100), good), (at_ms(100), good)];
    assert_eq!(ended(&model), expected);
}

/// The timeout of an attempt counts from when it leaves, or from when it is ready.
#[test]
fn the_wait_for_a_connection_counts_or_not() {
    let mut model = at(&[0, 0], 10, ms(100));
    model.clients[0].edge.timeout = Some(ms(150));
    model.clients[0].edge.pool = Some(pool(1, None, None));
    assert_eq!(ended(&model), [(at_ms(100), true), (at_ms(200), true)]);
    let ready = Patience { clock: Clock::Ready, ..Patience::ENDLESS };
    model.clients[0].edge.deadline = Some(ready);
    assert_eq!(ended(&model), [(at_ms(100), true), (at_ms(150), false)]);
    // And it may end in the line.
    model.clients[0].edge.timeout = Some(ms(120));
    model.services[0].service_time = Law::Fixed(ms(110));
    model.clients[0].edge.pool = Some(pool(1, None, Some(ms(50))));
    assert_eq!(ended(&model), [(at_ms(50), false), (at_ms(110), true)]);
    let guards = trace::<Lanes>(&model, 1);
    let held =
        guards.iter().filter(|(_, fact)| matches!(fact, Fact::HeldBack { guard: Guard::Pool, .. }));
    assert_eq!(held.count(), 1);
}

/// Where every answer is a refusal at once, a line of thousands is worked off without a call stack
/// that is as deep.
#[test]
fn a_long_line_of_refusals_is_no_recursion() {
    let mut model = at(&[0; 50_000], 1, Span::from_secs(1));
    model.services[0].errors = Errors {
        share: Fraction::ONE,
        cost: metastable::model::ErrorCost::Nothing,
        ..Errors::NONE
    };
    model.clients[0].edge.pool = Some(pool(1, None, None));
    let tally = watch::<Lanes, _>(&model, 1, Tally::default());
    assert_eq!((tally.failed, tally.rejected), (50_000, 50_000));
}

/// Erlang B: a pool without a line before a service that always has a worker.
#[test]
fn a_bulkhead_blocks_as_erlang_says() {
    let law = Law::Exponential { mean: ms(100) };
    let (load, connections) = (8.0, 10);
    let arrivals = Arrivals::Poisson(rate(load / 0.1));
    let shares: Vec<f64> = (1..=20)
        .map(|seed| {
            let mut model = station(100, law.clone(), arrivals.clone(), Span::from_secs(1_000));
            model.clients[0].edge.pool = Some(pool(connections, Some(0), None));
            let tally = watch::<Lanes, _>(&model, seed, Tally::default());
            tally.held_back as f64 / tally.requests as f64
        })
        .collect();
    agrees("a bulkhead", &shares, erlang_b(connections, load), 0.02);
}

/// A throttle under a deadline: what would leave too late fails at once, and reserves nothing; or its
/// user is kept until the deadline.
#[test]
fn a_throttle_does_not_outlast_the_deadline() {
    let mut model = at(&[0; 20], 10, ms(10));
    let rate_limit =
        RateLimit::new(rate(1.0), 1, AtEmpty::Waits, Again::Metered).expect("a rate limit");
    let edge = &mut model.clients[0].edge;
    edge.throttle = Some(Throttle::RateLimit(rate_limit));
    let patience = Patience { request: Some(ms(5_000)), ..Patience::ENDLESS };
    edge.deadline = Some(patience);
    let good = [10, 1_010, 2_010, 3_010, 4_010].map(|millis| (at_ms(millis), true));
    let ends = ended(&model);
    assert_eq!(sent(&model).len(), 5);
    assert_eq!(ends[..15], [(at_ms(0), false); 15]);
    assert_eq!(ends[15..], good);
    let edge = &mut model.clients[0].edge;
    edge.deadline = Some(Patience { misfit: Misfit::SleepsToDeadline, ..patience });
    let ends = ended(&model);
    assert_eq!(ends[..5], good);
    assert_eq!(ends[5..], [(at_ms(5_000), false); 15]);
    // A connection that comes free at the very instant of the deadline comes too late.
    let mut pooled = at(&[0; 8], 10, ms(1_000));
    pooled.clients[0].edge.deadline = Some(patience);
    pooled.clients[0].edge.pool = Some(pool(1, None, None));
    assert_eq!(sent(&pooled).len(), 5);
}
