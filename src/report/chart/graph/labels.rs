//! Labels beside lines, where they cover nothing.

use crate::report::chart::geometry::{Area, Point};

/// A line that is drawn, with its width.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub points: Vec<Point>,
    pub width: f64,
}

/// How far along a line a label is tried, from its beginning to its end.
const TRIED: [f64; 17] =
    [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8, 0.15, 0.85, 0.1, 0.9];
/// How much further off it is tried where there is no room beside the line.
const FURTHER: [f64; 3] = [0.0, 10.0, 24.0];
/// Between a line and its label.
const OFF: f64 = 7.0;
/// Lines that lean more than this are as good as level.
const STEEPEST: f64 = 4.0;
/// No label is nearer to another, or to a box.
const APART: f64 = 4.0;
/// A line is looked at this often for whether it passes a label.
const LOOKS: usize = 48;

/// A place for a label of this size beside each wire, in their order: free of `boxes`, of each other, and
/// where it can be of other wires; none where everything is taken. All stay between `left` and `right`.
pub(super) fn beside(
    wires: &[Wire],
    sizes: &[(f64, f64)],
    boxes: &[Area],
    [left, right]: [f64; 2],
) -> Vec<Option<Area>> {
    let mut places: Vec<Option<Area>> = Vec::new();
    for (nth, (wire, &(width, height))) in wires.iter().zip(sizes).enumerate() {
        let tried = FURTHER.iter().flat_map(|&off| TRIED.iter().map(move |&share| (share, off)));
        let candidates = tried.flat_map(|(share, off)| {
            let (x, y) = along(&wire.points, share);
            // Beside a line that leans, it is the label's nearer corner that has to keep off.
            let (across, down) = direction(&wire.points, share);
            let lean = if down > 0.0 { (across / down).abs().min(STEEPEST) } else { STEEPEST };
            let away =
                OFF + off + wire.width / 2.0 * (1.0 + lean * lean).sqrt() + height / 2.0 * lean;
            [x + away, x - away - width].map(|left| Area {
                left,
                top: y - height / 2.0,
                width,
                height,
            })
        });
        let free: Vec<Area> = candidates
            .filter(|area| area.left >= left && area.right() <= right)
            .filter(|area| {
                let others = places.iter().flatten().chain(boxes);
                !others.into_iter().any(|other| touch(*area, *other))
            })
            .collect();
        let crosses = |area: &Area| {
            let mut others = wires.iter().enumerate().filter(|(other, _)| *other != nth);
            others.any(|(_, other)| passes(other, *area)) || passes(wire, *area)
        };
        places.push(free.iter().find(|area| !crosses(area)).or_else(|| free.first()).copied());
    }
    places
}

/// The point at this share of the way.
fn along(points: &[Point], share: f64) -> Point {
    let (from, to, part) = leg(points, share);
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
}

/// Where the line leads there: how far across while so far down.
fn direction(points: &[Point], share: f64) -> Point {
    let (from, to, _) = leg(points, share);
    (to.0 - from.0, to.1 - from.1)
}

/// The leg in which this share of the way is over, and which part of it is behind.
fn leg(points: &[Point], share: f64) -> (Point, Point, f64) {
    // A square root is the same everywhere, and `hypot` is not.
    let length = |pair: &[Point]| {
        let (across, down) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        (across * across + down * down).sqrt()
    };
    let mut left = share * points.windows(2).map(length).sum::<f64>();
    for pair in points.windows(2) {
        let this = length(pair);
        if left <= this && this > 0.0 {
            return (pair[0], pair[1], left / this);
        }
        left -= this;
    }
    let last = points.last().copied().unwrap_or_default();
    (points.iter().rev().nth(1).copied().unwrap_or(last), last, 1.0)
}

fn touch(a: Area, b: Area) -> bool {
    a.left < b.right() + APART
        && b.left < a.right() + APART
        && a.top < b.bottom() + APART
        && b.top < a.bottom() + APART
}

/// Whether the wire goes through the area, or within its own width of it.
fn passes(wire: &Wire, area: Area) -> bool {
    let off = wire.width / 2.0 + 2.0;
    (0..=LOOKS).any(|look| {
        let (x, y) = along(&wire.points, look as f64 / LOOKS as f64);
        x > area.left - off
            && x < area.right() + off
            && y > area.top - off
            && y < area.bottom() + off
    })
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    fn wire(points: &[Point]) -> Wire {
        Wire { points: points.to_vec(), width: 2.0 }
    }

    #[test]
    fn a_label_stands_beside_its_line_and_off_everything_else() {
        let upright = wire(&[(100.0, 0.0), (100.0, 100.0)]);
        let near = wire(&[(130.0, 0.0), (130.0, 100.0)]);
        let sizes = [(40.0, 20.0); 2];
        let lone = beside(from_ref(&upright), &sizes, &[], [0.0, 300.0]);
        assert_eq!(lone, [Some(Area { left: 108.0, top: 40.0, width: 40.0, height: 20.0 })]);
        // To its right the other line passes.
        let two = beside(&[upright.clone(), near], &sizes, &[], [0.0, 300.0]);
        assert_eq!(two.iter().map(|area| area.unwrap().left).collect::<Vec<_>>(), [52.0, 138.0]);
        // A box over the right half, and a wall to the left.
        let over = Area { left: 104.0, top: 0.0, width: 50.0, height: 70.0 };
        let moved = beside(from_ref(&upright), &sizes, &[over], [90.0, 300.0]);
        assert_eq!(moved[0].map(|area| area.top), Some(75.0));
        // One all along it is passed by, on the side where there is room.
        let strip = Area { left: 90.0, top: 0.0, width: 20.0, height: 100.0 };
        let off = beside(from_ref(&upright), &sizes, &[strip], [0.0, 130.0]);
        assert_eq!(off[0].map(|area| (area.left, area.top)), Some((42.0, 40.0)));
        let none = beside(&[upright], &sizes, &[], [90.0, 120.0]);
        assert_eq!(none, [None]);
    }
}
