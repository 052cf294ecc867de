//! Cases of clients from public reports, through scenario and engine: when they send, and when they
//! end.

use metastable::engine::agenda::Lanes;
use metastable::experiment::Workbench;
use metastable::model::{Model, Tie};
use metastable::observe::{Fact, Tally};
use metastable::time::{Span, Time};

use crate::worlds::{at_ms, ms, told, trace, watch};

fn tally(model: &Model) -> Tally {
    watch::<Lanes, _>(model, 1, Tally::default())
}

/// When attempts are sent.
fn sent(model: &Model) -> Vec<Time> {
    let facts = trace::<Lanes>(model, 1).into_iter();
    facts.filter(|(_, fact)| matches!(fact, Fact::Sent { .. })).map(|(at, _)| at).collect()
}

/// Case A13 (boto/botocore #3179): what a client's own limit makes wait is latency that its user sees.
/// 20 calls/s at 7/s: a queue in the client that grows by 13/s; or, if nobody may wait, errors.
#[test]
fn a_wait_at_the_own_throttle_is_latency() {
    let offered = |at_empty: &str| {
        let client = format!(
            "arrivals = \"even\"\narrival_rate = 20\n\
             call.throttle.rate_limit = {{ rate = 7, at_empty = \"{at_empty}\" }}"
        );
        told("10s", "workers = 1\nservice_time = \"1ms\"", &client, "")
    };
    let run = Workbench::default().run("waits", &offered("waits"), 1);
    // The n-th is sent at n / 7 s, those of 0 to 69 within ten seconds.
    let found = run.recording.tally;
    let expected = (200, 70, 70, 0, 130);
    let counts = (found.requests, found.attempts, found.succeeded, found.failed, found.censored());
    assert_eq!(counts, expected);
    let longest = run.recording.latency.quantile(1.0).expect("some succeed").as_secs_f64();
    let by_hand = 69.0 / 7.0 - 69.0 / 20.0 + 0.001;
    assert!((longest / by_hand - 1.0).abs() < 1e-3, "{longest} s");
    // A token every 142.9 ms and a call every 50 ms: every third passes.
    let found = tally(&offered("drops"));
    assert_eq!((found.attempts, found.failed, found.censored()), (67, 133, 0));
}

/// Case B05 (grpc/grpc-go #7869): waits of 0.5, 2, 5 and 5 s, each a fifth more or less, or before the
/// change anything up to it. A deadline of 8 s leaves no room for a fifth attempt.
#[test]
fn four_waits_of_grpc_before_and_after_its_change() {
    let attempts = |jitter: &str, own: &str, seed: u64| {
        let service =
            "workers = 1\nservice_time = \"1ms\"\nerrors = { share = 1, cost = \"nothing\" }";
        let client = format!(
            "arrivals = {{ volley = {{ requests = 1, at = \"0s\" }} }}\n\
             call.retry.exponential = {{ max_attempts = 5, base = \"500ms\", factor = 4, \
             cap = \"5s\", jitter = {jitter} }}\n{own}"
        );
        let facts = trace::<Lanes>(&told("20s", service, &client, ""), seed);
        let sent = facts.into_iter().filter(|(_, fact)| matches!(fact, Fact::Sent { .. }));
        sent.map(|(at, _)| at.since(Time::ZERO).as_secs_f64()).collect::<Vec<_>>()
    };
    let (mut now, mut before) = (0.0, 0.0);
    let seeds = 400;
    for seed in 0..seeds {
        let total = |jitter| attempts(jitter, "", seed)[4];
        let (new, old) = (total("{ proportional = 0.2 }"), total("\"full\""));
        assert!((10.0..=15.0).contains(&new) && (0.0..=12.5).contains(&old), "{new} {old}");
        now += new / f64::from(seeds as u32);
        before += old / f64::from(seeds as u32);
        let deadline = "call.deadline = { request = \"8s\" }";
        let within = attempts("{ proportional = 0.2 }", deadline, seed);
        assert!(within.len() <= 4 && within.iter().all(|at| *at < 8.0), "{within:?}");
    }
    // Standard errors are 0.04 and 0.11 s.
    assert!((12.3..12.7).contains(&now) && (5.75..6.75).contains(&before), "{now} {before}");
}

