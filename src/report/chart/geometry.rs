//! Places on a chart, in pixels from its upper left corner.

/// A point: right, then down.
pub(super) type Point = (f64, f64);

/// An upright rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub(super) fn right(self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(self) -> f64 {
        self.top + self.height
    }

    pub(super) fn middle(self) -> Point {
        (self.left + self.width / 2.0, self.top + self.height / 2.0)
    }
}
