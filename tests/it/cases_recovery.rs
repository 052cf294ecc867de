//! Cases of collapse and recovery from public reports, through scenario and engine: who comes back, and when.

use std::collections::BTreeMap;

use metastable::engine::agenda::Lanes;
use metastable::experiment::Workbench;
use metastable::model::Model;
use metastable::observe::{CallId, Fact, Recording, Sending, Tally};
use metastable::time::Time;

use crate::worlds::{at_ms, told, trace, watch};

/// Case G03 (DynamoDB, 2015): a thousand clients each need one answer, all at once, of ten workers with a
/// second of work for them. After a timeout of T the rest of that second is ahead of every retry, for
/// nobody; where it is longer than T, nobody is ever answered again.
#[test]
fn a_reload_never_ends_where_the_timeout_is_under_half_of_the_work() {
    let reload = |timeout: u64, service: &str, retry: &str| {
        let service = format!("workers = 10\nservice_time = \"10ms\"\n{service}");
        let client = format!(
            "arrivals = {{ volley = {{ requests = 1_000, at = \"0s\" }} }}\n\
             call.timeout = \"{timeout}ms\"\n{retry}"
        );
        let found = watch::<Lanes, _>(&told("20s", &service, &client, ""), 1, Tally::default());
        (found.succeeded, found.last_success.expect("some are answered"))
    };
    let endless = "call.retry.immediate = { max_retries = \"unlimited\" }";
    let (answered, _) = reload(455, "", endless);
    assert_eq!(answered, 450);
    let (answered, _) = reload(495, "", endless);
    assert_eq!(answered, 490);
    let (answered, last) = reload(505, "", endless);
    assert_eq!(answered, 1_000);
    assert!((at_ms(3_600)..=at_ms(4_200)).contains(&last), "{last}");
    // 600 by then; 210 more from 1.0 s, when the work for nobody is done, to 1.21 s; and once more the same.
    assert_eq!(reload(605, "", endless), (1_000, at_ms(1_590)));
    for timeout in [455, 495, 505, 605] {
        let (answered, last) = reload(timeout, "on_abandon = \"leaves_queue\"", endless);
        assert_eq!(answered, 1_000);
        assert!(last <= at_ms(1_010), "{last}");
    }
    let pause = "call.retry.fixed = { wait = \"100ms\", max_retries = \"unlimited\" }";
    assert_eq!(reload(505, "queue = { max_waiting = 100 }", pause), (1_000, at_ms(1_000)));
}

/// Case G07 (kubernetes #39090): 80/s of 100, 160/s for the first minute, and capacity for another 100/s that
/// is there at second 120.
fn spike(max: u32, client: &str) -> Recording {
    let service = format!(
        "workers = 1\nservice_time = \"10ms\"\nautoscaling = {{ \
         thresholds = {{ measure = \"utilisation\", above = 0.9, add = 1 }}, every = \"20s\", \
         start_up = \"100s\", max = {max}, up = {{ step = \"none\" }} }}"
    );
    let client = format!("arrivals = \"even\"\narrival_rate = 80\n{client}");
    let surge = "[triggers.spike]\nsurge = { client = \"web\", factor = 2, begins = \"0s\", lasts = \"60s\" }";
    Workbench::default().record(&told("600s", &service, &client, surge), 1)
}

#[test]
fn capacity_that_arrives_after_the_spike() {
    let backlog =
        |recording: &Recording, second: usize| recording.timeline.windows()[second - 1].queue;
    let gone = |recording: &Recording| {
        let windows = recording.timeline.windows();
        let empty = windows.iter().skip(60).position(|window| window.queue <= 1);
        60 + empty.expect("it is gone some day") + 1
    };
    let (alone, scaled) = (spike(1, ""), spike(2, ""));
    for recording in [&alone, &scaled] {
        assert!(backlog(recording, 60).abs_diff(3_600) <= 36, "{}", backlog(recording, 60));
        assert!(backlog(recording, 120).abs_diff(2_400) <= 24, "{}", backlog(recording, 120));
    }
    assert!(gone(&alone).abs_diff(240) <= 2, "{}", gone(&alone));
    assert!(gone(&scaled).abs_diff(140) <= 1, "{}", gone(&scaled));
    // While everything times out 80/s are 240 attempts/s, more than the 200 of two workers; or 160.
    let goodput = |retries: u32, from: usize| {
        let client =
            format!("call.timeout = \"5s\"\ncall.retry.immediate = {{ max_retries = {retries} }}");
        let recording = spike(2, &client);
        let windows = &recording.timeline.windows()[from..];
        let least = windows.iter().map(|window| window.goodput).min();
        let most = windows.iter().map(|window| window.goodput).max();
        (least.expect("some windows"), most.expect("some windows"))
    };
    assert_eq!(goodput(2, 60), (0, 0));
    let (least, _) = goodput(1, 580);
    assert!(least >= 79, "{least}");
}

