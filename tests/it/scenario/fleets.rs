//! Instances, caches and workers that come and go: what is written, and what is said about it.

use std::fmt::Write;

use metastable::engine::agenda::Lanes;
use metastable::id::{ClientId, EdgeId};
use metastable::model::{Disturbance, Edge, Model, Service};
use metastable::observe::Tally;
use metastable::policy::balancer::{Balancer, Draws, Rule, Start, Ties};
use metastable::policy::cache::{
    Cache, Coalescing, Contents, Course, Exponent, HitRatio, Keys, LateFills, Orphans, Popularity,
    Start as Begins,
};
use metastable::policy::ejection::{Counting, Ejection, FailureShare, SuccessRate};
use metastable::policy::outcome::{Failure, Failures};
use metastable::policy::scaling::{Direction, Measure, PerWorker, Rule as Aim, Scaling, Step};
use metastable::time::Span;
use metastable::unit::Fraction;

use super::client::edge;
use super::service_side::service_with;
use super::{STORM, parse, warned_about};
use crate::worlds::watch;

/// The service of the storm, four times, with a line more.
fn fleet(line: &str) -> Service {
    service_with(&format!("instances = 4\n{line}"))
}

fn model(arguments: &[&str]) -> Model {
    let story = parse(STORM, arguments).unwrap_or_else(|trouble| panic!("{trouble}"));
    assert!(story.warnings.is_empty(), "{}", story.warnings);
    story.variants[0].model.clone()
}

fn share(value: f64) -> Fraction {
    Fraction::new(value).expect("a share")
}

#[test]
fn a_balancer_is_a_word_or_a_table() {
    assert_eq!(fleet("").instances.get(), 4);
    assert_eq!(fleet("").balancer, Balancer::IN_TURN);
    assert_eq!(fleet("balancer = \"round_robin\"").balancer, Balancer::IN_TURN);
    let rule = |line: &str| fleet(&format!("balancer = {line}")).balancer.rule;
    assert_eq!(rule("\"random\""), Rule::Random);
    assert_eq!(rule("\"two_choices\""), Rule::TwoChoices(Draws::Different));
    assert_eq!(rule("\"least_outstanding\""), Rule::LeastOutstanding(Ties::InTurn));
    let ring = |places: u16| Rule::ConsistentHash { places: places.try_into().expect("some") };
    assert_eq!(rule("\"consistent_hash\""), ring(100));
    assert_eq!(rule("{ rule = \"consistent_hash\", places = 7 }"), ring(7));
    let drawn = rule("{ rule = \"two_choices\", draws = \"independent\" }");
    assert_eq!(drawn, Rule::TwoChoices(Draws::Independent));
    let ties = rule("{ rule = \"least_outstanding\", ties = \"first\" }");
    assert_eq!(ties, Rule::LeastOutstanding(Ties::First));
    assert_eq!(rule("{ start = \"anywhere\" }"), Rule::RoundRobin(Start::Anywhere));
    let never = fleet("balancer = { panic_below = 0 }").balancer;
    assert_eq!(never, Balancer { panic_below: Fraction::ZERO, ..Balancer::IN_TURN });
}

#[test]
fn ejection_is_envoys_where_nothing_else_is_said() {
    assert_eq!(fleet("").ejection, None);
    assert_eq!(fleet("ejection = \"none\"").ejection, None);
    assert_eq!(fleet("ejection = {}").ejection, Some(Ejection::ENVOY));
    assert_eq!(fleet("preset = \"envoy_outlier\"").ejection, Some(Ejection::ENVOY));
    let own = r#"ejection = { consecutive = "none", success_rate = "none", failure_share = { limit = 0.5 },
        counts = ["error"], interval = "1s", base = "2s", longest = "3s", jitter = "1s", most = 1,
        counting = "always_one" }"#;
    let expected = Ejection {
        counted: Failures::of(&[Failure::Error]),
        consecutive: None,
        success_rate: None,
        failure_share: Some(FailureShare { limit: Fraction::HALF, ..FailureShare::ENVOY }),
        interval: Span::from_secs(1),
        base: Span::from_secs(2),
        longest: Span::from_secs(3),
        jitter: Span::from_secs(1),
        most: Fraction::ONE,
        counting: Counting::AlwaysOne,
    };
    assert_eq!(fleet(&own.replace('\n', " ")).ejection, Some(expected));
    let rate = fleet("ejection.success_rate = { deviations = 2.5, requests = 9 }").ejection;
    let mut evidence = SuccessRate::ENVOY.evidence;
    evidence.requests = 9;
    let expected = SuccessRate { deviations_thousandths: 2_500, evidence };
    assert_eq!(rate.and_then(|ejection| ejection.success_rate), Some(expected));
    // As soon as the first is longer than Envoy's longest, so is the longest.
    let long = fleet("ejection.base = \"10m\"").ejection.expect("some");
    assert_eq!(long.longest, Span::from_secs(600));
}

