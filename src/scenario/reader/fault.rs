//! What serde objects to, in words and with a place.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use crate::scenario::element::{CALL_KEYS, ROOT_KEYS};
use crate::scenario::nearest::{did_you_mean, list, nearest};
use crate::scenario::source::Place;
use crate::scenario::tree::{Entry, Node};
use crate::scenario::trouble::Diagnostic;

/// One objection. Serde makes it without knowing where; whoever reads the key or the value in
/// question adds the place on the way out.
#[derive(Debug)]
pub(in crate::scenario) struct Fault {
    message: String,
    help: Option<String>,
    place: Option<Place>,
    other: Option<(Place, String)>,
    /// Something is missing, as opposed to wrong.
    lacks: bool,
}

impl Fault {
    fn new(message: impl Into<String>, help: Option<String>) -> Self {
        Self { message: message.into(), help, place: None, other: None, lacks: false }
    }

    fn lacking(message: impl Into<String>, help: Option<String>) -> Self {
        Self { lacks: true, ..Self::new(message, help) }
    }

    pub(super) const fn lacks_something(&self) -> bool {
        self.lacks
    }

    pub(super) const fn place(&self) -> Option<Place> {
        self.place
    }

    #[must_use]
    pub(super) fn at_key(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    #[must_use]
    pub(super) fn at_value(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// What is missing is missing in the table behind this key.
    #[must_use]
    pub(super) fn in_table(mut self, key: Place) -> Self {
        if self.lacks {
            self.place.get_or_insert(key);
        }
        self
    }

    pub(super) fn nothing_chosen(words: &'static [&'static str]) -> Self {
        let words = list(words.iter().copied()).unwrap_or_default();
        Self::lacking("a choice is missing", Some(format!("one of {words}")))
    }

    pub(super) fn no_choice(
        found: Unexpected<'_>,
        expected: &dyn Expected,
        words: &'static [&'static str],
    ) -> Self {
        // A visitor that takes more than a choice says so itself.
        if !expected.to_string().starts_with("enum ") {
            return Self::invalid_type(found, expected);
        }
        let words = list(words.iter().copied()).unwrap_or_default();
        Self::new(
            format!("expected a choice, found {}", seen(found)),
            Some(format!("one of {words}")),
        )
    }

