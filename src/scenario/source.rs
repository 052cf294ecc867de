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
pub(super) struct Sources(Vec<Source>);

impl SourceId {
    /// The first source.
    #[cfg(test)]
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
        self.0.push(Source { name: name.to_owned(), text: text.to_owned(), first_line });
        SourceId((self.0.len() - 1) as u16)
    }

    /// The scenario file; none if there was no text at all.
    pub(super) fn file(&self) -> Option<&Source> {
        self.0.first()
    }

    pub(super) fn get(&self, id: SourceId) -> &Source {
        &self.0[usize::from(id.0)]
    }

    /// What is written at `place`.
    pub(super) fn text(&self, place: Place) -> &str {
        self.get(place.source()).text.get(place.range()).unwrap_or_default()
    }
}