#[test]
fn autoscaling_is_kubernetes_where_nothing_else_is_said() {
    let scaling = |line: &str| service_with(line).scaling.expect(line);
    assert_eq!(service_with("autoscaling = \"none\"").scaling, None);
    let target = |target: f64| PerWorker::new(target).expect("above zero");
    let hpa = Scaling {
        measure: Measure::Busy,
        rule: Aim::Target { target: target(0.8), tolerance: share(0.1) },
        every: Span::from_secs(15),
        start_up: Span::from_secs(60),
        min: 1.try_into().expect("one"),
        max: 10.try_into().expect("ten"),
        up: Direction::KUBERNETES_UP,
        down: Direction::KUBERNETES_DOWN,
    };
    assert_eq!(scaling("preset = \"k8s_hpa\""), hpa);
    let plain = "autoscaling = { target_utilisation = 0.8, start_up = \"1m\", max = 10 }";
    assert_eq!(scaling(plain), hpa);
    let queue = scaling("preset = \"k8s_hpa\"\nautoscaling.target_queue = 2");
    let aim = Aim::Target { target: target(2.0), tolerance: share(0.1) };
    assert_eq!(queue, Scaling { measure: Measure::Waiting, rule: aim, ..hpa });
    let steps = scaling(
        "autoscaling = { thresholds = { measure = \"concurrency\", above = 3, add = 2, below = 1 }, \
         start_up = \"0s\", min = 2, max = 50, every = \"1s\", up = { step = \"none\" }, \
         down = { window = \"9s\", step = { percent = 50, period = \"5s\" } } }",
    );
    let two = 2.try_into().expect("two");
    let rule = Aim::Thresholds {
        above: target(3.0),
        add: two,
        below: Some(target(1.0)),
        remove: 1.try_into().expect("one"),
    };
    assert_eq!((steps.measure, steps.rule), (Measure::Inside, rule));
    assert_eq!((steps.min, steps.max.get(), steps.start_up), (two, 50, Span::ZERO));
    assert_eq!(steps.up, Direction { step: None, ..Direction::KUBERNETES_UP });
    let step = Step { workers: 0, percent: 50, period: Span::from_secs(5) };
    assert_eq!(steps.down, Direction { window: Span::from_secs(9), step: Some(step) });
}

