//! Results as Parquet: read back, they are those of the CSV, with types.

use std::fs::{self, File};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use super::fixture::Fixture;

/// The columns of a file with their types, and its rows as CSV would have them.
fn read(fixture: &Fixture, name: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let file = SerializedFileReader::new(File::open(fixture.path(name)).unwrap()).unwrap();
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let columns = schema.columns().iter();
    let columns = columns.map(|column| format!("{} {:?}", column.name(), column.physical_type()));
    let rows = file.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        row.get_column_iter().map(|(_, field)| words(field)).collect()
    });
    (columns.collect(), rows.collect())
}

// A foreign enum of many kinds, of which these are written.
#[expect(clippy::wildcard_enum_match_arm)]
fn words(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Bool(flag) => flag.to_string(),
        Field::Long(count) => count.to_string(),
        Field::Double(number) => number.to_string(),
        Field::Str(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

fn csv(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let owned = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
    let header = owned(reader.headers().unwrap());
    (header, reader.records().map(|record| owned(&record.unwrap())).collect())
}

fn check(args: &[&str]) -> Vec<String> {
    let fixture = Fixture::new();
    fixture.stdout(&[args, &["-o", "a.parquet", "-o", "a.csv", "--quiet"]].concat());
    let (columns, rows) = read(&fixture, "a.parquet");
    let (header, expected) = csv(&fixture.read("a.csv"));
    let names: Vec<&str> = columns.iter().map(|column| column.split_once(' ').unwrap().0).collect();
    assert_eq!(names, header);
    assert!(!rows.is_empty());
    assert_eq!(rows, expected);
    let first = fs::read(fixture.path("a.parquet")).unwrap();
    fixture.stdout(&[args, &["-o", "b.parquet", "--jobs", "3", "--quiet"]].concat());
    assert!(first == fs::read(fixture.path("b.parquet")).unwrap(), "the same bytes");
    columns
}

#[test]
fn runs_and_their_timelines() {
    let columns = check(&["run", "storm.toml", "--seeds", "2"]);
    for column in ["variant BYTE_ARRAY", "seed INT64", "back_at_s DOUBLE", "attempts INT64"] {
        assert!(columns.iter().any(|known| known == column), "{column} in {columns:?}");
    }
    let columns = check(&["run", "storm.toml", "--rows", "windows"]);
    assert_eq!(
        columns[..4],
        ["variant BYTE_ARRAY", "seed INT64", "start_s DOUBLE", "arrivals INT64"]
    );
}

#[test]
fn sweeps_and_promises() {
    let columns = check(&["sweep", "storm.toml"]);
    for column in ["clients.web.load DOUBLE", "triggers.gc.stall.lasts_s DOUBLE", "seeds INT64"] {
        assert!(columns.iter().any(|known| known == column), "{column} in {columns:?}");
    }
    assert!(check(&["check", "storm.toml"]).contains(&"held BOOLEAN".to_owned()));
}
