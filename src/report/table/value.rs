//! What stands in a field of a machine-readable document.

/// A value with the precision it was computed with.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// There is none: `null` in JSON, empty in CSV.
    Nothing,
    /// Yes or no.
    Flag(bool),
    /// A count.
    Count(u64),
    /// A number; one that is not finite reads as [`Value::Nothing`].
    Number(f64),
    /// Words.
    Text(String),
    /// Several words. CSV has no place for them.
    Texts(Vec<String>),
    /// Records within a record. CSV has no place for them.
    Records(Vec<Record>),
    /// A record within a record. CSV has no place for it.
    Record(Record),
}

/// Named fields in a fixed order. JSON and CSV are both written from this, so that a column of the
/// one is a key of the other.
pub type Record = Vec<(String, Value)>;

impl Value {
    /// The value in a cell of a table, with all its digits; nothing for what has no place there.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Nothing | Self::Records(_) | Self::Record(_) => String::new(),
            Self::Texts(texts) => texts.join("; "),
            Self::Flag(flag) => flag.to_string(),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(words) => words.clone(),
        }
    }

    /// Whether the value holds other records.
    pub(super) const fn is_nested(&self) -> bool {
        match self {
            Self::Records(_) | Self::Record(_) => true,
            Self::Nothing
            | Self::Flag(_)
            | Self::Count(_)
            | Self::Number(_)
            | Self::Text(_)
            | Self::Texts(_) => false,
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        if number.is_finite() { Self::Number(number) } else { Self::Nothing }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}

/// A record from its fields.
pub(super) fn record<const N: usize>(fields: [(&str, Value); N]) -> Record {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
