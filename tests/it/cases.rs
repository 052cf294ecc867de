//! Small cases whose right answer was derived by hand before any run. Arrivals and work are without
//! chance, so most answers are exact.

use metastable::analysis::Verdict;
use metastable::engine::agenda::Lanes;
use metastable::experiment::{Run, Workbench};
use metastable::id::{ClientId, EdgeId, ServiceId};
use metastable::law::Law;
use metastable::model::{Arrivals, Model};
use metastable::observe::{CallId, Dropped, Fact, Latency, Sending, Tally, Trace};
use metastable::policy::admission::Admission;
use metastable::policy::budget::{Rule, SlidingWindow};
use metastable::policy::retry::{Backoff, Retry};
use metastable::policy::shedding::Shedding;
use metastable::time::{Span, Time};
use metastable::unit::Fraction;

use crate::worlds::{at_ms, immediately, ms, rate, stall, station, trace, watch};

/// One station with even arrivals and fixed work.
fn even(workers: u32, work: Span, per_second: f64, horizon_s: u64) -> Model {
    station(workers, Law::Fixed(work), Arrivals::Even(rate(per_second)), Span::from_secs(horizon_s))
}

fn tally(model: &Model) -> Tally {
    watch::<Lanes, _>(model, 1, Tally::default())
}

/// A call is due to end and to be given up at the same instant, a hundred times: all of them succeed,
/// none is counted twice (paradigmxyz/reth #1067, envoyproxy/envoy #46665).
#[test]
fn a_completion_wins_against_a_timer_of_its_instant() {
    let mut model = even(1, ms(100), 1.0, 100);
    model.clients[0].edge.timeout = Some(ms(100));
    model.clients[0].edge.retry = immediately(1);
    let found = tally(&model);
    let expected = [100, 100, 0, 100, 0];
    assert_eq!(
        [found.requests, found.succeeded, found.timed_out, found.attempts, found.failed],
        expected
    );

    // One nanosecond less, and the timer comes first. Nothing lies between the two: both attempts of
    // every call time out, and both are served in full for nobody.
    model.clients[0].edge.timeout = Some(Span::from_nanos(99_999_999));
    let found = tally(&model);
    let expected = [100, 0, 200, 200, 100];
    assert_eq!(
        [found.requests, found.succeeded, found.timed_out, found.attempts, found.failed],
        expected
    );
    assert_eq!((found.completed, found.wasted), (200, 200));
}

/// Case E01: a queue of length 0 serves whoever finds a worker idle (envoyproxy/envoy #20817): the limit is on
/// those who wait and not on those who are present.
#[test]
fn where_nobody_may_wait_the_idle_still_serve() {
    let mut model = even(1, ms(100), 1.0, 100);
    model.services[0].admission = Admission::Bounded { max_waiting: 0 };
    let found = tally(&model);
    assert_eq!((found.rejected, found.succeeded), (0, 100));

    // Work that ends exactly when the next arrives makes room for it; a nanosecond more does not.
    let back_to_back = |work| {
        let mut model = even(1, work, 10.0, 100);
        model.services[0].admission = Admission::Bounded { max_waiting: 0 };
        tally(&model)
    };
    assert_eq!(back_to_back(ms(100)).rejected, 0);
    assert_eq!(back_to_back(Span::from_nanos(100_000_001)).rejected, 500);
}

