//! How a service says no and how a client takes it, as they are written.

use std::fmt::Write;

use metastable::model::{Action, Errors, Notice, Pull, QueueTimeout, Refusals, Service};
use metastable::policy::admission::Rejection;
use metastable::policy::retry::{Backoff, Exponential, Growth, Guidance, Hint, Jitter, Spread};
use metastable::policy::shedding::QueueTimer;
use metastable::time::{Span, Time};
use metastable::unit::Fraction;

use super::client::edge;
use super::{STORM, parse};

/// The storm with a line more in its service and one more in its client's retry.
fn storm(service: &str, retry: &str) -> String {
    STORM
        .replace("workers = 10", &format!("workers = 10\n{service}"))
        .replace("max_retries = 3", &format!("max_retries = 3{retry}"))
}

fn service(line: &str) -> Service {
    let story = parse(&storm(line, ""), &[]);
    let mut story = story.unwrap_or_else(|trouble| panic!("{line}: {trouble}"));
    story.variants.remove(0).model.services.remove(0)
}

fn secs(secs: u64) -> Span {
    Span::from_secs(secs)
}

#[test]
fn hints_and_how_they_are_taken() {
    let said = |line: &str| (service(line).errors, service(line).refusals.hint);
    let two = Hint::After(secs(2));
    assert_eq!(said(""), (Errors::NONE, Hint::Absent));
    assert_eq!(said("refusals = { retry_after = \"2s\" }").1, two);
    assert_eq!(said("refusals = { retry_after = \"never\" }").1, Hint::Never);
    assert_eq!(said("refusals = {}").1, Refusals::default().hint);
    let errors = Errors { share: Fraction::ONE, hint: two, ..Errors::NONE };
    assert_eq!(said("errors = { share = 1, retry_after = \"2s\" }").0, errors);

    let taken = |written: &str| {
        let kinds = ["immediate = { max_retries = 1", "fixed = { max_retries = 1, wait = \"1s\""];
        let ends = ["linear", "exponential", "decorrelated", "doubling_range", "smooth_doubling"]
            .map(|kind| {
                let own = if kind == "linear" { ", increment = \"1s\"" } else { "" };
                format!("{kind} = {{ max_retries = 1, base = \"1s\", cap = \"2s\"{own}")
            });
        let kinds = kinds.map(str::to_owned).into_iter().chain(ends);
        let mut found: Vec<Guidance> = kinds
            .map(|kind| edge(&format!("call.retry.{kind}{written} }}")).retry.guidance)
            .collect();
        found.dedup();
        assert_eq!(found.len(), 1, "{written}: {found:?}");
        found.remove(0)
    };
    assert_eq!(taken(""), Guidance::Ignored);
    assert_eq!(taken(", guidance = \"ignored\""), Guidance::Ignored);
    assert_eq!(taken(", guidance = \"minimum\""), Guidance::Minimum);
    assert_eq!(taken(", guidance = \"replaces\""), Guidance::Replaces);
    let hour = secs(3_600);
    assert_eq!(taken(", guidance = { minimum_up_to = \"1h\" }"), Guidance::MinimumUpTo(hour));
    assert_eq!(taken(", guidance = { at_most_longer = \"1h\" }"), Guidance::AtMostLonger(hour));
    assert_eq!(taken(", guidance = { fails_beyond = \"1h\" }"), Guidance::FailsBeyond(hour));
}

#[test]
fn what_a_refusal_costs_and_when_waiting_is_over() {
    let cost = |keys: &str| service(&format!("refusals = {{ {keys} }}")).refusals.cost;
    assert_eq!(cost(""), Rejection::Free);
    assert_eq!(cost("takes = \"2s\""), Rejection::Late(secs(2)));
    assert_eq!(cost("takes = \"2s\", by = \"nobody\""), Rejection::Late(secs(2)));
    assert_eq!(cost("takes = \"2s\", by = \"a_worker\""), Rejection::ByWorker(secs(2)));

    let timeout = |value: &str| service(&format!("queue_timeout = {value}")).queue_timeout;
    let after = QueueTimer::After(secs(15));
    let told = |timer| Some(QueueTimeout { timer, clients: Notice::AtOnce });
    assert_eq!(timeout("\"none\""), None);
    assert_eq!(timeout("\"15s\""), told(after));
    assert_eq!(timeout("{ after = \"15s\" }"), told(after));
    assert_eq!(timeout("\"at_deadline\""), told(QueueTimer::AtDeadline));
    assert_eq!(
        timeout("{ after = \"at_deadline\", clients_learn = \"never\" }"),
        Some(QueueTimeout { timer: QueueTimer::AtDeadline, clients: Notice::Never })
    );
}

