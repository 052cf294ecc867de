//! What is wrong with a scenario, and where.

use std::fmt;
use std::sync::Arc;

use annotate_snippets::{
    AnnotationKind, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str,
};

use super::source::{Place, SourceId, Sources};

/// How many diagnostics are shown; the first mistakes explain the rest.
const SHOWN: usize = 8;

/// Whether a scenario can be run all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    Error,
    Warning,
}

/// One mistake: one sentence, the characters that it is about, and what to write instead.
///
/// In a box, since it travels in the error of many a small function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Diagnostic(Box<Content>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Content {
    severity: Severity,
    message: String,
    place: Option<Place>,
    label: String,
    others: Vec<(Place, String)>,
    notes: Vec<String>,
    help: Option<String>,
}

/// Everything found wrong with a scenario, or worth a warning: a list that shows itself with file,
/// line, column and a caret under the characters in question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trouble {
    sources: Arc<Sources>,
    diagnostics: Vec<Diagnostic>,
}

impl Diagnostic {
    pub(super) fn error(place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, Some(place), message.into())
    }

    pub(super) fn warning(place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, Some(place), message.into())
    }

    /// An error of the file as a whole, of which there is nothing to show.
    pub(super) fn of_file(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, None, message.into())
    }

    fn new(severity: Severity, place: Option<Place>, message: String) -> Self {
        Self(Box::new(Content {
            severity,
            message,
            place,
            label: String::new(),
            others: Vec::new(),
            notes: Vec::new(),
            help: None,
        }))
    }

    /// With words beside the caret.
    #[must_use]
    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.0.label = label.into();
        self
    }

    /// With a second place to look at.
    #[must_use]
    pub(super) fn other(mut self, place: Place, label: impl Into<String>) -> Self {
        self.0.others.push((place, label.into()));
        self
    }

    /// With a fact that explains it.
    #[must_use]
    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.0.notes.push(note.into());
        self
    }

    /// With what to do about it.
    #[must_use]
    pub(super) fn help(mut self, help: impl Into<Option<String>>) -> Self {
        self.0.help = help.into();
        self
    }

    /// The same said of another place.
    #[must_use]
    pub(super) fn moved_to(mut self, place: Place) -> Self {
        self.0.place = Some(place);
        self
    }

    /// The same, said of what was typed rather than of a text that was put together from it.
    #[must_use]
    fn told_as_typed(mut self, sources: &Sources) -> Self {
        if let Some((place, note)) = self.0.place.and_then(|place| sources.typed(place)) {
            self.0.place = Some(place);
            if self.0.label.is_empty() {
                note.clone_into(&mut self.0.label);
            }
        }
        for (place, _) in &mut self.0.others {
            *place = sources.typed(*place).map_or(*place, |(place, _)| place);
        }
        self
    }

    pub(super) fn message(&self) -> &str {
        &self.0.message
    }

    pub(super) fn place(&self) -> Option<Place> {
        self.0.place
    }

    /// Whether both say the same of the same place, whatever led there.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        self.0.place == other.0.place && self.0.message == other.0.message
    }
}

impl Content {
    fn group<'a>(&'a self, sources: &'a Sources) -> Group<'a> {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level.primary_title(normalize_untrusted_str(&self.message));
        let mut group = Group::with_title(title);
        let mut shown: Vec<SourceId> = Vec::new();
        let places = || {
            let primary =
                self.place.map(|place| (place, self.label.as_str(), AnnotationKind::Primary));
            let others = self
                .others
                .iter()
                .map(|(place, label)| (*place, label.as_str(), AnnotationKind::Context));
            primary.into_iter().chain(others)
        };
        if self.place == Some(Place::START) {
            let name = &sources.get(Place::START.source()).name;
            return self.footed(group.element(Origin::path(normalize_untrusted_str(name))));
        }
        for (place, _, _) in places() {
            let id = place.source();
            if shown.contains(&id) {
                continue;
            }
            shown.push(id);
            let source = sources.get(id);
            let annotations = places().filter(|(place, _, _)| place.source() == id).map(
                |(place, label, kind)| {
                    let span = whole_characters(&source.text, place);
                    let label = (!label.is_empty()).then(|| normalize_untrusted_str(label));
                    kind.span(span).label(label)
                },
            );
            group = group.element(
                Snippet::source(source.text.as_str())
                    .line_start(source.first_line)
                    .path(normalize_untrusted_str(&source.name))
                    .annotations(annotations),
            );
        }
        self.footed(group)
    }

    /// The group with its notes and its help below.
    fn footed<'a>(&'a self, group: Group<'a>) -> Group<'a> {
        let notes =
            self.notes.iter().map(|note| Level::NOTE.message(normalize_untrusted_str(note)));
        let help = self.help.iter().map(|help| Level::HELP.message(normalize_untrusted_str(help)));
        group.elements(notes).elements(help)
    }
}

/// The range of `place`, cut to the text and to whole characters.
fn whole_characters(text: &str, place: Place) -> std::ops::Range<usize> {
    let range = place.range();
    let start = text.floor_char_boundary(range.start);
    start..text.ceil_char_boundary(range.end.min(text.len())).max(start)
}

impl Trouble {
    /// In the order of the text, without repetitions.
    pub(super) fn new(sources: Arc<Sources>, diagnostics: Vec<Diagnostic>) -> Self {
        let mut diagnostics: Vec<Diagnostic> =
            diagnostics.into_iter().map(|diagnostic| diagnostic.told_as_typed(&sources)).collect();
        diagnostics.sort_by_key(Diagnostic::place);
        let mut once: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
        for diagnostic in diagnostics {
            if !once.iter().any(|known| known.repeats(&diagnostic)) {
                once.push(diagnostic);
            }
        }
        Self { sources, diagnostics: once }
    }

    /// Whether there is nothing to say.
    pub const fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// How many mistakes were found.
    pub const fn len(&self) -> usize {
        self.diagnostics.len()
    }

    /// As text without a newline at its end, in colour or without; long lists are cut.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled().hyperlink(false) } else { Renderer::plain() };
        let mut parts: Vec<String> = self
            .diagnostics
            .iter()
            .take(SHOWN)
            .map(|diagnostic| renderer.render(&[diagnostic.0.group(&self.sources)]))
            .collect();
        if self.diagnostics.len() > SHOWN {
            parts.push(format!("... and {} more like these", self.diagnostics.len() - SHOWN));
        }
        parts.join("\n\n")
    }
}

impl fmt::Display for Trouble {
    /// Without colour.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Trouble {}
