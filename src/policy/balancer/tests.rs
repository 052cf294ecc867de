//! What each rule does to a fleet, and what holds for all of them.

use super::*;
use crate::random::{Purpose, Stream};
use proptest::prelude::*;

fn bits() -> Stream {
    Stream::new(1, Purpose::Service, "balancer")
}

fn share(share: f64) -> Fraction {
    Fraction::new(share).unwrap()
}

fn balancer(rule: Rule) -> Balancer {
    Balancer { rule, panic_below: share(0.5) }
}

fn of(pick: Pick) -> u32 {
    match pick {
        Pick::Instance(instance) => instance,
        Pick::Nobody => panic!("somebody may be picked"),
    }
}

/// The first picks of a fleet of which some have something to do.
fn picks<const N: usize>(rule: Rule, outstanding: &[u32]) -> [u32; N] {
    let mut fleet = Fleet::new(outstanding.len() as u32);
    for (instance, &count) in (0..).zip(outstanding) {
        (0..count).for_each(|_| fleet.sent(instance));
    }
    let mut bits = bits();
    let mut picker = balancer(rule).open(outstanding.len() as u32, &mut bits);
    [(); N].map(|()| of(picker.pick(&fleet, 0, &mut bits)))
}

#[test]
fn each_in_its_turn() {
    let in_turn = Rule::RoundRobin(Start::AtTheFirst);
    assert_eq!(picks(in_turn, &[9, 0, 0]), [0, 1, 2, 0, 1]);
    let started: Vec<u32> = (0..200)
        .map(|seed| {
            let mut bits = Stream::new(seed, Purpose::Service, "balancer");
            let mut picker = balancer(Rule::RoundRobin(Start::Anywhere)).open(3, &mut bits);
            of(picker.pick(&Fleet::new(3), 0, &mut bits))
        })
        .collect();
    assert!((0..3).all(|instance| started.contains(&instance)));
}

/// Whoever is passed over does not hand its turns to its neighbour alone for good: when it is back,
/// it is where it was.
#[test]
fn turns_pass_over_who_is_unhealthy() {
    let (mut fleet, mut bits) = (Fleet::new(4), bits());
    let mut picker = balancer(Rule::RoundRobin(Start::AtTheFirst)).open(4, &mut bits);
    fleet.set(1, Standing::Unhealthy);
    let before = [(); 4].map(|()| of(picker.pick(&fleet, 0, &mut bits)));
    fleet.set(1, Standing::Healthy);
    let after = [(); 4].map(|()| of(picker.pick(&fleet, 0, &mut bits)));
    assert_eq!((before, after), ([0, 2, 3, 0], [1, 2, 3, 0]));
}

#[test]
fn the_least_outstanding_and_its_ties() {
    let check = |ties, outstanding, expected: [u32; 4]| {
        assert_eq!(picks(Rule::LeastOutstanding(ties), outstanding), expected, "{ties:?}");
    };
    check(Ties::InTurn, &[2, 1, 3], [1, 1, 1, 1]);
    check(Ties::InTurn, &[0, 1, 0, 0], [0, 2, 3, 0]);
    check(Ties::First, &[1, 0, 0, 2], [1, 1, 1, 1]);
    let random: [u32; 100] = picks(Rule::LeastOutstanding(Ties::Random), &[1, 0, 0, 0]);
    assert!((1..4).all(|instance| random.contains(&instance)) && !random.contains(&0));
}

/// Of two, different draws always find the idle one; independent ones miss it whenever both fall on
/// the busy one, a quarter of the time: 10,000 picks put 4 standard errors at 174.
#[test]
fn two_choices_of_two() {
    let to_busy = |draws| {
        let picks: [u32; 10_000] = picks(Rule::TwoChoices(draws), &[5, 0]);
        picks.iter().filter(|&&instance| instance == 0).count()
    };
    assert_eq!(to_busy(Draws::Different), 0);
    assert!(to_busy(Draws::Independent).abs_diff(2_500) < 174);
}

/// Balls into bins: with two choices the fullest of a thousand bins holds about log log n / log 2
/// more than the mean of one, with one choice about log n / log log n.
#[test]
fn two_choices_are_far_better_than_one() {
    let fullest = |rule| {
        let (mut fleet, mut bits) = (Fleet::new(1_000), bits());
        let mut picker = balancer(rule).open(1_000, &mut bits);
        for _ in 0..1_000 {
            fleet.sent(of(picker.pick(&fleet, 0, &mut bits)));
        }
        (0..1_000).map(|instance| fleet.outstanding(instance)).max().unwrap()
    };
    let found = [Rule::Random, Rule::TwoChoices(Draws::Different)].map(fullest);
    assert!((4..=8).contains(&found[0]) && (2..=4).contains(&found[1]), "{found:?}");
    assert!(found[1] < found[0]);
    assert_eq!(fullest(Rule::LeastOutstanding(Ties::InTurn)), 1);
}

