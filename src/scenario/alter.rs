//! A variant with something more changed in it, for whoever tries values that no file names.

use std::sync::Arc;

use super::load::AXES;
use super::source::Sources;
use super::tree::{apply, collision, parse_argument};
use super::trouble::Diagnostic;
use super::version::{Version, check_in_world, model};
use super::{Story, Trouble};
use crate::model::Model;

/// A change that is laid over a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alteration<'a> {
    /// Written `PATH=VALUE`, as an override is.
    pub text: &'a str,
    /// What it is called in messages: the option that it came by, such as `--axis`.
    pub name: &'a str,
}

impl Story {
    /// The model of the variant called `variant` with all of `changes` in it. No change may lie within
    /// another one.
    ///
    /// # Errors
    /// What is wrong with the changes, or with the world that they make, each at its column of the change.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn altered(&self, variant: &str, changes: &[Alteration<'_>]) -> Result<Model, Trouble> {
        let mut sources = Sources::clone(&self.warned.sources);
        self.build(variant, changes, &mut sources)
            .map_err(|diagnostics| Trouble::new(Arc::new(sources), diagnostics))
    }

    fn build(
        &self,
        variant: &str,
        changes: &[Alteration<'_>],
        sources: &mut Sources,
    ) -> Result<Model, Vec<Diagnostic>> {
        let mut tree = self.version(variant).tree.clone();
        let mut parsed = Vec::with_capacity(changes.len());
        for change in changes {
            let source = sources.add(change.name, change.text);
            let change = parse_argument(change.text, source)?;
            check_in_world(&change.path, "this").map_err(|diagnostic| vec![diagnostic])?;
            parsed.push(change);
        }
        if let Some(diagnostic) = collision(&parsed) {
            return Err(vec![diagnostic]);
        }
        for change in &parsed {
            apply(&mut tree, change, AXES).map_err(|diagnostic| vec![diagnostic])?;
        }
        model(&tree)
    }

    pub(super) fn version(&self, variant: &str) -> &Version {
        let found = self.versions.iter().find(|version| version.name == variant);
        found.unwrap_or_else(|| panic!("there is no variant `{variant}`"))
    }
}
