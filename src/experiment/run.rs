//! One run with its verdict.

use crate::analysis::{Assessment, assess, control_fails, settled_from};
use crate::engine::shortcut::{Early, Shortcut, obstacles};
use crate::engine::{self, World};
use crate::model::{Model, Solver};
use crate::observe::{BusiestCount, Observer, Recording, Window};
use crate::stepped;
use crate::time::Span;

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

/// What plays a run event by event; a model of another solver asks neither. Results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The shortcut where there is one, the event loop elsewhere.
    #[default]
    Auto,
    /// The event loop, always.
    Events,
}

impl Engine {
    /// Whether `model` is run by the [shortcut](engine::shortcut).
    pub fn takes_shortcut(self, model: &Model) -> bool {
        match self {
            Self::Auto => obstacles(model).is_empty(),
            Self::Events => false,
        }
    }
}

/// A control run that others are held against.
#[derive(Clone, Debug)]
pub(super) struct Control {
    /// Whether it fails too.
    pub(super) fails: bool,
    /// Its windows, if they are needed and nobody gave up in it.
    untroubled: Option<Vec<Window>>,
}

/// For how long a run must have been without hope to be given up.
const HOPELESS: Span = Span::from_secs(5);

/// A place to run models one after another, keeping the engine's memory from run to run.
#[derive(Debug, Default)]
pub struct Workbench {
    engine: Engine,
    world: World,
    shortcut: Shortcut,
}

impl Workbench {
    /// With this engine.
    pub fn with(engine: Engine) -> Self {
        Self { engine, ..Self::default() }
    }

    /// Runs `model` under `seed` and judges it. `variant` is only carried along, as a name.
    ///
    /// ```
    /// use metastable::experiment::Workbench;
    /// use metastable::scenario::Story;
    ///
    /// let story = Story::read("scenarios/retry-storm.toml".as_ref(), &[])?;
    /// let mut bench = Workbench::default();
    /// let mut back_at_s = |name: &str| {
    ///     let variant = story.variants.iter().find(|variant| variant.name == name).unwrap();
    ///     let run = bench.run(name, &variant.model, story.seed);
    ///     assert_eq!(run.recording.tally.requests, 42_130);
    ///     run.assessment.back_at.map(|instant| instant.as_secs_f64())
    /// };
    /// assert_eq!(back_at_s("3 retries"), None);
    /// assert_eq!(back_at_s("no retries"), Some(15.0));
    /// # Ok::<(), metastable::scenario::Trouble>(())
    /// ```
    pub fn run(&mut self, variant: &str, model: &Model, seed: u64) -> Run {
        self.run_against(variant, model, seed, |bench| bench.control_fails(model, seed))
    }

    /// The same, with someone who knows whether the control run fails.
    pub(super) fn run_against(
        &mut self,
        variant: &str,
        model: &Model,
        seed: u64,
        control_fails: impl FnOnce(&mut Self) -> bool,
    ) -> Run {
        let recording = self.record(model, seed);
        let assessment = assess(model, &recording, || control_fails(self));
        Run { variant: variant.to_owned(), seed, assessment, recording }
    }

    /// Judges `model` under `seed`, with what is known of its control run, by no more of the run than it
    /// takes; its events, if that was the whole of it.
    pub(super) fn judge_early(
        &mut self,
        model: &Model,
        seed: u64,
        control: &Control,
    ) -> (Assessment, Option<u64>) {
        let bounds = settled_from(model).filter(|_| self.engine.takes_shortcut(model));
        let Some((over, settled)) = bounds else {
            let recording = self.record(model, seed);
            let assessment = assess(model, &recording, || control.fails);
            return (assessment, Some(recording.tally.events));
        };
        let windows = HOPELESS.as_nanos().div_ceil(model.window.as_nanos()).max(5) as usize;
        let early = Early { over, settled, windows, control: control.untroubled.as_deref() };
        let (recording, cut_short) = self.shortcut.run_early(model, seed, early);
        let events = (!cut_short).then_some(recording.tally.events);
        (assess(model, &recording, || control.fails), events)
    }

    /// What others that are run against the same control run need of it; its windows only for those that
    /// may end early.
    pub(super) fn control(&mut self, model: &Model, seed: u64, early_stop: bool) -> Control {
        let undisturbed = model.undisturbed();
        let recording = self.record(&undisturbed, seed);
        let untroubled = early_stop && Early::is_untroubled(&undisturbed, &recording.tally);
        Control {
            fails: control_fails(model, &recording),
            untroubled: untroubled.then(|| recording.timeline.windows().to_vec()),
        }
    }

    /// Whether the control run of `model` fails under `seed`.
    pub(super) fn control_fails(&mut self, model: &Model, seed: u64) -> bool {
        control_fails(model, &self.record(&model.undisturbed(), seed))
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
        let assessment = assess(model, &recording, || self.control_fails(model, seed));
        Run { variant: variant.to_owned(), seed, assessment, recording }
    }

    /// Runs `model` under `seed` and keeps what was seen.
    pub fn record(&mut self, model: &Model, seed: u64) -> Recording {
        if self.engine.takes_shortcut(model) {
            return self.shortcut.run(model, seed);
        }
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
