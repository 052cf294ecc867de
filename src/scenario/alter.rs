//! A variant with something more changed in it, for whoever tries values that no file names.

use std::ops::Range;
use std::sync::Arc;

use super::load::AXES;
use super::source::{Place, Sources};
use super::tree::{Change, apply, collision, parse_argument};
use super::trouble::Diagnostic;
use super::version::{Version, check_in_world, model};
use super::{Story, Trouble};
use crate::model::Model;

/// A change that is laid over a variant, or over a file: `PATH=VALUE`, as an override is.
///
/// It may be put together from what somebody typed in several options. What is wrong with it is then shown where it
/// was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alteration {
    text: String,
    parts: Vec<Part>,
}

/// What somebody typed of an alteration.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    within: Range<usize>,
    option: String,
    typed: String,
    note: String,
}

impl Alteration {
    /// A change that was typed as it is, as an argument of `option`.
    pub fn new(text: &str, option: &str) -> Self {
        Self::default().and_typed(text, (option, text))
    }

    /// With `text` after it, which nobody typed.
    #[must_use]
    pub fn and(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// With `text` after it, which stands for what was typed as an argument of an option.
    #[must_use]
    pub fn and_typed(self, text: &str, from: (&str, &str)) -> Self {
        self.and_noted(text, from, "")
    }

    /// The same, with words that are shown beside it where it is wrong.
    #[must_use]
    pub fn and_noted(mut self, text: &str, (option, typed): (&str, &str), note: &str) -> Self {
        let within = self.text.len()..self.text.len() + text.len();
        self.text.push_str(text);
        let (option, typed, note) = (option.to_owned(), typed.to_owned(), note.to_owned());
        self.parts.push(Part { within, option, typed, note });
        self
    }

    /// The change, with every place in it among `sources`.
    pub(super) fn parse(&self, sources: &mut Sources) -> Result<Change, Vec<Diagnostic>> {
        let id = sources.add("", &self.text);
        for Part { within, option, typed, note } in &self.parts {
            let stands = (within.start, &self.text[within.clone()]);
            sources.add_typed(id, stands, (option, typed), note);
        }
        parse_argument(&self.text, id)
    }
}

impl Story {
    /// The model of the variant called `variant` with all of `changes` in it. No change may lie within
    /// another one.
    ///
    /// # Errors
    /// What is wrong with the changes, or with the world that they make, each where it was typed.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn altered(&self, variant: &str, changes: &[Alteration]) -> Result<Model, Trouble> {
        let mut sources = Sources::clone(&self.warned.sources);
        self.build(variant, changes, &mut sources)
            .map_err(|diagnostics| Trouble::new(Arc::new(sources), diagnostics))
    }

    fn build(
        &self,
        variant: &str,
        changes: &[Alteration],
        sources: &mut Sources,
    ) -> Result<Model, Vec<Diagnostic>> {
        let mut tree = self.version(variant).tree.clone();
        let mut parsed = Vec::with_capacity(changes.len());
        for change in changes {
            let change = change.parse(sources)?;
            check_in_world(&change.path, "this").map_err(|diagnostic| vec![diagnostic])?;
            parsed.push(change);
        }
        if let Some(diagnostic) = collision(&parsed) {
            return Err(vec![diagnostic]);
        }
        for change in &parsed {
            apply(&mut tree, change, AXES).map_err(|diagnostic| vec![diagnostic])?;
        }
        let is_of_change = |place: Place| {
            let sources = parsed.iter().map(|change| change.path.place().source());
            sources.into_iter().any(|source| source == place.source())
        };
        model(&tree).map_err(|diagnostics| {
            // What the file says is not wrong by itself.
            let texts: Vec<&str> = changes.iter().map(|change| change.text.as_str()).collect();
            let told = |diagnostic: Diagnostic| match diagnostic.place() {
                Some(place) if is_of_change(place) => diagnostic,
                Some(_) | None => diagnostic.note(format!("with {}", texts.join(" and "))),
            };
            diagnostics.into_iter().map(told).collect()
        })
    }

    pub(super) fn version(&self, variant: &str) -> &Version {
        let found = self.versions.iter().find(|version| version.name == variant);
        found.unwrap_or_else(|| panic!("there is no variant `{variant}`"))
    }
}
