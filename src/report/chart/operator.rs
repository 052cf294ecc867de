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
use super::{axis, font, theme};

const HEIGHT: f64 = 360.0;
/// A row of what has no length, below the plot.
const ROW: f64 = 28.0;
/// Beside the first and the last value.
const INSET: f64 = 60.0;
/// From what stands to the left of the plot to the plot.
const ASIDE: f64 = 26.0;
const TIMES: &str = "an operator acts after";
const WAITING: Stroke = Stroke(theme::MUTED, theme::MEDIUM);

/// One thing that can be done for a while: how long it takes, by how late it is; none where it does not help.
struct Line<'a> {
    name: &'a str,
    colour: Colour,
    lasts: Vec<(f64, Option<f64>)>,
}

/// How long each thing must be done for, against how long after the disturbance an operator acts, and below it a row
/// for each with that length, or with the share of seeds that come back.
pub fn operator(document: &AdviceDocument<'_>) -> Chart {
    let AdviceDocument { title, variant, ways_out, .. } = document;
    let names: &[Tried] = ways_out.first().map_or(&[], |way| &way.tried);
    let lines = lines(document, names);
    let subtitle = format!(
        "“{variant}”: what brings 95 % of the seeds back, by how long after the disturbance an operator acts"
    );
    let heading = Heading::new(title, &subtitle, keys(&lines));
    let words = names.iter().map(|tried| tried.name.as_str()).chain([TIMES]);
    let widest = words.map(|words| font::width(words, theme::SMALL)).fold(0.0, f64::max);
    let left = theme::MARGIN + widest + ASIDE;
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
    let bottom = below + ROW * names.len() as f64 + theme::MARGIN;
    Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        axis::vertical(canvas, plot, y, &ticks);
        axis::name_upwards(canvas, plot, plot.left - 52.0, "for how long, seconds");
        axis::baseline(canvas, plot);
        times(canvas, document, plot, x);
        let waiting: Vec<Point> =
            ways_out.iter().map(|way| (x.at(way.after_s), y.at(way.backlog_s))).collect();
        match waiting.as_slice() {
            // A single one is no line, and shall be seen beneath a dot.
            [(x, y)] => canvas.dashes((x - INSET, *y), (x + INSET, *y), WAITING),
            several => canvas.patterned(several, WAITING, theme::PATTERNS[1]),
        }
        for line in &lines {
            draw(canvas, line, x, y);
        }
        for (nth, tried) in names.iter().enumerate() {
            let middle = below + ROW * (nth as f64 + 0.5);
            let name = Lettering::new(theme::SMALL, theme::INK, Anchor::End);
            canvas.text_beside(&tried.name, (plot.left - ASIDE, middle), name);
            for way in *ways_out {
                if let Some(tried) = way.tried.get(nth) {
                    outcome(canvas, tried, (x.at(way.after_s), middle));
                }
            }
        }
    })
}

fn keys(lines: &[Line<'_>]) -> Vec<Key> {
    let of = |line: &Line<'_>| Key::new(Mark::Line(Stroke(line.colour, theme::STRONG)), line.name);
    let helps = lines.iter().filter(|line| line.lasts.iter().any(|(_, lasts)| lasts.is_some()));
    let mut keys: Vec<Key> = helps.map(of).collect();
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
    canvas.text(TIMES, (plot.left - ASIDE, plot.bottom() + 19.0), name);
}

/// Each time with its length, as far as there is one.
fn draw(canvas: &mut Canvas<'_>, line: &Line<'_>, x: Scale, y: Scale) {
    let points = line.lasts.iter().filter_map(|(at, lasts)| Some((x.at(*at), y.at((*lasts)?))));
    let points: Vec<Point> = points.collect();
    canvas.line(&points, Stroke(line.colour, theme::STRONG));
    for point in points {
        canvas.dot(point, 5.0, line.colour);
    }
}

/// How long it takes, or how many seeds come back.
fn outcome(canvas: &mut Canvas<'_>, tried: &Tried, (x, y): Point) {
    let (words, colour) = match &tried.trial.effect {
        Effect::Helps(cure) => match cure.value {
            Some(value) => (format!("for {} s", seconds(value)), theme::WELL),
            None => (format!("{} of {} back", cure.recovered, cure.proved), theme::WELL),
        },
        Effect::Never { runs, recovered } | Effect::Unreliable { runs, recovered } => {
            (format!("no: {recovered} of {runs} back"), theme::UNWELL)
        }
    };
    canvas.text_beside(&words, (x, y), Lettering::new(theme::SMALL, colour, Anchor::Middle));
}
