//! `metastable completions`: what a shell needs to complete a command line.

use anyhow::Context;
use clap::{Args as Arguments, Command};
use clap_complete::{Shell, generate};

use super::exit::Exit;
use super::failure::Failure;
use super::output::print;

/// Print completions for a shell
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Which shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  metastable completions bash > metastable.bash; source metastable.bash
  metastable completions zsh > ~/.zfunc/_metastable
  metastable completions fish > ~/.config/fish/completions/metastable.fish";

pub(super) fn completions(args: &Args, mut command: Command) -> Result<Exit, Failure> {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    generate(args.shell, &mut command, name, &mut script);
    print(&String::from_utf8(script).context("a script that is no text")?)?;
    Ok(Exit::Done)
}
