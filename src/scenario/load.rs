//! From a file to a story, step by step: text, tree, overrides, grammar, worlds, grid.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::alter::Alteration;
use super::data::bring_in;
use super::element::{Complaints, Document, check_name, thousands};
use super::file::{contents, without_mark};
use super::grid::Ground;
use super::idle::Idle;
use super::presets::fill;
use super::reader::read;
use super::source::{LONGEST_SOURCE, SourceId, Sources};
use super::story::{Story, Sweep, Variant, Warned};
use super::tree::{Layer, Node, Spot, apply, parse_argument, parse_document};
use super::trouble::{Diagnostic, Trouble};
use super::version::{Version, model, variant, world_only};

/// The base where a scenario does not name it.
const USUAL_BASE: &str = "base";
/// What a `PATH=VALUE` is called in messages.
const ARGUMENT: &str = "--set";
/// The largest seed that a story can begin with: it is run under this one and those after it.
pub const LARGEST_SEED: u64 = i64::MAX as u64;
/// Titles stand above charts.
const LONGEST_TITLE: usize = 200;
/// Layers above the file. All overrides are one: of two that exclude each other neither counts, as in a
/// file.
const OVERRIDES: Layer = 1;
const VARIANT: Layer = 2;
pub(super) const AXES: Layer = 3;
/// The most overrides: each is a source of its own.
const MOST_OVERRIDES: usize = 10_000;

pub(super) fn file(
    path: &Path,
    overrides: &[String],
    changes: &[Alteration],
) -> Result<Story, Trouble> {
    let name = path.display().to_string();
    let text = contents(path, &name, LONGEST_SOURCE, "scenario file")
        .map_err(|diagnostic| Trouble::new(Arc::default(), vec![diagnostic]))?;
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let mut story = self::text(&text, &name, folder, (overrides, changes))?;
    story.files.push(path.to_owned());
    Ok(story)
}

/// The story of a text; `folder` is what the paths in it start from. Changes are laid over the overrides.
pub(super) fn text(
    text: &str,
    name: &str,
    folder: &Path,
    (overrides, changes): (&[String], &[Alteration]),
) -> Result<Story, Trouble> {
    let text = without_mark(text);
    let mut sources = Sources::default();
    let result = if text.len() > LONGEST_SOURCE {
        Err(vec![Diagnostic::of_file(format!("{name} is too long"))])
    } else if overrides.len() > MOST_OVERRIDES {
        Err(vec![Diagnostic::of_file(format!(
            "more than {} overrides",
            thousands(MOST_OVERRIDES as u64)
        ))])
    } else {
        let file = sources.add(name, text);
        root(text, file, folder, (overrides, changes), &mut sources)
            .and_then(|(root, files)| Ok((understand(&root, &sources)?, files)))
    };
    let sources = Arc::new(sources);
    match result {
        Ok(((mut story, idle), files)) => {
            story.files = files;
            story.warned = Warned { idle, sources };
            let all: Vec<&Variant> = story.variants.iter().collect();
            story.warnings = story.warnings_about(&all);
            Ok(story)
        }
        Err(diagnostics) => Err(Trouble::new(sources, diagnostics)),
    }
}

/// The tree of the file with the overrides laid over it, and the numbers in it of the files it names; and those
/// files.
fn root(
    text: &str,
    file: SourceId,
    folder: &Path,
    (overrides, changes): (&[String], &[Alteration]),
    sources: &mut Sources,
) -> Result<(Node, Vec<PathBuf>), Vec<Diagnostic>> {
    let mut root = parse_document(text, file)?;
    if root.entries().is_empty() && overrides.is_empty() {
        return Err(vec![
            Diagnostic::of_file(format!("{} is empty", sources.get(file).name))
                .help("a scenario has a title, a horizon, a service and a client".to_owned()),
        ]);
    }
    let mut out = Complaints::default();
    for argument in overrides {
        let source = sources.add(ARGUMENT, argument);
        if let Some(change) = out.keep_all(parse_argument(argument, source)) {
            out.keep(apply(&mut root, &change, OVERRIDES));
        }
    }
    for change in changes {
        if let Some(change) = out.keep_all(change.parse(sources)) {
            out.keep(apply(&mut root, &change, OVERRIDES));
        }
    }
    if !out.is_empty() {
        return Err(out.into_inner());
    }
    let files = bring_in(&mut root, folder, sources)?;
    Ok((root, files))
}

