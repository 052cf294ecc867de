//! Stampedes, warm-ups and what is forgotten.

use super::*;
use crate::random::{Purpose, Sprout, Stream};

fn bits() -> Stream {
    Stream::new(1, Purpose::Requests, "cache")
}

fn ms(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

fn keys(count: u32, coalescing: Coalescing) -> Keys {
    Keys {
        count: NonZeroU32::new(count).unwrap(),
        popularity: Popularity::Uniform,
        capacity: None,
        time_to_live: None,
        coalescing,
    }
}

fn cold(contents: Contents) -> Cache {
    Cache { contents, start: Start::Cold, late_fills: LateFills::Dropped }
}

/// What became of a stampede.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stampede {
    fetches: u32,
    hits: u32,
    told: u32,
}

/// What happens first of what is due at the same instant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    Answers,
    Timeouts,
}

/// Case G05: 50 requests for one cold key at once, an origin that takes a second, a timeout after
/// which each asks again, for ever; in steps of half a second for ten seconds.
struct World {
    store: Store,
    timeout: Span,
    /// By request, since when its attempt is out and what it does.
    attempts: Vec<Option<(Time, Answer)>>,
    done: Vec<bool>,
    /// When each fetch ends.
    fetches: Vec<(Time, Fetch)>,
    count: Stampede,
}

impl World {
    fn play(cache: Cache, timeout_ms: u64, first: First) -> Stampede {
        let mut world = Self {
            store: cache.open(&mut bits()),
            timeout: Span::from_millis(timeout_ms),
            attempts: vec![None; 50],
            done: vec![false; 50],
            fetches: Vec::new(),
            count: Stampede::default(),
        };
        for now in (0..10_000).step_by(500).map(ms) {
            match first {
                First::Answers => {
                    world.answer(now);
                    world.time_out(now);
                }
                First::Timeouts => {
                    world.time_out(now);
                    world.answer(now);
                }
            }
            world.ask(now);
        }
        world.count
    }

    fn answer(&mut self, now: Time) {
        let due: Vec<Fetch> =
            self.fetches.extract_if(.., |(ends, _)| *ends <= now).map(|(_, fetch)| fetch).collect();
        for fetch in due {
            let leads = |attempt: &Option<(Time, Answer)>| {
                attempt.is_some_and(|(_, answer)| answer == Answer::Miss(fetch))
            };
            // All that fetch one key by themselves look alike: each answer is for the next of them.
            let leader = self.attempts.iter().position(leads);
            let place = leader.map_or(Leader::Gone, |_| Leader::Waits);
            let mut waiters = self.store.answered(now, fetch, place);
            let told = std::iter::from_fn(|| self.store.next_waiter(&mut waiters));
            for who in leader.into_iter().chain(told.map(|who| who as usize)) {
                self.attempts[who] = None;
                self.done[who] = true;
                self.count.told += 1;
            }
        }
    }

    fn time_out(&mut self, now: Time) {
        for who in 0..self.attempts.len() {
            let Some((since, answer)) = self.attempts[who] else { continue };
            if now.since(since) < self.timeout {
                continue;
            }
            self.attempts[who] = None;
            match answer {
                Answer::Hit => {}
                Answer::Waits(place) => self.store.leave(place),
                Answer::Miss(fetch) => match self.store.gave_up(fetch) {
                    Left::RunsOn => {}
                    Left::Fails(mut waiters) => {
                        self.fetches.retain(|&(_, other)| other != fetch);
                        while let Some(waiter) = self.store.next_waiter(&mut waiters) {
                            self.attempts[waiter as usize] = None;
                        }
                    }
                    Left::NextLeads { who, fetch: next } => {
                        self.fetches.retain(|&(_, other)| other != fetch);
                        let since = self.attempts[who as usize].unwrap().0;
                        self.attempts[who as usize] = Some((since, Answer::Miss(next)));
                        self.begin(now, next);
                    }
                },
            }
        }
    }

    fn ask(&mut self, now: Time) {
        for who in 0..self.attempts.len() {
            if self.attempts[who].is_some() || self.done[who] {
                continue;
            }
            match self.store.ask(now, Key(0), who as u32) {
                Answer::Hit => {
                    self.done[who] = true;
                    self.count.hits += 1;
                }
                answer @ Answer::Waits(_) => self.attempts[who] = Some((now, answer)),
                answer @ Answer::Miss(fetch) => {
                    self.attempts[who] = Some((now, answer));
                    self.begin(now, fetch);
                }
            }
        }
    }

    fn begin(&mut self, now: Time, fetch: Fetch) {
        self.count.fetches += 1;
        self.fetches.push((now + Span::from_secs(1), fetch));
    }
}

