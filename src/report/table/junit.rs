//! JUnit XML of a check: what build servers show beside other tests.

use super::promises::{CheckDocument, Checked, Kept, place};
use crate::experiment::{Finding, Promised};

impl CheckDocument<'_> {
    /// A suite for each file and a case for each variant or cell that promises something; a file that cannot
    /// be run is a case with an error.
    pub fn junit(&self) -> String {
        let suites: Vec<Suite> = self.files.iter().map(Suite::of).collect();
        let sum = |of: fn(&Suite) -> usize| suites.iter().map(of).sum::<usize>();
        let (cases, failures) =
            (sum(|suite| suite.cases.len()), sum(|suite| suite.count(is_failure)));
        let errors = sum(|suite| suite.count(is_error));
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"metastable check\" tests=\"{cases}\" \
             failures=\"{failures}\" errors=\"{errors}\">\n"
        );
        suites.iter().for_each(|suite| suite.write(&mut text));
        text.push_str("</testsuites>\n");
        text
    }
}

/// A file with what it promises.
struct Suite<'a> {
    file: &'a str,
    cases: Vec<Case>,
}

/// A variant or a cell with what became of its promises.
struct Case {
    name: String,
    outcome: Outcome,
}

enum Outcome {
    Kept,
    /// Each broken promise with what was found.
    Broken(Vec<[String; 2]>),
    Unreadable(String),
}

fn is_failure(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Broken(_))
}

fn is_error(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Unreadable(_))
}

impl<'a> Suite<'a> {
    fn of(checked: &'a Checked<'_>) -> Self {
        match checked {
            Checked::Kept(kept) => {
                let cases = kept.claims.iter().flatten().map(|promised| Case::of(kept, promised));
                Self { file: kept.file, cases: cases.collect() }
            }
            Checked::Unreadable { file, why } => {
                let outcome = Outcome::Unreadable((*why).to_owned());
                Self { file, cases: vec![Case { name: "can be run".to_owned(), outcome }] }
            }
        }
    }

    fn count(&self, is: fn(&Outcome) -> bool) -> usize {
        self.cases.iter().filter(|case| is(&case.outcome)).count()
    }

    fn write(&self, text: &mut String) {
        text.push_str(&format!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
            escaped(self.file),
            self.cases.len(),
            self.count(is_failure),
            self.count(is_error)
        ));
        self.cases.iter().for_each(|case| case.write(self.file, text));
        text.push_str("  </testsuite>\n");
    }
}

impl Case {
    fn of(kept: &Kept<'_>, promised: &Promised<'_>) -> Self {
        let broken = promised.findings.iter().filter(|finding| !finding.held);
        let broken: Vec<[String; 2]> = broken
            .map(|Finding { expected, found, held: _ }| [expected.clone(), found.clone()])
            .collect();
        let name = match promised.cell {
            Some(cell) => format!("{}, {}", promised.variant, place(kept.axes, cell)),
            None => promised.variant.to_owned(),
        };
        let outcome = if broken.is_empty() { Outcome::Kept } else { Outcome::Broken(broken) };
        Self { name, outcome }
    }

    fn write(&self, file: &str, text: &mut String) {
        text.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"{}\"",
            escaped(file),
            escaped(&self.name)
        ));
        let (element, message, body) = match &self.outcome {
            Outcome::Kept => {
                text.push_str("/>\n");
                return;
            }
            Outcome::Broken(broken) => {
                let message: Vec<&str> =
                    broken.iter().map(|[expected, _]| expected.as_str()).collect();
                let lines = broken
                    .iter()
                    .map(|[expected, found]| format!("expected  {expected}\nfound     {found}"));
                ("failure", message.join(", "), lines.collect::<Vec<_>>().join("\n"))
            }
            Outcome::Unreadable(why) => {
                let first = why.lines().next().unwrap_or_default().to_owned();
                ("error", first, why.clone())
            }
        };
        text.push_str(&format!(
            ">\n      <{element} message=\"{}\">{}</{element}>\n    </testcase>\n",
            escaped(&message),
            escaped(&body)
        ));
    }
}

/// As it may stand between quotes and between tags. What XML cannot hold at all, such as an escape
/// character, becomes a mark that something was there.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(letter),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            other if other.is_control() => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_promises_and_unreadable_files_are_told_apart() {
        let finding = |held, found: &str| Finding {
            held,
            expected: "back_at_s = 1 to 2".to_owned(),
            found: found.to_owned(),
        };
        let promised = |variant, held| Promised {
            variant,
            cell: None,
            seeds: 2,
            findings: vec![finding(held, "back_at_s = 3 & \"more\"")],
        };
        let kept = Kept {
            file: "a/storm.toml",
            axes: &[],
            claims: vec![vec![promised("3 retries", true)], vec![promised("<none>", false)]],
        };
        let unreadable =
            Checked::Unreadable { file: "b.toml", why: "error: `x`\u{1b}\n --> b.toml" };
        let document = CheckDocument { files: vec![Checked::Kept(kept), unreadable] };
        insta::assert_snapshot!(document.junit());
    }
}
