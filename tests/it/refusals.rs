//! What a service answers when it says no, and what its clients make of it: cases worked out by hand.

use metastable::engine::agenda::Lanes;
use metastable::law::Law;
use metastable::model::{
    Action, Arrivals, Disturbance, Errors, Lever, Model, Notice, Outage, Pull, QueueFate,
    QueueTimeout, Refusals, ServiceFate, Trigger,
};
use metastable::observe::{Dropped, Fact, Tally};
use metastable::policy::admission::{Admission, Rejection};
use metastable::policy::deadline::{Misfit, Patience};
use metastable::policy::retry::{Backoff, Guidance, Hint, Retry};
use metastable::policy::shedding::QueueTimer;
use metastable::policy::throttle::{Again, AtEmpty, RateLimit, Throttle};
use metastable::time::{Span, Time};
use metastable::unit::Fraction;

use crate::worlds::{at_ms, immediately, ms, rate, stall, station, trace, watch};

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
    model.services[0].refusals = Refusals { hint, ..Refusals::default() };
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

/// A refusal that takes a while leaves the worker alone, and its client hears of it then, or has given
/// up by then.
#[test]
fn a_refusal_may_be_heard_late() {
    let failed_at = |timeout, latency| {
        let mut model = refusing(volley(1), Hint::Absent, Span::from_secs(10));
        model.services[0].refusals.cost = Rejection::Late(ms(30));
        model.clients[0].edge.timeout = timeout;
        model.clients[0].edge.latency = latency;
        (instants(&model, failed), watch::<Lanes, _>(&model, 1, Tally::default()).rejected)
    };
    assert_eq!(failed_at(None, None), (vec![at_ms(30)], 1));
    assert_eq!(failed_at(None, Some(Law::Fixed(ms(5)))), (vec![at_ms(40)], 1));
    assert_eq!(failed_at(Some(ms(20)), None), (vec![at_ms(20)], 1));
    // Both at one instant: an answer comes before a timeout.
    assert_eq!(failed_at(Some(ms(30)), None), (vec![at_ms(30)], 1));
}

/// One worker of 10 ms that spends 4 ms on each refusal, and a queue of one. Of four requests at once
/// the first is served, the second waits, the third and fourth are refused, and that comes first.
#[test]
fn a_worker_that_says_no_does_nothing_else() {
    let mut model = station(1, Law::Fixed(ms(10)), volley(4), ms(1_000));
    model.services[0].admission = Admission::Bounded { max_waiting: 1 };
    model.services[0].refusals.cost = Rejection::ByWorker(ms(4));
    let succeeded = |fact: &Fact| matches!(fact, Fact::Succeeded { .. });
    assert_eq!(instants(&model, failed), [14, 18].map(at_ms));
    assert_eq!(instants(&model, succeeded), [10, 28].map(at_ms));
    let tally = watch::<Lanes, _>(&model, 1, Tally::default());
    assert_eq!((tally.rejected, tally.completed, tally.shed), (2, 2, 0));
    assert_eq!((tally.work, tally.refusing_work, tally.wasted_work), (ms(20), ms(8), ms(0)));

    // A stall of 100 ms from 12 ms on freezes the first refusal with 2 ms left.
    let service = model.clients[0].edge.to;
    model.triggers = vec![stall("freeze", service, at_ms(12), ms(100))];
    assert_eq!(instants(&model, failed), [114, 118].map(at_ms));

    // An outage at 12 ms loses the refusals and the one who waits: all hear of it at once.
    let outage = Outage {
        service,
        queue: QueueFate::Lost,
        in_service: ServiceFate::Lost,
        clients: Notice::AtOnce,
    };
    let disturbance = Disturbance::Outage(outage);
    model.triggers = vec![Trigger { disturbance, ..model.triggers[0].clone() }];
    assert_eq!(instants(&model, failed), [12, 12, 12].map(at_ms));
    let silent = Disturbance::Outage(Outage { clients: Notice::Never, ..outage });
    model.triggers[0].disturbance = silent;
    assert_eq!(instants(&model, failed), []);
}

/// Saying no can take all the time there is: 100 requests per second, of which 60 could be served and
/// the rest refused in a millisecond each. At 20 ms for a refusal the queue is all but starved.
#[test]
fn refusals_can_keep_a_service_down() {
    let goodput = |cost| {
        let arrivals = Arrivals::Even(rate(100.0));
        let mut model = station(1, Law::Fixed(ms(16)), arrivals, Span::from_secs(60));
        model.services[0].admission = Admission::Bounded { max_waiting: 1 };
        model.services[0].refusals.cost = cost;
        watch::<Lanes, _>(&model, 1, Tally::default()).succeeded / 60
    };
    assert_eq!(goodput(Rejection::Free), 62);
    let cheap = goodput(Rejection::ByWorker(ms(1)));
    assert!((58..62).contains(&cheap), "{cheap}");
    assert!(goodput(Rejection::ByWorker(ms(20))) < 5);
}

/// A worker of 100 ms and four requests at once, whose clients wait for 250 ms: by the clock, 150 ms
/// after they came, the third and fourth leave the queue, and no worker ever sees them.
#[test]
fn attempts_leave_the_queue_by_the_clock() {
    let run = |timer, clients| {
        let mut model = station(1, Law::Fixed(ms(100)), volley(4), ms(1_000));
        model.services[0].queue_timeout = Some(QueueTimeout { timer, clients });
        model.clients[0].edge.timeout = Some(ms(250));
        let tally = watch::<Lanes, _>(&model, 1, Tally::default());
        let shed = |fact: &Fact| matches!(fact, Fact::Shed { dropped: Dropped::ByTimer, .. });
        (instants(&model, shed), instants(&model, failed), tally.completed)
    };
    let after = |length| QueueTimer::After(ms(length));
    let twice = |at| vec![at_ms(at); 2];
    assert_eq!(run(after(150), Notice::AtOnce), (twice(150), twice(150), 2));
    assert_eq!(run(after(150), Notice::Never), (twice(150), twice(250), 2));
    // At the instant at which the worker is free the time of all three is over.
    assert_eq!(run(after(100), Notice::AtOnce), (vec![at_ms(100); 3], vec![at_ms(100); 3], 1));
    // The third is in a worker's hands by the deadline, and served for nobody.
    assert_eq!(run(QueueTimer::AtDeadline, Notice::AtOnce), (vec![at_ms(250)], twice(250), 3));
    assert_eq!(run(after(2_000), Notice::AtOnce), (vec![], twice(250), 4));
}

/// A restart loses what is there, refuses what comes, and then serves again; clients that are not told
/// wait for their timeouts.
#[test]
fn a_restart_is_an_outage_by_hand() {
    let run = |clients, pulled| {
        let mut model = station(1, Law::Fixed(ms(100)), Arrivals::Even(rate(10.0)), ms(1_000));
        model.clients[0].edge.timeout = Some(ms(150));
        let service = model.clients[0].edge.to;
        let action = Action::Restart { service, takes: ms(200), clients };
        model.levers = vec![Lever { name: "restart".to_owned(), pulled, action }];
        let succeeded = |fact: &Fact| matches!(fact, Fact::Succeeded { .. });
        (instants(&model, succeeded).len(), instants(&model, failed))
    };
    // Gone from 450 to 650 ms: what was sent at 400, 500 and 600 ms.
    let pulled = Pull::At(at_ms(450));
    assert_eq!(run(Notice::AtOnce, pulled), (6, [450, 500, 600].map(at_ms).to_vec()));
    assert_eq!(run(Notice::Never, pulled), (6, [550, 650, 750].map(at_ms).to_vec()));
}
