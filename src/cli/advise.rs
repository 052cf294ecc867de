//! `metastable advise`: what brings it back, from which value on, and at what price?

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args as Arguments;
use metastable::experiment::{Advisor, Cure, Effect, Halt, Trial, Tried, rank};
use metastable::report::table::{AdviceDocument, WayOut};
use metastable::scenario::{Parameter, Remedy, Story, Trouble, Variant, length};
use metastable::time::{Span, Time};

use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::options::Options;
use super::output::{Files, Output, refuse_unwritable};
use super::plots;
use super::progress::Progress;
use super::seeds::First;
use super::story::{Source, refuse_calm, stem};

/// Find what brings a collapse back: changes with their thresholds and their price, and an operator's way out
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    /// So long after the disturbance an operator acts; may be repeated
    /// [default: 10 and 30 windows]
    #[arg(long, value_name = "LENGTH", value_parser = seconds)]
    after: Vec<f64>,
    /// Leave out what an operator can do
    #[arg(long)]
    no_operator: bool,
    #[command(flatten)]
    first: First,
    /// The most runs of one search, before its result is proved on 40 more seeds
    #[arg(long, value_name = "N", default_value_t = 120)]
    #[arg(value_parser = clap::value_parser!(u64).range(110..=100_000))]
    runs: u64,
    /// Save the chart of the changes (SVG and PNG) in this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
It is the scenario as written that is looked at, or one --variant.

Examples:
  metastable advise storm.toml
  metastable advise storm.toml --variant 'load 0.5' --after 20s --after 60s
  metastable advise storm.toml --no-operator -o advice.md --plot plots
  metastable advise storm.toml --format json | jq '.changes[0].set'";

fn seconds(text: &str) -> Result<f64, String> {
    length(text).map(Span::as_secs_f64)
}

pub(super) fn advise(args: &Args, options: &Options) -> Result<Exit, Failure> {
    args.output.refuse_unwritable()?;
    if let Some(folder) = &args.plot {
        refuse_unwritable(folder)?;
    }
    let story = args.source.read()?;
    args.output.spare(&story)?;
    let variants = args.source.pick_or_base(&story, options)?;
    let [variant] = variants.as_slice() else {
        return Err(anyhow!("advice is for one variant: name one --variant").into());
    };
    refuse_calm(&args.source.file, variant)?;

    let interrupt = Interrupt::listen()?;
    let (seed, stop) = (args.first.or(story.seed), interrupt.stop());
    let desk =
        Desk { story: &story, variant, advisor: Advisor { seed, most_runs: args.runs, stop } };
    let needs_help = desk.advisor.needs_help(&variant.model).map_err(halted)?;
    let before = desk.advisor.health(&variant.model).map_err(halted)?;
    let mut tried = Vec::new();
    let mut ways_out = Vec::new();
    if needs_help {
        let remedies = story.remedies(&variant.name);
        let afters = desk.afters(args);
        let trials = (remedies.len() + 4 * afters.len()) as u64;
        let progress = Progress::over(trials * args.runs, options);
        for remedy in &remedies {
            let mut done = desk.try_out(remedy)?;
            desk.price(&mut done, remedy)?;
            progress.steps(args.runs);
            tried.push(done);
        }
        for after_s in afters {
            ways_out.push(desk.way_out(after_s)?);
            progress.steps(4 * args.runs);
        }
        rank(&mut tried, &before);
    }
    let document = AdviceDocument {
        title: &story.title,
        file: &args.source.file.display().to_string(),
        variant: &variant.name,
        needs_help,
        before,
        tried: &tried,
        ways_out: &ways_out,
    };
    let mut files = Files::default();
    if let Some(folder) = args.plot.as_ref().filter(|_| needs_help) {
        plots::of_advice(&mut files, folder, &stem(&args.source.file), &document)?;
    }
    args.output.write(&document, files, &interrupt)?;
    Ok(Exit::Done)
}

/// One variant, and who tries changes of it.
struct Desk<'a> {
    story: &'a Story,
    variant: &'a Variant,
    advisor: Advisor<'a>,
}

impl Desk<'_> {
    /// How late an operator acts, in seconds.
    fn afters(&self, args: &Args) -> Vec<f64> {
        if args.no_operator {
            return Vec::new();
        }
        if !args.after.is_empty() {
            return args.after.clone();
        }
        let window = self.variant.model.window.as_secs_f64();
        vec![10.0 * window, 30.0 * window]
    }

    fn try_out(&self, remedy: &Remedy) -> Result<Tried, Failure> {
        let name = &self.variant.name;
        let world = |value: f64| remedy.model(self.story, name, value);
        let trial: Trial = match &remedy.along {
            Some(Parameter { range, gentle, .. }) => {
                self.advisor.try_along(*range, *gentle, world).map_err(halted)?
            }
            None => self.advisor.try_fixed(&world(0.0)?).map_err(halted)?,
        };
        let value = match &trial.effect {
            Effect::Helps(Cure { value, .. }) => value.unwrap_or(0.0),
            Effect::Never { .. } | Effect::Unreliable { .. } => 0.0,
        };
        let helps = matches!(trial.effect, Effect::Helps(_));
        let along = remedy.along.as_ref();
        Ok(Tried {
            name: remedy.name.clone(),
            parameter: along.map(|parameter| parameter.name),
            is_length: along.is_some_and(|parameter| parameter.is_length),
            along: along.map(|parameter| (parameter.range, parameter.gentle)),
            changes: if helps { remedy.changes(value) } else { Vec::new() },
            trial,
            health: None,
        })
    }

    /// Adds what a change costs that helps.
    fn price(&self, tried: &mut Tried, remedy: &Remedy) -> Result<(), Failure> {
        if let Some(cure) = tried.cure() {
            let value = cure.value.unwrap_or(0.0);
            let model = remedy.model(self.story, &self.variant.name, value)?;
            tried.health = Some(self.advisor.health(&model).map_err(halted)?);
        }
        Ok(())
    }

    /// What an operator can do who acts so many seconds after the disturbance.
    fn way_out(&self, after_s: f64) -> Result<WayOut, Failure> {
        let (model, name) = (&self.variant.model, &self.variant.name);
        let ends =
            model.disturbed_between().map_or(0.0, |(_, ends)| ends.since(Time::ZERO).as_secs_f64());
        let at = ends + after_s;
        // The run must last until somebody looks.
        let watched = self.story.lasting(name, at + model.window.as_secs_f64())?;
        let backlog_s = self.advisor.backlog_s(&watched, at).map_err(halted)?;
        let ways = self.story.ways_out(name, at, backlog_s);
        let tried = ways.iter().map(|way| self.try_out(way)).collect::<Result<_, _>>()?;
        Ok(WayOut { after_s, backlog_s, tried })
    }
}

fn halted(halt: Halt<Trouble>) -> Failure {
    match halt {
        Halt::NoModel(trouble) => Failure::Scenario(trouble),
        Halt::Stopped => Failure::Interrupted,
    }
}
