//! Messages at the width of a terminal: long lines are folded between words, and nothing else changes.

use unicode_width::UnicodeWidthStr;

use super::style::strip;

/// What a message begins with; what it goes on with stands below its first word.
const HEADS: [&str; 4] = ["error: ", "warning: ", "note: ", "interrupted: "];
/// The same of what stands below a message.
const FEET: [&str; 2] = ["= help: ", "= note: "];

/// `text` with every line folded that is wider than `width`; styles count for nothing. Lines that show a piece of a
/// scenario stay as they are, for the carets below them, and so does a word that is too long by itself: a path is
/// copied whole.
pub fn fold(text: &str, width: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| folded(line, width)).collect();
    lines.join("\n")
}

fn folded(line: &str, width: usize) -> String {
    let plain = strip(line);
    if plain.width() <= width || is_shown(&plain) {
        return line.to_owned();
    }
    let indent = hang(&plain);
    let mut text = String::new();
    let mut used = 0;
    for (nth, word) in line.split(' ').enumerate() {
        let wide = strip(word).width();
        let breaks = used > indent && used + 1 + wide > width;
        if breaks {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            used = indent;
        } else if nth > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += wide;
    }
    text
}

/// Whether a line shows a piece of a scenario: a number, or none, and a bar; or where that piece is from.
fn is_shown(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    ["|", "-->", ":::"].iter().any(|mark| rest.starts_with(mark))
}

/// How far the lines after the first are indented.
fn hang(line: &str) -> usize {
    let indent = line.len() - line.trim_start().len();
    let words = &line[indent..];
    if let Some(head) = HEADS.iter().find(|head| words.starts_with(**head)) {
        indent + head.len()
    } else if let Some(foot) = FEET.iter().find(|foot| words.starts_with(**foot)) {
        indent + foot.len()
    } else {
        indent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_words_and_below_the_first() {
        let check = |text, expected| assert_eq!(fold(text, 20), expected);
        check("error: short", "error: short");
        check("error: a few words more than fit", "error: a few words\n       more than fit");
        check("  = help: leave it out or not", "  = help: leave it\n          out or not");
        check("two lines\nof which one is too long", "two lines\nof which one is too\nlong");
        check("a /very/long/path/that/is/copied", "a\n/very/long/path/that/is/copied");
    }

    #[test]
    fn what_carets_point_at_stays() {
        for shown in [
            "12 | key = \"a value that is long\"",
            "   |       ^^^^^^^^^^^^^^^^^^^^^ here",
            " --> a/long/path:1:2",
        ] {
            assert_eq!(fold(shown, 20), shown);
        }
    }

    #[test]
    fn styles_have_no_width() {
        let styled = "\u{1b}[1merror\u{1b}[0m: fits in here";
        assert_eq!(fold(styled, 20), styled);
    }
}
