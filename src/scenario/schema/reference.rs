//! The reference of every key, as markdown: a section for each table, in the order in which a reader meets them.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value};

use super::told::Told;

const HEAD: &str = "\
# Every key of a scenario file

Made from the types that read the file, by `metastable schema --markdown`. What the policies do, and where
they come from, is told in [scenario-file.md](scenario-file.md), [service-policies.md](service-policies.md),
[client-policies.md](client-policies.md) and [graphs.md](graphs.md). `NAME` is any name; a *length of time* is
a text with its unit, such as `\"250ms\"`; a *share* is a number from 0 to 1. A preset may bring what is
required here.
";

/// The page about this schema.
pub(super) fn markdown(schema: &Value) -> String {
    let mut page = Page { schema, out: HEAD.to_owned(), seen: BTreeSet::new(), later: Vec::new() };
    page.table("", "", schema);
    // Tables are told in the order in which their keys stand: those of a table before those after it.
    while let Some(Later { path, about, value }) = page.later.pop() {
        page.table(&path, about, value);
    }
    page.out
}

struct Page<'s> {
    schema: &'s Value,
    out: String,
    /// The types that have a section.
    seen: BTreeSet<&'s str>,
    /// Tables that are still to be told, the next one last.
    later: Vec<Later<'s>>,
}

struct Later<'s> {
    path: String,
    about: &'s str,
    value: &'s Value,
}

impl<'s> Page<'s> {
    /// What a reference leads to, and the name of its type.
    fn follow(&self, value: &'s Value) -> (&'s Value, Option<&'s str>) {
        let name = value.get("$ref").and_then(Value::as_str);
        let name = name.and_then(|to| to.strip_prefix("#/$defs/"));
        let Some((name, found)) =
            name.and_then(|name| Some((name, self.schema.get("$defs")?.get(name)?)))
        else {
            return (value, None);
        };
        // A type may be another one by a name of its own.
        match self.follow(found) {
            (further, Some(name)) => (further, Some(name)),
            (found, None) => (found, Some(name)),
        }
    }

    /// One section: the table at `path`, and afterwards those below it.
    fn table(&mut self, path: &str, about: &str, value: &'s Value) {
        let Some(keys) = value.get("properties").and_then(Value::as_object) else { return };
        if keys.is_empty() {
            return;
        }
        let heading = if path.is_empty() { "The file itself".to_owned() } else { code(path) };
        let is_choice = value.get("maxProperties").is_some();
        let _ = write!(self.out, "\n## {heading}\n\n");
        if !about.is_empty() {
            let _ = write!(self.out, "{}\n\n", Told::of(about).meaning);
        }
        self.out.push_str(if is_choice {
            "One of:\n\n| kind | value | unit | meaning |\n| --- | --- | --- | --- |\n"
        } else {
            "| key | value | unit | default | meaning |\n| --- | --- | --- | --- | --- |\n"
        });
        let required = value.get("required").and_then(Value::as_array);
        let mut below = Vec::new();
        for (key, inner) in keys {
            let is_required = required.is_some_and(|keys| keys.iter().any(|it| it == key));
            self.row(path, key, inner, is_required, is_choice, &mut below);
        }
        below.reverse();
        self.later.extend(below);
    }

    fn row(
        &mut self,
        path: &str,
        key: &str,
        inner: &'s Value,
        is_required: bool,
        is_choice: bool,
        below: &mut Vec<Later<'s>>,
    ) {
        let about = inner.get("description").and_then(Value::as_str).unwrap_or_default();
        let told = Told::of(about);
        let place = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let mut kinds = Vec::new();
        let mut words = Vec::new();
        self.kinds(&place, about, inner, &mut kinds, &mut words, below);
        let value = kinds.join(", or ");
        let unit = told.unit.unwrap_or_default();
        let mut meaning = told.meaning.to_owned();
        for word in words {
            let _ = write!(meaning, " {word}");
        }
        let meaning = meaning.replace('|', "\\|");
        let _ = if is_choice {
            writeln!(self.out, "| `{key}` | {value} | {unit} | {meaning} |")
        } else {
            let default = match (is_required, told.default) {
                (true, _) => "required",
                (false, Some(default)) => default,
                (false, None) => "",
            };
            writeln!(self.out, "| `{key}` | {value} | {unit} | {default} | {meaning} |")
        };
    }

