//! Where along a parameter does recovery become less likely than not?
//!
//! A run at a value of the parameter answers yes or no, as an observer does who is shown a faint light. How
//! such answers find a threshold is an old question of psychophysics, and its answer is taken over: the
//! chance to recover is a logistic curve in the parameter, what is known of its middle and its scale is a
//! probability over a grid of both, and the next runs are placed where they tell most (Kontsevich and Tyler,
//! "Bayesian adaptive estimation of psychometric slope and threshold", Vision Research 39, 1999). A share of
//! runs is taken to answer at random, so that one odd run far out cannot turn the curve over (Wichmann and
//! Hill, "The psychometric function", Perception & Psychophysics 63, 2001).
//!
//! Every run is one more seed. Bisecting each seed on its own would take several runs per seed to learn what
//! a single run at the middle tells nearly as well, and would take for granted that a seed which survives
//! one disturbance survives every smaller one.

use super::Interval;

/// Locations on the grid.
const LOCATIONS: usize = 240;
/// Scales on the grid.
const SCALES: usize = 20;
/// The share of runs that is taken to say nothing: half of it to each side.
const LAPSES: f64 = 0.01;
/// The finest scale is this part of the domain, the coarsest that one.
const FINEST: f64 = 1.0 / 400.0;
const COARSEST: f64 = 0.5;
/// The grid is laid anew over what is left as soon as that is less than this part of it.
const WORTH_A_NEW_GRID: f64 = 0.3;
/// What is left out of a new grid on each side.
const NEGLIGIBLE: f64 = 1e-5;
/// Runs to either side of the middle, in scales, tell of the scale; runs at the middle tell most of where it
/// is.
const SPREAD: [f64; 3] = [-1.3, 0.0, 1.3];
/// How probable any place is that is not expected, beside the one that is.
const UNEXPECTED: f64 = 0.02;
/// Beyond this many scales from the middle nothing changes any more.
const FAR: f64 = 24.0;
const STEPS_PER_SCALE: f64 = 64.0;

/// On which side of the threshold a run recovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Below: more of the parameter makes it worse.
    Below,
    /// Above: more of the parameter helps.
    Above,
}

/// The runs at one value, and how many of them recovered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// The value.
    pub at: f64,
    /// How many runs.
    pub runs: u64,
    /// How many of them recovered.
    pub recovered: u64,
}

/// An estimate and the 95 % interval around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The middle of what is probable.
    pub value: f64,
    /// Where it lies with a probability of 95 %.
    pub interval: Interval,
}

/// What is known of a threshold: a probability over its location and the scale of the curve through it.
#[derive(Clone, Debug)]
pub struct Threshold {
    side: Side,
    answers: Vec<Answers>,
    /// Where it is expected, and how near to that.
    expected: Option<[f64; 2]>,
    grid: Grid,
    log_shares: LogShares,
}

#[derive(Clone, Debug)]
struct Grid {
    low: f64,
    high: f64,
    scales: Vec<f64>,
    /// Scale by scale, the logarithm of the probability of each location, up to a constant.
    logs: Vec<f64>,
}

impl Threshold {
    /// Nothing is known yet but that the threshold lies between `low` and `high`, where recovery is found on
    /// the given side.
    pub fn between(low: f64, high: f64, side: Side) -> Self {
        let width = high - low;
        let grid = Grid::over([low, high], [width * FINEST, width * COARSEST]);
        Self { side, answers: Vec::new(), expected: None, grid, log_shares: LogShares::new() }
    }

    /// The same before anything is learnt, but expected at `at`, give or take `within`. Heavy tails leave room
    /// for surprise: an expectation that is wrong costs a few more runs and no more.
    #[must_use]
    pub fn expected(mut self, at: f64, within: f64) -> Self {
        self.expected = Some([at, within]);
        self.grid.expect([at, within]);
        self
    }

    /// Takes in what was seen.
    pub fn learn(&mut self, new: &[Answers]) {
        for answers in new {
            self.grid.learn(*answers, self.side, &self.log_shares);
            match self.answers.iter_mut().find(|known| known.at == answers.at) {
                Some(known) => {
                    known.runs += answers.runs;
                    known.recovered += answers.recovered;
                }
                None => self.answers.push(*answers),
            }
        }
        if let Some(finer) = self.grid.finer() {
            self.grid = finer;
            if let Some(expected) = self.expected {
                self.grid.expect(expected);
            }
            for answers in &self.answers {
                self.grid.learn(*answers, self.side, &self.log_shares);
            }
        }
    }

