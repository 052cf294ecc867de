//! Where results go: standard output and files, all of them or none.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstream::AutoStream;
use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use metastable::report::file::{probe, save_all};
use metastable::report::table::{Document, Format};

use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::{Interrupt, own_up};
use super::options::Options;

/// How wide text is where no terminal says otherwise.
const WIDTH: usize = 80;

/// Where a command's result goes.
#[derive(Debug, Args)]
pub(super) struct Output {
    /// How the result is printed
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    format: Printed,
    /// Save the result as well; .txt, .md, .csv or .json says in which format.
    /// May be repeated
    #[arg(short, long, value_name = "FILE", value_parser = parse_target)]
    output: Vec<Target>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Printed {
    Text,
    Markdown,
    Csv,
    Json,
}

/// A file and the format its name asks for.
#[derive(Clone, Debug)]
struct Target {
    path: PathBuf,
    format: Format,
}

fn parse_target(text: &str) -> Result<Target, String> {
    let path = PathBuf::from(text);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let format = match extension {
        Some("txt") => Format::Text,
        Some("md") => Format::Markdown,
        Some("csv") => Format::Csv,
        Some("json") => Format::Json,
        Some(_) | None => {
            return Err(
                "the name must end in .txt, .md, .csv or .json, which says the format".to_owned()
            );
        }
    };
    Ok(Target { path, format })
}

/// Files to be saved, by folder and name, and what must be said of them.
#[derive(Debug, Default)]
pub(super) struct Files {
    files: Vec<(PathBuf, String, Vec<u8>)>,
    notes: Vec<String>,
}

impl Files {
    /// One more file.
    pub(super) fn add(&mut self, folder: &Path, name: String, bytes: Vec<u8>) {
        self.files.push((folder.to_owned(), name, bytes));
    }

    /// One more file, at this path.
    pub(super) fn add_at(&mut self, path: &Path, bytes: Vec<u8>) -> Result<(), Failure> {
        let name = path.file_name().context("an output file needs a name")?;
        self.add(folder_of(path), name.to_string_lossy().into_owned(), bytes);
        Ok(())
    }

    /// One thing more that is said on standard error, except to whoever wants to hear results only.
    pub(super) fn note(&mut self, what: String) {
        self.notes.push(what);
    }

    /// Says so.
    pub(super) fn tell(&self, options: &Options) {
        if !options.quiet {
            self.notes.iter().for_each(|note| say(&format!("note: {note}")));
        }
    }

    /// The path of every file, in order.
    pub(super) fn names(&self) -> Vec<String> {
        self.files.iter().map(|(folder, name, _)| folder.join(name).display().to_string()).collect()
    }
}

impl Output {
    /// Refuses, before anything is run, what could not be written afterwards.
    pub(super) fn refuse_unwritable(&self) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        for Target { path, .. } in &self.output {
            if !seen.insert(path) {
                return Err(anyhow!("-o {} is given twice", path.display()).into());
            }
            refuse_unwritable_file("-o", path)?;
        }
        Ok(())
    }

    /// Saves `files` and what `-o` asks for, then prints.
    pub(super) fn write(
        &self,
        document: &dyn Document,
        mut files: Files,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        for Target { path, format } in &self.output {
            let text = anstream::adapter::strip_str(&document.render(*format, WIDTH)).to_string();
            files.add_at(path, text.into_bytes())?;
        }
        interrupt.close()?;
        save(&files)?;
        print(&document.render(self.format.into(), width()))
    }

    /// Prints what was known when somebody wanted it to stop. Files are for results that are whole.
    pub(super) fn write_part(
        &self,
        document: &dyn Document,
        interrupt: &Interrupt,
    ) -> Result<Exit, Failure> {
        interrupt.close_on_part();
        print(&document.render(self.format.into(), width()))?;
        own_up();
        Ok(Exit::Incomplete)
    }

    /// Whether anything is printed or saved in this format.
    pub(super) fn writes(&self, format: Format) -> bool {
        Format::from(self.format) == format
            || self.output.iter().any(|target| target.format == format)
    }
}

impl From<Printed> for Format {
    fn from(printed: Printed) -> Self {
        match printed {
            Printed::Text => Self::Text,
            Printed::Markdown => Self::Markdown,
            Printed::Csv => Self::Csv,
            Printed::Json => Self::Json,
        }
    }
}

/// Saves every file, folder by folder.
pub(super) fn save(files: &Files) -> Result<(), Failure> {
    let folders: BTreeSet<PathBuf> =
        files.files.iter().map(|(folder, ..)| folder.clone()).collect();
    for folder in folders {
        let here = files.files.iter().filter(|(of, ..)| *of == folder);
        let here: Vec<(&str, &[u8])> =
            here.map(|(_, name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        save_all(&folder, &here).map_err(anyhow::Error::from)?;
    }
    Ok(())
}

/// Refuses a folder that nothing could be written to after all the work is done.
pub(super) fn refuse_unwritable(folder: &Path) -> Result<(), Failure> {
    Ok(probe(folder).map_err(anyhow::Error::from)?)
}

/// Refuses a file that could not be written after all the work is done; `option` names it.
pub(super) fn refuse_unwritable_file(option: &str, path: &Path) -> Result<(), Failure> {
    if path.is_dir() || path.file_name().is_none() {
        return Err(anyhow!("{option} {}: this is a folder", path.display()).into());
    }
    // What is put in its place would be an ordinary file: a pipe or a device would be gone.
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(anyhow!("{option} {}: this is no ordinary file", path.display()).into());
    }
    let folder = folder_of(path);
    // Folders of charts are made as needed; one that is named only in passing is rather a slip.
    if !folder.is_dir() {
        let (path, folder) = (path.display(), folder.display());
        return Err(anyhow!("{option} {path}: there is no folder {folder}").into());
    }
    refuse_unwritable(folder)
}

/// The folder that a file lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Prints on standard output. A reader that has seen enough and left is no failure.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = AutoStream::auto(io::stdout().lock());
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let error = anyhow::Error::from(error).context("cannot write to standard output");
            Err(error.into())
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Tells something on standard error; whoever cannot be told cannot be told that either.
pub(super) fn say(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{text}");
}

/// Says on standard error what is wrong.
pub(super) fn complain(what: &str) {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    say(&format!("{style}error:{style:#} {what}"));
}

/// Whether standard error takes colours.
pub(super) fn colourful() -> bool {
    anstream::stderr().current_choice() != anstream::ColorChoice::Never
}

/// How wide text may be.
fn width() -> usize {
    if !io::stdout().is_terminal() {
        return WIDTH;
    }
    terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0))
}
