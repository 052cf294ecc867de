//! The cells of a sweep: every variant at every point of the axes.

mod axis;
mod choose;
mod decimal;

use super::Sweep;
use super::element::{self, Complaints, thousands};
use super::idle::Idle;
use super::nearest::did_you_mean;
use super::source::{Place, Sources};
use super::tree::{Change, Layer, Spot, apply, collision};
use super::trouble::Diagnostic;
use super::version::{Version, allowed};
use crate::experiment::{Cell, SweepExpectation};
use crate::model::Model;

pub(super) use self::axis::Axis;

/// The most cells of one sweep.
const MOST_CELLS: usize = 100_000;
/// After so many mistakes the cells are not read on: the rest would say the same.
const ENOUGH: usize = 20;

/// What a sweep is laid over.
pub(super) struct Ground<'a> {
    /// Where the sweep is written.
    pub(super) spot: Spot<'a>,
    pub(super) sources: &'a Sources,
    /// The base and its variants.
    pub(super) versions: &'a [Version],
    /// The layer of the axes' values, above everything else.
    pub(super) layer: Layer,
}

impl Ground<'_> {
    /// The sweep; none if anything is wrong with it. `idle` sees every world of it.
    pub(super) fn build(
        &self,
        written: &element::Sweep,
        out: &mut Complaints,
        idle: &mut Idle,
    ) -> Option<Sweep> {
        let spot = self.spot;
        let before = out.count();
        let seeds = out.keep(written.seeds(spot));
        let swept = self.swept(written, out);
        let axes = self.axes(out);
        let (seeds, axes) = (seeds?, axes?);
        let count =
            axes.iter().map(|axis| axis.values.len()).try_fold(swept.len(), |count, values| {
                count.checked_mul(values).filter(|count| *count <= MOST_CELLS)
            });
        if count.is_none() {
            let most = thousands(MOST_CELLS as u64);
            let message = format!("this grid has more than {most} cells");
            out.add(
                Diagnostic::error(spot.at("axes").key, message)
                    .help("fewer values on the axes, or fewer variants".to_owned()),
            );
            return None;
        }
        let mut cells = Vec::new();
        for version in &swept {
            for point in axis::points(&axes) {
                let cell = self.cell(version, &axes, &point, idle);
                cells.extend(out.keep_all(cell));
                if out.count() > before + ENOUGH {
                    return None;
                }
            }
        }
        if out.count() > before {
            return None;
        }
        for (nth, version) in swept.iter().enumerate() {
            if !self.warn_of_overwritten(version, &axes, idle) && !axes.is_empty() {
                self.warn_of_twins(&swept[..=nth], &cells, idle);
            }
        }
        let expect = self.expectations(written, &axes, &cells, out);
        Some(Sweep {
            axes: axes.iter().map(|axis| axis.path.to_string()).collect(),
            seeds,
            cells,
            expect,
        })
    }

    /// The versions that are swept: those that the sweep names, or all.
    fn swept(&self, written: &element::Sweep, out: &mut Complaints) -> Vec<&Version> {
        let Some(names) = &written.variants else {
            return self.versions.iter().collect();
        };
        let spot = self.spot.at("variants");
        if names.is_empty() {
            out.add(
                Diagnostic::error(spot.value(), "this list names no variant")
                    .help("leave it out to sweep them all".to_owned()),
            );
        }
        let mut swept: Vec<&Version> = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let place = spot.item(index);
            match self.versions.iter().find(|version| version.name == *name) {
                Some(known) if swept.iter().any(|other| other.name == known.name) => {
                    out.add(Diagnostic::error(
                        place,
                        format!("the variant `{name}` is named twice"),
                    ));
                }
                Some(known) => swept.push(known),
                None => {
                    let known = self.versions.iter().map(|version| version.name.as_str());
                    let help = did_you_mean(name, known, "the variants here are");
                    out.add(
                        Diagnostic::error(place, format!("there is no variant `{name}`"))
                            .help(help),
                    );
                }
            }
        }
        swept
    }

    /// The axes in the order of the file; none if anything is wrong with them.
    fn axes(&self, out: &mut Complaints) -> Option<Vec<Axis>> {
        let entries = self.spot.find("axes").map_or(&[][..], |axes| axes.node.entries());
        let mut axes = Vec::new();
        for entry in entries {
            let axis =
                allowed(entry, "an axis").and_then(|path| axis::read(path, entry, self.sources));
            axes.push(out.keep(axis));
        }
        let axes: Vec<Axis> = axes.into_iter().collect::<Option<_>>()?;
        let first_changes: Vec<Change> = axes.iter().map(|axis| axis.change(0)).collect();
        if let Some(diagnostic) = collision(&first_changes) {
            out.add(diagnostic);
            return None;
        }
        Some(axes)
    }

    /// What a variant changes and an axis changes again is the same in every cell of it. Whether there
    /// is any such thing.
    fn warn_of_overwritten(&self, version: &Version, axes: &[Axis], idle: &mut Idle) -> bool {
        let mut any = false;
        for change in &version.changes {
            let length = change.path.segments().len();
            let over = |axis: &&Axis| {
                axis.path.segments().len() <= length && axis.path.overlaps(&change.path)
            };
            if let Some(axis) = axes.iter().find(over) {
                any = true;
                idle.add(
                    &version.name,
                    Diagnostic::warning(
                        change.path.place(),
                        format!("the sweep does not see this change of `{}`", version.name),
                    )
                    .label("an axis of the sweep sets it anew in every cell")
                    .help(format!(
                        "leave the variant out by `variants` of the sweep, or the axis `{}`",
                        axis.path
                    )),
                );
            }
        }
        any
    }

    /// An axis may undo what sets a variant apart without setting the same key: another kind of retry,
    /// a table in the place of a word. The worlds show it.
    fn warn_of_twins(&self, swept: &[&Version], cells: &[Cell], idle: &mut Idle) {
        let Some((version, earlier)) = swept.split_last() else { return };
        let of = |version: &Version| -> Vec<&Model> {
            let own = cells.iter().filter(|cell| cell.variant == version.name);
            own.map(|cell| &cell.model).collect()
        };
        let is_twin = |other: &&&Version| other.model != version.model && of(other) == of(version);
        if let (Some(twin), Some(change)) = (earlier.iter().find(is_twin), version.changes.first())
        {
            let message = format!(
                "in every cell of the sweep `{}` is the same world as `{}`",
                version.name, twin.name
            );
            let help = "leave one of the two out by `variants` of the sweep, or the axis that undoes what \
                        sets them apart";
            let warning = Diagnostic::warning(change.path.place(), message).help(help.to_owned());
            idle.add(&version.name, warning);
        }
    }

    fn cell(
        &self,
        version: &Version,
        axes: &[Axis],
        point: &[usize],
        idle: &mut Idle,
    ) -> Result<Cell, Vec<Diagnostic>> {
        let mut tree = version.tree.clone();
        let mut model = Ok(());
        for (axis, index) in axes.iter().zip(point) {
            model =
                model.and(apply(&mut tree, &axis.change(*index), self.layer).map_err(|d| vec![d]));
        }
        let model = model.and_then(|()| super::version::model(&tree)).map_err(|diagnostics| {
            let told = |diagnostic| self.tell_where(diagnostic, version, axes, point);
            diagnostics.into_iter().map(told).collect::<Vec<_>>()
        })?;
        idle.see(&version.name, || cell_name(version, axes, point), &tree, &model);
        let at = axes.iter().zip(point).map(|(axis, index)| axis.values[*index].coordinate.clone());
        Ok(Cell { variant: version.name.clone(), at: at.collect(), model })
    }

    /// The diagnostic with the cell that it arose in, unless it points to the axis itself.
    fn tell_where(
        &self,
        diagnostic: Diagnostic,
        version: &Version,
        axes: &[Axis],
        point: &[usize],
    ) -> Diagnostic {
        let in_axis = |place: Place| axes.iter().any(|axis| axis.holds(place));
        if diagnostic.place().is_some_and(in_axis) || axes.is_empty() {
            return diagnostic;
        }
        diagnostic.note(format!("in {}", cell_name(version, axes, point)))
    }

    fn expectations(
        &self,
        written: &element::Sweep,
        axes: &[Axis],
        cells: &[Cell],
        out: &mut Complaints,
    ) -> Vec<SweepExpectation> {
        let spot = self.spot.at("expect");
        // Whoever moves an axis from the command line asks about other cells than the file does.
        let written_axes = self.spot.at("axes");
        let moved = written_axes.layer > spot.layer
            || written_axes.node.entries().iter().any(|axis| axis.layer > spot.layer);
        let mut expectations = Vec::new();
        for (expect, node) in written.expect.iter().zip(spot.items()) {
            let spot = Spot { node, key: node.place, ..spot };
            let seeds = out.keep(expect.seeds(spot));
            let metrics = expect.metrics(spot, out);
            let chosen =
                choose::cells(spot.find("where"), axes, cells, self.versions, self.sources);
            if moved && chosen.is_err() {
                continue;
            }
            if let (Some(seeds), Some(cells)) = (seeds, out.keep(chosen)) {
                expectations.push(SweepExpectation { seeds, cells, metrics });
            }
        }
        expectations
    }
}

/// A cell in words.
fn cell_name(version: &Version, axes: &[Axis], point: &[usize]) -> String {
    let coordinates = axes
        .iter()
        .zip(point)
        .map(|(axis, index)| format!("{} = {}", axis.path, axis.values[*index].coordinate.label));
    let coordinates = coordinates.collect::<Vec<_>>().join(", ");
    format!("the cell of `{}` with {coordinates}", version.name)
}