#[test]
fn a_cache_is_known_by_its_ratio_or_by_its_keys() {
    let cache = |line: &str| edge(&format!("call.cache = {line}")).cache;
    assert_eq!(cache("\"none\""), None);
    let ratio = HitRatio {
        warm: Fraction::NINE_TENTHS,
        fills: 1_000.try_into().expect("some"),
        course: Course::AtOnce,
    };
    let written = "{ hit_ratio = 0.9, fills = 1_000, course = \"at_once\", start = \"cold\" }";
    let expected = Cache {
        contents: Contents::HitRatio(ratio),
        start: Begins::Cold,
        late_fills: LateFills::Fill,
    };
    assert_eq!(cache(written), Some(expected));
    let keys = |more: &str| match cache(&format!("{{ keys = 100{more} }}")).map(|it| it.contents) {
        Some(Contents::Keys(keys)) => keys,
        other => panic!("{more}: {other:?}"),
    };
    let plain = Keys {
        count: 100.try_into().expect("some"),
        popularity: Popularity::Uniform,
        capacity: None,
        time_to_live: None,
        coalescing: Coalescing::Off,
    };
    assert_eq!(keys(""), plain);
    let steep = Popularity::Zipf(Exponent::new(0.9).expect("an exponent"));
    assert_eq!(keys(", popularity = { zipf = 0.9 }"), Keys { popularity: steep, ..plain });
    let ten = 10.try_into().ok();
    assert_eq!(keys(", capacity = 10"), Keys { capacity: ten, ..plain });
    let minute = Some(Span::from_secs(60));
    assert_eq!(keys(", time_to_live = \"60s\""), Keys { time_to_live: minute, ..plain });
    for (word, coalescing) in [
        ("leader", Coalescing::Leader(Orphans::Fail)),
        ("next_leads", Coalescing::Leader(Orphans::NextLeads)),
        ("detached", Coalescing::Detached),
    ] {
        let found = keys(&format!(", coalescing = \"{word}\""));
        assert_eq!(found, Keys { coalescing, ..plain });
    }
    let dropped = cache("{ keys = 100, late_fills = \"dropped\" }").expect("a cache");
    assert_eq!(dropped.late_fills, LateFills::Dropped);
    // What a later layer says is what counts.
    let layered = model(&[
        "clients.web.call.cache={ hit_ratio = 0.5, fills = 10 }",
        "triggers.flush={ flush = { client = 'web', begins = '20s' } }",
    ]);
    assert!(matches!(
        layered.clients[0].edge.cache,
        Some(Cache { contents: Contents::HitRatio(_), .. })
    ));
}

#[test]
fn triggers_name_an_instance_and_a_cache() {
    let one = model(&["services.api.instances=3", "triggers.gc.stall.instance=3"]);
    assert_eq!(one.triggers[0].instance, Some(2));
    let flush = model(&[
        "clients.web.call.cache={ keys = 100 }",
        "triggers.flush={ flush = { client = 'web', begins = '20s', repeat = { every = '5s', times = 2 } } }",
    ]);
    let flushes: Vec<_> = flush.triggers.iter().filter(|trigger| trigger.lasts.is_zero()).collect();
    assert_eq!(flushes.len(), 2);
    let edge = EdgeId::from(ClientId(0));
    assert_eq!(flushes[1].disturbance, Disturbance::Flush { edge });
    assert_eq!(flushes[1].begins.as_secs_f64(), 25.0);
}

macro_rules! assert_said {
    ($said:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($said) })
    };
}

