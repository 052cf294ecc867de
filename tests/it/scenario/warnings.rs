//! Scenarios that can be run and hardly mean what they say.

use std::fmt::Write;

use super::{STORM, parse};

fn warned(cases: &[(&str, &str)]) -> String {
    let mut all = String::new();
    for (what, text) in cases {
        let story = parse(text, &[]).unwrap_or_else(|trouble| panic!("{what}: {trouble}"));
        writeln!(all, "## {what}\n{}\n", story.warnings).unwrap();
    }
    all
}

/// [`STORM`] with a line more at the end of a table.
fn with(table: &str, line: &str) -> String {
    assert!(STORM.contains(table), "no table {table}");
    STORM.replacen(table, &format!("{table}\n{line}"), 1)
}

const RETRY: &str = "call.retry.immediate = { max_retries = 3 }";

#[test]
fn keys_without_effect() {
    let said = warned(&[
        (
            "a wait after refusals that never come",
            &with("[clients.web]", "call.wait_after_refusal = \"1s\""),
        ),
        (
            "a timeout that no attempt can meet",
            &STORM.replace("call.timeout = \"1s\"", "call.timeout = \"5ms\""),
        ),
        (
            "a wait of one who never retries",
            &with("[clients.web]", "call.wait_after_refusal = \"1s\"").replace(RETRY, ""),
        ),
        (
            "a budget of one who never retries",
            &with("[clients.web]", "call.budget.sliding_window = { ratio = 0.1, window = \"1s\" }")
                .replace(RETRY, ""),
        ),
        (
            "shedding without a timeout",
            &with("[services.api]", "shedding = \"expired\"")
                .replace("call.timeout = \"1s\"\n", "")
                .replace(RETRY, ""),
        ),
        ("retries of what cannot fail", &STORM.replace("call.timeout = \"1s\"\n", "")),
        (
            "a service that nobody calls, and its trigger",
            &format!(
                "{STORM}[services.idle]\nworkers = 1\nservice_time = \"1s\"\n[triggers.idle]\nstall = {{ service = \"idle\", begins = \"1s\", lasts = \"1s\" }}\n"
            ),
        ),
        (
            "a cap before jitter that there is not",
            &STORM.replace(
                RETRY,
                "call.retry.exponential = { max_retries = 3, base = \"1s\", cap = \"2s\", jitter_before_cap = true }",
            ),
        ),
        ("a scope of nothing", &with("[clients.web]", "call.scope = \"per_instance\"")),
        (
            "a scope of one instance",
            &with("[clients.web]", "call.scope = \"per_instance\"\ncall.breaker = {}"),
        ),
        (
            "a delay beyond the timeout",
            &with("[clients.web]", "call.hedge = { delay = \"2s\", max_hedges = 1 }"),
        ),
        (
            "a delay beyond the deadline",
            &with(
                "[clients.web]",
                "call.hedge = { delay = \"4s\", max_hedges = 1, on_failure = \"waits\" }\ncall.deadline = { request = \"3s\" }",
            ),
        ),
        (
            "copies one at a time",
            &with(
                "[clients.web]",
                "call.hedge = { delay = \"after_failure\", max_hedges = 1, on_failure = \"waits\", losers = \"run_on\" }",
            ),
        ),
        (
            "all fatal",
            &with(
                "[clients.web]",
                "call.hedge = { delay = \"10ms\", max_hedges = 1, on_failure = \"sends_next\", fatal = [\"timeout\", \"refused\", \"error\", \"reset\", \"unavailable\"] }",
            ),
        ),
        (
            "metered hedges that there are not",
            &with(
                "[clients.web]",
                "call.budget.concurrency = { max_outstanding = 3, hedges = \"metered\" }",
            ),
        ),
        (
            "a budget that hedges bypass and retries never ask",
            &with(
                "[clients.web]",
                "call.hedge = { delay = \"10ms\", max_hedges = 1 }\ncall.budget.concurrency = { max_outstanding = 3, hedges = \"bypass\" }",
            )
            .replace(RETRY, ""),
        ),
        (
            "a clock of no timeout",
            &with("[clients.web]", "call.pool = { size = 10, clock = \"each_wait\" }"),
        ),
        (
            "a cold start of a pool with a line",
            &with("[clients.web]", "call.pool = { size = 10, cold_start = \"counts_as_waiting\" }"),
        ),
        (
            "a timeout from where nobody waits",
            &with("[clients.web]", "call.timeout_from = \"ready\""),
        ),
        (
            "the same with a bulkhead",
            &with(
                "[clients.web]",
                "call.timeout_from = \"ready\"\ncall.pool = { size = 10, max_waiting = 0 }",
            ),
        ),
        (
            "a start of no timeout",
            &with("[clients.web]", "call.timeout_from = \"ready\"\ncall.pool = { size = 10 }")
                .replace("call.timeout = \"1s\"\n", "")
                .replace(RETRY, ""),
        ),
        ("a trigger to the end", &STORM.replace("\"2s\"", "\"55s\"")),
        ("windows of chance", &STORM.replace("load = 0.7", "load = 0.02")),
        ("windows of chance over a short horizon", &STORM.replace("load = 0.7", "load = 0.002")),
        ("a cell of chance", &format!("{STORM}[sweep.axes]\n\"clients.web.load\" = [0.05, 0.5]\n")),
        (
            "an axis over a variant",
            &format!(
                "{STORM}[variants.half]\n\"clients.web.load\" = 0.5\n[sweep.axes]\n\"clients.web.load\" = [0.3, 0.4]\n"
            ),
        ),
    ]);
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(said) });
}

