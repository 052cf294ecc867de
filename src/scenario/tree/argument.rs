//! `PATH=VALUE`, as it is given on a command line.

use super::{Change, Node, Path, Value, parse_value};
use crate::scenario::source::{LONGEST_SOURCE, SourceId};
use crate::scenario::trouble::Diagnostic;

/// The change that `argument` asks for.
///
/// The value is TOML; a word that is not, such as `500ms` or `poisson`, is taken as a text, since
/// a shell has eaten its quotes.
pub(in crate::scenario) fn parse_argument(
    argument: &str,
    source: SourceId,
) -> Result<Change, Vec<Diagnostic>> {
    let all = source.place(0..argument.len());
    if argument.len() > LONGEST_SOURCE {
        return Err(vec![Diagnostic::error(source.place(0..0), "this argument is too long")]);
    }
    let Some(equals) = first_unquoted_equals(argument) else {
        return Err(vec![
            Diagnostic::error(all, "a value is missing: the argument has no `=`")
                .help("write PATH=VALUE, such as clients.web.load=0.5".to_owned()),
        ]);
    };
    let path = Path::parse(&argument[..equals], source, Some(0), source.place(0..equals))
        .map_err(|diagnostic| vec![diagnostic])?;
    let path = whole_keys(path);
    let (text, start) = trim(argument, equals + 1);
    if text.is_empty() {
        let place = source.place(argument.len()..argument.len());
        return Err(vec![Diagnostic::error(place, "a value is missing after the `=`")]);
    }
    let node = match parse_value(text, source, start) {
        Ok(node) => node,
        Err(diagnostics) if text.starts_with(['"', '\'', '[', '{']) => return Err(diagnostics),
        Err(_) => Node {
            place: source.place(start..start + text.len()),
            value: Value::Text(text.to_owned()),
        },
    };
    Ok(Change { path, node })
}

/// Axes and changes of variants are keyed by paths, which need no quotes of their own here.
fn whole_keys(path: Path) -> Path {
    let names: Vec<&str> = path.names().collect();
    match names.as_slice() {
        ["sweep", "axes", ..] => path.joined_from(2),
        ["variants", _, "expect", ..] => path,
        ["variants", _, _, ..] => path.joined_from(2),
        _ => path,
    }
}

fn first_unquoted_equals(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (index, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '=') => return Some(index),
            _ => {}
        }
    }
    None
}

/// What follows `start`, without blanks around it, and where it begins.
fn trim(text: &str, start: usize) -> (&str, usize) {
    let rest = &text[start..];
    let begun = rest.trim_start();
    (begun.trim_end(), start + rest.len() - begun.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(argument: &str, path: &str, value: &str) {
        let change = parse_argument(argument, SourceId::FILE).unwrap();
        assert_eq!(change.path.to_string(), path, "{argument}");
        assert_eq!(format!("{:?}", change.node.value), value, "{argument}");
        assert!(change.node.place.range().end <= argument.len());
    }

    #[test]
    fn words_need_no_quotes() {
        check("clients.web.load=0.5", "clients.web.load", "Float(0.5, \"0.5\")");
        check("horizon = 30s ", "horizon", "Text(\"30s\")");
        check("seed=7", "seed", "Integer(7)");
        check("title=A long one", "title", "Text(\"A long one\")");
        check("title='quoted'", "title", "Text(\"quoted\")");
        check(r#"clients."a=b".calls="x=y""#, r#"clients."a=b".calls"#, "Text(\"x=y\")");
    }

    #[test]
    fn axes_and_variants_take_paths_as_keys() {
        check("sweep.axes.clients.web.load=1", r#"sweep.axes."clients.web.load""#, "Integer(1)");
        check("variants.x.clients.web.load=1", r#"variants.x."clients.web.load""#, "Integer(1)");
        check("variants.x.expect.seeds=1", "variants.x.expect.seeds", "Integer(1)");
    }

    #[test]
    fn half_a_change_is_none() {
        for wrong in
            ["", "=", "a", "a=", "a= ", "=1", "a=[1", "a=\"b", "a b=1", "\"a=1", "a={", "a.=1"]
        {
            assert!(parse_argument(wrong, SourceId::FILE).is_err(), "{wrong:?}");
        }
    }
}
