//! Caches that callers look aside into.

use metastable::engine::agenda::Lanes;
use metastable::id::{ClientId, EdgeId};
use metastable::law::Law;
use metastable::model::{Arrivals, Disturbance, Model, Trigger};
use metastable::observe::{Fact, Tally};
use metastable::policy::cache::{
    Cache, Coalescing, Contents, Course, HitRatio, Keys, LateFills, Orphans, Popularity, Start,
};
use metastable::policy::deadline::{Misfit, Patience};
use metastable::policy::throttle::{Again, AtEmpty, RateLimit, Throttle};
use metastable::time::{Span, Time};
use metastable::unit::Fraction;

use crate::worlds::{at_ms, immediately, ms, rate, station, trace, watch};

fn keys(coalescing: Coalescing) -> Keys {
    Keys {
        count: 1.try_into().expect("one"),
        popularity: Popularity::Uniform,
        capacity: None,
        time_to_live: None,
        coalescing,
    }
}

fn one_key(coalescing: Coalescing) -> Cache {
    Cache {
        contents: Contents::Keys(keys(coalescing)),
        start: Start::Cold,
        late_fills: LateFills::Fill,
    }
}

/// Fifty requests at one instant for one cold key, whose fetch takes a second.
fn stampede(coalescing: Coalescing, timeout: Span, retries: u32) -> Model {
    let arrivals = Arrivals::Replay(vec![Time::ZERO; 50].into());
    let mut model = station(1_000, Law::Fixed(ms(1_000)), arrivals, Span::from_secs(10));
    let edge = &mut model.clients[0].edge;
    edge.timeout = Some(timeout);
    edge.retry = immediately(retries);
    edge.cache = Some(one_key(coalescing));
    model
}

/// Case G05: a stampede, single flight, and what the leader's timeout does to it.
#[test]
fn a_stampede_and_its_leader() {
    let run = |model: &Model| watch::<Lanes, _>(model, 1, Tally::default());
    let all = run(&stampede(Coalescing::Off, ms(2_000), 0));
    assert_eq!((all.attempts, all.succeeded), (50, 50));
    let leader = Coalescing::Leader(Orphans::Fail);
    let one = run(&stampede(leader, ms(2_000), 0));
    assert_eq!((one.attempts, one.succeeded, one.coalesced), (1, 50, 49));
    // Bound to a leader that gives up after half a second, whose late answer is thrown away.
    let mut bound = stampede(leader, ms(500), 1_000);
    let cache = Cache { late_fills: LateFills::Dropped, ..one_key(leader) };
    bound.clients[0].edge.cache = Some(cache);
    let never = run(&bound);
    assert_eq!((never.attempts, never.succeeded), (20, 0));
    // Detached: one fetch, and the third tries find it done.
    let detached = stampede(Coalescing::Detached, ms(400), 1_000);
    let tally = run(&detached);
    assert_eq!((tally.attempts, tally.succeeded), (1, 50));
    let last = trace::<Lanes>(&detached, 1)
        .iter()
        .rfind(|(_, fact)| matches!(fact, Fact::Succeeded { .. }))
        .map(|(now, _)| *now);
    assert_eq!(last, Some(at_ms(1_000)));
}

/// By hit ratio: nine in ten never reach the service, and after a flush all do until enough has
/// come back.
#[test]
fn a_flush_sends_everything_to_the_service() {
    let arrivals = Arrivals::Even(rate(1_000.0));
    let mut model = station(1_000, Law::Fixed(ms(1)), arrivals, Span::from_secs(20));
    let ratio = HitRatio {
        warm: Fraction::new(0.9).expect("a share"),
        fills: 2_000.try_into().expect("some"),
        course: Course::AtOnce,
    };
    model.clients[0].edge.cache = Some(Cache {
        contents: Contents::HitRatio(ratio),
        start: Start::Warm,
        late_fills: LateFills::Fill,
    });
    let calm = watch::<Lanes, _>(&model, 1, Tally::default());
    assert_eq!(calm.hits + calm.attempts, 20_000);
    assert!((1_850..2_150).contains(&calm.attempts), "{}", calm.attempts);
    model.triggers = vec![Trigger {
        name: "flush".to_owned(),
        instance: None,
        begins: at_ms(10_000),
        lasts: ms(1),
        disturbance: Disturbance::Flush { edge: EdgeId::from(ClientId(0)) },
    }];
    let flushed = watch::<Lanes, _>(&model, 1, Tally::default());
    // Two seconds of misses, of which a tenth would have been some anyway.
    let more = flushed.attempts - calm.attempts;
    assert!((1_780..1_820).contains(&more), "{more}");
}

/// Whoever leads a fetch that belongs to nobody, and gives up before it was sent, leaves no key behind
/// that is being fetched for ever: the others fail with it, and the next one fetches.
#[test]
fn a_fetch_that_was_never_sent_is_no_fetch() {
    // The first fetch takes the only token for 2.5 s, and what it brings is soon forgotten.
    let instants = [0, 1_000, 1_000, 1_000, 3_000].map(at_ms);
    let arrivals = Arrivals::Replay(instants.into());
    let mut model = station(10, Law::Fixed(ms(100)), arrivals, Span::from_secs(10));
    let rate_limit = RateLimit::new(rate(0.4), 1, AtEmpty::Waits, Again::Metered);
    let edge = &mut model.clients[0].edge;
    edge.throttle = Some(Throttle::RateLimit(rate_limit.expect("a rate limit")));
    let soon = Keys { time_to_live: Some(ms(1)), ..keys(Coalescing::Detached) };
    edge.cache = Some(Cache { contents: Contents::Keys(soon), ..one_key(Coalescing::Detached) });
    for misfit in [Misfit::FailsAtOnce, Misfit::SleepsToDeadline] {
        let patience = Patience { request: Some(ms(1_000)), misfit, ..Patience::ENDLESS };
        model.clients[0].edge.deadline = Some(patience);
        let tally = watch::<Lanes, _>(&model, 1, Tally::default());
        assert_eq!((tally.attempts, tally.succeeded, tally.failed), (2, 2, 3), "{misfit:?}");
    }
}
