//! Which engine plays the runs, and what it says of that.

use clap::{Args, ValueEnum};
use metastable::engine::shortcut::{Obstacle, obstacles};
use metastable::experiment::Engine;
use metastable::model::Model;

use super::options::Options;
use super::output::tell;

/// How runs are worked out.
#[derive(Debug, Args)]
pub(super) struct Choice {
    /// Work runs out by the shortcut where a scenario allows it [default], or
    /// event by event, and say which is used and why; results are the same
    #[arg(long, value_name = "ENGINE")]
    engine: Option<Name>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Name {
    Auto,
    Events,
}

impl Choice {
    /// What plays the runs of models called `names`, said if anybody asked.
    pub(super) fn of<'m>(
        &self,
        models: impl Iterator<Item = (&'m str, &'m Model)>,
        options: &Options,
    ) -> Engine {
        let engine = match self.engine {
            None | Some(Name::Auto) => Engine::Auto,
            Some(Name::Events) => Engine::Events,
        };
        if self.engine.is_some() && !options.quiet {
            told(models, engine).iter().for_each(|line| tell(line));
        }
        engine
    }
}

/// One line for all models of one name that are played alike.
fn told<'m>(models: impl Iterator<Item = (&'m str, &'m Model)>, engine: Engine) -> Vec<String> {
    let mut lines: Vec<(String, u64)> = Vec::new();
    for (name, model) in models {
        let line = format!("{name}: {}", how(model, engine));
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, count)) => *count += 1,
            None => lines.push((line, 1)),
        }
    }
    let with_count = |(line, count): (String, u64)| match count {
        1 => line,
        many => format!("{line} ({many} cells)"),
    };
    lines.into_iter().map(with_count).collect()
}

/// What plays the runs of a model, and why.
pub(super) fn how(model: &Model, engine: Engine) -> String {
    match (engine, &obstacles(model)[..]) {
        (_, [Obstacle::Solver, ..]) => "in steps, as the scenario asks for".to_owned(),
        (Engine::Auto, []) => "by the shortcut".to_owned(),
        (Engine::Events, []) => "event by event, though there is a shortcut".to_owned(),
        (_, obstacles) => format!("event by event; there is {}", list(obstacles)),
    }
}

fn list(obstacles: &[Obstacle]) -> String {
    let words: Vec<&str> = obstacles.iter().map(|obstacle| obstacle.words()).collect();
    match &words[..] {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
