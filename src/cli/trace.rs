//! `metastable trace`: everything that happens, in order.

use std::io::{self, BufWriter};

use anyhow::{Context, anyhow};
use clap::{Args as Arguments, ValueEnum};
use metastable::experiment::Workbench;
use metastable::model::Solver;
use metastable::report::table::{Lines, Scribe};
use metastable::time::{Span, Time};

use super::exit::Exit;
use super::failure::Failure;
use super::options::Options;
use super::seeds::First;
use super::story::Source;

/// Print every fact of one run, a line each
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    seed: First,
    /// How a line is written: words, or a JSON object
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    format: Form,
    /// Leave out what happens before this second
    #[arg(long, value_name = "SECOND", default_value = "0", value_parser = second)]
    from: Time,
    /// Leave out what happens from this second on [default: the horizon]
    #[arg(long, value_name = "SECOND", value_parser = second)]
    to: Option<Time>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Text,
    Jsonl,
}

const EXAMPLES: &str = "\
The run is that of the scenario as it is written, or of the first variant that
is asked for. Requests are numbered as they arrive.

Examples:
  metastable trace storm.toml --from 10 --to 10.1
  metastable trace storm.toml --variant 'no retries' | head
  metastable trace storm.toml --format jsonl | jq 'select(.fact == \"shed\")'";

fn second(text: &str) -> Result<Time, String> {
    let wrong = || "an instant is a number of seconds, such as 10.5".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if !(0.0..=1e9).contains(&seconds) {
        return Err(wrong());
    }
    Ok(Time::ZERO + Span::from_nanos_f64(seconds * 1e9))
}

pub(super) fn trace(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let story = args.source.read()?;
    let variants = args.source.pick(&story, options)?;
    let model = &variants.first().context("a story has a variant")?.model;
    if let Solver::Stepped { .. } = model.solver {
        return Err(anyhow!(
            "the stepped solver counts attempts and follows none: add --set solver=events"
        )
        .into());
    }
    let to = args.to.unwrap_or(Time::ZERO + model.horizon);
    if to <= args.from {
        return Err(anyhow!("--from and --to leave nothing: --to comes first").into());
    }
    let lines = match args.format {
        Form::Text => Lines::Text,
        Form::Jsonl => Lines::Json,
    };
    let out = BufWriter::new(io::stdout().lock());
    let mut scribe = Scribe::new(model, lines, args.from..to, out);
    Workbench::default().watch(model, args.seed.or(story.seed), &mut scribe);
    match scribe.close() {
        // A reader that has seen enough and left is no failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(anyhow::Error::from(error).context("cannot write to standard output").into())
        }
        Ok(()) | Err(_) => Ok(Exit::Done),
    }
}
