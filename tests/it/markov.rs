//! The engine against the Markov chain of one worker whose clients come again: what it comes to in the
//! long run, how long it stays collapsed, and how often it collapses, at five loads from safe to
//! metastable. `docs/validation.md` shows the numbers.

use metastable::analysis::markov::{Crowd, RetrialQueue, Sources};
use metastable::engine::Course;
use metastable::engine::agenda::Lanes;
use metastable::law::Law;
use metastable::model::{Arrivals, Model, Think, Users};
use metastable::observe::{Fact, Observer, Trace};
use metastable::policy::admission::Admission;
use metastable::policy::retry::{Backoff, Growth, Jitter, Retry, Spread};
use metastable::policy::slowdown::{Backlog, Slowdown};
use metastable::time::{Span, Time};

use crate::theory::{agrees, interval};
use crate::worlds::{ms, station, trace};

const PLACES: u32 = 6;
const WORK: Span = ms(10);
const THINK: Span = Span::from_secs(1);
const WAIT: Span = ms(250);
/// Each one who waits beyond the first adds twice the work in an empty queue.
const SLOPE: f64 = 2.0;
const THRESHOLD: u32 = 1;
/// From so many in the orbit on it counts as collapsed.
const COLLAPSED: usize = 8;
/// How many users there are: each sends once a second while all is well.
const LOADS: [u16; 5] = [24, 28, 32, 36, 40];

fn slowdown() -> Backlog {
    Backlog::new(SLOPE, THRESHOLD).expect("a slope")
}

fn chain(users: u16) -> RetrialQueue {
    RetrialQueue {
        sources: Sources::Users { count: usize::from(users), rate: 1.0 / THINK.as_secs_f64() },
        places: PLACES as usize,
        service: 1.0 / WORK.as_secs_f64(),
        slowdown: Some(slowdown()),
        retrial: 1.0 / WAIT.as_secs_f64(),
    }
}

/// The same as a world, in which all users send at the very start: it begins full.
fn world(users: u16) -> Model {
    let crowd = Users {
        count: users.try_into().expect("users"),
        think: Think::After(Law::Exponential { mean: THINK }),
        start_within: Span::ZERO,
    };
    let horizon = Span::from_secs(1_000_000);
    let mut model = station(1, Law::Exponential { mean: WORK }, Arrivals::Users(crowd), horizon);
    model.services[0].admission = Admission::Bounded { max_waiting: PLACES - 1 };
    model.services[0].slowdown = Slowdown::Backlog(slowdown());
    model.clients[0].edge.retry = Retry {
        max_retries: Retry::UNLIMITED,
        backoff: Backoff::Jittered(Growth::Fixed(WAIT), Jitter::after_cap(Spread::Exponential)),
        ..Retry::NEVER
    };
    model
}

/// Who is where, for how long, and when the collapse first ended and the next one began.
#[derive(Clone, Debug, Default)]
struct Watch {
    present: u32,
    orbit: u32,
    since: Time,
    orbit_s: f64,
    present_s: f64,
    answers: u64,
    emptied: Option<Time>,
    collapsed: Option<Time>,
}

impl Observer for Watch {
    fn observe(&mut self, now: Time, fact: Fact) {
        let lasted = now.since(self.since).as_secs_f64();
        self.orbit_s += lasted * f64::from(self.orbit);
        self.present_s += lasted * f64::from(self.present);
        self.since = now;
        if let Fact::Queued { attempt, .. } | Fact::Started { attempt, from_queue: false, .. } =
            fact
        {
            self.present += 1;
            self.orbit -= u32::from(attempt > 0);
        }
        if let Fact::Refused { attempt: 0, .. } = fact {
            self.orbit += 1;
        }
        if let Fact::Completed { .. } = fact {
            self.present -= 1;
            self.answers += 1;
            if self.present == 0 && self.orbit == 0 {
                self.emptied.get_or_insert(now);
            }
        }
        if self.emptied.is_some() && self.orbit as usize >= COLLAPSED {
            self.collapsed.get_or_insert(now);
        }
    }

    fn finish(&mut self, _: Time) {}
}

const NOBODY: Crowd = Crowd { present: 0, begun: 0, orbit: 0 };

/// The mean time from full to empty, the one from empty to collapsed, and the means of the long run: the
/// orbit, those present, and answers per second.
fn theory(users: u16) -> [f64; 5] {
    let model = chain(users);
    let solution = model.solve();
    let full =
        Crowd { present: PLACES as usize, begun: 0, orbit: usize::from(users) - PLACES as usize };
    let down = solution.mean_time(full, |crowd| crowd == NOBODY).expect("it begins full");
    let up = solution.mean_time(NOBODY, |crowd| crowd.orbit >= COLLAPSED).expect("it can be empty");
    let orbit = solution.mean(|crowd| crowd.orbit as f64);
    let present = solution.mean(|crowd| crowd.present as f64);
    // Whoever is neither present nor in the orbit thinks, and sends once in a mean thinking time.
    let answers = (f64::from(users) - orbit - present) / THINK.as_secs_f64();
    [down, up, orbit, present, answers]
}

