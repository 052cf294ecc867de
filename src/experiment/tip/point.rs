//! A border between recovery and collapse, in the units of its parameter.

use super::Range;
use crate::analysis::{Estimate, Interval, Side, Threshold};

/// A border along a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct TippingPoint {
    /// On which side of it runs recover.
    pub side: Side,
    /// Where one half of all seeds recover.
    pub tips_at: Estimate,
    /// Where 95 % of all seeds recover.
    pub safe_at: Estimate,
    /// Where the mixed zone begins and ends, in the order of the values: between the places at which 90 % and
    /// 10 % of all seeds recover.
    pub mixed: [f64; 2],
    /// How long the mixed zone is.
    pub mixed_width: Estimate,
    /// The chance to recover along the stretch where it changes.
    pub curve: Vec<CurvePoint>,
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The value.
    pub at: f64,
    /// The chance to recover there, from 0 to 1.
    pub share: Estimate,
}

/// Points of a curve, close enough to be joined by straight lines.
const POINTS: usize = 61;
/// The curve is told over so many mixed zones, and over so many intervals where the zone is shorter.
const ZONES: f64 = 2.5;

impl TippingPoint {
    /// What `threshold`, whose places are shares of `range`, tells of the border.
    pub(super) fn of(threshold: &Threshold, side: Side, range: Range) -> Self {
        let value = |share: f64| range.at(share);
        let in_units = |found: Estimate| Estimate {
            value: value(found.value),
            interval: Interval { low: value(found.interval.low), high: value(found.interval.high) },
        };
        let middle = threshold.at_share(0.5);
        let ends = [threshold.at_share(0.9).value, threshold.at_share(0.1).value];
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let reach = ZONES * (high - low).max(middle.interval.high - middle.interval.low);
        let from = (middle.value - reach).max(0.0);
        let to = (middle.value + reach).min(1.0);
        let point = |nth: usize| {
            let share = from + (to - from) * nth as f64 / (POINTS - 1) as f64;
            CurvePoint { at: value(share), share: threshold.share_at(share) }
        };
        Self {
            side,
            tips_at: in_units(middle),
            safe_at: in_units(threshold.at_share(0.95)),
            mixed: [value(low), value(high)],
            mixed_width: threshold.mixed_zone(value),
            curve: (0..POINTS).map(point).collect(),
        }
    }
}
