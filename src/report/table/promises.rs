//! What `check` tells: which promises are kept.

use super::sheet::{Align, Cell, Column, Sheet};
use super::value::{Record, record};
use super::wrap::wrap;
use super::{Document, csv, json};
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

/// The promises of some scenario files.
#[derive(Clone, Debug)]
pub struct CheckDocument<'a> {
    /// The files that could be read, in order.
    pub files: Vec<Kept<'a>>,
    /// How many could not.
    pub unreadable: usize,
}

const HEADER: [&str; 7] = ["file", "variant", "cell", "seeds", "held", "expected", "found"];
const INDENT: usize = 2;
const STATUS: usize = "FAILED".len();

impl<'a> CheckDocument<'a> {
    /// Whether every promise that was tried is kept.
    pub fn held(&self) -> bool {
        self.promised().all(|(_, promised)| promised.held())
    }

    /// Whether no promise was found at all.
    pub fn is_empty(&self) -> bool {
        self.promised().all(|(_, promised)| promised.findings.is_empty())
    }

    fn promised(&self) -> impl Iterator<Item = (&Kept<'a>, &Promised<'a>)> {
        self.files
            .iter()
            .flat_map(|kept| kept.claims.iter().flatten().map(move |claim| (kept, claim)))
    }

    fn findings(&self) -> impl Iterator<Item = (&Kept<'a>, &Promised<'a>, &Finding)> {
        self.promised()
            .flat_map(|(kept, claim)| claim.findings.iter().map(move |f| (kept, claim, f)))
    }

    fn summary(&self) -> String {
        let (kept, broken) = self.findings().fold((0, 0), |(kept, broken), (_, _, finding)| {
            if finding.held { (kept + 1, broken) } else { (kept, broken + 1) }
        });
        let count = |count: usize, one: &str, many: &str| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        let mut text = format!(
            "{} kept, {broken} broken, in {}",
            count(kept, "promise", "promises"),
            count(self.files.len(), "file", "files"),
        );
        if self.unreadable > 0 {
            text.push_str(&format!(
                "; {} could not be read",
                count(self.unreadable, "file", "files")
            ));
        }
        text
    }

    fn records(&self) -> Vec<Record> {
        let of = |(kept, promised, finding): (&Kept<'_>, &Promised<'_>, &Finding)| {
            record([
                ("file", kept.file.into()),
                ("variant", promised.variant.into()),
                ("cell", promised.cell.map(|cell| place(kept.axes, cell)).as_deref().into()),
                ("seeds", promised.seeds.into()),
                ("held", finding.held.into()),
                ("expected", finding.expected.as_str().into()),
                ("found", finding.found.as_str().into()),
            ])
        };
        self.findings().map(of).collect()
    }
}

impl Document for CheckDocument<'_> {
    fn text(&self, width: usize) -> String {
        let mut text = String::new();
        for kept in &self.files {
            text.push_str(&paint(kept.file, style::HEADING));
            text.push('\n');
            if kept.claims.iter().all(Vec::is_empty) {
                text.push_str(&paint("  promises nothing\n", FAINT));
            }
            for claim in &kept.claims {
                write_claim(&mut text, kept.axes, claim, width);
            }
            text.push('\n');
        }
        let style = if self.held() && self.unreadable == 0 { WELL } else { DOWN };
        text.push_str(&paint(&self.summary(), style));
        text.push('\n');
        text
    }

    fn markdown(&self) -> String {
        let findings: Vec<_> = self.findings().collect();
        let column =
            |heading: &str, of: &dyn Fn(&(&Kept<'_>, &Promised<'_>, &Finding)) -> String| {
                let cells = findings.iter().map(|finding| Cell::new(of(finding))).collect();
                Column::new(&[heading], Align::Left, 0, cells)
            };
        let columns = vec![
            column("of", &|(kept, promised, _)| subject(kept.axes, promised)),
            column("", &|(_, _, finding)| status(finding.held).to_owned()),
            column("expected", &|(_, _, finding)| finding.expected.clone()),
            column("found", &|(_, _, finding)| finding.found.clone()),
        ];
        let files = findings.iter().map(|(kept, _, _)| kept.file.to_owned()).collect();
        format!("{}\n{}\n", Sheet::new("file", files, columns).markdown(), self.summary())
    }

    fn csv(&self) -> String {
        csv::table(&HEADER, &self.records())
    }

    fn json(&self) -> String {
        json::list(&self.records())
    }
}

/// A claim that is kept in one line; one that is not with each broken promise beside what was found.
fn write_claim(text: &mut String, axes: &[String], claim: &[Promised<'_>], width: usize) {
    let (kept, broken): (Vec<_>, Vec<_>) = claim.iter().partition(|promised| promised.held());
    if let [first, others @ ..] = kept.as_slice() {
        let what = if first.cell.is_none() {
            subject(axes, first)
        } else if others.is_empty() {
            format!("{}, 1 cell", first.variant)
        } else {
            format!("{} cells", kept.len())
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

fn place(axes: &[String], cell: &GridCell) -> String {
    let at = axes.iter().zip(&cell.at).map(|(axis, at)| format!("{axis} = {}", at.label));
    at.collect::<Vec<_>>().join(", ")
}
