//! `metastable check`: do scenarios keep what they promise?

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args as Arguments;
use metastable::experiment::{Claim, Engine, Subject, check as try_claims};
use metastable::report::table::{CheckDocument, Checked, Kept};
use metastable::scenario::Story;

use super::exit::Exit;
use super::failure::Failure;
use super::files;
use super::interrupt::Interrupt;
use super::journal::{Journal, Talk};
use super::options::Options;
use super::output::{Files, Output, colourful, complain, refuse_unwritable_file, spare, tell};
use super::progress::Progress;
use super::story::warn;

/// Prove every [expect] of scenario files and folders
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Scenario files, and folders of them (*.toml, folders within included)
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    talk: Talk,
    #[command(flatten)]
    output: Output,
    /// Save the result as JUnit XML as well, for build servers
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  metastable check scenarios
  metastable check storm.toml headroom.toml --jobs 2
  metastable check scenarios --junit promises.xml
  metastable check scenarios --format json | jq '.[] | select(.held | not)'

Exit codes: 0 all promises are kept, 1 one is broken, 2 a scenario could not be
run, 4 no scenario promises anything.";

/// A file on the way to its verdict.
enum Read {
    Story(String, Box<Story>),
    Unreadable(String, String),
}

pub(super) fn check(args: &Args, options: &Options) -> Result<Exit, Failure> {
    args.output.refuse_unwritable()?;
    if let Some(path) = &args.junit {
        if path.extension().is_none_or(|ending| ending != "xml") {
            return Err(anyhow!("--junit {}: the name must end in .xml", path.display()).into());
        }
        refuse_unwritable_file("--junit", path)?;
    }
    let files = read_all(&args.paths, options);
    let mut claims: Vec<(Claim<'_>, u64)> = Vec::new();
    for file in &files {
        if let Read::Story(_, story) = file {
            args.output.spare(story)?;
            args.junit.iter().try_for_each(|path| spare("--junit", path, story))?;
            claims.extend(claims_of(story).into_iter().map(|claim| (claim, story.seed)));
        }
    }

    let interrupt = Interrupt::listen()?;
    let progress = Progress::over(claims.iter().map(|(claim, _)| claim.runs()).sum(), options);
    let journal = Journal::new(progress, Engine::default(), &args.talk);
    let judged = try_claims(&claims, interrupt.stop(), |ran| journal.of_promise(ran));
    drop(journal);
    let mut judged = judged.ok_or(Failure::Interrupted)?.into_iter();

    let checked = files.iter().map(|file| match file {
        Read::Story(name, story) => {
            let claims = judged.by_ref().take(claims_of(story).len()).collect();
            let axes = story.sweep.as_ref().map_or(&[][..], |sweep| &sweep.axes);
            Checked::Kept(Kept { file: name, axes, claims })
        }
        Read::Unreadable(name, why) => Checked::Unreadable { file: name, why },
    });
    let document = CheckDocument { files: checked.collect() };
    let mut saved = Files::default();
    if let Some(path) = &args.junit {
        saved.add_at(path, document.junit().into_bytes());
    }
    args.output.write(&document, saved, &interrupt)?;
    Ok(if document.unreadable() > 0 {
        Exit::Invalid
    } else if !document.held() {
        Exit::Broken
    } else if document.is_empty() {
        Exit::NothingRan
    } else {
        Exit::Done
    })
}

/// Reads everything that can be read, once, and says what cannot.
fn read_all(paths: &[PathBuf], options: &Options) -> Vec<Read> {
    let mut read: Vec<Read> = Vec::new();
    let mut seen = files::Seen::default();
    for path in paths {
        let name = path.display().to_string();
        let found = match files::under(path) {
            Ok(found) if found.is_empty() => {
                Err("there is no scenario (*.toml) in this folder".to_owned())
            }
            Ok(found) => Ok(found),
            Err(error) => Err(error.to_string()),
        };
        match found {
            Ok(found) => read.extend(found.iter().filter(|file| seen.is_new(file)).map(|file| {
                let name = file.display().to_string();
                match Story::read(file, &[]) {
                    Ok(story) => {
                        warn(&story.warnings, options);
                        Read::Story(name, Box::new(story))
                    }
                    Err(trouble) => {
                        tell(&trouble.render(colourful()));
                        Read::Unreadable(name, trouble.to_string())
                    }
                }
            })),
            Err(why) => {
                complain(&format!("{name}: {why}"));
                read.push(Read::Unreadable(name, why));
            }
        }
    }
    read
}

/// Everything a story promises.
fn claims_of(story: &Story) -> Vec<Claim<'_>> {
    let of_variants = story.variants.iter().filter_map(|variant| {
        let subject = Subject { name: &variant.name, model: &variant.model };
        variant.expect.as_ref().map(|promise| Claim::Variant { subject, promise })
    });
    let of_cells = story.sweep.iter().flat_map(|sweep| {
        let claim = |promise| Claim::Cells { cells: &sweep.cells, promise, seeds: sweep.seeds };
        sweep.expect.iter().map(claim)
    });
    of_variants.chain(of_cells).collect()
}
