//! Effects, keys, transports and lossy networks: what is written, and what is said about it.

use std::fmt::Write;

use metastable::model::{Effect, Loss, Notice, Service, Sight};
use metastable::policy::effect::{Idempotency, Meanwhile};
use metastable::policy::transport::{KeepAlive, Repeats, Transport};
use metastable::time::Span;
use metastable::unit::Fraction;

use super::client::edge;
use super::service_side::service_with;
use super::{STORM, parse, warned_about};

fn effect(line: &str) -> Option<Effect> {
    service_with(&format!("effect = {line}")).effect
}

fn share(value: f64) -> Fraction {
    Fraction::new(value).expect("a share")
}

#[test]
fn an_effect_is_counted_or_has_keys() {
    let keys = |meanwhile, retention, answer_takes| {
        Some(Effect { idempotency: Idempotency::Keys { meanwhile, retention }, answer_takes })
    };
    assert_eq!(service_with("").effect, None);
    assert_eq!(effect("\"none\""), None);
    let counted = Effect { idempotency: Idempotency::None, answer_takes: Span::ZERO };
    assert_eq!(effect("\"counted\""), Some(counted));
    assert_eq!(effect("{ keys = {} }"), keys(Meanwhile::Conflicts, None, Span::ZERO));
    let own = "{ keys = { meanwhile = \"waits\", retention = \"24h\", answer_takes = \"1ms\" } }";
    let day = Some(Span::from_secs(86_400));
    assert_eq!(effect(own), keys(Meanwhile::Waits, day, Span::from_millis(1)));
    let own = "{ keys = { meanwhile = \"executes\", retention = \"forever\" } }";
    assert_eq!(effect(own), keys(Meanwhile::Executes, None, Span::ZERO));
}

#[test]
fn a_transport_keeps_connections_and_repeats() {
    let transport = |line: &str| edge(&format!("call.transport = {line}")).transport;
    assert_eq!(edge("").transport, None);
    assert_eq!(transport("\"none\""), None);
    let bare =
        KeepAlive { server_closes: None, client_closes: None, one_way: Span::ZERO, most: None };
    let kept = |keep_alive, repeats| Some(Transport { keep_alive, repeats });
    let both = "{ keep_alive = {}, repeats = \"on_reused\" }";
    assert_eq!(transport(both), kept(Some(bare), Repeats::OnReused));
    let own = "{ keep_alive = { server_idle_timeout = \"5s\", client_idle_timeout = \"none\", max_idle = 2 } }\n\
               call.latency = { exponential = { mean = \"3ms\" } }";
    let own_kept = KeepAlive {
        server_closes: Some(Span::from_secs(5)),
        one_way: Span::from_millis(3),
        most: 2.try_into().ok(),
        ..bare
    };
    assert_eq!(transport(own), kept(Some(own_kept), Repeats::Never));
    let pause = |secs| Repeats::Transparent { pause: Span::from_secs(secs) };
    assert_eq!(transport("{ repeats = { transparent = {} } }"), kept(None, pause(1)));
    let own = "{ repeats = { transparent = { pause = \"2s\" } } }";
    assert_eq!(transport(own), kept(None, pause(2)));
}

#[test]
fn a_network_loses_with_a_word_or_without() {
    let loss = |line: &str| edge(&format!("call.loss = {line}")).loss;
    assert_eq!(edge("").loss, Loss::NONE);
    assert_eq!(loss("\"none\""), Loss::NONE);
    assert_eq!(loss("{ replies = 0.2 }"), Loss { replies: share(0.2), ..Loss::NONE });
    let own = "{ requests = 0.1, replies = 0.2, clients_learn = \"at_once\" }";
    let expected = Loss { requests: share(0.1), replies: share(0.2), clients: Notice::AtOnce };
    assert_eq!(loss(own), expected);
    let refusing =
        |line: &str| -> Service { service_with(&format!("queue.max_waiting = 9\n{line}")) };
    assert_eq!(refusing("").refusals.sight, Sight::Seen);
    assert_eq!(refusing("refusals.unseen = true").refusals.sight, Sight::Unseen);
}

macro_rules! assert_said {
    ($said:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($said) })
    };
}

