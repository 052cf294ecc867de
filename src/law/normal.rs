//! Normal numbers, for laws that are made of them.
//!
//! The ziggurat of Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables",
//! J. Stat. Softw. 5(8), 2000, with 256 layers. Layer, sign and abscissa come from disjoint bits of
//! one draw: sharing them is the known fault of the first version (Doornik, 2005).

use std::sync::LazyLock;

use crate::random::Bits;

/// Where the layers end and the tail begins.
const TAIL: f64 = 3.654_152_885_361_009;
/// The area of each layer under exp(-x^2 / 2).
const AREA: f64 = 0.004_928_673_233_974_658;

struct Ziggurat {
    x: [f64; 257],
    f: [f64; 257],
}

static ZIGGURAT: LazyLock<Ziggurat> = LazyLock::new(|| {
    let mut x = [0.0; 257];
    x[0] = AREA / density(TAIL);
    x[1] = TAIL;
    for layer in 2..256 {
        let below: f64 = x[layer - 1];
        x[layer] = (-2.0 * libm::log(AREA / below + density(below))).sqrt();
    }
    let f = x.map(density);
    Ziggurat { x, f }
});

fn density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

/// One number with mean 0 and variance 1.
pub(super) fn standard(bits: &mut impl Bits) -> f64 {
    let ziggurat = &*ZIGGURAT;
    loop {
        let draw = bits.bits();
        let layer = (draw & 0xff) as usize;
        let sign = if draw & 0x100 == 0 { 1.0 } else { -1.0 };
        let x = (draw >> 11) as f64 * (1.0 / (1_u64 << 53) as f64) * ziggurat.x[layer];
        if x < ziggurat.x[layer + 1] {
            return sign * x;
        }
        if layer == 0 {
            return sign * beyond_the_layers(bits);
        }
        let (low, high) = (ziggurat.f[layer], ziggurat.f[layer + 1]);
        if low + (high - low) * bits.uniform() < density(x) {
            return sign * x;
        }
    }
}

/// A normal known to be above `TAIL`: an exponential, kept as often as the normal falls below it.
#[cold]
fn beyond_the_layers(bits: &mut impl Bits) -> f64 {
    loop {
        let past = bits.exponential() / TAIL;
        if 2.0 * bits.exponential() >= past * past {
            return TAIL + past;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Sprout, Stream};

    #[test]
    fn golden_bits() {
        let mut stream = Stream::new(1, Purpose::Service, "normal");
        let draws: Vec<u64> = (0..3).map(|_| standard(&mut stream).to_bits()).collect();
        assert_eq!(
            draws,
            [4_609_398_987_715_500_282, 13_832_508_720_774_928_998, 4_610_720_461_969_189_613]
        );
    }

    /// The layers close at the top: the last one has the area of the others.
    #[test]
    fn the_layers_have_equal_area() {
        let ziggurat = &*ZIGGURAT;
        for layer in 1..256 {
            let area = ziggurat.x[layer] * (ziggurat.f[layer + 1] - ziggurat.f[layer]);
            assert!((area / AREA - 1.0).abs() < 1e-9, "{layer}: {area}");
        }
    }

    /// The distribution function against its closed form, tails included; `rand_distr` gives a
    /// second opinion through the same check. 10^6 draws put 4 standard errors below 0.002.
    #[test]
    fn the_ziggurat_is_normal() {
        fn check(mut draw: impl FnMut() -> f64) {
            const DRAWS: usize = 1_000_000;
            let mut sorted: Vec<f64> = (0..DRAWS).map(|_| draw()).collect();
            sorted.sort_by(f64::total_cmp);
            for step in -45..=45 {
                let x = f64::from(step) * 0.1;
                let found = sorted.partition_point(|&draw| draw <= x) as f64 / DRAWS as f64;
                let expected = 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
                let error = 4.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt() + 2e-6;
                assert!((found - expected).abs() < error, "{x}: {found} {expected}");
            }
        }
        let mut stream = Stream::new(7, Purpose::Service, "normal");
        check(|| standard(&mut stream));
        let mut index = 0;
        check(|| {
            index += 1;
            standard(&mut Sprout::new(99, index))
        });
        let mut rng = <rand::rngs::StdRng as rand::SeedableRng>::seed_from_u64(5);
        check(|| rand_distr::Distribution::sample(&rand_distr::StandardNormal, &mut rng));
    }
}
