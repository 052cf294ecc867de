//! How long requests took that were answered, up to the rarest.

use crate::experiment::{Range, Run};
use crate::model::Model;
use crate::observe::Latency;

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::document::Chart;
use super::endings::{Look, Name};
use super::geometry::{Area, Point};
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::ticks::{between, number};
use super::{axis, endings, font, theme};

const HEIGHT: f64 = 440.0;
/// Shares within a power of ten, evenly apart on a logarithmic scale.
const WITHIN_TEN: [f64; 10] = [1.0, 0.8, 0.63, 0.5, 0.4, 0.32, 0.25, 0.2, 0.16, 0.125];
/// Rarer than one in a hundred thousand is rarer than any run can tell.
const POWERS: [f64; 5] = [1.0, 0.1, 0.01, 0.001, 0.000_1];
/// The faster half is left out: a request that happens to need next to no work would take half the plot.
const FIRST: f64 = 0.5;
/// The percentiles that people ask for, and the shares of requests that took longer.
const PERCENTILES: [(&str, f64); 6] = [
    ("p50", 0.5),
    ("p90", 0.1),
    ("p99", 0.01),
    ("p99.9", 0.001),
    ("p99.99", 0.000_1),
    ("p99.999", 0.000_01),
];

/// Points of a curve: a share of the requests that succeeded, and the milliseconds that no more than that
/// share took longer than. The last point is the slowest of all. Empty without successes.
pub(in crate::report) fn curve(run: &Run) -> Vec<(f64, f64)> {
    let succeeded = run.recording.tally.succeeded;
    let one = 1.0 / succeeded as f64;
    let shares = POWERS.into_iter().flat_map(|power| WITHIN_TEN.map(|share| share * power));
    let shares = shares.take_while(|share| *share > one).chain([one]);
    let point = |share: f64| Some((share, quantile(&run.recording.latency, share)?));
    if succeeded == 0 { Vec::new() } else { shares.filter_map(point).collect() }
}

fn quantile(latency: &Latency, share: f64) -> Option<f64> {
    latency.quantile(1.0 - share).map(|length| length.as_secs_f64() * 1e3)
}

struct Line {
    name: Name,
    look: Look,
    curve: Vec<(f64, f64)>,
}

/// The latency of answered requests by percentile, a line per variant that ends at its slowest request; none
/// where no request is answered.
pub fn latency(title: &str, runs: &[(&Model, &Run)]) -> Option<Chart> {
    let lines: Vec<Line> = runs.iter().enumerate().map(|(nth, (_, run))| line(nth, run)).collect();
    let lengths = || lines.iter().flat_map(|line| &line.curve).map(|(_, length)| *length);
    let most = lengths().fold(0.0, f64::max);
    let least = lengths().filter(|length| *length > 0.0).fold(f64::INFINITY, f64::min);
    let rarest = lines.iter().filter_map(|line| line.curve.last()).map(|(share, _)| *share);
    let rarest = rarest.fold(1.0, f64::min);
    if least > most {
        return None;
    }
    // Half a decade at least: a line of one latency is a line, and no accident at the edge.
    let (low, high) = (0.8 * least, (1.25 * most).max(3.0 * least));
    let (low, high) = if high >= 10.0 * low { (low, high) } else { (0.0, high) };
    let y = Range { from: low, to: high, logarithmic: low > 0.0, whole: false };
    let x = Range { from: FIRST, to: rarest.min(0.1), logarithmic: true, whole: false };
    let seed = runs.first().map_or(0, |(_, run)| run.seed);
    let says = format!(
        "How long requests took that were answered, seed {seed}: at p99, one in a hundred took longer. \
         What was given up is not among them"
    );
    let timeout = common_timeout(runs).filter(|timeout| (low..=high).contains(timeout));
    let keys = timeout.map(|_| {
        let limit = Mark::Dashes(Stroke(theme::LIMIT, theme::MEDIUM));
        Key::new(limit, "timeout of one attempt; a request that tries again may take longer")
    });
    let heading = Heading::new(title, &says, keys.into_iter().collect());
    let marks = between(low, high, y.logarithmic);
    let widest = marks.iter().map(|(_, label)| font::width(label, theme::SMALL));
    let left = theme::MARGIN + 24.0 + widest.fold(0.0, f64::max) + 7.0;
    let room = endings::room(lines.iter().map(|line| &line.name));
    let height = HEIGHT.max(endings::HEIGHT * lines.len() as f64);
    let width = theme::WIDTH - theme::MARGIN - room - left;
    let plot = Area { left, top: heading.bottom(), width, height };
    let at = |(share, length): (f64, f64)| -> Point {
        (
            plot.left + width * x.share_of(share).clamp(0.0, 1.0),
            plot.bottom() - height * y.share_of(length).clamp(0.0, 1.0),
        )
    };
    let bottom = plot.bottom() + axis::LABELS_BELOW + theme::MARGIN - 8.0;
    Some(Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        for (value, label) in &marks {
            let height = at((FIRST, *value)).1;
            let ends = [(plot.left, height), (plot.right(), height)];
            canvas.line(&ends, Stroke(theme::GRID, theme::THIN));
            let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
            canvas.text_beside(label, (plot.left - 7.0, height), lettering);
        }
        axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, "latency, ms");
        percentiles(canvas, plot, &|share| at((share, low)).0, x.to);
        if let Some(timeout) = timeout {
            let height = at((FIRST, timeout)).1;
            let limit = Stroke(theme::LIMIT, theme::MEDIUM);
            canvas.dashes((plot.left, height), (plot.right(), height), limit);
        }
        for line in lines.iter().rev() {
            let points: Vec<Point> = line.curve.iter().map(|point| at(*point)).collect();
            canvas.patterned(&points, line.look.stroke, line.look.pattern);
        }
        let end = |line: &Line| line.curve.last().map_or((plot.right(), plot.bottom()), |p| at(*p));
        // What was never answered has no line to be named.
        let answered = lines.iter().filter(|line| !line.curve.is_empty());
        let named: Vec<_> = answered.map(|line| (&line.name, line.look, end(line))).collect();
        endings::draw(canvas, plot, &named);
    }))
}

