//! Paths reach everything: from variants, from axes and from the command line.

use metastable::model::{Arrivals, Model};
use metastable::policy::retry::Backoff;
use metastable::time::Span;

use super::{STORM, parse};

fn base(overrides: &[&str]) -> Model {
    parse(STORM, overrides).unwrap_or_else(|trouble| panic!("{trouble}")).variants.remove(0).model
}

/// [`STORM`] in which `change` was made by hand.
fn by_hand(replace: &str, by: &str) -> Model {
    assert!(STORM.contains(replace), "nothing to replace: {replace}");
    parse(&STORM.replacen(replace, by, 1), &[]).unwrap().variants.remove(0).model
}

#[test]
fn an_override_is_as_good_as_an_edit() {
    let check = |argument: &str, replace: &str, by: &str| {
        assert_eq!(base(&[argument]), by_hand(replace, by), "{argument}");
        let variant = argument.split_once('=').map(|(path, value)| {
            let text = format!("{STORM}[variants.v]\n\"{path}\" = {value}\n");
            parse(&text, &[]).unwrap().variants.remove(1).model
        });
        assert_eq!(variant, Some(by_hand(replace, by)), "{argument}");
    };
    check("clients.web.load=0.5", "load = 0.7", "load = 0.5");
    check("horizon=\"30s\"", "\"60s\"", "\"30s\"");
    check("services.api.workers=20", "workers = 10", "workers = 20");
    check("clients.web.call.timeout=\"2s\"", "\"1s\"", "\"2s\"");
    check(
        "clients.web.call.retry={ never = {} }",
        "call.retry.immediate = { max_retries = 3 }",
        "",
    );
    check("clients.web.call.retry.immediate.max_retries=7", "max_retries = 3", "max_retries = 7");
    check("triggers.gc.stall.lasts=\"1.25s\"", "\"2s\"", "\"1.25s\"");
    check("criterion.goodput=0.5", "[services", "[criterion]\ngoodput = 0.5\n[services");
}

#[test]
fn words_that_are_no_toml_are_texts() {
    assert_eq!(base(&["horizon=30s"]).horizon, Span::from_secs(30));
    assert_eq!(base(&["clients.web.call.timeout=none"]).clients[0].edge.timeout, None);
    assert!(matches!(base(&["clients.web.arrivals=even"]).clients[0].arrivals, Arrivals::Even(_)));
    let story = parse(STORM, &["title=Another title", "seed=7", "base=b"]).unwrap();
    assert_eq!((story.title.as_str(), story.seed), ("Another title", 7));
    assert_eq!(story.variants[0].name, "b");
}

#[test]
fn what_excludes_each_other_gives_way_to_the_later_layer() {
    let rate =
        |overrides: &[&str]| base(overrides).clients[0].arrivals.mean_rate(Span::from_secs(60));
    assert_eq!(rate(&["clients.web.arrival_rate=123"]), 123.0);
    let text = format!("{STORM}[variants.v]\n\"clients.web.load\" = 0.5\n");
    let story = parse(&text, &["clients.web.arrival_rate=123"]).unwrap();
    let arrivals = &story.variants[1].model.clients[0].arrivals;
    assert_eq!(arrivals.mean_rate(Span::from_secs(60)), 500.0);
    let backoff = |argument| base(&[argument]).clients[0].edge.retry.backoff;
    let wait = Span::from_secs(1);
    assert_eq!(
        backoff("clients.web.call.retry.fixed={ max_retries = 3, wait = \"1s\" }"),
        Backoff::fixed(wait)
    );
    assert_eq!(
        backoff("clients.web.call.retry={ fixed = { max_retries = 3, wait = \"1s\" } }"),
        Backoff::fixed(wait)
    );
    let law =
        base(&["services.api.service_time.exponential.mean=5ms"]).services[0].service_time.clone();
    assert_eq!(law.mean(), Span::from_millis(5));
    // A load is a share of the capacity that there is in the end.
    assert_eq!(rate(&["services.api.workers=20"]), 1_400.0);
}

#[test]
fn a_new_thing_is_added_whole() {
    let model = base(&[
        "triggers.second={ stall = { service = \"api\", begins = \"40s\", lasts = \"1s\" } }",
    ]);
    assert_eq!(model.triggers.len(), 2);
    let model = base(&[
        "services.other={ workers = 1, service_time = \"1ms\" }",
        "clients.web.calls=other",
    ]);
    assert_eq!(model.services.len(), 2);
    assert_eq!(model.service(model.clients[0].edge.to).name, "other");
}

/// As in a file: neither of two that exclude each other counts, in whichever order they are given.
#[test]
fn overrides_that_exclude_each_other_are_refused() {
    let refused = |first: &str, second: &str| {
        for overrides in [[first, second], [second, first]] {
            let trouble = parse(STORM, &overrides).unwrap_err().to_string();
            assert!(trouble.contains("exclude each other"), "{trouble}");
        }
    };
    refused("clients.web.load=0.5", "clients.web.arrival_rate=5");
    let kind = "clients.web.call.retry.fixed={ max_retries = 3, wait = \"1s\" }";
    refused("clients.web.call.retry.immediate.max_retries=2", kind);
    refused(
        "clients.web.call.retry.immediate.max_retries=2",
        "clients.web.call.retry.immediate.max_attempts=2",
    );
    // The same path twice is no contradiction: the last one counts.
    let last = base(&["clients.web.load=0.5", "clients.web.load=0.3"]);
    assert_eq!(last, base(&["clients.web.load=0.3"]));
}

#[test]
fn overrides_come_before_variants() {
    let text = format!("{STORM}[variants.v]\n\"clients.web.load\" = 0.5\n");
    let rates = |argument: &str| {
        let story = parse(&text, &[argument]).unwrap();
        [0, 1].map(|index: usize| {
            story.variants[index].model.clients[0].arrivals.mean_rate(Span::from_secs(60))
        })
    };
    assert_eq!(rates("clients.web.load=0.3"), [300.0, 500.0]);
    assert_eq!(rates("services.api.workers=20"), [1_400.0, 1_000.0]);
    assert_eq!(rates("variants.v.clients.web.load=0.9"), [700.0, 900.0]);
    assert_eq!(rates("variants.v=\"x\"".replace("\"x\"", "{}").as_str()), [700.0, 700.0]);
}

#[test]
fn overrides_reach_the_sweep() {
    let story =
        parse(STORM, &["sweep.seeds=20", "sweep.axes.clients.web.load=[0.1, 0.2]"]).unwrap();
    let sweep = story.sweep.unwrap();
    assert_eq!((sweep.seeds, sweep.cells.len()), (20, 2));
    assert_eq!(sweep.axes, ["clients.web.load"]);
}
