//! `metastable explain`: why does it not come back, or why does it?

use clap::Args as Arguments;
use metastable::experiment::{Engine, Run, replicate};
use metastable::report::table::ExplainDocument;

use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::journal::{Journal, Talk};
use super::options::Options;
use super::output::{Files, Output};
use super::progress::Progress;
use super::seeds::First;
use super::story::{Source, model_of, subjects};

/// Tell why a scenario comes back or does not, with the numbers of a run
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    seed: First,
    #[command(flatten)]
    talk: Talk,
    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
The story is that of the scenario as it is written, or of the first variant that
is asked for; of the others it is told which of them come back.

Examples:
  metastable explain storm.toml
  metastable explain storm.toml --variant 'no retries'
  metastable explain storm.toml --format json | jq '.steps[].says'";

pub(super) fn explain(args: &Args, options: &Options) -> Result<Exit, Failure> {
    args.output.refuse_unwritable()?;
    let story = args.source.read()?;
    args.output.spare(&story)?;
    let variants = args.source.pick(&story, options)?;
    let seed = args.seed.or(story.seed);
    let subjects = subjects(&variants);
    let interrupt = Interrupt::listen()?;
    let progress = Progress::over(subjects.len() as u64, options);
    let journal = Journal::new(progress, Engine::default(), &args.talk);
    let runs = replicate(&subjects, seed..seed + 1, interrupt.stop(), |run: Run| {
        journal.ran(&run, model_of(&subjects, &run));
        run
    });
    drop(journal);
    let runs = runs.ok_or(Failure::Interrupted)?;
    let document = ExplainDocument { title: &story.title, subjects: &subjects, runs: &runs };
    args.output.write(&document, Files::default(), &interrupt)?;
    Ok(Exit::Done)
}