    pub(super) fn no_table(found: Unexpected<'_>, keys: &'static [&'static str]) -> Self {
        let keys = list(keys.iter().copied()).map(|keys| format!(" with the keys {keys}"));
        let help = if found == Unexpected::Seq {
            "a table is [..] in single brackets, or { .. }".to_owned()
        } else {
            format!("a table{}", keys.unwrap_or_default())
        };
        Self::new(format!("expected a table, found {}", seen(found)), Some(help))
    }

    pub(super) fn two_chosen(first: &Entry, second: &Entry) -> Self {
        let mut fault = Self::new(
            format!("`{}` and `{}` exclude each other", first.key, second.key),
            Some("keep one of the two".to_owned()),
        );
        fault.place = Some(second.key_place);
        fault.other = Some((first.key_place, String::new()));
        fault
    }

    pub(super) fn word_for_table(word: &str, content: &str) -> Self {
        Self::new(
            format!("`{word}` is a table here, not a word"),
            Some(format!("write {{ {word} = {content} }}")),
        )
    }

    pub(super) fn table_for_word(word: &str) -> Self {
        Self::new(
            format!("`{word}` is a word here, not a table"),
            Some(format!("write \"{word}\"")),
        )
    }

    /// The objection as it is shown; `root` tells the name of the table that something is missing in.
    pub(super) fn diagnostic(self, root: &Node) -> Diagnostic {
        let place = self.place.unwrap_or(Place::START);
        let owner = self.lacks.then(|| root.path_of(place)).flatten();
        let message = match owner {
            Some(owner) => format!("{} in `{owner}`", self.message),
            None => self.message,
        };
        let diagnostic = Diagnostic::error(place, message).help(self.help);
        match self.other {
            Some((place, label)) => diagnostic.other(place, label),
            None => diagnostic,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    /// The first line is the message, a second one the help.
    fn custom<T: fmt::Display>(message: T) -> Self {
        let text = message.to_string();
        match text.split_once('\n') {
            Some((message, help)) => Self::new(message, Some(help.to_owned())),
            None => Self::new(text, None),
        }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let expected = in_words(&expected.to_string());
        let help = correction(&found, &expected);
        Self::new(format!("expected {expected}, found {}", seen(found)), help)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(word: &str, known: &'static [&'static str]) -> Self {
        Self::new(
            format!("`{word}` is none of the words that can stand here"),
            instead(word, known, "one of"),
        )
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        let hint = HINTS.iter().find(|(wrong, right, _)| *wrong == key && known.contains(right));
        Self::new(
            format!("unknown key `{key}`"),
            hint.map(|(.., help)| (*help).to_owned())
                .or_else(|| instead(key, known, "the keys here are"))
                .or_else(|| Some("this table stays empty".to_owned())),
        )
    }

    fn missing_field(key: &'static str) -> Self {
        let help = EXAMPLES
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, example)| format!("add {key} = {example}"));
        Self::lacking(format!("`{key}` is missing"), help)
    }

    fn duplicate_field(key: &'static str) -> Self {
        Self::new(format!("`{key}` is given twice"), Some("keep one of the two".to_owned()))
    }
}

/// Keys that are easily written one table too high: the wrong key, a key of the table in which it stands,
/// and what to write instead.
const HINTS: [(&str, &str, &str); 5] = [
    ("hit_ratio", "cache", "a hit ratio is a cache's: cache = { hit_ratio = 0.9, fills = 10_000 }"),
    ("max_retries", "retry", "retries have a kind: retry = { immediate = { max_retries = 3 } }"),
    ("max_attempts", "retry", "retries have a kind: retry = { immediate = { max_attempts = 4 } }"),
    (
        "class",
        "late_answers",
        "a class is the client's, beside `call`; what services call for a request has the class of it",
    ),
    ("max_waiting", "queue", "a bound is the queue's: queue = { max_waiting = 800 }"),
];

/// What a required key looks like.
const EXAMPLES: [(&str, &str); 34] = [
    ("title", "\"What this story shows\""),
    ("horizon", "\"60s\""),
    ("workers", "10"),
    ("service_time", "\"10ms\""),
    ("calls", "\"the name of a service\""),
    ("max_retries", "3"),
    ("wait", "\"100ms\""),
    ("base", "\"100ms\""),
    ("cap", "\"10s\""),
    ("ratio", "0.1"),
    ("window", "\"10s\""),
    ("mean", "\"10ms\""),
    ("service", "\"the name of a service\""),
    ("begins", "\"10s\""),
    ("lasts", "\"2s\""),
    ("stages", "4"),
    ("squared_cv", "4"),
    ("alpha", "1.5"),
    ("weight", "0.9"),
    ("law", "\"1ms\""),
    ("p50", "\"8ms\""),
    ("p99", "\"60ms\""),
    ("values", "[\"8ms\", \"9ms\", \"30ms\"]"),
    ("weights", "[9, 1]"),
    ("free", "[0, 50]"),
    ("max_waiting", "800"),
    ("burst", "100"),
    ("slope", "0.001"),
    ("delay", "\"100ms\""),
    ("percentile", "0.95"),
    ("until_then", "\"100ms\""),
    ("size", "10"),
    ("width", "\"10ms\""),
    ("attempts", "{ max = 100 }"),
];

/// Rust's names of types, in the words of a person who writes a scenario.
fn in_words(expected: &str) -> String {
    match expected {
        "f64" => "a number".to_owned(),
        "i64" => "a whole number".to_owned(),
        "u64" => "a whole number, 0 or more".to_owned(),
        "a string" | "string" => "a text in quotes".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a map" => "a table".to_owned(),
        "a sequence" => "a list".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other => other.to_owned(),
    }
}

/// The right word for a wrong one, or where the word would be right.
fn instead(wrong: &str, known: &[&str], all: &str) -> Option<String> {
    if known.contains(&"call") && CALL_KEYS.contains(&wrong) {
        return Some(format!("did you mean `call.{wrong}`?"));
    }
    if wrong == "call" && known.contains(&"passes_deadline") {
        return Some(
            "the keys of a call between services stand in it: leave `call` out".to_owned(),
        );
    }
    if nearest(wrong, known.iter().copied()).is_none() && ROOT_KEYS.contains(&wrong) {
        return Some(format!(
            "`{wrong}` belongs to the scenario: above the first [table], or in one of its own"
        ));
    }
    did_you_mean(wrong, known.iter().copied(), all)
}

/// What to write instead, where it can be told from what was written.
fn correction(found: &Unexpected<'_>, expected: &str) -> Option<String> {
    if let Unexpected::Float(value) = found
        && value.fract() == 0.0
        && expected.contains("whole")
    {
        Some(format!("write it with digits only: {value}"))
    } else if let Unexpected::Signed(value) = found
        && expected.contains("length of time")
    {
        Some(format!("write \"{value}s\" or \"{value}ms\""))
    } else if let Unexpected::Float(value) = found
        && expected.contains("length of time")
    {
        Some(format!("write \"{value}s\" or \"{value}ms\""))
    } else if *found == Unexpected::Map && expected == "a list" {
        Some("tables of a list stand in double brackets: [[..]]".to_owned())
    } else if *found == Unexpected::Seq && expected.contains("table") {
        Some("a table is [..] in single brackets, or { .. }".to_owned())
    } else if let Unexpected::Str(text) = found
        && let Ok(number) = text.parse::<f64>()
        && number.is_finite()
        && expected.contains("number")
    {
        let number =
            if text.parse::<i64>().is_ok() { (*text).to_owned() } else { format!("{number:?}") };
        Some(format!("write {number}, without quotes"))
    } else {
        None
    }
}

fn seen(found: Unexpected<'_>) -> String {
    if let Unexpected::Str(text) = found {
        format!("the text \"{}\"", text.escape_debug())
    } else if let Unexpected::Signed(value) = found {
        format!("the number {value}")
    } else if let Unexpected::Unsigned(value) = found {
        format!("the number {value}")
    } else if let Unexpected::Float(value) = found {
        format!("the number {value:?}")
    } else if let Unexpected::Bool(value) = found {
        value.to_string()
    } else if found == Unexpected::Seq {
        "a list".to_owned()
    } else if found == Unexpected::Map {
        "a table".to_owned()
    } else {
        found.to_string()
    }
}
