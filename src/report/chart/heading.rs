//! The top of a chart: what a reader should see, what is shown, and what the marks mean.

use super::canvas::{Anchor, Canvas, Lettering};
use super::legend::{Key, Legend};
use super::{text, theme};

const TITLE_LINE: f64 = 34.0;
const SUBTITLE_LINE: f64 = 21.0;
const BELOW_TEXT: f64 = 10.0;
const BELOW: f64 = 14.0;
const ROOM: f64 = theme::WIDTH - 2.0 * theme::MARGIN;

/// Title, subtitle and legend, laid out.
#[derive(Clone, Debug)]
pub(super) struct Heading {
    title: Vec<String>,
    subtitle: Vec<String>,
    legend: Legend,
}

impl Heading {
    pub(super) fn new(title: &str, subtitle: &str, keys: Vec<Key>) -> Self {
        Self {
            title: text::wrap(title, theme::TITLE, ROOM, 3),
            subtitle: text::wrap(subtitle, theme::TEXT, ROOM, 3),
            legend: Legend::new(keys, ROOM),
        }
    }

    /// Where what is below it begins.
    pub(super) fn bottom(&self) -> f64 {
        self.legend_top() + self.legend.height() + BELOW
    }

    fn legend_top(&self) -> f64 {
        let title = TITLE_LINE * self.title.len() as f64;
        let subtitle = SUBTITLE_LINE * self.subtitle.len() as f64;
        theme::MARGIN - 8.0 + title + subtitle + BELOW_TEXT
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        let mut bottom = theme::MARGIN - 8.0;
        for line in &self.title {
            bottom += TITLE_LINE;
            let lettering = Lettering::new(theme::TITLE, theme::INK, Anchor::Start);
            canvas.text(line, (theme::MARGIN, bottom - 8.0), lettering);
        }
        for line in &self.subtitle {
            bottom += SUBTITLE_LINE;
            let lettering = Lettering::new(theme::TEXT, theme::MUTED, Anchor::Start);
            canvas.text(line, (theme::MARGIN, bottom - 4.0), lettering);
        }
        self.legend.draw(canvas, (theme::MARGIN, self.legend_top()));
    }
}