#[test]
fn what_is_wrong() {
    let mut said = String::new();
    let all: [&[&str]; 21] = [
        &["services.api.effect=countd"],
        &["services.api.effect=keys"],
        &["services.api.effect={}"],
        &["services.api.effect={ keys = { meanwhile = 'blocks' } }"],
        &["services.api.effect={ keys = { retention = '0s' } }"],
        &["services.api.effect={ keys = { retention = 'for ever' } }"],
        &["services.api.effect={ keys = { ttl = '24h' } }"],
        &["services.api.effect={ keys = { answer_takes = '1' } }"],
        &["clients.web.call.loss=0.2"],
        &["clients.web.call.loss={ replies = 20 }"],
        &["clients.web.call.loss={ replys = 0.2 }"],
        &["clients.web.call.transport={ repeats = 'always' }"],
        &["clients.web.call.transport={ repeats = { transparent = { pause = '0s' } } }"],
        &["clients.web.call.transport={ keep_alive = { server_idle_timeout = '0s' } }"],
        &["clients.web.call.transport={ keep_alive = { server_idle_timeout = 'never' } }"],
        &["clients.web.call.transport={ keep_alive = { max_idle = 0 } }"],
        &["clients.web.call.transport=on_reused"],
        &["services.api.refusals={ unseen = true, takes = '1ms', by = 'a_worker' }"],
        &["levers.x={ change = { set = { 'services.api.effect' = 'counted' }, at = '30s' } }"],
        &[
            "services.api.effect={ keys = {} }",
            "horizon=10h",
            "clients.web.call.retry={ never = {} }",
        ],
        &[
            "services.api.effect={ keys = { retention = '9h' } }",
            "horizon=10h",
            "clients.web.call.retry={ never = {} }",
        ],
    ];
    for arguments in all {
        let trouble = parse(STORM, arguments).expect_err(arguments[0]);
        writeln!(said, "## {}\n{trouble}\n", arguments.join(" ")).expect("a string takes all");
    }
    assert_said!(said);
}

#[test]
fn keys_without_effect() {
    let never = "clients.web.call.retry={ never = {} }";
    let patient = "clients.web.call.timeout=none";
    let bounded = "services.api.queue.max_waiting=9";
    let all: [&[&str]; 11] = [
        &["services.api.effect={ keys = {} }", never],
        &["services.api.effect={ keys = { meanwhile = 'waits' } }", patient, bounded],
        &["clients.web.call.loss={ replies = 0, clients_learn = 'at_once' }"],
        &["clients.web.call.transport={}"],
        &["clients.web.call.transport={ repeats = 'on_reused' }"],
        &["clients.web.call.transport={ keep_alive = {} }"],
        &["clients.web.call.transport={ repeats = { transparent = {} } }"],
        &[bounded, "services.api.refusals.unseen=true"],
        &["services.api.refusals.unseen=true"],
        &["services.api.effect={ keys = { retention = '24h' } }"],
        &["clients.web.call.transport={ keep_alive = { server_idle_timeout = '75s' } }"],
    ];
    assert_said!(warned_about(STORM, &all));
}

/// What may fail in a new way makes a retry worth writing, and what connections are kept is shared.
#[test]
fn keys_with_an_effect() {
    let fine = |arguments: &[&str]| {
        let story = parse(STORM, arguments).unwrap_or_else(|trouble| panic!("{trouble}"));
        assert!(story.warnings.is_empty(), "{}", story.warnings);
    };
    let patient = "clients.web.call.timeout=none";
    fine(&[patient, "clients.web.call.loss={ replies = 0.1, clients_learn = 'at_once' }"]);
    let closed = "clients.web.call.transport={ keep_alive = { server_idle_timeout = '5s' } }";
    fine(&[patient, closed]);
    fine(&[closed, "clients.web.instances=2", "clients.web.call.scope=per_instance"]);
    let transparent = "clients.web.call.transport={ repeats = { transparent = {} } }";
    let gone = "triggers.gc={ outage = { service = 'api', begins = '10s', lasts = '2s' } }";
    fine(&[transparent, gone]);
    fine(&[transparent, "services.api.queue.max_waiting=9", "services.api.refusals.unseen=true"]);
    fine(&["services.api.effect={ keys = { meanwhile = 'waits' } }"]);
    let broken = "clients.web.call.loss={ replies = 0.1, clients_learn = 'at_once' }";
    let on = |kind: &str| format!("clients.web.call.retry.immediate.on=['{kind}']");
    fine(&[broken, &on("reset")]);
    fine(&["services.api.effect={ keys = {} }", &on("error")]);
}
