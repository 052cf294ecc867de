//! Services that call services: what is written, and what is said about it.

use std::fmt::Write;

use metastable::id::{EdgeId, ServiceId};
use metastable::model::{Caller, Disturbance, Meanwhile, Model, Need, PassedOn};
use metastable::time::Span;

use super::parse;
use super::warned_about;

/// A page that asks for the stock and then for the payment.
const SHOP: &str = r#"title = "A shop"
horizon = "60s"

[services.page]
workers = 100
service_time = "1ms"
calls.stock = { timeout = "1s", retry = { immediate = { max_retries = 2 } } }
calls.pay = { to = "payment", step = 2, timeout = "500ms" }

[services.stock]
workers = 10
service_time = "10ms"

[services.payment]
workers = 10
service_time = "10ms"

[clients.web]
calls = "page"
load = 0.005
call.timeout = "1s"
"#;

fn model(text: &str, overrides: &[&str]) -> Model {
    let story = parse(text, overrides).unwrap_or_else(|trouble| panic!("{trouble}"));
    assert!(story.warnings.is_empty(), "{}", story.warnings);
    story.variants[0].model.clone()
}

#[test]
fn calls_stand_in_their_steps_whatever_their_order() {
    let model = model(SHOP, &[]);
    let page = &model.services[0].calls;
    let names: Vec<_> = page.list.iter().map(|call| (call.name.as_str(), call.step)).collect();
    assert_eq!(names, [("stock", 0), ("pay", 1)]);
    assert_eq!((page.list[0].edge.to, page.list[1].edge.to), (ServiceId(2), ServiceId(1)));
    assert_eq!(page.list[1].edge.timeout, Some(Span::from_millis(500)));
    assert_eq!((page.list[1].need, page.list[1].deadline), (Need::Needed, PassedOn::Kept));
    assert_eq!((page.work_before.as_f64(), page.meanwhile), (1.0, Meanwhile::HoldsWorker));
    let callers: Vec<_> = model.edges().map(|(id, caller, _)| (id.index(), caller)).collect();
    let web = Caller::Client(metastable::id::ClientId(0));
    let page = |nth| Caller::Service(ServiceId(0), nth);
    assert_eq!(callers, [(0, web), (1, page(0)), (2, page(1))]);
    // A load is a share of what is called, and not of what that calls.
    assert!((model.fresh_demand() - 500.0).abs() < 1e-9);
}

#[test]
fn every_key_of_a_call_has_its_meaning() {
    let model = model(
        SHOP,
        &[
            "services.page.calls.stock.share=0.25",
            "services.page.calls.stock.copies=3",
            "services.page.calls.stock.needed=false",
            "services.page.calls.stock.passes_deadline=true",
            "services.page.calls.stock.passes_cancellation=true",
            "services.page.calls.pay.passes_guidance=true",
            "services.payment.errors={ share = 0.1, retry_after = 'never' }",
            "clients.web.call.retry.immediate={ max_retries = 1, guidance = 'minimum' }",
            "services.page.on_abandon=stops_work",
            "services.page.work_before_calls=0.5",
            "services.page.while_calling=frees_worker",
            "services.page.calls.pay.preset=envoy_route",
        ],
    );
    let page = &model.services[0].calls;
    let stock = &page.list[0];
    assert_eq!((stock.share.as_f64(), stock.copies.get()), (0.25, 3));
    assert_eq!(stock.need, Need::BestEffort);
    assert_eq!((stock.deadline, stock.cancellation), (PassedOn::PassedOn, PassedOn::PassedOn));
    assert_eq!((stock.guidance, page.list[1].guidance), (PassedOn::Kept, PassedOn::PassedOn));
    assert_eq!((page.work_before.as_f64(), page.meanwhile), (0.5, Meanwhile::FreesWorker));
    // What is written stands, the preset fills in the rest.
    assert_eq!(page.list[1].edge.timeout, Some(Span::from_millis(500)));
    assert_eq!(page.list[1].edge.retry.max_retries, 1);
    assert!(page.list[1].edge.budget.is_some());
}

