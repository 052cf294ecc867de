//! What each service sees over time: a lane per service, all on one time axis.

use crate::experiment::Run;
use crate::id::{ClientId, ServiceId};
use crate::model::{Action, Model, Subject, Trigger};
use crate::observe::{Pulls, Station};

use super::canvas::{Anchor, Canvas, Lettering, Stroke};
use super::caption::Head;
use super::ceiling::Ceiling;
use super::colour::Colour;
use super::disturbance::{self, Act, Disturbances};
use super::document::Chart;
use super::geometry::Area;
use super::heading::Heading;
use super::legend::{Key, Mark};
use super::scale::Scale;
use super::series::{Series, windows_per_stretch};
use super::ticks::{Ticks, number, short};
use super::{axis, font, text, theme};

/// More lanes than this do not stand on one page.
const MOST_LANES: usize = 16;
const RATES: f64 = 100.0;
const WAITING: f64 = 46.0;
const NAME_LINE: f64 = 26.0;
const BETWEEN_PLOTS: f64 = 18.0;
const BETWEEN_LANES: f64 = 20.0;
const AXIS_NAME: f64 = 24.0;
const GUTTER: f64 = 110.0;
const STRETCHES: usize = 500;
/// Where a scale is cut: capacity so many times what arrives, and waits of so many timeouts, only press
/// everything else flat.
const CUT: f64 = 4.0;

/// A service laid out.
struct Lane {
    name: String,
    attempts: Series,
    answered: Series,
    waiting: Series,
    ceiling: Ceiling,
    /// The shortest that any caller waits, seconds.
    timeout: Option<f64>,
    rate_marks: Ticks,
    wait_marks: Ticks,
    acts: Vec<Act>,
}

/// A lane per service, callers above what they call: attempts that arrive, those answered in time and the
/// least of what bounds the service above, and beneath them how long attempts waited, against the shortest
/// timeout of whoever calls.
///
/// Every lane has a scale of its own, since services far apart in rate stand beneath each other; waiting is
/// the mean over the attempts started in a window or, where none started, the queue over the capacity. Of
/// more services than fit on a page those are shown to which most attempts came. None if there is a single
/// one.
pub fn services(title: &str, (model, run): (&Model, &Run)) -> Option<Chart> {
    let count = model.services.len();
    if count < 2 {
        return None;
    }
    let left_out = (count > MOST_LANES).then(|| {
        format!("The {MOST_LANES} of {count} services to which most attempts came; the others are left out.")
    });
    let together = windows_per_stretch(run.recording.timeline.windows().len(), STRETCHES);
    let order = busiest(model, run).into_iter();
    let lanes: Vec<Lane> = order.map(|id| Lane::of(model, run, id, together)).collect();
    let mut subtitle = subtitle(model, run, together);
    if let Some(left_out) = &left_out {
        subtitle = format!("{subtitle}. {left_out}");
    }
    let heading = Heading::new(title, &subtitle, keys());
    let room = theme::WIDTH - 2.0 * theme::MARGIN;
    let head = Head::new(&run.variant, model, run, room);

    let marks = |ticks: &Ticks| {
        ticks.marks().map(|(_, label)| font::width(&label, theme::SMALL)).fold(0.0, f64::max)
    };
    let widest = lanes
        .iter()
        .map(|lane| marks(&lane.rate_marks).max(marks(&lane.wait_marks)))
        .fold(0.0, f64::max);
    let left = theme::MARGIN + AXIS_NAME + widest + 7.0;
    let width = theme::WIDTH - theme::MARGIN - GUTTER - left;
    let horizon = model.horizon.as_secs_f64();
    let time = Scale { of: [0.0, horizon], onto: [left, left + width] };

    let mut top = heading.bottom() + head.height() + 6.0;
    let mut placed: Vec<(&Lane, Area, Area, Disturbances)> = Vec::new();
    for lane in &lanes {
        let plot = Area { left, top, width, height: RATES };
        let disturbances = Disturbances::new(&lane.acts, plot, time);
        let rates = Area { top: top + NAME_LINE + disturbances.height(), ..plot };
        let waiting = Area { top: rates.bottom() + BETWEEN_PLOTS, height: WAITING, ..rates };
        top = waiting.bottom() + BETWEEN_LANES;
        placed.push((lane, rates, waiting, disturbances));
    }
    let bottom = top - BETWEEN_LANES + axis::LABELS_BELOW + theme::MARGIN - 8.0;
    let chart = Chart::draw(title, bottom, |canvas| {
        heading.draw(canvas);
        head.draw(canvas, (theme::MARGIN, heading.bottom()));
        let marks = Ticks::of_seconds(horizon, 12);
        for (lane, rates, waiting, disturbances) in &placed {
            for plot in [*rates, *waiting] {
                disturbances.shade(canvas, plot);
            }
            disturbances.names(canvas, *rates);
            lane.draw_name(canvas, *rates, disturbances.height());
            lane.draw_rates(canvas, *rates, time);
            lane.draw_waiting(canvas, *waiting, time);
            axis::baseline(canvas, *rates);
            axis::horizontal(canvas, *waiting, time, &marks);
        }
        if let Some((_, _, last, _)) = placed.last() {
            axis::labels_below(canvas, *last, time, &marks, "s");
        }
    });
    Some(chart.leaving_out(left_out))
}

