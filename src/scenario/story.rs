//! What a scenario file means: models, promises and a grid, with every name and overlay resolved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::idle::Idle;
use super::load;
use super::source::{Place, Sources};
use super::tree::Path as KeyPath;
use super::version::Version;
use super::{Alteration, Trouble};
use crate::experiment::{Cell, Expectation, SweepExpectation};
use crate::model::Model;

/// A scenario file, understood.
#[derive(Clone, Debug)]
pub struct Story {
    /// Its title.
    pub title: String,
    /// The first seed.
    pub seed: u64,
    /// The scenario as written, then its variants in the order of the file.
    pub variants: Vec<Variant>,
    /// The grid, if the file has one.
    pub sweep: Option<Sweep>,
    /// What is allowed and probably not meant, such as a key that changes nothing.
    pub warnings: Trouble,
    pub(super) warned: Warned,
    /// What it was read from.
    pub(super) files: Vec<PathBuf>,
    /// What the variants are built from, in their order.
    pub(super) versions: Vec<Version>,
}

/// What there is to warn of, variant by variant.
#[derive(Clone, Debug, Default)]
pub(super) struct Warned {
    pub(super) idle: Idle,
    pub(super) sources: Arc<Sources>,
}

/// One version of the story.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its world.
    pub model: Model,
    /// What it promises, if anything.
    pub expect: Option<Expectation>,
}

/// A grid over the axes of a scenario, for the scenario as written and every variant, or for those
/// that the sweep names. Without axes, the variants are the cells.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The dotted path of each axis.
    pub axes: Vec<String>,
    /// How many seeds each cell is run under.
    pub seeds: u64,
    /// Every cell: variants outermost, the last axis innermost.
    pub cells: Vec<Cell>,
    /// What the cells promise.
    pub expect: Vec<SweepExpectation>,
}

impl Story {
    /// The text of the file, as it is written: without overrides.
    pub fn text(&self) -> &str {
        self.warned.sources.file().map_or("", |source| source.text.as_str())
    }

    /// Every file that it was read from: the scenario, and those of measured numbers.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Whether a variant may change what stands at the dotted `path`, so that what is laid over the file there does
    /// not reach the variant.
    pub fn is_changed(&self, variant: &str, path: &str) -> bool {
        let version = self.versions.iter().find(|version| version.name == variant);
        let path = KeyPath::of_key(path, Place::START);
        version.zip(path.ok()).is_some_and(|(version, path)| version.changes_at(&path))
    }

    /// Those of the warnings that are about one of `variants`, or about all.
    pub fn warnings_about(&self, variants: &[&Variant]) -> Trouble {
        let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
        Trouble::new(Arc::clone(&self.warned.sources), self.warned.idle.warnings(&names))
    }

    /// Reads the file at `path` as if each of `overrides`, written `PATH=VALUE`, stood in it instead
    /// of what does; later ones win. Variants and axes are laid over the result.
    ///
    /// Files that are named in it, or in an override, are looked for from its folder on.
    ///
    /// The values are TOML; a word that is not, such as `500ms`, is taken as a text. The paths of axes
    /// and of changes within a variant need no quotes here: `sweep.axes.clients.web.load=[0.3, 0.5]`.
    ///
    /// ```
    /// use metastable::scenario::Story;
    ///
    /// let overrides = ["clients.web.call.timeout=500ms".to_owned()];
    /// let story = Story::read("scenarios/retry-storm.toml".as_ref(), &overrides)?;
    /// let timeout = story.variants[0].model.clients[0].edge.timeout.unwrap();
    /// assert_eq!(timeout.as_secs_f64(), 0.5);
    /// # Ok::<(), metastable::scenario::Trouble>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with the file or the overrides, each at its line and column.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, Trouble> {
        load::file(path, overrides, &[])
    }

    /// Like [`Story::read`], with `changes` laid over the overrides.
    ///
    /// # Errors
    /// Everything that is wrong with the file, the overrides or the changes, each where it was typed.
    pub fn read_altered(
        path: &Path,
        overrides: &[String],
        changes: &[Alteration],
    ) -> Result<Self, Trouble> {
        load::file(path, overrides, changes)
    }

    /// Like [`Story::read`], of a text that is called `name` in messages; files that it names are
    /// looked for from the current folder on.
    ///
    /// ```
    /// use metastable::scenario::Story;
    ///
    /// let text = "title = 'x'\nhorizon = '10s'\n[services.api]\nwrokers = 3\nservice_time = '1ms'";
    /// let trouble = Story::parse(text, "x.toml", &[]).unwrap_err();
    /// assert!(trouble.to_string().contains("did you mean `workers`?"));
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with the text or the overrides, each at its line and column.
    pub fn parse(text: &str, name: &str, overrides: &[String]) -> Result<Self, Trouble> {
        load::text(text, name, Path::new(""), (overrides, &[]))
    }
}
