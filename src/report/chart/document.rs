//! A finished chart as a file: SVG, and PNG made of the same SVG.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, fontdb};
use thiserror::Error;

use super::canvas::{Canvas, UNITS};
use super::text::printable;
use super::{font, theme};

/// Pixels of a PNG per pixel of its SVG: sharp on a dense screen and on a wall.
const SCALE: f32 = 2.0;

/// A finished chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    svg: String,
    left_out: Option<String>,
}

/// Why an SVG could not be made a PNG.
#[derive(Debug, Error)]
pub enum PngError {
    /// The SVG is not one that can be rendered.
    #[error("cannot read the chart's SVG: {0}")]
    Svg(#[from] usvg::Error),
    /// The picture has no pixels, or more than memory can hold.
    #[error("a picture of {width} x {height} pixels cannot be made")]
    Size {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
    /// The pixels could not be written as PNG.
    #[error("cannot write the chart as PNG: {0}")]
    Encoding(String),
}

impl Chart {
    /// The chart that `draw` draws, `height` pixels high and as wide as every chart. `title` is what
    /// is read to those who cannot see it.
    pub(super) fn draw(title: &str, height: f64, draw: impl FnOnce(&mut Canvas<'_>)) -> Self {
        let mut svg = String::new();
        let mut canvas = Canvas::new(&mut svg, theme::WIDTH, height);
        draw(&mut canvas);
        canvas.finish();
        Self { svg: with_root(&svg, title, height), left_out: None }
    }

    /// The same chart, of which it is known what it does not show.
    pub(super) fn leaving_out(self, left_out: Option<String>) -> Self {
        Self { left_out, ..self }
    }

    /// What the chart has no room for, in a sentence; none if it shows everything.
    pub fn left_out(&self) -> Option<&str> {
        self.left_out.as_deref()
    }

    /// The chart as an SVG document.
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// The same chart as a PNG, twice as many pixels wide and high.
    ///
    /// # Errors
    /// The chart is too large for a picture. Nothing on the system is asked for: neither fonts nor
    /// files.
    pub fn png(&self) -> Result<Vec<u8>, PngError> {
        let tree = usvg::Tree::from_str(&self.svg, &options())?;
        let size = tree.size().to_int_size().scale_by(SCALE);
        let (width, height) = size.map_or((0, 0), |size| (size.width(), size.height()));
        let mut pixels = Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
    }
}

/// How an SVG is read for rendering: with the bundled font and no other.
pub(super) fn options() -> usvg::Options<'static> {
    static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(font::BYTES)));
        Arc::new(fonts)
    });
    usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() }
}

/// The document with a root of our own: plotters knows neither a size apart from the coordinates,
/// nor style sheets, nor a title. What it repeats at every mark is said once, at the root; a quote
/// within a text is written as an entity, so only attributes are met.
fn with_root(svg: &str, title: &str, height: f64) -> String {
    let (_, body) = svg.split_once(">\n").expect("plotters begins with a root element");
    let body =
        body.replace(&format!(" font-family=\"{}\"", font::NAME), "").replace(" opacity=\"1\"", "");
    let title = escaped(&printable(title));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {across:.0} {down:.0}\" stroke-linejoin=\"round\" font-family=\"{families}\" \
         role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<style>{face}</style>\n{body}",
        width = theme::WIDTH,
        across = theme::WIDTH * UNITS,
        down = height * UNITS,
        families = font::FAMILIES,
        face = font::face(),
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
