//! `metastable man`: manual pages, made of the same words as `--help`.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args as Arguments, Command};
use clap_mangen::Man;

use super::exit::Exit;
use super::failure::Failure;
use super::output::{Files, print, refuse_unwritable, save};

/// Print the manual page, or save one for each command
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Save metastable.1 and a page for each command in this folder
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  metastable man | man -l -
  metastable man --out ~/.local/share/man/man1";

pub(super) fn man(args: &Args, mut command: Command) -> Result<Exit, Failure> {
    command.build();
    let Some(folder) = &args.out else {
        print(&String::from_utf8(page(command)?).context("a page that is no text")?)?;
        return Ok(Exit::Done);
    };
    refuse_unwritable(folder)?;
    let mut files = Files::default();
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        // Named as it is found: man metastable-run.
        let name = sub.get_display_name().unwrap_or(sub.get_name()).to_owned();
        files.add(folder, &format!("{name}.1"), page(sub.clone())?);
    }
    files.add(folder, &format!("{}.1", command.get_name()), page(command)?);
    save(&files)?;
    Ok(Exit::Done)
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page).context("cannot make a manual page")?;
    Ok(page)
}