#[test]
fn a_stampede_and_what_tames_it() {
    let check = |coalescing, timeout_ms, first, (fetches, hits, told)| {
        let cache = cold(Contents::Keys(keys(1, coalescing)));
        let found = World::play(cache, timeout_ms, first);
        assert_eq!(found, Stampede { fetches, hits, told }, "{coalescing:?}");
    };
    let bound = Coalescing::Leader(Orphans::Fail);
    check(Coalescing::Off, 2_000, First::Answers, (50, 0, 50));
    check(bound, 2_000, First::Answers, (1, 0, 50));
    // One fetch each half second for ever, and nobody is ever answered.
    check(bound, 500, First::Answers, (20, 0, 0));
    // The third try finds what the first has fetched; or the second is told at that very instant.
    check(Coalescing::Detached, 500, First::Timeouts, (1, 50, 0));
    check(Coalescing::Detached, 500, First::Answers, (1, 0, 50));
}

/// All gave up at once, so there is an heir for each leader until the last, at each half second.
#[test]
fn heirs_fetch_anew() {
    let heirs = cold(Contents::Keys(keys(1, Coalescing::Leader(Orphans::NextLeads))));
    let found = World::play(heirs, 500, First::Answers);
    assert_eq!((found.hits, found.told), (0, 0));
    assert!(found.fetches > 50, "{found:?}");
    let mut store = heirs.open(&mut bits());
    let Answer::Miss(fetch) = store.ask(ms(0), Key(0), 1) else { panic!("it is cold") };
    let Answer::Waits(_) = store.ask(ms(400), Key(0), 2) else { panic!("it is being fetched") };
    let Left::NextLeads { who: 2, fetch: next } = store.gave_up(fetch) else { panic!("2 waits") };
    // What was for the first one comes too late, and the heir is served by its own.
    assert_eq!(store.answered(ms(1_000), fetch, Leader::Gone), Waiters::NOBODY);
    assert!(matches!(store.ask(ms(1_000), Key(0), 3), Answer::Waits(_)));
    let mut waiters = store.answered(ms(1_500), next, Leader::Waits);
    assert_eq!(store.next_waiter(&mut waiters), Some(3));
    assert_eq!(store.next_waiter(&mut waiters), None);
    assert_eq!(store.ask(ms(1_500), Key(0), 4), Answer::Hit);
}

#[test]
fn late_answers_fill_or_do_not() {
    let check = |late_fills, coalescing, expected| {
        let cache = Cache { late_fills, ..cold(Contents::Keys(keys(2, coalescing))) };
        let mut store = cache.open(&mut bits());
        let Answer::Miss(fetch) = store.ask(ms(0), Key(1), 1) else { panic!("it is cold") };
        assert!(matches!(store.gave_up(fetch), Left::RunsOn | Left::Fails(Waiters::NOBODY)));
        let _ = store.answered(ms(1_000), fetch, Leader::Gone);
        assert_eq!(store.ask(ms(1_000), Key(1), 2) == Answer::Hit, expected, "{coalescing:?}");
        assert_ne!(store.ask(ms(1_000), Key(0), 3), Answer::Hit);
    };
    let bound = Coalescing::Leader(Orphans::Fail);
    for coalescing in [Coalescing::Off, bound, Coalescing::Detached] {
        check(LateFills::Fill, coalescing, true);
        check(LateFills::Dropped, coalescing, coalescing == Coalescing::Detached);
    }
}

/// A fetch that fails fails for all who wait, fills nothing, and the next one fetches.
#[test]
fn failures_are_shared() {
    let mut store = cold(Contents::Keys(keys(1, Coalescing::Detached))).open(&mut bits());
    let Answer::Miss(fetch) = store.ask(ms(0), Key(0), 1) else { panic!("it is cold") };
    let Answer::Waits(_) = store.ask(ms(1), Key(0), 2) else { panic!("it is being fetched") };
    let mut waiters = store.failed(fetch);
    assert_eq!(store.next_waiter(&mut waiters), Some(2));
    assert!(matches!(store.ask(ms(2), Key(0), 3), Answer::Miss(next) if next != fetch));
}

