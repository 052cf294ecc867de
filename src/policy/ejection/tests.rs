//! Ejections step by step, and what holds for all of them.

use super::*;
use crate::policy::balancer::{Balancer, Fleet, Pick, Rule, Standing, Start};
use crate::policy::outcome::Failure;
use crate::random::{Purpose, Stream};
use proptest::prelude::*;

const BAD: Outcome = Outcome::Failed(Failure::Error);

fn bits() -> Stream {
    Stream::new(1, Purpose::Service, "ejection")
}

fn at(secs: u64) -> Time {
    Time::ZERO + Span::from_secs(secs)
}

/// Of any size, so that the share is no obstacle.
fn all_of_them() -> Ejection {
    Ejection { most: Fraction::ONE, success_rate: None, ..Ejection::ENVOY }
}

fn sweep(watch: &mut Watch, secs: u64) -> Vec<(u32, Change)> {
    let mut changes = Vec::new();
    watch.sweep(at(secs), &mut bits(), |instance, change| changes.push((instance, change)));
    changes
}

/// Reports that an instance answered so many attempts well and failed so many.
fn report(watch: &mut Watch, secs: u64, instance: u32, good: u32, bad: u32) -> Verdict {
    let outcomes = [(good, Outcome::Succeeded), (bad, BAD)];
    let mut verdict = Verdict::Stays;
    for (count, outcome) in outcomes {
        for _ in 0..count {
            verdict = watch.report(at(secs), instance, outcome, &mut bits());
        }
    }
    verdict
}

/// Case D11: a host that always fails, 100 calls one after the other. How many reach it.
fn calls_that_reach_it(panic_below: f64) -> usize {
    let mut bits = bits();
    let balancer = Balancer {
        rule: Rule::RoundRobin(Start::AtTheFirst),
        panic_below: Fraction::new(panic_below).unwrap(),
    };
    let (mut picker, mut fleet) = (balancer.open(1, &mut bits), Fleet::new(1));
    let mut watch = all_of_them().open(1);
    (0..100)
        .filter(|_| match picker.pick(&fleet, 0, &mut bits) {
            Pick::Nobody => false,
            Pick::Instance(instance) => {
                match watch.report(at(1), instance, BAD, &mut bits) {
                    Verdict::Ejected => fleet.set(instance, Standing::Unhealthy),
                    Verdict::Stays => {}
                }
                true
            }
        })
        .count()
}

#[test]
fn panic_routing_after_everything_is_ejected() {
    assert_eq!(calls_that_reach_it(0.5), 100);
    assert_eq!(calls_that_reach_it(0.0), 5);
}

/// Case D11: ejected again the moment it is back, it stays away 30, 60, 90, .., 300, 300 s.
#[test]
fn ejections_grow_to_the_longest() {
    let mut watch = all_of_them().open(1);
    let (mut lengths, mut began) = (Vec::new(), 0);
    assert_eq!(report(&mut watch, 0, 0, 0, 5), Verdict::Ejected);
    for secs in (10..2_500).step_by(10) {
        if sweep(&mut watch, secs) == [(0, Change::Returned)] {
            lengths.push(secs - began);
            began = secs;
            assert_eq!(report(&mut watch, secs, 0, 0, 5), Verdict::Ejected);
        }
    }
    assert_eq!(lengths, [30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 300, 300]);
}

/// Nobody returns but at a sweep: ejected at second 11 for 30 s, back at 50.
#[test]
fn only_a_sweep_lets_it_return() {
    let mut watch = all_of_them().open(2);
    report(&mut watch, 11, 1, 0, 5);
    let returned = (20..100).step_by(10).find(|&secs| !sweep(&mut watch, secs).is_empty());
    assert_eq!((returned, watch.ejected()), (Some(50), 0));
    assert_eq!(all_of_them().next_sweep(at(11)), at(20));
    assert_eq!(all_of_them().next_sweep(at(20)), at(30));
}

