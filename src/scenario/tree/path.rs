//! Dotted paths: the address of everything in a scenario.

use toml::de::{DeTable, DeValue};

use super::quote;
use crate::scenario::source::{Place, SourceId};
use crate::scenario::trouble::Diagnostic;

/// One name of a path, and where it is written.
#[derive(Clone, Debug)]
pub(in crate::scenario) struct Segment {
    pub(in crate::scenario) name: String,
    pub(in crate::scenario) place: Place,
}

/// Names that lead from the root of a scenario to a node; at least one.
#[derive(Clone, Debug)]
pub(in crate::scenario) struct Path(Vec<Segment>);

impl Path {
    /// Reads a path in TOML's spelling: names with dots or blanks in them stand in quotes.
    ///
    /// `place` shows where `text` begins; without it, all of `whole` is blamed for every mistake.
    pub(in crate::scenario) fn parse(
        text: &str,
        source: SourceId,
        start: Option<usize>,
        whole: Place,
    ) -> Result<Self, Diagnostic> {
        let place = |span: std::ops::Range<usize>| {
            start.map_or(whole, |start| {
                source.place(start + span.start.min(text.len())..start + span.end.min(text.len()))
            })
        };
        let wrong = |place, message: String| {
            Diagnostic::error(place, message).help(
                "a path is names with dots between them, and a name with dots or blanks stands in \
                 quotes: variants.\"no retries\""
                    .to_owned(),
            )
        };
        if text.trim().is_empty() {
            return Err(wrong(whole, "a path is missing here".to_owned()));
        }
        if text.contains(['\n', '\r']) {
            return Err(wrong(whole, "a path is written on one line".to_owned()));
        }
        // The parser of whole documents knows how keys are quoted; a value makes a key a document.
        let document = format!("{text}={SENTINEL}");
        let mut table = DeTable::parse(&document)
            .map_err(|error| {
                let span = error.span().unwrap_or(0..text.len());
                wrong(place(span), "this is not a path".to_owned())
            })?
            .into_inner();
        let mut segments = Vec::new();
        loop {
            let mut entries = std::mem::take(&mut table).into_iter();
            let (Some((key, value)), None) = (entries.next(), entries.next()) else {
                return Err(wrong(whole, "this is more than one path".to_owned()));
            };
            segments
                .push(Segment { place: place(key.span()), name: key.into_inner().into_owned() });
            let at = value.span();
            match value.into_inner() {
                DeValue::Table(inner) if !inner.is_empty() => table = inner,
                DeValue::Integer(_) if at.start == document.len() - SENTINEL.len() => break,
                DeValue::String(_)
                | DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Boolean(_)
                | DeValue::Datetime(_)
                | DeValue::Array(_)
                | DeValue::Table(_) => return Err(wrong(whole, "this is not a path".to_owned())),
            }
        }
        Ok(Self(segments))
    }

    /// Reads the path that a quoted key spells.
    pub(in crate::scenario) fn of_key(key: &str, place: Place) -> Result<Self, Diagnostic> {
        let start = if place.len() == key.len() + 2 {
            Some(place.range().start + 1)
        } else if place.len() == key.len() {
            Some(place.range().start)
        } else {
            None
        };
        Self::parse(key, place.source(), start, place)
    }

    pub(in crate::scenario) fn segments(&self) -> &[Segment] {
        &self.0
    }

    pub(in crate::scenario) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|segment| segment.name.as_str())
    }

    /// From its first name to its last.
    pub(in crate::scenario) fn place(&self) -> Place {
        let (first, last) = (self.0[0].place, self.0[self.0.len() - 1].place);
        first.source().place(first.range().start..last.range().end)
    }

    pub(in crate::scenario) fn first(&self) -> &Segment {
        &self.0[0]
    }

    /// All that is below a table whose own keys are paths or names of paths: its key is one name,
    /// however many dots it has.
    #[must_use]
    pub(in crate::scenario) fn joined_from(mut self, index: usize) -> Self {
        if self.0.len() > index + 1 {
            let tail = self.0.split_off(index);
            let name =
                tail.iter().map(|segment| quote(&segment.name)).collect::<Vec<_>>().join(".");
            let place = Self(tail).place();
            self.0.push(Segment { name, place });
        }
        self
    }

    /// Whether one leads to something within what the other leads to, or to the same.
    pub(in crate::scenario) fn overlaps(&self, other: &Self) -> bool {
        self.names().zip(other.names()).all(|(a, b)| a == b)
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, name) in self.names().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            f.write_str(&quote(name))?;
        }
        Ok(())
    }
}

impl PartialEq for Path {
    /// The same names, wherever they are written.
    fn eq(&self, other: &Self) -> bool {
        self.names().eq(other.names())
    }
}

/// What no path contains at its end.
const SENTINEL: &str = "7";

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<Vec<String>> {
        let path = Path::parse(text, SourceId::FILE, Some(0), Place::START).ok()?;
        Some(path.names().map(str::to_owned).collect())
    }

    #[test]
    fn names_are_quoted_as_in_toml() {
        let check = |text: &str, expected: &[&str]| {
            let expected: Vec<String> = expected.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(names(text), Some(expected), "{text}");
        };
        check("horizon", &["horizon"]);
        check("clients.web.load", &["clients", "web", "load"]);
        check(r#"clients."a.b".load"#, &["clients", "a.b", "load"]);
        check("clients.'é'.load", &["clients", "é", "load"]);
        check(" a . b ", &["a", "b"]);
    }

    #[test]
    fn everything_else_is_refused() {
        for wrong in [
            "", " ", ".", "a.", ".a", "a b", "a = 1", "a=1\nb", "a\nb", "[a]\nb", "a.{b", "\"",
            "a#",
        ] {
            assert_eq!(names(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn what_is_spelled_is_read_again() {
        for name in ["a", "a.b", "", "no retries", "quo\"te", "back\\slash", "é", "tab\t"] {
            assert_eq!(names(&quote(name)), Some(vec![name.to_owned()]), "{name:?}");
        }
    }

    #[test]
    fn each_name_knows_its_place() {
        let path =
            Path::parse("clients.\"a b\".load", SourceId::FILE, Some(10), Place::START).unwrap();
        let places: Vec<_> = path.segments().iter().map(|segment| segment.place.range()).collect();
        assert_eq!(places, [10..17, 18..23, 24..28]);
    }
}
