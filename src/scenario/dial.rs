//! One number of a scenario that can be turned: a path, what stands there, and the worlds it makes.

use std::sync::Arc;

use super::element::parse_length;
use super::load::AXES;
use super::presets::fill;
use super::source::{Place, SourceId, Sources};
use super::tree::{Change, Node, Path, Value, apply, parse_value};
use super::trouble::Diagnostic;
use super::version::check_in_world;
use super::{Alteration, Story, Trouble};
use crate::model::Model;
use crate::time::Span;

/// A number or a length of time at a path of a variant. Lengths are seconds.
///
/// ```
/// use metastable::scenario::{Dial, Story};
///
/// let story = Story::read("scenarios/retry-storm.toml".as_ref(), &[])?;
/// let dial = Dial::new(&story, "3 retries", "triggers.gc.stall.lasts", "--axis", None)?;
/// let shorter = dial.model(0.5)?;
/// assert_eq!(shorter.triggers[0].lasts.as_secs_f64(), 0.5);
/// # Ok::<(), metastable::scenario::Trouble>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dial<'s> {
    story: &'s Story,
    variant: &'s str,
    path: String,
    /// The path as it was typed, as an argument of the option `name`.
    typed: String,
    name: &'s str,
    kind: Kind,
    value: Option<f64>,
    /// Values that were typed, and how, as an argument of which option.
    values: Vec<(f64, String, String)>,
}

/// What can be turned.
const AXIS: &str = "an axis is a number or a length of time of the world";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Length,
}

impl<'s> Dial<'s> {
    /// The number at `path` of the variant called `variant`. `name` is what the path is called in messages:
    /// the option by which it came. `hint` is a value for it, if there is one, which tells numbers from lengths
    /// where nothing stands at the path yet.
    ///
    /// # Errors
    /// `path` is none, leads nowhere, or to something that is neither a number nor a length of time.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn new(
        story: &'s Story,
        variant: &'s str,
        path: &str,
        name: &'s str,
        hint: Option<&str>,
    ) -> Result<Self, Trouble> {
        let mut sources = Sources::clone(&story.warned.sources);
        let source = sources.add(name, path);
        let written_path = path;
        let read = || {
            let whole = source.place(0..path.len());
            let path = Path::parse(path, source, Some(0), whole)?;
            check_in_world(&path, "an axis").map_err(|wrong| wrong.label(AXIS))?;
            let tree = &story.version(variant).tree;
            // Names of things that are not there are told at once; wrong words only once a world is built.
            let zero = Node { place: whole, value: Value::Integer(0) };
            apply(&mut tree.clone(), &Change { path: path.clone(), node: zero }, AXES)?;
            let filled = fill(tree).map_err(|mut diagnostics| diagnostics.swap_remove(0))?;
            let written =
                find(&filled, &path).map(|node| number(node).ok_or_else(|| no_number(&path, node)));
            let (kind, value) = match written.transpose()? {
                Some((kind, value)) => (kind, Some(value)),
                None => (Kind::Number, None),
            };
            let typed = written_path.to_owned();
            let path = path.to_string();
            Ok(Self { story, variant, path, typed, name, kind, value, values: Vec::new() })
        };
        let found = read().map(|dial| if dial.value.is_none() { dial.guessed(hint) } else { dial });
        found.map_err(|diagnostic| Trouble::new(Arc::new(sources), vec![diagnostic]))
    }

    /// The dotted path, as TOML spells it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What stands there; lengths of time in seconds. None if nothing does.
    pub const fn value(&self) -> Option<f64> {
        self.value
    }

    /// Whether it is a length of time.
    pub const fn is_length(&self) -> bool {
        match self.kind {
            Kind::Length => true,
            Kind::Number => false,
        }
    }

    /// A value as a scenario spells it.
    pub fn label(&self, value: f64) -> String {
        match self.kind {
            // What is too large for a whole number is none in TOML.
            Kind::Number if value.abs() >= 1e15 => format!("{value:e}"),
            Kind::Number => value.to_string(),
            Kind::Length => Span::from_secs_f64(value).to_string(),
        }
    }

    /// The value that `text` spells, which came by the option `name`.
    ///
    /// # Errors
    /// It is not of the kind of this dial.
    pub fn read(&mut self, text: &str, name: &str) -> Result<f64, Trouble> {
        let mut sources = Sources::clone(&self.story.warned.sources);
        let source = sources.add(name, text);
        let place = source.place(0..text.len());
        let value = match self.kind {
            Kind::Length => parse_length(text, place).map(Span::as_secs_f64),
            Kind::Number => plain_number(text, source).ok_or_else(|| {
                Diagnostic::error(place, format!("`{}` is a number, and this is none", self.path))
            }),
        };
        let value =
            value.map_err(|diagnostic| Trouble::new(Arc::new(sources), vec![diagnostic]))?;
        self.values.push((value, name.to_owned(), text.to_owned()));
        Ok(value)
    }

    /// The world in which `value` stands at the path.
    ///
    /// # Errors
    /// The world cannot be built.
    pub fn model(&self, value: f64) -> Result<Model, Trouble> {
        self.story.altered(self.variant, &[self.change(value)])
    }

    /// Of the kind that makes a world with the value `hint`, where nothing stands at the path as it is written.
    fn guessed(self, hint: Option<&str>) -> Self {
        let Some(hint) = hint else { return self };
        let of = |kind: Kind| Self { kind, ..self.clone() };
        let makes_a_world = |kind: Kind| {
            let mut dial = of(kind);
            dial.read(hint, self.name).is_ok_and(|value| dial.model(value).is_ok())
        };
        match [Kind::Number, Kind::Length].into_iter().find(|kind| makes_a_world(*kind)) {
            Some(kind) => of(kind),
            // Neither does: what is wrong is told of what it looks like.
            None if plain_number(hint, SourceId::FILE).is_none()
                && parse_length(hint, Place::START).is_ok() =>
            {
                of(Kind::Length)
            }
            None => self,
        }
    }

    /// Refuses a path that no value makes a world of, whether a number or a length: one of its words is wrong.
    ///
    /// # Errors
    /// What is wrong with the path.
    pub fn check_words(&self) -> Result<(), Trouble> {
        let length = Self { kind: Kind::Length, ..self.clone() };
        self.model(1.0).or_else(|trouble| length.model(1.0).map_err(|_| trouble)).map(drop)
    }

    /// The change that makes `value` stand at the path.
    pub fn change(&self, value: f64) -> Alteration {
        let label = self.label(value);
        let axis = (self.name, self.typed.as_str());
        let change = Alteration::default().and_typed(&self.path, axis).and("=");
        match self.values.iter().find(|(typed, ..)| *typed == value) {
            Some((_, option, typed)) => change.and_typed(&label, (option, typed)),
            None => change.and_noted(&label, axis, &format!("where it is {label}")),
        }
    }

    /// Whether between `from` and `to` only whole numbers are taken.
    pub fn is_whole(&self, from: f64, to: f64) -> bool {
        let between = not_whole_between(from, to);
        self.kind == Kind::Number
            && self.model(between).is_err()
            && self.model(between.floor()).is_ok()
    }
}

