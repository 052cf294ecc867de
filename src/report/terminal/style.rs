//! The few styles a terminal gets. They are always written; whoever prints knows whether the reader
//! is a terminal and takes them out if not.

use anstyle::{AnsiColor, Style};

use crate::analysis::Verdict;

/// Headings.
pub(in crate::report) const HEADING: Style = Style::new().bold();
/// Rules, and what is beside the point.
pub(in crate::report) const FAINT: Style = Style::new().dimmed();
/// All is well.
pub(in crate::report) const WELL: Style = AnsiColor::Green.on_default();
/// It does not come back, or a promise is broken.
pub(in crate::report) const DOWN: Style = AnsiColor::Red.on_default();
/// Neither.
pub(in crate::report) const UNSURE: Style = AnsiColor::Yellow.on_default();

/// The style of a verdict.
pub(in crate::report) const fn of_verdict(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Unaffected | Verdict::Recovered => WELL,
        Verdict::Metastable | Verdict::Overloaded => DOWN,
        Verdict::Draining | Verdict::Undecided => UNSURE,
    }
}

/// `words` in `style`.
pub(in crate::report) fn paint(words: &str, style: Style) -> String {
    if words.is_empty() || style == Style::new() {
        words.to_owned()
    } else {
        format!("{style}{words}{style:#}")
    }
}

/// `text` without styles: everything from an escape up to the `m` that ends it is left out.
pub(in crate::report) fn strip(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            letters.by_ref().find(|letter| *letter == 'm');
        } else {
            plain.push(letter);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_painted_can_be_stripped() {
        let painted = paint("metastable", of_verdict(Verdict::Metastable));
        assert_ne!(painted, "metastable");
        assert_eq!(strip(&format!("it is {painted}, m")), "it is metastable, m");
        assert_eq!(paint("plain", Style::new()), "plain");
    }
}
