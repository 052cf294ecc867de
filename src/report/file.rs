//! Files that are there whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why documents could not be saved.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The folder is not there and cannot be made.
    #[error("cannot make the folder {}: {}", path.display(), why(error))]
    Folder {
        /// Which folder.
        path: PathBuf,
        /// What the system says; the message tells it in words, so it is no source of its own.
        error: io::Error,
    },
    /// The folder is there, and nothing can be written into it.
    #[error("cannot write into the folder {}: {}", path.display(), why(error))]
    Locked {
        /// Which folder.
        path: PathBuf,
        /// What the system says; the message tells it in words, so it is no source of its own.
        error: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {}", path.display(), why(error))]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says; the message tells it in words, so it is no source of its own.
        error: io::Error,
    },
    /// Two documents want one place.
    #[error("{} and {} are one file", first.display(), second.display())]
    Twice {
        /// The path that was named first.
        first: PathBuf,
        /// The other path to it.
        second: PathBuf,
    },
}

/// What is in the way, in words, where the system's are no help.
const WORDS: [(io::ErrorKind, &str); 8] = [
    (io::ErrorKind::PermissionDenied, "there is no permission to do so"),
    (io::ErrorKind::NotFound, "there is no such folder"),
    (io::ErrorKind::AlreadyExists, "it is there already, and is left as it is"),
    (io::ErrorKind::IsADirectory, "a folder has this name"),
    (io::ErrorKind::NotADirectory, "a file is in its place"),
    (io::ErrorKind::InvalidInput, "it is no ordinary file"),
    (io::ErrorKind::ReadOnlyFilesystem, "the file system is read-only"),
    (io::ErrorKind::StorageFull, "the disk is full"),
];

fn why(error: &io::Error) -> String {
    let words = WORDS.iter().find(|(kind, _)| *kind == error.kind());
    words.map_or_else(|| error.to_string(), |(_, words)| (*words).to_owned())
}

/// Saves every `(path, bytes)` of `files`; folders are made that are not there. Where a path is a link, what it
/// leads to is written.
///
/// All places are looked at before anything is written, and all contents reach the disk under temporary names
/// before the first one gets its own: a folder in the way, a full disk or an interruption leaves the old files as
/// they were, and a reader never sees half of one.
///
/// # Errors
/// A folder cannot be made, a file cannot be written, or two paths lead to one; no temporary file is left behind.
pub fn save_all(files: &[(impl AsRef<Path>, impl AsRef<[u8]>)]) -> Result<(), SaveError> {
    let mut places: Vec<(&Path, PathBuf)> = Vec::with_capacity(files.len());
    for (path, _) in files {
        let path = path.as_ref();
        let place = place_of(path);
        refuse_taken(path, &place)?;
        if let Some((first, _)) = places.iter().find(|(_, taken)| *taken == place) {
            let (first, second) = ((*first).to_owned(), path.to_owned());
            return Err(SaveError::Twice { first, second });
        }
        places.push((path, place));
    }
    for (_, place) in &places {
        let folder = folder_of(place);
        std::fs::create_dir_all(folder)
            .map_err(|error| SaveError::Folder { path: folder.to_owned(), error })?;
    }
    let written = places
        .iter()
        .zip(files)
        .map(|((path, place), (_, bytes))| {
            let file = write_aside(folder_of(place), bytes.as_ref());
            file.map_err(|error| SaveError::File { path: (*path).to_owned(), error })
        })
        .collect::<Result<Vec<_>, _>>()?;
    for (file, (path, place)) in written.into_iter().zip(places) {
        file.persist(place)
            .map_err(|failed| SaveError::File { path: path.to_owned(), error: failed.error })?;
    }
    Ok(())
}

/// Refuses what an ordinary file cannot take the place of.
fn refuse_taken(path: &Path, place: &Path) -> Result<(), SaveError> {
    let kind = match place.metadata() {
        Ok(there) if there.is_dir() => io::ErrorKind::IsADirectory,
        Ok(there) if !there.is_file() => io::ErrorKind::InvalidInput,
        Ok(_) | Err(_) => return Ok(()),
    };
    Err(SaveError::File { path: path.to_owned(), error: kind.into() })
}

/// Links are followed no further; the system gives up about here too.
const MOST_LINKS: usize = 40;

/// Where a path leads: links followed, its folder by the one name that it has.
pub fn place_of(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(to) = std::fs::read_link(&place) else { break };
        place = folder_of(&place).join(to);
    }
    match (folder_of(&place).canonicalize(), place.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        (Ok(_) | Err(_), _) => place,
    }
}

