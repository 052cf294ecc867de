//! CSV: for spreadsheets and data frames.

use super::value::{Record, Value};

/// Records as CSV text with a header, which is that of the first record; fields that hold further
/// records are left out. Numbers have all their digits.
///
/// `header` is what is written when there are no records.
pub(super) fn table(header: &[&str], records: &[Record]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names: Vec<&str> = match records.first() {
        Some(first) => flat(first).map(|(name, _)| name.as_str()).collect(),
        None => header.to_vec(),
    };
    let rows = records.iter().map(|record| flat(record).map(|(_, value)| value.words()).collect());
    let mut write = |row: Vec<String>| writer.write_record(row).expect(IN_MEMORY);
    write(names.into_iter().map(str::to_owned).collect());
    rows.for_each(&mut write);
    String::from_utf8(writer.into_inner().expect(IN_MEMORY)).expect("only text was written")
}

const IN_MEMORY: &str = "rows of one width, written to memory";

fn flat(record: &Record) -> impl Iterator<Item = &(String, Value)> {
    record.iter().filter(|(_, value)| !value.is_nested())
}

#[cfg(test)]
mod tests {
    use super::super::value::record;
    use super::*;

    #[test]
    fn a_header_and_a_row_per_record() {
        let row = record([
            ("variant", "a, \"b\"".into()),
            ("share", (1.0 / 3.0).into()),
            ("back_at_s", Value::Nothing),
            ("timeline", Value::Records(Vec::new())),
        ]);
        let expected = "variant,share,back_at_s\n\"a, \"\"b\"\"\",0.3333333333333333,\n";
        assert_eq!(table(&[], &[row]), expected);
        assert_eq!(table(&["variant", "share"], &[]), "variant,share\n");
    }
}
