//! Where text came from, and places in it.

use std::ops::Range;

/// A stretch of one source: the file, or an argument that was laid over it.
///
/// Places order by source and then by position, which is the order in which a reader meets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    source: u16,
    start: u32,
    end: u32,
}

/// Which source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceId(u16);

/// The longest source, in bytes: places are counted in 32 bits, and a story that long is no story.
pub(super) const LONGEST_SOURCE: usize = 1 << 20;

/// A text and what to call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) text: String,
    /// The number of its first line; above 1 for a piece of a longer text.
    pub(super) first_line: usize,
}

/// Every text that went into a scenario, the file first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sources {
    all: Vec<Source>,
    origins: Vec<Origin>,
}

/// What somebody typed of a text that was put together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    /// Where it stands in the text.
    place: Place,
    /// Where it was typed.
    typed: Place,
    /// How many letters before it are not its own, such as a quote; none if it is spelled otherwise.
    quotes: Option<u32>,
    note: String,
}

impl SourceId {
    /// The first source, whose places are of no interest where a text is only tried.
    pub(super) const FILE: Self = Self(0);

    /// The place of `range` in this source.
    pub(super) fn place(self, range: Range<usize>) -> Place {
        Place { source: self.0, start: range.start as u32, end: range.end.max(range.start) as u32 }
    }
}

impl Place {
    /// The file as a whole: what is missing at its root is missing nowhere in particular.
    pub(super) const START: Self = Self { source: 0, start: 0, end: 0 };

    pub(super) const fn source(self) -> SourceId {
        SourceId(self.source)
    }

    pub(super) const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether `other` lies within it.
    pub(super) const fn contains(self, other: Self) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// The part that shows `within` of its content, if the content stands here as it is, with
    /// quotes around it or without; otherwise, where escapes blur the positions, all of it.
    pub(super) fn part(self, content: &str, within: Range<usize>) -> Self {
        let quote = match self.len().checked_sub(content.len()) {
            Some(0) => 0,
            Some(2) => 1,
            Some(_) | None => return self,
        };
        let start = self.start as usize + quote;
        self.source().place(start + within.start..start + within.end)
    }
}

impl Sources {
    /// Adds a text; what is longer than [`LONGEST_SOURCE`] has been refused before.
    pub(super) fn add(&mut self, name: &str, text: &str) -> SourceId {
        self.add_line(name, text, 1)
    }

    /// Adds a piece of a longer text that begins with line number `first_line`.
    pub(super) fn add_line(&mut self, name: &str, text: &str, first_line: usize) -> SourceId {
        self.all.push(Source { name: name.to_owned(), text: text.to_owned(), first_line });
        SourceId((self.all.len() - 1) as u16)
    }

    /// Adds a text of which somebody typed `typed`, as an argument of `option`, to have `stands` stand at `start`
    /// of the text `id`. `note` is what must be said of it besides.
    pub(super) fn add_typed(
        &mut self,
        id: SourceId,
        (start, stands): (usize, &str),
        (option, typed): (&str, &str),
        note: &str,
    ) {
        let source = self.add(option, typed);
        let quotes = match stands.split_once(typed) {
            Some(("", "")) => Some(0),
            Some(("\"", "\"")) => Some(1),
            Some(_) | None => None,
        };
        self.origins.push(Origin {
            place: id.place(start..start + stands.len()),
            typed: source.place(0..typed.len()),
            quotes,
            note: note.to_owned(),
        });
    }

    /// Where that was typed which led to what stands at `place`, and what must be said of it besides; none if it
    /// stands there as somebody wrote it.
    pub(super) fn typed(&self, place: Place) -> Option<(Place, &str)> {
        let mut here = self.origins.iter().filter(|origin| origin.place.source == place.source);
        let first = here.clone().next()?;
        let Some(origin) = here.clone().find(|origin| origin.place.contains(place)) else {
            // More than one part of it, or what none of them said.
            let touched = here.find(|origin| place.contains(origin.place)).unwrap_or(first);
            return Some((touched.typed, &touched.note));
        };
        let exactly = origin.quotes.map(|quotes| {
            let length = origin.typed.end;
            let at = |at: u32| at.saturating_sub(origin.place.start + quotes).min(length);
            Place { start: at(place.start), end: at(place.end), ..origin.typed }
        });
        Some((exactly.unwrap_or(origin.typed), &origin.note))
    }

    /// The scenario file; none if there was no text at all.
    pub(super) fn file(&self) -> Option<&Source> {
        self.all.first()
    }

    pub(super) fn get(&self, id: SourceId) -> &Source {
        &self.all[usize::from(id.0)]
    }

    /// What is written at `place`.
    pub(super) fn text(&self, place: Place) -> &str {
        self.get(place.source()).text.get(place.range()).unwrap_or_default()
    }
}