#[test]
fn a_trigger_may_disturb_a_call_between_services() {
    let slow = format!(
        "{SHOP}[triggers.slow]\nlatency = {{ service = \"page\", call = \"pay\", adds = \"1s\", begins = \"9s\", lasts = \"1s\" }}\n"
    );
    let edge = EdgeId::between_services(2);
    let adds = Span::from_secs(1);
    assert_eq!(model(&slow, &[]).triggers[0].disturbance, Disturbance::Latency { edge, adds });
}

#[test]
fn variants_axes_and_levers_reach_into_calls() {
    let more = r#"
[variants."more patience"]
"services.page.calls.pay.timeout" = "2s"
[sweep.axes]
"services.page.calls.pay.share" = [0.5, 1]
[levers.care]
change = { set = { "services.page.calls.pay.timeout" = "3s" }, at = "30s" }
"#;
    let story = parse(&format!("{SHOP}{more}"), &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    let timeout = |model: &Model| model.services[0].calls.list[1].edge.timeout;
    assert_eq!(timeout(&story.variants[1].model), Some(Span::from_secs(2)));
    assert_eq!(story.sweep.expect("a sweep").cells.len(), 4);
    let metastable::model::Action::Change(changed) = &story.variants[0].model.levers[0].action
    else {
        panic!("a change");
    };
    assert_eq!(timeout(changed), Some(Span::from_secs(3)));
}

macro_rules! assert_said {
    ($said:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($said) })
    };
}

#[test]
fn wrong_calls() {
    let mut said = String::new();
    let all = [
        "services.page.calls.stok.timeout=2s",
        "services.page.calls.basket={}",
        "services.page.calls.stock.to=payments",
        "services.stock.calls.page={}",
        "services.payment.calls.payment={}",
        "services.payment.calls={ back = { to = 'page' } }",
        "services.page.calls.stock.share=0",
        "services.page.calls.stock.share=30",
        "services.page.calls.stock.copies=0",
        "services.page.calls.stock.step=0",
        "services.page.calls.stock.needed=1",
        "services.page.calls.stock.call.timeout=2s",
        "services.page.calls.stock.preset=envoy_rout",
        "services.idle={ workers = 1, service_time = '1s', calls = { stock = { step = 3 } } }",
        "services.page.work_before_calls=50",
        "services.page.while_calling=waits",
        "triggers.slow={ latency = { service = 'page', adds = '1s', begins = '9s', lasts = '1s' } }",
        "triggers.slow={ latency = { call = 'pay', adds = '1s', begins = '9s', lasts = '1s' } }",
        "triggers.slow={ latency = { adds = '1s', begins = '9s', lasts = '1s' } }",
        "triggers.cut={ loss = { service = 'page', call = 'payment', share = 1, begins = '9s', lasts = '1s' } }",
        "triggers.cut={ loss = { service = 'stock', call = 'x', share = 1, begins = '9s', lasts = '1s' } }",
        "triggers.cut={ loss = { client = 'web', call = 'pay', share = 1, begins = '9s', lasts = '1s' } }",
        "levers.x={ change = { set = { 'services.page.calls' = {} }, at = '30s' } }",
        "levers.x={ change = { set = { 'services.page.calls.pay' = {} }, at = '30s' } }",
        "levers.x={ change = { set = { 'services.page.calls.pay.copies' = 2 }, at = '30s' } }",
        "levers.x={ change = { set = { 'services.page.calls.pay.passes_deadline' = true }, at = '30s' } }",
    ];
    for argument in all {
        let result = parse(SHOP, &[argument]);
        let trouble = result.expect_err(argument);
        writeln!(said, "## {argument}\n{trouble}\n").expect("a string takes all");
    }
    assert_said!(said);
}

