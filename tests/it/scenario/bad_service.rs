//! Wrong services, each with what is said about it.

use std::fmt::Write;

use super::{STORM, parse};

/// Everything that is said about the storm with each line more in its service.
fn said(lines: &[&str]) -> String {
    said_of(lines, |line| STORM.replace("workers = 10", &format!("workers = 10\n{line}")))
}

fn said_of(pieces: &[&str], text: impl Fn(&str) -> String) -> String {
    let mut all = String::new();
    for piece in pieces {
        let trouble = parse(&text(piece), &[]).expect_err(piece);
        writeln!(all, "## {piece}\n{trouble}\n").unwrap();
    }
    all
}

fn warned(cases: &[(&str, String)]) -> String {
    let mut all = String::new();
    for (what, text) in cases {
        let story = parse(text, &[]).unwrap_or_else(|trouble| panic!("{what}: {trouble}"));
        writeln!(all, "## {what}\n{}\n", story.warnings).unwrap();
    }
    all
}

macro_rules! assert_said {
    ($said:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($said) })
    };
}

#[test]
fn laws() {
    assert_said!(said_of(
        &[
            "{ gaussian = { mean = \"10ms\" } }",
            "\"exponential\"",
            "{ erlang = { mean = \"10ms\" } }",
            "{ erlang = { stages = 0, mean = \"10ms\" } }",
            "{ hyperexponential = { mean = \"10ms\", squared_cv = 0.5 } }",
            "{ lognormal = { mean = \"10ms\" } }",
            "{ lognormal = { mean = \"10ms\", sigma = 1 } }",
            "{ lognormal = { mean = \"10ms\", cv = -1 } }",
            "{ lognormal = { median = \"10ms\", sigma = 100 } }",
            "{ pareto = { alpha = 0, min = \"1ms\", max = \"1s\" } }",
            "{ pareto = { alpha = 1.5, min = \"0s\", max = \"1s\" } }",
            "{ pareto = { alpha = 1.5, min = \"2s\", max = \"1s\" } }",
            "{ uniform = { min = \"2ms\", max = \"2ms\" } }",
            "{ mixture = [] }",
            "{ mixture = { weight = 1, law = \"1ms\" } }",
            "{ mixture = [{ weight = 0, law = \"1ms\" }] }",
            "{ mixture = [{ weight = 1, law = \"1ms\" }, { weight = 1, law = \"2 parsecs\" }] }",
            "{ mixture = [{ weight = 1 }] }",
            "{ quantiles = { p50 = \"60ms\", p99 = \"8ms\" } }",
            "{ quantiles = { p50 = \"8ms\", p90 = \"70ms\", p99 = \"60ms\" } }",
            "{ quantiles = { p50 = \"8ms\", p95 = \"60ms\" } }",
            "{ empirical = { values = [] } }",
            "{ empirical = { values = [\"1ms\", \"2\"] } }",
            "{ empirical = { values = [\"0s\", \"0s\"] } }",
        ],
        |law| STORM.replace("\"10ms\"", law),
    ));
}

#[test]
fn queues_and_orders() {
    assert_said!(said(&[
        "discipline = \"fifa\"",
        "discipline = \"adaptive_lifo\"",
        "discipline = { adaptive_lifo = {} }",
        "discipline = { adaptive_lifo = { longer_than = -1 } }",
        "discipline = { priority = {} }",
        "discipline = { weighted = {} }",
        "discipline = { weighted = { weights = [] } }",
        "discipline = { weighted = { weights = [9, 0] } }",
        "discipline = { weighted = { weights = [0.9, 0.1] } }",
        "queue = { known_work = 800 }",
        "queue = { headroom = { max_waiting = 100 } }",
        "queue = { headroom = { max_waiting = 100, free = [50, 0] } }",
        "queue = { headroom = { max_waiting = 100, free = [0, 101] } }",
        "queue = { max_waiting = 10, headroom = { max_waiting = 100, free = [0] } }",
        "shedding = \"codel\"",
        "shedding = { codel = { target = \"0ms\" } }",
        "shedding = { codel = { target = \"5ms\", window = \"1s\" } }",
        "shedding = { expired = {} }",
        "on_abandon = \"stops\"",
    ]));
}