#[test]
fn a_restart() {
    let lever = |more: &str| {
        let lever = format!("restart = {{ service = \"api\", takes = \"5s\"{more} }}");
        let text = format!("{STORM}[levers.restart]\n{lever}\n");
        let mut story = parse(&text, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
        story.variants.remove(0).model.levers.remove(0)
    };
    let restart = |clients| {
        let service = metastable::id::ServiceId(0);
        Action::Restart { service, takes: secs(5), clients }
    };
    let found = lever(", at = \"20s\"");
    assert_eq!(found.action, restart(Notice::AtOnce));
    assert_eq!(found.pulled, Pull::At(Time::ZERO + secs(20)));
    let once =
        ", clients_learn = \"never\", once = { queue_above = { service = \"api\", waiting = 9 } }";
    assert_eq!(lever(once).action, restart(Notice::Never));
    let wrong = "restart = { service = \"api\", takes = \"0s\", at = \"1s\" }";
    let trouble = parse(&format!("{STORM}[levers.restart]\n{wrong}\n"), &[]).unwrap_err();
    assert!(trouble.to_string().contains("drop_queue"), "{trouble}");
}

#[test]
fn a_wait_of_its_own_after_a_refusal() {
    let wait =
        |value: &str| edge(&format!("call.wait_after_refusal = {value}")).retry.after_refusal;
    assert_eq!(wait("\"none\""), None);
    assert_eq!(wait("\"1s\""), Some(Backoff::fixed(secs(1))));
    let fixed = Growth::Fixed(secs(1));
    let full = Jitter::after_cap(Spread::Full);
    assert_eq!(
        wait("{ fixed = { wait = \"1s\", jitter = \"full\" } }"),
        Some(Backoff::Jittered(fixed, full))
    );
    let growth = Growth::Exponential(Exponential::new(secs(1), 2.0, secs(20)).unwrap());
    let keys = "base = \"1s\", cap = \"20s\"";
    assert_eq!(wait(&format!("{{ exponential = {{ {keys} }} }}")), Some(Backoff::Steady(growth)));
    let jittered = wait(&format!("{{ exponential = {{ {keys}, jitter = \"full\" }} }}"));
    assert_eq!(jittered, Some(Backoff::Jittered(growth, full)));
    let before = format!("{keys}, jitter = \"full\", jitter_before_cap = true, factor = 3");
    let growth = Growth::Exponential(Exponential::new(secs(1), 3.0, secs(20)).unwrap());
    assert_eq!(
        wait(&format!("{{ exponential = {{ {before} }} }}")),
        Some(Backoff::Jittered(growth, Jitter::before_cap(Spread::Full)))
    );
    // Throttled clients of 2026 wait longer than others, unless a call says otherwise.
    let preset = "call.preset = \"aws_standard_2026\"\n";
    assert_eq!(edge(preset).retry.after_refusal, jittered);
    let own = format!("{preset}call.wait_after_refusal = \"none\"");
    assert_eq!(edge(&own).retry.after_refusal, None);
    let own = format!("{preset}call.wait_after_refusal.exponential.base = \"2s\"");
    assert_ne!(edge(&own).retry.after_refusal, jittered);
    let own = format!("{preset}call.wait_after_refusal.fixed = {{ wait = \"1s\" }}");
    assert_eq!(edge(&own).retry.after_refusal, Some(Backoff::fixed(secs(1))));
}

#[test]
fn presets_take_hints_as_their_sources_say() {
    let guidance = |keys: &str| edge(keys).retry.guidance;
    let preset = |name: &str| guidance(&format!("call.preset = \"{name}\""));
    assert_eq!(preset("urllib3_retry"), Guidance::MinimumUpTo(secs(21_600)));
    assert_eq!(preset("grpc_retry_example"), Guidance::Replaces);
    assert_eq!(preset("aws_standard_2026"), Guidance::AtMostLonger(secs(5)));
    assert_eq!(preset("aws_standard"), Guidance::Ignored);
    let own = "call.preset = \"aws_standard_2026\"\n\
               call.retry.exponential.guidance = { fails_beyond = \"9s\" }";
    assert_eq!(guidance(own), Guidance::FailsBeyond(secs(9)));
}

#[test]
fn wrong_answers() {
    let mut all = String::new();
    for (service, retry) in [
        ("refusals = { retry_after = \"0s\" }", ""),
        ("refusals = { retry_after = \"nevr\" }", ""),
        ("refusals = { retry = \"2s\" }", ""),
        ("errors = { share = 1, retry_after = 2 }", ""),
        ("refusals = { by = \"a_worker\" }", ""),
        ("refusals = { takes = \"0s\" }", ""),
        ("refusals = { takes = \"1ms\", by = \"worker\" }", ""),
        ("queue_timeout = 15", ""),
        ("queue_timeout = \"0s\"", ""),
        ("queue_timeout = \"deadline\"", ""),
        ("queue_timeout = { clients_learn = \"never\" }", ""),
        ("queue_timeout = { after = \"15s\", clients_learn = \"late\" }", ""),
        ("", ", guidance = \"minimun\""),
        ("", ", guidance = { minimum_up_to = \"0s\" }"),
        ("", ", guidance = { at_most = \"5s\" }"),
        ("", ", guidance = { replaces = \"5s\" }"),
    ] {
        let trouble = parse(&storm(service, retry), &[]).expect_err(service);
        writeln!(all, "## {service}{retry}\n{trouble}\n").unwrap();
    }
    for key in [
        "wait_after_refusal = \"soon\"",
        "wait_after_refusal = 1",
        "wait_after_refusal.exponential = { base = \"2s\", cap = \"1s\" }",
        "wait_after_refusal.exponential = { base = \"1s\", cap = \"1s\", factor = 0.5 }",
        "wait_after_refusal.linear = { base = \"1s\" }",
        "wait_after_refusal = {}",
        "breaker.position = \"outside\"",
    ] {
        let text = STORM.replace("load = 0.7", &format!("load = 0.7\ncall.{key}"));
        let trouble = parse(&text, &[]).expect_err(key);
        writeln!(all, "## {key}\n{trouble}\n").unwrap();
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(all) });
}

#[test]
fn answers_without_effect() {
    let mut all = String::new();
    for (what, service, retry) in [
        ("a refusal that never comes", "refusals = { retry_after = \"2s\" }", ""),
        (
            "a hint that nobody heeds",
            "refusals = { retry_after = \"2s\" }\nqueue = { max_waiting = 80 }",
            "",
        ),
        (
            "the price of what is never said",
            "refusals = { takes = \"1ms\", by = \"a_worker\" }",
            "",
        ),
        (
            "a timer of a queue that there is not",
            "queue_timeout = \"15s\"\nlimit = { fixed = { max = 10 } }",
            "",
        ),
        ("an error's", "errors = { share = 0.1, retry_after = \"2s\" }", ""),
        ("guidance without a guide", "", ", guidance = \"minimum\""),
        (
            "all is well",
            "refusals = { retry_after = \"2s\" }\nqueue = { max_waiting = 80 }",
            ", guidance = \"minimum\"",
        ),
    ] {
        let story = parse(&storm(service, retry), &[]);
        let story = story.unwrap_or_else(|trouble| panic!("{what}: {trouble}"));
        writeln!(all, "## {what}\n{}\n", story.warnings).unwrap();
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(all) });
}
