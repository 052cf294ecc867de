//! The scenario as it is written, and its variants: one tree each.

use super::element::{Complaints, Document, PROMISE_KEYS, WORLD_KEYS};
use super::nearest::did_you_mean;
use super::presets::fill;
use super::reader::read;
use super::source::Place;
use super::tree::{Change, Entry, Layer, Node, Path, Spot, apply, collision};
use super::trouble::Diagnostic;
use crate::model::Model;

/// Keys of a file that tell nothing of a world.
const STORY_KEYS: [&str; 5] = ["title", "seed", "base", "variants", "sweep"];

/// The base or a variant, with its own tree of the world.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) name: String,
    pub(super) tree: Node,
    /// The paths that set it apart from the base.
    pub(super) changes: Vec<Change>,
    pub(super) model: Model,
}

impl Version {
    /// Whether it changes something at `path`, above or below it, or beside it in the same table: a key of which
    /// another one may not stand beside it counts no longer where a variant names the other.
    pub(super) fn changes_at(&self, path: &Path) -> bool {
        let path: Vec<&str> = path.names().collect();
        self.changes.iter().any(|change| {
            let change: Vec<&str> = change.path.names().collect();
            let common = path.iter().zip(&change).take_while(|(a, b)| a == b).count();
            // `clients.NAME` has keys that are whole tables: those of `call` concern no other key.
            common + 1 >= change.len() || common + 1 >= path.len() && common > 2
        })
    }
}

/// The model that `tree` describes.
pub(super) fn model(tree: &Node) -> Result<Model, Vec<Diagnostic>> {
    let filled = fill(tree)?;
    let spot = Spot::root(&filled);
    read::<Document>(spot)?.model(spot, tree)
}

/// The root without what tells of other versions: nothing of that is needed to build a world.
pub(super) fn world_only(root: &Node) -> Node {
    let mut tree = root.clone();
    for key in ["variants", "sweep", "expect"] {
        tree.remove(key);
    }
    tree
}

/// The path that `entry` spells, if it leads into the world; `who` wants to change it.
pub(super) fn allowed(entry: &Entry, who: &str) -> Result<Path, Diagnostic> {
    let path = Path::of_key(&entry.key, entry.key_place)?;
    let first = path.first();
    let bare = entry.key_place.len() == entry.key.len();
    if bare && !entry.node.entries().is_empty() && WORLD_KEYS.contains(&first.name.as_str()) {
        return Err(Diagnostic::error(
            entry.key_place,
            "a path is one key here, and stands in quotes",
        )
        .help(format!("write \"{}\" = ..", unquoted(entry))));
    }
    check_in_world(&path, who)?;
    Ok(path)
}

/// Refuses a path that does not lead into the world.
pub(super) fn check_in_world(path: &Path, who: &str) -> Result<(), Diagnostic> {
    let first = path.first();
    if WORLD_KEYS.contains(&first.name.as_str()) {
        return Ok(());
    }
    let help = if PROMISE_KEYS.contains(&first.name.as_str()) {
        Some("promises of a variant stand in its table `expect`".to_owned())
    } else if STORY_KEYS.contains(&first.name.as_str()) {
        Some("that is told of the whole story, and is no part of its world".to_owned())
    } else {
        did_you_mean(&first.name, WORLD_KEYS, "a path begins with one of")
    };
    Err(Diagnostic::error(first.place, format!("{who} cannot change `{}`", first.name)).help(help))
}

/// The path that somebody meant who left its quotes out.
pub(super) fn unquoted(entry: &Entry) -> String {
    let mut path = super::tree::quote(&entry.key);
    let mut node = &entry.node;
    while let [only] = node.entries() {
        path = format!("{path}.{}", super::tree::quote(&only.key));
        node = &only.node;
    }
    path.replace('"', "'")
}

/// The version called `entry.key`, laid over `base`; none if anything is wrong with it.
pub(super) fn variant(
    base: &Node,
    entry: &Entry,
    layer: Layer,
    out: &mut Complaints,
) -> Option<Version> {
    let before = out.count();
    let mut changes = Vec::new();
    for change in entry.node.entries().iter().filter(|change| change.key != "expect") {
        if let Some(path) = out.keep(allowed(change, "a variant")) {
            changes.push(Change { path, node: change.node.clone() });
        }
    }
    if let Some(diagnostic) = collision(&changes) {
        out.add(diagnostic);
    }
    let mut tree = base.clone();
    for change in &changes {
        out.keep(apply(&mut tree, change, layer));
    }
    if out.count() > before {
        return None;
    }
    let here = |place: Place| {
        entry
            .node
            .entries()
            .iter()
            .any(|own| own.key_place.contains(place) || own.node.place.contains(place))
    };
    let model = out.keep_all(model(&tree).map_err(|diagnostics| {
        let told = |diagnostic: Diagnostic| match diagnostic.place() {
            Some(place) if here(place) => diagnostic,
            Some(_) | None => diagnostic.note(format!("in the variant `{}`", entry.key)),
        };
        diagnostics.into_iter().map(told).collect::<Vec<_>>()
    }))?;
    Some(Version { name: entry.key.clone(), tree, changes, model })
}