    /// Where the chance to recover is `share`, above 0 and below 1.
    pub fn at_share(&self, share: f64) -> Estimate {
        let away = self.scales_away(share);
        self.estimate(|location, scale| location + scale * away)
    }

    /// How long the mixed zone is, over which the chance to recover goes from 90 % to 10 %, in the units that
    /// `in_units` makes of a place.
    pub fn mixed_zone(&self, in_units: impl Fn(f64) -> f64) -> Estimate {
        let (one, other) = (self.scales_away(0.1), self.scales_away(0.9));
        self.estimate(|location, scale| {
            (in_units(location + one * scale) - in_units(location + other * scale)).abs()
        })
    }

    /// The chance to recover at `at`.
    pub fn share_at(&self, at: f64) -> Estimate {
        let side = self.side;
        self.estimate(|location, scale| answer_rate(scales_beyond(at, location, scale, side)))
    }

    /// Where the next `count` runs tell most: spread over the places where the middle may be, at it and a
    /// little to either side.
    pub fn where_next(&self, count: usize) -> Vec<f64> {
        let weights = self.grid.weights();
        let locations = self.grid.locations(&weights);
        let scales = self.grid.log_scales(&weights);
        let total: f64 = scales.iter().map(|(_, weight)| weight).sum();
        let mean = scales.iter().map(|(log, weight)| log * weight).sum::<f64>() / total;
        let scale = libm::exp(mean);
        let place = |nth: usize| {
            let location = quantile(&locations, (nth as f64 + 0.5) / count as f64);
            location + SPREAD[nth % SPREAD.len()] * scale
        };
        (0..count).map(place).collect()
    }

    /// How many scales above the middle the chance to recover is `share`.
    fn scales_away(&self, share: f64) -> f64 {
        let share = ((share - LAPSES / 2.0) / (1.0 - LAPSES)).clamp(1e-9, 1.0 - 1e-9);
        let away = libm::log(share / (1.0 - share));
        match self.side {
            Side::Below => -away,
            Side::Above => away,
        }
    }

    fn estimate(&self, of: impl Fn(f64, f64) -> f64) -> Estimate {
        let weights = self.grid.weights();
        let mut values: Vec<(f64, f64)> = Vec::with_capacity(weights.len());
        for (weights, scale) in weights.chunks(LOCATIONS).zip(&self.grid.scales) {
            for (place, weight) in weights.iter().enumerate() {
                values.push((of(self.grid.location(place), *scale), *weight));
            }
        }
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at = |probability| quantile(&values, probability);
        Estimate { value: at(0.5), interval: Interval { low: at(0.025), high: at(0.975) } }
    }
}

impl Grid {
    fn over([low, high]: [f64; 2], [finest, coarsest]: [f64; 2]) -> Self {
        let ratio = libm::pow(coarsest / finest, 1.0 / (SCALES - 1) as f64);
        let scales = (0..SCALES).map(|nth| finest * libm::pow(ratio, nth as f64)).collect();
        Self { low, high, scales, logs: vec![0.0; LOCATIONS * SCALES] }
    }

    /// An empty grid over what is still probable, if that is much less than this one covers.
    fn finer(&self) -> Option<Self> {
        let weights = self.weights();
        let span = |values: &[(f64, f64)]| {
            [quantile(values, NEGLIGIBLE), quantile(values, 1.0 - NEGLIGIBLE)]
        };
        let is_less = |[low, high]: [f64; 2], cell: f64, count: usize| {
            high - low + 2.0 * cell < WORTH_A_NEW_GRID * cell * count as f64
        };
        let (locations, scales) = (self.locations(&weights), self.log_scales(&weights));
        let (cell, step) = (self.cell(), scales[1].0 - scales[0].0);
        let ([low, high], [fine, coarse]) = (span(&locations), span(&scales));
        if !is_less([low, high], cell, LOCATIONS) && !is_less([fine, coarse], step, SCALES) {
            return None;
        }
        let margin = 0.1 * (high - low) + 2.0 * cell;
        let (low, high) = ((low - margin).max(self.low), (high + margin).min(self.high));
        // What may be finer than the finest is looked at on the finer grid.
        let finest = if fine > scales[1].0 {
            libm::exp(fine - step)
        } else {
            self.scales[0].min((high - low) * FINEST)
        };
        let coarsest = libm::exp(coarse + step).min(self.scales[SCALES - 1]);
        Some(Self::over([low, high], [finest, coarsest]))
    }