/// The story that `root` tells, and what to warn of.
fn understand(root: &Node, sources: &Sources) -> Result<(Story, Idle), Vec<Diagnostic>> {
    let filled = fill(root)?;
    let spot = Spot::root(&filled);
    let document: Document = read(spot)?;
    let mut out = Complaints::default();
    let base = head(&document, spot, &mut out);
    let versions = versions(root, base, VARIANT, &mut out);
    let variants = variants(&document, spot, &versions, &mut out);
    // A grid over a base that is wrong would only repeat what is wrong with it.
    if !out.is_empty() {
        return Err(out.into_inner());
    }
    let mut idle = Idle::default();
    for version in &versions {
        idle.see(
            &version.name,
            || format!("the variant `{}`", version.name),
            &version.tree,
            &version.model,
        );
    }
    for (nth, version) in versions.iter().enumerate().skip(1) {
        let written = spot.at("variants").at(&version.name);
        let same = versions[..nth].iter().find(|earlier| earlier.model == version.model);
        if let Some(same) = same.filter(|_| written.find("expect").is_none()) {
            let message =
                format!("the variant `{}` is the same world as `{}`", version.name, same.name);
            let help = "change something in it, or leave it out; base = \"..\" names the scenario as written";
            let warning = Diagnostic::warning(written.key, message).help(help.to_owned());
            idle.add(&version.name, warning);
        }
    }
    let ground = Ground { spot: spot.at("sweep"), sources, versions: &versions, layer: AXES };
    let sweep: Option<Sweep> =
        document.sweep.as_ref().and_then(|written| ground.build(written, &mut out, &mut idle));
    idle.errors().into_iter().for_each(|error| out.add(error));
    if !out.is_empty() {
        return Err(out.into_inner());
    }
    let seed = document.seed.unwrap_or(1);
    let story = Story {
        title: document.title,
        seed,
        variants,
        sweep,
        warnings: Trouble::default(),
        warned: Warned::default(),
        files: Vec::new(),
        versions,
    };
    Ok((story, idle))
}

/// Checks title and seed; the name of the base.
fn head(document: &Document, spot: Spot<'_>, out: &mut Complaints) -> String {
    let title = &document.title;
    if title.trim().is_empty() {
        out.add(Diagnostic::error(spot.at("title").value(), "the title is empty"));
    } else if title.chars().any(char::is_control) || title.chars().count() > LONGEST_TITLE {
        let message = format!("a title is one line of at most {LONGEST_TITLE} characters");
        out.add(Diagnostic::error(spot.at("title").value(), message));
    }
    if document.seed.is_some_and(|seed| seed > LARGEST_SEED) {
        let message = format!("a seed must be from 0 to {}", thousands(LARGEST_SEED));
        out.add(Diagnostic::error(spot.at("seed").value(), message));
    }
    let base = document.base.as_deref().unwrap_or(USUAL_BASE);
    if let Some(message) = check_name(base) {
        out.add(Diagnostic::error(spot.at("base").value(), message));
    }
    if let Some(variant) = spot.find("variants").and_then(|variants| variants.find(base)) {
        out.add(
            Diagnostic::error(
                variant.key,
                format!("the scenario as it is written is called `{base}` too"),
            )
            .help(
                "give one of the two another name; base = \"..\" names the scenario as written"
                    .to_owned(),
            ),
        );
    }
    base.to_owned()
}

/// The base and its variants, as far as nothing is wrong with them.
fn versions(root: &Node, base: String, layer: Layer, out: &mut Complaints) -> Vec<Version> {
    let tree = world_only(root);
    let mut versions = Vec::new();
    if let Some(model) = out.keep_all(model(&tree)) {
        versions.push(Version { name: base, tree: tree.clone(), changes: Vec::new(), model });
    }
    for entry in
        Spot::root(root).find("variants").map_or(&[][..], |variants| variants.node.entries())
    {
        if let Some(message) = check_name(&entry.key) {
            out.add(Diagnostic::error(entry.key_place, message));
        }
        versions.extend(variant(&tree, entry, layer, out));
    }
    versions
}

/// The versions with what they promise.
fn variants(
    document: &Document,
    spot: Spot<'_>,
    versions: &[Version],
    out: &mut Complaints,
) -> Vec<Variant> {
    let mut variants = Vec::new();
    for version in versions {
        let (expect, spot) = match document.variants.get(&version.name) {
            Some(variant) => (&variant.expect, spot.at("variants").at(&version.name)),
            None => (&document.expect, spot),
        };
        let expect =
            expect.as_ref().and_then(|expect| expect.build(spot.at("expect"), &version.model, out));
        variants.push(Variant { name: version.name.clone(), model: version.model.clone(), expect });
    }
    variants
}
