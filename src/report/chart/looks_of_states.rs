//! Portraits, loops and climbs that are hard to draw.

use super::{Chart, basin, hysteresis, odds};
use crate::analysis::Interval;
use crate::experiment::{
    Arrow, Basin, Brink, Coordinate, Hysteresis, Odds, Reach, Splitting, Traverse,
};
use crate::observe::Point;
use crate::time::Span;

pub(super) fn charts() -> Vec<(&'static str, Chart)> {
    [loops(), portraits(), climbs()].concat()
}

/// Portraits with a boundary that meets both axes, one, or none, and runs that leave the frame.
fn portraits() -> Vec<(&'static str, Chart)> {
    let of = |backlog: f64, retries: f64| {
        let tipping = |at: f64| Brink { thresholds: vec![at; 3], most: 30.0 };
        let point = |second: u64| Point { backlog_s: second as f64 / 4.0, retrying: 90 * second };
        let arrow = |nth: u32| Arrow {
            at: (f64::from(nth % 9) / 4.0, f64::from(nth / 9) * 120.0),
            per_second: (f64::from(nth) - 20.0, 300.0 - 10.0 * f64::from(nth)),
            seen: nth,
        };
        Basin {
            tipping: tipping(backlog),
            boundary: vec![(0, tipping(backlog)), (400, tipping(backlog / 2.0))],
            tipping_retries: Some(tipping(retries)),
            reach: Reach { backlog_s: 2.2, retries: 1_100.0 },
            drift: (0..81).map(arrow).collect(),
            trajectory: (0..40).map(point).collect(),
            every: Span::from_millis(250),
            runs: 300,
            interrupted: false,
        }
    };
    let never = f64::INFINITY;
    let says = "It tips somewhere. ".repeat(12);
    vec![
        ("a basin", basin("Basin", &says, &of(1.5, 800.0))),
        ("an open basin", basin("Basin", "short", &of(1.5, never))),
        ("no boundary", basin("Basin", "short", &of(never, never))),
    ]
}

/// Climbs through few and many decades, and one that nobody has finished.
fn climbs() -> Vec<(&'static str, Chart)> {
    let of = |heights: usize, share: f64, per_second: f64| {
        let interval = Interval { low: per_second / 2.0, high: per_second * 1.5 };
        Splitting {
            heights: (1..=heights).map(|nth| nth as f64 * 0.05).collect(),
            flux: 2.0,
            shares: vec![share; heights],
            rates: vec![per_second; 20],
            clones: 60_000,
            too_rare: false,
            interrupted: false,
            odds: Odds { per_second, interval },
        }
    };
    vec![
        ("a climb", odds("Odds", "Once in a blue moon.", &of(6, 0.2, 1e-4))),
        ("a long climb", odds("Odds", "Hardly ever.", &of(40, 0.2, 1e-27))),
        ("an endless climb", odds("Odds", "Never.", &of(3, 0.0, 0.0))),
    ]
}

/// There and back, with and without corners, and with more values than there is room for.
fn loops() -> Vec<(&'static str, Chart)> {
    let of = |count: usize, corners: Option<(usize, usize)>| {
        let traverse = Traverse {
            out: (0..count).map(|place| Some(if place > count / 2 { 0.1 } else { 1.0 })).collect(),
            back: (0..count).map(|place| (place + 1 < count).then_some(0.2)).collect(),
            draining: vec![false; count],
            collapsed: corners.map(|(collapsed, _)| collapsed),
            returned: corners.map(|(_, returned)| returned),
            good_again: corners.map(|(_, returned)| returned),
        };
        let values = (0..count).map(|place| Coordinate {
            label: format!("{place}.25 seconds"),
            number: Some(place as f64 + 0.25),
        });
        Hysteresis {
            values: values.collect(),
            rising: true,
            hold: Span::from_secs(20),
            good: 0.9,
            traverses: vec![traverse],
            runs: 1,
            interrupted: false,
        }
    };
    let says = "It collapses, and it comes back. ".repeat(9);
    vec![
        ("a loop", hysteresis("Loop", "clients.web.load", &says, &of(9, Some((8, 7))))),
        ("a long loop", hysteresis("Loop", "a.b.c", "short", &of(70, Some((60, 0))))),
        ("no loop", hysteresis("None", "a.b.c", "short", &of(2, None))),
    ]
}
