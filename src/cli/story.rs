//! A scenario file as it is named on the command line.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use metastable::experiment::{Run, Subject};
use metastable::model::Model;
use metastable::scenario::{Alteration, Story, Trouble, Variant};

use super::failure::Failure;
use super::options::Options;
use super::output::{colourful, tell};

/// Which scenario, and what is changed in it.
#[derive(Debug, Args)]
pub(super) struct Source {
    /// The scenario file
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Only this variant; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) variant: Vec<String>,
    /// Set what stands at a dotted path of the scenario, as in
    /// clients.web.load=0.5; may be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

impl Source {
    /// The story.
    pub(super) fn read(&self) -> Result<Story, Failure> {
        Ok(Story::read(&self.file, &self.set)?)
    }

    /// The story with more set in it than was asked for.
    pub(super) fn read_with(&self, changes: &[Alteration]) -> Result<Story, Failure> {
        Ok(Story::read_altered(&self.file, &self.set, changes)?)
    }

    /// The one variant that is asked for, or the scenario as it is written.
    pub(super) fn pick_one<'s>(
        &self,
        story: &'s Story,
        options: &Options,
    ) -> Result<&'s Variant, Failure> {
        if self.variant.len() > 1 {
            return Err(anyhow!("this is about one variant: give --variant once").into());
        }
        Ok(self.pick_or_base(story, options)?[0])
    }

    /// What is laid over the file, each as `PATH=VALUE`.
    pub(super) fn overrides(&self) -> &[String] {
        &self.set
    }

    /// The variants that are asked for, in the order of the file, with the warnings about them said.
    pub(super) fn pick<'s>(
        &self,
        story: &'s Story,
        options: &Options,
    ) -> Result<Vec<&'s Variant>, Failure> {
        let picked = story.pick(&self.variant).map_err(anyhow::Error::from)?;
        warn(&story.warnings_about(&picked), options);
        Ok(picked)
    }

    /// The variants that are asked for, or the scenario as written where none is.
    pub(super) fn pick_or_base<'s>(
        &self,
        story: &'s Story,
        options: &Options,
    ) -> Result<Vec<&'s Variant>, Failure> {
        if !self.variant.is_empty() {
            return self.pick(story, options);
        }
        let base = vec![&story.variants[0]];
        warn(&story.warnings_about(&base), options);
        Ok(base)
    }
}

/// Refuses a variant that nothing disturbs: there is nothing to recover from.
pub(super) fn refuse_calm(file: &Path, variant: &Variant) -> Result<(), Failure> {
    if variant.model.triggers.is_empty() {
        let (file, name) = (file.display(), &variant.name);
        return Err(anyhow!(
            "{file}: nothing disturbs `{name}`, so there is nothing to recover from: add a \
             [triggers.NAME]"
        )
        .into());
    }
    Ok(())
}

/// Says what a story warns of.
pub(super) fn warn(warnings: &Trouble, options: &Options) {
    if !options.quiet && !warnings.is_empty() {
        tell(&warnings.render(colourful()));
    }
}

/// Variants as what is run.
pub(super) fn subjects<'s>(variants: &[&'s Variant]) -> Vec<Subject<'s>> {
    variants.iter().map(|variant| Subject { name: &variant.name, model: &variant.model }).collect()
}

/// The world of a run of one of `subjects`.
pub(super) fn model_of<'s>(subjects: &[Subject<'s>], run: &Run) -> &'s Model {
    let found = subjects.iter().find(|subject| subject.name == run.variant);
    found.expect("a run is of one of those that were run").model
}

/// The name of a scenario file without folder and ending: charts are named after it.
pub(super) fn stem(file: &Path) -> String {
    file.file_stem()
        .map_or_else(|| "scenario".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
