//! `[start]`: what there is when a run begins.

use metastable::analysis::Verdict;
use metastable::engine::agenda::Lanes;
use metastable::experiment::Workbench;
use metastable::model::{Model, Start};
use metastable::observe::{Fact, Sending};
use metastable::time::{Span, Time};
use proptest::prelude::*;

use crate::auditor::Auditor;
use crate::worlds::{any_model, told, trace, watch};

const SERVICE: &str = "workers = 1\nservice_time = \"100ms\"";
const CLIENT: &str = "arrival_rate = 2\narrivals = \"even\"\ncall.timeout = \"1s\"\n\
                      call.retry.immediate = { max_retries = 2 }";

fn world(start: &str) -> Model {
    told("10s", SERVICE, CLIENT, &format!("[start]\n{start}"))
}

/// Worked out by hand: 15 requests of 100 ms at once. Ten are answered within their second, five are given up
/// then and answered at their second attempt, which waits for what is left of the first five.
#[test]
fn a_backlog_is_so_much_work_at_once() {
    let model = world("backlog = \"1.5s\"");
    let facts = trace::<Lanes>(&model, 1);
    let at_start = |is: fn(&Fact) -> bool| {
        facts.iter().filter(|(at, fact)| *at == Time::ZERO && is(fact)).count()
    };
    // And the first of those who come anyway.
    assert_eq!(at_start(|fact| matches!(fact, Fact::Arrived { .. })), 16);
    assert_eq!(at_start(|fact| matches!(fact, Fact::Queued { .. })), 15);
    let second = Time::ZERO + Span::from_secs(1);
    let given_up = facts
        .iter()
        .filter(|(at, fact)| *at == second && matches!(fact, Fact::TimedOut { attempt: 0, .. }));
    // Five of the fifteen, and the one of those who come anyway.
    assert_eq!(given_up.count(), 6);
}

/// Four retries over a timeout of a second: at 125, 375, 625 and 875 ms, as second attempts.
#[test]
fn retries_come_evenly_over_a_timeout() {
    let facts = trace::<Lanes>(&world("retries = 4"), 1);
    let again: Vec<u64> = facts
        .iter()
        .filter(|(_, fact)| matches!(fact, Fact::Sent { kind: Sending::Retry, attempt: 1, .. }))
        .map(|(at, _)| at.as_nanos() / 1_000_000)
        .collect();
    assert_eq!(again, [125, 375, 625, 875]);
    let lost = facts.iter().filter(|(_, fact)| matches!(fact, Fact::LostOnTheWay { .. }));
    assert!(lost.clone().count() == 4 && lost.clone().all(|(at, _)| *at == Time::ZERO));
}

/// What there is at the start is a disturbance: what is worked off has recovered, what is not is metastable, and
/// the control run begins empty.
#[test]
fn it_is_judged_like_a_trigger() {
    let verdict = |start: &str, client: &str| {
        let model = told("60s", SERVICE, client, &format!("[start]\n{start}"));
        Workbench::default().run("base", &model, 1).assessment.verdict
    };
    let storm = CLIENT.replace("= 2\n", "= 6\n");
    assert_eq!(verdict("backlog = \"0s\"", &storm), Verdict::Unaffected);
    assert_eq!(
        verdict("backlog = \"2s\"", &storm.replace("max_retries = 2", "max_retries = 0")),
        Verdict::Recovered
    );
    assert_eq!(verdict("backlog = \"5s\"", &storm), Verdict::Metastable);
}

/// Those who come anyway are the same customers with and without.
#[test]
fn a_start_changes_no_customer() {
    let service = "workers = 50\nservice_time = { exponential = { mean = \"10ms\" } }";
    let client = "load = 0.2\ncall.timeout = \"1s\"\ncall.retry.immediate = { max_retries = 1 }";
    let arrivals = |more: &str| -> Vec<Time> {
        let model = told("5s", service, client, more);
        let facts = trace::<Lanes>(&model, 7);
        let arrived = facts.iter().filter(|(_, fact)| matches!(fact, Fact::Arrived { .. }));
        arrived.map(|(at, _)| *at).filter(|at| *at > Time::ZERO).collect()
    };
    let without = arrivals("");
    assert!(without.len() > 1_000);
    assert_eq!(without, arrivals("[start]\nbacklog = \"300ms\"\nretries = 40"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The books balance whatever has been sent at the start, and the limit holds.
    #[test]
    fn books_balance(model in any_model(), backlog_ms in 0_u64..2_000, seed in 0_u64..99) {
        let start = Start { backlog: Span::from_millis(backlog_ms), retries: 0 };
        let model = Model { start, triggers: Vec::new(), ..model };
        prop_assume!(model.fits().is_ok());
        let books = watch::<Lanes, _>(&model, seed, Auditor::new(&model)).books;
        books.balance();
        prop_assert!(books.peak as f64 <= model.worst_case().in_flight);
    }
}
