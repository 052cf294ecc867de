//! Cases of budgets and quotas from public reports, through scenario and engine: how many retries are
//! sent, whatever else the rule alone says.

use metastable::engine::agenda::Lanes;
use metastable::model::Model;
use metastable::observe::Tally;

use crate::worlds::{told, watch};

fn tally(model: &Model) -> Tally {
    watch::<Lanes, _>(model, 1, Tally::default())
}

/// Case A01 (envoyproxy/envoy #30205): a budget of all requests refuses the retry of a lone one, which
/// has failed and so is not active. A minimum of one lets it go, as often as it fails.
#[test]
fn a_lone_request_has_no_share_in_itself() {
    let sent = |minimum: u32| {
        let service = "workers = 1\nservice_time = \"10ms\"\nerrors = { share = 1 }";
        let client = format!(
            "arrivals = {{ volley = {{ requests = 1, at = \"0s\" }} }}\n\
             call.preset = \"envoy_retry_budget\"\n\
             call.retry.immediate = {{ max_retries = 3 }}\n\
             call.budget.concurrency = {{ share = 1, minimum = {minimum} }}"
        );
        let found = tally(&told("10s", service, &client, ""));
        (found.attempts, found.denied)
    };
    assert_eq!(sent(0), (1, 1));
    assert_eq!(sent(1), (4, 0));
}

/// Case A03 (envoyproxy/envoy #9069, #10869): long calls stay out, and ten more are refused at one
/// instant. A fifth of those that are out may be retried at once, and three in any case; the others
/// fail without a wait.
#[test]
fn a_minimum_of_retries_is_a_number_and_not_a_rate() {
    let granted = |active: usize, failing: usize, own: &str| {
        // Whoever comes first is let in and stays; the limit refuses the others.
        let bound = match active {
            0 => "errors = { share = 1, cost = \"nothing\" }".to_owned(),
            active => format!("limit.fixed.max = {active}"),
        };
        let service = format!("workers = 100\nservice_time = \"100s\"\n{bound}");
        let early = vec!["\"0s\""; active];
        let instants = [early, vec!["\"1s\""; failing]].concat().join(", ");
        let client = format!(
            "arrivals = {{ replay = {{ at = [{instants}] }} }}\n\
             call.preset = \"envoy_retry_budget\"\n\
             call.retry.fixed = {{ max_retries = 1, wait = \"1s\" }}\n{own}"
        );
        let found = tally(&told("10s", &service, &client, ""));
        assert_eq!(found.retries + found.denied, failing as u64);
        found.retries
    };
    assert_eq!([granted(25, 10, ""), granted(2, 10, ""), granted(0, 5, "")], [5, 3, 3]);
    // No share and a minimum is max_retries, for any traffic.
    for minimum in [1, 3, 7] {
        let share = format!("call.budget.concurrency = {{ share = 0, minimum = {minimum} }}");
        let fixed = format!("call.budget.concurrency = {{ max_outstanding = {minimum} }}");
        for active in [1, 25, 60] {
            let [share, fixed] = [&share, &fixed].map(|own| granted(active, 10, own));
            assert_eq!((share, fixed), (minimum, minimum));
        }
    }
}

/// Case A05 (grpc/proposal #27): the bucket of ten tokens is clamped at both ends. An outage gets four
/// retries and no more, however long everything was well before; and however long it lasts, 61 calls
/// that succeed pay for the next retry.
#[test]
fn a_token_bucket_neither_saves_nor_owes() {
    let retries = |clean: u32| {
        // Ten calls a second: well for 100 s, an outage of 100 s, `clean` good calls, one that fails.
        let again = f64::from(2_000 + clean) / 10.0;
        let outages = format!(
            "[triggers.outage]\nerrors = {{ service = \"api\", share = 1, begins = \"100s\", lasts = \"100s\" }}\n\
             [triggers.again]\nerrors = {{ service = \"api\", share = 1, begins = \"{again}s\", lasts = \"50ms\" }}"
        );
        let service = "workers = 1\nservice_time = \"1ms\"";
        let client = "arrivals = \"even\"\narrival_rate = 10\ncall.preset = \"grpc_throttle_example\"\n\
                      call.retry.immediate = { max_attempts = 5 }";
        tally(&told("220s", service, client, &outages)).retries
    };
    assert_eq!([retries(60), retries(61)], [4, 5]);
}

/// Case A09 (botocore's quota; awslabs/aws-sdk-rust #1234): a thousand calls into a hard outage come
/// to 1,100 attempts where the service fails, 1,050 where it is silent, and 1,035 under the prices of
/// 2026.
#[test]
fn a_quota_is_what_an_outage_costs() {
    let attempts = |preset: &str, service: &str, own: &str| {
        let client = format!(
            "arrivals = {{ volley = {{ requests = 1_000, at = \"0s\", within = \"100s\" }} }}\n\
             call.preset = \"{preset}\"\n{own}"
        );
        tally(&told("200s", service, &client, "")).attempts
    };
    let fails = "workers = 1\nservice_time = \"1ms\"\nerrors = { share = 1 }";
    let silent = "workers = 1\nservice_time = \"1h\"";
    assert_eq!(attempts("aws_standard", fails, ""), 1_100);
    assert_eq!(attempts("aws_standard", silent, "call.timeout = \"100ms\""), 1_050);
    assert_eq!(attempts("aws_standard_2026", fails, ""), 1_035);
    assert_eq!(attempts("aws_standard", fails, "call.budget = { none = {} }"), 3_000);
}

/// Case A11 (aws/aws-sdk-go-v2 #3550): fifty failing calls drain the quota; after four clean calls the
/// next failure is final, after five it is tried again, in standard and in adaptive mode.
#[test]
fn clean_calls_pay_for_a_retry() {
    let after = |preset: &str, clean: u32| {
        // The second trigger is over when a retry would be sent.
        let again = 50 + clean;
        let triggers = format!(
            "[triggers.drain]\nerrors = {{ service = \"api\", share = 1, begins = \"0s\", lasts = \"49.5s\" }}\n\
             [triggers.again]\nerrors = {{ service = \"api\", share = 1, begins = \"{again}s\", lasts = \"5ms\" }}"
        );
        let service = "workers = 1\nservice_time = \"1ms\"";
        let client = format!(
            "arrivals = \"even\"\narrival_rate = 1\ncall.preset = \"{preset}\"\n\
             call.retry = {{ fixed = {{ max_attempts = 3, wait = \"10ms\" }} }}"
        );
        let found = tally(&told("60s", service, &client, &triggers));
        [found.retries, found.denied, found.failed]
    };
    for preset in ["aws_standard", "aws_adaptive"] {
        assert_eq!(after(preset, 4), [100, 1, 51], "{preset}");
        assert_eq!(after(preset, 5), [101, 0, 50], "{preset}");
    }
}
