//! What the marks of a chart mean: a row of keys above the data, never over it.

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::colour::Colour;
use super::geometry::{Area, Point};
use super::{font, marker, ramp, theme};

/// One kind of mark and its meaning.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    pub mark: Mark,
    pub meaning: String,
}

/// What a key shows beside its meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mark {
    Line(Stroke),
    Dashes(Stroke),
    /// A line with the area beneath it.
    Filled(Stroke, Colour),
    /// A plain colour.
    Box(Colour),
    /// The instant from which all is well.
    Back,
    /// The same on the line it belongs to.
    Ring,
    /// A line in a white casing, as it is drawn over cells.
    Cased(Stroke),
    /// A dot within its interval.
    DotInInterval(Colour),
    /// Every colour of a share, in so many steps from none to all.
    Ramp(u64),
}

impl Key {
    pub(super) fn new(mark: Mark, meaning: impl Into<String>) -> Self {
        Self { mark, meaning: meaning.into() }
    }

    fn width(&self) -> f64 {
        self.mark.width() + GAP + font::width(&self.meaning, theme::TEXT)
    }
}

const SWATCH: f64 = 26.0;
const GAP: f64 = 8.0;
const BETWEEN: f64 = 28.0;
const ROW: f64 = 24.0;

/// A row of keys, broken into several where it must be.
#[derive(Clone, Debug)]
pub(super) struct Legend {
    rows: Vec<Vec<Key>>,
}

impl Legend {
    pub(super) fn new(keys: Vec<Key>, room: f64) -> Self {
        let mut rows: Vec<Vec<Key>> = Vec::new();
        let mut used = 0.0;
        for mut key in keys {
            key.meaning =
                super::text::fit(&key.meaning, theme::TEXT, room - key.mark.width() - GAP);
            let width = key.width();
            match rows.last_mut() {
                Some(row) if used + BETWEEN + width <= room => {
                    used += BETWEEN + width;
                    row.push(key);
                }
                Some(_) | None => {
                    used = width;
                    rows.push(vec![key]);
                }
            }
        }
        Self { rows }
    }

    pub(super) fn height(&self) -> f64 {
        ROW * self.rows.len() as f64
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, (left, top): Point) {
        let mut middle = top + ROW / 2.0;
        for row in &self.rows {
            let mut x = left;
            for key in row {
                key.mark.draw(canvas, (x, middle));
                let lettering = Lettering::new(theme::TEXT, theme::MUTED, Anchor::Start);
                canvas.text_beside(&key.meaning, (x + key.mark.width() + GAP, middle), lettering);
                x += key.width() + BETWEEN;
            }
            middle += ROW;
        }
    }
}

impl Mark {
    fn width(self) -> f64 {
        match self {
            Self::Ramp(_) => ramp::WIDTH,
            Self::Line(_)
            | Self::Dashes(_)
            | Self::Filled(..)
            | Self::Box(_)
            | Self::Back
            | Self::Ring
            | Self::Cased(_)
            | Self::DotInInterval(_) => SWATCH,
        }
    }

    /// From `x` on, as wide as it is, around the height `middle`.
    fn draw(self, canvas: &mut Canvas<'_>, (x, middle): Point) {
        let swatch = Area { left: x, top: middle - 7.0, width: SWATCH, height: 14.0 };
        let ends = [(x, middle), (x + SWATCH, middle)];
        match self {
            Self::Line(stroke) => canvas.line(&ends, stroke),
            Self::Dashes(stroke) => canvas.dashes(ends[0], ends[1], stroke),
            Self::Filled(stroke, fill) => {
                canvas.fill(swatch, fill);
                canvas.line(&[(x, swatch.top), (x + SWATCH, swatch.top)], stroke);
            }
            Self::Box(colour) => canvas.fill(swatch, colour),
            Self::Back => {
                marker::back(canvas, (x + SWATCH / 2.0, middle - marker::BACK_HEIGHT / 2.0));
            }
            Self::Ring => marker::ring(canvas, (x + SWATCH / 2.0, middle), theme::MUTED),
            Self::Ramp(steps) => ramp::draw(canvas, (x, middle), steps),
            Self::Cased(stroke) => marker::cased(canvas, &ends, stroke),
            Self::DotInInterval(colour) => {
                let interval = [middle - 11.0, middle + 11.0];
                marker::dot_in_interval(canvas, (x + SWATCH / 2.0, middle), interval, colour);
            }
        }
    }
}
