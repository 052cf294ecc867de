//! JSON: for programs, and still readable.

use super::value::{Record, Value};

/// A record as JSON text. Whatever holds no further record stands on one line of its own, so that
/// the thousand windows of a timeline are a thousand lines and not fourteen thousand.
pub(super) fn object(record: &Record) -> String {
    let mut text = String::new();
    write_record(&mut text, record, 0);
    text.push('\n');
    text
}

/// A list of records as JSON text.
pub(super) fn list(records: &[Record]) -> String {
    let mut text = String::new();
    write_records(&mut text, records, 0);
    text.push('\n');
    text
}

const INDENT: &str = "  ";

fn write_record(text: &mut String, record: &Record, depth: usize) {
    let nested = record.iter().any(|(_, value)| value.is_nested());
    text.push('{');
    for (nth, (name, value)) in record.iter().enumerate() {
        separate(text, nth, nested.then_some(depth + 1));
        text.push_str(&quoted(name));
        text.push_str(": ");
        write_value(text, value, depth + 1);
    }
    if nested {
        break_line(text, depth);
    }
    text.push('}');
}

fn write_records(text: &mut String, records: &[Record], depth: usize) {
    text.push('[');
    for (nth, record) in records.iter().enumerate() {
        separate(text, nth, Some(depth + 1));
        write_record(text, record, depth + 1);
    }
    if !records.is_empty() {
        break_line(text, depth);
    }
    text.push(']');
}

fn write_value(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Nothing => text.push_str("null"),
        Value::Flag(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Value::Count(count) => text.push_str(&count.to_string()),
        Value::Number(number) => text.push_str(&serde_json::Value::from(*number).to_string()),
        Value::Text(words) => text.push_str(&quoted(words)),
        Value::Texts(texts) => {
            let texts: Vec<String> = texts.iter().map(|words| quoted(words)).collect();
            text.push_str(&format!("[{}]", texts.join(", ")));
        }
        Value::Records(records) => write_records(text, records, depth),
        Value::Record(record) => write_record(text, record, depth),
    }
}

fn quoted(words: &str) -> String {
    serde_json::Value::from(words).to_string()
}

/// Goes to the next item: on a line of its own at some depth, or on the same line.
fn separate(text: &mut String, nth: usize, depth: Option<usize>) {
    if nth > 0 {
        text.push(',');
    }
    match depth {
        Some(depth) => break_line(text, depth),
        None if nth > 0 => text.push(' '),
        None => {}
    }
}

fn break_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.push_str(&INDENT.repeat(depth));
}

#[cfg(test)]
mod tests {
    use super::super::value::record;
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let inner = record([("start_s", 0.1.into()), ("words", "a \"b\"\n\u{1}ü".into())]);
        let outer = record([
            ("none", Value::Nothing),
            ("nan", f64::NAN.into()),
            ("flag", true.into()),
            ("count", u64::MAX.into()),
            ("inner", Value::Records(vec![inner.clone(), inner.clone()])),
            ("keyed", Value::Record(record([("a.b", Value::Record(inner))]))),
            ("empty", Value::Records(Vec::new())),
            ("texts", Value::Texts(vec!["a".to_owned(), "b".to_owned()])),
        ]);
        let text = object(&outer);
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        let window = serde_json::json!({"start_s": 0.1, "words": "a \"b\"\n\u{1}ü"});
        let expected = serde_json::json!({
            "none": null, "nan": null, "flag": true, "count": u64::MAX,
            "inner": [window, window], "keyed": {"a.b": window}, "empty": [], "texts": ["a", "b"],
        });
        assert_eq!(read, expected);
        assert_eq!(text.lines().filter(|line| line.contains("start_s")).count(), 3);
        assert_eq!(list(&[]), "[]\n");
    }
}
