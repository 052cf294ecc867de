//! Conservation: nothing is lost and nothing appears, whatever the policies. Every fact of random
//! worlds is audited as it happens, and at the end the books balance.

use metastable::engine::agenda::Lanes;
use metastable::model::Model;
use metastable::observe::{Recording, Tally, Window};
use proptest::prelude::*;

use crate::auditor::{Auditor, Books};
use crate::worlds::{any_model, retry_storm, watch};

fn audit(model: &Model, seed: u64) -> Books {
    let (auditor, recording) =
        watch::<Lanes, _>(model, seed, (Auditor::new(model), Recording::of(model)));
    let books = auditor.books;
    books.balance();
    agree(&books, &recording.tally);
    add_up(&recording);
    stay_within(model, &books, &recording);
    books
}

/// The tally counted what the auditor counted.
fn agree(books: &Books, tally: &Tally) {
    let expected = Tally {
        requests: books.requests,
        succeeded: books.succeeded,
        failed: books.failed,
        attempts: books.sent,
        retries: books.retries,
        timed_out: books.timed_out,
        denied: books.denied,
        rejected: books.refused,
        shed: books.shed,
        started: books.started,
        completed: books.completed,
        wasted: books.wasted,
        events: books.requests + books.timed_out + books.completed + books.said,
        ..*tally
    };
    assert_eq!(*tally, expected);
    assert_eq!(tally.censored(), books.open);
    assert!(tally.wasted_work <= tally.work);
}

/// The windows of the timeline partition the run.
fn add_up(recording: &Recording) {
    let (windows, tally) = (recording.timeline.windows(), &recording.tally);
    let check = |of_window: fn(&Window) -> u64, of_run: u64| {
        assert_eq!(windows.iter().map(of_window).sum::<u64>(), of_run);
    };
    check(|window| window.arrivals, tally.requests);
    check(|window| window.goodput, tally.succeeded);
    check(|window| window.failed, tally.failed);
    check(|window| window.attempts, tally.attempts);
    check(|window| window.retries, tally.retries);
    check(|window| window.timed_out, tally.timed_out);
    check(|window| window.rejected, tally.rejected);
    check(|window| window.shed, tally.shed);
    check(|window| window.throughput, tally.completed);
    check(|window| window.wasted, tally.wasted);
    check(|window| window.started, tally.started);
    check(|window| window.waited.as_nanos(), tally.waited.as_nanos());
}

/// The worst case by which a model is judged before its run is no better than the run.
fn stay_within(model: &Model, books: &Books, recording: &Recording) {
    let worst = model.worst_case();
    assert!(recording.tally.events as f64 <= worst.events, "{recording:?} {worst:?}");
    assert!(books.peak as f64 <= worst.in_flight, "{books:?} {worst:?}");
    assert_eq!(recording.timeline.windows().len() as u64, worst.windows);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_books_of_any_world_balance(model in any_model(), seed in 0_u64..1_000) {
        audit(&model, seed);
    }
}

/// The generator reaches every corner that the auditor has a rule for; otherwise the property above
/// would prove less than it says.
#[test]
fn random_worlds_reach_every_kind_of_fact() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut seen = Books::default();
    let mut tied = false;
    for seed in 0..150 {
        let model = any_model().new_tree(&mut runner).expect("a model").current();
        let books = audit(&model, seed);
        seen.failed += books.failed;
        seen.retries += books.retries;
        seen.denied += books.denied;
        seen.refused += books.refused;
        seen.shed += books.shed - books.timed;
        seen.timed += books.timed;
        seen.said += books.said;
        seen.wasted += books.wasted;
        seen.queued += books.queued;
        seen.in_service += books.in_service;
        let instants: Vec<_> = crate::worlds::trace::<Lanes>(&model, seed)
            .into_iter()
            .filter(|(_, fact)| matches!(fact, metastable::observe::Fact::TimedOut { .. }))
            .map(|(now, _)| now)
            .collect();
        tied |= instants.windows(2).any(|pair| pair[0] == pair[1]);
    }
    let Books { failed, retries, denied, refused, shed, timed, said, .. } = seen;
    let Books { wasted, queued, in_service, .. } = seen;
    for (what, count) in [
        ("failures", failed),
        ("retries", retries),
        ("denials", denied),
        ("refusals", refused),
        ("shed attempts", shed),
        ("attempts that left by the clock", timed),
        ("refusals by a worker", said),
        ("wasted attempts", wasted),
        ("waiting at the end", queued),
        ("in service at the end", in_service),
    ] {
        assert!(count > 100, "{count} {what}");
    }
    assert!(tied, "no two clients give up at one instant");
}

#[test]
fn the_books_of_the_storm_balance() {
    let books = audit(&retry_storm(0.7), 1);
    assert!(books.retries > 90_000, "{books:?}");
}