/// A thousand equally popular keys, nine requests in ten for which something can be there: the ratio
/// by keys after a flush is the share of keys filled, as the model by ratio has it.
#[test]
fn a_flush_makes_it_cold() {
    let ratio = |course| {
        let rule = HitRatio {
            warm: Fraction::NINE_TENTHS,
            fills: NonZeroU64::new(1_000).unwrap(),
            course,
        };
        Cache { start: Start::Warm, ..cold(Contents::HitRatio(rule)) }
    };
    let hits_per_thousand = |store: &mut Store, fill: bool| {
        let mut hits = 0_u32;
        for request in 0..10_000 {
            let key = store.draw(&mut Sprout::new(7, request));
            match store.ask(ms(1), key, 0) {
                Answer::Hit => hits += 1,
                Answer::Miss(fetch) if fill => {
                    let _ = store.answered(ms(1), fetch, Leader::Waits);
                }
                Answer::Miss(_) | Answer::Waits(_) => {}
            }
        }
        hits / 10
    };
    let fill = |store: &mut Store, leader| {
        for _ in 0..500 {
            let _ = store.answered(ms(1), Fetch::alone(0), leader);
        }
    };
    for (course, half_way) in [(Course::Gradual, 450), (Course::AtOnce, 0)] {
        let mut store = ratio(course).open(&mut bits());
        assert!(hits_per_thousand(&mut store, true).abs_diff(900) <= 12);
        store.flush();
        assert_eq!(hits_per_thousand(&mut store, false), 0);
        fill(&mut store, Leader::Waits);
        assert!(hits_per_thousand(&mut store, false).abs_diff(half_way) <= 20, "{course:?}");
        // Answers that nobody waits for warm nothing where they are dropped.
        fill(&mut store, Leader::Gone);
        assert!(hits_per_thousand(&mut store, false).abs_diff(half_way) <= 20, "{course:?}");
        fill(&mut store, Leader::Waits);
        assert!(hits_per_thousand(&mut store, false).abs_diff(900) <= 12);
    }
    let all = HitRatio {
        warm: Fraction::ONE,
        ..match ratio(Course::AtOnce).contents {
            Contents::HitRatio(rule) => rule,
            Contents::Keys(_) => panic!("it is a ratio"),
        }
    };
    let cache = Cache { start: Start::Warm, ..cold(Contents::HitRatio(all)) };
    assert_eq!(cache.open(&mut bits()).ask(ms(1), Key(u64::MAX), 0), Answer::Hit);
    let mut by_keys =
        Cache { start: Start::Warm, ..cold(Contents::Keys(keys(1_000, Coalescing::Off))) }
            .open(&mut bits());
    assert_eq!(hits_per_thousand(&mut by_keys, true), 1_000);
    by_keys.flush();
    assert_eq!(hits_per_thousand(&mut by_keys, true), 900, "a thousand fills and no more");
}

/// With room for the 20 most popular of 100 keys, the least recently used going first, the hit ratio
/// is that of Che's approximation: the sum of p (1 - exp(-p T)) over all keys, where T is such that the
/// sum of 1 - exp(-p T) is 20 (Che, Tung, Wang, "Hierarchical Web Caching Systems", 2002).
#[test]
fn the_least_recently_used_goes_first() {
    let exponent = 0.8;
    let rule = Keys {
        capacity: NonZeroU32::new(20),
        popularity: Popularity::Zipf(Exponent::new(exponent).unwrap()),
        ..keys(100, Coalescing::Off)
    };
    let total: f64 = (1..=100).map(|k| libm::pow(f64::from(k), -exponent)).sum();
    let shares: Vec<f64> = (1..=100).map(|k| libm::pow(f64::from(k), -exponent) / total).collect();
    let held = |t: f64| shares.iter().map(|p| 1.0 - libm::exp(-p * t)).sum::<f64>();
    let (mut low, mut high) = (0.0, 1e4);
    while high - low > 1e-6 {
        let middle = (low + high) / 2.0;
        if held(middle) < 20.0 { low = middle } else { high = middle }
    }
    let expected: f64 = shares.iter().map(|p| p * (1.0 - libm::exp(-p * low))).sum();
    let mut store = cold(Contents::Keys(rule)).open(&mut bits());
    let (mut hits, mut bits) = (0.0, bits());
    for _ in 0..200_000 {
        match store.ask(ms(1), store.draw(&mut bits), 0) {
            Answer::Hit => hits += 1.0,
            Answer::Miss(fetch) => {
                let _ = store.answered(ms(1), fetch, Leader::Waits);
            }
            Answer::Waits(_) => panic!("nobody waits"),
        }
    }
    let found = hits / 200_000.0;
    assert!((found - expected).abs() < 0.01, "{found} {expected}");
}

/// What is warm at the start ends at instants spread over a time to live; what is filled, a time to
/// live later.
#[test]
fn keys_do_not_all_end_at_once() {
    let rule = Keys { time_to_live: Some(Span::from_secs(10)), ..keys(1_000, Coalescing::Off) };
    let warm = Cache { start: Start::Warm, ..cold(Contents::Keys(rule)) };
    let there = |at: u64| {
        let mut store = warm.open(&mut bits());
        (0..1_000).filter(|&key| store.ask(ms(at), Key(key), 0) == Answer::Hit).count()
    };
    let found = [0, 2_500, 5_000, 7_500, 10_000].map(there);
    for (found, expected) in found.into_iter().zip([1_000_usize, 750, 500, 250, 0]) {
        assert!(found.abs_diff(expected) <= 60, "{found} {expected}");
    }
    let mut store = cold(Contents::Keys(rule)).open(&mut bits());
    let Answer::Miss(fetch) = store.ask(ms(0), Key(0), 0) else { panic!("it is cold") };
    let _ = store.answered(ms(100), fetch, Leader::Waits);
    assert_eq!(store.ask(ms(10_099), Key(0), 0), Answer::Hit);
    assert_ne!(store.ask(ms(10_100), Key(0), 0), Answer::Hit);
}
