//! A file of measured numbers: one to a line.
//!
//! A number has a unit (`250ms`) or none, which means seconds unless the file begins with a heading
//! that ends in a unit: under `latency_ms` they are milliseconds. Empty lines and lines that begin with
//! `#` say nothing.

use std::ops::Range;
use std::sync::Arc;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::law;
use crate::scenario::element::parse_length;
use crate::scenario::source::{Place, Sources};
use crate::scenario::trouble::Diagnostic;
use crate::time::{Span, Time};

/// The numbers, each with the line on which it stands.
pub(super) struct Column<'t> {
    text: &'t str,
    name: &'t str,
    rows: Vec<Row>,
}

struct Row {
    length: Span,
    /// Where the line begins, in bytes.
    at: usize,
}

/// Bytes of a line that are shown: a file without line breaks is one line.
const LONGEST_LINE: usize = 200;

/// Nanoseconds in the unit that ends a heading.
const UNITS: [(&str, f64); 6] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("seconds", 1e9)];
const SECONDS: f64 = 1e9;

/// A line of the file, and what of it is wrong.
struct Line<'t> {
    text: &'t str,
    name: &'t str,
    at: usize,
}

impl Line<'_> {
    /// Puts the line among the sources, by itself: of a file of a million lines nobody needs the rest.
    fn place(&self, within: Range<usize>, sources: &mut Sources) -> Place {
        let number = self.text[..self.at].bytes().filter(|byte| *byte == b'\n').count() + 1;
        sources.add_line(self.name, self.line(), number).place(within)
    }

    fn line(&self) -> &str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default();
        &line[..line.floor_char_boundary(LONGEST_LINE)]
    }

    /// Where its field stands, without blanks and quotes around it.
    fn field(&self, field: &str) -> Range<usize> {
        let found = self.line().find(field);
        found.map_or(0..self.line().len(), |start| start..start + field.len())
    }
}

/// Reads the numbers of `text`, which is called `name` in messages.
///
/// # Errors
/// The first line that is not one number.
pub(super) fn read<'t>(
    text: &'t str,
    name: &'t str,
    sources: &mut Sources,
) -> Result<Column<'t>, Diagnostic> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    let mut scale = SECONDS;
    let mut first = true;
    let mut record = StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(Column { text, name, rows }),
            // Reading from memory fails only on what is no text, and this is text.
            Err(error) => {
                return Err(Diagnostic::of_file(format!("cannot read {name}: {error}")));
            }
        }
        let from = record.position().map_or(0, |position| position.byte() as usize);
        let line = Line { text, name, at: from + skipped(text.get(from..).unwrap_or_default()) };
        let field = record.get(0).unwrap_or_default();
        if record.len() > 1 {
            let within = line.line().find(',').map_or(0..0, |comma| comma..line.line().len());
            return Err(Diagnostic::error(
                line.place(within, sources),
                "there is one number to a line, and nothing beside it",
            )
            .help("keep the column of the numbers".to_owned()));
        }
        if std::mem::take(&mut first) && is_heading(field) {
            scale = unit_of(field).ok_or_else(|| {
                let place = line.place(0..line.line().len(), sources);
                Diagnostic::error(place, "this heading does not say in which unit the numbers are")
                    .help("end it in its unit: _ns, _us, _ms or _s".to_owned())
            })?;
            continue;
        }
        rows.push(Row { length: number(field, scale, &line, sources)?, at: line.at });
    }
}

/// The last word of a heading, if it is a unit: `latency_ms`, `latency (ms)`, `MS`.
fn unit_of(heading: &str) -> Option<f64> {
    let lower = heading.to_lowercase();
    let last = lower.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty())?;
    UNITS.iter().find(|(unit, _)| *unit == last).map(|(_, nanos)| *nanos)
}

fn is_heading(field: &str) -> bool {
    field.starts_with(char::is_alphabetic) && field.parse::<f64>().is_err()
}

/// What stands before the line of a record: empty lines and remarks.
fn skipped(text: &str) -> usize {
    let says_nothing = |line: &&str| line.trim().is_empty() || line.starts_with('#');
    text.split_inclusive('\n').take_while(says_nothing).map(str::len).sum()
}