    fn expect(&mut self, [at, within]: [f64; 2]) {
        let (first, cell) = (self.location(0), self.cell());
        for logs in self.logs.chunks_mut(LOCATIONS) {
            for (place, log) in logs.iter_mut().enumerate() {
                let away = (first + place as f64 * cell - at) / within;
                *log += libm::log(UNEXPECTED + 1.0 / (1.0 + away * away));
            }
        }
    }

    fn cell(&self) -> f64 {
        (self.high - self.low) / LOCATIONS as f64
    }

    fn location(&self, place: usize) -> f64 {
        self.low + (place as f64 + 0.5) * self.cell()
    }

    fn learn(&mut self, answers: Answers, side: Side, log_shares: &LogShares) {
        let (yes, no) = (answers.recovered as f64, (answers.runs - answers.recovered) as f64);
        let (first, cell) = (self.location(0), self.cell());
        for (logs, scale) in self.logs.chunks_mut(LOCATIONS).zip(&self.scales) {
            for (place, log) in logs.iter_mut().enumerate() {
                let location = first + place as f64 * cell;
                let beyond = scales_beyond(answers.at, location, *scale, side);
                if yes > 0.0 {
                    *log += yes * log_shares.of(beyond);
                }
                if no > 0.0 {
                    *log += no * log_shares.of(-beyond);
                }
            }
        }
    }

    /// The probability of every scale and location, up to a factor.
    fn weights(&self) -> Vec<f64> {
        let most = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.logs.iter().map(|log| libm::exp(log - most)).collect()
    }

    /// The locations in order, each with its share of `weights`.
    fn locations(&self, weights: &[f64]) -> Vec<(f64, f64)> {
        let of = |place: usize| weights.iter().skip(place).step_by(LOCATIONS).sum();
        (0..LOCATIONS).map(|place| (self.location(place), of(place))).collect()
    }

    /// The logarithms of the scales in order, each with its share of `weights`.
    fn log_scales(&self, weights: &[f64]) -> Vec<(f64, f64)> {
        let sums = weights.chunks(LOCATIONS).map(|weights| weights.iter().sum());
        self.scales.iter().map(|scale| libm::log(*scale)).zip(sums).collect()
    }
}

/// How many scales `at` lies on the side where nothing recovers.
fn scales_beyond(at: f64, location: f64, scale: f64, side: Side) -> f64 {
    match side {
        Side::Below => (at - location) / scale,
        Side::Above => (location - at) / scale,
    }
}

/// The chance to recover so many scales beyond the middle.
fn answer_rate(beyond: f64) -> f64 {
    LAPSES / 2.0 + (1.0 - LAPSES) / (1.0 + libm::exp(beyond))
}

/// The value below which `probability` of the weight lies; `values` in order, interpolated between them.
fn quantile(values: &[(f64, f64)], probability: f64) -> f64 {
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let wanted = probability * total;
    let mut below = 0.0;
    let mut before: Option<(f64, f64)> = None;
    for &(value, weight) in values {
        // The weight of a value counts half to either side of it.
        let middle = below + weight / 2.0;
        if middle >= wanted {
            return match before {
                Some((earlier, at)) if middle > at => {
                    earlier + (value - earlier) * (wanted - at) / (middle - at)
                }
                Some(_) | None => value,
            };
        }
        before = Some((value, middle));
        below += weight;
    }
    values.last().map_or(f64::NAN, |(value, _)| *value)
}

/// The logarithm of the chance to recover by how far beyond the middle, in a table: it is asked for ten
/// thousand times per run.
#[derive(Clone, Debug)]
struct LogShares(Vec<f64>);

impl LogShares {
    fn new() -> Self {
        let steps = (2.0 * FAR * STEPS_PER_SCALE) as usize;
        let at = |step: usize| step as f64 / STEPS_PER_SCALE - FAR;
        Self((0..=steps).map(|step| libm::log(answer_rate(at(step)))).collect())
    }

    fn of(&self, beyond: f64) -> f64 {
        let place = (beyond.clamp(-FAR, FAR) + FAR) * STEPS_PER_SCALE;
        let step = (place as usize).min(self.0.len() - 2);
        let part = place - step as f64;
        self.0[step] + part * (self.0[step + 1] - self.0[step])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Bits, Sprout};

