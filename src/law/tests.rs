//! What holds for every law: mean and second moment, the distribution function, golden bits.

use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::Distribution;

use super::*;
use crate::random::{Purpose, Sprout, Stream};

const DRAWS: usize = 200_000;

fn ms(millis: u64) -> Span {
    Span::from_millis(millis)
}

fn erlang(stages: u32, mean: Span) -> Law {
    Law::Erlang(Erlang::new(stages, mean).unwrap())
}

fn pareto(alpha: f64, min: Span, max: Span) -> Law {
    Law::BoundedPareto(BoundedPareto::new(alpha, min, max).unwrap())
}

fn lognormal(mean: Span, variation: f64) -> Law {
    Law::Lognormal(Lognormal::from_mean(mean, variation).unwrap())
}

fn balanced(mean: Span, squared_variation: f64) -> Law {
    Law::Hyperexponential(Hyperexponential::balanced(mean, squared_variation).unwrap())
}

fn mixture() -> Law {
    let hit = Law::Fixed(ms(1));
    let miss = Law::Exponential { mean: ms(21) };
    Law::Mixture(Mixture::new(vec![(9.0, hit), (1.0, miss)]).unwrap())
}

fn empirical() -> Law {
    Law::Empirical(Empirical::new([5, 1, 1, 2, 11].map(ms).to_vec()).unwrap())
}

fn uniform() -> Law {
    Law::Uniform(Uniform::new(ms(5), ms(15)).unwrap())
}