/// Open-loop clients see a freeze of one second in full: 100 of them arrive meanwhile, and the
/// latency of number k of these is 1.001 - 0.009 k seconds (coordinated omission, giltene/wrk2).
#[test]
fn a_freeze_is_seen_by_everyone_who_arrives_in_it() {
    let mut model = even(1, ms(1), 100.0, 11);
    model.triggers = vec![stall("freeze", ServiceId(0), at_ms(5_000), Span::from_secs(1))];
    let (facts, histogram) = watch::<Lanes, _>(&model, 1, (Trace::default(), Latency::new()));
    let mut latencies: Vec<Span> =
        facts
            .facts()
            .iter()
            .filter_map(|(_, fact)| {
                if let Fact::Succeeded { latency, .. } = fact { Some(*latency) } else { None }
            })
            .take(1_000)
            .collect();
    latencies.sort_unstable();
    let nearest_rank = |percent: usize| latencies[(percent * latencies.len()).div_ceil(100) - 1];
    assert_eq!([50, 90, 99, 100].map(nearest_rank), [1, 101, 911, 1_001].map(ms));
    assert_eq!(latencies.iter().filter(|&&latency| latency > ms(10)).count(), 111);

    // The histogram says the same to its three digits; it holds 100 calls more, all of 1 ms.
    for (q, expected) in [(0.5, 0.001), (1.0, 1.001)] {
        let found = histogram.quantile(q).expect("there are successes").as_secs_f64();
        assert!((found / expected - 1.0).abs() < 1e-3, "{q}: {found}");
    }
}

/// Case G01: the threshold is lambda (1 + R) against mu. While every attempt times out, 20 and 24 requests/s
/// are 80 and 96 attempts/s, which 100/s can serve, and 26 and 30 are 104 and 120, which it cannot.
#[test]
fn the_storm_lasts_where_requests_times_attempts_exceed_capacity() {
    let run = |per_second: f64, retries: u32| -> Run {
        let mut model = even(10, ms(100), per_second, 300);
        model.clients[0].edge.timeout = Some(Span::from_secs(1));
        model.clients[0].edge.retry = immediately(retries);
        model.triggers = vec![stall("freeze", ServiceId(0), at_ms(10_000), Span::from_secs(10))];
        Workbench::default().run("base", &model, 1)
    };
    let back_by = |per_second: f64, retries: u32, second: u64| {
        let run = run(per_second, retries);
        assert_eq!(run.assessment.verdict, Verdict::Recovered, "{per_second}/s, {retries} retries");
        let back_at = run.assessment.back_at.expect("it recovered");
        assert!(back_at <= at_ms(1_000 * second), "{per_second}/s, {retries} retries: {back_at}");
    };
    back_by(20.0, 3, 60);
    back_by(24.0, 3, 210);
    for per_second in [20.0, 24.0, 26.0, 30.0, 90.0] {
        back_by(per_second, 0, 120);
    }
    for per_second in [26.0, 30.0] {
        let run = run(per_second, 3);
        assert_eq!(run.assessment.verdict, Verdict::Metastable, "{per_second}/s");
        // From second 20 on, when the freeze is over, and once everyone is in the storm.
        let storm = &run.recording.timeline.windows()[20..];
        assert!(
            storm.iter().all(|window| window.goodput == 0),
            "{per_second}/s: someone is served in time"
        );
        for window in &storm[5..] {
            let attempts = per_second * 4.0;
            assert!((window.attempts as f64 - attempts).abs() <= 8.0, "{per_second}/s: {window:?}");
        }
    }
}

/// A D/D/1 queue of at most K at twice its capacity: it fills, and from then on every second arrival
/// is refused.
#[test]
fn a_full_queue_refuses_every_second_one() {
    let mut model = even(1, ms(20), 100.0, 10);
    model.services[0].admission = Admission::Bounded { max_waiting: 10 };
    let found = tally(&model);
    // At 20 k ms one is done and the next one started, before the arrival of that instant. 500
    // starts by then (at 0, 20, ... 9,980 ms), 10 wait at the end, the rest of 1,000 was refused.
    assert_eq!((found.requests, found.started, found.rejected), (1_000, 500, 490));
}

