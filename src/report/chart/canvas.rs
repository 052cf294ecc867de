//! What charts draw on: a few marks over plotters' SVG backend.
//!
//! plotters' own charts are not used: their axes, legends and margins cannot hold small multiples
//! with a shared scale, text that is fitted to its room, or labels beside the lines they name. Its
//! backend draws in whole units, so a unit is made a tenth of a pixel: lines of thousands of points
//! stay smooth on a wall.

use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform, ShapeStyle, TextStyle};

use super::colour::Colour;
use super::font;
use super::geometry::{Area, Point};
use super::text::printable;
use super::theme;

/// Units in a pixel.
pub(super) const UNITS: f64 = 10.0;
/// Where plotters puts the baseline of text anchored at its top, in em below the anchor. Of its
/// three vertical anchors it is the only one that does not depend on the font that is found.
const BASELINE: f64 = 0.76;
/// A line drops below its neighbours' by this much of its size to look centred on a height: half of
/// Inter's x-height and capitals, between.
const CENTRE: f64 = 0.35;
/// Why drawing has no error to report.
const TO_MEMORY: &str = "drawing into memory cannot fail";

pub(super) struct Canvas<'a> {
    backend: SVGBackend<'a>,
}

/// A line's colour and width in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stroke(pub Colour, pub f64);

/// How text looks and which of its sides stands on its point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lettering {
    pub size: f64,
    pub colour: Colour,
    pub anchor: Anchor,
}

/// Which part of a text stands on its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Lettering {
    pub(super) const fn new(size: f64, colour: Colour, anchor: Anchor) -> Self {
        Self { size, colour, anchor }
    }
}

impl<'a> Canvas<'a> {
    /// An empty white canvas whose document is written to `svg`.
    pub(super) fn new(svg: &'a mut String, width: f64, height: f64) -> Self {
        let size = ((width * UNITS).round() as u32, (height * UNITS).round() as u32);
        let mut canvas = Self { backend: SVGBackend::with_string(svg, size) };
        canvas.fill(Area { left: 0.0, top: 0.0, width, height }, theme::PAPER);
        canvas
    }

    /// Closes the document.
    pub(super) fn finish(mut self) {
        self.backend.present().expect(TO_MEMORY);
    }

    pub(super) fn fill(&mut self, area: Area, colour: Colour) {
        let style = ShapeStyle { color: colour.opaque(), filled: true, stroke_width: 0 };
        let (from, to) = (unit((area.left, area.top)), unit((area.right(), area.bottom())));
        self.backend.draw_rect(from, to, &style, true).expect(TO_MEMORY);
    }

    pub(super) fn polygon(&mut self, corners: &[Point], colour: Colour) {
        let style = ShapeStyle { color: colour.opaque(), filled: true, stroke_width: 0 };
        self.backend.fill_polygon(corners.iter().copied().map(unit), &style).expect(TO_MEMORY);
    }

    pub(super) fn line(&mut self, points: &[Point], Stroke(colour, width): Stroke) {
        let stroke_width = (width * UNITS).round() as u32;
        let style = ShapeStyle { color: colour.opaque(), filled: false, stroke_width };
        self.backend.draw_path(points.iter().copied().map(unit), &style).expect(TO_MEMORY);
    }

    pub(super) fn lines(&mut self, lines: &[Vec<Point>], stroke: Stroke) {
        for line in lines {
            self.line(line, stroke);
        }
    }

    /// A dashed straight line, in the dashes of everything that is a limit.
    pub(super) fn dashes(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.patterned(&[from, to], stroke, &theme::DASH);
    }

    /// A line in dashes and gaps of the lengths of `pattern` by turns; unbroken if it is empty. The
    /// backend knows no dashes, so each is a line of its own. They go on around corners.
    pub(super) fn patterned(&mut self, points: &[Point], stroke: Stroke, pattern: &[f64]) {
        if pattern.is_empty() {
            return self.line(points, stroke);
        }
        for dash in dashes(points, pattern) {
            self.line(&dash, stroke);
        }
    }

