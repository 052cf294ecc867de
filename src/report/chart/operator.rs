//! What an operator can do about a collapse, by how late it is: how long traffic must be blocked, and whether a
//! queue that is dropped or a restart is enough.

use crate::experiment::{Effect, Tried};
use crate::report::table::AdviceDocument;
use crate::report::table::figure::seconds;

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::colour::Colour;
use super::document::Chart;
use super::geometry::{Area, Point};
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::scale::Scale;
use super::ticks::Ticks;
use super::{axis, font, text, theme};

const HEIGHT: f64 = 360.0;
/// A row of what has no length, below the plot.
const ROW: f64 = 28.0;
/// Beside the first and the last value.
const INSET: f64 = 60.0;
const WAITING: Stroke = Stroke(theme::MUTED, theme::MEDIUM);

/// One thing that can be done for a while: how long it takes, by how late it is; none where it does not help.
struct Line<'a> {
    name: &'a str,
    colour: Colour,
    lasts: Vec<(f64, Option<f64>)>,
}

/// How long each thing must be done for, against how long after the disturbance an operator acts, and below it the
/// share of seeds that come back by what is done at once.
pub fn operator(document: &AdviceDocument<'_>) -> Chart {
    let AdviceDocument { title, variant, ways_out, .. } = document;
    let names: &[Tried] = ways_out.first().map_or(&[], |way| &way.tried);
    let lines = lines(document, names);
    let at_once: Vec<usize> = (0..names.len()).filter(|&nth| names[nth].along.is_none()).collect();
    let subtitle = format!(
        "“{variant}”: what brings 95 % of the seeds back, by how long after the disturbance an operator acts"
    );
    let heading = Heading::new(title, &subtitle, keys(&lines));
    let widest = at_once.iter().map(|&nth| font::width(&names[nth].name, theme::SMALL));
    let left = theme::MARGIN + widest.fold(80.0, f64::max) + 14.0;
    let width = theme::WIDTH - theme::MARGIN - left;
    let plot = Area { left, top: heading.bottom() + 10.0, width, height: HEIGHT };
    let latest = ways_out.iter().map(|way| way.after_s).fold(0.0, f64::max);
    let first = ways_out.iter().map(|way| way.after_s).fold(latest, f64::min);
    let lengths = lines.iter().flat_map(|line| &line.lasts).filter_map(|(_, lasts)| *lasts);
    let longest = lengths.chain(ways_out.iter().map(|way| way.backlog_s)).fold(1.0, f64::max);
    let ticks = Ticks::over(longest, 8);
    let y = Scale { of: [0.0, ticks.top()], onto: [plot.bottom(), plot.top] };
    // A single time stands in the middle.
    let [from, to] = if first < latest { [first, latest] } else { [first - 1.0, first + 1.0] };
    let x = Scale { of: [from, to], onto: [plot.left + INSET, plot.right() - INSET] };
    let below = plot.bottom() + axis::LABELS_BELOW + 26.0;
    let bottom = below + ROW * at_once.len() as f64 + theme::MARGIN;
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        axis::vertical(canvas, plot, y, &ticks);
        axis::name_upwards(canvas, plot, theme::MARGIN + 8.0, "how long, seconds");
        axis::baseline(canvas, plot);
        times(canvas, document, plot, x);
        let waiting: Vec<Point> =
            ways_out.iter().map(|way| (x.at(way.after_s), y.at(way.backlog_s))).collect();
        canvas.patterned(&waiting, WAITING, theme::PATTERNS[1]);
        for point in &waiting {
            canvas.dot(*point, 3.0, theme::MUTED);
        }
        for (nth, line) in lines.iter().enumerate() {
            draw(canvas, line, nth, plot, x, y);
        }
        for (row, &nth) in at_once.iter().enumerate() {
            let middle = below + ROW * (row as f64 + 0.5);
            let name = Lettering::new(theme::SMALL, theme::INK, Anchor::End);
            canvas.text_beside(&names[nth].name, (plot.left - 14.0, middle), name);
            for way in *ways_out {
                if let Some(tried) = way.tried.get(nth) {
                    outcome(canvas, tried, (x.at(way.after_s), middle));
                }
            }
        }
    })
}

