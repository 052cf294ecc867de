//! `metastable run`: does it come back?

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args as Arguments, ValueEnum};
use metastable::experiment::{Run, Summary, Way, replicate};
use metastable::report::table::{Rows, RunDocument};

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
use super::story::{Source, model_of, stem, subjects};

/// Run a scenario and its variants: verdict, figures and timelines
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    seeds: Seeds,
    /// Save charts of the first seed (SVG and PNG) in this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    engine: Choice,
    #[command(flatten)]
    talk: Talk,
    #[command(flatten)]
    output: Output,
    /// What a row of CSV or Parquet is: a run, or each service, each edge (a call from one to
    /// another), each instance of a service that has several, or each window of the timeline
    #[arg(long, value_name = "WHAT")]
    rows: Option<Row>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Row {
    Runs,
    Services,
    Edges,
    Instances,
    Windows,
}

impl From<Row> for Rows {
    fn from(row: Row) -> Self {
        match row {
            Row::Runs => Self::Runs,
            Row::Services => Self::Services,
            Row::Edges => Self::Edges,
            Row::Instances => Self::Instances,
            Row::Windows => Self::Windows,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  metastable run storm.toml
  metastable run storm.toml --seeds 20 --variant 'no retries'
  metastable run storm.toml --set clients.web.call.timeout=500ms --plot plots
  metastable run storm.toml --format json | jq '.runs[].verdict'
  metastable run storm.toml -o storm.md -o storm.csv
  metastable run layers.toml --format csv --rows edges
  metastable run storm.toml --rows windows -o storm.parquet";

/// What is kept of a run: a summary, and the run itself where a chart needs it.
type Kept = (Summary, Option<Run>);

pub(super) fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    args.output.refuse_unwritable()?;
    if args.rows.is_some() && !args.output.writes_table() {
        return Err(anyhow!(
            "--rows is about CSV and Parquet: add --format csv, -o FILE.csv or -o FILE.parquet"
        )
        .into());
    }
    if let Some(folder) = &args.plot {
        refuse_unwritable(folder)?;
    }
    let story = args.source.read()?;
    args.output.spare(&story)?;
    let variants = args.source.pick(&story, options)?;
    if let Some(Row::Instances) = args.rows
        && variants.iter().all(|variant| variant.model.instances().next().is_none())
    {
        return Err(anyhow!("--rows instances: no service here has several instances").into());
    }
    let seeds = args.seeds.or(story.seed, 1);
    let subjects = subjects(&variants);

    let named = subjects.iter().map(|subject| (subject.name, subject.model));
    let engine = args.engine.of(named, options);
    let interrupt = Interrupt::listen()?;
    let way = Way { engine, ..Way::from(interrupt.stop()) };
    let progress = Progress::over((seeds.end - seeds.start) * subjects.len() as u64, options);
    let journal = Journal::new(progress, engine, &args.talk);
    let kept = replicate(&subjects, seeds.clone(), way, |run: Run| -> Kept {
        journal.ran(&run, model_of(&subjects, &run));
        let charted = (args.plot.is_some() && run.seed == seeds.start).then(|| run.clone());
        (Summary::from(run), charted)
    });
    drop(journal);
    let (runs, charted): (Vec<Summary>, Vec<Option<Run>>) =
        kept.ok_or(Failure::Interrupted)?.into_iter().unzip();

    let mut files = Files::default();
    if let Some(folder) = &args.plot {
        let charted: Vec<Run> = charted.into_iter().flatten().collect();
        plots::of_runs(
            &mut files,
            folder,
            &stem(&args.source.file),
            &story.title,
            &subjects,
            &charted,
        )?;
        files.tell(options);
    }
    let document = RunDocument {
        title: &story.title,
        subjects: &subjects,
        seeds,
        runs: &runs,
        rows: args.rows.map_or_else(Rows::default, Rows::from),
    };
    args.output.write(&document, files, &interrupt)?;
    Ok(Exit::Done)
}