    /// Says in `kinds` what may stand here, in `words` what its words mean, and puts tables on the list.
    fn kinds(
        &mut self,
        path: &str,
        about: &'s str,
        value: &'s Value,
        kinds: &mut Vec<String>,
        words: &mut Vec<String>,
        below: &mut Vec<Later<'s>>,
    ) {
        let (value, name) = self.follow(value);
        if name == Some("Length") {
            kinds.push("length of time".to_owned());
            return;
        }
        if let Some(Value::Array(inner)) = value.get("anyOf") {
            for kind in inner {
                self.kinds(path, about, kind, kinds, words, below);
            }
            return;
        }
        if let Some(Value::Array(listed)) = value.get("enum") {
            self.words(value, listed, kinds, words);
            return;
        }
        match value.get("type").and_then(Value::as_str) {
            Some("object") => {
                let (kind, inner) = self.object(path, about, value, name);
                kinds.push(kind);
                below.extend(inner);
            }
            Some("array") => {
                let mut items = Vec::new();
                if let Some(inner) = value.get("items") {
                    self.kinds(&format!("{path}[]"), about, inner, &mut items, words, below);
                }
                kinds.push(if !kinds.is_empty() && items == *kinds {
                    "a list of these".to_owned()
                } else {
                    format!("list of: {}", items.join(", or "))
                });
            }
            Some("string") => {
                let title = value.get("title").and_then(Value::as_str);
                kinds.push(title.unwrap_or("text").to_owned());
            }
            Some("integer") => kinds.push("whole number".to_owned()),
            Some("boolean") => kinds.push("`true` or `false`".to_owned()),
            Some(other) => kinds.push(other.to_owned()),
            None => kinds.push("anything".to_owned()),
        }
    }

    fn words(
        &self,
        value: &Value,
        listed: &[Value],
        kinds: &mut Vec<String>,
        words: &mut Vec<String>,
    ) {
        let meanings = value.pointer("/x-taplo/docs/enumValues").and_then(Value::as_array);
        for (nth, word) in listed.iter().enumerate() {
            let spelled = format!("`{word}`");
            let meaning = meanings.and_then(|all| all.get(nth)?.as_str()).unwrap_or_default();
            if !meaning.is_empty() {
                words.push(format!("{spelled}: {}", Told::of(meaning).meaning));
            }
            kinds.push(spelled);
        }
    }

    /// What kind of table, and the section that it still needs.
    fn object(
        &mut self,
        path: &str,
        about: &'s str,
        value: &'s Value,
        name: Option<&'s str>,
    ) -> (String, Option<Later<'s>>) {
        if value.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty) {
            let named = value.get("additionalProperties").filter(|inner| inner.is_object());
            let Some(inner) = named else {
                let is_open = value.get("additionalProperties") != Some(&Value::Bool(false));
                let kind = if is_open { "table of paths and values" } else { "empty table, `{}`" };
                return (kind.to_owned(), None);
            };
            let (inner, name) = self.follow(inner);
            let path = format!("{path}.NAME");
            let (_, later) = self.object(&path, about, inner, name);
            return ("tables by name".to_owned(), later);
        }
        if let Some(name) = name
            && !self.seen.insert(name)
        {
            return (format!("table `{name}`"), None);
        }
        let later = Later { path: path.to_owned(), about, value };
        (format!("table, see `{path}`"), Some(later))
    }
}

fn code(path: &str) -> String {
    format!("`{path}`")
}