/// A refused client with immediate retries uses up its attempts within the instant and comes to an
/// end; with a wait after refusals it finds the worker idle again.
#[test]
fn refusals_do_not_spin() {
    let mut model = even(1, ms(600), 2.0, 10);
    model.services[0].admission = Admission::Bounded { max_waiting: 0 };
    model.clients[0].edge.retry = immediately(3);
    let found = tally(&model);
    // Served at 0, 1, 2, ... s for 0.6 s; refused with all four attempts at 0.5, 1.5, ... s.
    assert_eq!((found.requests, found.succeeded, found.failed, found.rejected), (20, 10, 10, 40));

    model.clients[0].edge.retry =
        Retry { after_refusal: Some(Backoff::fixed(ms(100))), ..immediately(3) };
    let found = tally(&model);
    // In seconds: 0 is served at once, 0.5 at 0.6, 1.0 at 1.2, 1.5 at 1.8 with its third retry, and 2.0
    // is refused four times, at 2.0 to 2.3. At 2.4 the worker is idle, and 2.5 begins anew: of every
    // five requests four succeed, after 0, 1, 2 and 3 refusals, and the fifth fails after 4.
    assert_eq!((found.succeeded, found.failed, found.rejected, found.attempts), (16, 4, 40, 56));
}

/// Every fact of a small run in which nothing succeeds, with its instants: timeouts come before the
/// hand-over of their instant, so the retry that times out just as a worker becomes idle is served
/// for nobody.
#[test]
fn zombies_are_served_in_full() {
    let mut model = even(1, Span::from_secs(2), 0.1, 10);
    model.clients[0].edge.timeout = Some(Span::from_secs(1));
    model.clients[0].edge.retry = immediately(1);
    let (service, client, call) = (ServiceId(0), ClientId(0), CallId(0));
    let edge = EdgeId::from(client);
    let work = Span::from_secs(2);
    let started =
        |attempt, waited, from_queue| Fact::Started { service, call, attempt, waited, from_queue };
    let expected = [
        (0, Fact::Arrived { client, call }),
        (0, Fact::Sent { edge, call, attempt: 0, kind: Sending::First }),
        (0, started(0, Span::ZERO, false)),
        (1, Fact::TimedOut { edge, call, attempt: 0 }),
        (1, Fact::Sent { edge, call, attempt: 1, kind: Sending::Retry }),
        (1, Fact::Queued { service, call, attempt: 1 }),
        (2, Fact::Completed { service, call, attempt: 0, work, useful: false }),
        (2, Fact::TimedOut { edge, call, attempt: 1 }),
        (2, Fact::Failed { client, call }),
        (2, started(1, Span::from_secs(1), true)),
        (4, Fact::Completed { service, call, attempt: 1, work, useful: false }),
    ];
    let expected = expected.map(|(second, fact)| (at_ms(1_000 * second), fact));
    assert_eq!(trace::<Lanes>(&model, 1), expected);

    // A service that drops what has expired drops the retry instead, at the same instant.
    model.services[0].shedding = Shedding::Expired;
    let facts = trace::<Lanes>(&model, 1);
    let shed = |attempt, dropped| Fact::Shed { service, call, attempt, dropped };
    assert_eq!(facts[..9], expected[..9]);
    assert_eq!(facts[9..], [(at_ms(2_000), shed(1, Dropped::AtPickUp))]);

    // One that knows the work does not begin what it cannot finish, though its worker is idle.
    for shedding in [Shedding::Unfinishable, Shedding::UnfinishableOnAverage] {
        model.services[0].shedding = shedding;
        let hopeless = [
            (0, Fact::Arrived { client, call }),
            (0, Fact::Sent { edge, call, attempt: 0, kind: Sending::First }),
            (0, shed(0, Dropped::OnArrival)),
            (1, Fact::TimedOut { edge, call, attempt: 0 }),
            (1, Fact::Sent { edge, call, attempt: 1, kind: Sending::Retry }),
            (1, shed(1, Dropped::OnArrival)),
            (2, Fact::TimedOut { edge, call, attempt: 1 }),
            (2, Fact::Failed { client, call }),
        ];
        let hopeless = hopeless.map(|(second, fact)| (at_ms(1_000 * second), fact));
        assert_eq!(trace::<Lanes>(&model, 1), hopeless, "{shedding:?}");
    }
    // Work that takes as long as the timeout is in time.
    model.services[0].service_time = Law::Fixed(Span::from_secs(1));
    assert_eq!(tally(&model).succeeded, 1);
}