/// Two ejections in a row; back at 90 s. The sweep at 100 forgives one, the sweep at 110 the other.
#[test]
fn good_conduct_is_remembered() {
    let next_length = |well_until: u64| {
        let mut watch = all_of_them().open(1);
        report(&mut watch, 0, 0, 0, 5);
        (10..=30).step_by(10).for_each(|secs| drop(sweep(&mut watch, secs)));
        report(&mut watch, 30, 0, 0, 5);
        (40..=well_until).step_by(10).for_each(|secs| drop(sweep(&mut watch, secs)));
        assert!(!watch.is_ejected(0));
        report(&mut watch, well_until, 0, 0, 5);
        let mut sweeps = (well_until + 10..).step_by(10);
        sweeps.find(|&secs| !sweep(&mut watch, secs).is_empty()).unwrap() - well_until
    };
    assert_eq!([90, 100, 110, 120].map(next_length), [90, 60, 30, 30]);
}

#[test]
fn rows_are_broken_by_a_good_answer() {
    let mut watch = all_of_them().open(1);
    assert_eq!(report(&mut watch, 0, 0, 1, 4), Verdict::Stays);
    assert_eq!(report(&mut watch, 0, 0, 1, 4), Verdict::Stays);
    assert_eq!(report(&mut watch, 0, 0, 0, 1), Verdict::Ejected);
    let refused = Outcome::Failed(Failure::Refused);
    let mut watch = Ejection { counted: Failures::of(&[Failure::Error]), ..all_of_them() }.open(1);
    let verdicts = [BAD, BAD, BAD, BAD, refused, BAD]
        .map(|outcome| watch.report(at(0), 0, outcome, &mut bits()));
    assert_eq!(verdicts, [Verdict::Stays; 6]);
}

/// Envoy's own example: 50, 100, 100, 100, 100 % are 90 on average with a standard deviation of 20,
/// so that 1.9 of them put the limit at 52.
#[test]
fn the_odd_one_out() {
    let ejected = |good_of_the_first: u32, requests: u32, instances: u32| {
        let mut watch =
            Ejection { consecutive: None, most: Fraction::ONE, ..Ejection::ENVOY }.open(instances);
        report(&mut watch, 1, 0, good_of_the_first, requests - good_of_the_first);
        for other in 1..instances {
            report(&mut watch, 1, other, requests, 0);
        }
        sweep(&mut watch, 10)
    };
    assert_eq!(ejected(50, 100, 5), [(0, Change::Ejected)]);
    // One of four that differs is at most sqrt(3) deviations away, whatever it does.
    assert_eq!(ejected(0, 100, 4), []);
    assert_eq!(ejected(49, 99, 5), [], "too few requests");
    assert_eq!(ejected(100, 100, 5), [], "nobody differs");
}

#[test]
fn too_large_a_share_of_failures() {
    let ejected = |bad: [u32; 5]| {
        let failure_share = Some(FailureShare::ENVOY);
        let mut watch = Ejection { consecutive: None, failure_share, ..all_of_them() }.open(5);
        (0..).zip(bad).for_each(|(instance, bad)| {
            report(&mut watch, 1, instance, 100 - bad, bad);
        });
        sweep(&mut watch, 10)
    };
    // Where all are as bad, nobody is an outlier and yet all of them go.
    assert_eq!(ejected([85; 5]), [0, 1, 2, 3, 4].map(|instance| (instance, Change::Ejected)));
    assert_eq!(ejected([84, 85, 0, 0, 0]), [(1, Change::Ejected)]);
}

/// Only what ended since the last sweep is looked at.
#[test]
fn an_interval_is_judged_once() {
    let failure_share = Some(FailureShare::ENVOY);
    let mut watch = Ejection { consecutive: None, failure_share, ..Ejection::ENVOY }.open(5);
    for instance in 0..5 {
        report(&mut watch, 1, instance, 0, 100);
    }
    assert_eq!(sweep(&mut watch, 10), [], "a tenth of five is nobody");
    watch.ejection.most = Fraction::ONE;
    assert_eq!(sweep(&mut watch, 20), []);
}

