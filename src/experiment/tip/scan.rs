//! The first look along a parameter: where are there borders, and which side of them recovers?

use crate::analysis::{Answers, Side, wilson};

/// Where a border is to be searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Border {
    /// Between these values, and no other border is.
    pub(super) within: [f64; 2],
    /// Where recovery is found, seen from the border.
    pub(super) side: Side,
}

const fn well(answers: &Answers) -> bool {
    2 * answers.recovered > answers.runs
}

/// Whether the runs at this value leave no doubt which way most go: all of them go one way, or the interval
/// of their share does not hold one half.
fn is_clear(answers: &Answers) -> bool {
    let interval = wilson(answers.recovered, answers.runs);
    let unanimous = answers.recovered == 0 || answers.recovered == answers.runs;
    unanimous || interval.low > 0.5 || interval.high < 0.5
}

/// The values that must be looked at again because more than one border seems to lie between them; none
/// where there is at most one.
pub(super) fn doubtful(tried: &[Answers]) -> Vec<f64> {
    let turns: Vec<usize> =
        (1..tried.len()).filter(|&nth| well(&tried[nth - 1]) != well(&tried[nth])).collect();
    match turns.as_slice() {
        [first, .., last] => tried[first - 1..=*last].iter().map(|answers| answers.at).collect(),
        [] | [_] => Vec::new(),
    }
}

/// The borders. Where there was doubt, only values about which there is none any more make one: a mixed
/// zone that is as wide as the range has many turns and one border.
pub(super) fn borders(tried: &[Answers], doubted: bool) -> Vec<Border> {
    let clear: Vec<&Answers> =
        tried.iter().filter(|answers| !doubted || is_clear(answers)).collect();
    let (Some(first), Some(last)) = (tried.first(), tried.last()) else { return Vec::new() };
    // From value to value where it turns.
    let turns: Vec<(f64, f64, Side)> = clear
        .windows(2)
        .filter(|pair| well(pair[0]) != well(pair[1]))
        .map(|pair| (pair[0].at, pair[1].at, if well(pair[0]) { Side::Below } else { Side::Above }))
        .collect();
    let border = |nth: usize| {
        let (before, after, side) = turns[nth];
        // What lies between two borders belongs half to each.
        let low = match nth.checked_sub(1) {
            Some(earlier) => middle(&clear, turns[earlier].1, before),
            None => first.at,
        };
        let high = match turns.get(nth + 1) {
            Some(later) => middle(&clear, after, later.0),
            None => last.at,
        };
        Border { within: [low, high], side }
    };
    (0..turns.len()).map(border).collect()
}

/// The middle one of the values that were tried from `from` to `to`; `from` where there is only one.
fn middle(tried: &[&Answers], from: f64, to: f64) -> f64 {
    let between: Vec<f64> =
        tried.iter().map(|answers| answers.at).filter(|at| (from..=to).contains(at)).collect();
    between[between.len() / 2]
}

/// A value of `places` where collapse is the rule, if there is one: where nothing recovers rather than where
/// most does not, and of those the nearest to a border.
pub(super) fn collapsed(tried: &[Answers], places: &[f64], borders: &[Border]) -> Option<f64> {
    let down = tried.iter().filter(|answers| places.contains(&answers.at) && !well(answers));
    let down: Vec<&Answers> = down.collect();
    let most = down.iter().map(|answers| answers.recovered).min()?;
    let mut lowest = down.iter().filter(|answers| answers.recovered == most);
    let nearest = match borders.first().map(|border| border.side) {
        Some(Side::Below) | None => lowest.next(),
        Some(Side::Above) => lowest.next_back(),
    };
    nearest.map(|answers| answers.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One digit per value: how many of three runs recovered there.
    fn tried(digits: &str) -> Vec<Answers> {
        let answers = |(nth, digit): (usize, char)| Answers {
            at: nth as f64,
            runs: 3,
            recovered: u64::from(digit.to_digit(10).unwrap()),
        };
        digits.chars().enumerate().map(answers).collect()
    }

    #[test]
    fn one_turn_is_one_border() {
        let check = |digits: &str, expected: &[(f64, f64, Side)]| {
            let tried = tried(digits);
            let found: Vec<(f64, f64, Side)> = borders(&tried, !doubtful(&tried).is_empty())
                .iter()
                .map(|border| (border.within[0], border.within[1], border.side))
                .collect();
            assert_eq!(found, expected, "{digits}");
        };
        check("33333", &[]);
        check("00000", &[]);
        check("33210", &[(0.0, 4.0, Side::Below)]);
        check("00123", &[(0.0, 4.0, Side::Above)]);
        // An island, of which nobody doubts that it is one.
        check("3300033", &[(0.0, 3.0, Side::Below), (3.0, 6.0, Side::Above)]);
        // A wide zone: most turns are chance.
        check("3312120", &[(0.0, 6.0, Side::Below)]);
    }

    #[test]
    fn what_contradicts_a_single_border_is_looked_at_again() {
        assert_eq!(doubtful(&tried("3330000")), [] as [f64; 0]);
        assert_eq!(doubtful(&tried("3312000")), [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn collapse_is_shown_beside_the_border() {
        let check = |digits: &str, expected: Option<f64>| {
            let tried = tried(digits);
            let places: Vec<f64> = tried.iter().map(|answers| answers.at).collect();
            assert_eq!(collapsed(&tried, &places, &borders(&tried, false)), expected, "{digits}");
        };
        check("3333", None);
        check("3300", Some(2.0));
        check("3310", Some(3.0));
        check("0033", Some(1.0));
        check("0000", Some(0.0));
    }
}