#[test]
fn too_few_healthy_ones_are_a_panic() {
    let check = |panic_below, unhealthy, expected| {
        let mut fleet = Fleet::new(4);
        (0..unhealthy).for_each(|instance| fleet.set(instance, Standing::Unhealthy));
        let balancer = Balancer { panic_below: share(panic_below), rule: Rule::Random };
        assert_eq!(balancer.among(&fleet), expected, "{panic_below} {unhealthy}");
    };
    check(0.5, 2, Among::Healthy);
    check(0.5, 3, Among::All);
    check(0.0, 4, Among::Healthy);
    check(1.0, 0, Among::Healthy);
    check(1.0, 1, Among::All);
}

/// Without a panic nobody is left, with one the unhealthy are asked; who is away never is.
#[test]
fn nobody_is_there() {
    let pick = |panic_below, standings: [Standing; 2], rule| {
        let (mut fleet, mut bits) = (Fleet::new(2), bits());
        (0..).zip(standings).for_each(|(instance, standing)| fleet.set(instance, standing));
        let balancer = Balancer { rule, panic_below: share(panic_below) };
        balancer.open(2, &mut bits).pick(&fleet, 3, &mut bits)
    };
    let (ill, away) = (Standing::Unhealthy, Standing::Away);
    for rule in RULES {
        assert_eq!(pick(0.0, [ill, ill], rule), Pick::Nobody, "{rule:?}");
        assert_eq!(pick(0.5, [away, ill], rule), Pick::Instance(1), "{rule:?}");
        assert_eq!(pick(0.5, [away, away], rule), Pick::Nobody, "{rule:?}");
    }
}

const RULES: [Rule; 9] = [
    Rule::RoundRobin(Start::Anywhere),
    Rule::RoundRobin(Start::AtTheFirst),
    Rule::Random,
    Rule::TwoChoices(Draws::Different),
    Rule::TwoChoices(Draws::Independent),
    Rule::LeastOutstanding(Ties::InTurn),
    Rule::LeastOutstanding(Ties::First),
    Rule::LeastOutstanding(Ties::Random),
    Rule::ConsistentHash { places: NonZeroU16::new(16).unwrap() },
];

proptest! {
    /// Whatever the rule: somebody is picked just when somebody may be, and only who may be; the
    /// ring keeps to a key while nothing changes; and no pick leaves the least loaded out that looks
    /// at all loads.
    #[test]
    fn only_who_may_be_picked_is(
        rule in 0_usize..RULES.len(), panic_below in 0.0..=1.0_f64,
        steps in prop::collection::vec((0_u32..6, 0_u8..4, any::<u64>()), 1..120),
    ) {
        let (mut fleet, mut bits) = (Fleet::new(6), bits());
        let balancer = Balancer { rule: RULES[rule], panic_below: share(panic_below) };
        let mut picker = balancer.open(6, &mut bits);
        let mut out = Vec::new();
        for (instance, step, key) in steps {
            match step {
                0 => fleet.set(instance, Standing::Healthy),
                1 => fleet.set(instance, Standing::Unhealthy),
                2 => fleet.set(instance, Standing::Away),
                _ => if let Some(ended) = out.pop() { fleet.ended(ended) },
            }
            let may = match balancer.among(&fleet) {
                Among::Healthy => fleet.healthy().to_vec(),
                Among::All => fleet.present().to_vec(),
            };
            let Pick::Instance(picked) = picker.pick(&fleet, key, &mut bits) else {
                prop_assert!(may.is_empty());
                continue;
            };
            prop_assert!(may.contains(&picked));
            match RULES[rule] {
                Rule::LeastOutstanding(_) => prop_assert!(
                    may.iter().all(|&other| fleet.outstanding(other) >= fleet.outstanding(picked))
                ),
                Rule::ConsistentHash { .. } => {
                    prop_assert_eq!(picker.pick(&fleet, key, &mut bits), Pick::Instance(picked));
                }
                Rule::RoundRobin(_) | Rule::Random | Rule::TwoChoices(_) => {}
            }
            fleet.sent(picked);
            out.push(picked);
        }
    }
}
