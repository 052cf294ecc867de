//! One run with its verdict.

use crate::analysis::{Assessment, assess};
use crate::engine::{self, World};
use crate::model::{Model, Solver};
use crate::observe::{BusiestCount, Observer, Recording};
use crate::stepped;

/// A run of one variant under one seed, judged against its control run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Which variant of the story.
    pub variant: String,
    /// The seed that fixes every draw.
    pub seed: u64,
    /// What it means.
    pub assessment: Assessment,
    /// What was seen.
    pub recording: Recording,
}

/// A world with its name.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The variant's name.
    pub name: &'a str,
    /// Its world.
    pub model: &'a Model,
}

/// A place to run models one after another, keeping the engine's memory from run to run.
#[derive(Debug, Default)]
pub struct Workbench {
    world: World,
}

impl Workbench {
    /// Runs `model` under `seed` and judges it.
    pub fn run(&mut self, variant: &str, model: &Model, seed: u64) -> Run {
        let recording = self.record(model, seed);
        let assessment = assess(model, &recording, || self.record(&model.undisturbed(), seed));
        Run { variant: variant.to_owned(), seed, assessment, recording }
    }

    /// Runs `model` under `seed`, with others watching who are not asked every time, and judges it.
    pub(super) fn run_watched(
        &mut self,
        variant: &str,
        model: &Model,
        seed: u64,
        watchers: &mut Vec<BusiestCount>,
    ) -> Run {
        if watchers.is_empty() {
            return self.run(variant, model, seed);
        }
        let mut both = (Recording::of(model), watchers);
        self.watch(model, seed, &mut both);
        let (recording, _) = both;
        let assessment = assess(model, &recording, || self.record(&model.undisturbed(), seed));
        Run { variant: variant.to_owned(), seed, assessment, recording }
    }

    /// Runs `model` under `seed` and keeps what was seen.
    pub fn record(&mut self, model: &Model, seed: u64) -> Recording {
        let mut recording = Recording::of(model);
        self.watch(model, seed, &mut recording);
        recording
    }

    /// Runs `model` under `seed` and tells `observer` every fact.
    pub fn watch(&mut self, model: &Model, seed: u64, observer: &mut impl Observer) {
        match model.solver {
            Solver::Events => engine::run(&mut self.world, model, seed, observer),
            Solver::Stepped { step } => stepped::run(model, step, observer),
        }
    }
}
