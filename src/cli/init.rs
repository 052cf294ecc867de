//! `metastable init`: a scenario to begin with.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args as Arguments;
use metastable::report::file::save_new;

use super::exit::Exit;
use super::failure::Failure;
use super::options::Options;
use super::output::say;

/// Write a commented scenario that runs, to change
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The file to write; one that is there already is left as it is
    #[arg(value_name = "FILE", default_value = "scenario.toml")]
    file: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  metastable init
  metastable init checkout.toml && metastable run checkout.toml";

/// What is written: in a file of its own, so that the tests check it like any other scenario.
const SCENARIO: &str = include_str!("init.toml");

pub(super) fn init(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let file = &args.file;
    file.file_name().context("a scenario needs a name, such as scenario.toml")?;
    save_new(file, SCENARIO.as_bytes()).map_err(anyhow::Error::from)?;
    if !options.quiet {
        say(&format!("{}: try metastable run, explain and check", file.display()));
    }
    Ok(Exit::Done)
}