/// As many services as there are lanes for, callers first: those to which most attempts came.
fn busiest(model: &Model, run: &Run) -> Vec<ServiceId> {
    let order = model.callers_first();
    let mut by_attempts: Vec<(u64, ServiceId)> =
        order.iter().map(|&id| (run.recording.station(id).attempts, id)).collect();
    by_attempts.sort_by_key(|(attempts, _)| std::cmp::Reverse(*attempts));
    by_attempts.truncate(MOST_LANES);
    order.into_iter().filter(|id| by_attempts.iter().any(|(_, kept)| kept == id)).collect()
}

impl Lane {
    fn of(model: &Model, run: &Run, id: ServiceId, together: usize) -> Self {
        let service = model.service(id);
        let seen: Vec<Station> =
            run.recording.graph.stations().map(|window| window[id.index()]).collect();
        let series = |quantity: &dyn Fn(&Station, f64) -> f64| {
            Series::over(&seen, model.window, model.horizon, together, quantity)
        };
        let capacity = service.capacity().per_second();
        let attempts = series(&|window, length| window.attempts as f64 / length);
        let answered = series(&|window, length| window.answered() as f64 / length);
        let waiting = series(&|window, _| {
            let backlog = || window.queue as f64 / capacity;
            window.waiting_mean_s().unwrap_or_else(backlog)
        });
        let callers = model.edges().filter(|(_, _, edge)| edge.to == id);
        let timeout = callers.filter_map(|(_, _, edge)| edge.timeout).min();
        let timeout = timeout.map(|timeout| timeout.as_secs_f64());
        let usual = attempts.usual_top().max(answered.usual_top());
        let ceiling = Ceiling::of(model, id);
        let shown = if ceiling.per_second <= CUT * usual { ceiling.per_second } else { 0.0 };
        let waits = match timeout {
            Some(timeout) => (1.2 * timeout).max(waiting.top().min(CUT * timeout)),
            None => waiting.top(),
        };
        Self {
            name: service.name.clone(),
            rate_marks: Ticks::over(usual.max(shown), 3),
            wait_marks: Ticks::over(waits, 2),
            attempts,
            answered,
            waiting,
            ceiling,
            timeout,
            acts: concerned(model, id, &run.recording.pulls),
        }
    }

    fn draw_name(&self, canvas: &mut Canvas<'_>, rates: Area, below: f64) {
        let lettering = Lettering::new(theme::TEXT, theme::INK, Anchor::Start);
        let name = text::fit(&self.name, theme::TEXT, rates.width);
        canvas.text(&name, (rates.left, rates.top - below - 8.0), lettering);
    }

