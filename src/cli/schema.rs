//! `metastable schema`: what an editor needs to know of scenario files, and what a person does.

use std::path::PathBuf;

use clap::Args as Arguments;
use metastable::scenario::{reference, schema as json_schema};

use super::exit::Exit;
use super::failure::Failure;
use super::output::{Files, print, refuse_unwritable_file, save};

/// Print the JSON Schema of scenario files, for editors
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Print the reference of every key as markdown instead
    #[arg(long)]
    markdown: bool,
    /// Save it in this file instead of printing it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  metastable schema -o scenario.schema.json
  metastable schema --markdown -o reference.md

Editors that know JSON Schemas for TOML (Taplo, Even Better TOML in VS Code)
find it by a line at the top of a scenario file, with a path from its folder:
  #:schema scenario.schema.json";

pub(super) fn schema(args: &Args) -> Result<Exit, Failure> {
    let text = if args.markdown { reference() } else { json_schema() };
    let Some(path) = &args.output else {
        print(&text)?;
        return Ok(Exit::Done);
    };
    refuse_unwritable_file("-o", path)?;
    let mut files = Files::default();
    files.add_at(path, text.into_bytes());
    save(&files)?;
    Ok(Exit::Done)
}
