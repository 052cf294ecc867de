//! Which charts there are of a story, and what their files are named.

use std::path::Path;

use metastable::experiment::{CellOutcome, Run, Subject};
use metastable::model::Model;
use metastable::report::chart::{self, Chart};
use metastable::report::table::{AdviceDocument, FrontierDocument, TipDocument};

use super::failure::Failure;
use super::output::Files;

/// `STEM-timeline` with a panel per variant, `STEM-overlay` where there are several, `STEM-graph` where
/// services call each other, and `STEM-services` with the services of the first variant.
pub(super) fn of_runs(
    files: &mut Files,
    folder: &Path,
    stem: &str,
    title: &str,
    subjects: &[Subject<'_>],
    runs: &[Run],
) -> Result<(), Failure> {
    let runs: Vec<(&Model, &Run)> =
        subjects.iter().map(|subject| subject.model).zip(runs).collect();
    add(files, folder, &format!("{stem}-timeline"), &chart::timeline(title, &runs))?;
    if runs.len() > 1 {
        add(files, folder, &format!("{stem}-overlay"), &chart::overlay(title, &runs))?;
    }
    if let Some(graph) = chart::graph(title, &runs) {
        add(files, folder, &format!("{stem}-graph"), &graph)?;
    }
    if let Some(services) = runs.first().and_then(|first| chart::services(title, *first)) {
        add(files, folder, &format!("{stem}-services"), &services)?;
    }
    Ok(())
}

/// `STEM-heat-map`.
pub(super) fn of_sweep(
    files: &mut Files,
    folder: &Path,
    stem: &str,
    title: &str,
    axes: &[String],
    cells: &[CellOutcome],
) -> Result<(), Failure> {
    add(files, folder, &format!("{stem}-heat-map"), &chart::heat_map(title, axes, cells))
}

/// `STEM-tip`.
pub(super) fn of_tip(
    files: &mut Files,
    folder: &Path,
    stem: &str,
    tip: &TipDocument<'_>,
) -> Result<(), Failure> {
    add(
        files,
        folder,
        &format!("{stem}-tip"),
        &chart::tip(tip.title, tip.axis, tip.is_length, tip.found),
    )
}

/// `STEM-frontier`.
pub(super) fn of_frontier(
    files: &mut Files,
    folder: &Path,
    stem: &str,
    document: &FrontierDocument<'_>,
) -> Result<(), Failure> {
    add(files, folder, &format!("{stem}-frontier"), &chart::frontier(document))
}

/// `STEM-advice`.
pub(super) fn of_advice(
    files: &mut Files,
    folder: &Path,
    stem: &str,
    document: &AdviceDocument<'_>,
) -> Result<(), Failure> {
    add(files, folder, &format!("{stem}-advice"), &chart::advice(document))
}

fn add(files: &mut Files, folder: &Path, name: &str, chart: &Chart) -> Result<(), Failure> {
    let png = chart.png().map_err(anyhow::Error::from)?;
    files.add(folder, format!("{name}.svg"), chart.svg().as_bytes().to_vec());
    files.add(folder, format!("{name}.png"), png);
    Ok(())
}