    fn draw_rates(&self, canvas: &mut Canvas<'_>, plot: Area, x: Scale) {
        let ticks = &self.rate_marks;
        let y = Scale { of: [0.0, ticks.top()], onto: [plot.bottom(), plot.top] };
        axis::vertical(canvas, plot, y, ticks);
        axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, "per second");
        canvas.polygon(&self.answered.filled(plot, x, y), theme::GOODPUT_FILL);
        let mut labels = Vec::new();
        labels.push(self.ceiling.draw(canvas, plot, x, y));
        canvas.lines(&self.attempts.lines(x, y), Stroke(theme::ATTEMPTS, theme::MEDIUM));
        canvas.lines(&self.answered.lines(x, y), Stroke(theme::GOODPUT, theme::STRONG));
        for (series, colour) in
            [(&self.attempts, theme::ATTEMPTS), (&self.answered, theme::GOODPUT)]
        {
            if series.top() > ticks.top() {
                labels.push((plot.top, format!("↑ {}", number(series.top(), 0)), colour));
            }
        }
        axis::labels_beside(canvas, plot, GUTTER - 8.0, &labels);
    }

    fn draw_waiting(&self, canvas: &mut Canvas<'_>, plot: Area, x: Scale) {
        let ticks = &self.wait_marks;
        let y = Scale { of: [0.0, ticks.top()], onto: [plot.bottom(), plot.top] };
        axis::vertical(canvas, plot, y, ticks);
        axis::name_upwards(canvas, plot, theme::MARGIN + 14.0, "wait, s");
        canvas.polygon(&self.waiting.filled(plot, x, y), theme::WAITING_FILL);
        canvas.lines(&self.waiting.lines(x, y), Stroke(theme::WAITING, theme::MEDIUM));
        let mut labels = Vec::new();
        if let Some(timeout) = self.timeout {
            labels.push(limit(canvas, plot, y.at(timeout), "timeout"));
        }
        if self.waiting.top() > ticks.top() {
            let most = short((self.waiting.top() * 10.0).round() / 10.0);
            labels.push((plot.top, format!("↑ {most} s"), theme::WAITING));
        }
        axis::labels_beside(canvas, plot, GUTTER - 8.0, &labels);
    }
}

/// A dashed line across the plot, and its label.
fn limit(canvas: &mut Canvas<'_>, plot: Area, height: f64, name: &str) -> (f64, String, Colour) {
    let stroke = Stroke(theme::LIMIT, theme::THIN);
    canvas.dashes((plot.left, height), (plot.right(), height), stroke);
    (height, name.to_owned(), theme::LIMIT)
}

/// What happens from outside to a service, or on the way to it.
fn concerned(model: &Model, id: ServiceId, pulls: &Pulls) -> Vec<Act> {
    let of_client = |client: ClientId| model.clients[client.index()].edge.to == id;
    let acts_here = |trigger: &&Trigger| match trigger.disturbance.subject() {
        Subject::Service(service) => service == id,
        Subject::Client(client) => of_client(client),
        Subject::Edge(of) => model.edges().any(|(edge, _, to)| edge == of && to.to == id),
    };
    let triggers: Vec<Trigger> = model.triggers.iter().filter(acts_here).cloned().collect();
    let mut acts = disturbance::triggers(&triggers);
    acts.extend(disturbance::levers(model, pulls, |action| match action {
        Action::Block { client, .. } => of_client(*client),
        Action::DropQueue { service } | Action::Restart { service, .. } => *service == id,
        Action::Change(_) => true,
    }));
    acts
}

fn subtitle(model: &Model, run: &Run, together: usize) -> String {
    let windows = short(model.window.as_secs_f64());
    let drawn =
        if together > 1 { format!(", drawn as means of {together}") } else { String::new() };
    format!(
        "A lane for each service, on a scale of its own. Seed {}, windows of {windows} s{drawn}",
        run.seed
    )
}

fn keys() -> Vec<Key> {
    vec![
        Key::new(Mark::Line(Stroke(theme::ATTEMPTS, theme::MEDIUM)), "attempts that arrive"),
        Key::new(
            Mark::Filled(Stroke(theme::GOODPUT, theme::STRONG), theme::GOODPUT_FILL),
            "answered in time",
        ),
        Key::new(
            Mark::Filled(Stroke(theme::WAITING, theme::MEDIUM), theme::WAITING_FILL),
            "waiting time",
        ),
    ]
}
