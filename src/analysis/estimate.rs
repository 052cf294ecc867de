//! Estimates with their uncertainty.

/// A range that an estimate lies in with the stated confidence, in the unit of what is estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The 97.5 % point of the normal distribution: 95 % lie within it on both sides.
const Z_95: f64 = 1.959_963_984_540_054;

/// The 95 % interval of a share of which `hits` of `trials` were seen (E. B. Wilson, "Probable
/// inference, the law of succession, and statistical inference", JASA 22, 1927): honest for small
/// numbers of trials and at both ends, where the normal interval has no width.
///
/// Everything from 0 to 1 if there were no trials.
pub fn wilson(hits: u64, trials: u64) -> Interval {
    if trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (hits, n) = (hits as f64, trials as f64);
    let z2 = Z_95 * Z_95;
    let share = hits / n;
    let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z_95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    // At the ends the formula gives 0 and 1 but for rounding.
    let low = if hits == 0.0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if hits == n { 1.0 } else { (centre + half).min(1.0) };
    Interval { low, high }
}

impl Interval {
    /// Both ends divided by `by`.
    #[must_use]
    pub fn over(self, by: f64) -> Self {
        Self { low: self.low / by, high: self.high / by }
    }
}

/// The 95 % interval of the mean of what `values` are drawn from, by Student's t; of fewer than two values
/// everything.
pub fn mean_interval(values: &[f64]) -> Interval {
    if values.len() < 2 {
        return Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance =
        values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0);
    let half = student_97_5(n - 1.0) * (variance / n).sqrt();
    Interval { low: mean - half, high: mean + half }
}

/// The 97.5 % point of Student's t. From three degrees of freedom on by the expansion of R. A. Fisher and E. A.
/// Cornish ("The percentile points of distributions having known cumulants", Technometrics 2, 1960), which is
/// right to a percent there and ever closer beyond; below, as tabled.
fn student_97_5(freedom: f64) -> f64 {
    if freedom < 3.0 {
        return if freedom < 2.0 { 12.706 } else { 4.303 };
    }
    let (z, v) = (Z_95, freedom);
    let (z3, z5, z7) = (z * z * z, z * z * z * z * z, z * z * z * z * z * z * z);
    z + (z3 + z) / (4.0 * v)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v * v)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v * v * v)
}

/// The exact 95 % interval of the number of events to be expected where `seen` were seen (F. Garwood, "Fiducial
/// limits for the Poisson distribution", Biometrika 28, 1936).
pub fn poisson_interval(seen: u64) -> Interval {
    // The chance of at most `seen` where `expected` are expected, from its largest term down.
    let at_most = |seen: u64, expected: f64| {
        let log =
            |number: u64| number as f64 * libm::log(expected) - libm::lgamma(number as f64 + 1.0);
        (0..=seen).map(|number| libm::exp(log(number) - expected)).sum::<f64>()
    };
    let solve = |is_below: &dyn Fn(f64) -> bool| {
        let (mut low, mut high) = (0.0, 10.0 + 2.0 * seen as f64);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if is_below(middle) { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    };
    let low = match seen.checked_sub(1) {
        Some(fewer) => solve(&|expected| 1.0 - at_most(fewer, expected) < 0.025),
        None => 0.0,
    };
    Interval { low, high: solve(&|expected| at_most(seen, expected) > 0.025) }
}

/// The middle value, or the mean of the two middle ones; none of nothing.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The 95 % interval of the median of what independent `values` are drawn from, whatever its law: between two
/// of the values, as far from both ends as the binomial law of how many lie below it allows (H. A. David, H. N.
/// Nagaraja, "Order Statistics", 2003, section 7.1). Of fewer than six values all that can be had is their
/// range, which covers it less often; none of no values.
pub fn median_interval(values: impl IntoIterator<Item = f64>) -> Option<Interval> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    // The chance that at most so many lie below the median.
    let (mut term, mut below, mut place) = (libm::exp2(-(n as f64)), 0.0, 0);
    while below + term <= 0.025 && place < n / 2 {
        below += term;
        term *= (n - place) as f64 / (place + 1) as f64;
        place += 1;
    }
    let place = place.saturating_sub(1);
    Some(Interval { low: *sorted.get(place)?, high: *sorted.get(n - 1 - place)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the values that R's `prop.test(..., correct = FALSE)` documents for this interval.
    #[test]
    fn wilson_by_the_book() {
        let check = |hits, trials, low: f64, high: f64| {
            let found = wilson(hits, trials);
            assert!(
                (found.low - low).abs() < 5e-5 && (found.high - high).abs() < 5e-5,
                "{found:?}"
            );
        };
        check(5, 5, 0.5655, 1.0);
        check(0, 5, 0.0, 0.4345);
        check(2, 5, 0.1176, 0.7693);
        check(10, 20, 0.2993, 0.7007);
        check(0, 0, 0.0, 1.0);
    }

    /// Against the table of ranks in David and Nagaraja: 6 values give their range, 10 the second and the
    /// ninth, 20 the sixth and the fifteenth, 100 the 40th and the 61st.
    #[test]
    fn the_median_lies_between_two_of_the_values() {
        let check = |n: u32, low, high| {
            let values = (1..=n).rev().map(f64::from);
            assert_eq!(median_interval(values), Some(Interval { low, high }), "{n}");
        };
        check(1, 1.0, 1.0);
        check(5, 1.0, 5.0);
        check(6, 1.0, 6.0);
        check(10, 2.0, 9.0);
        check(20, 6.0, 15.0);
        check(100, 40.0, 61.0);
        assert_eq!(median_interval([]), None);
    }

    /// Against the tables of Garwood, and of Student's t.
    #[test]
    fn counts_and_means_by_the_book() {
        let counts = |seen, low: f64, high: f64| {
            let found = poisson_interval(seen);
            assert!(
                (found.low - low).abs() < 5e-3 && (found.high - high).abs() < 5e-3,
                "{found:?}"
            );
        };
        counts(0, 0.0, 3.689);
        counts(1, 0.0253, 5.572);
        counts(10, 4.795, 18.390);
        counts(100, 81.364, 121.627);
        for (freedom, point) in
            [(1.0, 12.706), (2.0, 4.303), (3.0, 3.182), (15.0, 2.131), (99.0, 1.984)]
        {
            assert!((student_97_5(freedom) / point - 1.0).abs() < 0.012, "{freedom}");
        }
        let found = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!((found.low - 1.037).abs() < 0.01 && (found.high - 4.963).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn the_middle_of_few() {
        assert_eq!(median([]), None);
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