#[test]
fn limits_and_dependence() {
    assert_said!(said(&[
        "load_dependence = { scalability = { contention = -0.1 } }",
        "load_dependence = { scalability = { coherency = 5 } }",
        "load_dependence = { backlog = { threshold = 5 } }",
        "load_dependence = { backlog = { slope = 0.1, threshold = -5 } }",
        "limit = 100",
        "limit = { fixed = 100 }",
        "limit = { fixed = { max = 0 } }",
        "limit = { aimd = { min = 10, max = 5 } }",
        "limit = { aimd = { initial = 10, min = 20 } }",
        "limit = { aimd = { backoff = 90 } }",
        "limit = { vegas = { smoothing = 0 } }",
        "limit = { gradient2 = { long_window = 0 } }",
        "limit = { gradient = {} }",
        "limit = { envoy_gradient = { initial = 5 } }",
        "limit = { envoy_gradient = { buffer = 25 } }",
        "limit = { envoy_gradient = { min = 2000 }, vegas = {} }",
        "limit = { envoy_gradient = { min = 20, max = 10 } }",
        "rate_limit = 900",
        "rate_limit = { rate = 900 }",
        "rate_limit = { rate = 0, burst = 1 }",
        "rate_limit = { rate = 900, burst = 0 }",
    ]));
    let class = |line: &str| STORM.replace("load = 0.7", &format!("load = 0.7\n{line}"));
    assert_said!(said_of(&["class = 16", "class = -1", "class = \"important\""], class));
}

#[test]
fn presets() {
    assert_said!(said(&[
        "preset = \"netflix_vega\"",
        "preset = \"aws_standard\"",
        "preset = [\"folly_codel\", \"x\"]",
        "preset = 3",
        "presets = \"netflix_vegas\"",
        "preset = \"netflix_vegas\"\nlimit.vegas.smoothing = 0",
        "preset = \"netflix_gradient2\"\nlimit.gradient2.max = 10",
    ]));
}

#[test]
fn keys_without_effect() {
    let with = |line: &str| STORM.replace("workers = 10", &format!("workers = 10\n{line}"));
    let patient = |line: &str| {
        with(line)
            .replace("call.timeout = \"1s\"\n", "")
            .replace("call.retry.immediate = { max_retries = 3 }\n", "")
    };
    let classy = STORM.replace("load = 0.7", "load = 0.7\nclass = 1");
    let rough = STORM
        .replace("\"10ms\"", "{ quantiles = { p50 = \"8ms\", p90 = \"50ms\", p99 = \"60ms\" } }");
    assert_said!(warned(&[
        ("a class that nobody looks at", classy),
        ("priority of one class", with("discipline = \"priority\"")),
        ("deadlines of nobody", patient("discipline = \"earliest_deadline\"")),
        ("attempts that nobody abandons", patient("on_abandon = \"stops_work\"")),
        (
            "a queue behind a limit",
            with("limit.fixed.max = 10\nqueue = { max_waiting = 5 }\ndiscipline = \"lifo\"")
        ),
        ("a limit beyond the queue", with("limit.fixed.max = 15\nqueue = { max_waiting = 5 }")),
        (
            "a preset that is overruled",
            with("preset = [\"netflix_vegas\", \"netflix_gradient2\"]\nlimit.fixed.max = 14"),
        ),
        ("one preset beneath another", with("preset = [\"netflix_vegas\", \"netflix_gradient2\"]")),
        ("a fit that does not fit", format!("{rough}[variants.v]\n\"clients.web.load\" = 0.3\n")),
    ]));
}

#[test]
fn what_has_an_effect_is_not_warned_about() {
    for line in [
        "limit.fixed.max = 14\nqueue = { max_waiting = 5 }",
        "limit.fixed.max = 11\ndiscipline = \"lifo\"",
        "shedding = { codel = {} }",
        "discipline = \"earliest_deadline\"",
        "on_abandon = \"leaves_queue\"",
        "rate_limit = { rate = 900, burst = 10 }",
        "load_dependence = { backlog = { slope = 0.001 } }",
    ] {
        let text = STORM.replace("workers = 10", &format!("workers = 10\n{line}"));
        let story = parse(&text, &[]).unwrap_or_else(|trouble| panic!("{line}: {trouble}"));
        assert!(story.warnings.is_empty(), "{line}: {}", story.warnings);
    }
    let waits = STORM.replace("workers = 10", "workers = 10\nlimit = { vegas = {} }");
    let waits = waits.replace("load = 0.7", "load = 0.7\ncall.wait_after_refusal = \"1s\"");
    let story = parse(&waits, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    assert!(story.warnings.is_empty(), "{}", story.warnings);
}