/// A number between the two that is not whole.
fn not_whole_between(from: f64, to: f64) -> f64 {
    let middle = f64::midpoint(from, to);
    if middle.fract() == 0.0 { middle + 0.5 } else { middle }
}

fn find<'t>(root: &'t Node, path: &Path) -> Option<&'t Node> {
    path.names().try_fold(root, |node, name| Some(&node.entry(name)?.node))
}

fn number(node: &Node) -> Option<(Kind, f64)> {
    match &node.value {
        Value::Text(text) => {
            let length = parse_length(text, node.place).ok()?;
            Some((Kind::Length, length.as_secs_f64()))
        }
        Value::Integer(value) => Some((Kind::Number, *value as f64)),
        Value::Float(value, _) => Some((Kind::Number, *value)),
        Value::Bool(_) | Value::Date | Value::List(_) | Value::Measured(..) | Value::Table(_) => {
            None
        }
    }
}

/// A plain number that stands at `node`.
pub(super) fn plain(node: &Node) -> Option<f64> {
    match number(node) {
        Some((Kind::Number, value)) => Some(value),
        Some((Kind::Length, _)) | None => None,
    }
}

fn no_number(path: &Path, node: &Node) -> Diagnostic {
    let wrong = Diagnostic::error(path.place(), format!("`{path}` is no number")).label(AXIS);
    let inner = node.entries().iter().filter(|entry| number(&entry.node).is_some());
    let inner: Vec<String> =
        inner.map(|entry| format!("`{path}.{}`", super::tree::quote(&entry.key))).collect();
    wrong.help((!inner.is_empty()).then(|| format!("within it, there is {}", inner.join(", "))))
}

fn plain_number(text: &str, source: SourceId) -> Option<f64> {
    let node = parse_value(text.trim(), source, 0).ok()?;
    match number(&node) {
        Some((Kind::Number, value)) if value.is_finite() => Some(value),
        Some(_) | None => None,
    }
}
