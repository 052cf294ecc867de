//! What `check` tells: which promises are kept.

use super::grid;
use super::sheet::{Align, Cell, Column, Sheet};
use super::value::{Record, record};
use super::wrap::wrap;
use super::{Document, json};
use crate::experiment::{Cell as GridCell, Finding, Promised};
use crate::report::terminal::style::{self, DOWN, FAINT, WELL, paint};

/// What became of one scenario file.
#[derive(Clone, Debug)]
pub struct Kept<'a> {
    /// Its path, as given or found.
    pub file: &'a str,
    /// The dotted path of each axis of its sweep.
    pub axes: &'a [String],
    /// Its claims; each about a variant, or about one or more cells.
    pub claims: Vec<Vec<Promised<'a>>>,
}

/// A scenario file on its way through a check.
#[derive(Clone, Debug)]
pub enum Checked<'a> {
    /// It was run.
    Kept(Kept<'a>),
    /// It could not be.
    Unreadable {
        /// Its path.
        file: &'a str,
        /// What is wrong with it.
        why: &'a str,
    },
}

/// The promises of some scenario files.
#[derive(Clone, Debug)]
pub struct CheckDocument<'a> {
    /// The files, in the order in which they are told of.
    pub files: Vec<Checked<'a>>,
}

const HEADER: [&str; 7] = ["file", "variant", "cell", "seeds", "held", "expected", "found"];
const RUNNABLE: &str = "a scenario that can be run";
const INDENT: usize = 2;
const STATUS: usize = "FAILED".len();

impl<'a> CheckDocument<'a> {
    /// Whether every promise that was tried is kept.
    pub fn held(&self) -> bool {
        self.findings().all(|(_, _, finding)| finding.held)
    }

    /// Whether no promise was found at all.
    pub fn is_empty(&self) -> bool {
        self.findings().next().is_none()
    }

    /// How many files could not be run.
    pub fn unreadable(&self) -> usize {
        self.files.iter().filter(|file| file.kept().is_none()).count()
    }

    fn findings(&self) -> impl Iterator<Item = (&Kept<'a>, &Promised<'a>, &Finding)> {
        self.files.iter().flat_map(Checked::findings)
    }

    fn summary(&self) -> String {
        let kept = self.findings().filter(|(_, _, finding)| finding.held).count();
        let broken = self.findings().count() - kept;
        let count = |count: usize, one: &str, many: &str| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        let mut text = format!(
            "{} kept, {broken} broken, in {}",
            count(kept, "promise", "promises"),
            count(self.files.len(), "file", "files"),
        );
        let unreadable = self.unreadable();
        if unreadable > 0 {
            text.push_str(&format!("; {} could not be run", count(unreadable, "file", "files")));
        }
        text
    }

    fn records(&self) -> Vec<Record> {
        self.files.iter().flat_map(Checked::records).collect()
    }
}

impl<'a> Checked<'a> {
    const fn kept(&self) -> Option<&Kept<'a>> {
        match self {
            Self::Kept(kept) => Some(kept),
            Self::Unreadable { .. } => None,
        }
    }

    fn findings(&self) -> impl Iterator<Item = (&Kept<'a>, &Promised<'a>, &Finding)> {
        let promised = self
            .kept()
            .into_iter()
            .flat_map(|kept| kept.claims.iter().flatten().map(move |p| (kept, p)));
        promised
            .flat_map(|(kept, promised)| promised.findings.iter().map(move |f| (kept, promised, f)))
    }

    /// A record per promise; a file that could not be run breaks one of its own.
    fn records(&self) -> Vec<Record> {
        if let Self::Unreadable { file, why } = self {
            return vec![of_finding(file, None, None, false, RUNNABLE, why)];
        }
        let of = |(kept, promised, finding): (&Kept<'_>, &Promised<'_>, &Finding)| {
            let cell = promised.cell.map(|cell| place(kept.axes, cell));
            let Finding { held, expected, found } = finding;
            of_finding(kept.file, Some(promised), cell.as_deref(), *held, expected, found)
        };
        self.findings().map(of).collect()
    }
}

fn of_finding(
    file: &str,
    promised: Option<&Promised<'_>>,
    cell: Option<&str>,
    held: bool,
    expected: &str,
    found: &str,
) -> Record {
    record([
        ("file", file.into()),
        ("variant", promised.map(|promised| promised.variant).into()),
        ("cell", cell.into()),
        ("seeds", promised.map(|promised| promised.seeds).into()),
        ("held", held.into()),
        ("expected", expected.into()),
        ("found", found.into()),
    ])
}

