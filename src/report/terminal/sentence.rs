//! A whole file's verdict in one sentence.

use std::ops::Range;

use crate::analysis::{Verdict, exceeds_capacity};
use crate::experiment::{Subject, Summary};
use crate::model::Solver;
use crate::report::table::figure::seconds;

/// What became of the first subject, and what of the others. `runs` holds the runs of each subject
/// under `seeds`, in the order of the subjects.
pub(in crate::report) fn verdict(
    subjects: &[Subject<'_>],
    seeds: &Range<u64>,
    runs: &[&[Summary]],
) -> String {
    let Some((&first, others)) = runs.split_first() else {
        return String::new();
    };
    let Some(subject) = subjects.first() else {
        return String::new();
    };
    let mut sentence = match first.len() {
        0 | 1 => String::new(),
        _ => format!("Under seeds {} to {}, ", seeds.start, seeds.end - 1),
    };
    sentence.push_str(&format!("“{}” {}", subject.name, fate(subject, first)));
    if !others.is_empty() {
        sentence.push_str("; ");
        let undisturbed = subject.model.disturbed_between().is_none();
        sentence.push_str(&of_others(others, undisturbed));
    }
    sentence.push('.');
    sentence
}

/// The verdict that all runs agree on.
fn unanimous(runs: &[Summary]) -> Option<Verdict> {
    let verdict = runs.first()?.assessment.verdict;
    runs.iter().all(|run| run.assessment.verdict == verdict).then_some(verdict)
}

/// What a criterion of windows lets pass: a share of failures that is worth a word.
fn failures(runs: &[Summary]) -> String {
    let ended = |run: &Summary| run.tally.succeeded + run.tally.failed;
    let (failed, all) = runs
        .iter()
        .fold((0, 0), |(failed, all), run| (failed + run.tally.failed, all + ended(run)));
    if failed * 100 < all || failed == 0 {
        return String::new();
    }
    let share = 100.0 * failed as f64 / all as f64;
    format!(", though {share:.0} % of its requests fail, which its criterion tolerates")
}

fn fate(subject: &Subject<'_>, runs: &[Summary]) -> String {
    let Some(verdict) = unanimous(runs) else {
        let well = runs.iter().filter(|run| run.assessment.verdict.is_well()).count();
        let at = when(runs.iter()).map_or_else(String::new, |at| format!(", {at}"));
        return format!("is well again under {well} of them{at}");
    };
    let horizon = seconds(subject.model.horizon.as_secs_f64());
    let overloaded = if exceeds_capacity(subject.model) { "is overloaded" } else { "fails" };
    let Some((_, ends)) = subject.model.disturbed_between() else {
        return match verdict {
            Verdict::Overloaded => format!("{overloaded}, although nothing disturbs it"),
            Verdict::Unaffected
            | Verdict::Recovered
            | Verdict::Draining
            | Verdict::Metastable
            | Verdict::Undecided => format!("is well{}; nothing disturbs it", failures(runs)),
        };
    };
    let is_on = runs.iter().all(|run| run.assessment.back_at.is_some_and(|back| back < ends));
    let ends = seconds(ends.as_secs_f64());
    match verdict {
        Verdict::Unaffected => {
            format!("is not affected by the disturbance{}", failures(runs))
        }
        Verdict::Recovered => {
            let at = when(runs.iter()).unwrap_or_default();
            let by = if subject.model.levers.is_empty() { " by itself" } else { "" };
            if is_on {
                format!(
                    "comes back{by} {at}, while the disturbance is still on, until second {ends}"
                )
            } else {
                format!("comes back{by} {at}, after a disturbance that ends at second {ends}")
            }
        }
        Verdict::Draining => {
            let empty = range(
                runs.iter().filter_map(|run| run.assessment.empty_at.map(|at| at.as_secs_f64())),
            );
            let empty = empty
                .map_or_else(String::new, |at| format!(" and would be gone about second {at}"));
            format!("is not back by second {horizon}, but its backlog shrinks{empty}")
        }
        Verdict::Metastable => {
            format!(
                "never comes back: the disturbance ends at second {ends}, and at second {horizon} it still fails"
            )
        }
        Verdict::Overloaded => format!("{overloaded} even without the disturbance"),
        Verdict::Undecided => {
            format!(
                "cannot be judged: the disturbance ends at second {ends}, too near the end of the run at second {horizon}"
            )
        }
    }
}

/// How many of the others came to what.
fn of_others(others: &[&[Summary]], undisturbed: bool) -> String {
    let verdicts: Vec<Option<Verdict>> = others.iter().map(|runs| unanimous(runs)).collect();
    let count = |verdict| verdicts.iter().filter(|found| **found == verdict).count();
    let mut parts: Vec<String> = Vec::new();
    let mut part = |count: usize, one: &str, many: &str, more: String| {
        if count > 0 {
            parts.push(format!("{count} {}{more}", if count == 1 { one } else { many }));
        }
    };
    let back =
        others.iter().zip(&verdicts).filter(|(_, verdict)| **verdict == Some(Verdict::Recovered));
    let at = when(back.flat_map(|(runs, _)| runs.iter()));
    let at = at.map_or_else(String::new, |at| format!(" ({at})"));
    part(count(Some(Verdict::Unaffected)), "is not affected", "are not affected", String::new());
    part(count(Some(Verdict::Recovered)), "comes back", "come back", at);
    part(count(None), "depends on the seed", "depend on the seed", String::new());
    part(
        count(Some(Verdict::Draining)),
        "is still draining at the end",
        "are still draining at the end",
        String::new(),
    );
    // “Never does” what others did: it needs them.
    let (one, many) = match count(Some(Verdict::Recovered)) {
        0 => ("never comes back", "never come back"),
        _ => ("never does", "never do"),
    };
    part(count(Some(Verdict::Metastable)), one, many, String::new());
    let anyway = if undisturbed { "" } else { " anyway" };
    part(count(Some(Verdict::Overloaded)), "fails", "fail", anyway.to_owned());
    part(count(Some(Verdict::Undecided)), "cannot be judged", "cannot be judged", String::new());
    let variants = if others.len() == 1 { "variant" } else { "variants" };
    format!("of {} other {variants}, {}", others.len(), enumerate(&parts))
}

/// What worked the subjects out, if any of them was not worked out event by event.
pub(in crate::report) fn solvers(subjects: &[Subject<'_>]) -> Option<String> {
    let solver = |subject: &Subject<'_>| subject.model.solver;
    let first = solver(subjects.first()?);
    if subjects.iter().all(|subject| solver(subject) == Solver::Events) {
        return None;
    }
    let others: Vec<String> = subjects
        .iter()
        .filter(|subject| solver(subject) != first)
        .map(|subject| format!("“{}” ({})", subject.name, by(solver(subject))))
        .collect();
    let but = match &others[..] {
        [] => String::new(),
        others => format!(", but {}", enumerate(others)),
    };
    Some(match first {
        Solver::Events => format!("Solved event by event{but}."),
        Solver::Stepped { .. } => format!("Solved {}, not event by event{but}.", by(first)),
    })
}

fn by(solver: Solver) -> String {
    match solver {
        Solver::Events => "event by event".to_owned(),
        Solver::Stepped { step } => {
            let step = step.to_string();
            let unit = step.find(char::is_alphabetic).unwrap_or(step.len());
            format!("in steps of {} {}", &step[..unit], &step[unit..])
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
fn enumerate(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// `at second 14`, or `at second 14 to 17`.
fn when<'a>(runs: impl Iterator<Item = &'a Summary>) -> Option<String> {
    let back = runs.filter_map(|run| run.assessment.back_at.map(|at| at.as_secs_f64()));
    Some(format!("at second {}", range(back)?))
}

fn range(values: impl Iterator<Item = f64>) -> Option<String> {
    let (low, high) = values.fold(None, |range: Option<(f64, f64)>, value| {
        Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    })?;
    let (low, high) = (seconds(low), seconds(high));
    Some(if low == high { low } else { format!("{low} to {high}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::time::Span;

    #[test]
    fn who_solved_it_is_said_where_it_is_not_the_engine() {
        let check = |steps_ms: &[u64], expected: Option<&str>| {
            let models: Vec<Model> = steps_ms
                .iter()
                .map(|&ms| {
                    let solver = match ms {
                        0 => Solver::Events,
                        ms => Solver::Stepped { step: Span::from_millis(ms) },
                    };
                    Model { solver, ..Model::empty(Span::from_secs(1), Span::from_secs(1)) }
                })
                .collect();
            let subjects: Vec<Subject<'_>> = ["a", "b", "c"]
                .iter()
                .zip(&models)
                .map(|(name, model)| Subject { name, model })
                .collect();
            assert_eq!(solvers(&subjects).as_deref(), expected, "{steps_ms:?}");
        };
        check(&[0, 0], None);
        check(&[1_000, 1_000], Some("Solved in steps of 1 s, not event by event."));
        check(
            &[1_000, 100, 0],
            Some(
                "Solved in steps of 1 s, not event by event, but “b” (in steps of 100 ms) and “c” (event by event).",
            ),
        );
        check(&[0, 0, 1_000], Some("Solved event by event, but “c” (in steps of 1 s)."));
    }
}
