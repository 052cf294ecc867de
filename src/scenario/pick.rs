//! The variants that somebody asks for by name.

use std::fmt;

use super::nearest::did_you_mean;
use super::{Story, Variant};

/// A name that no variant has, and the names that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVariant {
    name: String,
    help: Option<String>,
}

impl fmt::Display for UnknownVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no variant `{}`", self.name)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownVariant {}

impl Story {
    /// The variants with these names, in the order of the file; all of them if there are no names.
    ///
    /// # Errors
    /// The first name that no variant has.
    pub fn pick(&self, names: &[String]) -> Result<Vec<&Variant>, UnknownVariant> {
        let known = || self.variants.iter().map(|variant| variant.name.as_str());
        if let Some(name) = names.iter().find(|name| known().all(|known| known != *name)) {
            let help = did_you_mean(name, known(), "the variants are");
            return Err(UnknownVariant { name: name.clone(), help });
        }
        let is_picked = |variant: &&Variant| names.is_empty() || names.contains(&variant.name);
        Ok(self.variants.iter().filter(is_picked).collect())
    }
}