impl Document for CheckDocument<'_> {
    fn text(&self, width: usize) -> String {
        let mut text = String::new();
        for file in &self.files {
            match file {
                Checked::Kept(kept) => write_kept(&mut text, kept, width),
                Checked::Unreadable { file, .. } => {
                    text.push_str(&format!("{}\n", paint(file, style::HEADING)));
                    write_line(&mut text, false, "cannot be run", width);
                }
            }
            text.push('\n');
        }
        let style = if self.held() && self.unreadable() == 0 { WELL } else { DOWN };
        text.push_str(&paint(&self.summary(), style));
        text.push('\n');
        text
    }

    fn markdown(&self) -> String {
        let records = self.records();
        let column = |heading: &str, field: usize| {
            let cells = records.iter().map(|record| Cell::new(record[field].1.words())).collect();
            Column::new(&[heading], Align::Left, 0, cells)
        };
        let columns = vec![
            column("variant", 1),
            column("cell", 2),
            column("held", 4),
            column("expected", 5),
            column("found", 6),
        ];
        let files = records.iter().map(|record| record[0].1.words()).collect();
        format!("{}\n{}\n", Sheet::new("file", files, columns).markdown(), self.summary())
    }

    fn rows(&self) -> Vec<Record> {
        self.records()
    }

    fn header(&self) -> &[&str] {
        &HEADER
    }

    fn json(&self) -> String {
        json::list(&self.records())
    }
}

fn write_kept(text: &mut String, kept: &Kept<'_>, width: usize) {
    text.push_str(&format!("{}\n", paint(kept.file, style::HEADING)));
    if kept.claims.iter().all(Vec::is_empty) {
        text.push_str(&format!("{}\n", paint("  promises nothing", FAINT)));
    }
    let axes = short_names(kept.axes);
    for claim in &kept.claims {
        write_claim(text, &axes, claim, width);
    }
}

/// A claim that is kept in one line; one that is not with each broken promise beside what was found.
fn write_claim(text: &mut String, axes: &[String], claim: &[Promised<'_>], width: usize) {
    let (kept, broken): (Vec<_>, Vec<_>) = claim.iter().partition(|promised| promised.held());
    if let [first, ..] = kept.as_slice() {
        let cells: Vec<&GridCell> = kept.iter().filter_map(|promised| promised.cell).collect();
        let what = match cells.as_slice() {
            [] | [_] => subject(axes, first),
            several => place_of_all(axes, several),
        };
        let promises: Vec<&str> =
            first.findings.iter().map(|finding| finding.expected.as_str()).collect();
        let seeds = seeds(first.seeds);
        write_line(text, true, &format!("{what}: {} ({seeds})", promises.join(", ")), width);
    }
    for promised in broken {
        write_line(
            text,
            false,
            &format!("{} ({})", subject(axes, promised), seeds(promised.seeds)),
            width,
        );
        for finding in promised.findings.iter().filter(|finding| !finding.held) {
            write_words(text, &format!("expected  {}", finding.expected), width);
            write_words(text, &format!("found     {}", finding.found), width);
        }
    }
}

fn write_line(text: &mut String, held: bool, words: &str, width: usize) {
    let style = if held { WELL } else { DOWN };
    let hang = INDENT + STATUS + INDENT;
    for (nth, line) in wrap(words, width.saturating_sub(hang)).iter().enumerate() {
        if nth == 0 {
            let status = paint(&format!("{:STATUS$}", status(held)), style);
            text.push_str(&format!("  {status}  {line}\n"));
        } else {
            text.push_str(&format!("{:hang$}{line}\n", ""));
        }
    }
}

fn write_words(text: &mut String, words: &str, width: usize) {
    let hang = INDENT + STATUS + INDENT;
    // The label keeps its blanks, which wrapping would close up.
    let (label, rest) = words.split_at("expected  ".len());
    for (nth, line) in wrap(rest, width.saturating_sub(hang + label.len())).iter().enumerate() {
        let label = if nth == 0 { label } else { "          " };
        text.push_str(&format!("{:hang$}{}{line}\n", "", paint(label, FAINT)));
    }
}

const fn status(held: bool) -> &'static str {
    if held { "ok" } else { "FAILED" }
}

fn seeds(count: u64) -> String {
    if count == 1 { "1 seed".to_owned() } else { format!("{count} seeds") }
}