fn number(
    field: &str,
    scale: f64,
    line: &Line<'_>,
    sources: &mut Sources,
) -> Result<Span, Diagnostic> {
    let wrong = |message: String, sources: &mut Sources| {
        Diagnostic::error(line.place(line.field(field), sources), message)
    };
    // What is measured may be finer than a nanosecond, or spelled with an exponent.
    if let Ok(value) = field.parse::<f64>() {
        let nanos = (value * scale).round();
        if value < 0.0 {
            return Err(wrong("a measured time cannot be negative".to_owned(), sources));
        } else if nanos < u64::MAX as f64 {
            return Ok(Span::from_nanos(nanos as u64));
        }
        return Err(wrong("this is no length of time".to_owned(), sources));
    }
    // Only what is wrong is put among the sources.
    parse_length(field, Place::START)
        .or_else(|_| parse_length(field, line.place(line.field(field), sources)))
}

impl Column<'_> {
    /// The numbers as instants.
    ///
    /// # Errors
    /// There are none, or the first that comes too early.
    pub(super) fn instants(&self, sources: &mut Sources) -> Result<Arc<[Time]>, Diagnostic> {
        if let Some(pair) = self.rows.windows(2).find(|pair| pair[1].length < pair[0].length) {
            let line = Line { text: self.text, name: self.name, at: pair[1].at };
            let field = line.line().trim();
            let message = format!(
                "instants stand in their order, and {} comes before {}, which stands above",
                pair[1].length, pair[0].length
            );
            return Err(Diagnostic::error(line.place(line.field(field), sources), message)
                .help("sort the lines by time".to_owned()));
        }
        if self.rows.is_empty() {
            return Err(self.nothing("instants"));
        }
        Ok(self.rows.iter().map(|row| Time::ZERO + row.length).collect())
    }

    /// The numbers as lengths of work.
    ///
    /// # Errors
    /// There are none, or all of them are zero.
    pub(super) fn lengths(&self) -> Result<law::Empirical, Diagnostic> {
        let lengths = self.rows.iter().map(|row| row.length).collect();
        law::Empirical::new(lengths).map_err(|_| self.nothing("lengths above zero"))
    }

    fn nothing(&self, what: &str) -> Diagnostic {
        Diagnostic::of_file(format!("there are no {what} in {}", self.name))
            .help("write one number to a line, in seconds or with a unit, such as 250ms".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanos(text: &str) -> Result<Vec<u64>, Diagnostic> {
        let column = read(text, "data.csv", &mut Sources::default())?;
        Ok(column.rows.iter().map(|row| row.length.as_nanos()).collect())
    }

    #[test]
    fn numbers_are_seconds_unless_they_say_otherwise() {
        let check = |text: &str, expected: &[u64]| assert_eq!(nanos(text).unwrap(), expected);
        check("0.5\n1\n2.25\n", &[500_000_000, 1_000_000_000, 2_250_000_000]);
        check("250ms\n1.5 us\n3", &[250_000_000, 1_500, 3_000_000_000]);
        check("latency_ms\n8\n9.5\n1s\n", &[8_000_000, 9_500_000, 1_000_000_000]);
        check("t_us\n8\n", &[8_000]);
        check("Latency (MS)\n8\n", &[8_000_000]);
        assert!(nanos("latencyMs\n8\n").is_err(), "which unit?");
        check("5e-05\n1.0000000004\n", &[50_000, 1_000_000_000]);
        check(
            "# measured on a Monday\r\n\r\n1\r\n\r\n# and later\r\n 2 \r\n",
            &[1_000_000_000, 2_000_000_000],
        );
        check("\"1\"\n", &[1_000_000_000]);
        check("", &[]);
    }

    #[test]
    fn everything_else_is_refused() {
        for wrong in [
            "1\n-2\n",
            "nan\n1\n",
            "1\nx\n",
            "1\nnan\n",
            "1\ninf\n",
            "1,2\n",
            "1\n1e300\n",
            "a\nb\n",
            "1 parsec",
        ] {
            assert!(nanos(wrong).is_err(), "{wrong:?}");
        }
    }
}