#[test]
fn what_is_wrong() {
    let mut said = String::new();
    let all: [&[&str]; 46] = [
        &["services.api.instances=0"],
        &["services.api.instances=4.5"],
        &["services.api.balancer=random"],
        &["services.api.preset=envoy_outlier"],
        &["services.api.instances=4", "services.api.balancer=round_robbin"],
        &["services.api.instances=4", "services.api.balancer=3"],
        &["services.api.instances=4", "services.api.balancer={ kind = 'random' }"],
        &["services.api.instances=4", "services.api.balancer={ panic_below = 50 }"],
        &["services.api.instances=4", "services.api.balancer={ places = 0 }"],
        &["services.api.instances=4", "services.api.ejection={ consecutive = 0 }"],
        &["services.api.instances=4", "services.api.ejection={ consecutive = 'never' }"],
        &["services.api.instances=4", "services.api.ejection={ counts = [] }"],
        &["services.api.instances=4", "services.api.ejection={ interval = '0s' }"],
        &["services.api.instances=4", "services.api.ejection={ base = '5m', longest = '1m' }"],
        &["services.api.instances=4", "services.api.ejection={ most = 0 }"],
        &["services.api.instances=4", "services.api.ejection={ most = 10 }"],
        &[
            "services.api.instances=4",
            "services.api.ejection={ consecutive = 'none', success_rate = 'none' }",
        ],
        &[
            "services.api.instances=4",
            "services.api.ejection={ success_rate = { deviations = 0 } }",
        ],
        &["services.api.instances=4", "services.api.ejection={ failure_share = { limit = 85 } }"],
        &["services.api.instances=4", "triggers.gc.stall.instance=5"],
        &["services.api.instances=4", "triggers.gc.stall.instance=0"],
        &["triggers.gc.stall.instance=2"],
        &[
            "triggers.rush={ surge = { client = 'web', factor = 2, instance = 1, begins = '9s', lasts = '1s' } }",
        ],
        &["services.api.autoscaling={ max = 20, start_up = '60s' }"],
        &["services.api.autoscaling={ target_utilisation = 0.7, max = 20 }"],
        &["services.api.autoscaling={ target_utilisation = 0.7, start_up = '60s' }"],
        &["services.api.autoscaling={ target_utilisation = 70, max = 20, start_up = '60s' }"],
        &[
            "services.api.autoscaling={ target_utilisation = 0.7, min = 30, max = 20, start_up = '60s' }",
        ],
        &["services.api.autoscaling={ target_utilisation = 0.7, max = 5, start_up = '60s' }"],
        &[
            "services.api.autoscaling={ target_utilisation = 0.7, target_queue = 2, max = 20, start_up = '60s' }",
        ],
        &[
            "services.api.autoscaling={ thresholds = { measure = 'utilisation', above = 0.3, add = 1, below = 0.6 }, max = 20, start_up = '60s' }",
        ],
        &["services.api.autoscaling={ target_queue = 0, max = 20, start_up = '60s' }"],
        &[
            "services.api.autoscaling={ target_queue = 2, max = 20, start_up = '60s', every = '0s' }",
        ],
        &[
            "services.api.autoscaling={ target_queue = 2, max = 20, start_up = '60s', up = { step = { period = '15s' } } }",
        ],
        &["clients.web.call.cache={}"],
        &["clients.web.call.cache={ hit_ratio = 90, fills = 100 }"],
        &["clients.web.call.cache={ hit_ratio = 0, fills = 100 }"],
        &["clients.web.call.cache={ hit_ratio = 0.9 }"],
        &["clients.web.call.cache={ hit_ratio = 0.9, fills = 100, keys = 100 }"],
        &["clients.web.call.cache={ keys = 100, popularity = { zipf = 0 } }"],
        &["clients.web.call.cache={ keys = 100, popularity = 'zipf' }"],
        &["clients.web.call.cache={ keys = 100, capacity = 0 }"],
        &["clients.web.call.cache={ keys = 100, time_to_live = '0s' }"],
        &["triggers.flush={ flush = { client = 'web', begins = '20s' } }"],
        &["triggers.flush={ flush = { client = 'web', begins = '20s', lasts = '1s' } }"],
        &["levers.x={ change = { set = { 'services.api.instances' = 2 }, at = '30s' } }"],
    ];
    for arguments in all {
        let trouble = parse(STORM, arguments).expect_err(arguments[arguments.len() - 1]);
        writeln!(said, "## {}\n{trouble}\n", arguments.join(" ")).expect("a string takes all");
    }
    assert_said!(said);
}