/// How often each client has tried to come back before `until`, of so many that lose their connection at 0
/// and are refused for ten seconds.
fn reconnects(clients: u32, retry: &str, until: Time) -> (Model, BTreeMap<CallId, u32>) {
    let service = "workers = 5\nservice_time = \"10ms\"\nqueue = { max_waiting = 0 }";
    let client = format!(
        "arrivals = {{ volley = {{ requests = {clients}, at = \"0s\" }} }}\ncall.retry.{retry}"
    );
    let away = "[triggers.away]\noutage = { service = \"api\", begins = \"0s\", lasts = \"10s\" }";
    let model = told("11s", service, &client, away);
    let mut tries = BTreeMap::new();
    for (at, fact) in trace::<Lanes>(&model, 1) {
        if let Fact::Sent { call, kind: Sending::Retry, .. } = fact
            && at < until
        {
            *tries.entry(call).or_default() += 1;
        }
    }
    (model, tries)
}

/// Case G09 (langfuse PR #17618, ioredis PR #1854): waits of 102, 104, 106 ms and so on are 61 tries in ten
/// seconds, of all clients at once; waits that double up to 5 s, of which half is drawn, are 5 to 7.
#[test]
fn a_reconnect_policy_without_growth() {
    let linear = "linear = { base = \"102ms\", increment = \"2ms\", cap = \"2s\", max_retries = \"unlimited\" }";
    let (model, tries) = reconnects(1_000, linear, at_ms(10_000));
    assert_eq!(tries.len(), 1_000);
    assert!(tries.values().all(|&count| count == 61));
    // The first wave after the reopening is everybody: 62 x 100 ms + (1 + 2 + … + 62) x 2 ms.
    let wave = at_ms(62 * 100 + 62 * 63);
    let sent = |(at, fact): &(Time, Fact)| *at == wave && matches!(fact, Fact::Sent { .. });
    assert_eq!(trace::<Lanes>(&model, 1).iter().filter(|entry| sent(entry)).count(), 1_000);
    let doubling = "exponential = { base = \"200ms\", cap = \"5s\", jitter = \"equal\", max_retries = \"unlimited\" }";
    let (_, tries) = reconnects(1_000, doubling, at_ms(10_000));
    assert_eq!(tries.len(), 1_000);
    assert!(tries.values().all(|count| (5..=7).contains(count)), "{tries:?}");
}

/// From 2 to 4 a second at 5.1 s: the arrival at 5.5 s is due already, and from there on they are 250 ms apart. Those
/// that 4 a second would have brought since the start do not come at once.
#[test]
fn a_higher_even_rate_begins_with_the_next_arrival() {
    let model = told(
        "10s",
        "workers = 10\nservice_time = \"10ms\"",
        "arrival_rate = 2\narrivals = \"even\"",
        "[levers.more]\nchange = { at = \"5.1s\", set = { \"clients.web.arrival_rate\" = 4 } }",
    );
    let facts = trace::<Lanes>(&model, 1);
    let arrived = facts.iter().filter(|(_, fact)| matches!(fact, Fact::Arrived { .. }));
    let found: Vec<u64> = arrived.map(|(at, _)| at.as_nanos() / 1_000_000).collect();
    let slow = (0..=11).map(|nth| 500 * nth);
    let expected: Vec<u64> = slow.chain((1..18).map(|nth| 5_500 + 250 * nth)).collect();
    assert_eq!(found, expected);
}