#[test]
fn an_effect_in_one_variant_or_cell_is_enough() {
    let check = |what: &str, text: &str| {
        let story = parse(text, &[]).unwrap_or_else(|trouble| panic!("{what}: {trouble}"));
        assert!(story.warnings.is_empty(), "{what}: {}", story.warnings);
    };
    check("plain", STORM);
    let waits = with("[clients.web]", "call.wait_after_refusal = \"1s\"");
    check(
        "a variant",
        &format!("{waits}[variants.v]\n\"services.api.queue\" = {{ max_waiting = 10 }}\n"),
    );
    check(
        "a cell",
        &format!("{waits}[sweep.axes]\n\"services.api.queue.max_waiting\" = [10, 20]\n"),
    );
    let patient = STORM.replace("\"1s\"", "\"none\"");
    check(
        "a timeout in one cell",
        &format!("{patient}[sweep.axes]\n\"clients.web.call.timeout\" = [\"none\", \"1s\"]\n"),
    );
    check(
        "even arrivals are never noisy",
        &STORM.replace("load = 0.7", "load = 0.02\narrivals = \"even\""),
    );
    check(
        "retries after a full pool",
        &with("[clients.web]", "call.pool = { size = 10, max_waiting = 0 }")
            .replace("call.timeout = \"1s\"\n", ""),
    );
    check(
        "a budget of hedges alone",
        &with(
            "[clients.web]",
            "call.hedge = { delay = \"10ms\", max_hedges = 1 }\ncall.budget.concurrency = { max_outstanding = 3 }",
        )
        .replace(RETRY, ""),
    );
    check(
        "a scope of pools",
        &with(
            "[clients.web]",
            "instances = 5\ncall.scope = \"per_instance\"\ncall.pool = { size = 10 }\ncall.timeout_from = \"ready\"",
        ),
    );
    check(
        "a word that says nothing",
        &with("[services.api]", "shedding = \"never\"")
            .replace("\"1s\"", "\"none\"")
            .replace(RETRY, ""),
    );
}

#[test]
fn warnings_about_variants_that_nobody_asks_for_are_left_out() {
    let text = format!(
        "{STORM}[variants.thin]\n\"clients.web.load\" = 0.02\n\
         [variants.thinner]\n\"clients.web.load\" = 0.01\n\
         [variants.waits]\n\"clients.web.call.wait_after_refusal\" = \"1s\"\n"
    );
    let story = parse(&text, &[]).unwrap();
    let about = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        story.warnings_about(&story.pick(&names).unwrap()).to_string()
    };
    assert_eq!(about(&[]), story.warnings.to_string());
    assert_eq!(story.warnings.len(), 2);
    assert_eq!(about(&["base"]), "");
    assert!(about(&["thin"]).contains("in the variant `thin`\n"), "{}", about(&["thin"]));
    assert!(about(&["thin", "thinner", "base"]).contains("in the variant `thinner`"));
    let waits = about(&["waits"]);
    assert!(waits.contains("wait_after_refusal") && !waits.contains("chance"), "{waits}");
}

/// Fleets, autoscalers, deadlines and late answers: a key that could only count beside another one, and does
/// where that stands beside it.
#[test]
fn keys_that_need_another_beside_them() {
    let service = |line: &str| with("[services.api]", line);
    let alone = |line: &str| with("[clients.web]", line).replace(RETRY, "");
    let three = "instances = 3\nejection = { most = 0.5, consecutive = \"none\"";
    let scaled = "autoscaling = { max = 20, start_up = \"1s\"";
    let steps = "thresholds = { measure = \"utilisation\", above = 0.8, add = 1";
    let said = warned(&[
        ("three instances are not compared", &service(&format!("{three} }}"))),
        (
            "nor by their share of failures",
            &service(
                "instances = 3\nejection = { most = 0.5, success_rate = \"none\", failure_share = {} }",
            ),
        ),
        (
            "errors where nothing errs",
            &service("instances = 10\nejection = { counts = [\"error\"] }"),
        ),
        (
            "a look after the end",
            &service(&format!("{scaled}, target_utilisation = 0.7, every = \"1h\" }}")),
        ),
        (
            "workers after the end",
            &service("autoscaling = { max = 20, target_utilisation = 0.7, start_up = \"1h\" }"),
        ),
        (
            "thresholds that take nobody away",
            &service(&format!(
                "{scaled}, min = 2, down = {{ window = \"1s\" }}, {steps}, remove = 2 }} }}"
            )),
        ),
        ("late answers of one attempt", &alone("call.late_answers = \"accepted\"")),
        ("a deadline around one attempt", &alone("call.deadline = { request = \"3s\" }")),
        (
            "the whole of no timeout",
            &with(
                "[clients.web]",
                "call.deadline = { request = \"3s\", least = \"whole_timeout\" }",
            )
            .replace("call.timeout = \"1s\"\n", ""),
        ),
    ]);
    insta::assert_snapshot!("keys_that_need_another_beside_them", said);
    let silent = warned(&[
        (
            "five instances",
            &service("instances = 5\nejection = { most = 0.5, consecutive = \"none\" }"),
        ),
        (
            "errors",
            &service(
                "instances = 10\nejection = { counts = [\"error\"] }\nerrors = { share = 0.1 }",
            ),
        ),
        (
            "a deadline around several",
            &with("[clients.web]", "call.deadline = { request = \"3s\" }"),
        ),
        ("late answers of several", &with("[clients.web]", "call.late_answers = \"accepted\"")),
        (
            "thresholds both ways",
            &service(&format!(
                "{scaled}, min = 2, down = {{ window = \"1s\" }}, {steps}, below = 0.3, remove = 2 }} }}"
            )),
        ),
    ]);
    assert!(!silent.contains("has no effect"), "{silent}");
}
