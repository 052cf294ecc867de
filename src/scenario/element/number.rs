//! Numbers within bounds, and how large ones are spelled.

use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::unit::Fraction;

/// A whole number from `low` to `high`.
pub(super) fn whole(
    value: i64,
    low: u32,
    high: u32,
    what: &str,
    spot: Spot<'_>,
) -> Result<u32, Diagnostic> {
    u32::try_from(value).ok().filter(|value| (low..=high).contains(value)).ok_or_else(|| {
        Diagnostic::error(
            spot.value(),
            format!("{what} must be from {} to {}", thousands(low.into()), thousands(high.into())),
        )
    })
}

/// A share of a whole, from 0 to 1.
pub(super) fn fraction(value: f64, what: &str, spot: Spot<'_>) -> Result<Fraction, Diagnostic> {
    Fraction::new(value).ok_or_else(|| {
        let help =
            (value > 1.0 && value <= 100.0).then(|| format!("{value} % is {}", value / 100.0));
        Diagnostic::error(spot.value(), format!("{what} must be a share from 0 to 1")).help(help)
    })
}

/// A number above zero.
pub(super) fn positive(
    value: f64,
    largest: f64,
    what: &str,
    spot: Spot<'_>,
) -> Result<f64, Diagnostic> {
    if value > 0.0 && value <= largest {
        return Ok(value);
    }
    let largest = thousands(largest as u64);
    let message = format!("the {what} must be above 0 and at most {largest}");
    Err(Diagnostic::error(spot.value(), message))
}

/// Digits in groups of three.
pub(in crate::scenario) fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut spelled = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            spelled.push(',');
        }
        spelled.push(digit);
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        let check = |value, expected: &str| assert_eq!(thousands(value), expected);
        check(0, "0");
        check(999, "999");
        check(1_000, "1,000");
        check(20_000_000_000, "20,000,000,000");
    }
}