fn subject(axes: &[String], promised: &Promised<'_>) -> String {
    match promised.cell {
        None => promised.variant.to_owned(),
        Some(cell) => format!("{} at {}", promised.variant, place(axes, cell)),
    }
}

/// The last word of each axis's path, unless two end in the same word.
fn short_names(axes: &[String]) -> Vec<String> {
    let mut names: Vec<String> = axes.iter().map(|axis| grid::short(axis).to_owned()).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() < axes.len() {
        return axes.to_vec();
    }
    axes.iter().map(|axis| grid::short(axis).to_owned()).collect()
}

pub(super) fn place(axes: &[String], cell: &GridCell) -> String {
    let at = axes.iter().zip(&cell.at).map(|(axis, at)| format!("{axis} = {}", at.label));
    at.collect::<Vec<_>>().join(", ")
}

/// How many cells, and what they have in common.
fn place_of_all(axes: &[String], cells: &[&GridCell]) -> String {
    let variant = &cells[0].variant;
    let same_variant = cells.iter().all(|cell| cell.variant == *variant);
    let of = if same_variant { format!("{variant}, ") } else { String::new() };
    let mut text = format!("{of}{} cells", cells.len());
    let shared = |nth: usize| {
        let label = &cells.first()?.at.get(nth)?.label;
        let all = cells.iter().all(|cell| cell.at.get(nth).is_some_and(|at| at.label == *label));
        all.then(|| format!("{} = {label}", axes[nth]))
    };
    let shared: Vec<String> = (0..axes.len()).filter_map(shared).collect();
    if !shared.is_empty() {
        text.push_str(&format!(" at {}", shared.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::analysis::Verdict;
    use crate::experiment::{
        Across, Bound, Claim, Expectation, Metric, SweepExpectation, SweepMetric, check,
    };
    use crate::report::table::example;

    fn render(look: impl Fn(&dyn Document) -> String) -> String {
        let variants = example::variants();
        let subjects = example::subjects(&variants);
        let cells = example::cells(&[("3 retries", 3)]);
        let of_runs = |verdict, seeds, low, high| Expectation {
            seeds,
            verdict: Some(verdict),
            across: Across::Each,
            metrics: vec![(Metric::BackAt.into(), Bound { min: low, max: high })],
        };
        let (held, broken) =
            (of_runs(Verdict::Recovered, 3, 7.0, 11.0), of_runs(Verdict::Metastable, 3, 7.0, 8.0));
        let of_cells = |cells: &[usize], share| SweepExpectation {
            seeds: Some(2),
            cells: cells.to_vec(),
            metrics: vec![(SweepMetric::RecoveredShare, Bound::exactly(share))],
        };
        let (all_held, one_broken) = (of_cells(&[0, 1], 1.0), of_cells(&[3, 4, 5], 0.0));
        let subject = subjects[1];
        let claims = [
            (Claim::Variant { subject, promise: &held }, 1),
            (Claim::Variant { subject, promise: &broken }, 1),
            (Claim::Cells { cells: &cells, promise: &all_held, seeds: 5 }, 1),
            (Claim::Cells { cells: &cells, promise: &one_broken, seeds: 5 }, 1),
        ];
        let claims = check(&claims, &AtomicBool::new(false), |_| ()).unwrap();
        let axes = example::axes();
        let files = vec![
            Checked::Kept(Kept { file: "storm.toml", axes: &axes, claims }),
            Checked::Unreadable { file: "broken.toml", why: "unknown key `laod`" },
            Checked::Kept(Kept { file: "silent.toml", axes: &axes, claims: Vec::new() }),
        ];
        look(&CheckDocument { files })
    }

    #[test]
    fn broken_promises_stand_beside_what_was_found() {
        insta::assert_snapshot!(render(|document| style::strip(&document.text(80))));
    }

    #[test]
    fn markdown() {
        insta::assert_snapshot!(render(|document| document.markdown()));
    }

    #[test]
    fn a_record_per_promise() {
        let json: serde_json::Value =
            serde_json::from_str(&render(|document| document.json())).unwrap();
        let entries = json.as_array().unwrap();
        let held = entries.iter().filter(|entry| entry["held"] == true).count();
        // Two of the first variant, two of the cells that hold, two of the three that should not.
        assert_eq!((entries.len(), held), (2 + 2 + 2 + 3 + 1, 2 + 2 + 2));
        for name in HEADER {
            assert!(entries.iter().all(|entry| entry.get(name).is_some()), "{name}");
        }
        let csv = render(|document| document.csv());
        assert_eq!(csv.lines().next().unwrap(), HEADER.join(","));
    }
}
