//! What happens over time: small multiples, a panel per run, all on the same scales.

pub(in crate::report) mod extent;
mod panel;
pub(in crate::report) mod watched;

use crate::experiment::Run;
use crate::model::Model;

use super::activity::Reach;
use super::document::Chart;
use super::geometry::Area;
use super::heading::Heading;
use super::theme;
use extent::Extent;
use panel::{Layout, Panel};
use watched::Watched;

/// Up to so many panels stand below each other, wide; more stand in two columns.
const IN_ONE_COLUMN: usize = 3;
const BETWEEN_COLUMNS: f64 = 40.0;
const BETWEEN_ROWS: f64 = 30.0;

/// A panel per run: fresh demand, goodput and attempts above, waiting time against the client's
/// timeout below, the triggers shaded across both.
///
/// All panels share their scales. Rates are per second; waiting is the mean over the attempts
/// started in a window or, where none started, the queue's length over capacity, in seconds.
/// Attempts of more than a few times the demand and waits of more than a few timeouts are drawn
/// along the frame and their greatest value written beside it: what matters is below.
///
/// Where nothing ever waits, in none of the runs, the lower plot shows how many requests are open. The
/// time axis ends early where nothing happens any more, and the subtitle says so.
pub fn timeline(title: &str, runs: &[(&Model, &Run)]) -> Chart {
    let columns = if runs.len() <= IN_ONE_COLUMN { 1 } else { 2 };
    let layout = Layout::new(columns, runs.len());
    let watched: Vec<Watched> = watched::all(runs, layout.stretches());
    let reach = Reach::of(runs);
    let extent = Extent::of(&watched, reach);
    let subtitle = watched::subtitle(runs, &watched, reach);
    let heading = Heading::new(title, &subtitle, panel::keys(&watched, &extent));

    let room = theme::WIDTH - 2.0 * theme::MARGIN;
    let width = (room - BETWEEN_COLUMNS * (columns - 1) as f64) / columns as f64;
    let mut panels = Vec::new();
    let mut top = heading.bottom();
    for row in watched.chunks(columns) {
        let panels_of_row: Vec<Panel> = (0..)
            .zip(row)
            .map(|(column, watched)| {
                let left = theme::MARGIN + f64::from(column) * (width + BETWEEN_COLUMNS);
                let area = Area { left, top, width, height: layout.height() };
                Panel::new(watched, &extent, layout, area)
            })
            .collect();
        let above = panels_of_row.iter().map(Panel::above).fold(0.0, f64::max);
        panels.extend(panels_of_row.into_iter().map(|panel| panel.lowered(above)));
        top += above + layout.height() + BETWEEN_ROWS;
    }
    let bottom = top - BETWEEN_ROWS + theme::MARGIN;
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        for panel in &panels {
            panel.draw(canvas, &extent);
        }
    })
}
