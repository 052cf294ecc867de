//! `preset = "aws_standard"`: a name, or several.

use std::fmt;

use serde::Deserialize;
use serde::de::{Error, SeqAccess, Visitor};

/// The name of a preset, or several. What they name has been laid under the call or the service before
/// it is read, so nothing is kept of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names;

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a preset in quotes, or a list of names")
            }

            fn visit_str<E: Error>(self, _name: &str) -> Result<Names, E> {
                Ok(Names)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Names, A::Error> {
                while names.next_element::<String>()?.is_some() {}
                Ok(Names)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
