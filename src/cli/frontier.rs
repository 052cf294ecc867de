//! `metastable frontier`: the tipping line of two parameters.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args as Arguments;
use metastable::experiment::{FrontierSearch, Halt, Range};
use metastable::report::table::{Axis, FrontierDocument};
use metastable::scenario::Dial;

use super::axis::{AxisRange, over};
use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::options::Options;
use super::output::{Output, refuse_unwritable};
use super::plots;
use super::progress::Progress;
use super::seeds::{First, count};
use super::story::{Source, refuse_calm, stem};

/// Find the tipping line of two parameters by following it
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    /// The dotted path of the parameter from left to right
    #[arg(long, value_name = "PATH")]
    x: String,
    /// The dotted path of the parameter that is searched at each value of the other
    #[arg(long, value_name = "PATH")]
    y: String,
    /// The smallest value from left to right [default: a quarter of what is written]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    x_from: Option<String>,
    /// The largest value from left to right [default: twice what is written]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    x_to: Option<String>,
    /// The smallest value of the other [default: a quarter of what is written]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    y_from: Option<String>,
    /// The largest value of the other [default: twice what is written]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    y_to: Option<String>,
    /// Go from left to right in even ratios instead of even steps
    #[arg(long)]
    x_log: bool,
    /// Go along the other in even ratios instead of even steps
    #[arg(long)]
    y_log: bool,
    #[command(flatten)]
    first: First,
    /// The most runs, control runs apart
    #[arg(long, value_name = "N", default_value_t = 1000, allow_negative_numbers = true)]
    #[arg(value_parser = count(1..=1_000_000))]
    runs: u64,
    /// Save the chart (SVG and PNG) in this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
It is the scenario as written that is searched, or one --variant.

Examples:
  metastable frontier storm.toml --x clients.web.load --x-from 0.2 --x-to 0.95 \\
      --y triggers.gc.stall.lasts --y-from 0.5s --y-to 4s --plot plots
  metastable frontier storm.toml --x clients.web.call.timeout --x-log \\
      --x-from 100ms --x-to 10s --y triggers.gc.stall.lasts -o frontier.csv";

pub(super) fn frontier(args: &Args, options: &Options) -> Result<Exit, Failure> {
    args.output.refuse_unwritable()?;
    if let Some(folder) = &args.plot {
        refuse_unwritable(folder)?;
    }
    let story = args.source.read()?;
    args.output.spare(&story)?;
    let variants = args.source.pick_or_base(&story, options)?;
    let [variant] = variants.as_slice() else {
        return Err(anyhow!("a frontier is that of one variant: name one --variant").into());
    };
    refuse_calm(&args.source.file, variant)?;
    let dial = |path: &str, name, hint: &Option<String>| {
        Dial::new(&story, &variant.name, path, name, hint.as_deref())
    };
    let mut x = dial(&args.x, "--x", &args.x_from)?;
    let mut y = dial(&args.y, "--y", &args.y_from)?;
    let range = |dial: &mut Dial<'_>, from: &Option<String>, to: &Option<String>, names, log| {
        let AxisRange { from, to } = over(from.as_deref(), to.as_deref(), names, log, dial)?;
        let whole = dial.is_whole(from, to);
        Ok::<Range, Failure>(Range { from, to, logarithmic: log, whole })
    };
    let search = FrontierSearch {
        x: range(&mut x, &args.x_from, &args.x_to, ["--x-from", "--x-to"], args.x_log)?,
        y: range(&mut y, &args.y_from, &args.y_to, ["--y-from", "--y-to"], args.y_log)?,
        seed: args.first.or(story.seed),
        most_runs: args.runs,
    };
    let least = search.least_runs();
    if args.runs < least {
        let runs = args.runs;
        return Err(anyhow!("--runs {runs} is too few: these axes need {least} at least").into());
    }
    let world =
        |at_x: f64, at_y: f64| story.altered(&variant.name, &[x.change(at_x), y.change(at_y)]);
    // Two paths of which one lies within the other make no world at all.
    world(search.x.from, search.y.from)?;

    let interrupt = Interrupt::listen_for_part()?;
    let progress = Progress::over(args.runs, options);
    let found = search.search(world, interrupt.stop(), || progress.step());
    drop(progress);
    let found = found.map_err(|halt| match halt {
        Halt::NoModel(trouble) => Failure::Scenario(trouble),
        Halt::Stopped => Failure::Interrupted,
    })?;

    let document = FrontierDocument {
        title: &story.title,
        variant: &variant.name,
        x: Axis { path: x.path(), is_length: x.is_length() },
        y: Axis { path: y.path(), is_length: y.is_length() },
        grid_runs: search.grid_runs(&found),
        frontier: &found,
    };
    args.output.finish(&document, &interrupt, |files| {
        if let Some(folder) = &args.plot {
            plots::of_frontier(files, folder, &stem(&args.source.file), &document)?;
        }
        Ok(())
    })
}
