//! Estimates with their uncertainty.

/// A range that an estimate lies in with the stated confidence.
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

    #[test]
    fn the_middle_of_few() {
        assert_eq!(median([]), None);
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