/// Case B13 (kubernetes #87794, etcd #20718): 3,000 clients are refused for five seconds and come back
/// after exactly one. They stay together: waves of 3,000, 2,500, … 500 on the full second, of which the
/// service takes 500 each. Jitter over a second on the same mean wait leaves no wave.
#[test]
fn a_fleet_that_waits_alike_returns_alike() {
    let fleet = |jitter: &str| {
        let service = "workers = 5\nservice_time = \"10ms\"\nqueue = { max_waiting = 495 }";
        let client = format!(
            "arrivals = {{ volley = {{ requests = 3_000, at = \"0s\" }} }}\n\
             call.retry.fixed = {{ max_retries = \"unlimited\", wait = \"1s\"{jitter} }}"
        );
        let outage =
            "[triggers.gone]\noutage = { service = \"api\", begins = \"0s\", lasts = \"5s\" }";
        told("30s", service, &client, outage)
    };
    let model = fleet("");
    let mut waves = [0; 12];
    for at in sent(&model) {
        let since = at.since(Time::ZERO).as_nanos();
        assert_eq!(since % 1_000_000_000, 0, "{at} is no full second");
        waves[(since / 1_000_000_000) as usize] += 1;
    }
    let refused = [3_000; 5];
    assert_eq!(waves[..5], refused);
    assert_eq!(waves[5..], [3_000, 2_500, 2_000, 1_500, 1_000, 500, 0]);
    let last = trace::<Lanes>(&model, 1)
        .into_iter()
        .filter_map(|(at, fact)| matches!(fact, Fact::Completed { .. }).then_some(at));
    assert_eq!(last.max(), Some(at_ms(11_000)));

    let mut busiest = vec![0; 3_000];
    for at in sent(&fleet(", jitter = { proportional = 0.5 }")) {
        busiest[(at.since(Time::ZERO).as_nanos() / 10_000_000) as usize] += 1;
    }
    let most = busiest[500..].iter().max().copied().unwrap_or(0);
    assert!((20..=80).contains(&most), "{most} in ten milliseconds");
}

/// Case C01 (paradigmxyz/reth #1067, envoyproxy/envoy #46665): where the timer wins the instant at
/// which a call is due to end, it wins every time, for first attempts and retries alike.
#[test]
fn a_timer_wins_every_tie_or_none() {
    let service = "workers = 1\nservice_time = \"100ms\"";
    let client = "arrivals = \"even\"\narrival_rate = 1\ncall.timeout = \"100ms\"\n\
                  call.retry.immediate = { max_retries = 1 }";
    let mut model = told("100s", service, client, "");
    let found = |model: &Model| {
        let found = tally(model);
        assert_eq!(found.succeeded + found.failed, found.requests);
        [found.requests, found.succeeded, found.timed_out, found.attempts]
    };
    assert_eq!(found(&model), [100, 100, 0, 100]);
    model.tie = Tie::TimerWins;
    assert_eq!(found(&model), [100, 0, 200, 200]);
    // A tenth of a second that is summed from others is the same instant.
    model.tie = Tie::CompletionWins;
    model.clients[0].edge.timeout = Some(ms(100) + ms(200) - ms(200));
    assert_eq!(found(&model), [100, 100, 0, 100]);
}

/// Case C05 (envoyproxy/envoy #10082): the route's timeout spans attempts and back-off, and one per
/// try that is as long means nothing.
#[test]
fn a_route_ends_at_its_timeout() {
    let route = |own: &str| {
        let client = format!(
            "arrivals = {{ volley = {{ requests = 1, at = \"0s\" }} }}\n\
             call.preset = \"envoy_route\"\n{own}"
        );
        told("20s", "workers = 100\nservice_time = \"1h\"", &client, "")
    };
    let ended = |model: &Model, seed| {
        let facts = trace::<Lanes>(model, seed);
        let sent = facts.iter().filter(|(_, fact)| matches!(fact, Fact::Sent { .. })).count();
        let failed = facts.iter().find(|(_, fact)| matches!(fact, Fact::Failed { .. }));
        (sent, failed.expect("a silent service").0)
    };
    let three = "call.retry.doubling_range.max_retries = 3\n";
    let same = route(&format!("{three}call.deadline.request = \"1s\"\ncall.timeout = \"1s\""));
    assert_eq!(ended(&same, 1), (1, at_ms(1_000)));
    // Starts at 0, 0.3 + b, 0.6 + b + b', and 0.9 + b + b' + b'' if that is below 1.
    let shorter =
        route(&format!("{three}call.deadline.request = \"1s\"\ncall.timeout = \"300ms\""));
    let mut counts = [0; 5];
    for seed in 0..100 {
        let (sent, at) = ended(&shorter, seed);
        assert_eq!(at, at_ms(1_000));
        counts[sent] += 1;
    }
    assert_eq!(counts[3] + counts[4], 100);
    assert!(counts[3] > 0 && counts[4] > 0, "{counts:?}");
    // No timeout of the route: two tries and a wait of 0 to 24 ms.
    let unbounded = route("call.deadline = \"none\"\ncall.timeout = \"200ms\"");
    for seed in 0..20 {
        let (sent, at) = ended(&unbounded, seed);
        assert!(sent == 2 && (at_ms(400)..at_ms(425)).contains(&at), "{sent} until {at}");
    }
}