    /// Finds the threshold of the curve `share` in batches of twelve runs each.
    fn find(share: impl Fn(f64) -> f64, side: Side, batches: usize, seed: u64) -> Threshold {
        let mut stream = Sprout::new(seed, 0);
        let mut threshold = Threshold::between(0.0, 1.0, side);
        for _ in 0..batches {
            let places = threshold.where_next(12);
            let ask = |at: f64| {
                let recovered = u64::from(stream.uniform() < share(at));
                Answers { at, runs: 1, recovered }
            };
            let answers: Vec<Answers> = places.into_iter().map(ask).collect();
            threshold.learn(&answers);
        }
        threshold
    }

    fn normal(at: f64, middle: f64, deviation: f64) -> f64 {
        1.0 - 0.5 * libm::erfc(-(at - middle) / deviation / std::f64::consts::SQRT_2)
    }

    /// Of 100 intervals at least 90 hold the true value, for curves of other shapes than the one that is
    /// fitted, sharp and flat ones, in either direction.
    #[test]
    fn intervals_hold_what_they_promise() {
        let check = |name: &str, side: Side, truth: f64, share: &dyn Fn(f64) -> f64| {
            let held = (0..100).filter(|seed| {
                let found = find(share, side, 10, *seed).at_share(0.5).interval;
                found.low <= truth && truth <= found.high
            });
            let held = held.count();
            assert!(held >= 90, "{name}: {held} of 100");
        };
        check("normal", Side::Below, 0.37, &|at| normal(at, 0.37, 0.03));
        check("wide", Side::Below, 0.6, &|at| normal(at, 0.6, 0.2));
        check("rising", Side::Above, 0.37, &|at| 1.0 - normal(at, 0.37, 0.02));
        // Half of exp(-exp(x)) lies at ln(ln 2).
        let middle = 0.5 + 0.03 * libm::log(std::f64::consts::LN_2);
        check("skewed", Side::Below, middle, &|at| libm::exp(-libm::exp((at - 0.5) / 0.03)));
    }

    #[test]
    fn a_wrong_expectation_is_given_up() {
        let share = |at: f64| normal(at, 0.7, 0.02);
        for expected in [0.1, 0.7] {
            let mut stream = Sprout::new(1, 1);
            let mut threshold = Threshold::between(0.0, 1.0, Side::Below).expected(expected, 0.02);
            for _ in 0..8 {
                let places = threshold.where_next(8).into_iter();
                let ask = |at: f64| {
                    let recovered = u64::from(stream.uniform() < share(at));
                    Answers { at, runs: 1, recovered }
                };
                let answers: Vec<Answers> = places.map(ask).collect();
                threshold.learn(&answers);
            }
            let found = threshold.at_share(0.5);
            assert!((found.value - 0.7).abs() < 0.03, "{expected}: {found:?}");
        }
    }

    #[test]
    fn a_cliff_is_found_to_a_hair() {
        let found = find(|at| f64::from(at < 0.412_3), Side::Below, 12, 1).at_share(0.5);
        assert!((found.value - 0.412_3).abs() < 0.002, "{found:?}");
        assert!(found.interval.low < 0.412_3 && found.interval.high > 0.412_3, "{found:?}");
        assert!(found.interval.high - found.interval.low < 0.01, "{found:?}");
    }

    #[test]
    fn the_zone_and_the_curve_are_those_of_the_truth() {
        // The logistic curve with scale 0.02 falls from 90 % to 10 % over 2 ln 9 scales.
        let found = find(|at| 1.0 / (1.0 + libm::exp((at - 0.5) / 0.02)), Side::Below, 60, 3);
        let zone = found.mixed_zone(|at| at);
        assert!(zone.interval.low < 0.0879 && zone.interval.high > 0.0879, "{zone:?}");
        assert!((zone.value - 0.0879).abs() < 0.03, "{zone:?}");
        let rare = found.at_share(0.95);
        assert!((rare.value - (0.5 - 0.02 * 2.944)).abs() < 0.02, "{rare:?}");
        let half = found.share_at(found.at_share(0.5).value);
        assert!((half.value - 0.5).abs() < 0.02, "{half:?}");
        assert!(found.share_at(0.2).value > 0.98 && found.share_at(0.8).value < 0.02);
    }

    #[test]
    fn quantiles_lie_between_values() {
        let values = [(1.0, 1.0), (2.0, 2.0), (3.0, 1.0)];
        assert_eq!(quantile(&values, 0.5), 2.0);
        assert_eq!(quantile(&values, 0.0), 1.0);
        assert_eq!(quantile(&values, 1.0), 3.0);
        assert!((quantile(&values, 0.3125) - 1.5).abs() < 1e-12);
    }
}
