//! `where = { "clients.web.load" = [0.3, 0.5] }`: which cells a promise is about.

use super::axis::{Axis, coordinate, same};
use crate::experiment::{Cell, Coordinate};
use crate::scenario::nearest::{did_you_mean, list};
use crate::scenario::source::Sources;
use crate::scenario::tree::{Entry, Node, Path, Spot, Value};
use crate::scenario::trouble::Diagnostic;
use crate::scenario::version::{Version, unquoted};

/// The key that chooses by variant instead of by axis; no path is called so.
const VARIANT: &str = "variant";

/// The indices of the cells that `chosen` is about: all of them where it says nothing.
pub(super) fn cells(
    chosen: Option<Spot<'_>>,
    axes: &[Axis],
    cells: &[Cell],
    versions: &[Version],
    sources: &Sources,
) -> Result<Vec<usize>, Diagnostic> {
    let mut indices: Vec<usize> = (0..cells.len()).collect();
    let Some(spot) = chosen else {
        return Ok(indices);
    };
    for entry in spot.node.entries() {
        if entry.key == VARIANT {
            let names = variants(entry, cells, versions)?;
            indices.retain(|index| names.contains(&cells[*index].variant.as_str()));
        } else {
            let (axis, values) = values(entry, axes, sources)?;
            let here = |cell: &Cell| values.iter().any(|value| same(value, &cell.at[axis]));
            indices.retain(|index| here(&cells[*index]));
        }
    }
    if indices.is_empty() {
        return Err(Diagnostic::error(spot.value(), "no cell of the sweep is like this"));
    }
    Ok(indices)
}

/// One value, or each of a list.
fn each(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(items) => items,
        Value::Text(_)
        | Value::Integer(_)
        | Value::Float(..)
        | Value::Bool(_)
        | Value::Date
        | Value::Measured(..)
        | Value::Table(_) => std::slice::from_ref(node),
    }
}

fn variants<'e>(
    entry: &'e Entry,
    cells: &[Cell],
    versions: &[Version],
) -> Result<Vec<&'e str>, Diagnostic> {
    let mut names = Vec::new();
    for node in each(&entry.node) {
        let Value::Text(name) = &node.value else {
            return Err(Diagnostic::error(
                node.place,
                "this must be the name of a variant, in quotes",
            ));
        };
        if !versions.iter().any(|version| version.name == *name) {
            let known = versions.iter().map(|version| version.name.as_str());
            let help = did_you_mean(name, known, "the variants here are");
            return Err(
                Diagnostic::error(node.place, format!("there is no variant `{name}`")).help(help)
            );
        }
        if !cells.iter().any(|cell| cell.variant == *name) {
            return Err(Diagnostic::error(
                node.place,
                format!("the sweep leaves out the variant `{name}`"),
            )
            .help("name it in `variants` of the sweep".to_owned()));
        }
        names.push(name.as_str());
    }
    Ok(names)
}

fn values(
    entry: &Entry,
    axes: &[Axis],
    sources: &Sources,
) -> Result<(usize, Vec<Coordinate>), Diagnostic> {
    let path = Path::of_key(&entry.key, entry.key_place)?;
    let Some(index) = axes.iter().position(|axis| axis.path == path) else {
        let spelled: Vec<String> = axes.iter().map(|axis| axis.path.to_string()).collect();
        let known = spelled.iter().map(String::as_str).chain([VARIANT]);
        let nested = !entry.node.entries().is_empty() && path.segments().len() == 1;
        let help = if nested {
            Some(format!("a path is one key here, and stands in quotes: \"{}\"", unquoted(entry)))
        } else {
            did_you_mean(&path.to_string(), known, "cells are chosen by")
        };
        return Err(Diagnostic::error(
            entry.key_place,
            format!("`{path}` is no axis of this sweep"),
        )
        .help(help));
    };
    let on_axis =
        |value: &Coordinate| axes[index].values.iter().any(|known| same(&known.coordinate, value));
    let mut values = Vec::new();
    for node in each(&entry.node) {
        let value = coordinate(node, sources);
        if !on_axis(&value) {
            let known = axes[index].values.iter().map(|value| value.coordinate.label.as_str());
            let help = list(known).map(|values| format!("its values are {values}"));
            return Err(Diagnostic::error(node.place, "this is no value of the axis").help(help));
        }
        values.push(value);
    }
    Ok((index, values))
}
