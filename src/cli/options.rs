//! Options that every command takes.

use std::num::NonZeroU16;

use clap::{Args, ValueEnum};

/// What holds for every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(super) struct Options {
    /// Tell results and errors only: no progress, no warnings
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// Use colours; `auto` does on terminals where NO_COLOR is not set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Colour,
    /// Run on this many threads; results do not depend on it [default: all cores]
    #[arg(short, long, global = true, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroU16>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

fn jobs(text: &str) -> Result<NonZeroU16, String> {
    text.parse().map_err(|_| {
        format!("a number of threads is from 1 to {}; leave it out for all cores", u16::MAX)
    })
}

impl Options {
    /// Makes what concerns the whole process so.
    pub(super) fn apply(&self) {
        let choice = match self.color {
            Colour::Auto => anstream::ColorChoice::Auto,
            Colour::Always => anstream::ColorChoice::Always,
            Colour::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        if let Some(jobs) = self.jobs {
            // It fails only if there is a pool already, and this is the first to ask for one.
            let threads = usize::from(jobs.get());
            let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        }
    }
}
