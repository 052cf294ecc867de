//! `metastable hysteresis`: where does it collapse on the way up, and where does it come back?

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args as Arguments;
use metastable::experiment::hysteresis as there_and_back;
use metastable::report::table::HysteresisDocument;
use metastable::scenario::length;
use metastable::time::Span;

use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::options::Options;
use super::output::{Output, refuse_unwritable};
use super::plots;
use super::progress::Progress;
use super::seeds::{First, count};
use super::steps::Axis;
use super::story::{Source, stem};

/// Move one parameter there and back in one run: where it collapses, where it comes back
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    axis: Axis,
    /// How long each value is held at the least
    /// [default: 20 windows, or ten of the longest timeout]
    #[arg(long, value_name = "LENGTH", value_parser = held, allow_hyphen_values = true)]
    hold: Option<Span>,
    #[command(flatten)]
    seed: First,
    /// Under how many seeds, a run each
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true, value_parser = count(1..=10_000))]
    seeds: u64,
    /// Save the chart (SVG and PNG) in this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
There are no triggers in these runs: what collapses does so for its load alone,
and what comes back does so because the load is gone.

Examples:
  metastable hysteresis headroom.toml --axis clients.web.load
  metastable hysteresis storm.toml --axis clients.web.load \\
    --from 0.1 --to 1.2 --step 0.1 --plot plots
  metastable hysteresis storm.toml --axis clients.web.load \\
    --from 0.1 --to 1.2 --step 0.1 --format json | jq '.collapse, .comeback'";

fn held(text: &str) -> Result<Span, String> {
    length(text).and_then(|span| {
        if span.is_zero() { Err("it must be above zero".to_owned()) } else { Ok(span) }
    })
}

pub(super) fn hysteresis(args: &Args, options: &Options) -> Result<Exit, Failure> {
    args.output.refuse_unwritable()?;
    if let Some(folder) = &args.plot {
        refuse_unwritable(folder)?;
    }
    let story = args.source.read()?;
    args.output.spare(&story)?;
    let variant = args.source.pick_one(&story, options)?;
    let path = &args.axis.path;
    let sweep = args.axis.read(&args.source, &variant.name, &story)?;
    let first = args.seed.or(story.seed);

    let interrupt = Interrupt::listen_for_part()?;
    let progress = Progress::over(args.seeds, options);
    let seeds = first..first + args.seeds;
    let found =
        there_and_back(&sweep.cells, args.hold, seeds, interrupt.stop(), || progress.step());
    drop(progress);
    let found = found.map_err(|error| anyhow!("--axis {path}: {error}"))?;
    let found = found.ok_or(Failure::Interrupted)?;

    let axis = sweep.axes.first().map_or(path.as_str(), String::as_str);
    let document =
        HysteresisDocument { title: &story.title, variant: &variant.name, axis, found: &found };
    args.output.finish(&document, &interrupt, |files| {
        if let Some(folder) = &args.plot {
            plots::of_hysteresis(files, folder, &stem(&args.source.file), &document)?;
        }
        Ok(())
    })
}
