//! How attempts multiply on their way down: for each edge, and each variant.

use crate::experiment::{Range, Run};
use crate::id::ClientId;
use crate::model::{Caller, Model};
use crate::observe::EdgeTotal;

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::document::Chart;
use super::endings::{Look, Name};
use super::geometry::{Area, Point};
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::ticks::between;
use super::{axis, caption, endings, font, text, theme};

const HEIGHT: f64 = 400.0;
/// Two lines of names below each edge.
const BELOW: f64 = 46.0;
const DOT: f64 = 4.5;
/// More do not fit beside each other with their names.
const MOST: usize = 14;
/// Ratios rather than differences are shown from here on.
const WIDE: f64 = 10.0;

/// An edge as it stands below the plot.
struct Place {
    edge: usize,
    /// The places of what leads to its caller.
    above: Vec<usize>,
    names: [String; 2],
}

/// A variant over all places; none where nothing was sent.
struct Line {
    name: Name,
    look: Look,
    values: Vec<Option<f64>>,
}

/// Attempts on every edge for each call that fresh requests need there if nothing fails, callers first, a line
/// per variant; none where no service calls another. Variants whose edges are others than the first one's have no place in
/// the plot.
pub fn amplification(title: &str, runs: &[(&Model, &Run)]) -> Option<Chart> {
    let (model, first) = *runs.first()?;
    if !model.is_graph() {
        return None;
    }
    let names = model.edge_names();
    let places = places(model);
    let lines = lines(runs, &names, &places);
    let seen = lines.iter().flat_map(|line| line.values.iter().flatten().copied());
    let (least, most) = seen.fold((1.0_f64, 1.0_f64), |(a, b), value| (a.min(value), b.max(value)));
    let logarithmic = most >= WIDE * least;
    let (from, to) = if logarithmic { (0.9 * least, 1.15 * most) } else { (0.0, 1.08 * most) };
    let reach = Range { from, to, logarithmic, whole: false };
    let marks = between(from, to, logarithmic);
    let mut says = format!(
        "Attempts for each call that fresh requests need, on the way down, seed {}",
        first.seed
    );
    if places.len() < names.len() {
        says.push_str(&format!("; the first {} of {} edges", places.len(), names.len()));
    }
    if lines.len() < runs.len() {
        says.push_str(&format!("; {} of {} variants have these edges", lines.len(), runs.len()));
    }
    let key = Key::new(
        Mark::Dashes(Stroke(theme::LIMIT, theme::MEDIUM)),
        "one attempt for each call needed; below it, much fails before it gets there",
    );
    let heading = Heading::new(title, &says, vec![key]);
    let widest = marks.iter().map(|(_, label)| font::width(label, theme::SMALL));
    let left = theme::MARGIN + 24.0 + widest.fold(0.0, f64::max) + 7.0;
    let room = endings::room(lines.iter().map(|line| &line.name));
    let height = HEIGHT.max(endings::HEIGHT * lines.len() as f64);
    let width = theme::WIDTH - theme::MARGIN - room - left;
    let plot = Area { left, top: heading.bottom(), width, height };
    let frame = Frame { plot, columns: places.len(), reach };
    Some(Chart::draw(title, plot.bottom() + BELOW + theme::MARGIN - 8.0, |canvas| {
        heading.draw(canvas);
        frame.draw(canvas, &marks, &places);
        for line in lines.iter().rev() {
            frame.line(canvas, line, &places);
        }
        let end = |line: &Line| {
            let ends = (0..places.len()).rev().find_map(|place| frame.point(line, place));
            ends.unwrap_or((plot.right(), plot.bottom()))
        };
        let named: Vec<_> = lines.iter().map(|line| (&line.name, line.look, end(line))).collect();
        endings::draw(canvas, plot, &named);
    }))
}

fn places(model: &Model) -> Vec<Place> {
    let edges: Vec<_> = model.edges().collect();
    let shown: Vec<usize> = model.edges_callers_first().into_iter().take(MOST).collect();
    let place = |&edge: &usize| {
        let (_, caller, called) = edges[edge];
        let (above, names) = match caller {
            Caller::Client(id) => {
                let name = &model.clients[id.index()].name;
                (Vec::new(), [name.clone(), model.service(called.to).name.clone()])
            }
            Caller::Service(id, nth) => {
                let leads_there = |(_, edge): &(usize, &usize)| edges[**edge].2.to == id;
                let above = shown.iter().enumerate().filter(leads_there).map(|(place, _)| place);
                let service = model.service(id);
                (above.collect(), [service.name.clone(), service.calls.list[nth].name.clone()])
            }
        };
        Place { edge, above, names }
    };
    shown.iter().map(place).collect()
}