#[test]
fn keys_of_calls_without_effect() {
    let patient = "clients.web.call.timeout=none";
    let all: [&[&str]; 15] = [
        &["services.stock.work_before_calls=0.5"],
        &["services.stock.while_calling=holds_worker"],
        &["services.page.calls.stock.step=2"],
        &["services.page.calls.stock.scope=per_instance"],
        &["services.page.calls.pay.budget.sliding_window={ ratio = 0.1, window = '10s' }"],
        &["services.page.calls.pay.wait_after_refusal=1s"],
        &["services.page.calls.pay.timeout=none", "services.page.calls.pay.needed=true"],
        &["services.page.calls.pay.passes_deadline=true", patient],
        &["services.page.calls.pay.passes_cancellation=true"],
        &["services.page.calls.pay.passes_guidance=true"],
        &["services.page.shedding=expired", patient],
        &["services.page.calls.pay.timeout=5ms"],
        &["clients.web.class=1"],
        &["services.stock.discipline=priority"],
        &["services.payment.refusals.retry_after=2s", "services.payment.queue.max_waiting=9"],
    ];
    assert_said!(warned_about(SHOP, &all));
}

/// A call is made as soon as one variant leads to it; another may leave it behind.
#[test]
fn calls_that_some_variant_makes() {
    let more = "[services.idle]\nworkers = 1\nservice_time = '1s'\ncalls = { stock = { timeout = '1s' } }\n";
    let variant = "[variants.used]\n'clients.web.calls' = 'idle'\n";
    assert!(parse(&format!("{SHOP}{more}"), &[]).is_err());
    let story = parse(&format!("{SHOP}{more}{variant}"), &[]);
    story.unwrap_or_else(|trouble| panic!("{trouble}"));
}

/// What is above and below a call may give its keys an effect.
#[test]
fn keys_of_calls_with_an_effect() {
    let all: [&[&str]; 6] = [
        &["services.stock.errors={ share = 0.1 }", "services.page.calls.stock.timeout=none"],
        &["services.stock.shedding=expired", "services.page.calls.stock.passes_deadline=true"],
        &[
            "clients.web.class=1",
            "services.stock.discipline=priority",
            "clients.app={ calls = 'page', load = 0.001 }",
        ],
        &[
            "services.page.calls.pay={ to = 'payment', timeout = '500ms', passes_cancellation = true }",
        ],
        &[
            "services.page.on_abandon=stops_work",
            "services.page.calls.pay.passes_cancellation=true",
            "services.payment.on_abandon=stops_work",
        ],
        &[
            "clients.web.call.retry={ immediate = { max_retries = 1 } }",
            "clients.web.call.timeout=none",
            "services.payment.errors={ share = 0.5 }",
        ],
    ];
    for arguments in all {
        let story = parse(SHOP, arguments);
        let story = story.unwrap_or_else(|trouble| panic!("{arguments:?}: {trouble}"));
        assert!(story.warnings.is_empty(), "{arguments:?}: {}", story.warnings);
    }
}

/// A path of calls is as deep as any that is allowed, and answers come up all of it.
#[test]
fn long_paths_are_run_and_longer_ones_refused() {
    let chain = |length: usize| {
        let mut text = String::from("title = 'x'\nhorizon = '10s'\n");
        for id in 0..length {
            writeln!(text, "[services.s{id}]\nworkers = 100\nservice_time = '1ns'").expect("text");
            let last = id + 1 == length;
            let line = if last {
                "errors = { share = 1, cost = 'nothing' }".to_owned()
            } else {
                format!("calls.s{} = {{}}", id + 1)
            };
            writeln!(text, "{line}").expect("text");
        }
        text + "[clients.web]\ncalls = 's0'\narrival_rate = 100\ncall.timeout = '1s'\n"
    };
    let model = model(&chain(100), &[]);
    let run = metastable::experiment::Workbench::default().run("x", &model, 1);
    assert_eq!(run.recording.tally.succeeded, 0);
    assert!(run.recording.tally.failed > 900);
    let trouble = parse(&chain(101), &[]).expect_err("too deep").to_string();
    assert!(trouble.contains("100 services deep"), "{trouble}");
}
