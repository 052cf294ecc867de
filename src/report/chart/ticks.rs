//! Round numbers along an axis, and how numbers are written.

/// The marks of an axis from zero up.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Ticks {
    step: f64,
    /// How many steps from zero to the last mark.
    steps: u32,
}

/// Steps that people count in.
const DECIMAL: [f64; 3] = [1.0, 2.0, 5.0];
/// Powers of ten, written out: computed ones differ in their last bits.
const TENS: [f64; 19] = [
    1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
    1e11, 1e12,
];
/// Steps that seconds are counted in beyond 50: up to a minute, an hour, a day, a week.
const SEXAGESIMAL: [f64; 16] = [
    60.0,
    120.0,
    300.0,
    600.0,
    900.0,
    1800.0,
    3600.0,
    7200.0,
    10_800.0,
    21_600.0,
    43_200.0,
    86_400.0,
    172_800.0,
    604_800.0,
    1_209_600.0,
    6_048_000.0,
];

impl Ticks {
    /// At most `most` steps, the last one at or above `top`: for an axis that ends in a mark.
    pub(in crate::report) fn over(top: f64, most: u32) -> Self {
        let step = decimal_steps().find(|step| step * f64::from(most) >= top);
        Self::up(step.unwrap_or(top), top, f64::ceil)
    }

    /// At most `most` steps of seconds, the last one at or below `end`: for an axis that ends where
    /// the run does.
    pub(super) fn of_seconds(end: f64, most: u32) -> Self {
        let steps = decimal_steps().take_while(|&step| step <= 50.0).chain(SEXAGESIMAL);
        let step = steps.into_iter().find(|step| step * f64::from(most) >= end);
        Self::up(step.unwrap_or(end), end, f64::floor)
    }

    fn up(step: f64, end: f64, round: fn(f64) -> f64) -> Self {
        if step <= 0.0 || end <= 0.0 {
            return Self { step: 1.0, steps: 1 };
        }
        // 0.3 / 0.1 is not quite 3, and a mark must not be lost or won by that.
        let nearest = (end / step).round();
        let close = (end / step - nearest).abs() < 1e-9;
        let steps = if close { nearest } else { round(end / step) };
        Self { step, steps: steps as u32 }
    }

    /// The last mark.
    pub(in crate::report) fn top(&self) -> f64 {
        self.step * f64::from(self.steps)
    }

    /// Every mark with its label.
    pub(super) fn marks(&self) -> impl Iterator<Item = (f64, String)> {
        let decimals = decimals_of(self.step);
        (0..=self.steps).map(move |step| {
            let value = f64::from(step) * self.step;
            (value, number(value, if step == 0 { 0 } else { decimals }))
        })
    }
}

/// About half a dozen round values from `from` to `to`, each with its label; powers of ten, and their double
/// and fivefold, where ratios are even.
pub(super) fn between(from: f64, to: f64, logarithmic: bool) -> Vec<(f64, String)> {
    const MOST: f64 = 8.0;
    if logarithmic && to >= 10.0 * from {
        let decades = TENS.into_iter().filter(|ten| (from..=to).contains(ten)).count();
        let digits: &[f64] = if decades > 3 { &[1.0] } else { &DECIMAL };
        let values = TENS.into_iter().flat_map(|ten| digits.iter().map(move |digit| digit * ten));
        let within = values.filter(|value| (from..=to).contains(value));
        return within.map(|value| (value, number(value, decimals_of(value)))).collect();
    }
    let step = decimal_steps().find(|step| step * MOST >= to - from).unwrap_or(to - from);
    let (first, last) = ((from / step - 1e-9).ceil(), (to / step + 1e-9).floor());
    let count = (last - first).max(0.0) as u32;
    let value = |nth: u32| (first + f64::from(nth)) * step;
    (0..=count).map(|nth| (value(nth), number(value(nth), decimals_of(step)))).collect()
}

fn decimal_steps() -> impl Iterator<Item = f64> {
    TENS.into_iter().flat_map(|ten| DECIMAL.map(|digit| digit * ten))
}

/// How many decimals `step` and its multiples need.
fn decimals_of(step: f64) -> usize {
    (0..=6)
        .find(|&decimals| {
            let scaled = step * TENS[6 + decimals];
            (scaled - scaled.round()).abs() < 1e-6
        })
        .unwrap_or(6)
}

/// `value` with so many decimals and a comma between thousands: `1,250`, `0.5`.
pub(super) fn number(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = String::new();
    for (place, digit) in whole.char_indices() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 && digits.bytes().any(|b| b.is_ascii_digit() && b != b'0') {
        "−"
    } else {
        ""
    };
    format!("{sign}{grouped}{rest}")
}

/// `value` with at most three decimals and none that say nothing: `14`, `0.25`.
pub(in crate::report) fn short(value: f64) -> String {
    let digits = number(value, 3);
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<String> {
        ticks.marks().map(|(_, label)| label).collect()
    }

    #[test]
    fn an_axis_of_quantities_ends_above_them() {
        let check = |top, most, expected: &[&str]| {
            assert_eq!(labels(&Ticks::over(top, most)), expected, "{top}");
        };
        check(2_780.0, 4, &["0", "1,000", "2,000", "3,000"]);
        check(1.0, 4, &["0", "0.5", "1.0"]);
        check(0.3, 3, &["0", "0.1", "0.2", "0.3"]);
        check(5.0, 5, &["0", "1", "2", "3", "4", "5"]);
        check(0.0, 4, &["0", "1"]);
    }

    #[test]
    fn an_axis_of_seconds_counts_in_minutes_and_ends_within_the_run() {
        let check = |end, most, expected: &[&str]| {
            assert_eq!(labels(&Ticks::of_seconds(end, most)), expected, "{end}");
        };
        check(60.0, 6, &["0", "10", "20", "30", "40", "50", "60"]);
        check(3_600.0, 6, &["0", "600", "1,200", "1,800", "2,400", "3,000", "3,600"]);
        check(65.0, 7, &["0", "10", "20", "30", "40", "50", "60"]);
        check(0.25, 6, &["0", "0.05", "0.10", "0.15", "0.20", "0.25"]);
    }

    #[test]
    fn an_axis_that_does_not_begin_at_zero_has_round_values_within() {
        let check = |from, to, logarithmic, expected: &[&str]| {
            let labels: Vec<String> =
                between(from, to, logarithmic).into_iter().map(|(_, label)| label).collect();
            assert_eq!(labels, expected);
        };
        check(1.03, 1.31, false, &["1.05", "1.10", "1.15", "1.20", "1.25", "1.30"]);
        check(0.0, 6.0, false, &["0", "1", "2", "3", "4", "5", "6"]);
        check(0.01, 2.0, true, &["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2"]);
        check(0.001, 100.0, true, &["0.001", "0.01", "0.1", "1", "10", "100"]);
        check(2.0, 5.0, true, &["2.0", "2.5", "3.0", "3.5", "4.0", "4.5", "5.0"]);
    }

    #[test]
    fn numbers_are_read_in_groups_of_three() {
        let check = |value, decimals, expected: &str| assert_eq!(number(value, decimals), expected);
        check(1_234_567.0, 0, "1,234,567");
        check(999.95, 1, "1,000.0");
        check(100.0, 0, "100");
        check(-1_200.5, 1, "−1,200.5");
        check(-0.01, 1, "0.0");
        assert_eq!(short(14.0), "14");
        assert_eq!(short(1_200.0), "1,200");
        assert_eq!(short(0.25), "0.25");
    }
}
