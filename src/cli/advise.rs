//! `metastable advise`: what brings it back, from which value on, and at what price?

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args as Arguments;
use metastable::experiment::{
    Advisor, Cure, Effect, FEWEST_TO_ADVISE, HEALTHY_SEEDS, Halt, Trial, Tried, rank,
};
use metastable::report::table::{AdviceDocument, WayOut};
use metastable::scenario::{Parameter, Remedy, Story, Trouble, Variant, length};
use metastable::time::Time;

use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::options::Options;
use super::output::{Output, refuse_unwritable};
use super::plots;
use super::progress::Progress;
use super::seeds::{First, count};
use super::story::{Source, refuse_calm, stem};

/// Find what brings a collapse back: changes with their thresholds and their price, and an operator's way out
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    /// So long after the disturbance an operator acts; may be repeated
    /// [default: 10 and 30 windows]
    #[arg(long, value_name = "LENGTH", value_parser = after, allow_hyphen_values = true)]
    after: Vec<After>,
    /// Leave out what an operator can do
    #[arg(long, conflicts_with = "after")]
    no_operator: bool,
    #[command(flatten)]
    first: First,
    /// The most runs for one change: its search, and proofs on 40 more seeds
    #[arg(long, value_name = "N", default_value_t = 400, allow_negative_numbers = true)]
    #[arg(value_parser = count(FEWEST_TO_ADVISE..=100_000))]
    runs: u64,
    /// Save the charts (SVG and PNG) of the changes and of what an operator can do in
    /// this folder
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

/// How late an operator acts, and how that was typed.
#[derive(Clone, Debug)]
struct After {
    seconds: f64,
    typed: String,
}

impl After {
    fn from(&self) -> (&str, &str) {
        ("--after", &self.typed)
    }
}

fn after(text: &str) -> Result<After, String> {
    length(text).map(|span| After { seconds: span.as_secs_f64(), typed: text.to_owned() })
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

    let interrupt = Interrupt::listen_for_part()?;
    let (seed, stop) = (args.first.or(story.seed), interrupt.stop());
    let desk =
        Desk { story: &story, variant, advisor: Advisor { seed, most_runs: args.runs, stop } };
    let afters = desk.afters(args);
    for after in &afters {
        desk.check(after)?;
    }
    let (needs_help, mut others) = desk.advisor.needs_help(&variant.model).map_err(halted)?;
    let before = desk.advisor.health(&variant.model).map_err(halted)?;
    let mut tried = Vec::new();
    let mut ways_out = Vec::new();
    let (mut interrupted, mut not_tried) = (false, 0);
    if needs_help {
        let remedies = story.remedies(&variant.name);
        let trials = (remedies.len() + 4 * afters.len()) as u64;
        let progress = Progress::over(trials * args.runs, options);
        let outcome = desk.try_all(&remedies, &afters, &progress, &mut tried, &mut ways_out);
        not_tried = remedies.len() - tried.len();
        interrupted = match outcome {
            Ok(()) => false,
            Err(Failure::Interrupted) if !tried.is_empty() => true,
            Err(failure) => return Err(failure),
        };
        rank(&mut tried, &before);
    }
    let priced = 1 + tried.iter().filter(|tried| tried.health.is_some()).count() as u64;
    others[0] += HEALTHY_SEEDS * priced + ways_out.len() as u64;
    let document = AdviceDocument {
        title: &story.title,
        file: &args.source.file.display().to_string(),
        variant: &variant.name,
        needs_help,
        before,
        tried: &tried,
        ways_out: &ways_out,
        left_s: variant.model.horizon.as_secs_f64() - desk.ends(),
        others,
        interrupted: interrupted.then_some(not_tried),
    };
    args.output.finish(&document, &interrupt, |files| {
        if let Some(folder) = args.plot.as_ref().filter(|_| needs_help) {
            plots::of_advice(files, folder, &stem(&args.source.file), &document)?;
        }
        Ok(())
    })
}

/// One variant, and who tries changes of it.
struct Desk<'a> {
    story: &'a Story,
    variant: &'a Variant,
    advisor: Advisor<'a>,
}

impl Desk<'_> {
    /// How late an operator acts, in seconds.
    fn afters(&self, args: &Args) -> Vec<After> {
        if args.no_operator {
            return Vec::new();
        }
        if !args.after.is_empty() {
            return args.after.clone();
        }
        let usual = [10, 30].map(|windows| self.variant.model.window.saturating_mul(windows));
        usual.map(|span| After { seconds: span.as_secs_f64(), typed: span.to_string() }).to_vec()
    }

    /// When the disturbance is over, in seconds.
    fn ends(&self) -> f64 {
        let ends = self.variant.model.disturbed_between();
        ends.map_or(0.0, |(_, ends)| ends.since(Time::ZERO).as_secs_f64())
    }

    /// When that is.
    fn at(&self, after: &After) -> f64 {
        self.ends() + after.seconds
    }

    /// Refuses, before anything is run, what would make runs too long.
    fn check(&self, after: &After) -> Result<(), Failure> {
        let windows = 60.0 * self.variant.model.window.as_secs_f64();
        let least = self.at(after) + windows;
        Ok(self.story.lasting(&self.variant.name, least, after.from()).map(drop)?)
    }

    /// Tries everything, one after another.
    fn try_all(
        &self,
        remedies: &[Remedy],
        afters: &[After],
        progress: &Progress,
        tried: &mut Vec<Tried>,
        ways_out: &mut Vec<WayOut>,
    ) -> Result<(), Failure> {
        let most = self.advisor.most_runs;
        for remedy in remedies {
            let mut done = self.try_out(remedy)?;
            self.price(&mut done, remedy)?;
            progress.steps(most);
            tried.push(done);
        }
        for after in afters {
            ways_out.push(self.way_out(after)?);
            progress.steps(4 * most);
        }
        Ok(())
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

    /// What an operator can do who acts so long after the disturbance.
    fn way_out(&self, after: &After) -> Result<WayOut, Failure> {
        let (model, name) = (&self.variant.model, &self.variant.name);
        let at = self.at(after);
        // The run must last until somebody looks.
        let least = at + model.window.as_secs_f64();
        let watched = self.story.lasting(name, least, after.from())?;
        let backlog_s = self.advisor.backlog_s(&watched, at).map_err(halted)?;
        let ways = self.story.ways_out(name, at, backlog_s, after.from());
        let tried = ways.iter().map(|way| self.try_out(way)).collect::<Result<_, _>>()?;
        Ok(WayOut { after_s: after.seconds, backlog_s, tried })
    }
}

fn halted(halt: Halt<Trouble>) -> Failure {
    match halt {
        Halt::NoModel(trouble) => Failure::Scenario(trouble),
        Halt::Stopped => Failure::Interrupted,
    }
}
