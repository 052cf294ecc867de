//! Where results go: standard output and files, all of them or none.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstream::AutoStream;
use anyhow::anyhow;
use clap::{Args, ValueEnum};
use metastable::report::file::{folder_of, place_of, probe, save_all};
use metastable::report::table::{Document, Format};
use metastable::report::terminal::fold;
use metastable::scenario::Story;

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
    /// Save the result as well; .txt, .md, .csv, .json or .parquet says in
    /// which format. May be repeated
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
    format: Saved,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Saved {
    Text(Format),
    Parquet,
}

fn parse_target(text: &str) -> Result<Target, String> {
    let path = PathBuf::from(text);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let format = match extension {
        Some("txt") => Saved::Text(Format::Text),
        Some("md") => Saved::Text(Format::Markdown),
        Some("csv") => Saved::Text(Format::Csv),
        Some("json") => Saved::Text(Format::Json),
        Some("parquet") => Saved::Parquet,
        Some(_) | None => {
            return Err(
                "the name must end in .txt, .md, .csv, .json or .parquet, which says the format"
                    .to_owned(),
            );
        }
    };
    Ok(Target { path, format })
}

/// Files to be saved, and what must be said of them.
#[derive(Debug, Default)]
pub(super) struct Files {
    files: Vec<(PathBuf, Vec<u8>)>,
    notes: Vec<String>,
}

impl Files {
    /// One more file in a folder.
    pub(super) fn add(&mut self, folder: &Path, name: &str, bytes: Vec<u8>) {
        self.add_at(&folder.join(name), bytes);
    }

    /// One more file, at this path.
    pub(super) fn add_at(&mut self, path: &Path, bytes: Vec<u8>) {
        self.files.push((path.to_owned(), bytes));
    }

    /// One thing more that is said on standard error, except to whoever wants to hear results only.
    pub(super) fn note(&mut self, what: String) {
        self.notes.push(what);
    }

    /// Says so.
    pub(super) fn tell(&self, options: &Options) {
        if !options.quiet {
            self.notes.iter().for_each(|note| tell(&format!("note: {note}")));
        }
    }

    /// The path of every file, in order.
    pub(super) fn names(&self) -> Vec<String> {
        self.files.iter().map(|(path, _)| path.display().to_string()).collect()
    }
}

impl Output {
    /// Refuses, before anything is run, what could not be written afterwards.
    pub(super) fn refuse_unwritable(&self) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        for Target { path, .. } in &self.output {
            refuse_unwritable_file("-o", path)?;
            if !seen.insert(place_of(path)) {
                return Err(anyhow!("-o {}: this file is given twice", path.display()).into());
            }
        }
        Ok(())
    }

    /// Refuses to write over what the story was read from.
    pub(super) fn spare(&self, story: &Story) -> Result<(), Failure> {
        self.output.iter().try_for_each(|target| spare("-o", &target.path, story))
    }

    /// Saves `files` and what `-o` asks for, then prints.
    pub(super) fn write(
        &self,
        document: &dyn Document,
        mut files: Files,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        for Target { path, format } in &self.output {
            let bytes = match format {
                Saved::Text(format) => {
                    let text = document.render(*format, WIDTH);
                    anstream::adapter::strip_str(&text).to_string().into_bytes()
                }
                Saved::Parquet => document.parquet(),
            };
            files.add_at(path, bytes);
        }
        interrupt.close()?;
        save(&files)?;
        print(&document.render(self.format.into(), width()))
    }

    /// Whether anything is printed or saved as one table.
    pub(super) fn writes_table(&self) -> bool {
        let is_table = |target: &Target| match target.format {
            Saved::Text(format) => format == Format::Csv,
            Saved::Parquet => true,
        };
        Format::from(self.format) == Format::Csv || self.output.iter().any(is_table)
    }

    /// Ends a search: what was known when somebody wanted it to stop is printed, for files are for results that
    /// are whole; otherwise the charts that `draw` adds are saved, and all that [`write`](Self::write) does.
    pub(super) fn finish(
        &self,
        document: &dyn Document,
        interrupt: &Interrupt,
        draw: impl FnOnce(&mut Files) -> Result<(), Failure>,
    ) -> Result<Exit, Failure> {
        if document.is_interrupted() {
            interrupt.close_on_part();
            print(&document.render(self.format.into(), width()))?;
            own_up();
            return Ok(Exit::Incomplete);
        }
        let mut files = Files::default();
        draw(&mut files)?;
        self.write(document, files, interrupt)?;
        Ok(Exit::Done)
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

/// Saves every file, or none.
pub(super) fn save(files: &Files) -> Result<(), Failure> {
    Ok(save_all(&files.files).map_err(anyhow::Error::from)?)
}

/// Refuses to write over a file that the story was read from; `option` names the path.
pub(super) fn spare(option: &str, path: &Path, story: &Story) -> Result<(), Failure> {
    let place = place_of(path);
    if story.files().iter().any(|file| place_of(file) == place) {
        let path = path.display();
        return Err(anyhow!("{option} {path}: the scenario is read from this file").into());
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
    tell(&format!("{style}error:{style:#} {what}"));
}

/// Says a message on standard error, folded where it is wider than the terminal.
pub(super) fn tell(message: &str) {
    say(&fold(message, width_of(io::stderr().is_terminal())));
}

/// Whether standard error takes colours.
pub(super) fn colourful() -> bool {
    anstream::stderr().current_choice() != anstream::ColorChoice::Never
}

/// How wide text may be.
pub(super) fn width() -> usize {
    width_of(io::stdout().is_terminal())
}

/// The width of the terminal, or the usual one where there is none.
fn width_of(is_terminal: bool) -> usize {
    let size = if is_terminal { terminal_size::terminal_size() } else { None };
    size.map_or(WIDTH, |(width, _)| usize::from(width.0))
}
