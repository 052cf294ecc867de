//! `metastable sweep`: from where on does it not come back?

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args as Arguments;
use metastable::experiment::{Cell, Way, sweep as run_cells};
use metastable::report::table::SweepDocument;

use super::engine::Choice;
use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::journal::{Journal, Talk};
use super::options::Options;
use super::output::{Files, Output, refuse_unwritable};
use super::plots;
use super::progress::Progress;
use super::seeds::Seeds;
use super::story::{Source, stem};

/// Run a scenario over the axes of its [sweep]: where it recovers and where not
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    seeds: Seeds,
    /// Print a row per cell, with the 95 % interval of its share, below the grid
    #[arg(long)]
    long: bool,
    /// Save the heat map (SVG and PNG) in this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    /// End runs once their verdict is certain enough: stuck for 5 s with a queue
    /// that grows, or as idle as the undisturbed run. The result says how many
    #[arg(long)]
    early_stop: bool,
    #[command(flatten)]
    engine: Choice,
    #[command(flatten)]
    talk: Talk,
    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  metastable sweep headroom.toml
  metastable sweep headroom.toml --seeds 20 --jobs 4 --long
  metastable sweep headroom.toml --plot plots -o headroom.csv
  metastable sweep headroom.toml -o headroom.parquet
  metastable sweep headroom.toml --format json | jq '.cells[].recovered_share'";

const NO_SWEEP: &str = "\
there is no [sweep] to run. Add one that says what to vary, for example
[sweep]
seeds = 5
[sweep.axes]
\"clients.web.load\" = [0.5, 0.7, 0.9]";

pub(super) fn sweep(args: &Args, options: &Options) -> Result<Exit, Failure> {
    args.output.refuse_unwritable()?;
    if let Some(folder) = &args.plot {
        refuse_unwritable(folder)?;
    }
    let story = args.source.read()?;
    args.output.spare(&story)?;
    let file = args.source.file.display();
    let sweep = story.sweep.as_ref().ok_or_else(|| anyhow!("{file}: {NO_SWEEP}"))?;
    let picked = args.source.pick(&story, options)?;
    let is_picked = |cell: &&Cell| picked.iter().any(|variant| variant.name == cell.variant);
    let cells: Vec<Cell> = sweep.cells.iter().filter(is_picked).cloned().collect();
    if cells.is_empty() {
        return Err(anyhow!("{file}: none of the variants asked for is part of the [sweep]").into());
    }
    let seeds = args.seeds.or(story.seed, sweep.seeds);

    let named = cells.iter().map(|cell| (cell.variant.as_str(), &cell.model));
    let engine = args.engine.of(named, options);
    let interrupt = Interrupt::listen()?;
    let way = Way { stop: interrupt.stop(), engine, early_stop: args.early_stop };
    let progress = Progress::over((seeds.end - seeds.start) * cells.len() as u64, options);
    let journal = Journal::new(progress, engine, &args.talk);
    let outcomes = run_cells(&cells, seeds, way, |done| journal.done(done, &sweep.axes));
    drop(journal);
    let outcomes = outcomes.ok_or(Failure::Interrupted)?;

    let mut files = Files::default();
    if let Some(folder) = &args.plot {
        plots::of_sweep(
            &mut files,
            folder,
            &stem(&args.source.file),
            &story.title,
            &sweep.axes,
            &outcomes,
        )?;
    }
    let document = SweepDocument {
        title: &story.title,
        axes: &sweep.axes,
        cells: &outcomes,
        long: args.long,
        early_stop: args.early_stop,
    };
    args.output.write(&document, files, &interrupt)?;
    Ok(Exit::Done)
}