#[test]
fn what_is_too_large() {
    let mut said = String::new();
    let all: [&[&str]; 5] = [
        &[
            "services.api.workers=1_000_000",
            "services.api.instances=1_000",
            "clients.web.load=0.000001",
        ],
        &[
            "services.api.autoscaling={ target_queue = 2, max = 20, start_up = '1s', every = '1ms' }",
            "services.api.instances=10_000",
            "clients.web.load=0.0001",
            "horizon=1h",
        ],
        &[
            "clients.web.call.cache={ keys = 50_000_000 }",
            "clients.web.instances=100",
            "clients.web.call.scope=per_instance",
        ],
        &[
            "services.api.instances=10_000",
            "services.api.balancer={ rule = 'consistent_hash', places = 10_000 }",
            "clients.web.load=0.0001",
            "clients.web.instances=2",
            "clients.web.call.scope=per_instance",
        ],
        &[
            "services.a={ instances = 9_000, workers = 1, service_time = '1s' }",
            "services.b={ instances = 10_000, workers = 1, service_time = '1s' }",
            "services.c={ instances = 10_000, workers = 1, service_time = '1s' }",
            "services.d={ instances = 10_000, workers = 1, service_time = '1s' }",
            "services.e={ instances = 10_000, workers = 1, service_time = '1s' }",
            "services.f={ instances = 10_000, workers = 1, service_time = '1s' }",
            "services.g={ instances = 10_000, workers = 1, service_time = '1s' }",
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
    let patient = "clients.web.call.timeout=none";
    let many = "services.api.instances=4";
    let all: [&[&str]; 18] = [
        &["services.api.instances=1", "services.api.balancer=random"],
        &["services.api.instances=1", "services.api.ejection={}"],
        &[many, "services.api.balancer={ rule = 'random', start = 'anywhere' }"],
        &[many, "services.api.balancer={ rule = 'random', draws = 'different' }"],
        &[many, "services.api.balancer={ rule = 'two_choices', ties = 'first' }"],
        &[many, "services.api.balancer={ rule = 'two_choices', places = 10 }"],
        &[many, "services.api.balancer={ panic_below = 0.3 }"],
        &["triggers.gc.stall.instance=1"],
        &["services.api.autoscaling={ target_queue = 2, min = 10, max = 10, start_up = '60s' }"],
        &[
            "services.api.autoscaling={ thresholds = { measure = 'queue', above = 3, add = 1 }, tolerance = 0.2, max = 20, start_up = '60s' }",
        ],
        &["clients.web.call.cache={ hit_ratio = 0.9, fills = 9, coalescing = 'leader' }"],
        &["clients.web.call.cache={ hit_ratio = 0.9, fills = 9, time_to_live = '1m' }"],
        &["clients.web.call.cache={ keys = 9, fills = 9 }"],
        &["clients.web.call.cache={ keys = 9, course = 'at_once' }"],
        &["clients.web.call.cache={ keys = 9, capacity = 9 }"],
        &["clients.web.call.cache={ keys = 9, late_fills = 'dropped' }", patient],
        &["clients.web.call.cache={ keys = 9, coalescing = 'detached', late_fills = 'dropped' }"],
        &[
            "clients.web.call.cache=none",
            "triggers.flush={ flush = { client = 'web', begins = '20s' } }",
        ],
    ];
    assert_said!(warned_about(STORM, &all));
}

/// Balancer and cache give a scope something to share, and an instance of a service is somebody too.
#[test]
fn keys_with_an_effect() {
    let scope = "clients.web.call.scope=per_instance";
    model(&["clients.web.instances=2", scope, "services.api.instances=2"]);
    model(&["clients.web.instances=2", scope, "clients.web.call.cache={ keys = 9 }"]);
    model(&[
        "services.api.instances=2",
        "services.db={ workers = 10, service_time = '1ms' }",
        "services.api.calls.db={ scope = 'per_instance', cache = { keys = 9 } }",
    ]);
}

/// A lever changes something, and each instance of a service still has a memory of its own of what it
/// calls: the second one has had none where one was opened for all.
#[test]
fn instances_keep_their_books_when_a_lever_is_pulled() {
    let model = model(&[
        "triggers.gc.stall.lasts=10ms",
        "services.api.instances=3",
        "services.db={ workers = 100, service_time = '1ms' }",
        "services.api.calls.db={ timeout = '1s', scope = 'per_instance', breaker = {} }",
        "levers.x={ change = { set = { 'clients.web.call.timeout' = '2s' }, at = '30s' } }",
    ]);
    let tally = watch::<Lanes, _>(&model, 1, Tally::default());
    assert!(tally.succeeded > 100_000, "{}", tally.succeeded);
}

/// What a client says about its cache is what it gets, down to the engine.
#[test]
fn hits_are_not_sent() {
    let hits = |edge: &Edge| edge.cache.is_some();
    let cached = model(&["clients.web.call.cache={ hit_ratio = 0.9, fills = 100 }"]);
    assert!(hits(&cached.clients[0].edge));
    let tally = watch::<Lanes, _>(&cached, 1, Tally::default());
    let missed = tally.attempts as f64 / tally.requests as f64;
    assert!((0.09..0.11).contains(&missed), "{missed}");
}