/// Passages that are timed at each load, one per seed, and runs of the long run.
const PASSAGES: u64 = 300;
const LONG_RUNS: u64 = 25;
const WARM_UP: Span = Span::from_secs(150);
const LONG_RUN: Span = Span::from_secs(1_200);

/// The same five numbers of independent runs.
fn found(users: u16) -> [Vec<f64>; 5] {
    let model = world(users);
    let mut found: [Vec<f64>; 5] = Default::default();
    for seed in 0..PASSAGES {
        let mut watch = Watch::default();
        let mut course = Course::<Lanes>::new(&model, seed);
        assert!(course.go_on(&mut watch, |watch| watch.collapsed.is_none()), "too short a horizon");
        let (emptied, collapsed) = watch.emptied.zip(watch.collapsed).expect("both passages");
        found[0].push(emptied.as_secs_f64());
        found[1].push(collapsed.since(emptied).as_secs_f64());
    }
    for seed in 0..LONG_RUNS {
        let mut watch = Watch::default();
        let mut course = Course::<Lanes>::new(&model, 1_000_000 + seed);
        let from = Time::ZERO + WARM_UP;
        course.go_on(&mut watch, |watch| watch.since < from);
        let before = watch.clone();
        course.go_on(&mut watch, |watch| watch.since < from + LONG_RUN);
        let seconds = watch.since.since(before.since).as_secs_f64();
        found[2].push((watch.orbit_s - before.orbit_s) / seconds);
        found[3].push((watch.present_s - before.present_s) / seconds);
        found[4].push((watch.answers - before.answers) as f64 / seconds);
    }
    found
}

/// Every number of the chain lies inside the 99 % interval of the engine, the interval is narrow, and the
/// page shows both.
#[test]
fn one_worker_whose_clients_come_again() {
    const PAGE: &str = include_str!("../../docs/validation.md");
    const WHAT: [&str; 5] = ["full to empty", "empty to collapsed", "orbit", "present", "answers"];
    let mut rows = String::new();
    for users in LOADS {
        let (theory, found) = (theory(users), found(users));
        let mut row = format!("| {users} |");
        for ((what, expected), values) in WHAT.iter().zip(theory).zip(&found) {
            agrees(&format!("{what} of {users}"), values, expected, 0.2);
            let (mean, half) = interval(values);
            row.push_str(&format!(" {} | {} |", digits(expected), within(mean, half)));
        }
        rows.push_str(&row);
        rows.push('\n');
    }
    assert!(PAGE.contains(&rows), "docs/validation.md does not show\n{rows}");
}

fn digits(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.1}"),
        10.0..100.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

fn within(mean: f64, half: f64) -> String {
    match mean {
        100.0.. => format!("{mean:.0} ± {half:.0}"),
        10.0..100.0 => format!("{mean:.1} ± {half:.1}"),
        _ => format!("{mean:.2} ± {half:.2}"),
    }
}

/// A run that is stopped after each event and gone on with is the run that is not stopped.
#[test]
fn a_run_in_pieces_is_the_same_run() {
    let model = Model { horizon: Span::from_secs(20), ..world(36) };
    let whole = trace::<Lanes>(&model, 7);
    let mut pieces = Trace::default();
    let mut course = Course::<Lanes>::new(&model, 7);
    let mut more = true;
    while more {
        let seen = pieces.facts().len();
        more = course.go_on(&mut pieces, |pieces| pieces.facts().len() == seen);
        course = course.clone();
    }
    assert!(whole.len() > 1_000);
    assert_eq!(pieces.facts(), whole);
}

/// Clones go on alike under one seed and apart under two, and share what has happened before.
#[test]
fn a_branch_has_chances_of_its_own() {
    let model = Model { horizon: Span::from_secs(20), ..world(36) };
    let mut trunk = Course::<Lanes>::new(&model, 7);
    let mut seen = Trace::default();
    trunk.go_on(&mut seen, |seen| seen.facts().len() < 1_000);
    let branch = |seed| {
        let (mut course, mut trace) = (trunk.clone(), seen.clone());
        course.branch(seed);
        course.go_on(&mut trace, |_| true);
        trace.facts().to_vec()
    };
    assert_eq!(branch(1), branch(1));
    assert_ne!(branch(1), branch(2));
}