#[test]
fn how_many_may_be_ejected_at_once() {
    let check = |counting, instances, expected| {
        let ejection = Ejection { counting, success_rate: None, ..Ejection::ENVOY };
        let mut watch = ejection.open(instances);
        for instance in 0..instances {
            report(&mut watch, 1, instance, 0, 5);
        }
        assert_eq!(watch.ejected(), expected, "{counting:?} of {instances}");
    };
    check(Counting::WithThis, 9, 0);
    check(Counting::AlwaysOne, 9, 1);
    check(Counting::WithoutThis, 9, 1);
    check(Counting::WithThis, 25, 2);
    check(Counting::AlwaysOne, 25, 2);
    check(Counting::WithoutThis, 25, 3);
}

/// With 30 s and a jitter of 20 s, ejections last from 30 to 50 s, and not all the same.
#[test]
fn jitter_spreads_the_returns() {
    let mut watch = Ejection { jitter: Span::from_secs(20), ..all_of_them() }.open(100);
    let mut bits = bits();
    for instance in 0..100 {
        for _ in 0..5 {
            watch.report(at(0), instance, BAD, &mut bits);
        }
    }
    let returned = [30, 40, 50].map(|secs| sweep(&mut watch, secs).len());
    assert_eq!(returned.iter().sum::<usize>(), 100);
    assert!(returned[0] <= 1 && returned[1] > 30 && returned[2] > 30, "{returned:?}");
}

proptest! {
    /// Never more are ejected than may be, the count is that of the records, whoever is ejected was
    /// not before, and nobody is away for longer than the longest and one interval.
    #[test]
    fn the_books_balance(
        most in 0.0..=1.0_f64, steps in prop::collection::vec((0_u32..8, 0_u8..12), 1..400),
    ) {
        let most = Fraction::new(most).unwrap();
        let failure_share = Some(FailureShare {
            evidence: Evidence { requests: 2, instances: 1 },
            ..FailureShare::ENVOY
        });
        let consecutive = NonZeroU32::new(3);
        let longest = Span::from_secs(60);
        let ejection = Ejection { most, failure_share, consecutive, longest, ..Ejection::ENVOY };
        let (mut watch, mut bits) = (ejection.open(8), bits());
        let (mut since, mut present) = ([None; 8], [true; 8]);
        for (step, (instance, what)) in (1..).zip(steps) {
            let now = at(step * 5);
            let was = since[instance as usize].is_some();
            match what {
                0 => {
                    watch.join(instance);
                    present[instance as usize] = true;
                }
                1 => {
                    watch.leave(instance);
                    present[instance as usize] = false;
                }
                2 => {
                    watch.report(now, instance, Outcome::Succeeded, &mut bits);
                }
                _ => {
                    let verdict = watch.report(now, instance, BAD, &mut bits);
                    if verdict == Verdict::Ejected {
                        let there = present.iter().filter(|&&is_there| is_there).count();
                        prop_assert!(present[instance as usize] && !was);
                        prop_assert!(most.covers(u64::from(watch.ejected()), there as u64));
                    }
                }
            }
            if step % 2 == 0 {
                // Whoever returns may be ejected again at the same sweep.
                watch.sweep(now, &mut bits, |instance, _| since[instance as usize] = None);
            }
            for (instance, since) in (0..).zip(&mut since) {
                *since = watch.is_ejected(instance).then(|| since.unwrap_or(now));
                let away = since.map_or(Span::ZERO, |since| now.since(since));
                prop_assert!(away < longest + ejection.interval);
            }
            let ejected = since.iter().flatten().count() as u32;
            prop_assert_eq!(watch.ejected(), ejected);
        }
    }
}
