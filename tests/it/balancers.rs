//! Services of several instances, and who gets what.

use metastable::engine::agenda::Lanes;
use metastable::id::ServiceId;
use metastable::law::Law;
use metastable::model::{Arrivals, Errors, Model, Trigger};
use metastable::observe::{Fact, Guard, Instance, Instances, Tally};
use metastable::policy::balancer::{Balancer, Draws, Rule, Start, Ties};
use metastable::policy::ejection::{Counting, Ejection};
use metastable::policy::outcome::Failures;
use metastable::time::{Span, Time};
use metastable::unit::Fraction;

use crate::theory::agrees;
use crate::worlds::{at_ms, ms, rate, stall, station, trace, watch};

fn fleet(instances: u16, workers: u32, law: Law, arrivals: Arrivals, horizon_s: u64) -> Model {
    let mut model = station(workers, law, arrivals, Span::from_secs(horizon_s));
    model.services[0].instances = instances.try_into().expect("some");
    model
}

/// One instance that stands still, of three.
fn with_one_stalled(rule: Rule) -> Model {
    let mut model = fleet(3, 10, Law::Fixed(ms(10)), Arrivals::Even(rate(300.0)), 20);
    model.services[0].balancer.rule = rule;
    model.clients[0].edge.timeout = Some(ms(1_000));
    let one = stall("one", ServiceId(0), at_ms(5_000), Span::from_secs(10));
    model.triggers = vec![Trigger { instance: Some(1), ..one }];
    model
}

/// In turn, a third of all requests meets the instance that stands still; whoever looks at how many
/// are out sends it a hundredth of that.
#[test]
fn who_counts_what_is_out_avoids_an_instance_that_stands_still() {
    let failed = |rule| watch::<Lanes, _>(&with_one_stalled(rule), 1, Tally::default()).failed;
    // Ten seconds of a third of 300 a second, and a few that wait behind them for nothing.
    let in_turn = failed(Rule::RoundRobin(Start::AtTheFirst));
    assert!((1_000..1_010).contains(&in_turn), "{in_turn}");
    let random = failed(Rule::Random);
    assert!((900..1_100).contains(&random), "{random}");
    for rule in [Rule::LeastOutstanding(Ties::InTurn), Rule::TwoChoices(Draws::Different)] {
        let lost = failed(rule);
        assert!((1..=60).contains(&lost), "{rule:?}: {lost}");
    }
}

/// At random, each of four instances is an M/M/1 of its own at a quarter of the rate.
#[test]
fn random_instances_are_queues_of_their_own() {
    let (work, per_instance) = (0.01, 70.0);
    let found: Vec<f64> = (1..=20)
        .map(|seed| {
            let law = Law::Exponential { mean: ms(10) };
            let arrivals = Arrivals::Poisson(rate(4.0 * per_instance));
            let mut model = fleet(4, 1, law, arrivals, 1_000);
            model.services[0].balancer.rule = Rule::Random;
            let tally = watch::<Lanes, _>(&model, seed, Tally::default());
            tally.waited.as_secs_f64() / tally.started as f64
        })
        .collect();
    let rho = per_instance * work;
    agrees("four queues", &found, work * rho / (1.0 - rho), 0.02);
}

/// Ejection in the random worlds.
pub(crate) fn any_ejection(pick: &mut impl FnMut(usize) -> usize) -> Option<Ejection> {
    let hasty = Ejection {
        consecutive: Some(2.try_into().expect("two")),
        interval: ms(300),
        base: ms(400),
        most: [Fraction::HALF, Fraction::ONE][pick(2)],
        counting: [Counting::WithThis, Counting::AlwaysOne, Counting::WithoutThis][pick(3)],
        ..Ejection::ENVOY
    };
    [None, Some(hasty)][pick(2)]
}

/// A host that always fails is ejected by the fifth failure, comes back when its caller next looks, and goes
/// again; each is seen by itself.
#[test]
fn each_instance_is_counted_by_itself() {
    let mut model = fleet(2, 10, Law::Fixed(ms(1)), Arrivals::Even(rate(10.0)), 12);
    model.services[0].errors = Errors { share: Fraction::ONE, ..Errors::NONE };
    model.services[0].balancer = Balancer { panic_below: Fraction::ZERO, ..Balancer::IN_TURN };
    model.services[0].ejection = Some(Ejection {
        success_rate: None,
        interval: Span::from_secs(10),
        base: Span::from_secs(5),
        most: Fraction::ONE,
        ..Ejection::ENVOY
    });
    let seen: Vec<Instance> = watch::<Lanes, _>(&model, 1, Instances::of(&model)).seen().collect();
    // In turn, at 0 s and every 0.2 s the first of them, 0.1 s later the second: gone at 0.801 and 0.901 s
    // for 5 s at least, which only the look at 10 s ends. Then in the same order from 10 s on.
    let of = |ejected: u64| Instance {
        attempts: 10,
        failed: 10,
        most_outstanding: 1,
        ejections: 2,
        ejected: ms(ejected),
        ..Instance::default()
    };
    assert_eq!(seen, [of(9_199 + 1_199), of(9_099 + 1_099)]);
}

/// Case D11: a host that always fails is ejected after five failures in a row. Below the panic threshold
/// all are asked all the same; without one, nobody is.
#[test]
fn panic_or_nobody() {
    let build = |panic_below| {
        let mut model = fleet(2, 10, Law::Fixed(ms(1)), Arrivals::Even(rate(10.0)), 11);
        model.services[0].errors = Errors { share: Fraction::ONE, ..Errors::NONE };
        model.services[0].balancer = Balancer { panic_below, ..Balancer::IN_TURN };
        model.services[0].ejection = Some(Ejection {
            counted: Failures::ALL,
            consecutive: Some(5.try_into().expect("five")),
            success_rate: None,
            failure_share: None,
            interval: Span::from_secs(10),
            base: Span::from_secs(30),
            longest: Span::from_secs(300),
            jitter: Span::ZERO,
            most: Fraction::ONE,
            counting: Counting::WithThis,
        });
        model
    };
    let served = |model: &Model| watch::<Lanes, _>(model, 1, Tally::default()).completed;
    assert_eq!(served(&build(Fraction::HALF)), 110);
    // Two hosts, five each; 100 of 110 requests find nobody.
    let never = build(Fraction::ZERO);
    assert_eq!(served(&never), 10);
    let facts = trace::<Lanes>(&never, 1);
    let held = facts
        .iter()
        .filter(|(_, fact)| matches!(fact, Fact::HeldBack { guard: Guard::Balancer, .. }));
    assert_eq!(held.count(), 100);
}

/// One instance of two that is slow, and a trigger that is about it alone.
#[test]
fn a_trigger_may_be_about_one_instance() {
    let mut model = fleet(2, 1, Law::Fixed(ms(100)), Arrivals::Even(rate(2.0)), 2);
    let one = stall("one", ServiceId(0), Time::ZERO, ms(700));
    model.triggers = vec![Trigger { instance: Some(0), ..one }];
    let facts = trace::<Lanes>(&model, 1);
    let done: Vec<Time> = facts
        .iter()
        .filter(|(_, fact)| matches!(fact, Fact::Completed { .. }))
        .map(|(now, _)| *now)
        .collect();
    // At 0 and 1 s to the one that stands still until 0.7 s, at 0.5 and 1.5 s to the other.
    assert_eq!(done, [600, 800, 1_100, 1_600].map(at_ms));
}
