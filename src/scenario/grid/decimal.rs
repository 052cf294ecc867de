//! Numbers as they are written, so that 0.1 + 0.2 is 0.3.

use std::fmt;

/// `units / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    units: i128,
    scale: u32,
}

/// Digits and decimals that are kept: more than a double holds, and sums far from overflow.
const MOST_DIGITS: usize = 15;

impl Decimal {
    pub(super) const fn new(units: i128, scale: u32) -> Self {
        Self { units, scale }
    }

    /// The number that `text` spells, in TOML's spelling; none if it has too many digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (negative, digits) = match mantissa.strip_prefix(['-', '+']) {
            Some(digits) => (mantissa.starts_with('-'), digits),
            None => (false, mantissa),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty()
            || digits.len() > MOST_DIGITS
            || !digits.bytes().all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let units: i128 = digits.parse().ok()?;
        let units = if negative { -units } else { units };
        let scale = i64::try_from(fraction.len()).ok()? - exponent;
        let most = MOST_DIGITS as i64;
        if !(-most..=most).contains(&scale) {
            return None;
        }
        Some(match u32::try_from(scale) {
            Ok(scale) => Self { units, scale },
            Err(_) => Self { units: units * 10_i128.pow(scale.unsigned_abs() as u32), scale: 0 },
        })
    }

    /// The units of all of them at the finest of their scales.
    pub(super) fn to_one_scale<const N: usize>(numbers: [Self; N]) -> ([i128; N], u32) {
        let finest = numbers.iter().map(|number| number.scale).max().unwrap_or(0);
        (numbers.map(|number| number.units * 10_i128.pow(finest - number.scale)), finest)
    }
}

impl fmt::Display for Decimal {
    /// Without needless zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = 10_u128.pow(self.scale);
        let (whole, rest) = (self.units.unsigned_abs() / one, self.units.unsigned_abs() % one);
        let sign = if self.units < 0 { "-" } else { "" };
        write!(f, "{sign}{whole}")?;
        if rest > 0 {
            let digits = format!("{rest:0width$}", width = self.scale as usize);
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelled_as_they_were_written() {
        let check = |text: &str, expected: &str| {
            assert_eq!(
                Decimal::parse(text).map(|d| d.to_string()).as_deref(),
                Some(expected),
                "{text}"
            );
        };
        check("0.1", "0.1");
        check("-0.10", "-0.1");
        check("1e3", "1000");
        check("1.5e-3", "0.0015");
        check("+7", "7");
        check("2.50e1", "25");
        for wrong in ["", "nan", "inf", "1e400", "1234567890123456", "1.5e-300"] {
            assert_eq!(Decimal::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sums_do_not_drift() {
        let [from, step, to] = ["0.1", "0.1", "3"].map(|text| Decimal::parse(text).unwrap());
        let ([from, step, to], scale) = Decimal::to_one_scale([from, step, to]);
        let spelled: Vec<String> = (0..)
            .map(|index| from + index * step)
            .take_while(|units| *units <= to)
            .map(|units| Decimal::new(units, scale).to_string())
            .collect();
        assert_eq!(spelled[..3], ["0.1", "0.2", "0.3"]);
        assert_eq!(spelled.len(), 30);
        assert_eq!(spelled[29], "3");
    }
}
