//! The text of a file, or in one sentence why there is none.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::element::thousands;
use super::trouble::Diagnostic;

/// The text of the file at `path`, which is called `name` in messages and is a `kind` of at most
/// `longest` bytes.
///
/// # Errors
/// It is not there, cannot be read, is too long, or is no text.
pub(super) fn contents(
    path: &Path,
    name: &str,
    longest: usize,
    kind: &str,
) -> Result<String, Diagnostic> {
    let unreadable = |error: std::io::Error| {
        Diagnostic::of_file(if error.kind() == ErrorKind::IsADirectory {
            format!("{name} is a folder, not a {kind}")
        } else if error.kind() == ErrorKind::NotFound {
            format!("there is no file {name}")
        } else {
            format!("cannot read {name}: {error}")
        })
    };
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(longest as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > longest {
        let most = thousands(longest as u64);
        return Err(Diagnostic::of_file(format!(
            "{name} is longer than {most} bytes: this is no {kind}"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
        Diagnostic::of_file(format!(
            "{name} is not UTF-8: byte {} on line {line} is no character",
            valid + 1
        ))
        .help("save the file in the encoding UTF-8".to_owned())
    })?;
    Ok(without_mark(&text).to_owned())
}

/// The text without the mark with which some editors begin a file: no column counts it.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
