//! `metastable presets`: what widely used clients do, and where that was read.

use std::fmt::Write;

use anyhow::anyhow;
use clap::Args as Arguments;
use metastable::scenario::Preset;

use super::exit::Exit;
use super::failure::Failure;
use super::output::print;

/// List what widely used clients do, ready to paste
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Print this preset as TOML
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  metastable presets
  metastable presets aws_standard

A scenario takes a preset by name, and each key can be given anew beside it:
  call.preset = \"aws_standard\"
  call.retry.exponential.max_attempts = 5";

pub(super) fn presets(args: &Args) -> Result<Exit, Failure> {
    let presets = Preset::all();
    let text = match &args.name {
        None => presets.iter().map(listed).collect::<Vec<_>>().join("\n"),
        Some(name) => {
            let preset = presets.iter().find(|preset| preset.name == *name);
            let missing = || {
                anyhow!("there is no preset `{name}`; `metastable presets` lists those there are")
            };
            pasted(preset.ok_or_else(missing)?)
        }
    };
    print(&text)?;
    Ok(Exit::Done)
}

/// A preset in the list.
fn listed(preset: &Preset) -> String {
    let Preset { name, about, version, sources, .. } = preset;
    let mut text = format!("{name}\n  {about}\n  {version}\n");
    for source in sources {
        let _ = writeln!(text, "  {source}");
    }
    text
}

/// A preset as a piece of a scenario.
fn pasted(preset: &Preset) -> String {
    let Preset { name, about, version, sources, toml } = preset;
    let mut text = format!("# {name}: {about}.\n# {version}\n");
    for source in sources {
        let _ = writeln!(text, "# {source}");
    }
    text + toml + "\n"
}
