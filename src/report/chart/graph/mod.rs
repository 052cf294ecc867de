//! Who calls whom, and how many attempts that becomes: a panel per run, boxes with lines between them.

mod labels;
mod panel;
mod plan;

use crate::experiment::Run;
use crate::model::Model;
use crate::observe::EdgeTotal;

use super::document::Chart;
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::theme;
use panel::{Panel, scale_of};

const BETWEEN_COLUMNS: f64 = 40.0;
const BETWEEN_ROWS: f64 = 40.0;

/// A panel per run: clients at the top, services beneath whoever calls them, and lines between them whose
/// width follows the attempts sent over the whole run, on one scale in all panels.
///
/// Of more calls than a picture can hold those nearest to the clients are shown. None if there is nothing to
/// see that the timeline does not show: no run in which a service calls another.
pub fn graph(title: &str, runs: &[(&Model, &Run)]) -> Option<Chart> {
    if !runs.iter().any(|(model, _)| model.is_graph()) {
        return None;
    }
    let edges: Vec<Vec<EdgeTotal>> = runs.iter().map(|(_, run)| run.recording.edges()).collect();
    let plans: Vec<plan::Plan> = runs.iter().map(|(model, _)| plan::Plan::of(model)).collect();
    let widest = plans.iter().flat_map(|plan| &plan.rows).map(Vec::len).max().unwrap_or(1);
    let columns = match widest {
        0 | 1 => 3,
        2 | 3 => 2,
        _ => 1,
    };
    let columns = columns.min(runs.len());
    let room = theme::WIDTH - 2.0 * theme::MARGIN;
    let width = (room - BETWEEN_COLUMNS * (columns - 1) as f64) / columns as f64;
    let heading = Heading::new(title, &subtitle(runs), keys());
    let scale = scale_of(&plans, &edges, width);

    let mut panels: Vec<Panel> = Vec::new();
    let mut left = theme::MARGIN;
    let mut top = heading.bottom();
    for (nth, ((pair, plan), edges)) in runs.iter().zip(&plans).zip(&edges).enumerate() {
        if nth > 0 && nth % columns == 0 {
            let row = &panels[nth - columns..];
            top = row.iter().map(Panel::bottom).fold(0.0, f64::max) + BETWEEN_ROWS;
            left = theme::MARGIN;
        }
        panels.push(Panel::new(*pair, plan, edges, scale, (left, top), width));
        left += width + BETWEEN_COLUMNS;
    }
    let bottom = panels.iter().map(Panel::bottom).fold(0.0, f64::max) + theme::MARGIN;
    let chart = Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        for panel in &panels {
            panel.draw(canvas);
        }
    });
    Some(chart.leaving_out(plans.iter().find_map(plan::Plan::left_out)))
}

fn subtitle(runs: &[(&Model, &Run)]) -> String {
    let seed = match runs {
        [(_, first), others @ ..] if others.iter().all(|(_, run)| run.seed == first.seed) => {
            format!(", seed {}", first.seed)
        }
        _ => String::new(),
    };
    format!(
        "Who calls whom, over the whole run{seed}. × 3: three attempts for each call; beneath it, attempts \
         for each fresh request at the top"
    )
}

fn keys() -> Vec<Key> {
    vec![
        Key::new(Mark::Box(theme::GOODPUT), "first attempts"),
        Key::new(Mark::Box(theme::ATTEMPTS), "retries and hedges"),
        Key::new(
            Mark::Dashes(super::canvas::Stroke(theme::AXIS, theme::MEDIUM)),
            "nothing was sent",
        ),
    ]
}
