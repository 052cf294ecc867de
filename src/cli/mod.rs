//! The roof: what is typed, and what is done about it. One command, one file; nothing here computes.

mod advise;
mod axis;
mod basin;
mod check;
mod completions;
mod engine;
mod exit;
mod explain;
mod failure;
mod files;
mod frontier;
mod hysteresis;
mod init;
mod interrupt;
mod journal;
mod man;
mod odds;
mod options;
mod output;
mod plot;
mod plots;
mod presets;
mod progress;
mod report;
mod run;
mod schema;
mod seeds;
mod steps;
mod story;
mod sweep;
mod tip;
mod trace;

use std::panic;

use clap::{CommandFactory, Parser, Subcommand};

pub(crate) use exit::Exit;
use failure::Failure;
use options::Options;
use output::{complain, tell};

/// Simulates a service, its clients and a disturbance, and tells whether the service comes back by
/// itself.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 80, disable_help_subcommand = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    options: Options,
}

const EXAMPLES: &str = "\
Examples:
  metastable init
  metastable run scenarios/retry-storm.toml
  metastable run scenarios/retry-storm.toml --set clients.web.load=0.5
  metastable explain scenarios/retry-storm.toml
  metastable sweep scenarios/headroom.toml --plot plots
  metastable report scenarios/headroom.toml -o report.html
  metastable check scenarios

Exit codes: 0 done, 1 a promise is broken, 2 the scenario or the command line
is wrong, 3 interrupted, 4 nothing to check.";

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Sweep(sweep::Args),
    Tip(tip::Args),
    Frontier(frontier::Args),
    Advise(advise::Args),
    Check(check::Args),
    Plot(plot::Args),
    Explain(explain::Args),
    Trace(trace::Args),
    Basin(basin::Args),
    Hysteresis(hysteresis::Args),
    Odds(odds::Args),
    Report(report::Args),
    Presets(presets::Args),
    Init(init::Args),
    Schema(schema::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Does what the command line says.
pub(crate) fn main() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() {
                tell(error.render().ansi().to_string().trim_end());
                return Exit::Invalid;
            }
            // A reader that is gone needs no help text.
            let _ = error.print();
            return Exit::Done;
        }
    };
    cli.options.apply();
    panic::set_hook(Box::new(|broken| {
        complain(&format!("this is a bug in metastable, please report it: {broken}"));
    }));
    match panic::catch_unwind(|| cli.dispatch()) {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => failure.report(),
        Err(_) => Exit::Bug,
    }
}

impl Cli {
    fn dispatch(&self) -> Result<Exit, Failure> {
        match &self.command {
            Command::Run(args) => run::run(args, &self.options),
            Command::Sweep(args) => sweep::sweep(args, &self.options),
            Command::Tip(args) => tip::tip(args, &self.options),
            Command::Frontier(args) => frontier::frontier(args, &self.options),
            Command::Advise(args) => advise::advise(args, &self.options),
            Command::Check(args) => check::check(args, &self.options),
            Command::Plot(args) => plot::plot(args, &self.options),
            Command::Explain(args) => explain::explain(args, &self.options),
            Command::Trace(args) => trace::trace(args, &self.options),
            Command::Basin(args) => basin::basin(args, &self.options),
            Command::Hysteresis(args) => hysteresis::hysteresis(args, &self.options),
            Command::Odds(args) => odds::odds(args, &self.options),
            Command::Report(args) => report::report(args, &self.options),
            Command::Presets(args) => presets::presets(args),
            Command::Init(args) => init::init(args, &self.options),
            Command::Schema(args) => schema::schema(args),
            Command::Completions(args) => completions::completions(args, Self::command()),
            Command::Man(args) => man::man(args, Self::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_fits_eighty_columns() {
        let mut command = Cli::command();
        command.build();
        let mut texts = vec![command.render_long_help().to_string()];
        texts.extend(command.get_subcommands_mut().map(|sub| sub.render_long_help().to_string()));
        for line in texts.iter().flat_map(|text| text.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(texts.iter().all(|text| text.contains("Example")), "every command shows one");
        // What is wider would be broken in the middle of a command.
        for sub in command.get_subcommands() {
            let shown = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in shown.lines() {
                assert!(line.chars().count() <= 80, "{}: {line}", sub.get_name());
            }
        }
    }
}
