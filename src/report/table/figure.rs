//! Numbers as people read them: a few digits, a unit in the heading, the same width all the way down.

/// A count with its thousands apart; from ten million on in three digits with a suffix.
pub(in crate::report) fn count(value: f64) -> String {
    const SUFFIXED: [(f64, &str); 4] = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")];
    if value < 1e7 {
        return thousands(value.round() as u64);
    }
    let (unit, suffix) = SUFFIXED.into_iter().find(|(unit, _)| value >= *unit).unwrap_or((1.0, ""));
    format!("{}{suffix}", three_digits(value / unit))
}

/// A count in at most five characters: `42`, `980`, `42.0k`, `1.23M`.
pub(super) fn short_count(value: f64) -> String {
    // What would round up to a thousand of its unit is written in the next one.
    const SUFFIXED: [(f64, &str); 5] =
        [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match SUFFIXED.into_iter().find(|(unit, _)| value >= 0.9995 * unit) {
        Some((unit, suffix)) => format!("{}{suffix}", three_digits(value / unit)),
        None => format!("{value:.0}"),
    }
}

/// Three significant digits without an exponent: `0.00123`, `1.23`, `12.3`, `123`, `1,230`.
pub(super) fn three_digits(value: f64) -> String {
    if value >= 999.5 {
        return thousands(value.round() as u64);
    }
    let mut decimals = 2;
    let mut edge = 9.995;
    while value >= edge && decimals > 0 {
        decimals -= 1;
        edge *= 10.0;
    }
    let mut edge = 0.999_5;
    while value > 0.0 && value < edge && decimals < 6 {
        decimals += 1;
        edge /= 10.0;
    }
    format!("{value:.decimals$}")
}

/// Seconds to the hundredth, without zeros at the end: `14`, `13.5`, `1.75`.
pub(in crate::report) fn seconds(value: f64) -> String {
    let text = format!("{value:.2}");
    let whole = text.trim_end_matches('0').trim_end_matches('.');
    match whole.split_once('.') {
        Some((whole, rest)) => format!("{}.{rest}", thousands(whole.parse().unwrap_or_default())),
        None => thousands(whole.parse().unwrap_or_default()),
    }
}

/// A value with as many decimals as show two digits of `width`, a difference that matters: `1.175` where
/// that is 0.012.
pub(in crate::report) fn decimal(value: f64, width: f64) -> String {
    let mut decimals = 0;
    let mut unit = 10.0;
    while width.abs() < unit && decimals < 9 {
        decimals += 1;
        unit /= 10.0;
    }
    format!("{value:.decimals$}")
}

/// A count with its thousands apart.
pub(super) fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let head = digits.len() % 3;
    let mut text = digits[..head].to_owned();
    for start in (head..digits.len()).step_by(3) {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&digits[start..start + 3]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_people_read_them() {
        let check = |found: String, expected: &str| assert_eq!(found, expected);
        check(count(0.0), "0");
        check(count(999.0), "999");
        check(count(1_000.0), "1,000");
        check(count(9_999_999.0), "9,999,999");
        check(count(12_345_678.0), "12.3M");
        check(count(2e10), "20.0G");
        check(count(3e18), "3,000P");
        check(short_count(999.0), "999");
        check(short_count(999.7), "1.00k");
        check(short_count(42_012.0), "42.0k");
        check(short_count(999_700.0), "1.00M");
        check(three_digits(0.0), "0.00");
        check(three_digits(0.000_123_4), "0.000123");
        check(three_digits(0.999_6), "1.00");
        check(three_digits(9.999), "10.0");
        check(three_digits(99.97), "100");
        check(three_digits(998.2), "998");
        check(three_digits(3_990.4), "3,990");
        check(decimal(1.174_6, 0.012), "1.175");
        check(decimal(1.174_6, 1.2), "1.2");
        check(decimal(27.3, 30.0), "27");
        check(decimal(100.0, 30.0), "100");
        check(decimal(-0.25, 0.1), "-0.25");
        check(decimal(1.1, 0.05), "1.100");
        check(seconds(14.0), "14");
        check(seconds(13.5), "13.5");
        check(seconds(1.754), "1.75");
        check(seconds(100.0), "100");
        check(seconds(0.0), "0");
        check(seconds(12_345.6), "12,345.6");
    }
}
