//! TOML text into a tree.

use toml::de::{DeTable, DeValue, Error};

use super::{Entry, Node, Value};
use crate::scenario::source::{Place, SourceId};
use crate::scenario::trouble::Diagnostic;

/// The tree of a whole document, or what is wrong with its syntax.
pub(in crate::scenario) fn parse_document(
    text: &str,
    source: SourceId,
) -> Result<Node, Vec<Diagnostic>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let at = At { source, offset: 0 };
    if errors.is_empty() {
        let place = source.place(0..0);
        Ok(Node { place, value: Value::Table(at.table(table.into_inner())?) })
    } else {
        Err(at.syntax(text, errors))
    }
}

/// The tree of the value that begins at byte `offset` of `source`.
pub(in crate::scenario) fn parse_value(
    text: &str,
    source: SourceId,
    offset: usize,
) -> Result<Node, Vec<Diagnostic>> {
    let (value, errors) = DeValue::parse_recoverable(text);
    let at = At { source, offset };
    if errors.is_empty() {
        at.node(value.span(), value.into_inner())
    } else {
        Err(at.syntax(text, errors))
    }
}

/// Where the parsed text begins.
#[derive(Clone, Copy)]
struct At {
    source: SourceId,
    offset: usize,
}

impl At {
    fn place(self, span: std::ops::Range<usize>) -> Place {
        self.source.place(self.offset + span.start..self.offset + span.end)
    }

    fn node(
        self,
        span: std::ops::Range<usize>,
        value: DeValue<'_>,
    ) -> Result<Node, Vec<Diagnostic>> {
        let place = self.place(span);
        let value = match value {
            DeValue::String(text) => Value::Text(text.into_owned()),
            DeValue::Integer(integer) => {
                let value = i128::from_str_radix(integer.as_str(), integer.radix());
                Value::Integer(value.map_err(|_| {
                    vec![Diagnostic::error(
                        place,
                        "this number is larger than any that makes sense here",
                    )]
                })?)
            }
            DeValue::Float(float) => {
                let text = float.as_str().to_owned();
                // A spelling that the grammar admits is a number, if an infinite one.
                Value::Float(text.parse().unwrap_or(f64::NAN), text)
            }
            DeValue::Boolean(value) => Value::Bool(value),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(items) => {
                let items = items.into_iter().map(|item| self.node(item.span(), item.into_inner()));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => Value::Table(self.table(table)?),
        };
        Ok(Node { place, value })
    }

    fn table(self, table: DeTable<'_>) -> Result<Vec<Entry>, Vec<Diagnostic>> {
        let mut entries = Vec::with_capacity(table.len());
        for (key, value) in table {
            entries.push(Entry {
                key_place: self.place(key.span()),
                key: key.into_inner().into_owned(),
                layer: 0,
                node: self.node(value.span(), value.into_inner())?,
            });
        }
        entries.sort_by_key(|entry| entry.key_place);
        Ok(entries)
    }

    /// The errors in the order of the text, up to the first that may have caused the rest: an
    /// unquoted text or a repeated key leaves the reader on its feet, an open bracket does not.
    fn syntax(self, text: &str, mut errors: Vec<Error>) -> Vec<Diagnostic> {
        let start = |error: &Error| error.span().map_or(0, |span| span.start);
        errors.sort_by_key(start);
        errors.dedup_by_key(|error| error.span());
        let harmless =
            |error: &&Error| [UNQUOTED, DUPLICATE].iter().any(|m| error.message().starts_with(m));
        let count = errors.iter().take_while(harmless).count();
        errors.truncate(count + 1);
        errors.iter().map(|error| self.diagnostic(text, error)).collect()
    }

    fn diagnostic(self, text: &str, error: &Error) -> Diagnostic {
        let mut span = error.span().unwrap_or(0..0);
        if span == (0..0) {
            // What is wrong at the very beginning is shown at the first character.
            span.end = text.chars().next().map_or(0, char::len_utf8);
        }
        let found = text.get(span.clone()).unwrap_or_default();
        let place = self.place(span.clone());
        if error.message().starts_with(UNQUOTED) {
            if found.is_empty() {
                return Diagnostic::error(place, "a value is missing here");
            }
            let wrong = Diagnostic::error(place, "this is neither a number nor a quoted text");
            if let Some(percent) = found.strip_suffix('%').and_then(|n| n.parse::<f64>().ok()) {
                return wrong.help(format!("write {found} as {}", percent / 100.0));
            }
            return wrong.help(format!(
                "texts and lengths of time stand in quotes: \"{}\"",
                found.escape_default()
            ));
        }
        if error.message().starts_with(DUPLICATE) {
            return Diagnostic::error(place, format!("`{found}` is given twice"))
                .help("keep one of the two".to_owned());
        }
        let help = if error.message().starts_with(UNCLOSED) {
            Some(
                "a table is [services.NAME], and a name with blanks in it stands in quotes"
                    .to_owned(),
            )
        } else if error.message().starts_with(BARE_KEY) {
            Some("letters of other scripts, blanks and signs in a name ask for quotes: [clients.\"wéb\"]".to_owned())
        } else {
            is_decimal_comma(text, span.start).then(|| "decimals have a point: 0.7".to_owned())
        };
        Diagnostic::error(place, format!("not valid TOML: {}", error.message())).help(help)
    }
}

/// Whether there is a comma at `at`, between two digits.
fn is_decimal_comma(text: &str, at: usize) -> bool {
    let byte = |at: usize| text.as_bytes().get(at);
    let digit = |at: Option<usize>| at.and_then(byte).is_some_and(u8::is_ascii_digit);
    byte(at) == Some(&b',') && digit(at.checked_sub(1)) && digit(Some(at + 1))
}

const UNQUOTED: &str = "string values must be quoted";
const BARE_KEY: &str = "invalid unquoted key";
const UNCLOSED: &str = "unclosed table";
const DUPLICATE: &str = "duplicate key";
