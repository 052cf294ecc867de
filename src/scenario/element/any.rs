//! Values that are laid over a tree as they are, and read only there.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// Any value.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenario) struct Any;

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}
