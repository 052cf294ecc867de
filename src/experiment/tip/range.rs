//! The stretch of a parameter that is searched, and the values that are tried on it.

/// From one value to a larger one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest value.
    pub from: f64,
    /// The largest value.
    pub to: f64,
    /// Whether ratios are even along it, and not differences; only above zero.
    pub logarithmic: bool,
    /// Whether only whole numbers mean anything.
    pub whole: bool,
}

/// Values are told apart to this part of the range, or finer.
const RESOLUTION: f64 = 1e-3;
/// Of a value on a logarithmic range so many digits are kept.
const DIGITS: i32 = 4;

impl Range {
    /// The value at `share` of the way, from 0 to 1 and beyond.
    pub fn at(self, share: f64) -> f64 {
        if self.logarithmic {
            self.from * libm::pow(self.to / self.from, share)
        } else {
            self.from + share * (self.to - self.from)
        }
    }

    /// How far along `value` lies.
    pub fn share_of(self, value: f64) -> f64 {
        if self.logarithmic {
            libm::log(value / self.from) / libm::log(self.to / self.from)
        } else {
            (value - self.from) / (self.to - self.from)
        }
    }

    /// The nearest value within the range that is written in few digits.
    pub fn round(self, value: f64) -> f64 {
        let value = value.clamp(self.from, self.to);
        let power = if self.whole {
            0
        } else if self.logarithmic {
            floor_log10(value) + 1 - DIGITS
        } else {
            floor_log10((self.to - self.from) * RESOLUTION)
        };
        let rounded = round_to(value, power);
        // The ends themselves may have more digits.
        if (self.from..=self.to).contains(&rounded) { rounded } else { value }
    }

    /// The smallest difference that is told apart around `value`.
    pub fn resolution(self, value: f64) -> f64 {
        if self.whole {
            1.0
        } else if self.logarithmic {
            value * RESOLUTION
        } else {
            (self.to - self.from) * RESOLUTION
        }
    }

    /// At most `most` values from end to end; every whole number where there are no more than `all`.
    pub(in crate::experiment) fn spread(self, most: usize, all: usize) -> Vec<f64> {
        let steps = if self.whole && self.to - self.from < all as f64 {
            (self.to - self.from) as usize
        } else {
            most - 1
        };
        let steps = steps.max(1);
        let value = |step: usize| match step {
            0 => self.from,
            last if last == steps => self.to,
            _ => self.round(self.at(step as f64 / steps as f64)),
        };
        let mut values: Vec<f64> = (0..=steps).map(value).collect();
        values.dedup();
        values
    }
}

fn floor_log10(value: f64) -> i32 {
    libm::floor(libm::log10(value)) as i32
}

/// `value` to the nearest multiple of ten to the `power`, as its decimal spelling would read.
fn round_to(value: f64, power: i32) -> f64 {
    let unit = (0..power.unsigned_abs()).fold(1.0, |unit, _| unit * 10.0);
    if power < 0 { (value * unit).round() / unit } else { (value / unit).round() * unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: Range = Range { from: 0.5, to: 4.0, logarithmic: false, whole: false };

    #[test]
    fn values_have_few_digits() {
        let check = |range: Range, value: f64, expected: f64| {
            assert_eq!(range.round(value), expected, "{value}");
        };
        check(LENGTHS, 1.234_567, 1.235);
        check(LENGTHS, 7.0, 4.0);
        check(Range { whole: true, ..LENGTHS }, 2.6, 3.0);
        let decades = Range { from: 0.001, to: 100.0, logarithmic: true, whole: false };
        check(decades, 0.012_345_6, 0.012_35);
        check(decades, 12.345_6, 12.35);
        check(Range { from: 0.123_456, ..LENGTHS }, 0.1, 0.123_456);
    }

    #[test]
    fn there_and_back() {
        for logarithmic in [false, true] {
            let range = Range { logarithmic, ..LENGTHS };
            assert_eq!((range.at(0.0), range.share_of(0.5)), (0.5, 0.0));
            assert!((range.share_of(range.at(0.3)) - 0.3).abs() < 1e-12);
        }
    }

    #[test]
    fn few_whole_numbers_are_all_tried() {
        let retries = Range { from: 0.0, to: 6.0, logarithmic: false, whole: true };
        assert_eq!(retries.spread(4, 24), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(retries.spread(4, 3), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(LENGTHS.spread(3, 24), [0.5, 2.25, 4.0]);
    }
}