fn keys(lines: &[Line<'_>]) -> Vec<Key> {
    let of = |line: &Line<'_>| {
        Key::new(Mark::Line(Stroke(line.colour, theme::STRONG)), format!("{} for", line.name))
    };
    let mut keys: Vec<Key> = lines.iter().map(of).collect();
    keys.push(Key::new(Mark::Dashes(WAITING), "what waits then, in seconds of work"));
    keys
}

fn lines<'a>(document: &AdviceDocument<'a>, names: &'a [Tried]) -> Vec<Line<'a>> {
    let along = (0..names.len()).filter(|&nth| names[nth].along.is_some());
    let line = |(place, nth): (usize, usize)| {
        let lasts = document.ways_out.iter().map(|way| {
            let cure = way.tried.get(nth).and_then(Tried::cure);
            (way.after_s, cure.and_then(|cure| cure.value))
        });
        Line {
            name: &names[nth].name,
            colour: theme::SERIES[place % theme::SERIES.len()],
            lasts: lasts.collect(),
        }
    };
    along.enumerate().map(line).collect()
}

/// When somebody acts, below the plot.
fn times(canvas: &mut Canvas<'_>, document: &AdviceDocument<'_>, plot: Area, x: Scale) {
    let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Middle);
    let mut free = f64::NEG_INFINITY;
    for way in document.ways_out {
        let (at, label) = (x.at(way.after_s), format!("{} s", seconds(way.after_s)));
        let half = font::width(&label, theme::SMALL) / 2.0;
        canvas.line(&[(at, plot.bottom()), (at, plot.bottom() + 4.0)], WAITING);
        if at - half > free {
            canvas.text(&label, (at, plot.bottom() + 19.0), lettering);
            free = at + half + 10.0;
        }
    }
    let name = Lettering::new(theme::SMALL, theme::MUTED, Anchor::End);
    let words = text::fit("an operator acts after", theme::SMALL, plot.left - theme::MARGIN);
    canvas.text(&words, (plot.left - 14.0, plot.bottom() + 19.0), name);
}

/// Each time with its length; where it does not help at any length, words at the top say so.
fn draw(canvas: &mut Canvas<'_>, line: &Line<'_>, nth: usize, plot: Area, x: Scale, y: Scale) {
    let points: Vec<Point> =
        line.lasts.iter().filter_map(|(at, lasts)| Some((x.at(*at), y.at((*lasts)?)))).collect();
    canvas.line(&points, Stroke(line.colour, theme::STRONG));
    for (at, lasts) in &line.lasts {
        let at = x.at(*at);
        match lasts {
            Some(lasts) => {
                canvas.dot((at, y.at(*lasts)), 5.0, line.colour);
                let words = Lettering::new(theme::SMALL, theme::INK, Anchor::Start);
                // Beside the dot, and off the lines that lead to the next one.
                let place = (at + 9.0, y.at(*lasts) + 13.0);
                canvas.text_beside(&format!("{} s", seconds(*lasts)), place, words);
            }
            None => {
                let words = Lettering::new(theme::SMALL, theme::UNWELL, Anchor::Middle);
                let place = (at, plot.top + 14.0 + 18.0 * nth as f64);
                canvas.text_beside(&format!("{}: never", line.name), place, words);
            }
        }
    }
}

/// How many seeds come back by what is done at once.
fn outcome(canvas: &mut Canvas<'_>, tried: &Tried, (x, y): Point) {
    let (recovered, runs, colour) = match &tried.trial.effect {
        Effect::Helps(cure) => (cure.recovered, cure.proved, theme::WELL),
        Effect::Never { runs, recovered } | Effect::Unreliable { runs, recovered } => {
            (*recovered, *runs, theme::UNWELL)
        }
    };
    let words = match &tried.trial.effect {
        Effect::Helps(_) => format!("{recovered} of {runs} back"),
        Effect::Never { .. } | Effect::Unreliable { .. } => format!("no: {recovered} of {runs}"),
    };
    canvas.text_beside(&words, (x, y), Lettering::new(theme::SMALL, colour, Anchor::Middle));
}
