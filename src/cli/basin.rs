//! `metastable basin`: how large a push does it take?

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args as Arguments;
use metastable::experiment::{basin as look, basin_runs};
use metastable::report::table::BasinDocument;

use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::options::Options;
use super::output::{Output, refuse_unwritable};
use super::plots;
use super::progress::Progress;
use super::seeds::{First, count};
use super::story::{Source, stem};

/// Find the backlog from which it does not come back, and the phase portrait
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    seed: First,
    /// Under how many seeds
    #[arg(long, value_name = "N", default_value_t = 12, allow_negative_numbers = true, value_parser = count(1..=10_000))]
    seeds: u64,
    /// The most runs, control runs included [default: as many as it takes]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count(1..=1_000_000_000))]
    runs: Option<u64>,
    /// Save the phase portrait (SVG and PNG) in this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
The runs begin as with [start] in a scenario, and have no triggers: so much work
waits, and so many requests are tried again.

Examples:
  metastable basin storm.toml
  metastable basin storm.toml --variant 'no retries' --seeds 30
  metastable basin storm.toml --format json | jq '.tipping_backlog_s'
  metastable basin storm.toml --plot plots";

pub(super) fn basin(args: &Args, options: &Options) -> Result<Exit, Failure> {
    args.output.refuse_unwritable()?;
    if let Some(folder) = &args.plot {
        refuse_unwritable(folder)?;
    }
    let story = args.source.read()?;
    args.output.spare(&story)?;
    let variant = args.source.pick_one(&story, options)?;
    let first = args.seed.or(story.seed);

    let interrupt = Interrupt::listen_for_part()?;
    let most = args.runs.unwrap_or(u64::MAX);
    let progress = Progress::over(basin_runs(args.seeds).min(most), options);
    let seeds = first..first + args.seeds;
    let found = look(&variant.model, seeds, most, interrupt.stop(), || progress.step());
    drop(progress);
    let file = args.source.file.display();
    let found = found.map_err(|error| anyhow!("{file}: {error}"))?;
    let found = found.ok_or(Failure::Interrupted)?;

    let document = BasinDocument { title: &story.title, variant: &variant.name, found: &found };
    args.output.finish(&document, &interrupt, |files| {
        if let Some(folder) = &args.plot {
            plots::of_basin(files, folder, &stem(&args.source.file), &document)?;
        }
        Ok(())
    })
}
