//! `metastable trace`: everything that happens, in order.

use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow};
use clap::{Args as Arguments, ValueEnum};
use metastable::experiment::Workbench;
use metastable::model::Solver;
use metastable::report::table::{Lines, Scribe};
use metastable::scenario::length;
use metastable::time::{Span, Time};

use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::Interrupt;
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
    /// Leave out what happens before this second; 250ms is an instant as well
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

/// A number of seconds, or a length of time with its unit.
fn second(text: &str) -> Result<Time, String> {
    let wrong = "an instant is a number of seconds, such as 10.5, or has a unit: 250ms";
    let Ok(seconds) = text.parse::<f64>() else {
        return length(text).map(|span| Time::ZERO + span).map_err(|_| wrong.to_owned());
    };
    if !(0.0..=1e9).contains(&seconds) {
        return Err(wrong.to_owned());
    }
    Ok(Time::ZERO + Span::from_nanos_f64(seconds * 1e9))
}

/// Takes whole lines until somebody wants it to stop: what was printed before ends with a line.
struct Lined<W: Write> {
    out: BufWriter<W>,
    stop: &'static AtomicBool,
}

impl<W: Write> Write for Lined<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            self.out.flush()?;
            return Err(io::Error::other("interrupted"));
        }
        self.out.write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
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
    let (from, horizon) = (args.from, Time::ZERO + model.horizon);
    let to = args.to.unwrap_or(horizon);
    if from >= horizon {
        let (from, ends) = (from.as_secs_f64(), horizon.as_secs_f64());
        let unit = match from / 1e3 < ends {
            true => format!("; did you mean {from}ms?"),
            false => String::new(),
        };
        return Err(anyhow!(
            "--from: this is second {from}, and the run is over at second {ends}{unit}"
        )
        .into());
    }
    if to <= from {
        let (from, to) = (from.as_secs_f64(), to.as_secs_f64());
        return Err(anyhow!("--to: second {to} does not come after second {from}").into());
    }
    let lines = match args.format {
        Form::Text => Lines::Text,
        Form::Jsonl => Lines::Json,
    };
    let interrupt = Interrupt::listen_while_printing()?;
    let out = Lined { out: BufWriter::new(io::stdout().lock()), stop: interrupt.stop() };
    let mut scribe = Scribe::new(model, lines, from..to, out);
    Workbench::default().watch(model, args.seed.or(story.seed), &mut scribe);
    let closed = scribe.close();
    interrupt.close()?;
    match closed {
        // A reader that has seen enough and left is no failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(anyhow::Error::from(error).context("cannot write to standard output").into())
        }
        Ok(()) | Err(_) => Ok(Exit::Done),
    }
}