/// Draws in seconds, sorted.
fn draws(law: &Law, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, Purpose::Service, "law");
    let mut sorted: Vec<f64> = (0..DRAWS).map(|_| law.sample(&mut stream).as_secs_f64()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Mean and second moment of the draws, and the mean that the law states, against closed forms, all
/// in milliseconds; within 4 standard errors, estimated from the draws.
#[test]
fn moments_are_the_closed_forms() {
    fn check(law: &Law, mean: f64, second: f64) {
        let stated = law.mean().as_secs_f64() * 1e3;
        assert!((stated - mean).abs() < 1e-6, "{law:?} states {stated}, not {mean}");
        let draws = draws(law, 3);
        for (power, expected) in [(1, mean), (2, second)] {
            let values = || draws.iter().map(|x| if power == 1 { x * 1e3 } else { x * x * 1e6 });
            let found = values().sum::<f64>() / DRAWS as f64;
            let spread = values().map(|x| (x - found) * (x - found)).sum::<f64>() / DRAWS as f64;
            let error = 4.0 * (spread / DRAWS as f64).sqrt();
            assert!((found - expected).abs() <= error + 1e-9, "{law:?}: {found} for {expected}");
        }
    }
    check(&Law::Fixed(ms(10)), 10.0, 100.0);
    check(&Law::Exponential { mean: ms(10) }, 10.0, 200.0);
    check(&erlang(1, ms(10)), 10.0, 200.0);
    check(&erlang(4, ms(10)), 10.0, 125.0);
    check(&erlang(1_000, ms(10)), 10.0, 100.1);
    check(&balanced(ms(10), 4.0), 10.0, 500.0);
    check(&lognormal(ms(10), 0.5), 10.0, 125.0);
    check(&uniform(), 10.0, 100.0 + 100.0 / 12.0);
    check(&mixture(), 3.0, 0.9 + 0.1 * 2.0 * 441.0);
    check(&empirical(), 4.0, (25.0 + 1.0 + 1.0 + 4.0 + 121.0) / 5.0);
    // alpha L^alpha / (1 - (L/H)^alpha) x integral of x^(1 - alpha), x^(2 - alpha) over [1, 100].
    check(&pareto(2.0, ms(1), ms(100)), 1.980_198_02, 2.0 / 0.9999 * libm::log(100.0));
    check(&pareto(1.0, ms(1), ms(100)), libm::log(100.0) / 0.99, 100.0);
    check(&pareto(0.5, ms(1), ms(100)), 10.0, 370.0);
    let explicit = Hyperexponential::new(&[(3.0, ms(1)), (1.0, ms(5))]).unwrap();
    check(&Law::Hyperexponential(explicit), 2.0, 14.0);
}

/// Kolmogorov and Smirnov: the largest distance between the draws and a distribution function stays
/// below 1.95 / sqrt(n), which one true law in a thousand passes.
#[test]
fn distribution_functions_are_the_closed_forms() {
    fn check(law: &Law, below: impl Fn(f64) -> f64) {
        let draws = draws(law, 11);
        let distance = draws.iter().enumerate().map(|(rank, x)| {
            let expected = below(x * 1e3);
            let (low, high) = (rank as f64 / DRAWS as f64, (rank + 1) as f64 / DRAWS as f64);
            (expected - low).abs().max((high - expected).abs())
        });
        let distance = distance.fold(0.0, f64::max);
        assert!(distance < 1.95 / (DRAWS as f64).sqrt(), "{law:?}: {distance}");
    }
    let normal = |z: f64| 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
    let exponential = |x: f64| -libm::expm1(-x);
    check(&Law::Exponential { mean: ms(10) }, |x| exponential(x / 10.0));
    check(&uniform(), |x| (x - 5.0) / 10.0);
    check(&pareto(1.5, ms(1), ms(100)), |x| (1.0 - libm::pow(x, -1.5)) / (1.0 - 1e-3));
    check(&lognormal(ms(10), 2.0), |x| {
        let sigma = libm::log(5.0).sqrt();
        normal((libm::log(x / 10.0) + sigma * sigma / 2.0) / sigma)
    });
    // Of a sum of k stages: 1 - exp(-y) (1 + y + .. + y^(k-1) / (k-1)!).
    for stages in [1_u32, 2, 3, 9, 40] {
        check(&erlang(stages, ms(10)), |x| {
            let y = x / 10.0 * f64::from(stages);
            let mut term = libm::exp(-y);
            let mut above = term;
            for k in 1..stages {
                term *= y / f64::from(k);
                above += term;
            }
            1.0 - above
        });
    }
    // Balanced means, squared coefficient of variation 4: probabilities (1 +- sqrt(0.6)) / 2.
    check(&balanced(ms(10), 4.0), |x| {
        let often = 0.5 * (1.0 + 0.6_f64.sqrt());
        [often, 1.0 - often].map(|p| p * exponential(x * 2.0 * p / 10.0)).iter().sum()
    });
}

/// Two samples, ours and `rand_distr`'s, come from one law: distance below 1.95 sqrt(2 / n).
#[test]
fn the_second_opinion_agrees() {
    fn check(law: &Law, oracle: &impl Distribution<f64>) {
        let ours = draws(law, 17);
        let mut rng = StdRng::seed_from_u64(23);
        let mut theirs: Vec<f64> = (0..DRAWS).map(|_| oracle.sample(&mut rng)).collect();
        theirs.sort_by(f64::total_cmp);
        let distance = ours.iter().enumerate().map(|(rank, x)| {
            let other = theirs.partition_point(|y| y <= x);
            (rank as f64 - other as f64).abs() / DRAWS as f64
        });
        let distance = distance.fold(0.0, f64::max);
        assert!(distance < 1.95 * (2.0 / DRAWS as f64).sqrt(), "{law:?}: {distance}");
    }
    let lognormal = Law::Lognormal(Lognormal::from_median(ms(10), 0.8).unwrap());
    check(&lognormal, &rand_distr::LogNormal::new(libm::log(0.01), 0.8).unwrap());
    check(&erlang(2, ms(10)), &rand_distr::Gamma::new(2.0, 0.005).unwrap());
    check(&erlang(30, ms(10)), &rand_distr::Gamma::new(30.0, 0.01 / 30.0).unwrap());
    check(&Law::Exponential { mean: ms(10) }, &rand_distr::Exp::new(100.0).unwrap());
}

/// The nanoseconds themselves: a change of any of these changes every result of every user.
#[test]
fn golden_bits() {
    let laws = [
        Law::Exponential { mean: ms(10) },
        erlang(4, ms(10)),
        balanced(ms(10), 4.0),
        lognormal(ms(10), 0.5),
        pareto(1.5, ms(1), ms(100)),
        uniform(),
        mixture(),
        empirical(),
    ];
    let draw = |law: &Law, index| law.sample(&mut Sprout::new(42, index)).as_nanos();
    let found = laws.map(|law| [0, 1, 2].map(|index| draw(&law, index)));
    assert_eq!(
        found,
        [
            [30_016_381, 16_342_978, 4_334_490],
            [21_967_695, 3_692_007, 7_275_666],
            [1_335_285, 121_961_239, 4_409_487],
            [22_393_878, 4_399_104, 7_314_615],
            [2_776_482, 12_524_138, 1_274_579],
            [12_846_334, 14_784_164, 8_053_609],
            [1_000_000, 57_729_985, 1_000_000],
            [5_000_000, 11_000_000, 1_000_000],
        ]
    );
}

#[test]
fn wrong_parameters_are_told_apart() {
    let nan = f64::NAN;
    let long = ms(1);
    assert_eq!(Erlang::new(0, long), Err(Flaw::Stages));
    assert_eq!(Erlang::new(1, Span::ZERO), Err(Flaw::ZeroLength));
    for wrong in [1.0, 0.5, -1.0, f64::INFINITY] {
        let found = Hyperexponential::balanced(long, wrong);
        assert_eq!(found, Err(Flaw::VariationTooSmall(wrong)));
    }
    assert!(matches!(Hyperexponential::balanced(long, nan), Err(Flaw::VariationTooSmall(_))));
    assert_eq!(Hyperexponential::new(&[]), Err(Flaw::Empty));
    let weight = |weight| Hyperexponential::new(&[(1.0, long), (weight, long)]);
    for wrong in [0.0, -1.0, nan, f64::INFINITY] {
        assert_eq!(weight(wrong), Err(Flaw::Weight { position: 1 }), "{wrong}");
    }
    for wrong in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(Lognormal::from_mean(long, wrong), Err(Flaw::NotPositive(wrong)));
        assert_eq!(Lognormal::from_median(long, wrong), Err(Flaw::NotPositive(wrong)));
        assert_eq!(BoundedPareto::new(wrong, long, ms(2)), Err(Flaw::NotPositive(wrong)));
    }
    assert_eq!(Lognormal::from_median(long, 100.0), Err(Flaw::MeanOutOfRange));
    assert_eq!(Lognormal::from_mean(long, 1e200), Err(Flaw::MeanOutOfRange));
    assert_eq!(BoundedPareto::new(1.0, Span::ZERO, long), Err(Flaw::ZeroLength));
    assert_eq!(BoundedPareto::new(1.0, long, long), Err(Flaw::NotLarger));
    assert_eq!(Uniform::new(long, long), Err(Flaw::NotLarger));
    assert_eq!(Mixture::new(Vec::new()), Err(Flaw::Empty));
    assert_eq!(Empirical::new(Vec::new()), Err(Flaw::Empty));
    assert_eq!(Empirical::new(vec![Span::ZERO]), Err(Flaw::ZeroLength));
}

