//! Words broken into lines.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::report::terminal::style::paint;

/// Breaks `text` between words into lines at most `width` columns wide, and within a word where one
/// word is wider than that. At least one line.
pub(in crate::report) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut rest = word;
        loop {
            let line = lines.last_mut().expect("there is a line");
            let gap = usize::from(!line.is_empty());
            if line.width() + gap + rest.width() <= width {
                line.push_str(if gap == 1 { " " } else { "" });
                line.push_str(rest);
                break;
            }
            if line.is_empty() {
                let cut = longest_start(rest, width);
                line.push_str(&rest[..cut]);
                rest = &rest[cut..];
            }
            if !rest.is_empty() {
                lines.push(String::new());
            } else {
                break;
            }
        }
    }
    lines
}

/// Lines of text wider than this are hard to read, however wide the terminal.
const WIDEST_PARAGRAPH: usize = 100;

/// `text` in lines of at most `width` columns, and an empty line after them.
pub(in crate::report) fn paragraph(text: &str, style: Style, width: usize) -> String {
    let lines = wrap(text, width.min(WIDEST_PARAGRAPH));
    let painted: Vec<String> = lines.iter().map(|line| paint(line, style)).collect();
    format!("{}\n\n", painted.join("\n"))
}

/// The length in bytes of the longest start of `word` within `width` columns; at least one letter.
fn longest_start(word: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, letter) in word.char_indices() {
        used += letter.width().unwrap_or(0);
        if used > width && at > 0 {
            return at;
        }
    }
    word.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_words_and_within_long_ones() {
        let check = |text, width, expected: &[&str]| assert_eq!(wrap(text, width), expected);
        check("", 10, &[""]);
        check("3 retries, load 0.5", 10, &["3 retries,", "load 0.5"]);
        check("unbreakable", 4, &["unbr", "eaka", "ble"]);
        check("a unbreakable", 4, &["a", "unbr", "eaka", "ble"]);
        check("再試行 三回", 6, &["再試行", "三回"]);
        check("再試行", 1, &["再", "試", "行"]);
    }

    #[test]
    fn no_line_is_too_wide() {
        let text = "a budget of one tenth, with the stall at second 40 and a verylongwordindeed";
        for width in 1..80 {
            assert!(wrap(text, width).iter().all(|line| line.width() <= width), "{width}");
            let together: String = wrap(text, width).concat().split(' ').collect();
            assert_eq!(together, text.split(' ').collect::<String>(), "{width}");
        }
    }
}
