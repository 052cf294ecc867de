//! Runs at values of a parameter, and what has been learnt from them so far.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::analysis::{Answers, Verdict, assess, ends_well};
use crate::experiment::batch::{as_far_as_it_goes, in_parallel};
use crate::model::Model;

/// Why a search has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt<E> {
    /// There is no model at some value.
    NoModel(E),
    /// It was asked to stop.
    Stopped,
}

/// What was asked of the worlds along a parameter.
pub(in crate::experiment) struct Asked<'a, W, P> {
    world: W,
    stop: &'a AtomicBool,
    progress: P,
    models: Vec<(f64, Model)>,
    /// By value, in order.
    pub(in crate::experiment) answers: Vec<Answers>,
    pub(in crate::experiment) runs: u64,
    pub(in crate::experiment) controls: u64,
}

impl<'a, E, W, P> Asked<'a, W, P>
where
    W: Fn(f64) -> Result<Model, E>,
    P: Fn() + Sync,
{
    pub(in crate::experiment) fn new(world: W, stop: &'a AtomicBool, progress: P) -> Self {
        let (models, answers) = (Vec::new(), Vec::new());
        Self { world, stop, progress, models, answers, runs: 0, controls: 0 }
    }

    /// Runs every value under every seed.
    pub(in crate::experiment) fn everywhere(
        &mut self,
        places: &[f64],
        seeds: std::ops::Range<u64>,
    ) -> Result<(), Halt<E>> {
        let jobs = places.iter().flat_map(|&at| seeds.clone().map(move |seed| (at, seed)));
        self.ask(&jobs.collect::<Vec<_>>()).map(drop)
    }

    /// Runs each value under its seed; one answer per job, in their order. What was answered before it was stopped
    /// is noted all the same.
    pub(in crate::experiment) fn ask(
        &mut self,
        jobs: &[(f64, u64)],
    ) -> Result<Vec<Answers>, Halt<E>> {
        self.build(jobs)?;
        let (progress, controls) = (&self.progress, AtomicU64::new(0));
        let jobs: Vec<(f64, &Model, u64)> =
            jobs.iter().map(|&(at, seed)| (at, self.model(at), seed)).collect();
        let answers = as_far_as_it_goes(&jobs, self.stop, |bench, &(at, model, seed)| {
            let recording = bench.record(model, seed);
            let well = ends_well(model, &recording, || {
                controls.fetch_add(1, Ordering::Relaxed);
                bench.control_fails(model, seed)
            });
            progress();
            Answers { at, runs: 1, recovered: u64::from(well) }
        });
        self.runs += answers.iter().flatten().count() as u64;
        self.controls += controls.into_inner();
        for answer in answers.iter().flatten() {
            self.note(*answer);
        }
        answers.into_iter().collect::<Option<Vec<_>>>().ok_or(Halt::Stopped)
    }

    /// The verdicts at one value.
    pub(in crate::experiment) fn verdicts(
        &mut self,
        at: f64,
        seeds: std::ops::Range<u64>,
    ) -> Result<Vec<Verdict>, Halt<E>> {
        let jobs: Vec<(f64, u64)> = seeds.map(|seed| (at, seed)).collect();
        self.build(&jobs)?;
        let (model, progress, controls) = (self.model(at), &self.progress, AtomicU64::new(0));
        let verdicts = in_parallel(&jobs, self.stop, |bench, &(_, seed)| {
            let recording = bench.record(model, seed);
            progress();
            let control_fails = || {
                controls.fetch_add(1, Ordering::Relaxed);
                bench.control_fails(model, seed)
            };
            assess(model, &recording, control_fails).verdict
        })
        .ok_or(Halt::Stopped)?;
        self.runs += verdicts.len() as u64;
        self.controls += controls.into_inner();
        Ok(verdicts)
    }

    fn build(&mut self, jobs: &[(f64, u64)]) -> Result<(), Halt<E>> {
        for &(at, _) in jobs {
            if let Err(place) = self.models.binary_search_by(|(known, _)| known.total_cmp(&at)) {
                let model = (self.world)(at).map_err(Halt::NoModel)?;
                self.models.insert(place, (at, model));
            }
        }
        Ok(())
    }

    fn model(&self, at: f64) -> &Model {
        let place = self.models.binary_search_by(|(known, _)| known.total_cmp(&at));
        &self.models[place.expect("it has been built")].1
    }

    fn note(&mut self, answer: Answers) {
        match self.answers.binary_search_by(|known| known.at.total_cmp(&answer.at)) {
            Ok(place) => {
                self.answers[place].runs += answer.runs;
                self.answers[place].recovered += answer.recovered;
            }
            Err(place) => self.answers.insert(place, answer),
        }
    }
}
