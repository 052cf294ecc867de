//! `replay = "arrivals.csv"`: measured numbers that stand in a file of their own.
//!
//! They are brought into the tree before anything is laid over it, once per file: a variant and every
//! cell of a sweep then share them.

mod column;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::contents;
use super::source::{Place, Sources};
use super::tree::{Entry, Node, Path as KeyPath, Value};
use super::trouble::Diagnostic;
use crate::law::Empirical;
use crate::time::Time;

/// What a file of measured numbers came to.
#[derive(Clone, Debug)]
pub(super) enum Measured {
    /// Instants in their order, from the start of the run.
    Instants(Arc<[Time]>),
    /// Lengths of work.
    Lengths(Empirical),
}

/// What is wanted of a file, by the key that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    Instants,
    Lengths,
}

/// The longest file of measured numbers, in bytes: some five million numbers.
const LONGEST_DATA: usize = 1 << 26;

/// After so many mistakes no further file is read.
const ENOUGH: usize = 20;

/// Puts the numbers in the place of every file that is named below `root`, and tells which files those are;
/// `folder` is what the paths start from.
///
/// # Errors
/// Files that cannot be read, at the paths that name them, and what is wrong in them.
pub(super) fn bring_in(
    root: &mut Node,
    folder: &Path,
    sources: &mut Sources,
) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let mut shelf = Shelf { folder, sources, known: BTreeMap::new(), wrong: Vec::new() };
    shelf.visit(root);
    if !shelf.wrong.is_empty() {
        return Err(shelf.wrong);
    }
    Ok(shelf.known.into_keys().map(|(path, _)| path).collect())
}

struct Shelf<'a> {
    folder: &'a Path,
    sources: &'a mut Sources,
    known: BTreeMap<(PathBuf, Wanted), Result<Measured, Diagnostic>>,
    wrong: Vec<Diagnostic>,
}

impl Shelf<'_> {
    fn visit(&mut self, node: &mut Node) {
        match &mut node.value {
            Value::Table(entries) => {
                for entry in entries {
                    match wanted(entry) {
                        Some(wanted) => self.replace(&mut entry.node, wanted),
                        None => self.visit(&mut entry.node),
                    }
                }
            }
            Value::List(items) => items.iter_mut().for_each(|item| self.visit(item)),
            Value::Text(_)
            | Value::Integer(_)
            | Value::Float(..)
            | Value::Bool(_)
            | Value::Date
            | Value::Measured(..) => {}
        }
    }

    /// The file that a text names, or each of several on an axis; a table is the grammar's.
    fn replace(&mut self, node: &mut Node, wanted: Wanted) {
        match &mut node.value {
            Value::Text(_) if self.wrong.len() >= ENOUGH => {}
            Value::Text(name) => {
                let name = std::mem::take(name);
                match self.read(&name, node.place, wanted) {
                    Ok(measured) => node.value = Value::Measured(name, measured),
                    Err(diagnostic) => {
                        node.value = Value::Text(name);
                        self.wrong.push(diagnostic);
                    }
                }
            }
            Value::List(items) => items.iter_mut().for_each(|item| self.replace(item, wanted)),
            Value::Table(_)
            | Value::Integer(_)
            | Value::Float(..)
            | Value::Bool(_)
            | Value::Date
            | Value::Measured(..) => self.visit(node),
        }
    }

    fn read(&mut self, name: &str, place: Place, wanted: Wanted) -> Result<Measured, Diagnostic> {
        let path = self.folder.join(name);
        let shown = path.display().to_string();
        let key = (path, wanted);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let text = contents(&key.0, &shown, LONGEST_DATA, "file of numbers");
        // It may be named once more elsewhere: that it cannot be read is said at each place.
        let text = text.map_err(|wrong| wrong.moved_to(place))?;
        let measured = column::read(&text, &shown, self.sources).and_then(|column| match wanted {
            Wanted::Instants => column.instants(self.sources).map(Measured::Instants),
            Wanted::Lengths => column.lengths().map(Measured::Lengths),
        });
        let measured = measured.map_err(|wrong| match wrong.place() {
            Some(_) => wrong.other(place, "named here"),
            None => wrong.moved_to(place),
        });
        self.known.insert(key, measured.clone());
        measured
    }
}

/// What of a file the key asks for, whether it is a name or a path that ends in it.
fn wanted(entry: &Entry) -> Option<Wanted> {
    let path = KeyPath::of_key(&entry.key, entry.key_place);
    let last = match &path {
        Ok(path) => path.names().last(),
        Err(_) => None,
    };
    match last.unwrap_or(&entry.key) {
        "replay" => Some(Wanted::Instants),
        "empirical" => Some(Wanted::Lengths),
        _ => None,
    }
}