/// The folder that a file lies in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Saves `bytes` as the new file at `path`. One that is there is left as it is.
///
/// # Errors
/// There is such a file already, or it cannot be written; no temporary file is left behind.
pub fn save_new(path: &Path, bytes: &[u8]) -> Result<(), SaveError> {
    let folder = folder_of(path);
    let fails = |error| SaveError::File { path: path.to_owned(), error };
    if std::fs::symlink_metadata(path).is_ok() {
        return Err(fails(io::ErrorKind::AlreadyExists.into()));
    }
    if !folder.is_dir() {
        return Err(fails(io::ErrorKind::NotFound.into()));
    }
    let kept = write_aside(folder, bytes)
        .and_then(|file| file.persist_noclobber(path).map_err(|error| error.error));
    kept.map_err(fails)
}

/// Finds out, leaving nothing behind, whether [`save_all`] could write into `folder`: better before an
/// hour of work than after it.
///
/// # Errors
/// What stands in the way: a file where the folder should be, or no permission.
pub fn probe(folder: &Path) -> Result<(), SaveError> {
    let mut ancestors = folder.ancestors().map(|path| match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    });
    let there = ancestors.find(|ancestor| ancestor.exists()).unwrap_or(Path::new("."));
    let fails = |error: io::Error| {
        let path = folder.to_owned();
        if folder.is_dir() {
            SaveError::Locked { path, error }
        } else {
            SaveError::Folder { path, error }
        }
    };
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

    fn saved(folder: &Path, files: &[(&str, &str)]) -> Result<(), SaveError> {
        let files: Vec<(PathBuf, &str)> =
            files.iter().map(|(name, bytes)| (folder.join(name), *bytes)).collect();
        save_all(&files)
    }

    #[test]
    fn folders_are_made_and_old_files_replaced() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        saved(&folder, &[("x.svg", "old"), ("y.png", "why")]).unwrap();
        saved(&folder, &[("x.svg", "new")]).unwrap();
        assert_eq!(names_in(&folder), ["x.svg", "y.png"]);
        assert_eq!(std::fs::read_to_string(folder.join("x.svg")).unwrap(), "new");
    }

    #[test]
    fn a_new_file_takes_nobodys_place() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.toml");
        save_new(&path, b"first").unwrap();
        let error = save_new(&path, b"second").unwrap_err();
        assert!(
            error.to_string().ends_with("it is there already, and is left as it is"),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first");
        let error = save_new(&root.path().join("none/x.toml"), b"").unwrap_err();
        assert!(error.to_string().ends_with("there is no such folder"), "{error}");
        assert_eq!(names_in(root.path()), ["x.toml"]);
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_is_named_in_the_error() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("plots");
        std::fs::write(&folder, "not a folder").unwrap();
        let error = saved(&folder, &[("x.svg", "")]).unwrap_err();
        assert!(matches!(&error, SaveError::Folder { path, .. } if *path == folder), "{error}");
        assert!(error.to_string().contains(&folder.display().to_string()), "{error}");
        let error = probe(&folder).unwrap_err();
        assert!(error.to_string().ends_with("a file is in its place"), "{error}");
    }

    #[test]
    fn one_that_cannot_be_written_keeps_all_from_being_written() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("taken")).unwrap();
        let files = [("a/first", ""), ("taken", "a folder has this name")];
        let error = saved(root.path(), &files).unwrap_err();
        assert!(error.to_string().ends_with("a folder has this name"), "{error}");
        assert_eq!(names_in(root.path()), ["taken"]);
    }

    #[test]
    fn one_place_takes_one_document() {
        let root = tempfile::tempdir().unwrap();
        let files = [("x.csv", ""), ("./x.csv", "")];
        let error = saved(root.path(), &files).unwrap_err();
        assert!(matches!(error, SaveError::Twice { .. }), "{error}");
        assert_eq!(names_in(root.path()), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_is_written() {
        let root = tempfile::tempdir().unwrap();
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(to, root.path().join(name)).unwrap();
        };
        std::fs::create_dir(root.path().join("kept")).unwrap();
        std::fs::write(root.path().join("kept/x.csv"), "old").unwrap();
        link("kept/x.csv", "x.csv");
        link("kept/y.csv", "y.csv");
        saved(root.path(), &[("x.csv", "new"), ("y.csv", "first")]).unwrap();
        let read = |name| std::fs::read_to_string(root.path().join(name)).unwrap();
        assert_eq!([read("kept/x.csv"), read("kept/y.csv")], ["new", "first"]);
        assert!(root.path().join("x.csv").is_symlink() && root.path().join("y.csv").is_symlink());
        let files = [("x.csv", ""), ("kept/x.csv", "")];
        assert!(matches!(saved(root.path(), &files), Err(SaveError::Twice { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_a_new_file_lets_them_read() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        saved(root.path(), &[("x.svg", "")]).unwrap();
        std::fs::write(root.path().join("usual"), "").unwrap();
        let mode = |name| std::fs::metadata(root.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("x.svg"), mode("usual"));
    }
}
