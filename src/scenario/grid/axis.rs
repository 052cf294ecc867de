//! One axis: a path and the values that it takes.

use super::decimal::Decimal;
use crate::experiment::Coordinate;
use crate::scenario::element::{parse_length, thousands};
use crate::scenario::nearest::did_you_mean;
use crate::scenario::source::{Place, Sources};
use crate::scenario::tree::{Change, Entry, Node, Path, Spot, Value};
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A path and its values, at least one, each different from the others.
pub(in crate::scenario) struct Axis {
    pub(in crate::scenario) path: Path,
    pub(in crate::scenario) values: Vec<AxisValue>,
    key: Place,
    value: Place,
}

/// What is laid over the tree, and what it is called.
pub(in crate::scenario) struct AxisValue {
    node: Node,
    pub(in crate::scenario) coordinate: Coordinate,
}

/// The most values of one axis.
const MOST_VALUES: usize = 10_000;

impl Axis {
    pub(super) fn change(&self, index: usize) -> Change {
        Change { path: self.path.clone(), node: self.values[index].node.clone() }
    }

    /// Whether `place` lies in its path or its values.
    pub(super) const fn holds(&self, place: Place) -> bool {
        self.key.contains(place) || self.value.contains(place)
    }
}

/// Reads what stands behind `entry`: a list of values, or a range.
pub(super) fn read(path: Path, entry: &Entry, sources: &Sources) -> Result<Axis, Diagnostic> {
    let spot = Spot::of(entry);
    let wrong = |message: &str| {
        Diagnostic::error(spot.value(), message).help(
            "write a list such as [0.3, 0.5], or { from = 0.1, to = 0.9, step = 0.1 }".to_owned(),
        )
    };
    let values = match &entry.node.value {
        Value::List(items) if items.is_empty() => return Err(wrong("this axis has no values")),
        Value::List(items) => listed(items, sources)?,
        Value::Table(_) => range(spot)?,
        Value::Text(_)
        | Value::Integer(_)
        | Value::Float(..)
        | Value::Bool(_)
        | Value::Date
        | Value::Measured(..) => {
            return Err(wrong("an axis takes several values"));
        }
    };
    Ok(Axis { path, values, key: entry.key_place, value: spot.value() })
}

/// Every point of the grid, the last axis fastest, as one index per axis.
pub(super) fn points(axes: &[Axis]) -> impl Iterator<Item = Vec<usize>> {
    let sizes: Vec<usize> = axes.iter().map(|axis| axis.values.len()).collect();
    let count: usize = sizes.iter().product();
    (0..count).map(move |mut rank| {
        let mut point = vec![0; sizes.len()];
        for (index, size) in point.iter_mut().zip(&sizes).rev() {
            *index = rank % size;
            rank /= size;
        }
        point
    })
}

fn listed(items: &[Node], sources: &Sources) -> Result<Vec<AxisValue>, Diagnostic> {
    check_count(items.len() as u128, items[0].place)?;
    let mut values: Vec<AxisValue> = Vec::with_capacity(items.len());
    for item in items {
        let coordinate = coordinate(item, sources);
        if values.iter().any(|earlier| same(&earlier.coordinate, &coordinate)) {
            return Err(Diagnostic::error(
                item.place,
                format!("`{}` is on this axis twice", coordinate.label),
            ));
        }
        values.push(AxisValue { node: item.clone(), coordinate });
    }
    Ok(values)
}

/// What `node` is called on an axis, and its number: lengths of time in seconds.
pub(super) fn coordinate(node: &Node, sources: &Sources) -> Coordinate {
    match &node.value {
        Value::Text(text) => Coordinate {
            label: text.clone(),
            number: parse_length(text, node.place).ok().map(Span::as_secs_f64),
        },
        Value::Integer(value) => {
            Coordinate { label: value.to_string(), number: Some(*value as f64) }
        }
        Value::Float(value, _) => Coordinate { label: value.to_string(), number: Some(*value) },
        Value::Measured(name, _) => Coordinate { label: name.clone(), number: None },
        Value::Bool(_) | Value::Date | Value::List(_) | Value::Table(_) => {
            let words: Vec<&str> = sources.text(node.place).split_whitespace().collect();
            Coordinate { label: words.join(" "), number: None }
        }
    }
}

