//! How attempts multiply on their way down: a bar for each edge.

use std::fmt::Write as _;

use super::markup::escaped;
use super::sheet::scrolling;
use crate::experiment::{Subject, Summary};

/// Variants beside each other; more do not fit.
const MOST: usize = 4;

/// Attempts on each edge for each fresh request of the clients above it, callers first, in the runs under
/// the first seed. None where no service calls another.
pub(super) fn section(subjects: &[Subject<'_>], firsts: &[&Summary]) -> Option<String> {
    let model = subjects.first()?.model;
    let names = model.edge_names();
    // A variant with other edges has other names for them, and no place in the same table.
    let shown: Vec<(&str, &Summary)> = subjects
        .iter()
        .zip(firsts)
        .filter(|(subject, _)| subject.model.edge_names() == names)
        .map(|(subject, &first)| (subject.name, first))
        .take(MOST)
        .collect();
    if !model.is_graph() {
        return None;
    }
    let value = |run: &Summary, edge: usize| run.edges.get(edge)?.attempts_per_fresh_request();
    let most = shown
        .iter()
        .flat_map(|(_, run)| (0..names.len()).filter_map(|edge| value(run, edge)))
        .fold(1.0, f64::max);
    let mut text = scrolling(
        "Attempts for each fresh request, edge by edge, callers first",
        " class=\"bars\"",
    );
    text.push_str("<thead><tr><th scope=\"col\">edge</th>");
    for (name, _) in &shown {
        let _ = write!(text, "<th scope=\"col\">{}</th>", escaped(name));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for edge in model.edges_callers_first() {
        let _ = write!(text, "<tr><th scope=\"row\">{}</th>", escaped(&names[edge]));
        for (_, run) in &shown {
            match value(run, edge) {
                Some(times) => {
                    let share = 100.0 * times / most;
                    let _ = write!(
                        text,
                        "<td><div><span>{times:.2}</span><b><i style=\"width:{share:.1}%\"></i></b></div></td>"
                    );
                }
                None => text.push_str("<td>–</td>"),
            }
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody></table></div>\n");
    if shown.len() < subjects.len() {
        let (shown, all) = (shown.len(), subjects.len());
        let _ = writeln!(
            text,
            "<p class=\"hint\">{shown} of {all} variants: those with these edges, and no more than {MOST}.</p>"
        );
    }
    Some(text)
}
