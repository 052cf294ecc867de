//! Cases of circuit breakers and limits from public reports, through scenario and engine: how many
//! attempts are let through.

use metastable::engine::agenda::Lanes;
use metastable::model::Model;
use metastable::observe::{Fact, Guard, Tally};

use crate::worlds::{at_ms, told, trace, watch};

fn tally(model: &Model) -> Tally {
    watch::<Lanes, _>(model, 1, Tally::default())
}

/// Case D01 (App-vNext/Polly #254, resilience4j #1432): a breaker opens at 0 for five seconds, and a
/// thousand calls arrive at one instant when they are over. Polly places one, resilience4j ten, and
/// Hystrix none yet: its five seconds must have passed.
#[test]
fn half_open_places_trials_and_not_a_thousand() {
    let placed = |own: &str, millis: u64| {
        // A hundred calls fail at 0, which every breaker takes for enough.
        let client = format!(
            "arrivals = {{ replay = {{ at = [{}] }} }}\n{own}",
            [vec!["\"0s\"".to_owned(); 100], vec![format!("\"{millis}ms\""); 1_000]]
                .concat()
                .join(", ")
        );
        let broken =
            "[triggers.broken]\noutage = { service = \"api\", begins = \"0s\", lasts = \"1s\" }";
        let model = told("20s", "workers = 2_000\nservice_time = \"1s\"", &client, broken);
        let facts = trace::<Lanes>(&model, 1);
        let then = facts.iter().filter(|(at, _)| *at == at_ms(millis));
        let sent = then.clone().filter(|(_, fact)| matches!(fact, Fact::Sent { .. })).count();
        let held =
            then.filter(|(_, fact)| matches!(fact, Fact::HeldBack { guard: Guard::Breaker, .. }));
        (sent, held.count())
    };
    assert_eq!(placed("call.preset = \"polly_v8_cb\"", 4_999), (0, 1_000));
    assert_eq!(placed("call.preset = \"polly_v8_cb\"", 5_000), (1, 999));
    let resilience4j = "call.preset = \"resilience4j_cb\"\ncall.breaker.open = \"5s\"";
    assert_eq!(placed(resilience4j, 5_000), (10, 990));
    assert_eq!(placed("call.preset = \"hystrix\"", 5_000), (0, 1_000));
    assert_eq!(placed("call.preset = \"hystrix\"", 5_001), (1, 999));
}

/// Case D03: a hedge that has lost is a trial without a result. If its permit comes
/// back, the next call has it and closes the breaker; if it does not, nothing is let through again.
#[test]
fn a_hedge_that_has_lost_gives_its_permit_back() {
    let found = |cancelled: &str| {
        // The call at 0 fails and opens the breaker. Of two trials at 5 s the first answers at 5.1 s.
        let client = format!(
            "arrivals = {{ replay = {{ at = [\"0s\", \"5s\", \"5200ms\", \"6s\"] }} }}\n\
             call.hedge = {{ delay = \"10ms\", max_hedges = 1 }}\n\
             call.breaker = {{ window_calls = 10, minimum_calls = 1, failed = 1, open = \"5s\", \
             half_open = {{ permits = 2, cancelled = \"{cancelled}\" }} }}"
        );
        let broken =
            "[triggers.broken]\noutage = { service = \"api\", begins = \"0s\", lasts = \"1s\" }";
        let found = tally(&told("10s", "workers = 10\nservice_time = \"100ms\"", &client, broken));
        (found.succeeded, found.attempts, found.held_back)
    };
    // At 5.2 s one permit is left, which the call has and its hedge has not.
    assert_eq!(found("returned"), (3, 1 + 2 + 1 + 2, 1 + 1));
    assert_eq!(found("lost"), (1, 1 + 2, 1 + 2 + 2));
}