fn lines(runs: &[(&Model, &Run)], names: &[String], places: &[Place]) -> Vec<Line> {
    let fitting = runs.iter().filter(|(model, _)| model.edge_names() == names);
    let line = |(index, (model, run)): (usize, &(&Model, &Run))| {
        let values = times_needed(model, run);
        let value = |place: &Place| values[place.edge].filter(|times| *times > 0.0);
        Line {
            name: Name::new(&run.variant, &caption::short(model, run)),
            look: Look::of(index),
            values: places.iter().map(value).collect(),
        }
    };
    fitting.enumerate().map(line).collect()
}

/// By the position of each edge; none where no call is needed.
fn times_needed(model: &Model, run: &Run) -> Vec<Option<f64>> {
    let edges = run.recording.edges();
    let mut needed = vec![0.0; edges.len()];
    for (id, client) in (0..model.clients.len() as u16).map(ClientId).zip(&edges) {
        for (sum, calls) in needed.iter_mut().zip(model.calls_needed(id)) {
            *sum += client.link.requests as f64 * calls;
        }
    }
    let times = |(edge, needed): (&EdgeTotal, f64)| {
        (needed > 0.0).then(|| edge.link.attempts as f64 / needed)
    };
    edges.iter().zip(needed).map(times).collect()
}

struct Frame {
    plot: Area,
    columns: usize,
    reach: Range,
}

impl Frame {
    fn x(&self, place: usize) -> f64 {
        self.plot.left + self.plot.width * (place as f64 + 0.5) / self.columns as f64
    }

    fn y(&self, value: f64) -> f64 {
        let share = self.reach.share_of(value);
        self.plot.bottom() - share.clamp(0.0, 1.0) * self.plot.height
    }

    fn point(&self, line: &Line, place: usize) -> Option<Point> {
        line.values[place].map(|value| (self.x(place), self.y(value)))
    }

    fn draw(&self, canvas: &mut Canvas<'_>, marks: &[(f64, String)], places: &[Place]) {
        let plot = self.plot;
        for (value, label) in marks {
            let y = self.y(*value);
            canvas.line(&[(plot.left, y), (plot.right(), y)], Stroke(theme::GRID, theme::THIN));
            let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
            canvas.text_beside(label, (plot.left - 7.0, y), lettering);
        }
        let one = self.y(1.0);
        let limit = Stroke(theme::LIMIT, theme::MEDIUM);
        canvas.dashes((plot.left, one), (plot.right(), one), limit);
        axis::baseline(canvas, plot);
        axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, "attempts per call needed");
        let column = plot.width / self.columns as f64 - 10.0;
        for (index, place) in places.iter().enumerate() {
            let x = self.x(index);
            let foot = [(x, plot.bottom()), (x, plot.bottom() + 4.0)];
            canvas.line(&foot, Stroke(theme::AXIS, theme::THIN));
            let [caller, called] = &place.names;
            let rows = [(caller.clone(), theme::MUTED), (format!("→ {called}"), theme::INK)];
            for (row, (words, ink)) in (0_u8..).zip(rows) {
                let at = (x, plot.bottom() + 19.0 + 18.0 * f64::from(row));
                let lettering = Lettering::new(theme::SMALL, ink, Anchor::Middle);
                canvas.text(&text::fit(&words, theme::SMALL, column), at, lettering);
            }
        }
    }

    /// From each edge to those of the service it leads to.
    fn line(&self, canvas: &mut Canvas<'_>, line: &Line, places: &[Place]) {
        for (index, place) in places.iter().enumerate() {
            let Some(here) = self.point(line, index) else { continue };
            for above in place.above.iter().filter_map(|above| self.point(line, *above)) {
                canvas.patterned(&[above, here], line.look.stroke, line.look.pattern);
            }
        }
        for point in (0..places.len()).filter_map(|place| self.point(line, place)) {
            canvas.dot(point, DOT, line.look.stroke.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::looks::{calling, with_runs};
    use super::*;
    use crate::model::Client;

    #[test]
    fn edges_that_do_not_follow_one_another_have_nothing_to_multiply() {
        let one = super::super::looks::storm(|_| {});
        let beside = super::super::looks::storm(|model| {
            let other = Client { name: "app".to_owned(), ..model.clients[0].clone() };
            model.clients.push(other);
        });
        for model in [one, beside] {
            let variants = [("base".to_owned(), model)];
            with_runs(&variants, |runs| assert!(amplification("One", runs).is_none()));
        }
    }

    #[test]
    fn lines_follow_the_calls() {
        let model = calling(2, |_| {});
        let places = places(&model);
        let above: Vec<_> = places.iter().map(|place| place.above.clone()).collect();
        assert_eq!(above, [vec![], vec![0], vec![0], vec![1], vec![2]]);
        assert_eq!(places[0].names, ["web".to_owned(), "api".to_owned()]);
    }
}
