//! `"250ms"`: a length of time with its unit.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Error, Visitor};

use crate::scenario::nearest::did_you_mean;
use crate::scenario::source::Place;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A length of time as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::scenario) struct Length(pub(super) String);

/// Longer spellings are refused, since nobody needs them and `humantime` 2.4 panics on some, such as
/// `18446744073709551615s 1000ms`.
const LONGEST_SPELLING: usize = 24;

/// What a unit may be called.
pub(in crate::scenario) const UNIT_WORDS: [&str; 20] = [
    "ns", "us", "µs", "ms", "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute",
    "minutes", "h", "hour", "hours", "d", "day", "days",
];

const UNITS: &str = "units are ns, us, ms, s, m (minutes), h and d";

impl Length {
    /// Any length, zero included.
    pub(in crate::scenario) fn span(&self, spot: Spot<'_>) -> Result<Span, Diagnostic> {
        parse_length(&self.0, spot.value())
    }

    /// A length above zero; `instead` tells what to write where somebody meant something by zero.
    pub(in crate::scenario) fn above_zero(
        &self,
        spot: Spot<'_>,
        instead: &str,
    ) -> Result<Span, Diagnostic> {
        let span = self.span(spot)?;
        if span.is_zero() {
            let help = (!instead.is_empty()).then(|| instead.to_owned());
            return Err(Diagnostic::error(spot.value(), "this length of time must be above zero")
                .help(help));
        }
        Ok(span)
    }
}

/// That `text` is meant as a length of time, and not as one of the words that can stand in its place.
pub(super) fn no_word(text: &str, words: &[&str], spot: Spot<'_>) -> Result<(), Diagnostic> {
    if text.is_empty() || text.contains(|c: char| c.is_ascii_digit()) {
        return Ok(());
    }
    let message = format!("`{text}` is neither a length of time nor a word that can stand here");
    let help = did_you_mean(text, words.iter().copied(), "the words are");
    Err(Diagnostic::error(spot.value(), message).help(help))
}

/// The length that `text` spells outside any file, such as `1.25s`.
///
/// # Errors
/// What is wrong with it.
pub fn length(text: &str) -> Result<Span, String> {
    parse_length(text, Place::START).map_err(|diagnostic| diagnostic.message().to_owned())
}

/// The length that `text` spells, exact to the nanosecond; `place` is where it stands, in quotes.
pub(in crate::scenario) fn parse_length(text: &str, place: Place) -> Result<Span, Diagnostic> {
    use humantime::DurationError as E;
    let whole = 0..text.len();
    let wrong =
        |range: Range<usize>, message: String| Diagnostic::error(place.part(text, range), message);
    let example = || Some("write a number and a unit, such as \"250ms\" or \"1.25s\"".to_owned());
    if text.len() > LONGEST_SPELLING {
        return Err(wrong(whole, "this is no length of time".to_owned()).help(example()));
    }
    if text.trim_start().starts_with('-') {
        return Err(wrong(whole, "a length of time cannot be negative".to_owned()));
    }
    let too_large = || "this length of time is too long, or finer than a nanosecond".to_owned();
    if let Some(run) = foreign_unit(text) {
        let message = format!("`{}` is no unit of time", &text[run.clone()]);
        return Err(wrong(run, message).help(UNITS.to_owned()));
    }
    let duration = humantime::parse_duration(text).map_err(|error| match error {
        E::Empty => {
            wrong(whole.clone(), "a length of time is missing here".to_owned()).help(example())
        }
        E::NumberOverflow => wrong(whole.clone(), too_large()),
        E::UnknownUnit { unit, .. } if unit.is_empty() => {
            let number = text.trim();
            wrong(whole.clone(), format!("`{number}` needs a unit"))
                .help(format!("write \"{number}s\" or \"{number}ms\""))
        }
        E::UnknownUnit { start, end, .. } => {
            wrong(start..end, "this is no unit of time".to_owned()).help(UNITS.to_owned())
        }
        E::InvalidCharacter(at) | E::NumberExpected(at) => {
            let width =
                text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            wrong(at..at + width, "this is no length of time".to_owned()).help(example())
        }
    })?;
    let nanos = u64::try_from(duration.as_nanos()).map_err(|_| wrong(whole, too_large()))?;
    Ok(Span::from_nanos(nanos))
}

/// The first word that is none of [`UNIT_WORDS`]: `humantime` reads `1M` as a month, which somebody
/// meant as a minute.
fn foreign_unit(text: &str) -> Option<Range<usize>> {
    let is_letter = |c: char| c.is_alphabetic();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_letter).map(|start| rest + start) {
        let end = text[start..].find(|c| !is_letter(c)).map_or(text.len(), |end| start + end);
        if !UNIT_WORDS.contains(&&text[start..end]) {
            return Some(start..end);
        }
        rest = end;
    }
    None
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Length;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a length of time in quotes, such as \"250ms\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Length, E> {
                Ok(Length(text.to_owned()))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nanos(text: &str) -> Option<u64> {
        parse_length(text, Place::START).ok().map(Span::as_nanos)
    }

    #[test]
    fn fractions_are_exact() {
        let check = |text: &str, expected: u64| assert_eq!(nanos(text), Some(expected), "{text}");
        check("0s", 0);
        check("1ns", 1);
        check("0.8s", 800_000_000);
        check("1.25s", 1_250_000_000);
        check("0.1ms", 100_000);
        check("1.5us", 1_500);
        check("2.5 µs", 2_500);
        check("1m 30s", 90_000_000_000);
        check("1.5h", 5_400_000_000_000);
        check("60.000000001s", 60_000_000_001);
    }

    #[test]
    fn what_has_no_unit_or_no_sense_is_refused() {
        for wrong in [
            "",
            " ",
            "10",
            "10 parsecs",
            "s",
            "-1s",
            "1,5s",
            "1e3s",
            "0.5ns",
            "1.s",
            "inf",
            "NaN s",
            "99999999999h",
            "1M",
            "2 weeks",
            "1y",
            "1S",
            "5 sek",
            "1s 2x",
            "é",
            "18446744073709551615s",
            "18446744073709551615s 1000ms",
            "１s",
        ] {
            assert_eq!(nanos(wrong), None, "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn what_a_span_displays_is_read_as_that_span(nanos_in in any::<u64>()) {
            prop_assert_eq!(nanos(&Span::from_nanos(nanos_in).to_string()), Some(nanos_in));
        }

        #[test]
        fn no_text_panics(text in "[0-9.]{0,20}(ns|us|ms|s|m|h|d|w|y|µs| ){0,2}[0-9.]{0,12}(ms|s|y)?|.*") {
            let _ = nanos(&text);
        }
    }
}
