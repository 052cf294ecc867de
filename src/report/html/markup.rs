//! Text within a page: whatever a scenario calls itself, it stays text.

use std::fmt::Write as _;

use serde::Serialize;

/// `text` as content of an element or of an attribute in double quotes. What is no character of a page,
/// such as a bell, becomes a space.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(letter),
            _ if letter.is_control() => safe.push(' '),
            _ => safe.push(letter),
        }
    }
    safe
}

/// `data` as JSON that can stand in a script element: no `<` is in it, so nothing in it ends the element
/// or opens a comment.
pub(super) fn embedded(data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).expect("maps of a page have texts as keys");
    json.replace('<', "\\u003c")
}

/// `word` as one word of a command line: bare where that is safe, in single quotes otherwise.
pub(super) fn shell_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:=,@%+".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Adds ` name="value"`.
pub(super) fn attribute(text: &mut String, name: &str, value: &str) {
    let _ = write!(text, " {name}=\"{}\"", escaped(value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_its_place() {
        let hostile = "</script><!--<img src=x onerror=\"alert('1')\">&\u{7}";
        let safe = escaped(hostile);
        assert!(!safe.contains(['<', '>', '"', '\'', '\u{7}']), "{safe}");
        let json = embedded(&hostile);
        assert!(!json.contains('<'), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }

    #[test]
    fn words_of_a_command_stay_words() {
        let check = |word: &str, expected: &str| assert_eq!(shell_word(word), expected);
        check("clients.web.load=0.7", "clients.web.load=0.7");
        check("3 retries", "'3 retries'");
        check("it's; rm -rf *", "'it'\\''s; rm -rf *'");
        check("$(x)`y`", "'$(x)`y`'");
        check("", "''");
    }
}
