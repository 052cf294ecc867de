//! Scenario files by the paths that are given: a file is itself, a folder is all `*.toml` in it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files that were met already, however their paths were spelled.
#[derive(Debug, Default)]
pub(super) struct Seen(HashSet<PathBuf>);

impl Seen {
    /// Whether this file was not met before; it is now.
    pub(super) fn is_new(&mut self, file: &Path) -> bool {
        // What cannot be found is itself, and is complained of when it is read.
        self.0.insert(fs::canonicalize(file).unwrap_or_else(|_| file.to_owned()))
    }
}

/// The scenario files under `path`, sorted by name; a file is taken whatever its name is.
///
/// # Errors
/// A folder that cannot be read.
pub(super) fn under(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    gather(path, &mut found)?;
    Ok(found)
}

fn gather(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        // Links to folders are not followed: they may lead round in a circle.
        if hidden {
            continue;
        } else if entry.file_type()?.is_dir() {
            gather(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}
