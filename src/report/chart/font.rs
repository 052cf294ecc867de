//! The one font.
//!
//! Widths are needed to lay text out before anything renders it, and they differ from font to font.
//! So one font is bundled: Inter Regular (SIL Open Font License, `assets/OFL.txt`), cut down with
//! `pyftsubset` to Latin, Greek, Cyrillic and common symbols (`assets/Inter-Regular.otf`). Layout
//! measures with it and PNG is drawn with it, whatever the system has installed.
//!
//! An SVG is rendered elsewhere. It carries a smaller cut of the same font (Latin 1, WOFF2, 18 kB),
//! so that a browser shows the chart as it was laid out. Drawing the letters as outlines would be as
//! faithful, but then nobody could search, select or hear the text. Where an embedded font is
//! refused (some web pages' security policy, some editors), the families named after it step in;
//! they are no wider than Inter, and every label is anchored on the side that faces what it
//! labels, so that it stays in its place.

use std::sync::LazyLock;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

/// What the bundled font is called.
pub(super) const NAME: &str = "Inter";
/// The families in the order in which a renderer tries them.
pub(in crate::report) const FAMILIES: &str =
    "Inter, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif";
/// The bundled font.
pub(super) const BYTES: &[u8] = include_bytes!("../../../assets/Inter-Regular.otf");

/// The cut for SVG files, WOFF2 in base64.
const EMBEDDED: &str = include_str!("../../../assets/Inter-Regular-latin.woff2.base64");

/// The rule that brings the font along in an SVG's style sheet.
pub(in crate::report) fn face() -> String {
    format!(
        "@font-face{{font-family:Inter;src:url(data:font/woff2;base64,{EMBEDDED})format(\"woff2\")}}"
    )
}

/// plotters takes a font's size to be 1.24 em.
pub(super) const SIZE_PER_EM: f64 = 1.24;
/// For measuring it takes it to be the height from ascender to descender: 3408 of 2816 units.
const HEIGHT_PER_EM: f64 = 3408.0 / 2816.0;
/// plotters measures in whole pixels; this many of them for one em leave no error that is seen.
const FINE: f64 = 4096.0;

static MEASURE: LazyLock<FontDesc<'static>> = LazyLock::new(|| {
    assert!(register_font(NAME, FontStyle::Normal, BYTES).is_ok(), "the bundled font is a font");
    FontDesc::new(FontFamily::Name(NAME), FINE * HEIGHT_PER_EM, FontStyle::Normal)
});

/// How wide `text` is at `size` pixels per em.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let (width, _) = MEASURE.box_size(text).expect("the bundled font is registered");
    f64::from(width) / FINE * size
}
