//! The colours of a share, from none to all: the same for a cell and for the bar that explains it.

use super::canvas::{Anchor, Canvas, Lettering};
use super::colour::Colour;
use super::geometry::{Area, Point};
use super::theme;

/// The bar, with a number at both ends.
pub(super) const WIDTH: f64 = 216.0;
const NUMBER: f64 = 16.0;
const HEIGHT: f64 = 14.0;
/// More steps than this are not told apart.
const SMOOTH: u64 = 60;

/// The colour of a share from 0 to 1.
pub(in crate::report) fn colour(share: f64) -> Colour {
    Colour::along(&theme::SHARE, share)
}

/// The bar from `x` on around the height `middle`. `steps` seeds can come to `steps + 1` shares, and
/// no colour between those is ever seen.
pub(super) fn draw(canvas: &mut Canvas<'_>, (x, middle): Point, steps: u64) {
    let steps = steps.clamp(1, SMOOTH);
    let bar = Area {
        left: x + NUMBER,
        top: middle - HEIGHT / 2.0,
        width: WIDTH - 2.0 * NUMBER,
        height: HEIGHT,
    };
    for step in 0..=steps {
        let share = step as f64 / steps as f64;
        // Each reaches to the end and the next covers it: no seams between neighbours.
        let left = bar.left + bar.width * step as f64 / (steps + 1) as f64;
        canvas.fill(Area { left, width: bar.right() - left, ..bar }, colour(share));
    }
    let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Start);
    canvas.text_beside("0", (x, middle), lettering);
    canvas.text_beside("1", (x + WIDTH, middle), Lettering { anchor: Anchor::End, ..lettering });
}
