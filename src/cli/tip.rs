//! `metastable tip`: at which value of one parameter does it no longer come back?

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args as Arguments, ValueEnum};
use metastable::experiment::{Halt, Range, TipSearch};
use metastable::report::table::{TipDocument, TipOf, TipRows};
use metastable::scenario::{Dial, Story, Variant};

use super::axis::{AxisRange, Bounds};
use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::options::Options;
use super::output::{Output, refuse_unwritable};
use super::plots;
use super::progress::Progress;
use super::seeds::{First, count};
use super::story::{Source, refuse_calm, stem};

/// Find the value of one parameter at which recovery becomes less likely than not
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    /// The dotted path of the parameter, a number or a length of time
    #[arg(long, value_name = "PATH")]
    axis: String,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    first: First,
    /// The most runs per variant, control runs apart
    #[arg(long, value_name = "N", default_value_t = 300, allow_negative_numbers = true)]
    #[arg(value_parser = count(1..=1_000_000))]
    runs: u64,
    /// Print every value that was tried, below the tipping points
    #[arg(long)]
    long: bool,
    /// Save the chart (SVG and PNG) in this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
    /// What a row of CSV is: a tipping point, or a value that was tried
    #[arg(long, value_name = "WHAT")]
    rows: Option<Row>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Row {
    Points,
    Values,
}

impl From<Row> for TipRows {
    fn from(row: Row) -> Self {
        match row {
            Row::Points => Self::Points,
            Row::Values => Self::Values,
        }
    }
}

const EXAMPLES: &str = "\
Without --variant it is the scenario as written that is searched. Without --from
and --to the search goes from a quarter of what is written to twice as much.

Examples:
  metastable tip storm.toml --axis triggers.gc.stall.lasts
  metastable tip storm.toml --axis clients.web.load --from 0.1 --to 1 --log
  metastable tip storm.toml --axis clients.web.call.timeout --from 100ms \\
      --to 10s --runs 500 -o timeout.json --plot plots
  metastable tip storm.toml --axis clients.web.load --long \\
      --variant 'no retries'";

pub(super) fn tip(args: &Args, options: &Options) -> Result<Exit, Failure> {
    args.output.refuse_unwritable()?;
    if args.rows.is_some() && !args.output.writes_table() {
        return Err(anyhow!("--rows is about CSV: add --format csv, or -o FILE.csv").into());
    }
    if let Some(folder) = &args.plot {
        refuse_unwritable(folder)?;
    }
    let story = args.source.read()?;
    args.output.spare(&story)?;
    let variants = args.source.pick_or_base(&story, options)?;
    let searches = variants
        .iter()
        .map(|variant| Search::prepare(args, &story, variant))
        .collect::<Result<Vec<_>, _>>()?;

    let interrupt = Interrupt::listen_for_part()?;
    let progress = Progress::over(args.runs * searches.len() as u64, options);
    let mut found = Vec::with_capacity(searches.len());
    for search in &searches {
        let world = |value| search.dial.model(value);
        let tipping = match search.search.search(world, interrupt.stop(), || progress.step()) {
            Ok(tipping) => tipping,
            Err(Halt::NoModel(trouble)) => return Err(trouble.into()),
            Err(Halt::Stopped) if found.is_empty() => return Err(Failure::Interrupted),
            Err(Halt::Stopped) => break,
        };
        let is_over = tipping.interrupted;
        found.push(TipOf { variant: search.variant, value: search.dial.value(), tipping });
        if is_over {
            break;
        }
    }
    drop(progress);

    let first = &searches[0].dial;
    let document = TipDocument {
        title: &story.title,
        axis: first.path(),
        is_length: first.is_length(),
        found: &found,
        long: args.long,
        rows: args.rows.map_or_else(TipRows::default, TipRows::from),
        not_begun: searches.len() - found.len(),
    };
    args.output.finish(&document, &interrupt, |files| {
        if let Some(folder) = &args.plot {
            plots::of_tip(files, folder, &stem(&args.source.file), &document)?;
        }
        Ok(())
    })
}

/// What is searched in one variant.
struct Search<'s> {
    variant: &'s str,
    dial: Dial<'s>,
    search: TipSearch,
}

impl<'s> Search<'s> {
    /// Refuses, before anything is run, what cannot be searched.
    fn prepare(args: &Args, story: &'s Story, variant: &'s Variant) -> Result<Self, Failure> {
        refuse_calm(&args.source.file, variant)?;
        let hint = args.bounds.from.as_deref();
        let mut dial = Dial::new(story, &variant.name, &args.axis, "--axis", hint)?;
        let AxisRange { from, to } = args.bounds.over(&mut dial)?;
        let whole = dial.is_whole(from, to);
        let range = Range { from, to, logarithmic: args.bounds.log, whole };
        let seed = args.first.or(story.seed);
        let search = TipSearch { range, seed, most_runs: args.runs };
        let least = search.least_runs();
        if args.runs < least {
            let runs = args.runs;
            return Err(
                anyhow!("--runs {runs} is too few: this axis needs {least} at least").into()
            );
        }
        Ok(Self { variant: &variant.name, dial, search })
    }
}