/// A stall freezes work where it is: what was left of it is done afterwards, overlapping stalls count
/// once, and a completion at the very instant of its beginning is not caught.
#[test]
fn a_stall_freezes_work_in_service() {
    let completions = |stalls: &[(u64, u64)]| -> Vec<Time> {
        let mut model = even(1, ms(100), 10.0, 1);
        model.clients[0].arrivals = Arrivals::Even(rate(1.0));
        model.triggers = stalls
            .iter()
            .map(|&(begins, lasts)| stall("freeze", ServiceId(0), at_ms(begins), ms(lasts)))
            .collect();
        let facts = trace::<Lanes>(&model, 1).into_iter();
        facts
            .filter(|(_, fact)| matches!(fact, Fact::Completed { .. }))
            .map(|(now, _)| now)
            .collect()
    };
    assert_eq!(completions(&[]), [at_ms(100)]);
    assert_eq!(completions(&[(40, 200)]), [at_ms(300)]);
    assert_eq!(completions(&[(40, 200), (100, 300)]), [at_ms(460)]);
    assert_eq!(completions(&[(40, 200), (260, 50)]), [at_ms(350)]);
    assert_eq!(completions(&[(100, 200)]), [at_ms(100)]);
    assert_eq!(completions(&[(0, 200)]), [at_ms(300)]);
    assert_eq!(completions(&[(99, 5_000)]), []);
}

/// Waits grow with the number of retries made, and each attempt's timeout runs from its sending.
#[test]
fn attempts_leave_when_the_back_off_says() {
    let mut model = even(1, Span::from_secs(100), 0.01, 100);
    model.clients[0].edge.timeout = Some(ms(200));
    let sent = |backoff| -> Vec<Time> {
        let mut model = model.clone();
        model.clients[0].edge.retry = Retry { max_retries: 3, backoff, ..Retry::NEVER };
        let facts = trace::<Lanes>(&model, 1).into_iter();
        facts.filter(|(_, fact)| matches!(fact, Fact::Sent { .. })).map(|(now, _)| now).collect()
    };
    assert_eq!(sent(Backoff::Immediate), [0, 200, 400, 600].map(at_ms));
    assert_eq!(sent(Backoff::fixed(ms(30))), [0, 230, 460, 690].map(at_ms));
    let exponential =
        metastable::policy::retry::Exponential::new(ms(50), 2.0, ms(150)).expect("it grows");
    assert_eq!(sent(exponential.into()), [0, 250, 550, 900].map(at_ms));
}

/// A budget of one tenth lets through every retry for which nine first attempts have been sent: of
/// 100 calls that all fail, 11 are tried again. What left the window no longer pays.
#[test]
fn one_retry_for_nine_first_attempts() {
    let of_window = |window| -> [u64; 4] {
        let mut model = even(1, Span::from_secs(1_000), 1.0, 100);
        let ratio = Fraction::new(0.1).expect("a share");
        model.clients[0].edge.timeout = Some(ms(100));
        model.clients[0].edge.retry = immediately(1);
        model.clients[0].edge.budget =
            Some(Rule::SlidingWindow(SlidingWindow::of_all_sends(ratio, window)).into());
        let found = tally(&model);
        [found.requests, found.retries, found.denied, found.failed]
    };
    assert_eq!(of_window(Span::from_secs(1_000)), [100, 11, 89, 100]);
    assert_eq!(of_window(Span::from_secs(8)), [100, 0, 100, 100]);
}
