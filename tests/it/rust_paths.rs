//! The paths that a Rust source names, found without a compiler: comments and literals are cut
//! away, `use` trees are spread out, `self` and `super` are resolved. That is all a test needs which
//! asks who imports whom, and it costs no parser in the dependencies.

/// Every path in `text` that begins at a root: `crate`, `self`, `super`, or a name that is followed
/// by `::`. Paths inside the crate are given from the crate's root, with `crate` in front.
///
/// `module` is where the file stands: `["policy", "retry"]` for `policy/retry/mod.rs`.
pub(crate) fn paths(text: &str, module: &[String]) -> Vec<Vec<String>> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut inline: Vec<(String, usize)> = Vec::new();
    let (mut depth, mut at) = (0, 0);
    while at < tokens.len() {
        match tokens[at].as_str() {
            "mod" if tokens.get(at + 2).is_some_and(|next| next == "{") => {
                inline.push((tokens[at + 1].clone(), depth));
                depth += 1;
                at += 3;
            }
            "{" => {
                depth += 1;
                at += 1;
            }
            "}" => {
                depth -= 1;
                inline.pop_if(|(_, opened)| *opened == depth);
                at += 1;
            }
            "use" => at += 1,
            word if is_name(word) => {
                let before =
                    |back: usize| at.checked_sub(back).map_or("", |at| tokens[at].as_str());
                // `::name` is a root too, unless a name or a `>` stands before it.
                let begins = match before(1) {
                    "::" => before(2) == "use" || !is_name(before(2)) && before(2) != ">",
                    other => other != ".",
                };
                let is_path = tokens.get(at + 1).is_some_and(|next| next == "::");
                let is_use = before(1) == "use" || before(2) == "use" && before(1) == "::";
                if begins && (is_path || is_use) {
                    let here: Vec<String> = module
                        .iter()
                        .cloned()
                        .chain(inline.iter().map(|(name, _)| name.clone()))
                        .collect();
                    let mut tree = Vec::new();
                    at = spread(&tokens, at, &[], &mut tree);
                    found.extend(tree.into_iter().map(|path| resolve(path, &here)));
                } else {
                    at += 1;
                }
            }
            _ => at += 1,
        }
    }
    found
}

/// Spreads the tree that begins at `tokens[at]` into paths; the place after it.
fn spread(
    tokens: &[String],
    mut at: usize,
    prefix: &[String],
    found: &mut Vec<Vec<String>>,
) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") if !path.is_empty() => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token != "}") {
                    at = spread(tokens, at, &path, found);
                    while tokens.get(at).is_some_and(|token| token != "," && token != "}") {
                        at += 1;
                    }
                    if tokens.get(at).is_some_and(|token| token == ",") {
                        at += 1;
                    }
                }
                return at + 1;
            }
            Some(word) if is_name(word) => path.push(word.to_owned()),
            _ => break,
        }
        at += 1;
        if tokens.get(at).is_none_or(|token| token != "::") {
            break;
        }
        at += 1;
    }
    found.push(path);
    at
}

fn resolve(path: Vec<String>, here: &[String]) -> Vec<String> {
    if path[0] != "self" && path[0] != "super" {
        return path;
    }
    let up = path.iter().take_while(|name| *name == "super").count();
    let rest = path.iter().skip_while(|name| *name == "super" || *name == "self");
    let from = &here[..here.len().saturating_sub(up)];
    std::iter::once("crate".to_owned()).chain(from.iter().cloned()).chain(rest.cloned()).collect()
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Names, `::` and single characters, without comments, strings, characters and lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = string(rest) {
            length
        } else if first == '\'' {
            quote(rest)
        } else if first.is_alphanumeric() || first == '_' {
            let length =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            tokens.push(rest[..length].to_owned());
            length
        } else {
            let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
            if !first.is_whitespace() {
                tokens.push(rest[..length].to_owned());
            }
            length
        };
        rest = &rest[length..];
    }
    tokens
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        let tail = &text[at..];
        if tail.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if tail.starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += tail.chars().next().map_or(0, char::len_utf8);
        }
        if depth == 0 || at >= text.len() {
            return at;
        }
    }
}

/// The length of the string literal that `text` begins with, of any kind.
fn string(text: &str) -> Option<usize> {
    let after_b = text.strip_prefix(['b', 'c']).unwrap_or(text);
    if let Some(raw) = after_b.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let body = &raw[hashes + 1..];
            let length = body.find(&end).map_or(body.len(), |at| at + end.len());
            return Some(text.len() - body.len() + length);
        }
    }
    let body = after_b.strip_prefix('"')?;
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(text.len() - body.len() + at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// The length of the character literal that `text` begins with, or of the lifetime's tick.
fn quote(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            let escaped = chars.next().map_or(text.len(), |(at, c)| at + c.len_utf8());
            escaped + text[escaped..].find('\'').map_or(0, |at| at + 1)
        }
        Some(_) if chars.next().is_some_and(|(_, c)| c == '\'') => {
            text.char_indices().nth(3).map_or(text.len(), |(at, _)| at)
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_spread_and_resolved() {
        let check = |text: &str, expected: &[&str]| {
            let module = ["policy".to_owned(), "retry".to_owned()];
            let found: Vec<String> =
                paths(text, &module).iter().map(|path| path.join("::")).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("use crate::time::{Span, Time as T};", &["crate::time::Span", "crate::time::Time"]);
        check(
            "use crate::{model::{Model, limit::*}, id};",
            &["crate::model::Model", "crate::model::limit", "crate::id"],
        );
        check(
            "use super::budget; fn f() { super::super::model::g() }",
            &["crate::policy::budget", "crate::model::g"],
        );
        check(
            "mod tests { use super::*; } use super::x;",
            &["crate::policy::retry", "crate::policy::x"],
        );
        check("use rayon; fn f(x: &csv::Writer) { x.y::<u8>() }", &["rayon", "csv::Writer"]);
        check("use ::csv; fn f() { ::csv::g(A::<B>::c()) }", &["csv", "csv::g", "A"]);
        check(
            "// crate::model\n/* a /* crate::b */ c */ \"crate::c\" r#\"\"crate::d\"# b'\"' '\\'' 'a'",
            &[],
        );
        check("fn f<'a>(x: &'a str) -> crate::id::B<'a> {}", &["crate::id::B"]);
    }
}
