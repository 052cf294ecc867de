//! Text cut to the room there is.

use super::font;

const ELLIPSIS: char = '…';

/// `text` without what a document cannot hold or a line cannot show: control characters become
/// spaces.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') { ' ' } else { c })
        .collect()
}

/// `text` on one line of at most `room` pixels, its end replaced by an ellipsis where it does not
/// fit.
pub(super) fn fit(text: &str, size: f64, room: f64) -> String {
    let text = printable(text);
    if font::width(&text, size) <= room {
        return text;
    }
    let mut kept: String = text;
    while kept.pop().is_some() {
        let shown = format!("{}{ELLIPSIS}", kept.trim_end());
        if font::width(&shown, size) <= room {
            return shown;
        }
    }
    String::new()
}

/// `text` on at most `lines` lines of at most `room` pixels: broken between words where it can be,
/// inside them where it must be, and ending in an ellipsis where it does not fit. At least one line.
pub(super) fn wrap(text: &str, size: f64, room: f64, lines: usize) -> Vec<String> {
    let text = printable(text);
    let mut rest = text.trim();
    let mut wrapped = Vec::new();
    while wrapped.len() + 1 < lines && font::width(rest, size) > room {
        let end = fitting(rest, size, room);
        let head = match rest[..end].rfind(' ') {
            Some(space) if !rest[end..].starts_with(' ') => &rest[..space],
            Some(_) | None => &rest[..end],
        };
        wrapped.push(head.trim_end().to_owned());
        rest = rest[head.len()..].trim_start();
    }
    wrapped.push(fit(rest, size, room));
    wrapped
}

/// How many bytes of `text` fit into `room`; at least its first character.
fn fitting(text: &str, size: f64, room: f64) -> usize {
    let ends = text.char_indices().map(|(start, c)| start + c.len_utf8());
    let mut fitting = 0;
    for end in ends {
        if fitting > 0 && font::width(&text[..end], size) > room {
            break;
        }
        fitting = end;
    }
    fitting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(fit("no retries", 15.0, 200.0), "no retries");
        assert_eq!(wrap("no retries", 15.0, 200.0, 2), ["no retries"]);
        assert_eq!(wrap("", 15.0, 200.0, 2), [""]);
    }

    #[test]
    fn no_line_is_wider_than_its_room() {
        let check = |text: &str, room: f64, lines: usize| {
            let wrapped = wrap(text, 15.0, room, lines);
            assert!(wrapped.len() <= lines, "{wrapped:?}");
            for line in &wrapped {
                assert!(font::width(line, 15.0) <= room, "{line} in {room}");
            }
        };
        check("three retries under a budget of a tenth of everything sent", 180.0, 2);
        check("Donaudampfschifffahrtsgesellschaftskapitän", 90.0, 3);
        check("повторные попытки без ограничения", 120.0, 2);
    }

    #[test]
    fn lines_break_between_words_and_end_in_an_ellipsis() {
        let wrapped = wrap("three retries under a budget of a tenth", 15.0, 150.0, 2);
        assert_eq!(wrapped, ["three retries under a", "budget of a tenth"]);
        let cut = wrap("three retries under a budget of a tenth", 15.0, 110.0, 2);
        assert_eq!(cut[0], "three retries");
        assert!(cut[1].ends_with(ELLIPSIS), "{cut:?}");
    }

    #[test]
    fn control_characters_do_not_reach_the_document() {
        assert_eq!(fit("a\u{0}b\nc", 15.0, 200.0), "a b c");
    }
}
