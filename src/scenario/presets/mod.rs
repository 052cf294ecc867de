//! `call.preset = "aws_standard"`: what widely used clients do, by name.

mod under;

pub(super) use under::fill;

use super::source::Place;
use super::tree::{Node, Spot, parse_document};

/// The presets as they are written, in one file.
const TEXT: &str = include_str!("presets.toml");

/// What a widely used client does unless it is told otherwise, under a name that a call can give as
/// its `preset`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// What `call.preset` says.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// The version or the date of what was read.
    pub version: String,
    /// Where it was read.
    pub sources: Vec<String>,
    /// Its keys as TOML, ready to be pasted into `[clients.NAME]`.
    pub toml: String,
}

impl Preset {
    /// Every preset there is.
    ///
    /// ```
    /// use metastable::scenario::Preset;
    ///
    /// let aws = Preset::all().into_iter().find(|preset| preset.name == "aws_standard").unwrap();
    /// assert!(aws.toml.contains("max_attempts = 3"));
    /// ```
    pub fn all() -> Vec<Self> {
        let tree = tree();
        let sections = tree.entries().iter().map(|entry| {
            let text = |node: &Node| node.text().unwrap_or_default().to_owned();
            let about = |key| text(Spot::of(entry).at(key).node);
            let sources = Spot::of(entry).at("sources").items();
            Self {
                name: entry.key.clone(),
                about: about("about"),
                version: about("version"),
                sources: sources.iter().map(text).collect(),
                toml: keys_of(&entry.key),
            }
        });
        sections.collect()
    }
}

/// All presets as a tree: a table for each.
fn tree() -> Node {
    parse_document(TEXT, Place::START.source()).expect("the presets are well written")
}

/// The lines of a preset after the last of what is said about it.
fn keys_of(name: &str) -> String {
    let heading = format!("[{name}]");
    let mut lines = TEXT.lines().skip_while(|line| *line != heading);
    lines.by_ref().find(|line| line.starts_with("sources = "));
    let keys: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    keys.join("\n")
}
