//! How charts look: every colour, size and stroke, in one place. Lengths are pixels of a chart
//! [`WIDTH`] pixels wide.
//!
//! Colours of series are those of Okabe and Ito ("Color Universal Design", 2008), which the common
//! kinds of colour blindness keep apart; no series is told by its colour alone, but also by its
//! weight, its fill or its dashes.

use super::colour::Colour;

/// How wide every chart is.
pub(super) const WIDTH: f64 = 1200.0;
/// White space around a chart.
pub(super) const MARGIN: f64 = 36.0;

pub(in crate::report) const PAPER: Colour = Colour(0xFF, 0xFF, 0xFF);
/// Titles and headings.
pub(in crate::report) const INK: Colour = Colour(0x1A, 0x1F, 0x26);
/// Everything else that is read.
pub(in crate::report) const MUTED: Colour = Colour(0x55, 0x5E, 0x68);
/// Axis lines and tick marks.
pub(in crate::report) const AXIS: Colour = Colour(0x8B, 0x94, 0x9E);
/// Grid lines: seen when looked for.
pub(in crate::report) const GRID: Colour = Colour(0xE7, 0xEA, 0xED);

/// Okabe and Ito's colours that can be told apart as lines on white, strongest first. Their yellow
/// is left out: on a white wall it is not there.
pub(in crate::report) const SERIES: [Colour; 7] = [
    Colour(0x00, 0x72, 0xB2),
    Colour(0xD5, 0x5E, 0x00),
    Colour(0x00, 0x9E, 0x73),
    Colour(0xCC, 0x79, 0xA7),
    Colour(0x56, 0xB4, 0xE9),
    Colour(0xE6, 0x9F, 0x00),
    Colour(0x1A, 0x1F, 0x26),
];
pub(in crate::report) const GOODPUT: Colour = Colour(0x00, 0x72, 0xB2);
pub(in crate::report) const GOODPUT_FILL: Colour = Colour(0xBF, 0xDC, 0xEC);
/// Between the least and the greatest window of a stretch; seen on the fill and beside it.
pub(in crate::report) const GOODPUT_BAND: Colour = Colour(0x86, 0xBD, 0xDD);
pub(in crate::report) const DEMAND: Colour = INK;
pub(in crate::report) const ATTEMPTS: Colour = Colour(0xD5, 0x5E, 0x00);
pub(in crate::report) const LIMIT: Colour = MUTED;
pub(in crate::report) const WAITING: Colour = Colour(0xA3, 0x4F, 0x7E);
pub(in crate::report) const WAITING_FILL: Colour = Colour(0xF0, 0xDC, 0xE7);
/// The shade over the time in which a trigger acts, and its name above.
pub(in crate::report) const TRIGGER: Colour = Colour(0xF6, 0xEA, 0xCB);
pub(in crate::report) const TRIGGER_INK: Colour = Colour(0x7A, 0x5A, 0x10);
/// The same of what an operator does.
pub(in crate::report) const LEVER: Colour = Colour(0xD6, 0xEC, 0xE4);
pub(in crate::report) const LEVER_INK: Colour = Colour(0x0B, 0x5F, 0x49);
/// The boxes of services in a graph.
pub(in crate::report) const BOX: Colour = Colour(0xF4, 0xF6, 0xF8);
/// Well at the end, and not.
pub(in crate::report) const WELL: Colour = Colour(0x00, 0x7A, 0x59);
pub(in crate::report) const UNWELL: Colour = Colour(0xB8, 0x4A, 0x00);

/// From "no seed recovers" through even odds to "every seed recovers".
pub(in crate::report) const SHARE: [Colour; 5] = [
    Colour(0xDF, 0x7B, 0x45),
    Colour(0xF1, 0xB9, 0x93),
    Colour(0xF7, 0xF4, 0xEE),
    Colour(0xAE, 0xD3, 0xE8),
    Colour(0x5B, 0xA3, 0xD0),
];
/// A place of the grid that was not run.
pub(in crate::report) const NOTHING: Colour = Colour(0xF1, 0xF3, 0xF5);

pub(super) const TITLE: f64 = 27.0;
pub(super) const HEADING: f64 = 19.0;
pub(super) const TEXT: f64 = 15.0;
/// Tick labels and names of axes.
pub(super) const SMALL: f64 = 14.0;
/// Dotted paths below a name in plain words.
pub(super) const PATH: f64 = 12.5;

/// Lines that carry the message, lines that support it, and lines behind both.
pub(super) const STRONG: f64 = 2.4;
pub(super) const MEDIUM: f64 = 1.7;
pub(super) const THIN: f64 = 1.1;
/// The tipping line: the boldest there is.
pub(super) const TIPPING: f64 = 3.6;
/// Length of a dash and of the gap after it.
pub(super) const DASH: [f64; 2] = [7.0, 5.0];
/// How series are drawn that share a colour: the first unbroken, the others in dashes and gaps, by
/// turns. Each pattern shows itself whole within [`TICK`].
pub(in crate::report) const PATTERNS: [&[f64]; 4] =
    [&[], &[7.0, 3.5], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];
/// Length of the stroke beside a label that repeats its line.
pub(super) const TICK: f64 = 22.0;