/// Case D05 (resilience4j #842, #1443; Hystrix #1018): a window with too few calls never opens a
/// breaker, though all of them fail; one with enough does at once, and does not wait for its end.
#[test]
fn a_minimum_of_calls_is_met_or_never() {
    let sent = |rate: &str, horizon: &str, breaker: &str| {
        let service =
            "workers = 1\nservice_time = \"1ms\"\nerrors = { share = 1, cost = \"nothing\" }";
        let client = format!("arrivals = \"even\"\narrival_rate = {rate}\n{breaker}");
        let found = tally(&told(horizon, service, &client, ""));
        (found.attempts, found.held_back)
    };
    // Five failures, of the instants 0, 0.4, … 1.6 s; the next eight calls of five seconds are held back.
    let few = "call.breaker = { window = \"20s\", minimum_calls = 5, failed = 1, open = \"60s\" }";
    assert_eq!(sent("2.5", "5s", few), (5, 8));
    // 80 calls in a window that wants 100, and 18 in one that wants 20.
    let many = "call.breaker = { window = \"2s\", minimum_calls = 100, failed = 0.5 }";
    assert_eq!(sent("40", "60s", many), (2_400, 0));
    assert_eq!(sent("1.8", "600s", "call.preset = \"hystrix\""), (1_080, 0));
}

/// Case D07 (Netflix/Hystrix #1647, #1739): a backend with room for 20 of 100 calls a second. One good
/// probe closes the circuit, whose statistics are new, and ten to twenty calls later it opens again:
/// of 1,200 answers in a minute less than a tenth are left.
#[test]
fn a_good_probe_closes_too_early() {
    let succeeded = |own: &str| {
        let service = "workers = 1\nservice_time = \"50ms\"\nqueue = { max_waiting = 0 }";
        let client = format!("arrivals = \"even\"\narrival_rate = 100\n{own}");
        tally(&told("60s", service, &client, "")).succeeded
    };
    // The last of 1,200 would be answered at the horizon.
    assert_eq!(succeeded(""), 1_199);
    // 0.98 and 1.83 a second.
    assert_eq!(succeeded("call.preset = \"hystrix\""), 59);
    let every = "call.preset = \"hystrix\"\ncall.breaker.evaluated = { every = \"500ms\" }";
    assert_eq!(succeeded(every), 110);
}

/// Case D09 (Hystrix #1018, resilience4j #1443): a hundred clients with a breaker each never see enough
/// failures to open one; ten see them after ten seconds; one breaker for all of them after one.
#[test]
fn many_small_breakers_do_not_open() {
    let found = |instances: u32| {
        let service =
            "workers = 1\nservice_time = \"1ms\"\nerrors = { share = 1, cost = \"nothing\" }";
        let scope = if instances > 1 { "call.scope = \"per_instance\"" } else { "" };
        let client = format!(
            "arrivals = \"even\"\narrival_rate = 100\ninstances = {instances}\n\
             call.preset = \"polly_v8_cb\"\n{scope}"
        );
        let found = tally(&told("30s", service, &client, ""));
        (found.attempts, found.held_back)
    };
    assert_eq!(found(100), (3_000, 0));
    // Opened at 0.99 s for five seconds at a time, after each of which one trial fails.
    assert_eq!(found(1), (100 + 5, 2_900 - 5));
    // Each opens at its hundredth call, and has three or four trials after that.
    let (attempts, held_back) = found(10);
    assert!((1_020..=1_050).contains(&attempts), "{attempts}");
    assert_eq!(attempts + held_back, 3_000);
}

/// Case E01 (envoyproxy/envoy #20817): of six calls at once, a limit of three serves three and refuses
/// three at once, whether the limit is the client's or the service's.
#[test]
fn three_of_six_are_served_and_three_refused() {
    let six = "arrivals = { volley = { requests = 6, at = \"0s\" } }";
    let found = |service: &str, client: &str| {
        let service = format!("workers = 10\nservice_time = \"100ms\"\n{service}");
        let model = told("10s", &service, &format!("{six}\n{client}"), "");
        let at_once = trace::<Lanes>(&model, 1)
            .iter()
            .filter(|(at, fact)| *at == at_ms(0) && matches!(fact, Fact::Failed { .. }))
            .count();
        let found = tally(&model);
        (found.succeeded, at_once, found.held_back, found.rejected)
    };
    let pool = "call.preset = \"envoy_cb\"\ncall.pool = { size = 3, max_waiting = 0 }";
    assert_eq!(found("", pool), (3, 3, 3, 0));
    assert_eq!(found("limit.fixed.max = 3", ""), (3, 3, 0, 3));
    // Case E01c: a connection that is not open yet makes a call wait, which none may.
    let cold = pool.replace(" }", ", cold_start = \"counts_as_waiting\" }");
    assert_eq!(found("", &cold), (0, 6, 6, 0));
}
