//! Which charts there are of a story, and what their files are named.

use std::path::Path;

use metastable::experiment::{Answer, CellOutcome, Run, Subject};
use metastable::model::Model;
use metastable::report::chart::{self, Chart};
use metastable::report::table::{
    AdviceDocument, BasinDocument, FrontierDocument, HysteresisDocument, OddsDocument, TipDocument,
};

use super::failure::Failure;
use super::output::Files;

/// `STEM-timeline` with a panel per variant, `STEM-overlay` where there are several, `STEM-latency` where
/// anything is answered; and where services call each other `STEM-graph`, `STEM-amplification`, and
/// `STEM-services` with the services of the first variant.
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
    if let Some(latency) = chart::latency(title, &runs) {
        add(files, folder, &format!("{stem}-latency"), &latency)?;
    }
    if let Some(amplification) = chart::amplification(title, &runs) {
        add(files, folder, &format!("{stem}-amplification"), &amplification)?;
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

/// `STEM-odds`, where the climb was split.
pub(super) fn of_odds(
    files: &mut Files,
    folder: &Path,
    stem: &str,
    document: &OddsDocument<'_>,
) -> Result<(), Failure> {
    match document.found {
        Answer::Splitting(found) => {
            let chart = chart::odds(document.title, &document.sentence(), found);
            add(files, folder, &format!("{stem}-odds"), &chart)
        }
        Answer::Plain(_) => Ok(()),
    }
}

/// `STEM-basin`.
pub(super) fn of_basin(
    files: &mut Files,
    folder: &Path,
    stem: &str,
    document: &BasinDocument<'_>,
) -> Result<(), Failure> {
    let chart = chart::basin(document.title, &document.sentence(), document.found);
    add(files, folder, &format!("{stem}-basin"), &chart)
}

/// `STEM-hysteresis`.
pub(super) fn of_hysteresis(
    files: &mut Files,
    folder: &Path,
    stem: &str,
    document: &HysteresisDocument<'_>,
) -> Result<(), Failure> {
    let HysteresisDocument { title, axis, found, .. } = document;
    let chart = chart::hysteresis(title, axis, &document.sentence(), found);
    add(files, folder, &format!("{stem}-hysteresis"), &chart)
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

/// `STEM-advice`, and `STEM-operator` where an operator's means were tried.
pub(super) fn of_advice(
    files: &mut Files,
    folder: &Path,
    stem: &str,
    document: &AdviceDocument<'_>,
) -> Result<(), Failure> {
    add(files, folder, &format!("{stem}-advice"), &chart::advice(document))?;
    if document.ways_out.is_empty() {
        return Ok(());
    }
    add(files, folder, &format!("{stem}-operator"), &chart::operator(document))
}

fn add(files: &mut Files, folder: &Path, name: &str, chart: &Chart) -> Result<(), Failure> {
    let png = chart.png().map_err(anyhow::Error::from)?;
    files.add(folder, &format!("{name}.svg"), chart.svg().as_bytes().to_vec());
    files.add(folder, &format!("{name}.png"), png);
    if let Some(left_out) = chart.left_out() {
        files.note(format!("{name}: {left_out}"));
    }
    Ok(())
}
