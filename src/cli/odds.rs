//! `metastable odds`: how likely is a collapse by chance alone?

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args as Arguments, ValueEnum};
use metastable::experiment::{
    Answer, Collapse, Effort, FEWEST_REPETITIONS, How, calm_model, odds as find, usual_collapse,
};
use metastable::report::table::OddsDocument;
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
use super::story::{Source, stem};

/// Estimate how often it collapses by chance, with no trigger at all
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    /// Take it for a collapse that so much work waits for some service
    #[arg(long, value_name = "LENGTH", value_parser = above_zero, conflicts_with = "stays", allow_hyphen_values = true)]
    backlog: Option<Span>,
    /// Take it for a collapse that it is not calm for so long
    /// [default: ten windows, or ten of the longest timeout]
    #[arg(long, value_name = "LENGTH", value_parser = above_zero, allow_hyphen_values = true)]
    stays: Option<Span>,
    /// How it is found out; `auto` splits where collapses are too rare to wait for
    #[arg(long, value_name = "HOW", default_value = "auto")]
    method: Method,
    /// How many plain runs; or the most repetitions of splitting, at least 20
    /// [default: 400 or 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = count(1..=1_000_000))]
    runs: Option<u64>,
    /// For how long each is watched, if plainly [default: the scenario's horizon]
    #[arg(long, value_name = "LENGTH", value_parser = above_zero, allow_hyphen_values = true)]
    length: Option<Span>,
    #[command(flatten)]
    seed: First,
    /// Save the chart (SVG and PNG) in this folder, if by splitting
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Method {
    Auto,
    Plain,
    Splitting,
}

const EXAMPLES: &str = "\
Calm is what leaves less than a quarter of a timeout's work waiting or being
tried again.

Examples:
  metastable odds storm.toml --set clients.web.load=0.95
  metastable odds storm.toml --backlog 2s --plot plots
  metastable odds storm.toml --method plain --runs 1000 --length 10m
  metastable odds storm.toml --format json | jq .chance_day";

fn above_zero(text: &str) -> Result<Span, String> {
    let span = length(text)?;
    if span.is_zero() { Err("it must be above zero".to_owned()) } else { Ok(span) }
}

impl Args {
    /// Refuses options that would change nothing.
    fn refuse_idle(&self) -> Result<(), Failure> {
        let too_few = self.runs.filter(|runs| *runs < FEWEST_REPETITIONS);
        match self.method {
            Method::Splitting if self.length.is_some() => {
                Err(anyhow!("--length is of plain runs: --method splitting has none").into())
            }
            Method::Plain if self.plot.is_some() => {
                Err(anyhow!("--plot draws the heights of splitting: --method plain has none")
                    .into())
            }
            Method::Auto | Method::Splitting if too_few.is_some() => Err(anyhow!(
                "--runs {} is too few: splitting takes {FEWEST_REPETITIONS} repetitions at least, \
                 and --method plain any number of runs",
                too_few.unwrap_or_default()
            )
            .into()),
            Method::Auto | Method::Plain | Method::Splitting => Ok(()),
        }
    }
}

/// Steps of progress that splitting is likely to take.
const REPETITIONS: u64 = 32;

pub(super) fn odds(args: &Args, options: &Options) -> Result<Exit, Failure> {
    args.output.refuse_unwritable()?;
    if let Some(folder) = &args.plot {
        refuse_unwritable(folder)?;
    }
    args.refuse_idle()?;
    let story = args.source.read()?;
    args.output.spare(&story)?;
    let variant = args.source.pick_one(&story, options)?;
    let seed = args.seed.or(story.seed);
    let file = args.source.file.display();
    let model = calm_model(&variant.model, seed).map_err(|error| anyhow!("{file}: {error}"))?;
    let collapse = match (args.backlog, args.stays) {
        (Some(backlog), _) => Collapse::Reaches(backlog.as_secs_f64()),
        (None, Some(length)) => Collapse::Stays(length),
        (None, None) => usual_collapse(&model),
    };
    let how = match args.method {
        Method::Auto => How::Either,
        Method::Plain => How::Plain,
        Method::Splitting => How::Splitting,
    };
    let length = args.length.unwrap_or(variant.model.horizon);

    let interrupt = Interrupt::listen_for_part()?;
    let usual = Effort::default();
    let effort = Effort {
        runs: args.runs.unwrap_or(usual.runs),
        length,
        repetitions: args.runs.unwrap_or(usual.repetitions),
    };
    let steps = match args.method {
        Method::Auto | Method::Plain => effort.runs,
        Method::Splitting => REPETITIONS.min(effort.repetitions),
    };
    let progress = Progress::over(steps, options);
    let found = find(&model, collapse, how, seed, effort, interrupt.stop(), || progress.step());
    drop(progress);
    let found = found.ok_or(Failure::Interrupted)?;

    let document =
        OddsDocument { title: &story.title, variant: &variant.name, collapse, found: &found };
    args.output.finish(&document, &interrupt, |files| {
        match &found {
            Answer::Splitting(_) if args.length.is_some() => files.note(
                "--length is of plain runs, and collapses are too rare for them here: they were split"
                    .to_owned(),
            ),
            Answer::Plain(_) if args.plot.is_some() => {
                files.note("there is no chart of plain runs: --method splitting has one".to_owned());
            }
            Answer::Splitting(_) | Answer::Plain(_) => {}
        }
        files.tell(options);
        if let Some(folder) = &args.plot {
            plots::of_odds(files, folder, &stem(&args.source.file), &document)?;
        }
        Ok(())
    })
}