/// Whether both are the same value, however each is spelled.
pub(super) fn same(a: &Coordinate, b: &Coordinate) -> bool {
    match (a.number, b.number) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.label == b.label,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// `{ from = .., to = .., step = .. }`, both ends included.
fn range(spot: Spot<'_>) -> Result<Vec<AxisValue>, Diagnostic> {
    const KEYS: [&str; 3] = ["from", "to", "step"];
    for entry in spot.node.entries() {
        if !KEYS.contains(&entry.key.as_str()) {
            let help = did_you_mean(&entry.key, KEYS, "the keys of a range are");
            return Err(Diagnostic::error(entry.key_place, format!("unknown key `{}`", entry.key))
                .help(help));
        }
    }
    let [from, to, step] = KEYS.map(|key| {
        spot.find(key).ok_or_else(|| {
            Diagnostic::error(spot.value(), format!("`{key}` is missing in this range"))
                .help("a range is { from = .., to = .., step = .. }".to_owned())
        })
    });
    let (from, to, step) = (from?, to?, step?);
    if let Value::Text(_) = from.node.value {
        let [first, last, gap] = [from, to, step].map(length);
        let (first, last, gap) = (first?, last?, gap?);
        let steps =
            steps(first.as_nanos().into(), last.as_nanos().into(), gap.as_nanos().into(), spot)?;
        let value = |nanos: i128| {
            let span = Span::from_nanos(nanos as u64);
            let label = span.to_string();
            let node = Node { place: spot.value(), value: Value::Text(label.clone()) };
            AxisValue { node, coordinate: Coordinate { label, number: Some(span.as_secs_f64()) } }
        };
        return Ok(steps.map(value).collect());
    }
    let [first, last, gap] = [from, to, step].map(number);
    let ([first, last, gap], scale) = Decimal::to_one_scale([first?, last?, gap?]);
    let steps = steps(first, last, gap, spot)?;
    let value = |units: i128| {
        let label = Decimal::new(units, scale).to_string();
        // What was written with a fraction anywhere is a number with fractions everywhere.
        let number = label.parse().unwrap_or(f64::NAN);
        let value =
            if scale == 0 { Value::Integer(units) } else { Value::Float(number, label.clone()) };
        let node = Node { place: spot.value(), value };
        AxisValue { node, coordinate: Coordinate { label, number: Some(number) } }
    };
    Ok(steps.map(value).collect())
}

/// `from`, `from + step`, … up to `to`.
fn steps(
    from: i128,
    to: i128,
    step: i128,
    spot: Spot<'_>,
) -> Result<impl Iterator<Item = i128>, Diagnostic> {
    if step <= 0 {
        return Err(Diagnostic::error(spot.at("step").value(), "the step must be above zero"));
    }
    if from > to {
        return Err(Diagnostic::error(spot.at("from").value(), "this range ends before it begins")
            .other(spot.at("to").value(), "its end"));
    }
    let count = (to - from) / step + 1;
    check_count(count.unsigned_abs(), spot.value())?;
    Ok((0..count).map(move |index| from + index * step))
}

fn check_count(count: u128, place: Place) -> Result<(), Diagnostic> {
    if count <= MOST_VALUES as u128 {
        return Ok(());
    }
    let count = thousands(u64::try_from(count).unwrap_or(u64::MAX));
    let most = thousands(MOST_VALUES as u64);
    Err(Diagnostic::error(place, format!("this axis has {count} values; the limit is {most}")))
}

fn length(spot: Spot<'_>) -> Result<Span, Diagnostic> {
    match &spot.node.value {
        Value::Text(text) => parse_length(text, spot.value()),
        Value::Integer(_)
        | Value::Float(..)
        | Value::Bool(_)
        | Value::Date
        | Value::Measured(..)
        | Value::List(_)
        | Value::Table(_) => Err(mixed(spot, "a length of time in quotes")),
    }
}

fn number(spot: Spot<'_>) -> Result<Decimal, Diagnostic> {
    let decimal = match &spot.node.value {
        Value::Integer(value) => Decimal::parse(&value.to_string()),
        Value::Float(_, text) => Decimal::parse(text),
        Value::Text(_)
        | Value::Bool(_)
        | Value::Date
        | Value::Measured(..)
        | Value::List(_)
        | Value::Table(_) => {
            return Err(mixed(spot, "a number"));
        }
    };
    decimal.ok_or_else(|| {
        Diagnostic::error(
            spot.value(),
            "a range counts in numbers of at most 15 digits and 15 decimals",
        )
    })
}

fn mixed(spot: Spot<'_>, expected: &str) -> Diagnostic {
    Diagnostic::error(spot.value(), format!("this must be {expected}, like the rest of the range"))
        .help("a range counts in numbers, or in lengths of time".to_owned())
}
