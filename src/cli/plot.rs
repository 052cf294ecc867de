//! `metastable plot`: every chart of every scenario, again.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args as Arguments;
use metastable::experiment::{Engine, Run, replicate, sweep};
use metastable::scenario::{Story, Variant};

use super::exit::Exit;
use super::failure::Failure;
use super::files;
use super::interrupt::Interrupt;
use super::journal::{Journal, Talk};
use super::options::Options;
use super::output::{self, Files, refuse_unwritable, say};
use super::plots;
use super::progress::Progress;
use super::story::{model_of, stem, subjects, warn};

/// Make every chart of scenario files and folders: timelines, latencies, graphs, heat maps
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Scenario files, and folders of them (*.toml, folders within included)
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The folder that gets the charts (SVG and PNG)
    #[arg(short, long, value_name = "DIR", default_value = "plots")]
    out: PathBuf,
    #[command(flatten)]
    talk: Talk,
}

const EXAMPLES: &str = "\
Examples:
  metastable plot scenarios --out plots
  metastable plot storm.toml --out /tmp/charts

Made again from the same scenarios, charts are the same, byte for byte.";

/// A story and what its charts show.
struct Charted {
    stem: String,
    story: Story,
}

pub(super) fn plot(args: &Args, options: &Options) -> Result<Exit, Failure> {
    refuse_unwritable(&args.out)?;
    let charted = read_all(args, options)?;
    let interrupt = Interrupt::listen()?;
    let progress = Progress::over(charted.iter().map(runs).sum(), options);
    let journal = Journal::new(progress, Engine::default(), &args.talk);
    let mut files = Files::default();
    for Charted { stem, story } in &charted {
        let variants: Vec<&Variant> = story.variants.iter().collect();
        let subjects = subjects(&variants);
        let first = story.seed..story.seed.saturating_add(1);
        let step = |run: Run| {
            journal.ran(&run, model_of(&subjects, &run));
            run
        };
        let runs =
            replicate(&subjects, first, interrupt.stop(), step).ok_or(Failure::Interrupted)?;
        plots::of_runs(&mut files, &args.out, stem, &story.title, &subjects, &runs)?;
        if let Some(grid) = &story.sweep {
            let seeds = story.seed..story.seed.saturating_add(grid.seeds);
            let outcomes = sweep(&grid.cells, seeds, interrupt.stop(), |done| {
                journal.done(done, &grid.axes);
            });
            let outcomes = outcomes.ok_or(Failure::Interrupted)?;
            plots::of_sweep(&mut files, &args.out, stem, &story.title, &grid.axes, &outcomes)?;
        }
    }
    drop(journal);
    interrupt.close()?;
    let names = files.names();
    output::save(&files)?;
    files.tell(options);
    if !options.quiet {
        names.iter().for_each(|name| say(name));
    }
    Ok(Exit::Done)
}

fn runs(charted: &Charted) -> u64 {
    let Charted { story, .. } = charted;
    let cells = story.sweep.as_ref().map_or(0, |grid| grid.cells.len() as u64 * grid.seeds);
    story.variants.len() as u64 + cells
}

/// Reads every scenario; a chart is named after its file, so no two files may share a name.
fn read_all(args: &Args, options: &Options) -> Result<Vec<Charted>, Failure> {
    let mut charted: Vec<Charted> = Vec::new();
    for path in &args.paths {
        let shown = path.display();
        let found = files::under(path).with_context(|| shown.to_string())?;
        if found.is_empty() {
            return Err(anyhow!("{shown}: there is no scenario (*.toml) in this folder").into());
        }
        for file in found {
            let stem = stem(&file);
            if charted.iter().any(|other| other.stem == stem) {
                let file = file.display();
                return Err(anyhow!(
                    "{file}: another scenario is named {stem}, and so are its charts"
                )
                .into());
            }
            let story = Story::read(&file, &[])?;
            warn(&story.warnings, options);
            charted.push(Charted { stem, story });
        }
    }
    Ok(charted)
}