proptest! {
    /// Whatever the parameters, a length is at least a nanosecond and within its law's ends.
    #[test]
    fn lengths_stay_within_their_ends(
        seed in any::<u64>(),
        min in 1..1_000_000_000_u64,
        width in 1..u64::MAX / 4,
        alpha in 0.01..20.0_f64,
        stages in 1..u32::MAX,
        variation in 0.001..1_000.0_f64,
    ) {
        let (low, high) = (Span::from_nanos(min), Span::from_nanos(min + width));
        let mut stream = Stream::new(seed, Purpose::Service, "bounds");
        for law in [pareto(alpha, low, high), Law::Uniform(Uniform::new(low, high).unwrap())] {
            // The ends as floats have them: a length of centuries is a multiple of 1,024 ns.
            let slack = Span::from_nanos(width / (1 << 50) + 1);
            prop_assert!(law.mean() + slack >= low && law.mean() <= high + slack, "{law:?}");
            for _ in 0..20 {
                let length = law.sample(&mut stream);
                prop_assert!(length + slack >= low && length <= high + slack, "{law:?} {length}");
            }
        }
        let others = [erlang(stages, low), lognormal(low, variation)];
        for law in others.into_iter().chain([balanced(low, 1.0 + variation)]) {
            prop_assert_eq!(law.mean(), low);
            prop_assert!(law.sample(&mut stream) >= Span::NANOSECOND);
        }
    }
}