/// Case E07 (giltene/wrk2): a closed loop sees one slow answer where an open one sees a hundred, since
/// it does not ask while it waits.
#[test]
fn a_closed_loop_does_not_see_the_freeze() {
    let client = "arrivals = { users = { count = 1, pace = \"10ms\" } }";
    let freeze =
        "[triggers.freeze]\nstall = { service = \"api\", begins = \"5s\", lasts = \"1s\" }";
    let model = told("10s", "workers = 1\nservice_time = \"1ms\"", client, freeze);
    let latencies: Vec<Span> =
        trace::<Lanes>(&model, 1)
            .into_iter()
            .filter_map(|(_, fact)| {
                if let Fact::Succeeded { latency, .. } = fact { Some(latency) } else { None }
            })
            .collect();
    // 500 before, one of a second and a millisecond, and 400 less the instant that was lost.
    assert!((899..=901).contains(&latencies.len()), "{}", latencies.len());
    let slow: Vec<&Span> = latencies.iter().filter(|latency| **latency > ms(1)).collect();
    assert_eq!(slow, [&ms(1_001)]);
}

/// Case C03 (sidorares/node-mysql2 #4498): an attempt that is handed one dead connection after the
/// other, every 400 ms, gives up when its acquire timeout says so; or, where each wait has the timeout
/// for itself, never.
#[test]
fn an_acquire_timeout_is_one_deadline() {
    let failed = |clock: &str| {
        let client = format!(
            "arrivals = {{ replay = {{ at = [\"0s\"] }} }}\ncall.pool = {{ size = 1, \
             acquire_timeout = \"500ms\", clock = \"{clock}\", \
             dead = {{ share = 1, reconnect = \"400ms\" }} }}"
        );
        let facts =
            trace::<Lanes>(&told("10s", "workers = 1\nservice_time = \"1ms\"", &client, ""), 1);
        let ends = facts.into_iter().find(|(_, fact)| matches!(fact, Fact::Failed { .. }));
        ends.map(|(at, _)| at)
    };
    assert_eq!(failed("whole_wait"), Some(at_ms(500)));
    assert_eq!(failed("each_wait"), None);
}

/// Of connections half of which are dead, those that live carry the requests, and nobody has more of
/// them than there are.
#[test]
fn dead_connections_cost_their_time_and_no_more() {
    let client = "arrivals = \"even\"\narrival_rate = 10\n\
                  call.pool = { size = 2, dead = { share = 0.5, reconnect = \"20ms\" } }";
    let found = tally(&told("100s", "workers = 9\nservice_time = \"10ms\"", client, ""));
    assert_eq!((found.requests, found.succeeded, found.attempts), (1_000, 1_000, 1_000));
}

/// Case E05 (kubernetes/enhancements #861): ten seats, and ten calls which each hold one while they
/// make a call that needs one too. Of the same ten, nobody ever gets a second one; of others, one call
/// after the other is through; and one seat to spare is enough for nine.
#[test]
fn calls_within_calls_need_seats_of_their_own() {
    let found = |outer: usize, inner: &str| {
        let service = "workers = 100\nservice_time = \"100ms\"\n\
                       calls.inner = { passes_deadline = true, pool = POOL }\n\
                       [services.inner]\nworkers = 100\nservice_time = \"50ms\""
            .replace("POOL", inner);
        let client = format!(
            "arrivals = {{ volley = {{ requests = {outer}, at = \"0s\" }} }}\n\
             call.timeout = \"60s\"\ncall.timeout_from = \"ready\"\n\
             call.pool = {{ size = 10, name = \"seats\" }}"
        );
        let model = told("100s", &service, &client, "");
        let found = tally(&model);
        let facts = trace::<Lanes>(&model, 1);
        let inner = facts.iter().filter(
            |(_, fact)| matches!(fact, Fact::Sent { edge, .. } if edge.is_between_services()),
        );
        let ends = |fact: &Fact| matches!(fact, Fact::Succeeded { .. } | Fact::Failed { .. });
        let last = facts.iter().rfind(|(_, fact)| ends(fact)).map(|(at, _)| *at);
        (found.succeeded, found.failed, inner.count(), last)
    };
    let (shared, own) = ("{ size = 10, name = \"seats\" }", "{ size = 1 }");
    assert_eq!(found(10, shared), (0, 10, 0, Some(at_ms(60_000))));
    assert_eq!(found(10, own), (10, 0, 10, Some(at_ms(600))));
    assert_eq!(found(9, shared), (9, 0, 9, Some(at_ms(300))));
}