fn line(nth: usize, run: &Run) -> Line {
    let tally = &run.recording.tally;
    let share = tally.succeeded as f64 / tally.requests.max(1) as f64;
    let percent = 100.0 * share;
    let answered = match tally.succeeded {
        succeeded if succeeded == tally.requests => "all answered".to_owned(),
        _ if percent > 99.9 => "more than 99.9 % answered".to_owned(),
        _ if percent >= 99.5 => "more than 99 % answered".to_owned(),
        _ => format!("{} % answered", number(percent, if percent < 10.0 { 1 } else { 0 })),
    };
    let mut curve = curve(run);
    curve.retain(|(share, _)| *share <= FIRST);
    Line { name: Name::new(&run.variant, &answered), look: Look::of(nth), curve }
}

/// Marks of the percentiles as far as any line goes.
fn percentiles(canvas: &mut Canvas<'_>, plot: Area, x: &dyn Fn(f64) -> f64, rarest: f64) {
    axis::baseline(canvas, plot);
    let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Middle);
    for (label, share) in PERCENTILES.into_iter().filter(|(_, share)| *share >= 0.999 * rarest) {
        let at = x(share);
        canvas.line(&[(at, plot.top), (at, plot.bottom() + 4.0)], Stroke(theme::GRID, theme::THIN));
        canvas.text(label, (at, plot.bottom() + 19.0), lettering);
    }
}

/// The timeout that every client of every run has, milliseconds.
fn common_timeout(runs: &[(&Model, &Run)]) -> Option<f64> {
    let clients = runs.iter().flat_map(|(model, _)| &model.clients);
    let mut timeouts = clients.map(|client| client.edge.timeout);
    let first = timeouts.next()??;
    timeouts.all(|other| other == Some(first)).then(|| first.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::super::looks::{storm, with_runs};
    use super::*;
    use crate::law::Law;
    use crate::time::Span;

    #[test]
    fn a_curve_rises_to_the_slowest_of_all() {
        let variants = [("base".to_owned(), storm(|_| {}))];
        with_runs(&variants, |runs| {
            let (_, run) = runs[0];
            let curve = curve(run);
            assert!(curve.is_sorted_by(|a, b| a.0 > b.0 && a.1 <= b.1), "{curve:?}");
            let slowest = run.recording.latency.max().map(|length| length.as_secs_f64() * 1e3);
            assert_eq!(curve.last().map(|(_, length)| *length), slowest);
            assert_eq!(common_timeout(runs), Some(500.0));
        });
    }

    #[test]
    fn without_answers_there_is_nothing_to_draw() {
        let silent = storm(|model| {
            model.services[0].service_time = Law::Fixed(Span::from_secs(86_400));
            model.triggers.clear();
        });
        with_runs(&[("silent".to_owned(), silent)], |runs| {
            assert!(latency("Silence", runs).is_none());
        });
    }
}
