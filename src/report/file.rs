//! Files that are there whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why documents could not be saved.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The folder is not there and cannot be made.
    #[error("cannot make the folder {}: {source}", path.display())]
    Folder {
        /// Which folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Saves every `(name, bytes)` of `files` in `folder`, which is made if it is not there, together
/// with the folders it lies in.
///
/// All contents reach the disk under temporary names before the first one gets its own: a full disk
/// or an interruption leaves the old files as they were, and a reader never sees half of one.
///
/// # Errors
/// The folder cannot be made, or a file cannot be written; no temporary file is left behind.
pub fn save_all(
    folder: &Path,
    files: &[(impl AsRef<Path>, impl AsRef<[u8]>)],
) -> Result<(), SaveError> {
    std::fs::create_dir_all(folder)
        .map_err(|source| SaveError::Folder { path: folder.to_owned(), source })?;
    let written = files
        .iter()
        .map(|(name, bytes)| {
            let path = folder.join(name);
            let file = write_aside(folder, bytes.as_ref());
            file.map(|file| (file, path.clone())).map_err(|source| SaveError::File { path, source })
        })
        .collect::<Result<Vec<_>, _>>()?;
    for (file, path) in written {
        file.persist(&path).map_err(|error| SaveError::File { path, source: error.error })?;
    }
    Ok(())
}

/// Saves `bytes` as the new file `name` in `folder`. One that is there is left as it is.
///
/// # Errors
/// There is such a file already, or it cannot be written; no temporary file is left behind.
pub fn save_new(folder: &Path, name: &Path, bytes: &[u8]) -> Result<(), SaveError> {
    let path = folder.join(name);
    let kept = write_aside(folder, bytes)
        .and_then(|file| file.persist_noclobber(&path).map_err(|error| error.error));
    kept.map_err(|source| SaveError::File { path, source })
}

/// Finds out, leaving nothing behind, whether [`save_all`] could write into `folder`: better before an
/// hour of work than after it.
///
/// # Errors
/// What stands in the way: a file where the folder should be, or no permission.
pub fn probe(folder: &Path) -> Result<(), SaveError> {
    let there = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("."));
    let fails = |source: io::Error| SaveError::Folder { path: folder.to_owned(), source };
    if !there.is_dir() {
        return Err(fails(io::ErrorKind::NotADirectory.into()));
    }
    let probe = tempfile::Builder::new().prefix(".metastable-").tempfile_in(there);
    probe.map(drop).map_err(|error| fails(error.kind().into()))
}

/// In the same folder, because a rename across file systems is a copy, and a copy can stop half-way.
fn write_aside(folder: &Path, bytes: &[u8]) -> io::Result<tempfile::TempPath> {
    let mut file = with_usual_permissions(tempfile::Builder::new().prefix(".metastable-"))
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    // The handle is closed here: many files must not need many handles at once.
    Ok(file.into_temp_path())
}

/// Temporary files are private by default; a chart is meant to be read. The system takes the
/// user's mask off these bits, as it does for any new file.
#[cfg(unix)]
fn with_usual_permissions<'a, 'p, 's>(
    builder: &'a mut tempfile::Builder<'p, 's>,
) -> &'a mut tempfile::Builder<'p, 's> {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn with_usual_permissions<'a, 'p, 's>(
    builder: &'a mut tempfile::Builder<'p, 's>,
) -> &'a mut tempfile::Builder<'p, 's> {
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn folders_are_made_and_old_files_replaced() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        save_all(&folder, &[("x.svg", "old"), ("y.png", "why")]).unwrap();
        save_all(&folder, &[("x.svg", "new")]).unwrap();
        assert_eq!(names_in(&folder), ["x.svg", "y.png"]);
        assert_eq!(std::fs::read_to_string(folder.join("x.svg")).unwrap(), "new");
    }

    #[test]
    fn a_new_file_takes_nobodys_place() {
        let root = tempfile::tempdir().unwrap();
        save_new(root.path(), Path::new("x.toml"), b"first").unwrap();
        let error = save_new(root.path(), Path::new("x.toml"), b"second").unwrap_err();
        assert!(matches!(error, SaveError::File { .. }), "{error}");
        assert_eq!(std::fs::read_to_string(root.path().join("x.toml")).unwrap(), "first");
        assert_eq!(names_in(root.path()), ["x.toml"]);
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_is_named_in_the_error() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("plots");
        std::fs::write(&folder, "not a folder").unwrap();
        let error = save_all(&folder, &[("x.svg", "")]).unwrap_err();
        assert!(matches!(&error, SaveError::Folder { path, .. } if *path == folder), "{error}");
        assert!(error.to_string().contains(&folder.display().to_string()), "{error}");
    }

    #[test]
    fn one_that_cannot_be_written_leaves_nothing_aside() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("taken")).unwrap();
        let error = save_all(root.path(), &[("taken", "a folder has this name")]).unwrap_err();
        assert!(matches!(error, SaveError::File { .. }), "{error}");
        assert_eq!(names_in(root.path()), ["taken"]);
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_a_new_file_lets_them_read() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        save_all(root.path(), &[("x.svg", "")]).unwrap();
        std::fs::write(root.path().join("usual"), "").unwrap();
        let mode = |name| std::fs::metadata(root.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("x.svg"), mode("usual"));
    }
}
