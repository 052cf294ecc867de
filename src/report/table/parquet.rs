//! Parquet: for data frames, with the types that CSV has to guess.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::value::{Record, Value};

/// Records as a Parquet file: columns as [`csv::table`](super::csv::table) has them, each with one type. Counts are
/// 64-bit integers, other numbers doubles, words strings; what is not there is null.
///
/// One row group, nothing compressed, no date: the same records give the same bytes.
pub(super) fn file(header: &[&str], records: &[Record]) -> Vec<u8> {
    let columns = columns(header, records);
    written(&columns).expect("written to memory, in columns of one length")
}

fn written(columns: &[Column<'_>]) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(|column| column.field().map(Arc::new));
    let schema = Type::group_type_builder("rows")
        .with_fields(fields.collect::<Result<Vec<_>, _>>()?)
        .build()?;
    let properties = WriterProperties::builder()
        .set_created_by(concat!("metastable ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut rows = writer.next_row_group()?;
    for column in columns {
        let mut out = rows.next_column()?.expect("a writer for each field of the schema");
        column.write(&mut out)?;
        out.close()?;
    }
    rows.close()?;
    writer.into_inner()
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Count,
    Number,
    Flag,
    Words,
}

#[derive(Debug)]
struct Column<'r> {
    name: &'r str,
    kind: Kind,
    values: Vec<&'r Value>,
}

/// The columns of flat fields, named by the first record as those of CSV are.
fn columns<'r>(header: &[&'r str], records: &'r [Record]) -> Vec<Column<'r>> {
    let Some(first) = records.first() else {
        let empty = |name: &&'r str| Column { name, kind: Kind::Words, values: Vec::new() };
        return header.iter().map(empty).collect();
    };
    let is_flat = |nth: &usize| !first[*nth].1.is_nested();
    let column = |nth: usize| {
        let values: Vec<&Value> = records.iter().map(|record| &record[nth].1).collect();
        Column { name: &first[nth].0, kind: kind(&values), values }
    };
    (0..first.len()).filter(is_flat).map(column).collect()
}

/// The kind that has room for all values; a column without any is one of numbers, as most are.
fn kind(values: &[&Value]) -> Kind {
    let mut kinds = values.iter().filter_map(|value| match value {
        Value::Nothing => None,
        Value::Flag(_) => Some(Kind::Flag),
        Value::Count(_) => Some(Kind::Count),
        Value::Number(_) => Some(Kind::Number),
        Value::Text(_) | Value::Texts(_) | Value::Records(_) | Value::Record(_) => {
            Some(Kind::Words)
        }
    });
    let Some(first) = kinds.next() else { return Kind::Number };
    let is_numeric = |kind: Kind| kind == Kind::Count || kind == Kind::Number;
    kinds.fold(first, |all, next| {
        if all == next {
            all
        } else if is_numeric(all) && is_numeric(next) {
            Kind::Number
        } else {
            Kind::Words
        }
    })
}

impl Column<'_> {
    fn field(&self) -> Result<Type, ParquetError> {
        let (physical, logical) = match self.kind {
            Kind::Count => (Physical::INT64, None),
            Kind::Number => (Physical::DOUBLE, None),
            Kind::Flag => (Physical::BOOLEAN, None),
            Kind::Words => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        Type::primitive_type_builder(self.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
    }

    fn write(&self, out: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let there = |value: &&&Value| !matches!(value, Value::Nothing);
        // 1 where there is a value, 0 where there is none.
        let levels: Vec<i16> = self.values.iter().map(|value| i16::from(there(&value))).collect();
        let values = self.values.iter().filter(there);
        match self.kind {
            Kind::Count => {
                let counts: Vec<i64> = values.filter_map(|value| count(value)).collect();
                out.typed::<Int64Type>().write_batch(&counts, Some(&levels), None)?;
            }
            Kind::Number => {
                let numbers: Vec<f64> = values.filter_map(|value| number(value)).collect();
                out.typed::<DoubleType>().write_batch(&numbers, Some(&levels), None)?;
            }
            Kind::Flag => {
                let flags: Vec<bool> =
                    values.map(|value| matches!(value, Value::Flag(true))).collect();
                out.typed::<BoolType>().write_batch(&flags, Some(&levels), None)?;
            }
            Kind::Words => {
                let words: Vec<ByteArray> =
                    values.map(|value| ByteArray::from(value.words().into_bytes())).collect();
                out.typed::<ByteArrayType>().write_batch(&words, Some(&levels), None)?;
            }
        }
        Ok(())
    }
}

/// A count of a column of counts; none above what 63 bits hold is ever reached.
fn count(value: &Value) -> Option<i64> {
    match value {
        Value::Count(count) => Some(i64::try_from(*count).unwrap_or(i64::MAX)),
        Value::Nothing
        | Value::Flag(_)
        | Value::Number(_)
        | Value::Text(_)
        | Value::Texts(_)
        | Value::Records(_)
        | Value::Record(_) => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Count(count) => Some(*count as f64),
        Value::Number(number) => Some(*number),
        Value::Nothing
        | Value::Flag(_)
        | Value::Text(_)
        | Value::Texts(_)
        | Value::Records(_)
        | Value::Record(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::record;
    use super::*;

    #[test]
    fn a_column_has_the_kind_that_holds_all_of_it() {
        let check = |values: &[Value], expected| {
            assert_eq!(kind(&values.iter().collect::<Vec<_>>()), expected, "{values:?}");
        };
        check(&[Value::Nothing, 3_u64.into()], Kind::Count);
        check(&[3_u64.into(), 0.5.into()], Kind::Number);
        check(&[Value::Nothing], Kind::Number);
        check(&[true.into()], Kind::Flag);
        check(&[0.5.into(), "1.25s".into()], Kind::Words);
    }

    #[test]
    fn the_same_records_give_the_same_bytes() {
        let row = record([("words", "a".into()), ("back_at_s", Value::Nothing)]);
        let first = file(&[], std::slice::from_ref(&row));
        assert_eq!(first, file(&[], &[row]));
        assert!(first.starts_with(b"PAR1") && first.ends_with(b"PAR1"));
    }
}