    pub(super) fn dot(&mut self, centre: Point, radius: f64, colour: Colour) {
        let style = ShapeStyle { color: colour.opaque(), filled: true, stroke_width: 0 };
        let radius = (radius * UNITS).round() as u32;
        self.backend.draw_circle(unit(centre), radius, &style, true).expect(TO_MEMORY);
    }

    /// Text whose baseline passes through `at`.
    pub(super) fn text(&mut self, text: &str, at: Point, lettering: Lettering) {
        let top = (at.0, at.1 - BASELINE * lettering.size);
        self.letters(text, top, lettering, FontTransform::None);
    }

    /// Text whose middle height is at `at`.
    pub(super) fn text_beside(&mut self, text: &str, at: Point, lettering: Lettering) {
        self.text(text, (at.0, at.1 + CENTRE * lettering.size), lettering);
    }

    /// Text that reads upwards, its baseline to the right of the letters through `at`.
    pub(super) fn text_upwards(&mut self, text: &str, at: Point, lettering: Lettering) {
        let top = (at.0 - BASELINE * lettering.size, at.1);
        self.letters(text, top, lettering, FontTransform::Rotate270);
    }

    fn letters(&mut self, text: &str, top: Point, lettering: Lettering, transform: FontTransform) {
        let text = printable(text);
        if text.trim().is_empty() {
            return;
        }
        let horizontal = match lettering.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let size = lettering.size * UNITS * font::SIZE_PER_EM;
        let colour = lettering.colour.opaque();
        let style =
            TextStyle::from(FontDesc::new(FontFamily::Name(font::NAME), size, FontStyle::Normal))
                .color(&colour)
                .pos(Pos::new(horizontal, VPos::Top))
                .transform(transform);
        self.backend.draw_text(&text, &style, unit(top)).expect(TO_MEMORY);
    }
}

/// The dashes along the line through `points`.
fn dashes(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let mut dashes = Vec::new();
    let mut lengths = pattern.iter().copied().cycle();
    let mut left = lengths.next().unwrap_or(f64::INFINITY);
    let mut dash: Option<Vec<Point>> = points.first().map(|first| vec![*first]);
    for ends in points.windows(2) {
        let [from, to] = [ends[0], ends[1]];
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt();
        let mut done = 0.0;
        while length - done > left {
            done += left;
            left = lengths.next().unwrap_or(f64::INFINITY);
            let at = (from.0 + dx * done / length, from.1 + dy * done / length);
            dash = match dash {
                Some(mut dash) => {
                    dash.push(at);
                    dashes.push(dash);
                    None
                }
                None => Some(vec![at]),
            };
        }
        left -= length - done;
        if let Some(dash) = &mut dash {
            dash.push(to);
        }
    }
    dashes.extend(dash.filter(|dash| dash.len() > 1));
    dashes
}

fn unit((x, y): Point) -> (i32, i32) {
    ((x * UNITS).round() as i32, (y * UNITS).round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_on_around_corners_and_end_with_the_line() {
        let line = [(0.0, 0.0), (10.0, 0.0), (10.0, 20.0)];
        let found = dashes(&line, &[8.0, 4.0, 1.0, 4.0]);
        let expected: [&[Point]; 4] = [
            &[(0.0, 0.0), (8.0, 0.0)],
            &[(10.0, 2.0), (10.0, 3.0)],
            &[(10.0, 7.0), (10.0, 15.0)],
            &[(10.0, 19.0), (10.0, 20.0)],
        ];
        assert_eq!(found, expected);
        assert_eq!(dashes(&line, &[12.0, 4.0])[0], [(0.0, 0.0), (10.0, 0.0), (10.0, 2.0)]);
        assert!(dashes(&[], &[8.0, 4.0]).is_empty() && dashes(&line[..1], &[8.0, 4.0]).is_empty());
    }
}
