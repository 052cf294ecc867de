//! `call.preset = "aws_standard"`, `preset = "netflix_vegas"`: what widely used clients and services
//! do, by name.

mod under;

pub(super) use under::{each, fill};

use super::nearest::nearest;
use super::source::Place;
use super::tree::{Entry, Node, Spot, parse_document};

/// What a widely used client or service does unless it is told otherwise, under a name that a call or
/// a service can give as its `preset`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Who can name it.
    pub side: Side,
    /// What `preset` says; no two have the same name, whichever side they are of.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// The version or the date of what was read.
    pub version: String,
    /// Where it was read.
    pub sources: Vec<String>,
    /// Its keys as TOML, ready to be pasted into `[clients.NAME]` or `[services.NAME]`.
    pub toml: String,
}

/// Whose preset it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A client's: `clients.NAME.call.preset`.
    Client,
    /// A service's: `services.NAME.preset`.
    Service,
}

/// What is said about a preset; all other keys are its own.
const ABOUT: [&str; 3] = ["about", "version", "sources"];

impl Preset {
    /// Every preset there is, those of clients first.
    ///
    /// ```
    /// use metastable::scenario::{Preset, Side};
    ///
    /// let aws = Preset::all().into_iter().find(|preset| preset.name == "aws_standard").unwrap();
    /// assert_eq!(aws.side, Side::Client);
    /// assert!(aws.toml.contains("max_attempts = 3"));
    /// ```
    pub fn all() -> Vec<Self> {
        Side::ALL.into_iter().flat_map(Side::presets).collect()
    }

    /// The name of the preset that `wrong` was probably meant to be, if one is near.
    pub fn nearest(wrong: &str) -> Option<String> {
        let presets = Self::all();
        let names = presets.iter().map(|preset| preset.name.as_str());
        nearest(wrong, names).map(str::to_owned)
    }
}

impl Side {
    /// Both sides.
    pub const ALL: [Self; 2] = [Self::Client, Self::Service];

    /// The path at which a scenario names a preset of this side.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Client => "clients.NAME.call.preset",
            Self::Service => "services.NAME.preset",
        }
    }

    /// The presets as they are written, in one file.
    const fn text(self) -> &'static str {
        match self {
            Self::Client => include_str!("presets.toml"),
            Self::Service => include_str!("services.toml"),
        }
    }

    /// The presets as a tree: a table for each.
    pub(super) fn tree(self) -> Node {
        parse_document(self.text(), Place::START.source()).expect("the presets are well written")
    }

    fn presets(self) -> Vec<Preset> {
        let tree = self.tree();
        let presets = tree.entries().iter().map(|entry| {
            let text = |node: &Node| node.text().unwrap_or_default().to_owned();
            let about = |key| text(Spot::of(entry).at(key).node);
            let sources = Spot::of(entry).at("sources").items();
            Preset {
                side: self,
                name: entry.key.clone(),
                about: about("about"),
                version: about("version"),
                sources: sources.iter().map(text).collect(),
                toml: self.keys_of(&entry.key),
            }
        });
        presets.collect()
    }

    /// The lines of a preset after the last of what is said about it.
    fn keys_of(self, name: &str) -> String {
        let heading = format!("[{name}]");
        let mut lines = self.text().lines().skip_while(|line| *line != heading);
        lines.by_ref().find(|line| line.starts_with("sources = "));
        let keys: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
        keys.join("\n")
    }

    /// What a preset lays under the call or the service that names it.
    fn laid(self, preset: &Entry) -> Vec<Entry> {
        let keys = match self {
            Self::Client => preset.node.entry("call").map_or(&[][..], |call| call.node.entries()),
            Self::Service => preset.node.entries(),
        };
        keys.iter().filter(|entry| !ABOUT.contains(&entry.key.as_str())).cloned().collect()
    }
}
