//! `metastable presets`: what widely used clients and services do, and where that was read.

use std::fmt::Write;

use anyhow::anyhow;
use clap::Args as Arguments;
use metastable::report::terminal::fold;
use metastable::scenario::{Preset, Side};

use super::exit::Exit;
use super::failure::Failure;
use super::output::{print, width};

/// List what widely used clients and services do, ready to paste
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Print this preset as TOML, with its sources
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  metastable presets
  metastable presets aws_standard
  metastable presets netflix_gradient2

A scenario takes a preset by name, and each key can be given anew beside it:
  call.preset = \"aws_standard\"
  call.retry.exponential.max_attempts = 5
or, of a service:
  preset = \"netflix_gradient2\"
  limit.gradient2.max = 500";

pub(super) fn presets(args: &Args) -> Result<Exit, Failure> {
    let presets = Preset::all();
    let text = match &args.name {
        None => {
            let lists = Side::ALL.map(|side| listed_of(side, &presets)).join("\n");
            format!("{lists}\nKeys and sources of one: metastable presets NAME\n")
        }
        Some(name) => {
            let preset = presets.iter().find(|preset| preset.name == *name);
            let missing = || {
                let near = Preset::nearest(name).map(|near| format!(": did you mean `{near}`?"));
                let help =
                    near.unwrap_or("; `metastable presets` lists those there are".to_owned());
                anyhow!("there is no preset `{name}`{help}")
            };
            pasted(preset.ok_or_else(missing)?)
        }
    };
    print(&text)?;
    Ok(Exit::Done)
}

/// The presets of one side under a heading that says where they are named.
fn listed_of(side: Side, presets: &[Preset]) -> String {
    let heading = match side {
        Side::Client => "Clients",
        Side::Service => "Services",
    };
    let listed = presets.iter().filter(|preset| preset.side == side).map(listed);
    let listed = listed.collect::<Vec<_>>().join("\n");
    format!("{heading}, named as {}:\n\n{listed}", side.path())
}

/// A preset in the list; its sources are long, and stand with its keys.
fn listed(preset: &Preset) -> String {
    let Preset { name, about, version, .. } = preset;
    fold(&format!("{name}\n  {about}\n  {version}\n"), width())
}

/// A preset as a piece of a scenario.
fn pasted(preset: &Preset) -> String {
    let Preset { side: _, name, about, version, sources, toml } = preset;
    let mut text = format!("# {name}: {about}.\n# {version}\n");
    for source in sources {
        let _ = writeln!(text, "# {source}");
    }
    text + toml + "\n"
}
